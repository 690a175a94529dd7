"""USD: text, binary and zipped layers; read by usd-core, in a process of its own.

This module knows a USD document from others. `_usd_bodies` reads it and `_usd_overlay` writes over
it; they are imported when first needed, so that reading other formats does not wait for them.
"""

from __future__ import annotations

from collections.abc import Mapping

from inertial_check.formats.context import Context, Head
from inertial_check.model.body import Model
from inertial_check.model.source import Source

NAME = "usd"
SUFFIXES: tuple[str, ...] = (".usd", ".usda", ".usdc", ".usdz")

TEXT = b"#usda "
BINARY = b"PXR-USDC"
ZIP = b"PK\x03\x04"
_NAME_LENGTH, _FIRST_NAME = slice(26, 28), 30


def matches(head: Head) -> bool:
    """Whether a document that begins so is a USD layer: text, crate, or a zip of layers."""
    if head.data.startswith(ZIP):
        length = int.from_bytes(head.data[_NAME_LENGTH], "little")
        first = head.data[_FIRST_NAME : _FIRST_NAME + length].decode("utf-8", "replace")
        return first.lower().endswith(SUFFIXES)
    return head.data.startswith((TEXT, BINARY))


def missing() -> str | None:
    """What has to be installed before a document can be read; None where nothing has to be."""
    from importlib.util import find_spec

    if find_spec("pxr") is not None:
        return None
    return 'USD is read by usd-core: pip install "inertial-check[usd]"'


def read(source: Source, context: Context | None = None) -> Model:
    """Compose the stage of a layer and read its bodies.

    Args:
        source: Path and bytes of the root layer.
        context: Holds bytes in place of layers on the disk.

    Raises:
        DocumentError: The layer cannot be read.
        MissingExtraError: usd-core is not installed.
    """
    from inertial_check.errors import MissingExtraError
    from inertial_check.formats.usd.bodies import read_stage

    if (reason := missing()) is not None:
        raise MissingExtraError(source.path, reason)
    return read_stage(source, context or Context())


def overlay(model: Model, texts: Mapping[str, Mapping[str, str]], path: str) -> bytes:
    """A text layer over a document, with other mass properties for some of its bodies.

    Args:
        model: The document, which lies on the disk and stays as it is.
        texts: By the id of each body to change, the numbers by their names: mass; x, y, z; ixx,
            iyy, izz; qw, qx, qy, qz; of each property all or none.
        path: Where the layer will be written; it refers to the document from there.

    Raises:
        UsageError: The path is not that of a text layer, or no layer reaches a body.
    """
    from inertial_check.formats.usd.overlay import write_layer

    return write_layer(model, texts, path)
