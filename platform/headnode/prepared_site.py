"""What has to be in the database before a site can serve: tables, library, roles, a first administrator.

Each step looks first and does nothing where there is nothing to do, so that it can be repeated at every start,
and by several hosts at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.validators import validate_email
from django.db import connection, transaction
from django.db.models import Q

from accounts.models import User
from accounts.roles import ADMINISTRATOR, sync_roles
from headnode.health import unapplied
from library.bank import load_questions
from library.packs import load_packs

SITE_LOCK = 7_243_119_022
"""A number of our own among PostgreSQL's advisory locks."""


class CannotAdd(Exception):
    """Why no administrator was made; one sentence that says what to change."""


@contextmanager
def alone() -> Iterator[None]:
    """One host after another, where several prepare one database at the same time."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [SITE_LOCK])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [SITE_LOCK])


def migrate() -> int:
    """Bring the tables up to date, and the roles with them; how many migrations were new."""
    new = len(unapplied())
    call_command("migrate", interactive=False, verbosity=0)
    return new


def bring_roles() -> int:
    """Make the groups say what the table of roles says; how many members of staff have one."""
    with transaction.atomic():
        sync_roles()
    return User.objects.filter(groups__isnull=False).distinct().count()


def bring_library(now: datetime) -> tuple[int, int]:
    """Load packs, rubrics and questions; (packs, questions that are new or changed)."""
    return len(load_packs(now=now)), load_questions(now=now)


def administrators() -> list[User]:
    """Who can run the site: accounts in use that hold the role, or hold everything."""
    role = Q(groups__name=ADMINISTRATOR) | Q(is_superuser=True)
    return list(User.objects.filter(role, is_active=True, is_staff=True).distinct())


def add_administrator(*, name: str, email: str, password: str) -> User:
    """The first account. Raises CannotAdd where name, address or password will not do."""
    user = User(username=name.strip(), email=email.strip(), is_staff=True)
    try:
        validate_email(user.email)
        user.full_clean(exclude=["password"])
        validate_password(password, user)
    except ValidationError as error:
        raise CannotAdd(" ".join(error.messages)) from error
    user.set_password(password)
    with transaction.atomic():
        user.save()
        user.groups.add(Group.objects.get(name=ADMINISTRATOR))
    return user
