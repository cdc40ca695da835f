"""A receiver that takes everything at once: ``python -m bench.receiver PORT CERTIFICATE``."""

from __future__ import annotations

import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """A line a request would be measured too."""


class Server(ThreadingHTTPServer):
    """Shakes hands in the thread of each request, so that nobody waits for another's."""

    request_queue_size = 256

    def __init__(self, port: int, certificate: str) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificate)

    def finish_request(self, request: Any, client_address: Any) -> None:
        with self._tls.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)


if __name__ == "__main__":
    Server(int(sys.argv[1]), sys.argv[2]).serve_forever()
