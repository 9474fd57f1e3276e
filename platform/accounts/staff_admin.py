"""What all of the staff's admin pages share: who is looking, quiet widgets, one-sentence empty lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.templatetags import admin_list
from django.contrib.admin.views.main import ERROR_FLAG
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models.fields import BLANK_CHOICE_DASH
from django.forms import ChoiceField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from accounts.models import User
from accounts.row_numbers import can_be_looked_up
from accounts.second_step import is_missing

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    StackedInline = admin.StackedInline[Any, Any]
    TabularInline = admin.TabularInline[Any, Any]
else:  # Django's own classes take no parameters at run time
    ModelAdmin = admin.ModelAdmin
    StackedInline = admin.StackedInline
    TabularInline = admin.TabularInline


def _in_words(value: bool | None) -> str:
    return {True: "Yes", False: "No", None: "–"}[value]


# Lists and read-only fields show what is true or not in words, not by pictures named "True" and "False".
admin_list._boolean_icon = _in_words  # type: ignore[attr-defined]


def viewer(request: HttpRequest) -> User:
    """The member of staff who asks; raises PermissionDenied for anybody else."""
    user: User | AnonymousUser = request.user
    if not isinstance(user, User) or not user.is_active or not user.is_staff or is_missing(request):
        raise PermissionDenied
    return user


def allow(request: HttpRequest, permission: str) -> User:
    """The viewer, if their role holds `permission` ("app.verb_model"); else PermissionDenied."""
    user = viewer(request)
    if not user.has_perm(permission):
        raise PermissionDenied
    return user


LOOKUPS = ("", "__exact", "__isnull", "__isempty", "__id__exact")


def _parameters(declared: Any) -> list[str]:
    """The query parameters by which an entry of `list_filter` is asked."""
    if isinstance(declared, type) and issubclass(declared, admin.SimpleListFilter):
        return [str(declared.parameter_name)]
    field = declared[0] if isinstance(declared, (list, tuple)) else declared
    return [f"{field}{lookup}" for lookup in LOOKUPS]


def rows_shown(answer: Any) -> list[Any]:
    """The rows on a list's page, from what `changelist_view` answers; none where it leads elsewhere."""
    shown = (getattr(answer, "context_data", None) or {}).get("cl")
    return list(shown.result_list) if shown else []


def say_no_choice(field: Any) -> None:
    """Instead of Django's row of dashes."""
    dashes = BLANK_CHOICE_DASH[0][1]
    said = "Choose…" if getattr(field, "required", False) else "–"
    if getattr(field, "empty_label", None) == dashes:
        field.empty_label = said
    elif isinstance(field, ChoiceField):
        known: Any = field.choices
        field.choices = [(key, said if word == dashes else word) for key, word in known]


class StaffAdmin(ModelAdmin):
    """A ModelAdmin without Django's own bulk actions; a model's verbs have their own pages.

    `actions` of a list lead to a page that says what will happen to each row: reviews.admin.together.
    """

    actions: Any = None
    list_per_page = 50
    add_label = ""  # the button's words, where "Add opening" would not do
    intro = ""  # one sentence under the heading of the list
    counted_as = ""  # what the list counts, where the model's own name would not do: "roles"
    empty = "There is nothing here yet."  # what the list says when it has no rows
    nothing_found = "Nothing matches. Clear the search or a filter to see more."

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        if ERROR_FLAG in request.GET and len(request.GET) > 1:
            return HttpResponseRedirect(request.path)  # Django would blame the database
        context = {
            "title": self._list_title(),
            "intro": self.intro,
            "empty_text": self.empty,
            "nothing_found": self.nothing_found,
        }
        return super().changelist_view(request, context | (extra_context or {}))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        context = {"list_title": self._list_title(), **(extra_context or {})}
        return super().history_view(request, object_id, context)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        context = {"list_title": self._list_title(), **(extra_context or {})}
        return super().delete_view(request, object_id, context)

    def get_actions(self, request: HttpRequest) -> Any:
        """Without Django's own: nothing here is deleted by the dozen."""
        found = super().get_actions(request)
        found.pop("delete_selected", None)
        return found

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> Any:
        context = {
            "list_title": self._list_title(),
            "show_save_and_continue": False,
            "show_save_and_add_another": object_id is None,
            **(extra_context or {}),
        }
        return super().changeform_view(request, object_id, form_url, context)

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Labels without a colon, as on all other pages."""
        context["adminform"].form.label_suffix = ""
        return super().render_change_form(request, context, *args, **kwargs)

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Any, inline: Any, prefix: str
    ) -> dict[str, Any]:
        kwargs = super().get_formset_kwargs(request, obj, inline, prefix)
        return {**kwargs, "form_kwargs": {"label_suffix": ""}}

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only what the list's own filters ask: any other lookup would tell of hidden columns.

        Django lets an address filter by every field of the model, so that somebody could find a
        deadline or extra time by halving.
        """
        values = value if isinstance(value, list) else [value]
        if not all(can_be_looked_up(str(item)) for item in values):
            return False
        declared = self.get_list_filter(request) if request else self.list_filter
        return lookup in {name for item in declared for name in _parameters(item)}

    def _list_title(self) -> str:
        name = str(self.opts.verbose_name_plural)
        return name[:1].upper() + name[1:]

    def formfield_for_dbfield(
        self, db_field: models.Field[Any, Any], request: HttpRequest | None, **kwargs: Any
    ) -> Any:
        """Foreign keys are chosen here, not made or edited in pop-up windows; no choice is said in a word."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[arg-type]
        say_no_choice(field)
        for name in ("add", "change", "delete", "view"):
            if field is not None and hasattr(field.widget, f"can_{name}_related"):
                setattr(field.widget, f"can_{name}_related", False)
        return field
