"""Metadata that depends on where the repository is hosted: addresses, and links of the README.

The address is given to the build by the environment, as the release workflow does, and is in no
file: a fork's packages name the fork. A build without it names no address and leaves the links
relative. A source distribution keeps the addresses that it was built with.
"""

from __future__ import annotations

import os
import re
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = "INERTIAL_CHECK_REPOSITORY"
"""Environment variable: address of the repository, as https://host/owner/name."""

DOCUMENTATION = "INERTIAL_CHECK_DOCUMENTATION"
"""Environment variable: address of the built site of docs/, to which reports link; none without."""

_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~-]+)+")
_RELATIVE = re.compile(r"(?<!!)\[([^\]]*)\]\((?![a-z]+:|#|//)([^)\s]+)\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\((?![a-z]+:|#|//)([^)\s]+)\)")


class AddressHook(MetadataHookInterface):
    """The hook that hatchling runs for the dynamic fields `urls` and `readme`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the addresses and the README of the package."""
        root = Path(self.root)
        readme = (root / "README.md").read_text(encoding="utf-8")
        urls = read_addresses(root)
        if urls:
            readme = make_links_absolute(readme, urls["Repository"], f"v{metadata['version']}")
        metadata["urls"] = urls
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}


def read_addresses(root: Path) -> dict[str, str]:
    """Read the addresses from the environment, or from the PKG-INFO of a source distribution.

    Raises:
        ValueError: An address in the environment is not one of https.
    """
    repository = os.environ.get(REPOSITORY, "").rstrip("/")
    if not repository:
        return _read_kept_addresses(root / "PKG-INFO")
    documentation = os.environ.get(DOCUMENTATION, "").rstrip("/")
    for name, address in ((REPOSITORY, repository), (DOCUMENTATION, documentation)):
        if address and not _ADDRESS.fullmatch(address):
            raise ValueError(f"{name}: {address!r} is no address like https://host/owner/name")
    urls = {"Documentation": documentation} if documentation else {}
    return urls | {
        "Repository": repository,
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def _read_kept_addresses(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    lines = HeaderParser().parsestr(path.read_text(encoding="utf-8")).get_all("Project-URL", [])
    pairs = (line.partition(",")[::2] for line in lines)
    return {label.strip(): address.strip() for label, address in pairs}


def make_links_absolute(readme: str, repository: str, tag: str) -> str:
    """Make relative links and pictures absolute, as a package index needs them."""
    text = _PICTURE.sub(rf"![\1]({repository}/raw/{tag}/\2)", readme)
    return _RELATIVE.sub(rf"[\1]({repository}/blob/{tag}/\2)", text)
