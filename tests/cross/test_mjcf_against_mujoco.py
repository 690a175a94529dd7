"""Our reading of MJCF against MuJoCo's own: bodies, numbers, axes, settings, what is refused."""

import re
from typing import NamedTuple

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.load import root_tag
from inertial_check.documents.model import ENTRIES
from inertial_check.fixing.diff import diff_models
from mjcf_documents import (
    CLASSES,
    EMPTY_INCLUDES,
    GEOMS,
    GOOD,
    POSE,
    REFUSED,
    REFUSED_SETTINGS,
    SETTINGS,
    fragment,
    include,
)

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")

# settotalmass is deprecated
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.usefixtures("log_elsewhere"),
]

MESH = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'


def document(bodies, compiler="", head=""):
    return f"<mujoco><compiler {compiler}/>{head}<worldbody>{bodies}</worldbody></mujoco>"


def compiled(text):
    return mujoco.MjSpec.from_string(text).compile()


def refusal(text):
    """Why MuJoCo refuses a document; None where it does not."""
    try:
        compiled(text)
    except ValueError as error:
        return str(error)
    return None


def matrix(quaternion):
    entries = np.zeros(9)
    mujoco.mju_quat2Mat(entries, np.asarray(quaternion) / np.linalg.norm(quaternion))
    return entries.reshape(3, 3)


def symmetric(xx, yy, zz, xy, xz, yz):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


class Read(NamedTuple):
    """What a reader has of a body: mass, centre of mass, inertia about it in the body's axes."""

    name: str
    mass: float
    center: np.ndarray
    tensor: np.ndarray


def ours(model):
    """What we read of each body; None where nothing is written."""
    bodies = ic.check_model(model).bodies
    for body, judged in zip(model.bodies, bodies, strict=True):
        if body.inertial is None:
            yield None
        else:
            six = dict(zip(ENTRIES, judged.judgement.I_BBcm_B, strict=True))
            order = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            tensor = symmetric(*(six[entry] for entry in order))
            center = np.array(judged.judgement.p_BoBcm_B)
            yield Read(body.name, judged.judgement.mass, center, tensor)


def of_model(model, body):
    axes = matrix(model.body_iquat[body])
    tensor = axes @ np.diag(model.body_inertia[body]) @ axes.T
    return Read(model.body(body).name, model.body_mass[body], model.body_ipos[body], tensor)


def of_spec(spec, body):
    """What stands in a body that is not compiled."""
    if not np.isnan(body.fullinertia[0]):
        tensor = symmetric(*body.fullinertia)
    else:
        quaternion = body.iquat
        if body.ialt.type != mujoco.mjtOrientation.mjORIENTATION_QUAT:
            quaternion = spec.resolve_orientation(
                spec.compiler.degree, spec.compiler.eulerseq, body.ialt
            )
        axes = matrix(quaternion)
        tensor = axes @ np.diag(body.inertia) @ axes.T
    return Read(body.name, body.mass, np.array(body.ipos), tensor)


def assert_same(mine, theirs, ulps=64):
    """Equal but for rounding, in units of the body's own inertia and distance."""
    eps = ulps * np.finfo(float).eps
    assert mine.mass == pytest.approx(theirs.mass, rel=eps, abs=0)
    length = np.abs(theirs.center).max()
    np.testing.assert_allclose(mine.center, theirs.center, rtol=0, atol=eps * length)
    size = np.abs(theirs.tensor).max()
    np.testing.assert_allclose(mine.tensor, theirs.tensor, rtol=0, atol=eps * size)


# -- generated models ---------------------------------------------------------------------------


class Author:
    """Writes random models that MuJoCo takes."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.names = 0

    def numbers(self, *values):
        return " ".join(map(repr, map(float, values)))

    def one_of(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def orientation(self):
        kind = self.one_of("", "quat", "axisangle", "xyaxes", "zaxis", "euler")
        count = {"": 0, "quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}[kind]
        values = self.numbers(*self.rng.normal(size=count))
        return f' {kind}="{values}"' if kind else ""

    def place(self):
        return f'pos="{self.numbers(*self.rng.normal(size=3))}"'

    def inertial(self):
        six = six_of(self.rng)
        pose = f'{self.place()} mass="{self.numbers(10 ** self.rng.uniform(-6, 4))}"'
        if self.rng.random() < 0.5:
            return f'<inertial {pose} fullinertia="{self.numbers(*six)}"/>'
        moments = np.linalg.eigvalsh(symmetric(*six))
        order = self.rng.permutation(3)
        form = f'diaginertia="{self.numbers(*moments[order])}"'
        return f"<inertial {pose} {form}{self.orientation()}/>"

    def body(self, depth):
        self.names += 1
        name = self.one_of(f' name="b{self.names}"', "")
        inside = [self.inertial()]
        if self.rng.random() < 0.3:
            inside[0] = f"<frame {self.place()}{self.orientation()}>{inside[0]}</frame>"
        if self.rng.random() < 0.5:
            axis = " ".join(map(repr, self.rng.normal(size=3).tolist()))
            joint = f'<joint axis="{axis}"/>'
            around = f"{self.place()}{self.orientation()}"
            inside.append(self.one_of(joint, f"<frame {around}>{joint}</frame>"))
        if self.rng.random() < 0.3:
            inside.append('<geom size="1"/>')
        inside += [self.body(depth - 1) for _ in range(self.rng.integers(0, 3)) if depth]
        text = f"<body{name} {self.place()}{self.orientation()}>{''.join(inside)}</body>"
        around = f"{self.place()}{self.orientation()}"
        return self.one_of(text, f"<frame {around}>{text}</frame>")

    def document(self):
        sequence = "".join(self.rng.choice(list("xyzXYZ"), size=3))
        compiler = f'angle="{self.one_of("degree", "radian")}" eulerseq="{sequence}"'
        return document("".join(self.body(3) for _ in range(3)), compiler)


def six_of(rng):
    """fullinertia of a body that fills its space, from a gram of insect to a ship."""
    masses = rng.uniform(0.5, 2, size=8)
    points = rng.normal(size=(8, 3)) * 10 ** rng.uniform(-3, 2)
    points -= np.average(points, axis=0, weights=masses)
    spread = np.einsum("n,ni,nj->ij", masses, points, points)
    tensor = np.trace(spread) * np.eye(3) - spread
    return [*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]


@pytest.mark.parametrize("seed", range(12))
def test_generated_models_read_the_same_from_text_to_compiled_body(seed):
    text = Author(seed).document()
    theirs = compiled(text)
    mine = list(ours(ic.load(text.encode())))
    assert theirs.nbody == len(mine) + 1
    for at, read in enumerate(mine, 1):
        name = theirs.body(at).name
        assert read.name == (name or f"body#{at}")
        assert_same(read, of_model(theirs, at))


@pytest.mark.parametrize("seed", range(12))
def test_bodies_stand_and_turn_where_mujoco_puts_them(seed):
    text = Author(seed).document()
    theirs, mine = compiled(text), ic.load(text.encode()).bodies
    ids = [None, *(body.id for body in mine)]
    for at, body in enumerate(mine, 1):
        above = theirs.body_parentid[at]
        assert body.parent == ids[above]
        assert (body.X_PB is not None) == (above > 0)
        if body.X_PB is not None:
            np.testing.assert_allclose(body.X_PB.p_PoBo_P, theirs.body_pos[at], rtol=0, atol=1e-14)
            R_PB = matrix(theirs.body_quat[at])
            np.testing.assert_allclose(body.X_PB.R_PB, R_PB, rtol=0, atol=1e-14)
        axes = theirs.jnt_axis[theirs.jnt_bodyid == at]
        assert (body.axis_B is not None) == (len(axes) == 1)
        for axis in axes:
            np.testing.assert_allclose(body.axis_B, axis, rtol=0, atol=1e-14)


def test_the_generated_models_use_every_form():
    texts = "".join(Author(seed).document() for seed in range(12))
    for word in ("quat", "axisangle", "xyaxes", "zaxis", "euler", "fullinertia", "diaginertia"):
        assert texts.count(f"{word}=") > 10
    bodies = [
        body for seed in range(12) for body in ic.load(Author(seed).document().encode()).bodies
    ]
    assert len(bodies) > 36
    assert sum(body.X_PB is not None for body in bodies) > 12


# -- where the inertia comes from ---------------------------------------------------------------


@pytest.mark.parametrize("setting", ["auto", "true", "false"])
@pytest.mark.parametrize("written", [GOOD, ""], ids=["written", "unwritten"])
@pytest.mark.parametrize("geoms", GEOMS)
def test_mujoco_derives_the_bodies_that_we_say_it_derives(geoms, written, setting):
    text = document(
        f"<body>{written}{geoms}</body>",
        f'inertiafromgeom="{setting}" inertiagrouprange="0 3"',
        CLASSES + MESH,
    )
    theirs = of_model(compiled(text), 1)
    (verdict, *_) = (body.judgement.verdict for body in ic.check_model(text.encode()).bodies)
    if verdict == "missing":
        assert theirs.mass == 0
    elif verdict == "derived":
        assert theirs.mass > 0
        assert not (written and theirs.mass == 1 and np.array_equal(theirs.tensor, np.eye(3)))
    else:
        assert written
        assert_same(next(ours(ic.load(text.encode()))), theirs)


@pytest.mark.parametrize(("compiler", "numbers", "expected"), SETTINGS)
def test_mujoco_leaves_the_written_numbers_where_we_say_it_does(compiler, numbers, expected):
    text = document(f'<body><inertial pos="0 0 0" {numbers}/></body>', compiler)
    if "nan" in text:
        pytest.skip("what MuJoCo makes of NaN is not said")
    why = refusal(text)
    if why is not None:
        assert "A + B >= C" in why
        assert not expected
        return
    theirs = compiled(text)
    moments = np.linalg.eigvalsh(next(ours(ic.load(text.encode()))).tensor)
    same = theirs.body_mass[1] == 1 and np.allclose(sorted(theirs.body_inertia[1]), moments)
    assert same == (not expected)
    for note in expected:
        if "mean, " in note:
            assert theirs.body_inertia[1] == pytest.approx(float(re.search(r"[\d.]+", note)[0]))


def test_settotalmass_scales_the_inertia_with_the_mass():
    text = document(f"<body>{GOOD}</body>", 'settotalmass="14"')
    theirs = of_model(compiled(text), 1)
    assert theirs.mass == 14
    np.testing.assert_allclose(theirs.tensor, 14 * np.eye(3))


# -- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("attributes", [attributes for attributes, _ in REFUSED])
def test_mujoco_refuses_what_we_call_malformed(attributes):
    assert refusal(document(f"<body><joint/><inertial {attributes}/></body>")) is not None


@pytest.mark.parametrize("setting", [setting for setting, _ in REFUSED_SETTINGS])
def test_mujoco_refuses_the_settings_that_we_call_malformed(setting):
    inertial = f'<inertial {POSE} diaginertia="1 1 1" euler="0 0 1"/>'
    assert refusal(document(f"<body>{inertial}</body>", setting)) is not None


def written(folder, main, files):
    for name, text in {"main": main, **files}.items():
        (folder / f"{name}.xml").write_text(text)
    return folder / "main.xml"


@pytest.mark.parametrize(("main", "files"), [case[:2] for case in EMPTY_INCLUDES])
def test_mujoco_refuses_the_includes_that_we_do_not_follow(main, files, tmp_path):
    with pytest.raises(ValueError, match=r".+"):
        mujoco.MjSpec.from_file(str(written(tmp_path, main, files)))


def test_includes_are_found_where_mujoco_finds_them(tmp_path):
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    files = {
        "sub/x": fragment('<include file="y.xml"/><include file="deep\\z.xml"/>'),
        "sub/y": fragment(f"<body name='below'>{GOOD}</body>"),
        "sub/deep/z": fragment(f"<include file='w.xml'/><body name='z'>{GOOD}</body>", "any"),
        "sub/deep/w": fragment("<body/>"),
    }
    for more in ({}, {"y": fragment("<body name='beside'/>")}):
        path = written(tmp_path, include("sub/x.xml"), {**files, **more})
        spec = mujoco.MjSpec.from_file(str(path))
        model = ic.load(path)
        assert model.problems == ()
        names = [body.name or f"body#{at}" for at, body in enumerate(spec.bodies) if at]
        assert [body.name for body in model.bodies] == names


# -- known disagreements ------------------------------------------------------------------------


class Disagreement(NamedTuple):
    """A body that we read otherwise than MuJoCo, and why.

    Attributes:
        body: What stands in it.
        mine: Our mass and verdict.
        theirs: MuJoCo's mass; None where it refuses the body.
        reason: Why ours stays.
    """

    body: str
    mine: tuple[float | None, str]
    theirs: float | None
    reason: str


SIX = 'diaginertia="1 1 1"'
DISAGREEMENTS = {
    "hexadecimal": Disagreement(
        f'<inertial pos="0 0 0" mass="0x10" {SIX}/>',
        (None, "invalid"),
        16,
        "other engines stop at the x: no number that all read alike",
    ),
    "below the smallest number": Disagreement(
        f'<inertial pos="0 0 0" mass="1e-400" {SIX}/>',
        (0, "invalid"),
        0,
        "both read 0; we say that the text says otherwise",
    ),
    "mass zero on a welded body": Disagreement(
        f'<inertial pos="0 0 0" mass="0" {SIX}/>',
        (0, "invalid"),
        0,
        "MuJoCo asks only bodies that move",
    ),
    "negative": Disagreement(
        '<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>',
        (-1, "invalid"),
        0,
        "MuJoCo raises it to boundmass, which is 0, without a word",
    ),
    "no inertia on a welded body": Disagreement(
        '<inertial pos="0 0 0" mass="1"/>',
        (1, "invalid"),
        1,
        "MuJoCo takes zeros; its own reference calls one of the two attributes required",
    ),
    "a second one in a frame": Disagreement(
        f'<inertial pos="0 0 0" mass="1" {SIX}/>'
        f'<frame><inertial pos="0 0 0" mass="2" {SIX}/></frame>',
        (1, "consistent"),
        2,
        "MuJoCo takes the last; of two, the first is taken here in every format, with IC004",
    ),
    "a short z-axis": Disagreement(
        f'<inertial pos="0 0 0" mass="1" {SIX} zaxis="1e-13 0 0"/>',
        (1, "consistent"),
        None,
        "MuJoCo refuses vectors by their absolute length; a direction has none",
    ),
    "rounding": Disagreement(
        '<inertial pos="0 0 0" mass="1" diaginertia="0.33 0.33 0.67"/>',
        (1, "rounding"),
        None,
        "MuJoCo has no tolerance; IC305 says that the digits are too few",
    ),
    "exact plate": Disagreement(
        '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.7 0.8" quat="1 0 0 0"/>',
        (1, "boundary"),
        None,
        "0.1 + 0.7 rounds below 0.8; the printed decimals are those of a plate",
    ),
    "global coordinates": Disagreement(
        f'<inertial pos="0 0 0" mass="1" {SIX}/><!-- coordinate="global" -->',
        (1, "consistent"),
        None,
        "verdicts do not depend on where the axes are; IC710 says that MuJoCo refuses it",
    ),
}


@pytest.mark.parametrize("name", DISAGREEMENTS)
def test_known_disagreements_are_as_they_are_known(name):
    known = DISAGREEMENTS[name]
    setting = 'coordinate="global"' if "global" in known.body else ""
    text = document(f"<body>{known.body}</body>", setting)
    (body,) = ic.check_model(text.encode()).bodies
    mass = None if np.isnan(body.judgement.mass) else body.judgement.mass
    assert (mass, body.judgement.verdict) == known.mine
    assert known.reason
    if known.theirs is None:
        assert refusal(text) is not None
    else:
        assert compiled(text).body_mass[1] == known.theirs


def test_a_replicate_is_one_body_here_and_several_there():
    text = document(f'<replicate count="3"><body name="x">{GOOD}</body></replicate>')
    assert compiled(text).nbody == 4
    model = ic.load(text.encode())
    assert len(model.bodies) == 1
    assert [problem.kind for problem in model.problems] == ["engine"]


# -- real models --------------------------------------------------------------------------------

REFUSED_MODELS = {
    "global coordinates no longer supported": "written for MuJoCo before 2.3.4",
    "unrecognized attribute: 'collision'": "an option of MuJoCo before 3.0",
    "unrecognized attribute: 'apirate'": "an option of MuJoCo before 3.2",
    "invalid keyword: 'fixed'": "a joint type that only Bullet knows",
    "required attribute missing: 'pos'": "IC004",
    "repeated name": "two assets have one name",
    "Schema violation: unrecognized element": "a part that is only included, in an <asset> or body",
    "Error opening file": "of an include that the collection lacks",
}
"""Why MuJoCo loads no model from a document of the corpus, and what that is."""


def loaded(path, text):
    """MuJoCo's model without what it includes and the collection lacks, not compiled."""
    beside = {file.name: file.read_bytes() for file in path.parent.glob("*.xml")}
    assert beside.pop(path.name)

    def kept(found):
        return found[0] if found[1] in beside else ""

    text = re.sub(r"<include file=\"([^\"]+)\"\s*/>", kept, text)
    return mujoco.MjSpec.from_string(text, include=beside)


@pytest.mark.corpus
def test_real_models_read_the_same(corpus):
    reasons, compared = set(), 0
    for path in sorted(corpus.rglob("*.xml")):
        if root_tag(path.read_bytes()) != "mujoco":
            continue
        try:
            spec = loaded(path, path.read_text(errors="replace"))
        except ValueError as error:
            (reason,) = (known for known in REFUSED_MODELS if known in str(error))
            reasons.add(reason)
            continue
        model = ic.load(path)
        bodies = [body for body in spec.bodies if body.name != "world"]
        if len(bodies) < len(model.bodies):  # those outside of <worldbody>, as we say
            assert any("ignores" in problem.message for problem in model.problems), path
            continue
        for mine, body, theirs in zip(ours(model), model.bodies, bodies, strict=True):
            assert bool(theirs.explicitinertial) == (mine is not None)
            assert body.moved == bool(theirs.joints), (path, body.name)
            if mine is not None and len(body.inertial.I_BBcm_Bi) == len(ENTRIES):
                assert body.name == (theirs.name or body.name)
                assert_same(mine, of_spec(spec, theirs))
                compared += 1
    assert reasons == REFUSED_MODELS.keys()
    assert compared > 150


@pytest.mark.parametrize("name", ["valid/arm.urdf", "diff/gripper.urdf"])
def test_what_mujoco_merges_and_rounds_is_told_apart_from_other_differences(name, data_dir):
    path = data_dir / name
    fuse = '<mujoco><compiler fusestatic="true"/></mujoco><link'
    spec = mujoco.MjSpec.from_string(path.read_text().replace("<link", fuse, 1))
    spec.compile()
    root, *others = diff_models(path, spec.to_xml().encode()).bodies
    assert (root.status, root.reason.partition(",")[0]) == ("only-a", "it stands still")
    assert any(body.a.merged for body in others)
    for body in others:
        assert body.status == "equal" or body.explanations[0].name == "rounded"
