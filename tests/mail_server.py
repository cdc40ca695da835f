"""A mail server for tests: real SMTP on this machine, which takes everything or answers by a script."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default


@dataclass
class MailServer:
    """What came, in the order in which it was taken in.

    ``answer_to_recipient`` and ``answer_to_mail`` are given as they stand; ``before_answer`` is called once a mail is
    there and before the server says so.
    """

    port: int = 0
    mails: list[bytes] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    answer_to_recipient: str = "250 Fine"
    answer_to_mail: str = "250 Taken"
    before_answer: Callable[[], object] = lambda: None

    def read(self, number: int = -1) -> EmailMessage:
        return message_from_bytes(self.mails[number], policy=default)


class _Conversation(socketserver.StreamRequestHandler):
    mail_server: MailServer

    def handle(self) -> None:
        self._say("220 test.example")
        for line in self.rfile:
            command = line.decode().strip()
            match command[:4].upper():
                case "RCPT":
                    self.mail_server.recipients.append(command.partition("<")[2].partition(">")[0])
                    self._say(self.mail_server.answer_to_recipient)
                case "DATA":
                    self._take_mail()
                case "QUIT":
                    self._say("221 Bye")
                    return
                case _:
                    self._say("250 Fine")

    def _take_mail(self) -> None:
        self._say("354 Go on")
        lines: list[bytes] = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.mail_server.mails.append(b"".join(lines))
        self.mail_server.before_answer()
        self._say(self.mail_server.answer_to_mail)

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Whoever was killed in the middle of a conversation does not come to its end."""


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Listen on this machine until the block ends."""
    state = MailServer()
    handler = type("Conversation", (_Conversation,), {"mail_server": state})
    with _Listener(("127.0.0.1", 0), handler) as listener:
        state.port = listener.server_address[1]
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield state
        finally:
            listener.shutdown()
            thread.join(5)
