"""Addresses of an opening's board, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.board.pages import board

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def board_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    return [
        path("openings/<row:pk>/board/", page(board.board), name="board"),
        path("openings/<row:pk>/board/rows/", page(board.rows), name="board-rows"),
    ]
