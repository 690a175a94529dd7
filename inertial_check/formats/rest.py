"""Digest of a document without its inertial numbers, to show that a fix changed nothing else."""

from __future__ import annotations

from collections.abc import Iterable

from inertial_check.model.body import Body


def digest_rest(data: bytes, bodies: Iterable[Body]) -> str:
    """Digest a document without the masses, centres of mass and inertias of its bodies.

    Args:
        data: The document in which the spans of these numbers lie.
        bodies: The bodies read from it.
    """
    from hashlib import sha256

    inertials = (body.inertial for body in bodies if body.inertial is not None)
    numbers = ((one.mass, *one.p_BoBcm_B, *one.I_BBcm_Bi.values()) for one in inertials)
    spans = {number.span for ten in numbers for number in ten if number and number.span}
    digest, at = sha256(), 0
    for span in sorted(spans):
        digest.update(data[at : span.start])
        at = span.end
    digest.update(data[at:])
    return digest.hexdigest()
