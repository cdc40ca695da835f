"""The lock on the data directory, and where it says that the site is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from wopsite.claim import Claim, Claimed, served_at

ORIGIN = "http://[::1]:8765"


def test_the_address_of_a_server_is_known_while_it_runs(tmp_path: Path) -> None:
    assert served_at(tmp_path) == ""
    with Claim(tmp_path) as claim:
        assert (claim.left_behind, served_at(tmp_path)) == (False, "")
        claim.write(ORIGIN)
        assert served_at(tmp_path) == ORIGIN
        claim.clear()
    assert served_at(tmp_path) == ""


def test_the_address_that_a_killed_server_left_behind_is_not_believed(tmp_path: Path) -> None:
    with Claim(tmp_path) as claim:
        claim.write(ORIGIN)
    assert served_at(tmp_path) == ""
    with Claim(tmp_path) as claim:
        assert claim.left_behind


def test_a_second_server_is_told_who_runs_there(tmp_path: Path) -> None:
    with Claim(tmp_path) as claim:
        claim.write(ORIGIN)
        with pytest.raises(Claimed, match=r"^process \d+, http://\[::1\]:8765$"):
            Claim(tmp_path)
