"""Addresses are told from paths, and what reports show of them holds no credentials."""

import pytest

from inertial_check.errors import UsageError
from inertial_check.running.remote.addresses import hide_secrets, parse_address


@pytest.mark.parametrize(
    ("text", "kind", "member", "shown"),
    [
        ("https://u:p@h:8/a/arm.urdf?sig=1#f", None, "", "https://h:8/a/arm.urdf"),
        ("https://h/a.tar.gz?token=t", "tar", "", "https://h/a.tar.gz"),
        ("zip://a/b.urdf::s3://bucket/x.zip", "zip", "a/b.urdf", "s3://bucket/x.zip"),
        ("tar://::local", "tar", "", "local"),
        ("gs://bucket/folder/", None, "", "gs://bucket/folder/"),
    ],
)
def test_addresses(text, kind, member, shown):
    address = parse_address(text)
    assert (address.kind, address.member, address.shown) == (kind, member, shown)


@pytest.mark.parametrize(
    "text",
    ["arm.urdf", "a/b c.urdf", "nothing.zip", "C:\\arm.urdf", "a::b", "simplecache::s3://b/x"],
)
def test_paths_are_no_addresses(text):
    assert parse_address(text) is None


@pytest.mark.parametrize("text", ["ftp://h/x", "zip://x", "https:///x"])
def test_other_addresses_are_refused(text):
    with pytest.raises(UsageError):
        parse_address(text)


def test_secrets_are_hidden():
    shown = hide_secrets("zip://m::https://user:secret@host/a.zip?X-Signature=secret#secret")
    assert shown == "zip://m::https://host/a.zip"
