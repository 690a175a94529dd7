"""Bodies to plant mistakes into, and what is said of their causes."""

import numpy as np
from hypothesis import strategies as st

from inertial_check.checking.causes.base import Subject
from inertial_check.checking.evidence.examination import Examination
from inertial_check.documents.load import load
from inertial_check.documents.model import ENTRIES, judge
from suspects import hypotheses

LINK = (
    '<link name="b{i}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
    "<inertia {six}/></inertial></link>"
    '<joint name="j{i}" type="revolute"><parent link="base"/><child link="b{i}"/></joint>'
)


def printed(values):
    """Numbers as most exporters print them; texts stay as they are."""
    return [value if isinstance(value, str) else f"{value:.9g}" for value in values]


def robot(*bodies):
    """URDF of bodies (mass, com, six), each on a joint of its own."""
    links = [
        LINK.format(
            i=i,
            com=" ".join(printed(com)),
            mass=printed([mass])[0],
            six=" ".join(f'{e}="{v}"' for e, v in zip(ENTRIES, printed(six), strict=True)),
        )
        for i, (mass, com, six) in enumerate(bodies)
    ]
    return f'<robot name="r"><link name="base"/>{"".join(links)}</robot>'


def subjects(document):
    """Every body of a document that states an inertia."""
    model = load(document.encode())
    examination = Examination(model, judge(model))
    bodies = enumerate(model.bodies)
    return [Subject(examination, i) for i, body in bodies if body.inertial is not None]


def suspected(*bodies):
    """What is said of each of some bodies of one model."""
    return hypotheses(subjects(robot(*bodies)))


def causes_of(mass, com, six):
    """What is said of a body alone, by the cause's name, best first."""
    (found,) = suspected((mass, com, six))
    return {each.cause: each for each in found}


def edited(six, hypothesis):
    """The six numbers with an edit carried out."""
    named = dict(zip(ENTRIES, map(float, printed(six)), strict=True))
    assert hypothesis.edit["entries"].keys() <= named.keys()
    return np.array(list((named | dict(hypothesis.edit["entries"])).values()))


def margin(six):
    """mu by LAPACK, from the matrix."""
    xx, xy, xz, yy, yz, zz = (float(value) for value in six)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    spreads = np.linalg.eigvalsh(np.trace(tensor) / 2 * np.eye(3) - tensor)
    return spreads[0] / np.sum(np.abs(spreads))


def term(mass, com):
    """Six of m (|c|^2 1 - c c^T)."""
    com = np.asarray(com)
    tensor = mass * (com @ com * np.eye(3) - np.outer(com, com))
    return tensor[np.triu_indices(3)]


@st.composite
def bodies(draw, offset=0.0):
    """(mass, com, six) of a box from a milligram to 100 t, at any angle, `offset` sizes away."""
    mass = 10 ** draw(st.floats(-6, 5))
    size = (mass / 10 ** draw(st.floats(2.3, 3.5))) ** (1 / 3)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    edges = size * rng.uniform(0.5, 1.5, 3)
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    spread = rotation @ np.diag(mass * edges**2 / 12) @ rotation.T
    tensor = np.trace(spread) * np.eye(3) - spread
    direction = rng.normal(size=3)
    com = offset * size * direction / np.linalg.norm(direction)
    six = np.array([float(text) for text in printed(tensor[np.triu_indices(3)])])
    return float(printed([mass])[0]), com, six
