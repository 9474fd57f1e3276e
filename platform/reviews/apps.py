from __future__ import annotations

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "reviews"
    verbose_name = "Reviews"

    def ready(self) -> None:
        from reviews.messages.listening import listen
        from reviews.privacy.again import listen as listen_for_erasures
        from reviews.similarity.listening import listen as listen_for_answers

        listen()
        listen_for_answers()
        listen_for_erasures()
