"""Published tables of identified robots: exact verdicts, and their nearest bodies."""

import mujoco
import numpy as np
import pytest

import inertial_check as ic
import table_files
from inertial_check.identification.fit.cleaning import clean

NAMES = (
    "panda_gaz2019",
    "panda_gaz2019_sdp",
    "panda_explicit_robotics",
    "ur10e_mamedov2020",
    "lwr4_flobaroid",
    "lwr4_gaz2016_flobaroid",
    "iiwa14_kuka_tuwien",
    "iiwa14_halper2024",
)
SURVIVES_PRINTING = 1e-9
"""A margin that MuJoCo's own eigenvalues of a tensor do not lose to rounding."""


@pytest.fixture(scope="module", params=NAMES)
def table(request, datasets):
    return {each.name: each for each in table_files.tables(datasets)}[request.param]


@pytest.fixture
def cleaned(table):
    return clean(
        table.theta,
        order="urdf",
        about=table.about,
        margin=SURVIVES_PRINTING,
        bodies=table.links,
    )


def second_moment(row, about):
    """S about the centre of mass, in exact numbers."""
    m, h, (xx, xy, xz, yy, yz, zz) = row[0], row[1:4], row[4:]
    half = (xx + yy + zz) / 2
    S = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
    if about == "origin":
        S = [[S[i][j] - h[i] * h[j] / m for j in range(3)] for i in range(3)]
    return S


def inertia(S):
    trace = S[0][0] + S[1][1] + S[2][2]
    return [[trace * (i == j) - S[i][j] for j in range(3)] for i in range(3)]


def definite(A):
    """By the minors of a matrix of exact numbers."""
    second = A[0][0] * A[1][1] - A[0][1] * A[1][0]
    third = (
        A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1])
        - A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0])
        + A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0])
    )
    return A[0][0] > 0 and second > 0 and third > 0


def test_verdicts_are_those_of_the_decimals(table):
    judged = ic.check(table.theta, about=table.about)
    for i, row in enumerate(table.exact):
        S = second_moment(row, table.about)
        word = "consistent"
        if not definite(S):
            word = (
                "triangle inequality violated"
                if definite(inertia(S))
                else "negative principal moment"
            )
        assert word == table.verdicts[i], table.links[i]
        assert bool(judged.consistent[i]) == (word == "consistent")
        assert bool(judged.inertia_psd[i]) == (word != "negative principal moment")
        assert row[0] > 0


def test_margins_are_those_that_were_computed_with_more_digits(table):
    judged = ic.check(table.theta, about=table.about)
    trace = judged.principal_moments.sum(axis=1) / 2
    S = np.array([second_moment(row, table.about) for row in table.theta])
    sizes = np.abs(np.linalg.eigvalsh(S)).sum(axis=1)
    # the table's margins are over the trace; about the origin, theta holds them to its own digits
    np.testing.assert_allclose(judged.margin * sizes / trace, table.margins, atol=1e-11)


def test_links_published_as_consistent_come_back_bit_for_bit(table, cleaned):
    fine = np.array([word == "consistent" for word in table.verdicts])
    np.testing.assert_array_equal(cleaned.theta[fine], table.theta[fine])
    np.testing.assert_array_equal(cleaned.changed, ~fine)
    np.testing.assert_array_equal(cleaned.status, np.where(fine, "feasible", "projected"))
    assert cleaned.consistency.consistent.all()
    assert (cleaned.consistency.margin[~fine] >= SURVIVES_PRINTING * (1 - 1e-6)).all()


def test_the_others_are_proven_to_be_the_nearest(table, cleaned):
    for residual in (cleaned.primal_residual, cleaned.dual_residual, cleaned.gap):
        assert (residual <= 1e-9).all()
    for i in np.flatnonzero(cleaned.changed):
        before, after = (
            ic.InertialParameters.from_theta(theta[i], about=table.about).inertia_com
            for theta in (cleaned.given, cleaned.theta)
        )
        assert cleaned.distance[i] == pytest.approx(np.linalg.norm(after - before), rel=1e-3)


def mjcf(parameters, names):
    """One free body beside the other."""
    bodies = []
    for name, body in zip(names, parameters, strict=True):
        six = body.inertia_com[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        text = " ".join(repr(float(v)) for v in six)
        com = " ".join(repr(float(v)) for v in body.com)
        bodies.append(
            f'<body name="{name}"><freejoint/><inertial pos="{com}" mass="{float(body.mass)!r}" '
            f'fullinertia="{text}"/></body>'
        )
    return f"<mujoco><worldbody>{''.join(bodies)}</worldbody></mujoco>"


def test_every_cleaned_table_loads_in_mujoco(table, cleaned):
    model = mujoco.MjModel.from_xml_string(mjcf(cleaned.parameters, table.links))
    np.testing.assert_allclose(model.body_mass[1:], cleaned.theta[:, 0])
    moments = np.sort(model.body_inertia[1:], axis=1)
    expected = cleaned.consistency.principal_moments
    np.testing.assert_allclose(moments, expected, atol=1e-9 * expected.max())


def test_as_they_are_only_consistent_ones_do(table):
    given = ic.InertialParameters.from_theta(table.theta, about=table.about)
    document = mjcf(given, table.links)
    if set(table.verdicts) == {"consistent"}:
        assert mujoco.MjModel.from_xml_string(document).nbody == len(table.links) + 1
        return
    with pytest.raises(ValueError, match="inertia"):
        mujoco.MjModel.from_xml_string(document)


def test_no_right_declaration_is_doubted(cleaned):
    assert cleaned.suspicions == ()


WRONG = {
    "panda_gaz2019": True,
    "panda_gaz2019_sdp": True,
    "panda_explicit_robotics": True,  # as its page has it
    "ur10e_mamedov2020": False,
    "lwr4_flobaroid": True,
    "lwr4_gaz2016_flobaroid": False,
    "iiwa14_kuka_tuwien": False,
    "iiwa14_halper2024": True,
}
"""Whether the wrong point is noticed: where either reading has slender links, it is not."""


def test_most_wrong_declarations_are(table):
    wrong = "com" if table.about == "origin" else "origin"
    found = clean(table.theta, order="urdf", about=wrong)
    assert bool(found.suspicions) == WRONG[table.name]
    if found.suspicions:
        assert f"about={table.about!r}" in found.remarks[0]
        assert found.declaration.odds > 100
