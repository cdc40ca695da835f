"""The operator's pages below ``/admin/``: who may speak, which workflows there are, and, read-only, what happened."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from interrupts.admin import deliveries, keys, ledger, people, runs, suspensions, tenants, workflows

__all__ = ["deliveries", "keys", "ledger", "people", "runs", "suspensions", "tenants", "workflows"]

admin.site.site_header = _("wopsite administration")
admin.site.site_title = _("wopsite")
admin.site.index_title = _("Overview")
