"""fix of a fluid's added mass: the nearest semidefinite 6x6, written and read again."""

import json

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.fixing.methods import find_nearest_semidefinite

ROWS = "xyzpqr"


def _sdf(mass: float, length: float, fluid: str) -> bytes:
    moments = "".join(
        f"<i{axis}>{mass * length**2 * k!r}</i{axis}>"
        for axis, k in zip(("xx", "yy", "zz"), (0.8, 1.6, 1.8), strict=True)
    )
    return (
        f'<sdf version="1.10"><model name="m"><link name="hull"><inertial><mass>{mass!r}</mass>'
        f"<inertia>{moments}</inertia><fluid_added_mass>{fluid}</fluid_added_mass>"
        "</inertial></link></model></sdf>"
    ).encode()


def _broken(mass: float, length: float, size: float, seed: int) -> tuple[bytes, np.ndarray]:
    """An added mass of full rank with one negative eigenvalue of a size beside the body's own."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    unit = np.sqrt([mass] * 3 + [mass * length**2] * 3)
    A = unit[:, None] * (Q @ np.diag([-size, 1, 2, 3, 4, 5]) @ Q.T) * unit
    A = (A + A.T) / 2
    text = "".join(
        f"<{ROWS[i]}{ROWS[j]}>{A[i, j]!r}</{ROWS[i]}{ROWS[j]}>"
        for i in range(6)
        for j in range(i, 6)
    )
    return _sdf(mass, length, text.replace("np.float64(", "").replace(")", "")), A


@pytest.mark.parametrize(("mass", "length"), [(1e-6, 1e-3), (1.0, 1.0), (1e5, 10.0)])
@pytest.mark.parametrize("seed", range(3))
def test_it_becomes_semidefinite_and_check_finds_nothing(
    mass: float, length: float, seed: int
) -> None:
    data, before = _broken(mass, length, 4.0, seed)
    assert "IC403" in [f.code for f in ic.check_model(data).findings]
    held = ic.fix_model(data)
    assert (held.bodies[0].status, held.changed) == ("needs-unsafe", False)
    assert not held.complete
    fix = ic.fix_model(data, unsafe=True)
    assert fix.bodies[0].status == "fixed"
    assert "IC403" not in [f.code for f in ic.check_model(fix.data).findings]
    after = ic.load(fix.data).added_mass[0]
    unit = np.sqrt([mass] * 3 + [mass * length**2] * 3)
    scaled = after / np.outer(unit, unit)
    assert np.linalg.eigvalsh(scaled)[0] >= -1e-12
    np.testing.assert_array_equal(ic.load(fix.data).theta, ic.load(data).theta)
    assert fix.bodies[0].added_mass == (
        tuple(map(tuple, before.tolist())),
        tuple(map(tuple, after.tolist())),
    )
    assert not ic.fix_model(fix.data, unsafe=True).changed
    # Only the numbers of the added mass have changed.
    lines = [line for line in fix.diff().splitlines() if line[:1] in "+-"][2:]
    assert all(line.count("<mass>") == 1 for line in lines)


@pytest.mark.parametrize("seed", range(5))
def test_nothing_semidefinite_is_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 6))
    A, root = A + A.T, np.exp(rng.normal(size=6))
    D = np.outer(root, root)
    found = find_nearest_semidefinite(A, D)
    gradient = D * (found - A)
    assert np.linalg.eigvalsh(D * found)[0] > -1e-13
    assert np.linalg.eigvalsh(gradient)[0] > -1e-13
    assert abs(np.sum(gradient * (D * found))) < 1e-12 * np.sum((D * A) ** 2)


def test_a_broken_body_and_its_broken_fluid_are_fixed_together() -> None:
    data = _sdf(1.0, 1.0, "<xx>-6</xx><yy>2</yy><zz>2</zz>").replace(
        b"<izz>1.8</izz>", b"<izz>2.5</izz>"
    )
    fix = ic.fix_model(data, unsafe=True)
    (body,) = fix.bodies
    assert body.status == "fixed"
    assert body.new is not None
    assert body.added_mass is not None
    assert not [f for f in ic.check_model(fix.data).findings if f.code == "IC403"]
    assert ic.check(ic.load(fix.data).theta).consistent.all()


@pytest.mark.parametrize(
    ("fluid", "status"),
    [
        ("<xx>6</xx><yy>24</yy>", "unchanged"),
        ("<xx>-0.1</xx><yy>24</yy>", "unchanged"),
        ("<xx>nan</xx><yy>24</yy>", "non-finite"),
        ("<xq>9</xq><yy>24</yy>", "unwritten"),
    ],
)
def test_what_becomes_of_others(fluid: str, status: str) -> None:
    """Sound sums stay, whatever the fluid alone is; entries that are not written are named."""
    (body,) = ic.fix_model(_sdf(1.0, 1.0, fluid), unsafe=True).bodies
    assert body.status == status


def test_the_report_shows_both_matrices(tmp_path, capsys) -> None:
    from inertial_check.programs.cli.main import main

    path = tmp_path / "hull.sdf"
    path.write_bytes(_sdf(1.0, 1.0, "<xx>-6</xx><yy>2</yy>"))
    main(["fix", str(path), "--unsafe", "--output-format", "json"])
    (shown,) = json.loads(capsys.readouterr().out)["files"][0]["bodies"]
    assert shown["added_mass"]["old"][0][0] == -6
    assert shown["added_mass"]["new"][0][0] == 0


@pytest.mark.parametrize("options", [{"cause": 1}, {"method": "geometry"}, {}])
def test_no_method_leaves_a_broken_fluid_in_silence(options: dict[str, object]) -> None:
    data, _ = _broken(1.0, 1.0, 4.0, 0)
    fix = ic.fix_model(data, unsafe=True, **options)
    assert "added mass" in fix.bodies[0].reason or fix.bodies[0].status == "no-such-cause"
    assert fix.bodies[0].status != "unchanged"
    assert fix.complete == (fix.bodies[0].status == "fixed")
