"""Logging: one line a record on standard error, and no interrupt token in any of them."""

from __future__ import annotations

import logging
import re
import time
from typing import Any, Final

# A signed link is a right to decide. What follows `/interrupts/` is such a token, plain or percent-encoded (as in a
# `next=` parameter), except below a run, where it is a node id, and in a traceback, where it is a file of ours. (No
# token looks like such a file: the first dot of each is followed by an algorithm or by a MAC.)
_INTERRUPT_PATH: Final = re.compile(
    r"(?P<run>(?:/|%2F)runs(?:/|%2F)[^\s?\"']*?)?(?P<path>(?:/|%2F)interrupts(?:/|%2F))(?P<token>(?![\w/]+\.py[\":])[^\s?&#\"']+)",
    re.IGNORECASE,
)
# What comes back from a provider is a consent and the proof of who asked for it.
_CONNECTED_QUERY: Final = re.compile(r"(?P<path>(?:/|%2F)connected(?:\?|%3F))[^\s\"']+", re.IGNORECASE)
HIDDEN: Final = "[hidden]"


def hide_tokens(line: str) -> str:
    """The line with the token of every `/interrupts/<token>` path replaced, and with what a provider sent back."""
    line = _CONNECTED_QUERY.sub(lambda found: f"{found['path']}{HIDDEN}", line)
    return _INTERRUPT_PATH.sub(lambda found: found[0] if found["run"] else f"{found['path']}{HIDDEN}", line)


class LineFormatter(logging.Formatter):
    """Time (UTC), level, logger and message on one line; a traceback follows on indented lines."""

    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"
    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        # A line break in a value that came from outside must not look like a record of its own.
        first, *others = hide_tokens(super().format(record)).splitlines() or [""]
        return "\n    ".join([first, *others])


def logging_config(level: str) -> dict[str, Any]:
    """The `LOGGING` of every process of ours: web, worker, beat and commands."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": LineFormatter, "format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            "gunicorn.access": {"handlers": [], "level": "INFO", "propagate": True},
            "gunicorn.error": {"handlers": [], "level": level, "propagate": True},
            # Beat says each second that it sends two due tasks; the worker that it received and did them.
            "celery.beat": {"handlers": [], "level": "WARNING", "propagate": True},
            # One transport a request, each of which tells that it starts and ends.
            "mcp": {"handlers": [], "level": "WARNING", "propagate": True},
            # Reminders that expired while the worker was away are told one by one as "revoked".
            "celery.worker.request": {"handlers": [], "level": "WARNING", "propagate": True},
            "celery.worker.strategy": {"handlers": [], "level": "WARNING", "propagate": True},
            "celery.app.trace": {"handlers": [], "level": "WARNING", "propagate": True},
        },
    }
