"""What a caller is told when something went wrong that nobody foresaw, on whatever surface."""

from __future__ import annotations

import logging
import secrets

from django.db import InterfaceError, OperationalError

from interrupts.errors import ServiceUnavailable, WopError

logger = logging.getLogger(__name__)


def told(error: Exception, *, asked: str) -> WopError:
    """Return the registered error for any exception. What is not one of ours is logged, with what was ``asked``.

    Nothing of the inside is told but an id under which the log has it all.
    """
    if isinstance(error, WopError):
        return error
    if isinstance(error, OperationalError | InterfaceError):
        # The database is away, or has broken a deadlock or a lock time-out by ending us: asking again may succeed.
        logger.error("database failed asked=%s", asked, exc_info=error)
        return ServiceUnavailable(details={"reason": type(error).__name__})
    correlation_id = secrets.token_hex(8)
    logger.error("unexpected fault correlation=%s asked=%s", correlation_id, asked, exc_info=error)
    return WopError(
        "Something went wrong on this host. Ask its operator, and give them the correlation id.",
        details={"correlationId": correlation_id},
    )
