"""Draw the diagrams of the documentation, docs/diagrams/*.svg, by the program itself.

Each is one function below, with the file's name; colours of text and lines follow the light or dark
scheme of the reader.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import inertial_check as ic
from inertial_check.checking.engines.catalogue import predict
from inertial_check.documents.model import judge
from inertial_check.inertia import solids
from inertial_check.mechanics import equations

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).parent / "diagrams"
STYLE = (
    "<style>svg{color:#1d2125}@media(prefers-color-scheme:dark){svg{color:#e4e7ea}}"
    "text{fill:currentColor!important}</style>"
)
INK = re.compile(r"#(?:000000|262626|333333)\b")
ACTIONS = {"accept": 0, "warn": 1, "alter": 2, "replace": 2, "reject": 3, "drop": 3}
ARM = "data/recordings/arm.urdf"


def axes(width: float = 5.0, height: float = 3.0) -> tuple[Figure, mpl.axes.Axes]:
    """A figure with axes."""
    figure = Figure((width, height), layout="constrained")
    return figure, figure.add_subplot()


def bars(names: list[str], values: list[float], label: str) -> Figure:
    """Horizontal bars, the first on top."""
    figure, own = axes(5.0, 0.8 + 0.24 * len(names))
    own.barh(names[::-1], values[::-1], color="#3388cc")
    own.set_xlabel(label)
    return figure


def recording() -> tuple[object, np.ndarray, np.ndarray, np.ndarray]:
    """The arm, smooth positions along a path, velocities and accelerations."""
    arm = ic.load(ARM).tree()
    t = np.linspace(0, 4, 200)[:, None]
    w, phase = np.array([1.1, 1.7, 2.3]), np.array([0.0, 0.7, 1.9])
    wave = w * t + phase
    return arm, np.sin(wave), w * np.cos(wave), -(w**2) * np.sin(wave)


def theory() -> Figure:
    """Shapes between ball, rod and plate."""
    box = partial(solids.box, mass=1.0)
    own = [solids.sphere(1.0, mass=1.0), box([1, 1, 1e-3]), box([1e-3, 1e-3, 1])]
    own += [solids.cylinder(0.3, 1.0, mass=1.0), box([0.3, 0.6, 1.0])]
    own.append(solids.cone(0.5, 1.0, mass=1.0))
    moments = np.array([np.sort(np.asarray(each.principal_moments())) for each in own])
    theta = np.zeros((len(own), 10))
    theta[:, 0], theta[:, [4, 7, 9]] = 1.0, moments
    names = ["ball", "plate", "rod", "cylinder", "brick", "cone"]
    return ic.plot.principal_moments(theta, names=names, about="com", order="urdf")


def margins() -> Figure:
    """Margins of a model."""
    return ic.plot.margins(ic.load("data/arm.urdf"))


def triangle() -> Figure:
    """Bodies of a model in the triangle."""
    return ic.plot.principal_moments(ic.load("data/arm.urdf"))


def fix() -> Figure:
    """What a fix changes."""
    return ic.plot.fix(ic.fix_model("data/arm.urdf", unsafe=True))


def projection() -> Figure:
    """Bodies before and after their projection."""
    model = ic.load("data/arm.urdf")
    return ic.plot.principal_moments(ic.project(model))


def metrics() -> Figure:
    """Moments of one body after each metric."""
    theta = np.array([1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.08])
    names, figure_axes = ["given"], axes(5.0, 2.6)
    rows = [theta[[4, 7, 9]]]
    for metric in ("inertia", "covariance", "euclidean"):
        found = ic.project(theta, metric, order="urdf", about="origin")
        names.append(metric)
        rows.append(np.asarray(found.theta)[[4, 7, 9]])
    figure, own = figure_axes
    for k, entry in enumerate(("ixx", "iyy", "izz")):
        own.bar(np.arange(len(rows)) + 0.25 * k, [row[k] for row in rows], 0.22, label=entry)
    own.set_xticks(np.arange(len(rows)) + 0.25, names)
    own.set_ylabel("kg m²")
    own.legend(frameon=False)
    return figure


def randomisation() -> Figure:
    """Bodies drawn near one."""
    link = ic.InertialParameters.from_com(2.0, [0.1, 0, 0.2], [0.02, 0, 0, 0.03, 0, 0.04])
    drawn = ic.sample(link, 120, mass=0.05, com=0.1, spread=0.1, ratios=0.2, axes=0.05, rng=7)
    return ic.plot.principal_moments(drawn, names=[""] * 120)


def fill() -> Figure:
    """Bodies that fill gives inertials, with the interval of each mass."""
    found = [each for each in ic.fill("data/fill/arm.urdf", total_mass=9.0) if each.interval]
    figure, own = axes(5.0, 2.2)
    for k, each in enumerate(found):
        low, high = each.interval.mass
        own.plot([low, high], [k, k], color="#3388cc", linewidth=4, alpha=0.4)
        own.plot(float(each.parameters.mass), k, "o", color="#3388cc")
    own.set_yticks(range(len(found)), [each.name for each in found])
    own.set_xlabel("mass [kg]: as filled, and what the sum allows")
    return figure


def engines() -> Figure:
    """What engines do with the bodies of a model."""
    model = ic.load("data/arm.urdf")
    rows = predict(model, judge(model))
    names = list(rows[0])
    numbers = np.array([[ACTIONS[row[name].action] for name in names] for row in rows])
    figure, own = axes(6.0, 3.2)
    colours = mpl.colors.ListedColormap(["#8b9aa8", "#4f83b8", "#cf8a1d", "#c93c33"])
    own.imshow(numbers, cmap=colours, vmin=0, vmax=3, aspect="auto")
    own.set_xticks(range(len(names)), names, rotation=40, ha="right")
    own.set_yticks(range(len(rows)), model.names)
    own.set_title("grey: accepts, blue: warns, orange: alters, red: refuses", fontsize=9)
    return figure


def torques() -> Figure:
    """Torques of inverse dynamics along a path."""
    arm, q, u, du = recording()
    figure, own = axes()
    own.plot(np.linspace(0, 4, 200), equations.inverse_dynamics(arm, q, u, du))
    own.set_xlabel("time [s]")
    own.set_ylabel("torque [N m]")
    return figure


def energy() -> Figure:
    """Energies along a path."""
    arm, q, u, _ = recording()
    figure, own = axes()
    for name, values in (
        ("kinetic", equations.kinetic_energy(arm, q, u)),
        ("potential", equations.potential_energy(arm, q)),
    ):
        own.plot(np.linspace(0, 4, 200), values, label=name)
    own.set_xlabel("time [s]")
    own.set_ylabel("energy [J]")
    own.legend(frameon=False)
    return figure


def identified() -> ic.Identification:
    """Bodies identified along a path."""
    arm, q, u, du = recording()
    Y = equations.regressor(arm, q, u, du)
    tau = Y @ arm.theta.ravel() + np.random.default_rng(0).normal(0, 0.05, (200, 3))
    names = list(arm.names[1:4])
    return ic.identify(Y[:, :, 10:40], tau, 1.2 * arm.theta[1:4], bodies=names, weights=20.0)


def identification() -> Figure:
    """What samples decide of each parameter."""
    return ic.plot.identification(identified())


def singular_values() -> Figure:
    """Singular values of a regressor, of which the large ones are base parameters."""
    values = identified().singular_values
    figure, own = axes()
    own.semilogy(np.arange(1, len(values) + 1), np.maximum(values, values[0] * 1e-17), "o")
    own.set_xlabel("combination")
    own.set_ylabel("singular value")
    return figure


def excitation() -> Figure:
    """Positions of joints along an exciting path."""
    _, q, _, _ = recording()
    figure, own = axes()
    own.plot(np.linspace(0, 4, 200), q)
    own.set_xlabel("time [s]")
    own.set_ylabel("position [rad]")
    return figure


def condition() -> Figure:
    """How the condition of the base parameters falls with the samples of a path."""
    arm, q, u, du = recording()
    Y = equations.regressor(arm, q, u, du)[:, :, 10:40]
    counts = [12, 20, 40, 80, 120, 200]
    values = [ic.base_parameters(Y[:count]).condition for count in counts]
    figure, own = axes()
    own.plot(counts, values, "o-")
    own.set_xlabel("samples")
    own.set_ylabel("condition")
    return figure


def survey() -> Figure:
    """Findings of the survey by rule."""
    text = (ROOT / "docs" / "survey.md").read_text(encoding="utf-8")
    found = re.findall(r"^\* \[(IC\d+)\]\([^)]*\) ([a-z-]+): (\d+) in", text, re.MULTILINE)[:14]
    names = [f"{code} {name}" for code, name, _ in found]
    return bars(names, [int(count) for *_, count in found], "findings")


def causes() -> Figure:
    """Causes of the findings of a model with their confidence."""
    report = ic.check_model("data/arm.urdf")
    found = {
        f"{finding.body}: {cause.cause}": cause.confidence
        for finding in report.findings
        for cause in finding.causes[:3]
    }
    return bars(list(found), list(found.values()), "confidence")


def solids_() -> Figure:
    """Margins of uniform solids."""
    names = ["ball", "cube", "cylinder 1:3", "brick 3:6:10", "plate 1:20"]
    box = partial(solids.box, mass=1.0)
    own = [solids.sphere(1.0, mass=1.0), box([1, 1, 1]), solids.cylinder(1 / 3, 2.0, mass=1.0)]
    own += [box([3, 6, 10]), box([20, 20, 1])]
    theta = np.zeros((len(own), 10))
    theta[:, 0] = 1.0
    theta[:, [4, 7, 9]] = [np.asarray(each.principal_moments()) for each in own]
    return bars(names, ic.check(theta, order="urdf", about="com").margin.tolist(), "margin")


DIAGRAMS: dict[str, Callable[[], Figure]] = {
    "theory": theory, "margins": margins, "triangle": triangle,
    "fix": fix, "projection": projection, "metrics": metrics, "randomisation": randomisation,
    "fill": fill, "engines": engines, "torques": torques, "energy": energy,
    "identification": identification, "singular-values": singular_values,
    "excitation": excitation, "condition": condition, "survey": survey, "causes": causes,
    "solids": solids_,
}  # fmt: skip
"""The diagrams by the names of their files."""


def draw(make: Callable[[], Figure]) -> str:
    """Draw a diagram as SVG whose ink follows the scheme of the reader."""
    settings = {"svg.fonttype": "none", "svg.hashsalt": "inertial-check", "font.size": 9}
    with mpl.rc_context(settings):
        stream = io.StringIO()
        figure = make()
        figure.patch.set_alpha(0)
        for each in figure.axes:
            each.patch.set_alpha(0)
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = INK.sub("currentColor", stream.getvalue())
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    start = text.index(">", text.index("<svg")) + 1
    return text[:start] + STYLE + text[start:]


def main() -> int:
    """Draw all diagrams."""
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or DIAGRAMS:
        (FOLDER / f"{name}.svg").write_text(draw(DIAGRAMS[name]), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
