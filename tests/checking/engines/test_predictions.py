"""What is foretold of each engine, at the edges of its own rule; tests/cross asks the engines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.checking.engines import ENGINES, catalogue
from inertial_check.checking.engines.base import Engine
from inertial_check.checking.engines.catalogue import predict
from inertial_check.checking.engines.predict import Effect
from inertial_check.documents.model import judge
from single_links import TABLE, UNIT, Link, diagonal, mjcf, mjcf_principal, sdf, urdf

BALL = f'<inertial><mass value="1"/>{UNIT}</inertial>'
BOX = '<collision><geometry><box size="1 1 1"/></geometry></collision>'


def foretold(text):
    """Name of the body -> engine -> prediction."""
    model = ic.load(text.encode())
    names = [body.name.rpartition("::")[2] for body in model.bodies]
    return dict(zip(names, predict(model, judge(model)), strict=True))


def of_link(text, engine):
    return foretold(text)["link"][engine]


def up(value):
    return float(np.nextafter(value, np.inf))


def down(value):
    return float(np.nextafter(value, -np.inf))


EDGES = [
    # A + B < C, exactly
    ("mujoco", urdf, diagonal(1.0, 0.25, 0.5, 0.75), "accept"),
    ("mujoco", urdf, diagonal(1.0, 0.25, 0.5, up(0.75)), "reject"),
    ("pybullet", urdf, diagonal(1.0, 0.25, 0.5, 0.75), "accept"),
    ("pybullet", urdf, diagonal(1.0, 0.25, 0.5, up(0.75)), "replace"),
    ("pybullet", urdf, diagonal(1.0, -1e-300, 1.0, 1.0), "replace"),
    # the absolute floor of full inertias, that of what moves, and neither for principal moments
    ("mujoco", mjcf, diagonal(1.0, 1e-14, 1.0, 1.0), "accept"),
    ("mujoco", mjcf, diagonal(1.0, down(1e-14), 1.0, 1.0, "fixed"), "reject"),
    ("mujoco", mjcf_principal, diagonal(1.0, 1e-15, 1.0, 1.0), "accept"),
    ("mujoco", mjcf_principal, diagonal(1.0, down(1e-15), 1.0, 1.0), "reject"),
    ("mujoco", mjcf_principal, diagonal(1.0, down(1e-15), 1.0, 1.0, "fixed"), "accept"),
    ("mujoco", urdf, diagonal(1e-15, 1.0, 1.0, 1.0), "accept"),
    ("mujoco", urdf, diagonal(down(1e-15), 1.0, 1.0, 1.0), "reject"),
    ("mujoco", urdf, diagonal(1.0, 0.0, 0.0, 0.0, "fixed"), "accept"),
    ("mujoco", mjcf, diagonal(1.0, 0.0, 0.0, 0.0, "fixed"), "reject"),
    ("mujoco", mjcf_principal, diagonal(-1.0, 1.0, 1.0, 1.0, "fixed"), "alter"),
    ("mujoco", mjcf_principal, diagonal(float("nan"), 1.0, 1.0, 1.0, "fixed"), "warn"),
    # 16 eps, absolute below a trace of 2, relative above
    ("drake", urdf, diagonal(1e-9, 3e-10, 5e-10, 9e-10), "replace"),
    ("drake", urdf, diagonal(1e-15, 1e-16, 1e-16, 3e-15), "accept"),
    ("drake", urdf, diagonal(1.0, 100.0, 100.0, 200.0 * (1 + 1e-15)), "accept"),
    ("drake", urdf, diagonal(1.0, 100.0, 100.0, 200.0 * (1 + 1e-14)), "replace"),
    ("drake", mjcf, diagonal(1.0, 0.1, 0.1, 0.4), "reject"),
    ("drake", mjcf, diagonal(0.0, 0.0, 0.0, 0.0), "reject"),
    ("drake", urdf, diagonal(0.0, 0.0, 0.0, 0.0), "accept"),
    ("drake", sdf, diagonal(float("inf"), 1.0, 1.0, 1.0), "replace"),
    ("drake", urdf, diagonal(float("inf"), 1.0, 1.0, 1.0), "reject"),
    # relative: the same at every scale
    ("gz", sdf, diagonal(1e-12, 1e-12, 1e-12, 2e-12 * (1 + 1e-15)), "accept"),
    ("gz", sdf, diagonal(1e-12, 1e-12, 1e-12, 2e-12 * (1 + 1e-14)), "reject"),
    ("gz", sdf, diagonal(0.0, 1.0, 1.0, 1.0), "accept"),
    ("gz", urdf, diagonal(0.0, 1.0, 1.0, 1.0), "drop"),
    ("gz", urdf, diagonal(0.0, 1.0, 1.0, 1.0, "fixed"), "accept"),
    ("gz", sdf, diagonal(-1e-300, 1.0, 1.0, 1.0), "reject"),
    # single precision
    ("newton", urdf, diagonal(1.0, 1.1e-6, 1.0, 1.0), "accept"),
    ("newton", urdf, diagonal(1.0, 0.9e-6, 1.0, 1.0), "alter"),
    ("newton", urdf, diagonal(1.0, 1.1e-10, 1.1e-10, 1.1e-10), "accept"),
    ("newton", urdf, diagonal(1.0, 0.9e-10, 0.9e-10, 0.9e-10), "alter"),
    ("newton", urdf, diagonal(1.0, 1.0, 1.0, 2.0000001), "accept"),
    ("newton", urdf, diagonal(1.0, 1.0, 1.0, 2.000001), "alter"),
    ("newton", mjcf, diagonal(1.0, 1.0, 1.0, 2.000001), "alter"),
    ("newton", mjcf, diagonal(1.0, 1.0, 1.0, 2.000003), "reject"),
    ("newton", urdf, diagonal(1.0, 1e39, 1e39, 1e39), "alter"),
    ("pinocchio", urdf, diagonal(1.0, -1.0, -1.0, -1.0), "accept"),
    ("pinocchio", mjcf, diagonal(1.0, -1.0, -1.0, -1.0), "alter"),
    ("pinocchio", urdf, diagonal(-1.0, 1.0, 1.0, 1.0), "alter"),
    ("pinocchio", urdf, diagonal(float("nan"), 1.0, 1.0, 1.0), "replace"),
    ("idyntree", urdf, diagonal(-1.0, 1.0, -1.0, 9.0), "accept"),
    # 1e-6 relative and 1e-9 absolute
    ("genesis", urdf, diagonal(1.0, 1.0, 1.0, 2.0 + 1.9e-6), "warn"),
    ("genesis", urdf, diagonal(1.0, 1.0, 1.0, 2.0 + 2.1e-6), "reject"),
    ("genesis", urdf, diagonal(1.0, 1e-10, 1e-10, 1.1e-9), "warn"),
    ("genesis", urdf, diagonal(1.0, -0.9e-9, 1e-12, 1e-12), "warn"),
    ("genesis", urdf, diagonal(1.0, -1.1e-9, 1e-12, 1e-12), "reject"),
    ("genesis", urdf, diagonal(0.0, 1.0, 1.0, 1.0), "alter"),
    ("genesis", urdf, diagonal(0.0, 1.0, 1.0, 1.0, "fixed"), "accept"),
    ("genesis", mjcf, diagonal(1.0, 1.0, 1.0, 2.0 + 1e-9), "reject"),
    ("dart", urdf, diagonal(0.0, -1.0, 1.0, 9.0), "warn"),
    ("dart", urdf, diagonal(1.0, -1.0, 1.0, 9.0), "accept"),
    # the length of the three moments, in units of the stage
    ("physx", urdf, diagonal(1.0, 5.7e-6, 5.7e-6, 5.7e-6), "replace"),
    ("physx", urdf, diagonal(1.0, 5.8e-6, 5.8e-6, 5.8e-6), "accept"),
    ("physx", urdf, diagonal(1.0, 0.0, 1.0, 1.0, "fixed"), "accept"),
    ("physx", urdf, diagonal(1.0, 0.0, 1.0, 1.0), "replace"),
    ("physx", urdf, diagonal(0.0, 1.0, 1.0, 1.0), "replace"),
]


@pytest.mark.parametrize(("engine", "document", "link", "action"), EDGES)
def test_at_the_edges(engine, document, link, action):
    assert of_link(document(link), engine).action == action


SAID = [
    ("drake", "izz twice as large", "1 kg, I = 0.00153934 kg m^2", "0.1 0.1 0.4 do not satisfy"),
    ("drake", "negative ixx", "1 kg, I = 0.00153934 kg m^2", "-0.1 0.1 0.1 are invalid"),
    ("drake", "tiny and bad", "0.001 kg, I = 1.53934e-08 kg m^2", "CouldBePhysicallyValid()"),
    ("drake", "no mass", "1 kg, I = 0.00153934 kg m^2", "condition 'mass > 0' failed"),
    ("newton", "izz twice as large", "1 kg, principal moments 0.300001, 0.300001, 0.600001", "1 b"),
    ("newton", "negative mass", "0 kg, principal moments 0, 0, 0", "corrected 1 bodies"),
    ("newton", "insect", "0.0001 kg, principal moments 1.0001e-06, 1.0001e-06, 1.000", "1 bodies"),
    ("pybullet", "indefinite", "1 kg without rotational inertia", "zero for link: link"),
    ("pinocchio", "negative mass", "-1 kg, centre of mass at 0, 0, 2.02824e+30 m", ""),
    ("dart", "negative mass", "", "zero mass [-1] is set to BodyNode [link], which"),
    ("genesis", "izz twice as large", "", "for all permutations (eigenvalues: [0.1 0.1 0.4])"),
    ("genesis", "no mass", "1.19209e-07 kg", "Setting its mass to 'gs.EPS'"),
    ("gz", "tiny and bad", "", "A link named link has invalid inertia."),
    ("gz", "no mass", "neither this link", "link[link] has a mass value of less than or equal"),
    ("physx", "finger", "a sphere of radius 0.1: 0.01 kg, I = 4e-05 kg m^2", "small sphere"),
    ("mujoco", "rod", "", "error 'inertia must have positive eigenvalues' in fullinertia"),
]


@pytest.mark.parametrize(("engine", "case", "becomes", "message"), SAID)
def test_what_it_says_and_what_it_makes_of_it(engine, case, becomes, message):
    prediction = of_link(urdf(TABLE[case]), engine)
    assert becomes in prediction.becomes
    assert message in prediction.message


def test_newton_counts_the_bodies_of_the_model():
    text = urdf(TABLE["rod"]).replace(UNIT, UNIT.replace('izz="1"', 'izz="9"'))
    both = foretold(text)
    assert both["base"]["newton"].message.startswith("Inertia validation corrected 2 bodies.")
    assert both["base"]["newton"].message == both["link"]["newton"].message


def test_newton_does_not_count_a_link_without_inertial():
    found = foretold(chain(("base", "", ""), ("link", BALL.replace('izz="1"', 'izz="9"'), "fixed")))
    assert found["base"]["newton"].action == "accept"
    assert found["link"]["newton"].message.startswith("Inertia validation corrected 1 bodies.")


def chain(*links):
    """A URDF of links given as name, inside, joint to the one before."""
    parts, previous = [], None
    for name, inside, joint in links:
        parts.append(f'<link name="{name}">{inside}</link>')
        if previous is not None:
            ends = f'<parent link="{previous}"/><child link="{name}"/>'
            parts.append(f'<joint name="{name}" type="{joint}">{ends}</joint>')
        previous = name
    return f'<robot name="r">{"".join(parts)}</robot>'


def test_gazebo_drops_what_hangs_on_a_link_without_mass():
    found = foretold(
        chain(
            ("base", BALL, ""),
            ("link", "", "revolute"),
            ("hand", BALL, "revolute"),
            ("finger", BALL, "fixed"),
        )
    )
    assert [found[name]["gz"].action for name in ("base", "link", "hand", "finger")] == [
        "accept",
        *["drop"] * 3,
    ]
    assert "no <inertial> block defined" in found["link"]["gz"].message
    assert found["finger"]["gz"].becomes == "left out with link, on which it hangs"


@pytest.mark.parametrize(("joint", "carried"), [("fixed", True), ("revolute", False)])
def test_a_fixed_child_carries_a_link_without_mass(joint, carried):
    text = chain(("base", BALL, ""), ("link", "", "revolute"), ("hand", BALL, joint))
    found = foretold(text)["link"]
    assert (found["mujoco"].action == "accept") == carried
    assert (found["gz"].action == "accept") == carried
    assert (found["genesis"].action == "accept") == carried


def test_a_long_chain_without_mass_is_dropped_as_fast_as_it_is_read():
    links = [("base", "", ""), *((f"link{i}", "", "revolute") for i in range(3000))]
    found = foretold(chain(*links))
    assert {predictions["gz"].action for predictions in found.values()} == {"drop"}
    assert "left out with base" in found["link2999"]["gz"].becomes


def test_a_root_without_mass_is_a_frame_to_mujoco_and_the_end_to_gazebo():
    found = foretold(chain(("base", "", ""), ("link", BALL, "revolute")))
    assert found["base"]["mujoco"].action == "accept"
    assert found["link"]["gz"].action == "drop"


@pytest.mark.parametrize(
    ("inside", "joint", "actions"),
    [
        ("", "revolute", {"mujoco": "reject", "newton": "accept", "genesis": "alter"}),
        ("", "fixed", {"mujoco": "accept", "newton": "accept", "genesis": "accept"}),
        (BOX, "revolute", {"mujoco": "replace", "newton": "replace", "genesis": "replace"}),
        (BOX, "fixed", {"mujoco": "accept", "newton": "replace", "genesis": "replace"}),
    ],
)
def test_a_link_without_inertial(inside, joint, actions):
    found = foretold(chain(("base", BALL, ""), ("link", inside, joint)))["link"]
    always = {"pybullet": "replace", "dart": "replace", "drake": "accept", "pinocchio": "accept"}
    for engine, action in {**actions, **always}.items():
        assert found[engine].action == action, engine


@pytest.mark.parametrize(
    ("settings", "link", "becomes"),
    [
        ('balanceinertia="true"', diagonal(1.0, 0.1, 0.1, 0.4), "1 kg, principal moments 0.2, 0.2"),
        ('boundmass="0.01"', diagonal(0.0, 1.0, 1.0, 1.0), "0.01 kg, principal moments 1, 1, 1"),
        ('boundinertia="0.01"', diagonal(1.0, 0.0, 0.1, 0.1), "principal moments 0.01, 0.1, 0.1"),
    ],
)
def test_settings_of_an_mjcf(settings, link, becomes):
    prediction = of_link(mjcf_principal(link, settings), "mujoco")
    assert (prediction.action, prediction.message) == ("alter", "")
    assert becomes in prediction.becomes
    assert of_link(mjcf_principal(link), "mujoco").action == "reject"


def test_a_body_whose_inertia_comes_from_geometry_is_left_alone():
    text = (
        '<mujoco><compiler inertiafromgeom="true"/><worldbody><body name="link"><joint/>'
        '<geom size="1"/><inertial pos="0 0 0" mass="-1" diaginertia="1 1 9"/></body>'
        "</worldbody></mujoco>"
    )
    assert {prediction.action for prediction in foretold(text)["link"].values()} == {"accept"}


def test_every_body_has_every_engine_and_sound_ones_share_it():
    model = ic.load(urdf(TABLE["box"]).encode())
    one, other = predict(model, judge(model))
    assert one is other
    assert tuple(one) == ENGINES
    assert all(p == (name, p.version, "accept", "", "") for name, p in one.items())


def test_no_bodies():
    assert predict(ic.load(b'<robot name="r"/>'), ()) == ()


SIZES = st.floats(-7, 5)


@given(SIZES, SIZES, st.floats(0.001, 0.999), st.floats(0.01, 1), st.integers(0, 2**32 - 1))
def test_bodies_far_inside_all_limits_are_accepted(size, weight, share, flat, seed):
    axes = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    spread = np.array([share, 1 - share, flat]) * 10.0**size
    tensor = axes @ np.diag(spread.sum() - spread) @ axes.T
    tensor = (tensor + tensor.T) / 2
    link = Link(10.0**weight, tuple(tensor[np.triu_indices(3)].tolist()))
    for document in (urdf, sdf, mjcf):
        found = foretold(document(link))["link"]
        small = {"physx"} if spread.min() < 1e-4 else set()  # counts as not written
        assert {name for name, each in found.items() if each.action != "accept"} <= small, link


class Scales(Engine):
    """An engine that loads no body above 1 kg."""

    name, version, source, doors = "scales", "1", "nowhere", {"urdf": "weigh"}

    def effects(self, batch, door):
        yield Effect(batch.mass > 1.0, "reject", "too heavy")


def test_an_engine_that_is_added_is_asked_about_every_body(monkeypatch):
    """Also about bodies that all other engines take as they stand."""
    monkeypatch.setattr(
        "inertial_check.checking.engines.catalogue.ALL_ENGINES", (*catalogue.ALL_ENGINES, Scales())
    )
    heavy = foretold(urdf(diagonal(2.0, 1.0, 1.0, 1.0)))["link"]
    assert heavy["mujoco"].action == "accept"
    assert (heavy["scales"].action, heavy["scales"].message) == ("reject", "too heavy")
    assert foretold(urdf(diagonal(0.5, 1.0, 1.0, 1.0)))["link"]["scales"].action == "accept"


def test_a_bound_of_an_mjcf_holds_for_bodies_that_it_does_not_change():
    model = ic.load(
        mjcf(diagonal(1.0, 0.2, 0.2, 0.2), 'boundmass="0.01" boundinertia="1e-9"').encode()
    )
    assert model.bounds == (0.01, 1e-9, False, 0.0)
    assert ic.load(urdf(TABLE["box"]).encode()).bounds == (0.0, 0.0, False, 0.0)


def test_of_several_engines_the_highest_floors_count():
    (link,) = ic.load(urdf(diagonal(1.0, 0.1, 0.2, 0.25)).encode()).bodies[-1:]
    assert catalogue.floors(link, ()) == (0.0, 0.0)
    moment, ratio = catalogue.floors(link, ("mujoco",))
    assert (moment >= 1e-14, ratio) == (True, 0.0)
    newton = catalogue.floors(link, ("newton",))
    assert newton.moment > 1e-10  # what Newton raises a least moment to
    assert newton.ratio > 1e-6
    assert catalogue.floors(link, ("newton", "mujoco")) == newton
    assert catalogue.floors(link, ("mujoco", "newton")) == newton


def test_a_misreading_of_the_document_comes_before_those_of_its_bodies():
    link = '<link name="{}"><inertial><mass value="1{}"/>' + UNIT + "</inertial></link>"
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    text = f'<robot name="r">{link.format("a", " ")}{link.format("b", "")}{joint}</robot>'
    first, second = (each["pinocchio"].action for each in predicted(text))
    assert (first, second) == ("replace", "accept")
    refused = text.replace('name="r"', 'name="r" version="2.0"')
    assert {each["pinocchio"].action for each in predicted(refused)} == {"reject"}
    assert {each["mujoco"].action for each in predicted(refused)} == {"accept"}


def predicted(text):
    model = ic.load(text.encode())
    return predict(model, judge(model))


def test_nothing_behind_a_nul_is_searched_for_instructions():
    """Comments that nothing closes made the search quadratic in their number."""
    text = "<robot name='r'><link name='a'/></robot>\0" + "<!--" * 200_000 + "<?x?>"
    assert all(problem.kind == "repair" for problem in ic.load(text.encode()).problems)
