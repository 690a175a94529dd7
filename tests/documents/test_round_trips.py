"""The same bodies written in every format, by writers of this test: all readers see the same."""

import math
from functools import lru_cache
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertial_check.documents.load import FORMATS, load
from inertial_check.fixing.diff import diff_models

LIMIT = 1e-12


class Written(NamedTuple):
    """A body by what every format can say: principal moments about axes given by a quaternion."""

    mass: float
    com: tuple[float, float, float]
    moments: tuple[float, float, float]
    wxyz: tuple[float, float, float, float]


def rotation(wxyz):
    w, x, y, z = wxyz
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    ) / (w * w + x * x + y * y + z * z)


def angles(wxyz):
    """Roll, pitch, yaw about fixed axes; roll goes by yaw, where the two are not told apart."""
    R = rotation(wxyz)
    pitch = math.atan2(-R[2, 0], math.hypot(R[2, 1], R[2, 2]))
    yaw = math.atan2(R[1, 0], R[0, 0])
    s, c = math.sin(yaw), math.cos(yaw)
    return math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1]), pitch, yaw


def tensor(body):
    R = rotation(body.wxyz)
    return R @ np.diag(body.moments) @ R.T


def words(values):
    return " ".join(repr(float(value)) for value in values)


def six(body, order=("xx", "xy", "xz", "yy", "yz", "zz"), full=False):
    """The six by name: in the body's axes where they are full, else about the body's own."""
    matrix = tensor(body) if full else np.diag(body.moments)
    return {entry: matrix["xyz".index(entry[0]), "xyz".index(entry[1])] for entry in order}


def urdf(bodies, full=False):
    links = []
    for place, body in enumerate(bodies):
        rpy = "" if full else f' rpy="{words(angles(body.wxyz))}"'
        entries = " ".join(f'i{key}="{float(v)!r}"' for key, v in six(body, full=full).items())
        links.append(
            f'<link name="body_{place}"><inertial><origin xyz="{words(body.com)}"{rpy}/>'
            f'<mass value="{body.mass!r}"/><inertia {entries}/></inertial></link>'
        )
    return f'<robot name="r">{"".join(links)}</robot>'


def sdf(bodies, full=False):
    links = []
    for place, body in enumerate(bodies):
        turn = (0, 0, 0) if full else angles(body.wxyz)
        entries = "".join(
            f"<i{key}>{float(v)!r}</i{key}>" for key, v in six(body, full=full).items()
        )
        links.append(
            f'<link name="body_{place}"><inertial><pose>{words((*body.com, *turn))}</pose>'
            f"<mass>{body.mass!r}</mass><inertia>{entries}</inertia></inertial></link>"
        )
    return f'<sdf version="1.9"><model name="r">{"".join(links)}</model></sdf>'


def sdf_quaternion(bodies):
    """The pose as a quaternion, which SDF writes x y z w."""
    text = sdf(bodies)
    for body in bodies:
        w, x, y, z = body.wxyz
        plain = f"<pose>{words((*body.com, *angles(body.wxyz)))}</pose>"
        turned = f'<pose rotation_format="quat_xyzw">{words((*body.com, x, y, z, w))}</pose>'
        text = text.replace(plain, turned)
    return text


def mjcf(bodies, full=False):
    order = ("xx", "yy", "zz", "xy", "xz", "yz")
    inside = []
    for place, body in enumerate(bodies):
        inertia = f'diaginertia="{words(body.moments)}" quat="{words(body.wxyz)}"'
        if full:
            inertia = f'fullinertia="{words(six(body, order, full=True).values())}"'
        inside.append(
            f'<body name="body_{place}"><freejoint/>'
            f'<inertial pos="{words(body.com)}" mass="{body.mass!r}" {inertia}/></body>'
        )
    return f'<mujoco model="r"><worldbody>{"".join(inside)}</worldbody></mujoco>'


def usd(bodies):
    prims = []
    for place, body in enumerate(bodies):
        com, moments, wxyz = (
            ", ".join(map(repr, values)) for values in (body.com, body.moments, body.wxyz)
        )
        prims.append(
            f'    def Xform "body_{place}" (\n'
            '        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n    )\n    {\n'
            f"        float physics:mass = {body.mass!r}\n"
            f"        point3f physics:centerOfMass = ({com})\n"
            f"        float3 physics:diagonalInertia = ({moments})\n"
            f"        quatf physics:principalAxes = ({wxyz})\n    }}\n"
        )
    return (
        '#usda 1.0\n(\n    defaultPrim = "r"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n)\n'
        f'def Xform "r"\n{{\n{"".join(prims)}}}\n'
    )


WRITERS = {
    "urdf": ("urdf", urdf),
    "urdf, full": ("urdf", lambda bodies: urdf(bodies, full=True)),
    "sdf": ("sdf", sdf),
    "sdf, full": ("sdf", lambda bodies: sdf(bodies, full=True)),
    "sdf, quaternion": ("sdf", sdf_quaternion),
    "mjcf": ("mjcf", mjcf),
    "mjcf, full": ("mjcf", lambda bodies: mjcf(bodies, full=True)),
    "usd": ("usd", usd),
}


@lru_cache(maxsize=64)
def written(form, bodies):
    name, write = WRITERS[form]
    if name not in FORMATS:
        pytest.skip(f"{name} is not read by this version")
    if name == "usd" and find_spec("pxr") is None:
        pytest.skip("needs usd-core: pip install usd-core")
    return load(write(bodies).encode())


def turned(body):
    """The same body about principal axes in another order, with other signs."""
    R = rotation(body.wxyz)[:, [2, 0, 1]] * [1, -1, -1]
    trace = np.trace(R)
    if trace < -0.9:  # where this way to a quaternion loses digits
        return body
    w = math.sqrt(1 + trace) / 2
    xyz = ((R - R.T)[[2, 0, 1], [1, 2, 0]] / (4 * w)).tolist()
    moments = (body.moments[2], body.moments[0], body.moments[1])
    return body._replace(moments=moments, wxyz=(w, *xyz))


sizes = st.floats(-3, 3).map(lambda power: 10.0**power)
coordinate = st.floats(-1, 1).map(lambda value: round(value, 6))
components = st.tuples(*[st.floats(-1, 1).map(lambda v: round(v, 4))] * 4)


@st.composite
def some_bodies(draw):
    """Solid boxes of any size and attitude: a spread of mass along each axis."""
    bodies = []
    for _ in range(draw(st.integers(1, 3))):
        mass, size = draw(sizes), draw(sizes)
        x, y, z = (draw(st.floats(0.1, 1)) for _ in range(3))
        moments = tuple(mass * size**2 * sum_ for sum_ in (y + z, x + z, x + y))
        wxyz = draw(components.filter(lambda q: math.hypot(*q) > 0.1))
        com = tuple(size * draw(coordinate) for _ in range(3))
        bodies.append(Written(mass, com, moments, wxyz))
    return tuple(bodies)


def seen(model):
    return [body.a for body in diff_models(model, model).bodies]


def assert_same(model, bodies):
    """The reader sees what was meant, to 1e-12 of mass, radius of gyration and largest moment."""
    for body, read in zip(bodies, seen(model), strict=True):
        radius = math.sqrt(sum(body.moments) / 2 / body.mass)
        assert abs(read.mass - body.mass) <= LIMIT * body.mass
        assert math.dist(read.p_BoBcm_B, body.com) <= LIMIT * radius
        expected = list(six(body, full=True).values())
        assert np.max(np.abs(np.subtract(read.I_BBcm_B, expected))) <= LIMIT * max(body.moments)


@pytest.mark.parametrize("form", [form for form in WRITERS if form != "usd"])
@given(bodies=some_bodies())
@settings(max_examples=25)
def test_every_text_format_is_read_as_it_was_meant(form, bodies):
    model = written(form, bodies)
    assert_same(model, bodies)
    found = diff_models(model, written("urdf", tuple(map(turned, bodies))), tolerance=LIMIT)
    assert found.equal


BODIES = (
    Written(1.37, (0.11, -0.032, 0.27), (0.0125, 0.0153, 0.0185), (0.4, -0.3, 0.7, 0.5)),
    Written(2e-6, (1e-4, 0.0, -3e-4), (2.1e-13, 3e-13, 4.4e-13), (0.1, 0.9, 0.2, -0.3)),
    Written(8.5e4, (0.0, 0.0, 12.0), (6.1e5, 7.3e5, 2.4e5), (1.0, 0.0, 0.0, 0.0)),
)


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("other", WRITERS)
def test_the_same_bodies_are_equal_in_every_pair_of_formats(form, other):
    a, b = written(form, BODIES), written(other, BODIES)
    assert_same(a, BODIES)
    found = diff_models(a, b, tolerance=LIMIT)
    assert [body.status for body in found.bodies] == ["equal"] * len(BODIES)


MISTAKES = {
    "rotation-transposed": lambda body: body._replace(
        wxyz=(body.wxyz[0], *(-v for v in body.wxyz[1:]))
    ),
    "rotation-dropped": lambda body: body._replace(wxyz=(1.0, 0.0, 0.0, 0.0)),
    "quaternion-order": lambda body: body._replace(wxyz=(*body.wxyz[1:], body.wxyz[0])),
    "com-dropped": lambda body: body._replace(com=(0.0, 0.0, 0.0)),
    "com-sign": lambda body: body._replace(com=tuple(-value for value in body.com)),
    "units": lambda body: body._replace(moments=tuple(1e9 * value for value in body.moments)),
    "density": lambda body: body._replace(
        mass=2.7 * body.mass, moments=tuple(2.7 * value for value in body.moments)
    ),
}


@pytest.mark.parametrize("other", WRITERS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_on_the_way_from_a_urdf_is_named_in_every_format(mistake, other):
    bodies = BODIES[:1]
    found = diff_models(
        written("urdf", bodies), written(other, tuple(map(MISTAKES[mistake], bodies)))
    )
    assert [body.explanations[0].name for body in found.bodies] == [mistake]


def test_float32_of_usd_is_within_the_default_tolerance():
    rounded = tuple(Written(*(_single(value) for value in body)) for body in BODIES)
    assert diff_models(written("urdf", BODIES), written("usd", rounded)).equal


def _single(value):
    found = np.float32(value).tolist()
    return tuple(found) if isinstance(found, list) else found
