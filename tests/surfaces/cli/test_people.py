"""``wop tenant``, ``wop user``, ``wop group``."""

from __future__ import annotations

from django.contrib.auth.models import Group, User

from interrupts.models import Membership, Tenant
from tests.surfaces.cli.conftest import Wop


def test_a_new_tenant_is_printed_as_its_id_alone(wop: Wop) -> None:
    ended = wop("tenant", "create", "acme", "--title", "Acme Ltd")
    assert (ended.status, ended.out, ended.err) == (0, "acme\n", "")
    assert Tenant.objects.get().title == "Acme Ltd"


def test_a_tenant_that_exists_is_refused_in_words(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    ended = wop("tenant", "create", "acme")
    assert (ended.status, ended.out, ended.err) == (4, "", "There is already a tenant acme.\n")


def test_a_name_that_can_be_no_tenant_id_is_refused(wop: Wop) -> None:
    for name in ("", "a/b", "a b", "ü", "x" * 129, "acme\n", "~"):
        ended = wop("tenant", "create", name)
        assert (ended.status, ended.out) == (1, "")
        assert ended.err == "A tenant's name is 1 to 128 letters, digits, '.', '_' or '-', for example acme.\n"
    assert not Tenant.objects.exists()


def test_a_title_that_does_not_fit_is_refused(wop: Wop) -> None:
    ended = wop("tenant", "create", "acme", "--title", "x" * 201)
    assert (ended.status, ended.err) == (1, "A tenant's title has at most 200 characters.\n")


def test_characters_that_cannot_be_stored_are_refused_in_one_line(wop: Wop) -> None:
    for text in ("a\x00b", "al\udcffice"):
        for words in (("group", "create", text), ("tenant", "create", "acme", "--title", text)):
            ended = wop(*words)
            assert (ended.status, ended.out) == (1, "")
            assert "holds a character that cannot be stored" in ended.err
            assert len(ended.err.splitlines()) == 1


def test_a_new_person_is_printed_as_their_subject_id(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    wop("group", "create", "finance")
    wop("group", "create", "legal")
    password = b"a long password\n"
    words = ("user", "create", "alice", "--tenant", "acme", "--group", "finance", "legal", "--password-stdin")
    ended = wop(*words, stdin=password)
    assert (ended.status, ended.err) == (0, "")
    assert ended.value == Membership.objects.get().subject_id
    alice = User.objects.get(username="alice")
    assert alice.check_password("a long password")
    assert sorted(group.name for group in alice.groups.all()) == ["finance", "legal"]
    assert not alice.is_staff


def test_a_person_without_a_password_is_said_to_need_keys(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    ended = wop("user", "create", "robot", "--tenant", "acme")
    assert ended.status == 0
    assert ended.err == (
        "robot has no password, so can use keys but not sign in. To set one: manage.py changepassword robot\n"
    )
    assert not User.objects.get().has_usable_password()


def test_a_person_of_another_tenant_keeps_their_password(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    wop("tenant", "create", "globex")
    wop("user", "create", "alice", "--tenant", "acme", "--password-stdin", stdin=b"a long password")
    ended = wop("user", "create", "alice", "--tenant", "globex")
    assert (ended.status, ended.err) == (0, "")
    assert User.objects.get().check_password("a long password")
    assert Membership.objects.count() == 2


def test_a_refused_person_leaves_nothing_behind(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    ended = wop("user", "create", "alice", "--tenant", "acme", "--group", "nobody")
    assert (ended.status, ended.out) == (3, "")
    assert ended.err == "There is no group nobody. Create it first: wop group create nobody\n"
    assert not User.objects.exists()


def test_a_person_needs_a_tenant_that_exists(wop: Wop) -> None:
    ended = wop("user", "create", "alice", "--tenant", "acme")
    assert (ended.status, ended.err) == (3, "There is no tenant acme.\n")


def test_a_name_that_nobody_can_sign_in_with_is_refused(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    for name in ("", "a b", "x" * 151, "a/b"):
        ended = wop("user", "create", name, "--tenant", "acme")
        assert ended.status == 1
        assert ended.err == "A user's name is 1 to 150 letters, digits, '@', '.', '+', '-' or '_'.\n"


def test_a_password_that_is_easy_to_guess_is_refused_in_words(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    ended = wop("user", "create", "alice", "--tenant", "acme", "--password-stdin", stdin=b"alice7\n")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        "The password is too similar to the username. "
        "This password is too short. It must contain at least 8 characters.\n"
    )
    assert not User.objects.exists()


def test_a_missing_password_is_said_before_anything_is_made(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    words = ("user", "create", "alice", "--tenant", "acme", "--password-stdin")
    for stdin, told in (
        (b"", "There is no password on standard input."),
        (b"\n", "There is no password on standard input."),
        (None, "Standard input is closed."),
        (b"\xff\xfe\n", "The password on standard input is not UTF-8."),
    ):
        ended = wop(*words, stdin=stdin)
        assert ended.status == 1
        assert ended.err.startswith(told)
    assert not User.objects.exists()


def test_a_group_is_printed_as_its_name_and_made_once(wop: Wop) -> None:
    assert wop("group", "create", "finance").out == "finance\n"
    ended = wop("group", "create", "finance")
    assert (ended.status, ended.err) == (4, "There is already a group finance.\n")
    assert wop("group", "create", "x" * 151).status == 1
    assert Group.objects.count() == 1


def test_a_person_who_is_in_the_tenant_already_is_a_conflict(wop: Wop) -> None:
    wop("tenant", "create", "acme")
    wop("user", "create", "alice", "--tenant", "acme")
    ended = wop("user", "create", "alice", "--tenant", "acme")
    assert (ended.status, ended.out, ended.err) == (4, "", "alice is already in the tenant acme.\n")
