"""gunicorn's configuration: threads, because a request mostly waits (for the database, or for news of a run)."""

from __future__ import annotations

from django.conf import settings

_host = settings.WOP_BIND
bind = f"[{_host}]:{settings.WOP_PORT}" if ":" in _host else f"{_host}:{settings.WOP_PORT}"
# Loaded once and forked: no connection is open by then, and the processes share what they have in common.
preload_app = True
workers = settings.WOP_WEB_WORKERS
worker_class = "gthread"
threads = settings.WOP_WEB_THREADS
keepalive = 15
timeout = 60
graceful_timeout = 10
proc_name = "wopsite"
control_socket_disable = True
logconfig_dict = settings.LOGGING
access_log_format = 'peer=%(h)s request="%(r)s" status=%(s)s bytes=%(B)s ms=%(M)s'
