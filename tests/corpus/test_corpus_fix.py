"""Real links that no body has: mended, judged exactly, loaded by an engine, nearest by search."""

import random
from collections import Counter

import numpy as np
import pytest

import inertial_check as ic
import oracles
import verdicts
from fixing import distance, matrix, nearest_inertia, texts, without_numbers
from inertial_check.checking.check import ReportContent
from inertial_check.checking.settings import Settings
from inertial_check.running.run import CheckRequest, check_paths

pytestmark = pytest.mark.corpus

SAMPLE = 40
LEAST = {"urdf": 51, "sdf": 16}
"""How many broken links there are at least, so that the tests test something."""
FLOOR = 8 * np.finfo(float).eps
ENGINE_FLOOR = 1e-14  # [kg m^2] MuJoCo's least eigenvalue, absolute

MODEL = """<robot name="one">
  <link name="base"/>
  <link name="body">
    <inertial>
      <origin xyz="0 0 0"/>
      <mass value="{mass}"/>
      <inertia ixx="{ixx}" ixy="{ixy}" ixz="{ixz}" iyy="{iyy}" iyz="{iyz}" izz="{izz}"/>
    </inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="base"/>
    <child link="body"/>
    <axis xyz="1 0 0"/>
  </joint>
</robot>
"""


def is_broken(row):
    """With mass > 0, printed decimals that no body has, and not numerically zero."""
    if row["cat"] != "inertial" or not row["mass"] > 0 or row["exact_psd"] is not False:
        return False
    return max(map(abs, row["I"])) >= row["mass"] * 1e-12


@pytest.fixture(scope="module", params=["urdf", "sdf"])
def form(request):
    return request.param


@pytest.fixture(scope="module")
def broken(corpus, form, request):
    """File -> name -> the row of each broken link."""
    rows = {
        file: some
        for file, some in verdicts.rows_of(corpus, form).items()
        if any(map(is_broken, some))
    }
    files = sorted(rows)
    if form == "urdf" and not request.config.getoption("--long"):
        files = sorted(random.Random(1).sample(files, SAMPLE))
    found = {}
    for file in files:
        own = [body for body in ic.load(corpus / file).bodies if body.span.file == 0]
        pairs = zip(own, rows[file], strict=True)
        found[file] = {body.name: row for body, row in pairs if is_broken(row)}
    return found


@pytest.fixture(scope="module")
def fixes(corpus, broken, form, tmp_path_factory):
    """File -> (document before, Fix, document after), fixed with --unsafe in a copy and written."""
    folder = tmp_path_factory.mktemp("copies")
    done = {}
    for index, file in enumerate(broken):
        copy = folder / f"{index}.{form}"
        copy.write_bytes((corpus / file).read_bytes())
        fix = ic.fix_model(copy, method="nearest", unsafe=True)
        fix.write()
        assert copy.read_bytes() == fix.data
        done[file] = ic.load((corpus / file).read_bytes()), fix, ic.load(copy)
    return done


@pytest.fixture(scope="module")
def mended(broken, fixes):
    """(file, row, BodyFix, six texts) of every broken link that was fixed."""
    found = []
    for file, rows in broken.items():
        _, fix, after = fixes[file]
        for body, result in zip(after.bodies, fix.bodies, strict=True):
            if body.name in rows and result.status == "fixed":
                found.append((file, rows[body.name], result, texts(body)))
    return found


def test_every_broken_link_is_fixed_unless_rounding_hides_the_break(broken, fixes, form, capsys):
    counts, wrong = Counter(), []
    for file, rows in broken.items():
        _, fix, _ = fixes[file]
        for result in fix.bodies:
            row = rows.get(result.name)
            if row is None:
                if result.status == "fixed":
                    wrong.append((file, result.name, "fixed, though a body has it"))
                continue
            kind = "rounding" if row["round_ok"] else "inconsistent"
            counts[f"{kind}: {result.status}"] += 1
            hidden = row["slack_rel"] >= -FLOOR  # boundary: nothing tells it from a plate
            if result.status != ("unchanged" if hidden else "fixed"):
                wrong.append((file, result.name, result.status, row["slack_rel"]))
            elif result.status == "fixed":
                counts["safe" if result.relative_change <= 0.05 else "unsafe"] += 1
    with capsys.disabled():
        print(f"\nbroken links of {len(broken)} files: {dict(sorted(counts.items()))}")
    assert not wrong, "\n" + "\n".join(map(str, wrong))
    assert counts["inconsistent: fixed"] >= LEAST[form]


def test_nothing_else_differs(broken, fixes):
    for file, (before, fix, after) in fixes.items():
        assert without_numbers(fix.data) == without_numbers(before.source.data), file
        for old, new, result in zip(before.bodies, after.bodies, fix.bodies, strict=True):
            assert old.name == new.name == result.name
            if old.inertial is None:
                continue
            if result.status != "fixed":
                assert texts_or_none(old) == texts_or_none(new), (file, old.name)
            else:
                assert tuple(float(text) for text in texts(new)) == result.new
            masses = [body.inertial.mass for body in (old, new)]
            assert len({mass and mass.text for mass in masses}) == 1
            assert [n.text for n in old.inertial.p_BoBcm_B] == [
                n.text for n in new.inertial.p_BoBcm_B
            ]


def texts_or_none(body):
    return {entry: number.text for entry, number in body.inertial.I_BBcm_Bi.items()}


def test_the_decimals_are_a_body_exactly(mended):
    for file, row, result, written in mended:
        assert oracles.is_consistent(written), (file, row["link"])
        single = np.array(result.new, dtype=np.float32)
        assert oracles.is_consistent(single.tolist()), (file, row["link"])


def test_they_are_the_nearest(mended):
    for file, row, result, _ in mended:
        assert distance(result.new, nearest_inertia(result.old)) < 1e-6, (file, row["link"])


def test_fixing_again_changes_nothing(fixes):
    for file, (_, fix, _) in fixes.items():
        assert not ic.fix_model(fix.data, method="nearest", unsafe=True).changed, file


def test_mujoco_loads_them_and_has_the_same_moments(mended, form, capsys):
    mujoco = pytest.importorskip("mujoco")
    loaded, refused = 0, []
    for file, row, result, written in mended:
        entries = dict(zip(oracles.ENTRIES, written, strict=True))
        document = MODEL.format(mass=repr(row["mass"]), **entries)
        moments = np.linalg.eigvalsh(matrix(result.new))
        if moments[0] < ENGINE_FLOOR:
            refused.append(f"{file} {row['link']}: a moment of {moments[0]:.1e} kg m^2")
            with pytest.raises(ValueError, match="inertia must have positive eigenvalues"):
                mujoco.MjModel.from_xml_string(document)
            continue
        model = mujoco.MjModel.from_xml_string(document)
        assert model.nbody == 2
        np.testing.assert_allclose(
            np.sort(model.body_inertia[1]), moments, rtol=1e-9, atol=1e-9 * moments[2]
        )
        loaded += 1
    with capsys.disabled():
        print(f"\nMuJoCo {mujoco.__version__} loads {loaded} mended links")
        print(f"below its absolute floor: {refused}")
    assert loaded >= LEAST[form]


def test_mujoco_refuses_them_before(mended):
    """The test above shows something only if the engine would not have loaded the originals."""
    mujoco = pytest.importorskip("mujoco")
    for _, row, result, _ in mended:
        entries = dict(zip(oracles.ENTRIES, map(repr, result.old), strict=True))
        with pytest.raises(ValueError, match="inertia must"):
            mujoco.MjModel.from_xml_string(MODEL.format(mass=repr(row["mass"]), **entries))


def test_a_spread_that_another_doubt_hid_refuses_no_remedy(corpus):
    """The bug: mending one of four legs showed that another spreads beyond its shapes."""
    folder = "bulletphysics+bullet3/examples/pybullet/gym/pybullet_data/quadruped"
    request = CheckRequest(
        [str(corpus / folder / "spirit40newer.urdf")],
        lambda path: Settings().validate(),
        content=ReportContent(remedies=True),
    )
    remedies = {each.body: each.remedy for each in check_paths(request).findings}
    assert remedies["RR_upper"].source == "twin"
    assert set(remedies["RR_upper"].bodies) == {"RR_upper", "RL_upper"}
