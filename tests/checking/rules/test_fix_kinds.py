"""The kinds of fixes of findings on tensors: found for all bodies of a model in one call."""

from inertial_check.checking.rules.base import find_fix_kinds
from inertial_check.documents.load import load
from inertial_check.documents.model import judge

TENSORS = {
    "near": ("0.01", "0.01", "0.0201"),
    "far": ("0.01", "0.01", "0.09"),
    "negative": ("-0.01", "-0.02", "-0.03"),
    "zero": ("0", "0", "0"),
    "crumb": ("1e-30", "1e-30", "9e-30"),
    "huge": ("1e300", "1e300", "9e300"),
    "small": ("1e-9", "1e-9", "2.01e-9"),
}
"""Diagonals of tensors, each of another kind, size or verdict."""


def test_a_body_has_the_same_kind_among_others_and_alone():
    """A kind that another body of the model gets would have `fix` change it unasked, or not."""
    links = "".join(
        f"""<link name="{name}"><inertial><mass value="1"/>
        <inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/></inertial></link>"""
        for name, (x, y, z) in TENSORS.items()
    )
    model = load(f'<robot name="r">{links}</robot>'.encode())
    judgements = judge(model)
    alone = [
        find_fix_kinds([body], [judgement])[0]
        for body, judgement in zip(model.bodies, judgements, strict=True)
    ]
    for order in (slice(None), slice(None, None, -1)):
        assert find_fix_kinds(model.bodies[order], judgements[order]) == alone[order]
    by_name = dict(zip(TENSORS, alone, strict=True))
    assert (by_name["near"], by_name["small"]) == ("safe", "safe")
    assert (by_name["far"], by_name["huge"]) == ("unsafe", "unsafe")
    assert (by_name["zero"], by_name["crumb"]) == (None, None)
