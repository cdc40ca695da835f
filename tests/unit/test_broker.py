"""The broker of files: a worker never meets half a message, and an unreadable one does not end it."""

from __future__ import annotations

import threading
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from wopsite.broker import Channel
from wopsite.celery import app

QUEUE = "celery"


@pytest.fixture
def channel(tmp_path: Path) -> Channel:
    return _channel(tmp_path)


def _channel(folder: Path) -> Channel:
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "control_folder": str(folder / "control")}
    found = Connection("filesystem://localhost", transport_options=options).channel()
    assert isinstance(found, Channel)
    return found


def test_every_process_of_ours_uses_it() -> None:
    with app.connection_for_write("filesystem://localhost") as connection:
        assert isinstance(connection.channel(), Channel)


def test_a_message_arrives_as_it_was_sent(channel: Channel, tmp_path: Path) -> None:
    channel._put(QUEUE, {"body": "grüße"})
    assert channel._get(QUEUE) == {"body": "grüße"}
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []


def test_a_message_that_is_being_written_is_not_seen(channel: Channel, tmp_path: Path) -> None:
    (tmp_path / f"1_a.{QUEUE}.msg.draft").write_text("", "utf-8")
    assert channel._size(QUEUE) == 0
    with pytest.raises(Empty):
        channel._get(QUEUE)


def test_a_message_that_cannot_be_read_is_left_out_and_the_next_one_comes(channel: Channel, tmp_path: Path) -> None:
    (tmp_path / f"1_a.{QUEUE}.msg").write_text("", "utf-8")
    (tmp_path / f"2_b.{QUEUE}.msg").write_text('{"body"', "utf-8")
    (tmp_path / f"3_c.{QUEUE}.msg").write_text('{"body": 1}', "utf-8")
    assert channel._get(QUEUE) == {"body": 1}
    with pytest.raises(Empty):
        channel._get(QUEUE)


def test_a_reader_beside_a_writer_gets_every_message_whole(tmp_path: Path) -> None:
    sent = 300
    writer, reader = _channel(tmp_path), _channel(tmp_path)

    def write() -> None:
        for _ in range(sent):
            writer._put(QUEUE, {"body": "x" * 50_000})

    thread = threading.Thread(target=write)
    thread.start()
    received = 0
    while received < sent:
        try:
            assert len(reader._get(QUEUE)["body"]) == 50_000
            received += 1
        except Empty:
            assert thread.is_alive() or reader._size(QUEUE)
    thread.join()
