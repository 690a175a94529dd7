"""Names of the joints of a recording, resolved to those of a robot."""

from __future__ import annotations

import re
from collections.abc import Sequence


def resolve_names(names: tuple[str, ...] | None, joints: Sequence[str]) -> tuple[str, ...] | None:
    """Resolve the joints of a recording to those of a robot, where only the spelling differs.

    A name is that of a joint if it is the same, or the only one that is the same without its scope
    (`arm::elbow`), or without regard to case. Names that differ by their numbers alone, such as
    joint_1 to joint_6, count the joints of the robot if none of them is the name of one.
    """
    if names is None:
        return None
    found = tuple(_resolve(name, joints) for name in names)
    if len(set(found)) < len(found):
        return names
    if not any(name in joints for name in found):
        parts = [re.fullmatch(r"(.*?)(\d{1,6})", name, re.DOTALL) for name in names]
        if all(parts) and len({part[1].casefold() for part in parts if part}) == 1:
            return tuple(str(int(part[2])) for part in parts if part)
    return found


def _resolve(name: str, joints: Sequence[str]) -> str:
    if name in joints:
        return name
    for simplify in (_leave_scope, lambda text: _leave_scope(text).casefold()):
        alike = [joint for joint in joints if simplify(joint) == simplify(name)]
        if len(alike) == 1:
            return alike[0]
    return name


def _leave_scope(name: str) -> str:
    return name.rpartition("::")[2].rpartition("/")[2]
