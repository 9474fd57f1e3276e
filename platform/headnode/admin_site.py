"""Django's admin as the staff's workplace."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class HeadnodeAdminConfig(AdminConfig):
    default_site = "headnode.staff_site.StaffSite"
