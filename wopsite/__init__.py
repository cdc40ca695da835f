"""The site: settings, URLs, Celery and the processes of `make run`. It knows everything, nothing knows it."""

from __future__ import annotations

from wopsite.celery import app as celery_app

__all__ = ["celery_app"]
