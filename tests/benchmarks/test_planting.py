"""Each planted defect is what it says, and nothing else of the document changes."""

import functools
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from planting import decimals, shapes, suspicions
from planting import sites as places
from planting.catalogue import CAUSES, FURTHER
from planting.defects import plant

import inertial_check as ic
import oracles

BOX = '<geometry><box size="0.3 0.2 0.1"/></geometry>'
LINK = """  <link name="{name}">
    <inertial>
      <origin xyz="{com}" rpy="{rpy}"/>
      <mass value="{mass}"/>
      <inertia ixx="{six[0]}" ixy="{six[1]}" ixz="{six[2]}"
               iyy="{six[3]}" iyz="{six[4]}" izz="{six[5]}"/>
    </inertial>
    <visual><origin xyz="0.2 0 0"/>{shape}</visual>
  </link>
"""
ARM = ("0.0052", "0.0008", "-0.0007", "0.0093", "0.0006", "0.0112")
REFLECTED = ("0.0052", "-0.0008", "-0.0007", "0.0093", "-0.0006", "0.0112")
PLATE = ("0.011", "0.0001", "0.0002", "0.004", "0.0001", "0.0141")
RAIL = ("0.005590", "-0.000616", "0.000972", "0.003419", "0.000670", "0.003163")


def document():
    def link(name, mass, com, six, rpy="0 0 0", shape=BOX):
        return LINK.format(name=name, mass=mass, com=com, six=six, rpy=rpy, shape=shape)

    links = [
        link("base", "5.5", "0.01 0 0.02", PLATE, shape=""),
        link("left_arm", "1.5", "0.2 0.04 0.01", ARM),
        link("right_arm", "1.5", "0.2 -0.04 0.01", REFLECTED),
        link("rail", "0.5", "0.2 0.02 -0.01", RAIL, shape=""),
        link("tilted", "0.8", "0.2 0 0", RAIL, rpy="0.3 -0.8 1.1"),
        link("block", "1.0", "0.2 0 0", ("0.006", "0.00028", "0", "0.006", "0", "0.006")),
    ]
    joints = "".join(
        f'  <joint name="to_{child}" type="revolute"><parent link="base"/><child link="{child}"/>'
        + '<origin xyz="0 0.4 0"/>' * (child == "rail")
        + '<axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>\n'
        for child in ("left_arm", "right_arm", "rail", "tilted", "block")
    )
    return f'<robot name="r">\n{"".join(links)}{joints}</robot>\n'.encode()


@pytest.fixture(scope="module")
def sites():
    model = ic.load(document())
    sound = frozenset(range(len(model.bodies)))
    return [places.Site("r.urdf", model, index, sound) for index in sorted(sound)]


def planted(which, sites, seeds=range(6)):
    """All mutants of a cause that some body and some seed give."""
    made = (
        plant(which, site, np.random.default_rng(seed))
        for seed in seeds
        for site in sites
        if which.needs != "twin" or site.twin
    )
    return [mutant for mutant in made if mutant is not None]


def named(name, kind="provable"):
    (found,) = (which for which in CAUSES if (which.name, which.kind) == (name, kind))
    return found


load = functools.lru_cache(maxsize=1)(ic.load)


def numbers(data, index):
    inertial = load(data).bodies[index].inertial
    return {
        "mass": inertial.mass.text,
        **{axis: number.text for axis, number in zip("xyz", inertial.p_BoBcm_B, strict=True)},
        **{entry: number.text for entry, number in inertial.I_BBcm_Bi.items()},
    }


OF_BODIES = [which for which in (*CAUSES, *FURTHER) if which.kind != "model"]
OF_MODELS = [which for which in CAUSES if which.kind == "model"]


@pytest.mark.parametrize("which", OF_BODIES, ids=lambda which: which.key)
def test_a_mutant_is_certified_to_be_what_its_cause_claims(which, sites):
    mutants = planted(which, sites)
    assert mutants
    for mutant in mutants:
        for index in mutant.change.texts:
            new = numbers(mutant.data, index)
            consistent = oracles.is_consistent(new[entry] for entry in oracles.ENTRIES)
            assert consistent == (which.kind == "valid"), mutant.change.variant


@pytest.mark.parametrize("which", OF_BODIES, ids=lambda which: which.key)
def test_only_the_numbers_that_it_names_are_changed(which, sites):
    for mutant in planted(which, sites):
        assert mutant.data != mutant.site.model.source.data
        for site in sites:
            expected = site.texts | mutant.change.texts.get(site.index, {})
            found = numbers(mutant.data, site.index)
            assert {name: Fraction(text) for name, text in found.items()} == {
                name: Fraction(text) for name, text in expected.items()
            }


def test_the_same_seed_plants_the_same(sites):
    for which in OF_BODIES:
        first, second = planted(which, sites, [7]), planted(which, sites, [7])
        assert [mutant.data for mutant in first] == [mutant.data for mutant in second]


def test_a_slip_moves_one_entry_by_a_power_of_ten(sites):
    for mutant in planted(named("decimal-slip"), sites):
        ((entry, text),) = mutant.change.texts[mutant.site.index].items()
        ratio = float(Fraction(text) / Fraction(mutant.site.texts[entry]))
        assert np.log10(ratio) == pytest.approx(round(np.log10(ratio)), abs=1e-12)
        assert ratio != 1


def test_zero_products_have_no_sign_to_lose():
    diagonal = document()
    for old in (b'ixy="0.0008" ixz="-0.0007"', b'iyz="0.0006"'):
        diagonal = diagonal.replace(old, re.sub(b'"[^"]*"', b'"0"', old))
    site = places.Site("r.urdf", ic.load(diagonal), 1)
    for kind in ("provable", "valid"):
        which = named("sign-of-products", kind)
        assert plant(which, site, np.random.default_rng(0)) is None


def test_a_term_is_subtracted_twice_in_the_inertials_own_axes(sites):
    (tilted,) = (site for site in sites if site.body.name == "tilted")
    mutant = plant(named("double-parallel-axis"), tilted, np.random.default_rng(0))
    new = places.tensor(
        [float(numbers(mutant.data, tilted.index)[entry]) for entry in oracles.ENTRIES]
    )
    lost = tilted.R_BBi @ (tilted.I_BBcm_Bi - new) @ tilted.R_BBi.T
    assert lost == pytest.approx(0.8 * 0.2**2 * np.diag([0, 1, 1]), abs=1e-7)


def test_twins_are_found_by_name_and_only_where_their_numbers_are_mirrored(sites):
    by_name = {site.body.name: site for site in sites}
    assert by_name["left_arm"].twin.body.name == "right_arm"
    assert by_name["right_arm"].twin.body.name == "left_arm"
    assert by_name["rail"].twin is None
    heavier = ic.load(document().replace(b'<mass value="1.5"/>', b'<mass value="1.7"/>', 1))
    assert places.Site("r.urdf", heavier, 1, frozenset(range(5))).twin is None


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("LeftFoot", "RightFoot"),
        ("l_wheel_link", "r_wheel_link"),
        ("wheel_R", "wheel_L"),
        ("FL_hip", "FR_hip"),
        ("arm_left_2", "arm_right_2"),
    ],
)
def test_the_other_side_has_this_name(name, other):
    assert other in set(places.counterparts(name))


def test_no_letter_within_a_word_is_a_side():
    assert not list(places.counterparts("wheel_roller"))


def test_evidence_is_a_shape_or_a_twin_or_neither(sites):
    assert [site.evidence for site in sites][:4] == ["neither", "geometry", "geometry", "neither"]
    bare = ic.load(document().replace(BOX.encode(), b""))
    assert places.Site("r.urdf", bare, 1, frozenset(range(5))).evidence == "twin"


def test_formulas_are_those_of_the_textbooks(sites):
    (box,) = sites[1].usable_shapes
    right, _ = suspicions.formulas(box, 12.0)
    assert right == pytest.approx(np.diag([0.05, 0.10, 0.13]))


def test_what_is_planted_into_is_consistent(sites):
    assert all(decimals.is_consistent(site.texts) for site in sites)


@pytest.mark.parametrize(
    ("diagonal", "stand_in"), [("1", True), ("0.001", True), ("3e-1", True), ("0.025", False)]
)
def test_one_digit_times_the_identity_is_a_placeholder(diagonal, stand_in):
    texts = dict.fromkeys(places.ENTRIES, "0.0") | dict.fromkeys(decimals.DIAGONAL, diagonal)
    assert decimals.is_one_digit_of_identity(texts) == stand_in
    assert not decimals.is_one_digit_of_identity(texts | {"ixy": "1e-9"})
    assert not decimals.is_one_digit_of_identity(texts | {"izz": "0.01"})


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"", b"", None),
        (b'"0.2 0.04 0.01"', b'"0.2 0.4 0.01"', "its centre of mass lies out of"),
        (b'ixx="0.0052"', b'ixx="0.0182"', "it spreads beyond"),
        (b'<mass value="1.5"/>', b'<mass value="15000"/>', "denser than osmium"),
    ],
)
def test_what_cannot_lie_within_its_shapes_is_not_sound(old, new, why):
    site = places.Site("r.urdf", ic.load(document().replace(old, new, 1)), 1)
    assert (site.refutation or "").startswith(why or "")
    assert (site.refutation is None) == (why is None)


def rotation(roll, pitch, yaw):
    def about(axis, angle):
        c, s = np.cos(angle), np.sin(angle)
        turned = np.roll(np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), axis, (0, 1))
        return turned

    return about(2, yaw) @ about(1, pitch) @ about(0, roll)


def robot():
    """A site of a model of five links that lean, each with the inertia of its box."""
    R_BG, R_BBi = rotation(0.5, -0.4, 0.6), rotation(0.3, -0.8, 1.1)
    I_BBcm_Bi = R_BBi.T @ R_BG @ np.diag([0.05, 0.10, 0.13]) @ R_BG.T @ R_BBi / 12
    links = [
        LINK.format(
            name=f"link{k}",
            mass=1.5 + k / 10,
            com="0.2 0 0",
            rpy="0.3 -0.8 1.1",
            six=[f"{(1.5 + k / 10) * value:.9g}" for value in I_BBcm_Bi[np.triu_indices(3)]],
            shape=BOX,
        ).replace('xyz="0.2 0 0"/><geometry>', 'xyz="0.2 0 0" rpy="0.5 -0.4 0.6"/><geometry>')
        for k in range(5)
    ]
    model = ic.load(f'<robot name="r">{"".join(links)}</robot>'.encode())
    return places.Site("robot.urdf", model, 0, frozenset(range(5)))


def test_the_boxes_of_the_robot_have_its_inertia():
    site = robot()
    assert shapes.misfit(site, shapes.measure(site, "visual")) < 1e-6


@pytest.mark.parametrize("which", OF_MODELS, ids=lambda which: which.key)
def test_a_defect_of_the_model_is_in_all_its_links_and_asks_for_those_that_it_moved(which):
    site = robot()
    mutant = plant(which, site, np.random.default_rng(1))
    assert sorted(mutant.change.texts) == [0, 1, 2, 3, 4]
    for index, texts in mutant.change.texts.items():
        each, new = site.at(index), numbers(mutant.data, index)
        expected = each.texts | texts
        assert {name: Fraction(text) for name, text in new.items()} == {
            name: Fraction(text) for name, text in expected.items()
        }
        tensor = places.tensor([float(new[entry]) for entry in oracles.ENTRIES])
        moved = places.change(tensor, each.I_BBcm_Bi) >= 0.1 or new["mass"] != each.texts["mass"]
        assert (index in mutant.change.watched) == moved


def test_signs_of_a_model_are_planted_only_where_three_shapes_tell():
    (which,) = (each for each in OF_MODELS if each.name == "sign-of-products")
    site = robot()
    bare = [body._replace(shapes=()) for body in site.model.bodies]
    for shaped, expected in ((3, True), (2, False)):
        bodies = (*site.model.bodies[:shaped], *bare[shaped:])
        some = places.Site(f"{shaped}.urdf", replace(site.model, bodies=bodies), 0, site.sound)
        assert (plant(which, some, np.random.default_rng(0)) is not None) == expected


def test_only_sound_links_have_to_be_spoken_of():
    site = robot()
    some = places.Site("four.urdf", site.model, 0, frozenset(range(4)))
    for which in OF_MODELS:
        mutant = plant(which, some, np.random.default_rng(1))
        assert set(mutant.change.watched) <= {0, 1, 2, 3}


def test_a_number_that_two_bodies_share_is_not_changed_for_one_of_them(sites):
    block = sites[-1]
    shared = block.model.bodies[block.index]._replace(name="copy")
    model = replace(block.model, bodies=(*block.model.bodies, shared))
    site = places.Site("r.urdf", model, block.index, block.sound)
    assert plant(named("negative-diagonal"), block, np.random.default_rng(0)) is not None
    assert plant(named("negative-diagonal"), site, np.random.default_rng(0)) is None
