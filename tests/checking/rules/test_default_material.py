"""IC510: all parts of a model have the density of the steel that a program assumed."""

from pathlib import Path

import pytest

import inertial_check as ic

CUBE = Path(__file__).parents[3] / "data/defects/steel/ic510-cube.obj"


def link(name, edge, density, shape=""):
    mass = density * edge**3
    moment = mass * edge * edge / 6
    mesh = f'<mesh filename="cube.obj" scale="{edge} {edge} {edge}"/>'
    return f"""<link name="{name}"><inertial><mass value="{mass:.6g}"/>
<inertia ixx="{moment:.6g}" ixy="0" ixz="0" iyy="{moment:.6g}" iyz="0" izz="{moment:.6g}"/>
</inertial><visual><geometry>{shape or mesh}</geometry></visual></link>"""


def find(tmp_path, densities, edges=(0.25, 0.2, 0.15, 0.1, 0.12), shape="", collision=""):
    (tmp_path / "cube.obj").write_bytes(CUBE.read_bytes())
    pairs = zip(edges, densities, strict=False)
    links = [
        link(f"part_{i}", edge, density, shape.format(edge))
        for i, (edge, density) in enumerate(pairs)
    ]
    path = tmp_path / "arm.urdf"
    text = f'<robot name="arm">{"".join(links)}</robot>'
    path.write_text(text.replace("</link>", f"{collision}</link>"))
    return [each for each in ic.check_model(str(path)).findings if each.code == "IC510"]


@pytest.mark.parametrize("density", [7850.0, 7860.0, 7870.0])
def test_one_steel_in_all_parts(tmp_path, density):
    (finding,) = find(tmp_path, [density] * 4)
    assert finding.bodies == ("part_0", "part_1", "part_2", "part_3")
    assert finding.values["density"] == pytest.approx(density, rel=1e-5)


def test_one_part_that_was_weighed_changes_nothing(tmp_path):
    (finding,) = find(tmp_path, [7850.0] * 4 + [2100.0])
    assert len(finding.bodies) == 4


def test_boxes_that_collide_do_not_hide_it(tmp_path):
    """The bug: parts were left out where anything but meshes stood beside those that are seen."""
    box = '<collision><geometry><box size="0.3 0.3 0.3"/></geometry></collision>'
    (finding,) = find(tmp_path, [7850.0] * 4, collision=box)
    ((cause, confidence, *_),) = finding.causes
    assert (cause, confidence) == ("density", pytest.approx(5 / 6))


def test_the_commonest_steel_is_told_beside_others(tmp_path):
    (finding,) = find(tmp_path, [7710.0] + [7850.0] * 4, (0.12, 0.25, 0.2, 0.15, 0.1))
    assert finding.bodies == ("part_1", "part_2", "part_3", "part_4")
    assert finding.values["density"] == pytest.approx(7850.0, rel=1e-5)


@pytest.mark.parametrize(
    ("densities", "edges"),
    [
        ([1000.0] * 4, (0.25, 0.2, 0.15, 0.1)),  # a plastic, or a choice
        ([7850.0] * 3, (0.25, 0.2, 0.15)),
        ([7850.0] * 4, (0.2, 0.2, 0.2, 0.1)),  # one part three times
        ([7850.0, 7700.0, 8000.0, 7900.0], (0.25, 0.2, 0.15, 0.1)),
        (
            [7850.0] * 4 + [2100.0, 1500.0, 2700.0, 1200.0, 1900.0],
            (0.3, 0.25, 0.2, 0.15, *[0.1] * 5),
        ),
    ],
    ids=["plastic", "three", "one-part", "steels", "five-others"],
)
def test_other_materials_are_no_assumption(tmp_path, densities, edges):
    assert not find(tmp_path, densities, edges)


BOX = '<box size="{0} {0} {0}"/>'


def test_boxes_that_a_person_chose_are_left_alone(tmp_path):
    assert not find(tmp_path, [7850.0] * 4, shape=BOX)


def test_boxes_that_collide_tell_it_where_meshes_are_not_found(tmp_path):
    lost = '<mesh filename="lost.obj"/>'
    collision = f"<collision><geometry>{BOX.format(0.1)}</geometry></collision>"
    assert not find(tmp_path, [7850.0] * 4, shape=lost, collision=collision)
    collided = f"{lost}</geometry></visual><collision><geometry>{BOX}</geometry></collision>"
    (finding,) = find(tmp_path, [7850.0] * 4, shape=f"{collided}<visual><geometry>{lost}")
    assert len(finding.bodies) == 4
