"""The operator's pages of gates below ``/admin/``: who may answer, what people answered, who was written to."""

from __future__ import annotations

from approvals.admin import gates, mail

__all__ = ["gates", "mail"]
