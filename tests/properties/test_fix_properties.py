"""Whatever six numbers a file holds, in whatever style: what `fix` promises holds."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import inertial_check as ic
import oracles
from fixing import (
    LINK,
    TEN,
    asking,
    attributes,
    causing,
    distance,
    meant,
    nearest_covariance,
    nearest_inertia,
    ten,
    texts,
    urdf,
    without_numbers,
)
from inertial_check.fixing.digits import significant_digits

ORACLES = {"inertia": nearest_inertia, "covariance": nearest_covariance}


@st.composite
def printed(draw):
    """Six texts of one tensor: any size, any axes, any violation, any number of digits."""
    spread = np.array(draw(st.lists(st.floats(-1, 1), min_size=3, max_size=3)))
    if draw(st.booleans()):  # nearly a plate or a rod
        spread = np.abs(spread)
        spread[: draw(st.integers(1, 2))] *= -(10.0 ** draw(st.integers(-14, -1)))
    assume(np.abs(spread).max() > 1e-3)
    if draw(st.booleans()):
        q, _ = np.linalg.qr(
            np.reshape(draw(st.lists(st.floats(-1, 1), min_size=9, max_size=9)), (3, 3))
        )
    else:
        q = np.eye(3)[draw(st.permutations(range(3)))]
    second = q @ np.diag(spread * 10.0 ** draw(st.integers(-9, 3))) @ q.T
    six = oracles.six_of(np.trace(second) * np.eye(3) - second)
    style, digits = draw(st.sampled_from("gef")), draw(st.integers(1, 16))
    return tuple(f"{value:.{digits}{style}}" for value in six)


@given(st.lists(printed(), min_size=1, max_size=3), st.sampled_from(sorted(ORACLES)))
def test_a_fixed_document(tensors, metric):
    # A light body: none of these tensors is numerically zero.
    document = urdf(*tensors, mass="1e-12").encode()
    fix = ic.fix_model(document, metric=metric, unsafe=True)
    assert without_numbers(fix.data) == without_numbers(document)
    model, again = ic.load(document), ic.load(fix.data)
    for old, new, body in zip(model.bodies, again.bodies, fix.bodies, strict=True):
        if body.status != "fixed":
            assert body.status in ("unchanged", "no-nearest", "numerically-zero", "digits-lost")
            assert texts(new) == texts(old)
            continue
        written = texts(new)
        assert oracles.is_consistent(written)  # the decimals themselves
        assert oracles.is_consistent([float(text) for text in written])
        single = np.array([float(text) for text in written], dtype=np.float32)
        assert oracles.is_consistent(single.tolist())
        for values in (single.astype(float), single):
            low, middle, high = np.linalg.eigvalsh(oracles_matrix(values))
            assert low > 0
            assert high <= low + middle
        nearest = ORACLES[metric](body.old)
        # The oracle's own eigenvalues err by eps times the given tensor's size.
        size = np.linalg.norm(oracles_matrix(body.old)) / np.linalg.norm(nearest)
        assert distance(body.new, nearest) < 1e-6 + 1e-14 * size
        for before, after in zip(texts(old), written, strict=True):
            assert float(after) == 0 or significant_digits(after) >= min(
                significant_digits(before), 17
            )
            assert ("e" in after) or "e" not in before or after == "0"
    assert not ic.fix_model(fix.data, metric=metric, unsafe=True).changed


def oracles_matrix(six):
    return np.asarray(six)[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)


@given(printed(), st.floats(0, 1 / 3), st.sampled_from(sorted(ORACLES)))
def test_a_margin_holds_in_the_file(six, margin, metric):
    fix = ic.fix_model(urdf(six, mass="1e-12").encode(), metric=metric, margin=margin, unsafe=True)
    (body,) = fix.bodies
    assume(body.status == "fixed")
    assert oracles.margin(body.new) >= margin - 1e-15
    assert not ic.fix_model(fix.data, metric=metric, margin=margin, unsafe=True).changed


@given(printed(), st.floats(0, 0.5))
def test_max_change_is_kept(six, allowed):
    fix = ic.fix_model(urdf(six, mass="1e-12").encode(), max_change=allowed)
    (body,) = fix.bodies
    if body.status == "fixed":
        assert body.relative_change <= allowed
    elif body.status == "needs-unsafe":
        assert body.relative_change > allowed
        assert not fix.changed


SLIPPED = ("0.02", "0", "0", "0.03", "0", "0.40")
ANY = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(st.dictionaries(st.sampled_from(TEN), ANY, min_size=1), st.booleans())
def test_a_cause_changes_its_own_numbers_and_no_other_byte(wanted, sound):
    """Whatever is meant: it is written exactly, or nothing is."""
    if sound:
        wanted = {"mass": 2.0, **wanted, "ixx": 0.02, "iyy": 0.03, "izz": 0.04}
        wanted = {
            name: value for name, value in wanted.items() if name not in ("ixy", "ixz", "iyz")
        }
        wanted["mass"] = abs(wanted["mass"]) + 1e-3
    document = urdf(SLIPPED, SLIPPED).encode()
    with causing(link0=[meant(**wanted)]):
        fix = ic.fix_model(document, cause=1, unsafe=True)  # also what it is then warned of
    body, other = fix.bodies
    assert other.status == "no-such-cause"
    if body.status != "fixed":
        given_numbers = {"mass": 1.5, "x": 0.01, "y": -0.02, "z": 0.3, "ixx": 0.02, "iyy": 0.03}
        given_numbers |= {"izz": 0.4, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
        nothing = all(wanted[name] == given_numbers[name] for name in wanted)
        status = "cause-without-edit" if nothing else "cause-refused"
        assert (body.status, body.new, fix.data) == (status, None, document)
        assert not sound
        return
    was, now = ten(ic.load(document).bodies[0]), ten(ic.load(fix.data).bodies[0])
    for name in TEN:
        if name in wanted:
            assert float(now[name]) == wanted[name] or (
                abs(float(now[name]) - wanted[name]) <= 4e-15 * abs(wanted[name])
            )
        else:
            assert now[name] == was[name]
    inertia = attributes(now[entry] for entry in TEN[4:])
    center = " ".join(now[name] for name in "xyz")
    expected = LINK.replace("0.01 -0.02 0.3", center).format(
        name="link0", rpy="0 0 0", mass=now["mass"], inertia=inertia
    )
    given_link = LINK.format(name="link0", rpy="0 0 0", mass="1.5", inertia=attributes(SLIPPED))
    assert fix.data == document.replace(given_link.encode(), expected.encode(), 1)
    assert body.new == tuple(float(now[entry]) for entry in TEN[4:])


@given(printed())
def test_a_floor_holds_in_the_file_and_in_single_precision(six):
    """What an engine asks of the least moment is there after printing, whatever was there."""

    def refusal(mass, com, entries):
        low, middle, high = np.linalg.eigvalsh(oracles_matrix(entries))
        return "refused" if low < 1e-14 or low + middle < high else None

    document = urdf(six, mass="1e-12").encode()
    with asking(refusal):
        fix = ic.fix_model(document, engines=["mujoco"], unsafe=True)
    (body,) = fix.bodies
    assert without_numbers(fix.data) == without_numbers(document)
    assert body.status in ("fixed", "unchanged", "no-nearest", "numerically-zero", "digits-lost")
    assume(body.status == "fixed")
    assert refusal(None, None, body.new) is None
    assert oracles.is_consistent(np.float32(body.new).tolist())
    with asking(refusal):
        again = ic.fix_model(fix.data, engines=["mujoco"], unsafe=True)
    assert not again.changed
