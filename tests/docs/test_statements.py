"""Numeric statements of the documentation, each found on its page by its sentence and recomputed.

A sentence is written here as the page has it, with (.*?) in place of each number: the numbers that
a check gets are those of the page. Checks compute by other ways than the package does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import exp, log, log10, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import inertial_check as ic
import nearest_search
from inertial_check.inertia import solids, tolerances
from inertial_check.inertia.representations import theta_from_pseudo_inertia
from inertial_check.projection import constraints as limit
from inertial_check.projection import margin as descent
from inertial_check.projection import regularised
from inertial_check.projection.priors import from_body, strictly_inside

ROOT = Path(__file__).resolve().parents[2]
EPS = 2.0**-52
STATEMENTS: list[Any] = []
DIAGONAL = [4, 7, 9]
BALL = np.array([3, 0, 0, 0, 2, 0, 0, 2, 0, 2])

Check = Callable[..., object]


def states(page: str, sentence: str) -> Callable[[Check], Check]:
    """Register the check of a sentence; the check asserts, or returns what has to be true."""

    def register(check: Check) -> Check:
        STATEMENTS.append(pytest.param(page, sentence, check, id=f"{page}: {sentence[:50]}"))
        return check

    return register


def read_number(text: str) -> float:
    """Read a number as pages print it: 1e-9, 10^{-3}, 120,000, 5 %."""
    text = re.sub(r"^10\^\{?(-?\d+)\}?$", r"1e\1", text.strip(" $"))
    return float(text.replace(",", ""))


@pytest.mark.parametrize(("page", "sentence", "check"), STATEMENTS)
def test_what_a_page_states_is_so(page: str, sentence: str, check: Check) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    pattern = re.escape(" ".join(sentence.split())).replace(re.escape("(.*?)"), r"(\S*?)")
    found = re.search(pattern + r"(?=\W|$)", text)
    assert found is not None, f"{page} does not say: {sentence}"
    assert check(*map(read_number, found.groups())) in (None, True)


def central(mass: float, moments: Any) -> list[float]:
    """Numbers of a body about its centre of mass, with a diagonal inertia."""
    a, b, c = moments
    return [mass, 0, 0, 0, a, 0, 0, b, 0, c]


def slack(moments: Any) -> float:
    """Margin of three principal moments: their triangle slack over twice the sum of |s_i|."""
    low, middle, high = sorted(Fraction(str(moment)) for moment in moments)
    spread = low + middle - high, low + high - middle, middle + high - low
    return float(spread[0] / sum(map(abs, spread)))


# theory.md


@states("docs/theory.md", "relative slack of the triangle inequality: $1/3$ for a sphere, (.*?) for"
        " a plate, a rod and a point, negative where no density exists")  # fmt: skip
def _(zero: float) -> None:
    kinds = [(0.4, 0.4, 0.4), (1, 2, 3), (0, 2, 2), (0, 0, 0), (1, 1, 3)]
    margins = [float(ic.check(central(2, each), about="com").margin) for each in kinds]
    assert margins[0] == pytest.approx(1 / 3, rel=4 * EPS)
    assert margins[1:4] == pytest.approx([zero] * 3, abs=4 * EPS)
    assert margins[4] < 0


@states("docs/theory.md", r"$$ \tau = (.*?)\, \varepsilon\, \kappa")
def _(factor: float) -> None:
    for dtype in (np.float64, np.float32):
        body = ic.InertialParameters.from_com(
            dtype(2), np.array([3, 0, 0], dtype), np.eye(3, dtype=dtype)
        )
        # k^2 = tr(S_c) / m = 1.5 / 2 and |c|^2 = 9
        for point, kappa in (("com", 1), ("origin", 1 + 9 / 0.75)):
            floor = ic.check(body.as_theta(about=point), about=point).tolerance
            assert float(floor) == pytest.approx(factor * np.finfo(dtype).eps * kappa, rel=1e-5)


@states("docs/theory.md", "a body a hundred radii of gyration from its origin has lost four digits")
def _() -> bool:
    return round(log10(1 + 100**2)) == 4


@states("docs/theory.md", r"`ill-posed`: data about the origin with $\tau > (.*?)$")
def _(floor: float) -> None:
    for distance, verdict in ((0.99, "consistent"), (1.01, "ill-posed")):
        c = distance * sqrt((floor / (8 * EPS) - 1) * 1.5 / 2)
        theta = ic.InertialParameters.from_com(2, [c, 0, 0], np.eye(3)).as_theta()
        assert (ic.check(theta).verdict == "ill-posed") is (verdict == "ill-posed")


@states("docs/theory.md", "as in `(.*?) + (.*?) < (.*?)`")
def _(first: float, second: float, largest: float) -> None:
    assert Fraction(str(first)) + Fraction(str(second)) < Fraction(str(largest))
    model = ic.load(ROOT / "data" / "arm.urdf")
    finger = ic.check_model(model).bodies[model.names.index("finger_left")].judgement
    assert sorted(finger.principal_moments) == sorted([first, second, largest])
    assert finger.verdict == "rounding"


@states("docs/theory.md", r"J_1' = J_1 - \tfrac(.*?) |s|, \qquad J_2' = J_2 + \tfrac(.*?) |s|,"
        r" \qquad J_3' = J_3 + \tfrac(.*?) |s|")  # fmt: skip
def _(*thirds: float) -> None:
    assert thirds == (13, 13, 13)  # \tfrac13
    moments = np.array([0.02, 0.03, 0.08])
    s = 0.08 - 0.05
    found = ic.project(central(1.2, moments), about="com").theta[DIAGONAL]
    np.testing.assert_allclose(found, moments + s / 3 * np.array([1, 1, -1]), rtol=64 * EPS)


@states("docs/theory.md", r"with $S' \succeq 0$: the negative eigenvalues of $S_c$ become zero")
def _() -> None:
    spreads = np.array([-0.3, 1.0, 2.0])
    found = ic.project(central(1, spreads.sum() - spreads), "covariance", about="com").theta
    kept = np.maximum(spreads, 0)
    np.testing.assert_allclose(found[DIAGONAL], kept.sum() - kept, rtol=64 * EPS)


@states("docs/theory.md", r"$m = (.*?)$, $I_c = \mathrm{diag}(1, 1, 3)$, $c = (0, 0, 2)$ has $I ="
        r" \mathrm{diag}(5, 5, 3)$ and is no body")  # fmt: skip
def _(mass: float) -> None:
    body = ic.InertialParameters.from_com(mass, [0, 0, 2], np.diag([1.0, 1, 3]))
    assert np.diag(body.inertia_origin).tolist() == [5, 5, 3]
    assert slack([5, 5, 3]) > 0 > slack([1, 1, 3])
    assert ic.check(body).verdict == "inconsistent"


@states(
    "docs/theory.md", "`realize` returns the proof: four point masses of $m/(.*?)$ that have them"
)
def _(count: float) -> None:
    body = ic.InertialParameters.from_com(3.0, [0.1, 0.2, 0.3], [2.0, 0.1, 0.2, 2.5, 0.3, 3.0])
    masses, points = ic.realize(body)
    assert masses.tolist() == [3.0 / count] * 4
    np.testing.assert_allclose(masses @ points, 3.0 * np.array([0.1, 0.2, 0.3]), rtol=1e-14)
    second = np.einsum("n,ni,nj->ij", masses, points, points)
    np.testing.assert_allclose(second, body.second_moment, rtol=1e-14, atol=1e-14)


# metrics.md


@states("docs/metrics.md", "at most $(.*?)$ relative to a body of size one")
def _(bound: float) -> bool:
    assert bound == tolerances.CERTIFIED
    rows = np.random.default_rng(0).normal(size=(50, 10)) + BALL
    found = [ic.project(rows, metric) for metric in ("inertia", "covariance", "euclidean")]
    found.append(ic.project(rows, "weighted", weights=np.arange(1.0, 11)))
    sound = [np.isin(each.status, ("projected", "feasible")) for each in found]
    assert all(each.mean() > 0.8 for each in sound)
    return all(max(r[ok].max() for r in each.certify()) <= bound
               for each, ok in zip(found, sound, strict=True))  # fmt: skip


@states("docs/metrics.md", "are solved again with at least $(.*?) |m_0|$, or `mass_min`")
def _(share: float) -> None:
    found = ic.project([-2.0, 0, 0, 0, 1, 0, 0, 1, 0, 1], "pseudo-inertia")
    assert found.status == "mass-floored"
    assert found.theta[0] == pytest.approx(share * 2, rel=1e-6)


@states("docs/metrics.md", "and the nearest inertia by metric `inertia` with a margin of (.*?).")
def _(margin: float) -> bool:
    rows = [central(1.2, (0.02, 0.03, 0.08)), central(1.0, (1, 1, 2))]
    for row in rows:
        nearest = ic.project(row, about="com", margin=margin).theta
        np.testing.assert_allclose(from_body(row, about="com").as_theta(about="com"), nearest,
                                   rtol=1e-12, atol=1e-14)  # fmt: skip
    return margin == tolerances.OWN_PRIOR_MARGIN


@states("docs/metrics.md", "a plate thinner than a twentieth of its width counts as that thick")
def _() -> None:
    # A square plate of thickness t and width 1 has s = (1, 1, t^2) m / 12.
    for thickness, kept in ((1 / 19, True), (1 / 30, False)):
        s = np.array([1, 1, thickness**2]) / 12
        plate = ic.InertialParameters.from_com(1, [0, 0, 0], np.diag(s.sum() - s))
        found = strictly_inside(plate).parameters
        least = np.linalg.eigvalsh(found.central_second_moment)[0]
        assert np.allclose(found.as_theta(), plate.as_theta(), rtol=1e-12) is kept
        assert sqrt(12 * least) == pytest.approx(thickness if kept else 1 / 20, rel=0.15)


# cleaning.md: three links, whose numbers the example of the page has

LOWER = np.array([2.3, 0.00, 0.02, 0.18, 0.024, 0.000, 0.001, 0.031, 0.002, 0.003])
HAND = np.array([0.8, 0.01, 0.00, 0.03, 0.002, 0.000, 0.000, 0.001, 0.000, 0.004])


def moved(theta: Any) -> tuple[float, float, float]:
    """Margin, distance [kg m^2] and change of moments [%] of an inertia with one violated facet."""
    xx, xy, xz, yy, yz, zz = theta[4:]
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    s = moments[0] + moments[1] - moments[2]
    change = abs(s) / sqrt(3)  # a third of the slack in each of three moments
    return s / (moments.sum() + 2 * abs(s)), change, 100 * change / np.linalg.norm(moments)


def agrees(number: float, value: float) -> bool:
    """Whether a number of three digits is that value, rounded."""
    return abs(number - value) <= 0.5 * 10.0 ** (np.floor(np.log10(abs(value))) - 2)


@states("docs/cleaning.md", "lower: inconsistent (margin (.*?)), moved by (.*?) kg m^2; principal"
        " moments by (.*?) %")  # fmt: skip
def _(*numbers: float) -> bool:
    return all(map(agrees, numbers, moved(LOWER)))


@states("docs/cleaning.md", "hand: inconsistent (margin (.*?)), moved by (.*?) kg m^2; principal"
        " moments by (.*?) %")  # fmt: skip
def _(*numbers: float) -> bool:
    return all(map(agrees, numbers, moved(HAND)))


# Margins, in theory.md, metrics.md and cleaning.md

SOME = np.random.default_rng(7).normal(size=(40, 10))
SOME[:, 0] = np.abs(SOME[:, 0])


def moments_about(theta: Any, q: Any) -> tuple[float, Any]:
    """Mass and Pi (4, 4) about a point, for a body given about the origin."""
    Pi = np.asarray(ic.InertialParameters.from_theta(theta, about="origin").pseudo_inertia)
    X = np.eye(4)
    X[:3, 3] = -np.asarray(q)
    return float(theta[0]), X @ Pi @ X.T


def draw_with_margin(rng: Any, margin: float) -> Any:
    """Draw ten numbers about the origin of a body that has just this margin."""
    G = np.diag([0.0, *rng.uniform(0.1, 1, 2)])
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    S = Q @ (margin * np.trace(G) * np.eye(3) + (1 - 3 * margin) * G) @ Q.T
    body = ic.InertialParameters.from_com(1.5, rng.normal(size=3), np.trace(S) * np.eye(3) - S)
    return np.asarray(body.as_theta(about="origin"))


@states("docs/theory.md", r"at a fixed centre of mass $S_c = \mu_0 \operatorname{tr}(G) 1"
        r" + (1 - 3 \mu_0) G$ with $G \succeq 0$ is linear")  # fmt: skip
def _() -> None:
    rng = np.random.default_rng(0)
    for margin in (1e-6, 0.05, 0.2, 0.3):
        assert ic.check(draw_with_margin(rng, margin)).margin == pytest.approx(margin, rel=1e-7)
        found = ic.project(SOME[0], about="com", margin=margin).parameters.central_second_moment
        G = (found - margin * np.trace(found) * np.eye(3)) / (1 - 3 * margin)
        assert np.linalg.eigvalsh(G)[0] >= -1e-12 * np.trace(found)


@states("docs/theory.md", "two balls far apart have the margin, their sum is nearly a rod")
def _() -> None:
    ball = ic.InertialParameters.from_com(1, [0, 0, 0], 0.4 * np.eye(3))
    margin, rod = ic.check(ball).margin, ball + ball.translate([1e3, 0, 0])
    assert margin == pytest.approx(1 / 3, rel=4 * EPS)
    assert ic.check(rod).margin < 1e-5 * margin


@states("docs/theory.md", "Its hull is the whole cone")
def _() -> None:
    plate = np.array([2, 0.4, 0, 0.2, 1, 0.1, 0, 2, 0, 2.9])
    masses, points = ic.realize(ic.project(plate).theta)
    for radius in (1e-2, 1e-4):
        balls = [ic.InertialParameters.from_com(m, p, 0.4 * m * radius**2 * np.eye(3))
                 for m, p in zip(masses, points, strict=True)]  # fmt: skip
        whole = sum(balls[1:], balls[0]).as_theta(about="origin")
        assert np.abs(whole - ic.project(plate).theta).max() < 2 * radius**2 + 1e-14


@states("docs/theory.md", r"The bodies with their centre at $q$ have $\Pi \succeq \mu_0"
        r" \operatorname{tr}(S') E$ with $S'$ about $q$")  # fmt: skip
@states("docs/theory.md", r"with the centre within $R$ of $q$, $\Pi \succeq 0$ and"
        r" $\Pi \succeq \mu_0 (\operatorname{tr}(S') - R^2 m) E$ are convex")  # fmt: skip
def _() -> None:
    rng, E = np.random.default_rng(1), np.diag([1.0, 1, 1, 0])
    for margin in (0.05, 0.2, 1 / 3):
        for _ in range(20):
            theta = draw_with_margin(rng, margin)
            offset = rng.normal(size=3) * rng.choice([0.0, 1.0])
            m, Pi = moments_about(theta, theta[1:4] / theta[0] + offset)
            allowed = np.trace(Pi[:3, :3]) - offset @ offset * m
            assert np.linalg.eigvalsh(Pi - margin * allowed * E)[0] >= -1e-13 * np.trace(Pi)


@states("docs/theory.md", r"An estimate is at least its tangent beside the squared distance"
        r" ($\log^2$ bends down by $e^{-3}$ at most)")  # fmt: skip
def _() -> None:
    x = np.exp(np.linspace(-3.0, 6.0, 4001))
    bend = 2 * (1 - np.log(x)) / x**2
    assert bend.min() == pytest.approx(-exp(-3.0))
    rng = np.random.default_rng(4)
    N = rng.normal(size=(2, 200, 4, 4))
    Pi = N @ N.swapaxes(-1, -2) + 0.01 * np.eye(4)
    (a, b), change = np.asarray(theta_from_pseudo_inertia(Pi)), Pi[1] - Pi[0]
    one = np.broadcast_to(np.eye(4), Pi[0].shape)
    for metric, bends in (("entropic", 0.0), ("affine-invariant", exp(-3.0))):
        before, slope, _ = regularised.evaluate(one, a, metric)  # type: ignore[arg-type]
        after = regularised.evaluate(one, b, metric)[0]  # type: ignore[arg-type]
        square = np.einsum("nij,nij->n", change, change)
        tangent = before + np.einsum("nk,nk->n", slope, b - a) - bends / 2 * square
        assert (after >= tangent - 1e-12 * (before + square)).all()


@states("docs/metrics.md", r"`projected` has `dual_residual` and `gap` of at most $(.*?)$ relative")
@states(
    "docs/metrics.md", "With `margin`, `inertia` and `covariance` stay closed forms and certified"
)
def _(most: float = 1e-9) -> None:
    for metric in ("inertia", "covariance"):
        for about in ("com", "origin"):
            found = ic.project(SOME, metric, about=about, margin=0.1)
            rows = found.status == "projected"
            assert found.solver == "closed form"
            assert rows.sum() > 2
            assert np.maximum(found.gap, found.dual_residual)[rows].max() <= most
            assert ic.check(found.theta[rows]).margin.min() >= 0.1


@states(
    "docs/metrics.md", "`near` is at most (.*?) times (`factor`) as far as a lower bound that holds"
)
def _(most: float) -> None:
    found = ic.project(SOME[:12], "prior", prior=BALL, margin=0.2)
    near, bad = found.status == "near", found.status == "uncertified"
    assert near.any()
    assert 1 < found.factor[near].min() <= found.factor[near].max() <= most
    assert (found.factor[bad] > most).all()


@states("docs/metrics.md", "and above (.*?) nothing is claimed")
@states("docs/cleaning.md", "near (with a margin: at most (.*?) times as far as what is proven)")
def _(most: float) -> bool:
    """A flat tensor that is fixed with its mass free: two places far apart are as near."""
    six = dict(zip(("Ixx", "Iyy", "Izz"), (0.02, 0.03, 0.045), strict=True))
    flat = [1.0, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.045]
    limits = [limit.FixedEntries(six)]
    found = ic.project(flat, "euclidean", constraints=limits, margin=0.1)
    assert found.factor > most
    assert found.status == "uncertified"
    priors = np.tile(BALL, (6, 1))
    cleaned = ic.clean(SOME[:6], prior=priors, margin=0.2, order="urdf", about="origin")
    near = cleaned.status == "near"
    assert near.any()
    assert cleaned.gap[near].max() <= 1 - 1 / most
    return most == tolerances.NEAR


@states(
    "docs/metrics.md", "regions of centres of mass are shown to hold nothing nearer, (.*?) at most"
)
def _(boxes: float) -> bool:
    return boxes == descent.BOXES


@states("docs/metrics.md", "A point mass has no margin, and nothing is nearest to it.")
def _() -> None:
    point = [2.0, 0.4, 0, 0, 0, 0, 0, 0, 0, 0]
    for metric, given in (("inertia", {}), ("covariance", {}), ("prior", {"prior": BALL})):
        found = ic.project(point, metric, about="com", margin=0.1, **given)  # type: ignore[arg-type]
        assert found.status in {"no-nearest", "uncertified"}


@states("docs/metrics.md", "there `factor` compares square roots of what is minimised with a bound")
def _() -> None:
    some = SOME[:8]
    for metric in ("entropic", "affine-invariant"):
        plain = ic.project(some, metric, prior=BALL)  # type: ignore[arg-type]
        found = ic.project(some, metric, prior=BALL, margin=0.2)  # type: ignore[arg-type]
        task = nearest_search.Task(
            np.asarray(some),
            nearest_search.weights_of_prior(np.tile(BALL, (len(some), 1))),
            prior=np.tile(np.asarray(BALL, dtype=float), (len(some), 1)),
            rho=1.0,
            divergence=metric,
        )
        least, own = (nearest_search.objective(task, np.asarray(p.theta)) for p in (plain, found))
        open_ = found.status == "near"
        assert open_.any()
        assert (found.factor[open_] ** 2 <= own[open_] / least[open_] * (1 + 1e-9)).all()
        assert ic.check(found.theta).margin.min() >= 0.2 * (1 - 1e-12)


@states("docs/metrics.md", "Where the centre of mass is fixed, the answer is the nearest")
def _() -> None:
    given, limits = BALL + 0.7 * SOME[:6], [limit.FixedCom()]
    found = ic.project(given, "prior", prior=BALL, margin=0.2, constraints=limits)
    assert set(found.status) == {"projected"}


@states("docs/cleaning.md", "`margin`, [`constraints`](metrics.md#constraints) and `found.gap` are"
        " those of `ic.project`")  # fmt: skip
def _() -> None:
    given, limits = np.array([LOWER, HAND]), [limit.FixedMass()]
    cleaned = ic.clean(given, order="urdf", about="com", margin=0.1, constraints=limits)
    found = ic.project(given, about="com", margin=0.1, constraints=limits)
    np.testing.assert_array_equal(cleaned.theta, found.theta)
    np.testing.assert_array_equal(cleaned.gap, found.gap)


RADIUS, LENGTH = np.array([[0.07, 0.06, 0.05, 0.04, 0.04], [0.45, 0.40, 0.30, 0.12, 0.20]])


def log_density(along: float, across: float, term: float, median: float, strays: float) -> float:
    """Logarithm of the density of ln(along), if it holds a parallel-axis term of that size."""
    if along <= term:
        return log(strays)
    student = stats.t(2, loc=median).pdf(log((along - term) / across)) * along / (along - term)
    return log(student + strays)


@states("docs/cleaning.md", "has Student's $t$ distribution with two degrees of freedom, median"
        " (.*?) and scale (.*?), as links of published models have, beside a density of (.*?) for"
        " links like none")  # fmt: skip
def _(median: float, scale: float, strays: float) -> None:
    # Cylinders from the origin, |c| = L / 2: second moments about it L^2 / 3 along, r^2 / 4 + 0
    # across. The page gives the odds of this example.
    g, a = (LENGTH**2 / 3) / (LENGTH / 2) ** 2, (RADIUS**2 / 4) / (LENGTH / 2) ** 2
    told = sum(
        log_density(*each, 1, median, strays) - log_density(*each, 0, median, strays)
        for each in zip(g, a, strict=True)
    )
    assert scale == 1
    page = (ROOT / "docs/cleaning.md").read_text("utf-8")
    assert f"the odds are {float(f'{exp(told):.2g}'):,.0f} : 1" in page


@states("docs/cleaning.md", "Fewer than three links that differ say nothing; odds of (.*?) to 1"
        " against the declared point are a doubt")  # fmt: skip
def _(odds: float) -> bool:
    bodies = solids.cylinder(RADIUS, LENGTH, density=2700.0)
    theta = np.array(bodies.translate(LENGTH[:, None] * [0, 0, 0.5]).as_theta())
    found = [ic.clean(theta[:n], order="urdf", about="com") for n in (2, 3, 5)]
    assert not found[0].suspicions
    # Two cylinders and copies of them differ no more than two do.
    assert not ic.clean(theta[[0, 1, 0, 1]], order="urdf", about="com").suspicions
    assert found[2].suspicions
    return odds == 100


# README.md


@states("README.md", "no body has principal moments (.*?), (.*?), (.*?) kg m^2 38 |")
def _(*moments: float) -> bool:
    return slack(moments) < 0


@states("README.md", "[1.2 0. 0. 0. (.*?) 0. 0. (.*?) 0. (.*?)] projected")
def _(*moments: float) -> None:
    third = (Fraction("0.08") - Fraction("0.02") - Fraction("0.03")) / 3
    exact = (Fraction("0.02") + third, Fraction("0.03") + third, Fraction("0.08") - third)
    assert tuple(map(float, exact)) == moments


# fill.md: the arm of data/fill/arm.urdf, its shapes by hand

CAPSULE = pi * 0.05**2 * (0.3 + 4 / 3 * 0.05)
BOX = 0.08 * 0.06 * 0.3
FINGER = 0.02 * 0.01 * 0.08
LIGHTEST, HEAVIEST = 10, 25_000


@states("docs/fill.md", "[upper_arm] filled: its inertial was missing; (.*?) kg ((.*?) to (.*?) kg"
        " possible, a guess): (.*?) kg/m^3 in visual capsule")  # fmt: skip
def _(mass: float, least: float, most: float, density: float) -> None:
    # 9 kg, of which 4 kg are the base and two fingers 0.05 kg each; the forearm is at its lightest
    assert agrees(least, LIGHTEST * CAPSULE)
    assert agrees(most, 9 - 4 - 0.1 - LIGHTEST * BOX)
    assert density == round(mass / CAPSULE)


@states("docs/fill.md", "[forearm] filled: its inertial was missing; (.*?) kg ((.*?) to (.*?) kg"
        " possible, a guess): (.*?) kg/m^3 in visual box")  # fmt: skip
def _(mass: float, least: float, most: float, density: float) -> None:
    assert agrees(least, LIGHTEST * BOX)
    assert agrees(most, 9 - 4 - 0.1 - LIGHTEST * CAPSULE)
    assert density == round(mass / BOX)


@states("docs/fill.md", "0.05 kg (known): (.*?) kg/m^3 in visual box")
def _(density: float) -> bool:
    return density == pytest.approx(0.05 / FINGER)


@states("docs/fill.md", "Between the bounds `--density-range` (default (.*?) to (.*?) kg/m³")
def _(*densities: float) -> bool:
    return densities == (LIGHTEST, HEAVIEST)


# plausibility.md and randomisation.md


@states("docs/plausibility.md", "(.*?) for a thin shell")
def _(ratio: float) -> bool:
    return round(sqrt(1 / (3 / 5)), 1) == ratio  # <r^2> is r^2 of a shell, 3/5 r^2 of a ball


@states("docs/plausibility.md", "(.*?) between rod and ball")
def _(distance: float) -> bool:
    return round(float(np.linalg.norm(np.array([1, 0, 0]) - np.full(3, 1 / 3))), 2) == distance


@states("docs/randomisation.md", "Independent noise of (.*?) % on the moments of a uniform box"
        " gives no body in (.*?) % (edges 3 : 2 : 1) to (.*?) % (30 : 1 : 1)")  # fmt: skip
def _(noise: float, least: float, most: float) -> None:
    rng = np.random.default_rng(0)
    for edges, percent in (((3, 2, 1), least), ((30, 1, 1), most)):
        squares = np.square(edges)
        drawn = (squares.sum() - squares) * (1 + noise / 100 * rng.normal(size=(200_000, 3)))
        none = np.any([drawn[:, i] + drawn[:, j] < drawn[:, 3 - i - j]
                       for i, j in combinations(range(3), 2)], axis=0)  # fmt: skip
        assert 100 * none.mean() == pytest.approx(percent, abs=0.6)


# tolerances.md: every constant that the page names


@pytest.mark.parametrize(
    ("name", "number"),
    re.findall(
        r"^\* `([A-Z_]+)`, ([^:]+):", (ROOT / "docs/tolerances.md").read_text("utf-8"), re.M
    ),
)
def test_the_page_of_tolerances_has_their_values(name: str, number: str) -> None:
    number = number.replace("1 µm", "1e-6")
    assert float(number) == getattr(tolerances, name)
