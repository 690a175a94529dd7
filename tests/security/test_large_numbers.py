"""Attacks with numbers near the ends of the floating-point range: no size is an excuse."""

import json
import subprocess
import sys

import numpy as np
import pytest

import inertial_check as ic
from array_libraries import Library
from exact_verdicts import judge_exactly
from inertial_check.documents.numbers import MOST_DIGITS

LARGEST = np.finfo(float).max
ORDINARY = [1.0, 0.1, 0.0, 0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.25]
ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@pytest.fixture
def rng():
    return np.random.default_rng(15)


def urdf(six=("0.1", "0", "0", "0.1", "0", "0.1"), mass="1", xyz="0 0 0"):
    numbers = " ".join(f'{name}="{text}"' for name, text in zip(ENTRIES, six, strict=True))
    return (
        f'<robot name="r"><link name="a"><inertial><origin xyz="{xyz}"/><mass value="{mass}"/>'
        f"<inertia {numbers}/></inertial></link></robot>"
    )


def draw_rows(rng, count, dtype):
    """Rows with exponents from all of the range: of each number, of each kind, and coupled."""
    info = np.finfo(dtype)
    low, high = int(np.log2(float(info.smallest_subnormal))), int(info.maxexp)
    spreads = rng.uniform(0.05, 1, (count, 3))
    rows = 0.1 * rng.normal(size=(count, 10))
    rows[:, [4, 7, 9]] = spreads.sum(axis=1)[:, None] - spreads
    rows[:, 0] = np.abs(rows[:, 0])
    powers = np.repeat(rng.integers(low, high, (count, 3)), (1, 3, 6), axis=1)
    powers[::3] = rng.integers(low, high, (len(powers[::3]), 10))
    powers[1::3, 1:4] = ((powers[1::3, 0] + powers[1::3, 4]) // 2)[:, None]
    with np.errstate(all="ignore"):
        rows = np.clip(np.ldexp(rows, powers), -info.max, info.max).astype(dtype)
    rows[rng.random(rows.shape) < 0.1] = 0
    rows[rng.random(rows.shape) < 0.05] = info.max
    rows[rng.random(rows.shape) < 0.02] = info.smallest_subnormal
    return rows


class TestVerdicts:
    @pytest.mark.parametrize("about", ["origin", "com"])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_rows_of_any_size_have_the_verdict_of_exact_arithmetic(self, rng, dtype, about):
        rows = draw_rows(rng, 600, dtype)
        found = ic.check(rows, about=about)
        eps = float(np.finfo(dtype).eps)
        for row, word, margin, tolerance in zip(
            rows, found.verdict, found.margin, found.tolerance, strict=True
        ):
            expected, exact = judge_exactly(row, about, eps)
            assert expected in (None, word), row.tolist()
            if expected in {"consistent", "inconsistent"}:
                assert abs(margin - exact) <= 16 * tolerance

    @pytest.mark.parametrize("entry", range(4, 10))
    @pytest.mark.parametrize("share", [1.0, 0.75, 0.5, 0.25])
    def test_one_huge_entry_beside_ordinary_moments_is_inconsistent(self, entry, share):
        row = np.array([1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1])
        row[entry] = share * LARGEST
        assert ic.check(row).verdict == "inconsistent"
        assert ic.check([ORDINARY, row]).verdict.tolist() == ["consistent", "inconsistent"]

    def test_ordinary_rows_are_the_same_to_the_bit_beside_huge_ones(self, rng):
        rows = np.abs(rng.normal(size=(200, 10))) * np.array([1, *[0.1] * 3, *[1] * 6])
        alone, mixed = ic.check(rows), ic.check(np.concatenate([rows, np.full((1, 10), LARGEST)]))
        for name in ("margin", "tolerance", "principal_moments", "verdict_code", "witness"):
            before, after = getattr(alone, name), getattr(mixed, name)[:-1]
            assert np.array_equal(before, after, equal_nan=True)

    @pytest.mark.filterwarnings("error")
    def test_every_property_of_a_huge_row_is_computed_without_a_warning(self):
        found = ic.check([[1.0, 0, 0, 0, 0.1, LARGEST, 0, 0.1, 0, 0.1]])
        assert found.margin == pytest.approx(-0.5)
        assert not found.inertia_psd
        assert np.linalg.norm(found.witness) == pytest.approx(1)
        masses, points = ic.realize([4.0, 0, 0, 0, LARGEST, 0, 0, LARGEST, 0, LARGEST])
        assert np.all(masses == 1)
        assert np.all(np.isfinite(points))

    @pytest.mark.parametrize("name", ["jax", "torch", "array_api_strict"])
    def test_other_array_libraries_give_the_same_verdicts(self, rng, name):
        library = Library(name)
        rows = draw_rows(rng, 120, np.float32)
        found = ic.check(library.array(rows.astype(float), "float32"))
        assert found.verdict.tolist() == ic.check(rows).verdict.tolist()

    def test_a_traced_check_judges_a_huge_row(self):
        jax = pytest.importorskip("jax")
        row = jax.numpy.asarray([1, 0, 0, 0, 0.1, 3e38, 0, 0.1, 0, 0.1], dtype="float32")
        codes = jax.jit(jax.vmap(lambda theta: ic.check(theta).verdict_code))(row[None])
        assert int(codes[0]) == int(ic.Verdict.INCONSISTENT)
        slope = jax.jit(jax.grad(lambda theta: ic.check(theta).margin))(row)
        assert np.all(np.isfinite(np.asarray(slope)))


class TestProjection:
    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("metric", ["inertia", "covariance", "euclidean", "pseudo-inertia"])
    def test_no_huge_row_is_answered_by_garbage_or_decides_over_another(self, metric):
        bad = [1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.3]
        huge = [[1.0, 0, 0, 0, 0.1, 1e308, 0, 0.1, 0, 0.1], [1.0, *[LARGEST] * 9]]
        tiny = [[1.0, 0, 0, 0, 5e-324, 0, 0, 5e-324, 0, 1.5e-323]]
        alone = ic.project([bad, ORDINARY], metric)
        mixed = ic.project([bad, ORDINARY, *huge, *tiny], metric)
        assert np.array_equal(mixed.theta[:2], alone.theta)
        for given, theta, status in zip(
            [*huge, *tiny], mixed.theta[2:], mixed.status[2:], strict=True
        ):
            if status == "no-nearest":
                assert theta.tolist() == given
            else:
                assert status == "projected"
                assert ic.check(theta).consistent

    def test_huge_moments_are_projected_as_ordinary_ones(self):
        row = np.array([1.0, 0, 0, 0, 0.25, 0, 0, 0.25, 0, 1.0])
        scaled = row * np.array([1.0, *[1.0] * 3, *[2.0**1023] * 6])
        expected, found = ic.project(row), ic.project(scaled)
        assert (found.theta[4:] / 2.0**1023).tolist() == pytest.approx(expected.theta[4:].tolist())
        assert found.relative_change == pytest.approx(expected.relative_change)
        assert found.distance == pytest.approx(expected.distance * 2.0**1023)


def run_cli(*arguments):
    return subprocess.run(
        [sys.executable, "-W", "default", "-m", "inertial_check", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


class TestFiles:
    @pytest.mark.parametrize("entry", ENTRIES)
    def test_a_file_with_one_huge_entry_fails_the_check(self, tmp_path, entry):
        six = ["0.1" if name[1] == name[2] else "0" for name in ENTRIES]
        six[ENTRIES.index(entry)] = "1e308"
        path = tmp_path / "a.urdf"
        path.write_text(urdf(six))
        (body,) = ic.check_model(path).bodies
        assert body.judgement.verdict == "inconsistent"

    def test_all_sizes_together_leave_one_whole_report_and_nothing_on_stderr(self, tmp_path):
        documents = {
            "good": urdf(),
            "ixy": urdf(("0.1", "1e308", "0", "0.1", "0", "0.1")),
            "all": urdf([repr(LARGEST)] * 6),
            "ball": urdf(("1e308", "0", "0", "1e308", "0", "1e308")),
            "light": urdf(("1e308", "0", "0", "1e308", "0", "1e308"), mass="1e-300"),
            "subnormal": urdf(("5e-324", "0", "0", "5e-324", "0", "1.5e-323")),
            "offset": urdf(mass="1e308", xyz="1e308 0 0"),
        }
        for name, text in documents.items():
            (tmp_path / f"{name}.urdf").write_text(text)
        for command in (["check", "--output-format", "json"], ["fix", "--unsafe"]):
            done = run_cli(*command, tmp_path)
            assert done.returncode == 1
            assert "Warning" not in done.stderr
            assert "internal error" not in done.stdout + done.stderr
        report = json.loads(run_cli("check", "--output-format", "json", tmp_path).stdout)
        verdicts = {file["path"].rpartition("/")[2]: file["bodies"] for file in report["files"]}
        assert len(verdicts) == len(documents)
        found = [finding["code"] for file in report["files"] for finding in file["findings"]]
        assert "IC001" not in found


DIGITS = {
    "an integer of 5,000 digits": "1" * 5000,
    "a decimal of 2,000 digits": "0." + "1" * 2000,
    "an exponent of a million digits": "1e-" + "9" * 1_000_000,
    "an exponent of 5,000 zeros": "0.1e" + "0" * 5000 + "1",
}
SMALL = {"an exponent of minus 10^12": "1e-999999999999", "a zero with it": "0e-999999999999"}


class TestDigits:
    @pytest.mark.parametrize("text", DIGITS.values(), ids=DIGITS)
    def test_a_number_of_too_many_digits_is_a_finding(self, text):
        report = ic.check_model(urdf((text, "0", "0", "0.1", "0", "0.1")).encode())
        message = " ".join(finding.message for finding in report.findings)
        assert f"the limit is {MOST_DIGITS}" in message
        assert len(message) < 5000

    @pytest.mark.parametrize("text", [*SMALL.values(), "0." + "1" * 400, "0." + "0" * 400 + "1"])
    def test_other_extreme_decimals_are_read_checked_and_fixed(self, text):
        for six in ((text, "0", "0", "0.1", "0", "0.3"), ("0.1", "0", "0", "0.1", "0", text)):
            assert ic.check_model(urdf(six).encode()).bodies
            assert ic.fix_model(urdf(six).encode(), unsafe=True).bodies is not None


FORMS = {
    "sdf": "<sdf version='1.9'><model name='m'><link name='l'><inertial><mass>1</mass><inertia>"
    "<ixx>{}</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.1</iyy><iyz>0</iyz><izz>0.1</izz></inertia>"
    "</inertial></link></model></sdf>",
    "xml": "<mujoco><worldbody><body name='b'><inertial pos='0 0 0' mass='1' "
    "diaginertia='{} 0.1 0.1'/></body></worldbody></mujoco>",
    "yaml": "l:\n  mass: 1\n  inertia: {{ixx: {}, iyy: 0.1, izz: 0.1, ixy: 0, ixz: 0, iyz: 0}}\n",
    "usda": '#usda 1.0\ndef Xform "a" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI", '
    '"PhysicsMassAPI"]\n)\n{{\n    float physics:mass = 1\n    float3 physics:diagonalInertia = '
    "({}, 0.1, 0.1)\n    quatf physics:principalAxes = (1, 0, 0, 0)\n}}\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_format_refuses_long_numbers_and_reads_extreme_ones(tmp_path, form):
    if form == "usda":
        pytest.importorskip("pxr")
    path = tmp_path / f"a.{form}"
    for text in ("1" * 5000, "1e-" + "9" * 5000):
        path.write_text(FORMS[form].format(text))
        report = ic.check_model(path)
        assert any(f"the limit is {MOST_DIGITS}" in found.message for found in report.findings)
        assert [body.judgement.verdict for body in report.bodies] == ["invalid"]
        assert ic.fix_model(path, unsafe=True).bodies is not None
    for text in (*SMALL.values(), "1e308", "0." + "1" * 400, "0." + "0" * 400 + "1"):
        path.write_text(FORMS[form].format(text))
        assert len(ic.check_model(path).bodies) == 1
