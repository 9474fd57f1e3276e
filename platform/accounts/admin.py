"""Staff and their roles in the admin."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group
from django.db.models import DateTimeField
from django.forms import CheckboxSelectMultiple, DateTimeInput
from django.forms import DateTimeField as MomentField
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.leaving import end_sessions
from accounts.models import User
from accounts.moments import moment
from accounts.role_words import grants_in_words
from accounts.roles import IN_WORDS, ROLES
from accounts.row_numbers import RowsField
from accounts.staff_admin import StaffAdmin, viewer
from accounts.staff_forms import NewStaffForm, StaffForm
from accounts.trail import roles_changed

admin.site.unregister(Group)
admin.site.unregister([TOTPDevice, StaticDevice])  # keys are for nobody to read


FIELD_WORDS = {
    "username": ("User name", "What they sign in with: letters, digits and @ . + - _"),
    "email": ("E-mail", "Messages about their work go there."),
    "is_active": (
        "Active",
        "Who leaves is made inactive: they cannot sign in, what they did stays.",
    ),
    "is_staff": ("May sign in here", "Everybody who works with candidates or settings needs it."),
}


class RoleFilter(admin.SimpleListFilter):
    title = "role"
    parameter_name = "role"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in ROLES]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(groups__name=self.value()) if self.value() in ROLES else queryset


class AccountFilter(admin.SimpleListFilter):
    title = "account"
    parameter_name = "account"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("active", "Active"), ("inactive", "Inactive")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() in ("active", "inactive"):
            return queryset.filter(is_active=self.value() == "active")
        return queryset


@admin.register(User)
class StaffMemberAdmin(StaffAdmin, UserAdmin):
    """Accounts: a role decides what somebody may do, so single permissions are not offered here."""

    intro = "Who may sign in, and in which role. Somebody who leaves is made inactive, not deleted."
    list_display = ["name", "user_name", "address", "role_names", "account", "ends", "last_seen"]
    list_filter = [RoleFilter, AccountFilter]
    search_fields = ["username", "first_name", "last_name", "email"]
    filter_horizontal = ()
    form, add_form = StaffForm, NewStaffForm
    formfield_overrides = {
        DateTimeField: {
            "form_class": MomentField,
            "widget": DateTimeInput(
                attrs={"type": "datetime-local", "step": "60"}, format="%Y-%m-%dT%H:%M"
            ),
        }
    }
    readonly_fields = ["last_seen", "joined"]
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Access", {"fields": ("is_active", "is_staff", "groups", "access_ends_at")}),
        ("Dates", {"fields": ("last_seen", "joined")}),
    )
    add_fieldsets = (
        (None, {"fields": ("username", "first_name", "last_name", "email")}),
        ("Password", {"fields": ("usable_password", "password1", "password2")}),
        ("Access", {"fields": ("is_staff", "groups", "access_ends_at")}),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="name", ordering="last_name")
    def name(self, user: User) -> str:
        return str(user)

    @admin.display(description="roles")
    def role_names(self, user: User) -> str:
        names = sorted(group.name for group in user.groups.all())
        if user.is_superuser:
            names.insert(0, "Owner")
        return ", ".join(names) or "none: may only sign in"

    @admin.display(description="user name", ordering="username")
    def user_name(self, user: User) -> str:
        return user.username

    @admin.display(description="e-mail", ordering="email")
    def address(self, user: User) -> str:
        return user.email or "–"

    @admin.display(description="account", ordering="is_active")
    def account(self, user: User) -> str:
        tone, said = ("good", "Active") if user.is_active else ("", "Inactive")
        return format_html('<span class="tag {}">{}</span>', tone, said)

    @admin.display(description="last signed in", ordering="last_login")
    def last_seen(self, user: User) -> str:
        return moment(user.last_login, "never")

    @admin.display(description="added")
    def joined(self, user: User) -> str:
        return moment(user.date_joined)

    @admin.display(description="access ends", ordering="access_ends_at")
    def ends(self, user: User) -> str:
        return moment(user.access_ends_at)

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name in FIELD_WORDS:
            field.label, field.help_text = FIELD_WORDS[db_field.name]
        return field

    def formfield_for_manytomany(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "groups":
            kwargs |= {
                "form_class": RowsField,
                "label": "Roles",
                "widget": CheckboxSelectMultiple,
                "help_text": "What they may see and do. Two roles add up.",
            }
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and not obj.is_active:
            end_sessions(obj, timezone.now())

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Say on the trail which roles came and went, not only that some did."""
        before = set(form.instance.groups.values_list("name", flat=True))
        super().save_related(request, form, formsets, change)
        after = set(form.instance.groups.values_list("name", flat=True))
        roles_changed(viewer(request), form.instance, before, after)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"is_staff": True}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """People who scored or decided stay on record: an account is made inactive."""
        return False


@admin.register(Group)
class RoleAdmin(StaffAdmin, GroupAdmin):
    """Roles are one table in accounts.roles; here they can be read."""

    counted_as = "roles"
    intro = "What each role may do. The table belongs to the product and is the same everywhere."
    list_display = ["name", "people"]
    fields = ["in_words", "people", "grants"]
    readonly_fields = ["in_words", "people", "grants"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("user_set")

    @admin.display(description="people")
    def people(self, group: Group) -> str:
        return ", ".join(str(user) for user in group.user_set.all()) or "nobody"

    @admin.display(description="may")
    def grants(self, group: Group) -> str:
        """One area on each line."""
        lines = format_html_join("", "<li>{}: {}</li>", grants_in_words(group.name))
        return format_html("<ul>{}</ul>", lines)

    @admin.display(description="what it is for")
    def in_words(self, group: Group) -> str:
        return IN_WORDS.get(group.name, "")

    def _list_title(self) -> str:
        return "Roles"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class WhoFilter(admin.RelatedFieldListFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "who"


@admin.register(LogEntry)
class AuditTrailAdmin(StaffAdmin):
    """Every staff action, newest first. Nothing here can be changed."""

    intro = "Everything that staff did, newest first. Entries cannot be changed or removed."
    counted_as = "entries"
    list_display = ["when", "who", "subject", "about", "what"]
    list_display_links = None
    list_filter = [("user", WhoFilter)]
    search_fields = ["object_repr", "change_message", "user__username"]
    list_select_related = ["user", "content_type"]

    def _list_title(self) -> str:
        return "Audit trail"

    @admin.display(description="who", ordering="user__username")
    def who(self, entry: LogEntry) -> str:
        return str(entry.user)

    @admin.display(description="when", ordering="action_time")
    def when(self, entry: LogEntry) -> str:
        return moment(entry.action_time)

    @admin.display(description="which", ordering="object_repr")
    def about(self, entry: LogEntry) -> str:
        return entry.object_repr

    @admin.display(description="subject", ordering="content_type")
    def subject(self, entry: LogEntry) -> str:
        kind = entry.content_type
        return str(kind.name).capitalize() if kind else "removed"

    @admin.display(description="what happened")
    def what(self, entry: LogEntry) -> str:
        return entry.get_change_message() or entry.get_action_flag_display()

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("admin.view_logentry")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
