"""How long it takes to foretell what all engines do with the bodies of a model.

python benchmarks/engine_predictions.py
"""

from timeit import repeat

import inertial_check as ic
from inertial_check.checking.engines.catalogue import predict
from inertial_check.documents.model import judge

KINDS = {"sound": (0.1, 1.5), "small": (1e-6, 1.5), "refused": (0.1, 4.0)}


def document(count: int, moment: float, ratio: float) -> bytes:
    """A chain of links, the largest moment `ratio` times the others."""
    parts = []
    for i in range(count):
        entries = f'ixx="{moment}" ixy="0" ixz="{moment / 10}" iyy="{moment}" iyz="0"'
        inertia = f'<inertia {entries} izz="{moment * ratio}"/>'
        parts.append(f'<link name="l{i}"><inertial><mass value="1"/>{inertia}</inertial></link>')
        if i:
            ends = f'<parent link="l{i - 1}"/><child link="l{i}"/>'
            parts.append(f'<joint name="j{i}" type="revolute">{ends}</joint>')
    return f'<robot name="r">{"".join(parts)}</robot>'.encode()


def main() -> None:
    for kind, numbers in KINDS.items():
        for count in (1, 10, 100):
            model = ic.load(document(count, *numbers))
            judgements = judge(model)
            seconds = min(repeat(lambda m=model, j=judgements: predict(m, j), number=20)) / 20
            print(f"{count:4} {kind:8} bodies {seconds * 1e6:8.0f} us")


if __name__ == "__main__":
    main()
