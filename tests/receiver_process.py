"""A receiver that somebody else might run: a process of its own, with the published client and none of our code.

``python receiver_process.py CERTIFICATE SECRET MODE`` prints its port, then a JSON line for each request, with what the
client's ``verify_webhook_signature`` says of it. MODE is ``take``, or ``hang`` to answer nothing.
"""

from __future__ import annotations

import json
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from openwop_client import read_webhook_headers, verify_webhook_signature

CERTIFICATE, SECRET, MODE = sys.argv[1:4]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signed = read_webhook_headers(dict(self.headers.items()))
        verdict = signed and verify_webhook_signature(
            SECRET, signed.signature, signed.timestamp, body, algorithm_header=signed.algorithm
        )
        seen = {
            "path": self.path,
            "valid": bool(verdict and verdict.valid),
            "headers": dict(self.headers.items()),
            "body": json.loads(body),
        }
        sys.stdout.write(json.dumps(seen) + "\n")
        sys.stdout.flush()
        if MODE == "hang":
            time.sleep(60)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Standard error stays empty."""


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
