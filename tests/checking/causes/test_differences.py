"""Mistakes that are named by the numbers that witnesses have: files beside a model, and twins."""

import json
from dataclasses import replace

import numpy as np
import pytest

from inertial_check.checking.evidence.elsewhere import Elsewhere
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import judge
from inertial_check.inertia.representations import symmetric
from inertial_check.programs.cli.main import main

MASS, CENTER = 1.263, np.array([0.0317, -0.0124, 0.0902])
TENSOR = np.array([0.008012, 0.000713, -0.001214, 0.011031, 0.000417, 0.009154])
"""As ixx ixy ixz iyy iyz izz."""

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SHAPE = '<visual><origin xyz="0.1 0 0"/><geometry><mesh filename="none.stl"/></geometry></visual>'


def link(mass=MASS, center=CENTER, tensor=TENSOR, name="forearm", shape=""):
    numbers = " ".join(f'{n}="{v:.7g}"' for n, v in zip(ENTRIES, tensor, strict=True))
    place = " ".join(f"{x:.7g}" for x in center)
    return f"""  <link name="{name}">
    <inertial>
      <origin xyz="{place}"/>
      <mass value="{mass:.7g}"/>
      <inertia {numbers}/>
    </inertial>{shape}
  </link>
"""


def robot(*links):
    return f'<robot name="arm">\n{"".join(links)}</robot>\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(capsys, name="arm.urdf", code="IC605"):
    main(["check", "--output-format", "json", "--no-cache", "--isolated", name])
    report = json.loads(capsys.readouterr().out)
    return [each for each in report["files"][0]["findings"] if each["code"] == code]


def term():
    outer = np.outer(CENTER, CENTER)
    full = MASS * (CENTER @ CENTER * np.eye(3) - outer)
    return full[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def transpose():
    moments, axes = np.linalg.eigh(symmetric(TENSOR))
    order = np.argmax(np.abs(axes), axis=0)
    axes = axes[:, np.argsort(order)] * np.sign(axes[order, range(3)])[np.argsort(order)]
    full = axes.T @ np.diag(moments[np.argsort(order)]) @ axes
    return full[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


MISTAKES = {
    "double-parallel-axis": TENSOR - 0.3 * term(),
    "about-link-origin": TENSOR + term(),
    "sign-of-products": TENSOR * [1, -1, -1, 1, -1, 1],
    "wrong-frame": transpose(),
    "component-order": TENSOR[[0, 2, 1, 3, 4, 5]],
    "units": TENSOR * 1e4,
    "wrong-formula": TENSOR / 4,
    "unpopulated": TENSOR * [1, 0, 0, 1, 0, 1],
    "wrong-entry": TENSOR + 0.0006 * np.eye(6)[3],
    "rotor-inertia": TENSOR + 0.0051 * np.eye(6)[3],
    "size-mismatch": TENSOR * 1.37,
}


@pytest.mark.parametrize("cause", [each for each in MISTAKES if each != "double-parallel-axis"])
def test_the_mistake_between_a_body_and_two_files_is_named(folder, capsys, cause):
    """The bug: other-text, or nothing, for numbers that some body has."""
    (folder / "arm.urdf").write_text(robot(link(tensor=MISTAKES[cause])))
    (folder / "arm_v2.urdf").write_text(robot(link()))
    (folder / "arm_v3.urdf").write_text(robot(link()))
    (finding,) = check(capsys)
    assert "arm_v2.urdf:2, arm_v3.urdf:2" in finding["message"]
    first = finding["causes"][0]
    assert first["cause"] == cause
    assert "arm_v2.urdf:2 and arm_v3.urdf:2" in first["evidence"]
    written = dict(zip(ENTRIES, MISTAKES[cause], strict=True)) | first["edit"]["entries"]
    np.testing.assert_allclose([written[each] for each in ENTRIES], TENSOR, rtol=1e-6)
    assert not check(capsys, "arm_v2.urdf")


def turned_more():
    turn = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
    full = turn @ symmetric(TENSOR) @ turn.T
    return full[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


@pytest.mark.parametrize(
    ("numbers", "cause", "words"),
    [
        ({"center": CENTER * [1, -1, 1]}, "com-outside", "with other signs"),
        ({"center": CENTER[[1, 0, 2]] * [-1, 1, 1]}, "com-outside", "in turned axes"),
        ({"center": CENTER * 100}, "com-outside", "times 100"),
        ({"tensor": turned_more()}, "wrong-frame", "in other axes"),
    ],
)
def test_the_frame_of_what_differs_is_named(folder, capsys, numbers, cause, words):
    """The bug: other-text, which says where the right numbers are and not what went wrong."""
    other = np.array([0.00143, 0.00011, -0.00009, 0.00127, 0.00018, 0.00093])
    hand = robot(
        link(),
        link(mass=0.417, center=np.array([0.011, 0.023, -0.007]), tensor=other, name="hand"),
        '<joint name="j" type="revolute"><origin xyz="0.02 0.31 -0.11"/><parent link="forearm"/>'
        '<child link="hand"/><limit lower="-1" upper="1" effort="9" velocity="1"/></joint>',
    )
    (folder / "arm.urdf").write_text(hand.replace(link(), link(**numbers)))
    for name in ("arm_v2.urdf", "arm_v3.urdf"):
        (folder / name).write_text(hand)
    (finding,) = check(capsys)
    first = finding["causes"][0]
    assert first["cause"] == cause
    assert words in first["evidence"]


def test_a_centre_in_the_frame_of_a_child_is_that_of_a_file(folder, capsys):
    """The bug: shapes alone cannot tell the frame, as the whole link is as long as they are."""
    box = '<visual><origin xyz="0.03 -0.01 0.09"/><geometry><box size="0.3 0.2 0.25"/>'
    hand = robot(
        link(shape=f"{box}</geometry></visual>"),
        link(mass=0.417, tensor=TENSOR / 7, name="hand"),
        '<joint name="j" type="fixed"><origin xyz="0.02 0.31 -0.11"/><parent link="forearm"/>'
        '<child link="hand"/></joint>',
    )
    place = "0.0317 -0.0124 0.0902"
    (folder / "arm.urdf").write_text(hand.replace(place, "0.0117 -0.3224 0.2002", 1))
    (folder / "arm_v2.urdf").write_text(hand)
    (finding,) = check(capsys, code="IC201")
    first = finding["causes"][0]
    assert first["cause"] == "com-outside"
    assert "in the frame of hand" in first["evidence"]
    assert first["edit"]["entries"] == pytest.approx({"x": 0.0317, "y": -0.0124, "z": 0.0902})


def test_a_mass_beside_the_tensor_of_another(folder, capsys):
    """The bug: what was told was that another text has the body with another mass."""
    (folder / "arm.urdf").write_text(robot(link(mass=2.2 * MASS)))
    for name in ("arm_v2.urdf", "arm_v3.urdf"):
        (folder / name).write_text(robot(link()))
    (finding,) = check(capsys)
    first = finding["causes"][0]
    assert first["cause"] == "mass-replaced"
    assert first["edit"]["entries"] == pytest.approx({"mass": MASS})


@pytest.mark.parametrize(("unit", "size"), [("kg cm^2", 1e-4), ("oz in^2", 1.828998e-5)])
def test_a_unit_that_gives_the_numbers_of_the_twin(folder, capsys, unit, size):
    """The bug: a text with a third tensor was believed, since no digits of the two sides agreed."""
    box = '<visual><origin xyz="0.0317 -0.0124 0.0902"/><geometry><box size="0.3 0.2 0.25"/>'
    shape = f"{box}</geometry></visual>"
    sides = [link(name="left_arm", shape=shape), link(name="right_arm", shape=shape)]
    wrong = link(tensor=TENSOR / size, name="right_arm", shape=shape)
    (folder / "arm.urdf").write_text(robot(sides[0], wrong))
    other = link(tensor=TENSOR * [1.1, 1.3, 0.8, 1.1, 1.2, 1.1], name="right_arm", shape=shape)
    (folder / "arm_v2.urdf").write_text(robot(sides[0], other))
    (finding,) = check(capsys, code="IC502")
    first = finding["causes"][0]
    assert (first["cause"], unit in first["evidence"]) == ("units", True)


def test_a_term_that_was_subtracted_twice_from_a_possible_body(folder, capsys):
    """The bug: the cause was tried on numbers that no body has, and on no others."""
    near = CENTER / 4
    outer = MASS * (near @ near * np.eye(3) - np.outer(near, near))
    lost = TENSOR - outer[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    (folder / "arm.urdf").write_text(robot(link(center=near, tensor=lost)))
    for name in ("arm_v2.urdf", "arm_v3.urdf"):
        (folder / name).write_text(robot(link(center=near)))
    (finding,) = check(capsys)
    assert finding["causes"][0]["cause"] == "double-parallel-axis"


def test_signs_that_were_not_mirrored_with_the_twin(folder, capsys):
    """The bug: the sign alone was named, and not that it is the other side's."""
    mirrored = CENTER * [1, -1, 1], TENSOR * [1, -1, 1, 1, -1, 1]
    sides = [
        text
        for k in (1, 2, 3)
        for text in (
            link(MASS * k, CENTER, k * TENSOR, f"left_{k}"),
            link(MASS * k, mirrored[0], k * mirrored[1], f"right_{k}"),
        )
    ]
    (folder / "arm_v2.urdf").write_text(robot(*sides))
    (folder / "arm_v3.urdf").write_text(robot(*sides))
    sides[1] = link(MASS, mirrored[0], TENSOR, "right_1")
    (folder / "arm.urdf").write_text(robot(*sides))
    told = [each for each in check(capsys) if each["body"] == "right_1"]
    words = [cause["evidence"] for each in told for cause in each["causes"]]
    assert any("ixy and iyz have the signs of left_1" in each for each in words)


@pytest.mark.parametrize(
    "beside",
    [
        {"arm_v2.urdf": robot(link())},
        {
            "arm_v2.urdf": robot(link()),
            "arm_v3.urdf": robot(link()),
            "arm_v4.urdf": robot(link(tensor=TENSOR / 4)),
        },
        {"arm_v2.urdf": robot(link()), "arm_v3.urdf": robot(link(tensor=TENSOR * 1.3))},
        {
            "arm_v2.urdf": robot(link(center=[0.1, 0.2, 0.3], mass=2.1)),
            "arm_v3.urdf": robot(link(center=[0.1, 0.2, 0.3], mass=2.1)),
        },
    ],
    ids=["one-file", "one-agrees", "two-differ", "another-part"],
)
def test_files_that_prove_nothing(folder, capsys, beside):
    (folder / "arm.urdf").write_text(robot(link(tensor=TENSOR / 4)))
    for name, text in beside.items():
        (folder / name).write_text(text)
    assert not check(capsys)


@pytest.mark.parametrize(("shape", "count"), [("", 0), (SHAPE, 1)], ids=["turned", "as-it-is"])
def test_signs_count_where_the_rest_of_the_link_is_the_same(folder, capsys, shape, count):
    """A left arm beside two right ones is no contradiction; one link with one mesh is."""
    flat = TENSOR * [1, 0, 0, 1, 0, 1]
    (folder / "arm.urdf").write_text(
        robot(link(center=CENTER * [1, -1, 1], tensor=flat, shape=shape))
    )
    for name in ("arm_v2.urdf", "arm_v3.urdf"):
        (folder / name).write_text(robot(link(tensor=flat, shape=shape)))
    assert len(check(capsys)) == count


def test_the_first_six_of_nine_numbers_and_a_power_of_ten(folder, capsys):
    """The bug: other-text, where the file says what became of its numbers."""
    for name in ("arm_v2.urdf", "arm_v3.urdf"):
        (folder / name).write_text(robot(link()))
    rows = TENSOR[[0, 1, 2, 1, 3, 4]]
    for tensor, cause, code in (
        (rows, "component-order", "IC302"),
        (TENSOR * [1, 1, 1, 0.1, 1, 1], "decimal-slip", "IC301"),
    ):
        (folder / "arm.urdf").write_text(robot(link(tensor=tensor)))
        (finding,) = check(capsys, code=code)
        assert finding["causes"][0]["cause"] == cause


def test_a_block_that_is_not_its_twins(folder, capsys):
    """The bug: "no mirror image", where all ten numbers are those of a third body."""
    third = [link(name=name) for name in ("left_hand", "right_hand")]
    sides = [link(2 * MASS, CENTER / 2, 3 * TENSOR, name) for name in ("left_arm", "right_arm")]
    copied = link(name="right_arm")
    (folder / "arm.urdf").write_text(robot(*third, sides[0], copied))
    told = [each for each in check(capsys, code="IC601") if each["body"] == "right_arm"]
    assert told
    assert told[0]["causes"][0]["cause"] == "copied-block"


def test_numbers_on_trial_are_compared_and_not_the_text_as_it_stands(folder):
    """The bug: a remedy that exchanges two entries, which files beside the model have in place."""
    for name in ("arm.urdf", "arm_v2.urdf", "arm_v3.urdf"):
        (folder / name).write_text(robot(link()))
    context = Context()
    model = load((folder / "arm.urdf").read_bytes(), path="arm.urdf", context=context)
    (body,), (judgement,) = model.bodies, judge(model)
    entries = dict(body.inertial.I_BBcm_Bi)
    xx, zz = entries["ixx"], entries["izz"]
    entries |= {
        "ixx": xx._replace(value=zz.value, text=zz.text),
        "izz": zz._replace(value=xx.value, text=xx.text),
    }
    tried = body._replace(inertial=body.inertial._replace(I_BBcm_Bi=entries))
    (other,) = judge(replace(model, bodies=(tried,)))
    assert not Elsewhere(model, context).find_others(body, judgement)
    found = Elsewhere(model, context).find_others(tried, other)
    assert [each.where for each in found] == ["arm_v2.urdf:2", "arm_v3.urdf:2"]
