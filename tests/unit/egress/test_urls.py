"""URLs of receivers, kind and hostile (wire contract §19; cases 19 and 89)."""

from __future__ import annotations

import pytest

from interrupts.services.egress import Door, EgressRefused
from interrupts.services.egress.rules import Allowance
from interrupts.services.egress.targets import read_target

TABLE = {
    "hooks.example.com": ["93.184.216.34"],
    "both.example.com": ["93.184.216.34", "2606:2800:220:1::1"],
    "private.example.com": ["10.1.2.3"],
    "mixed.example.com": ["93.184.216.34", "127.0.0.1"],
    "mixed6.example.com": ["2606:2800:220:1::1", "::ffff:169.254.169.254"],
    "zone.example.com": ["fe80::1%eth0"],
    "hooks.corp.internal": ["10.1.2.3"],
    "localhost": ["127.0.0.1", "::1"],
}


def resolve(name: str, port: int) -> list[str]:
    """A resolver that knows the table and, of numbers, what a real one knows."""
    try:
        return TABLE[name]
    except KeyError:
        raise OSError("no such name") from None


def door(*rules: tuple[str, int]) -> Door:
    return Door(allowance=Allowance.of(rules), resolve=resolve)


def reason(url: str, *rules: tuple[str, int]) -> str:
    with pytest.raises(EgressRefused) as refused:
        door(*rules).check(url)
    return refused.value.reason


NOT_HTTPS = [
    "http://hooks.example.com/",
    "http://webhook-egress-probe.example.com/hook",
    "ftp://hooks.example.com/",
    "file:///etc/passwd",
    "gopher://hooks.example.com/",
    "javascript:alert(1)",
    "data:,x",
    "hooks.example.com/",
    "//hooks.example.com/",
    "https:hooks.example.com",
    "https:/hooks.example.com",
    "://hooks.example.com",
    "",
]
NOT_READABLE = [
    "https://hooks.example.com/a b",
    " https://hooks.example.com/",
    "https://hooks.example.com/\n",
    "https://hooks.exa\tmple.com/",
    "https://hooks.example.com\\@127.0.0.1/",
    "https:\\\\127.0.0.1/",
    "https://ﾊooks.example.com/",
    "https://\uff11\uff12\uff17.\uff10.\uff10.\uff11/",
    "https://127。0。0。1/",
    "https://lⓞcalhost/",
    "https://hooks.example.com/é",
    "https://hooks.example.com/\x00",
    "https://" + "a" * 2048 + ".com/",
]
USERINFO = [
    "https://user@hooks.example.com/",
    "https://user:secret@hooks.example.com/",
    "https://hooks.example.com@127.0.0.1/",
    "https://@hooks.example.com/",
    "https://hooks.example.com:443@127.0.0.1:443/",
]
NO_HOST = [
    "https://",
    "https:///path",
    "https://?q",
    "https://#f",
    "https://:443/",
    "https://hooks..example.com/",
    "https://hooks.example.com../",
    "https://.example.com/",
    "https://-a.example.com/",
    "https://a-.example.com/",
    "https://%31%32%37.0.0.1/",
    "https://hooks.example.com%00.evil.com/",
    "https://[::1/",
    "https://::1/",
    "https://[::g]/",
    "https://[127.0.0.1]/",
    "https://[]/",
    "https://256.256.256.256/",
    "https://1.2.3.4.5/",
    "https://0x/",
    "https://127.0.0.08/",
    "https://4294967296/",
    "https://hooks.example.com:/",
    "https://hooks.example.com:port/",
    "https://hooks.example.com:443:443/",
    "https://hooks.example.com:-1/",
    "https://" + ".".join(["a" * 60] * 5) + "/",
    "https://" + "a" * 64 + ".com/",
    "https://1.2.3.4.example.0x7f/",
]
NOT_PUBLIC = [
    "https://127.0.0.1/openwop-callback-probe",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::ffff:7f00:1]/openwop-callback-probe",
    "https://[::1]/",
    "https://10.255.255.1/",
    "https://192.168.255.1/",
    "https://[fd00::1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[::ffff:a00:1]/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0X7F.1/",
    "https://0x7f.0.0.0x1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://0177.0x0.0.1/",
    "https://127.0.0.1./",
    "https://2130706433./",
    "https://0/",
    "https://0.0.0.0/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[0:0:0:0:0:ffff:7f00:0001]/",
    "https://[0000:0000:0000:0000:0000:FFFF:127.0.0.1]/",
    "https://[::127.0.0.1]/",
    "https://[::7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[64:ff9b:1::a00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2002:a00:1::1]/",
    "https://[::ffff:0:127.0.0.1]/",
    "https://[fe80::1]/",
    "https://[fd00:ec2::254]/latest/meta-data/",
    "https://100.100.100.200/",
    "https://168.63.129.16/",
    "https://192.0.0.192/",
    "https://255.255.255.255/",
    "https://224.0.0.1/",
    "https://private.example.com/",
    "https://PRIVATE.example.com./",
    "https://mixed.example.com/",
    "https://mixed6.example.com/",
    "https://zone.example.com/",
]
ZONES = ["https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/", "https://[2606:2800:220:1::1%251]/"]
LOCAL_NAMES = [
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://foo.localhost/",
    "https://foo.localhost./",
    "https://localhost.localdomain/",
    "https://printer.local/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://metadata.google.internal./",
    "https://hooks.corp.internal/",
    "https://router.home.arpa/",
    "https://metadata/",
    "https://redis/",
    "https://instance-data/",
    "https://internal/",
]
WRONG_PORT = [
    "https://hooks.example.com:80/",
    "https://hooks.example.com:8443/",
    "https://hooks.example.com:22/",
    "https://93.184.216.34:6379/",
    "https://never.example.com:25/",
]
GOOD = [
    "https://hooks.example.com",
    "https://hooks.example.com/",
    "HTTPS://HOOKS.EXAMPLE.COM/path?q=1#fragment",
    "https://hooks.example.com:443/",
    "https://hooks.example.com:0443/",
    "https://hooks.example.com./",
    "https://both.example.com/?a=b@c",
    "https://93.184.216.34/",
    "https://134744072/",
    "https://[2606:2800:220:1::1]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[64:ff9b::8.8.8.8]/",
    "https://[2002:808:808::1]/",
    "https://xn--bcher-kva.example.com/",
    "https://not-there-yet.example.com/",
    "https://localhost.example.com/",
]


@pytest.mark.parametrize("url", NOT_HTTPS)
def test_only_https_goes_out(url: str) -> None:
    assert reason(url) in {
        "The URL must start with https://.",
        "A URL here is at most 2048 plain characters, with everything else escaped.",
    }


@pytest.mark.parametrize("url", NOT_READABLE)
def test_a_url_that_readers_could_read_differently_is_refused(url: str) -> None:
    assert reason(url) == "A URL here is at most 2048 plain characters, with everything else escaped."


@pytest.mark.parametrize("url", USERINFO)
def test_a_url_with_a_user_in_it_is_refused(url: str) -> None:
    assert reason(url) == "The URL must not carry a user name or password."


@pytest.mark.parametrize("url", NO_HOST)
def test_a_url_without_a_host_that_can_be_called_is_refused(url: str) -> None:
    assert reason(url).startswith("The URL has no ")


@pytest.mark.parametrize("url", ["https://hooks.example.com:0/", "https://hooks.example.com:65536/"])
def test_a_port_that_cannot_be_is_refused(url: str) -> None:
    assert reason(url) == "The URL has no port that can be called."


@pytest.mark.parametrize("url", NOT_PUBLIC)
def test_a_host_off_the_public_internet_is_refused_in_any_spelling(url: str) -> None:
    assert reason(url) == "This host is not on the public internet."


@pytest.mark.parametrize("url", ZONES)
def test_an_address_with_a_zone_is_refused(url: str) -> None:
    assert reason(url) == "An address with a zone is of a local link."


@pytest.mark.parametrize("url", LOCAL_NAMES)
def test_a_name_of_a_local_network_is_refused_whatever_it_resolves_to(url: str) -> None:
    assert reason(url) == "This host name is of a local network."


@pytest.mark.parametrize("url", WRONG_PORT)
def test_only_port_443_may_be_called(url: str) -> None:
    assert reason(url) == "Only port 443 may be called."


@pytest.mark.parametrize("url", GOOD)
def test_a_public_receiver_is_let_through(url: str) -> None:
    door().check(url)


@pytest.mark.parametrize(
    ("url", "host", "authority", "path"),
    [
        ("https://Hooks.Example.com./a?b#c", "hooks.example.com", "hooks.example.com", "/a?b"),
        ("https://hooks.example.com:8443?b", "hooks.example.com", "hooks.example.com:8443", "/?b"),
        ("https://134744072/", "8.8.8.8", "8.8.8.8", "/"),
        ("https://[2606:2800:0220:1:0::1]:8443/", "2606:2800:220:1::1", "[2606:2800:220:1::1]:8443", "/"),
    ],
)
def test_the_host_is_called_by_its_plainest_spelling(url: str, host: str, authority: str, path: str) -> None:
    target = read_target(url)
    assert (target.host, target.authority, target.path) == (host, authority, path)


# --- What the operator allows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "rules"),
    [
        ("https://10.1.2.3/", [("10.1.0.0/16", 443)]),
        ("https://10.1.2.3:8443/", [("10.1.0.0/16", 8443)]),
        ("https://private.example.com:8443/", [("10.1.2.3/32", 8443)]),
        ("https://hooks.corp.internal:8443/", [("hooks.corp.internal", 8443), ("10.0.0.0/8", 8443)]),
        ("https://localhost:9443/", [("localhost", 9443), ("127.0.0.0/8", 9443), ("::1/128", 9443)]),
        ("https://hooks.example.com:8443/", [("hooks.example.com", 8443)]),
        ("https://[::ffff:10.1.2.3]/", [("10.1.0.0/16", 443)]),
        ("https://[fd00::1]/", [("fd00::/8", 443)]),
    ],
)
def test_what_the_operator_names_is_let_through(url: str, rules: list[tuple[str, int]]) -> None:
    door(*rules).check(url)


@pytest.mark.parametrize(
    ("url", "rules", "expected"),
    [
        ("https://10.2.0.1/", [("10.1.0.0/16", 443)], "This host is not on the public internet."),
        ("https://10.1.2.3:8443/", [("10.1.0.0/16", 443)], "This host is not on the public internet."),
        ("https://private.example.com/", [("private.example.com", 443)], "This host is not on the public internet."),
        ("https://hooks.corp.internal/", [("10.0.0.0/8", 443)], "This host name is of a local network."),
        ("https://hooks.corp.internal/", [("corp.internal", 443)], "This host name is of a local network."),
        ("https://hooks.example.com:8443/", [("other.example.com", 8443)], "Only port 443 may be called."),
        ("https://hooks.example.com:8443/", [("10.0.0.0/8", 8443)], "Only port 443 may be called."),
        ("https://mixed.example.com/", [("10.0.0.0/8", 443)], "This host is not on the public internet."),
        ("https://user@10.1.2.3/", [("10.0.0.0/8", 443)], "The URL must not carry a user name or password."),
        ("http://10.1.2.3/", [("10.0.0.0/8", 443)], "The URL must start with https://."),
    ],
)
def test_nothing_beside_what_the_operator_names_is_let_through(
    url: str, rules: list[tuple[str, int]], expected: str
) -> None:
    assert reason(url, *rules) == expected
