"""The pages of a company profile: where to begin, the form, what candidates will read of it, its file."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_http_methods, require_safe

from accounts.audit import ADDITION, note_action
from accounts.models import User
from accounts.staff_admin import allow
from library import company
from library.company_files import ExportsForm, Read, TomlForm
from library.company_form import CompanyForm, from_post, from_profile
from library.markdown import rendered
from library.models import CompanyProfile
from library.packs import pack_of
from scenarios.company.profile import Profile
from scenarios.packs import Document, PackNotFound, all_packs

SHOWN_LINES = 200


def answer(
    request: HttpRequest, template: str, context: dict[str, Any], *, title: str, status: int = 200
) -> HttpResponse:
    """A staff page."""
    common = {**admin.site.each_context(request), "title": title}
    return render(request, template, common | context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    """Where to begin; a file that can be read leads to the form, filled with what it says."""
    allow(request, "library.add_companyprofile")
    sent = request.POST.get("from", "") if request.method == "POST" else ""
    profile_form = TomlForm(request.POST, request.FILES) if sent == "toml" else TomlForm()
    exports_form = ExportsForm(request.POST, request.FILES) if sent == "exports" else ExportsForm()
    read = Read()
    for form in (profile_form, exports_form):
        if form.is_bound and form.is_valid():
            read = form.read()
    if read.profile is not None:
        return _filled(request, read.profile, read)
    context = {
        "profile_form": profile_form,
        "exports_form": exports_form,
        "read": read,
        "sent": sent,
    }
    status = 400 if sent else 200
    return answer(
        request, "library/company_start.html", context, title="Add a company profile", status=status
    )


def _filled(request: HttpRequest, profile: Profile, read: Read) -> HttpResponse:
    context = {"form": from_profile(profile), "read": read, "origin": read.origin}
    title = f"Add {profile.cluster}"
    return answer(request, "library/company_form.html", context | _where(None), title=title)


def _where(row: CompanyProfile | None) -> dict[str, Any]:
    action = reverse("admin:company-edit", args=[row.pk]) if row else reverse("admin:company-new")
    return {"row": row, "action": action}


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form, filled with the default cluster."""
    by = allow(request, "library.add_companyprofile")
    return _form(request, by, None, company.default_profile())


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """The form, filled with a version; saving makes the next one."""
    by = allow(request, "library.add_companyprofile")
    row = get_object_or_404(CompanyProfile, pk=pk)
    if row.replaced_at is not None:
        newest = company.newest().get(family=row.family)
        messages.info(request, f"This is the newest version, {newest.version}.")
        return HttpResponseRedirect(reverse("admin:company-edit", args=[newest.pk]))
    return _form(request, by, row, company.profile_of(row))


def _form(
    request: HttpRequest, by: User, row: CompanyProfile | None, profile: Profile
) -> HttpResponse:
    origin = request.POST.get("origin", "")
    if origin not in CompanyProfile.Origin.values:
        origin = CompanyProfile.Origin.FORM
    form = from_post(request.POST) if request.method == "POST" else from_profile(profile)
    if request.method == "POST" and not _rows_asked(request, form):
        found = form.profile()
        if found is not None and (kept := _kept(found, form, row, origin, by)):
            said = f"Saved as version {kept.version}."
            messages.success(
                request, said if kept != row else "Nothing differs: no version was made."
            )
            return HttpResponseRedirect(
                reverse("admin:library_companyprofile_change", args=[kept.pk])
            )
    wrong = bool(form.errors or form.problem)
    title = f"Change {row.name}" if row else "Add a company profile"
    context = {"form": form, "origin": origin} | _where(row)
    return answer(
        request, "library/company_form.html", context, title=title, status=400 if wrong else 200
    )


def _rows_asked(request: HttpRequest, form: CompanyForm) -> bool:
    """Carry out “add a row” and “remove”; whether one of them was pressed."""
    if key := request.POST.get("add-row"):
        form.add_row(key)
        return True
    key, _, number = request.POST.get("remove-row", "").rpartition("-")
    if key and number.isascii() and number.isdigit():
        form.remove_row(key, int(number[:4]))
        return True
    return False


def _kept(
    found: Profile, form: CompanyForm, row: CompanyProfile | None, origin: str, by: User
) -> CompanyProfile | None:
    try:
        kept = company.keep(found, old=row, origin=origin, by=by, now=timezone.now())
    except company.ReplacedMeanwhile as error:
        form.problem = str(error)
        return None
    if kept != row:
        note_action(by, kept, f"Saved version {kept.version}: {kept.summary}.", flag=ADDITION)
    return kept


@require_safe
def toml(request: HttpRequest, pk: int) -> HttpResponse:
    """The profile's file, for the command line or another site."""
    allow(request, "library.view_companyprofile")
    row = get_object_or_404(CompanyProfile, pk=pk)
    headers = {"Content-Disposition": f'attachment; filename="company-{row.pk}.toml"'}
    return HttpResponse(row.toml.encode(), content_type="application/toml", headers=headers)


@require_safe
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    """What candidates would read: one exercise's brief and materials, made from this profile."""
    allow(request, "library.view_companyprofile")
    row = get_object_or_404(CompanyProfile, pk=pk)
    packs = all_packs()
    asked = request.GET.get("exercise", packs[0].name)
    context: dict[str, Any] = {"row": row, "packs": packs, "asked": asked}
    try:
        pack = pack_of(asked)
        level = request.GET.get("level", pack.levels[0])
        level = level if level in pack.levels else pack.levels[0]
        found = pack.documents(level, company.profile_of(row))
        context |= {
            "pack": pack,
            "level": level,
            "documents": [_document(one) for one in found],
            "note": company.note_on(pack.name),
        }
    except PackNotFound:
        return HttpResponseRedirect(reverse("admin:company-preview", args=[row.pk]))
    except ValueError as error:  # a generator's, for a cluster in which its story cannot stand
        context["problem"] = str(error)
    return answer(
        request, "library/company_preview.html", context, title=f"What candidates read: {row.name}"
    )


def _document(document: Document) -> dict[str, Any]:
    if document.kind == "markdown":
        html: SafeString = mark_safe(rendered(document.text))  # noqa: S308 (sanitised by nh3)
        return {"title": document.title, "html": html}
    lines = document.text.splitlines()
    return {
        "title": document.title,
        "text": "\n".join(lines[:SHOWN_LINES]),
        "left": max(0, len(lines) - SHOWN_LINES),
        "all": len(lines),
    }
