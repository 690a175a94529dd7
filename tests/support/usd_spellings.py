"""USD documents of one body with every spelling of an inertial, for tests that read them all."""

import re

import numpy as np

DOCUMENT = """#usda 1.0
(
    defaultPrim = "link"
    metersPerUnit = {meters}
    kilogramsPerUnit = {kilograms}
    upAxis = "Z"
)
def Xform "link" (
    prepend apiSchemas = [{schemas}]
)
{{
{lines}
}}
"""
COLLIDER = """    def Cube "box" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
        double size = 0.2
    }"""
"""A collider of 0.008 m^3 at the origin: 8 kg, I = 0.4 * 8 / 6 * 0.1 kg m^2 at 1000 kg/m^3."""


def pick(rng, **choices):
    """One of the choices, by their weights."""
    weights = np.array(list(choices.values()), dtype=float)
    return str(rng.choice(list(choices), p=weights / weights.sum()))


def print_numbers(values):
    return ", ".join(repr(float(value)) for value in values)


def tensor_of(rng):
    """Principal moments of a body, and a unit quaternion w, x, y, z."""
    x, y, z = rng.uniform(0.05, 0.4, size=3)
    moments = np.array([y * y + z * z, x * x + z * z, x * x + y * y]) * rng.uniform(0.2, 3)
    axes = rng.normal(size=4)
    return moments, axes / np.linalg.norm(axes)


def rotation(axes):
    w, x, y, z = axes
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def newton_inertia(moments, axes):
    """The same tensor in the order of newton:inertia."""
    turned = rotation(axes) @ np.diag(moments) @ rotation(axes).T
    return turned[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def validated(seed):
    """Such a document whose collider may have a mass, and whose stage other metadata."""
    rng = np.random.default_rng([seed, 1])
    text = spelled(seed)
    if COLLIDER in text and rng.random() < 0.6:
        mass = pick(rng, none=1, zero=1, positive=2, negative=1)
        lines = {
            "none": "",
            "zero": "float physics:mass = 0",
            "positive": "float physics:mass = 0.5",
            "negative": "float physics:mass = -0.5",
        }[mass]
        with_mass = COLLIDER.replace('API"]', 'API", "PhysicsMassAPI"]').replace(
            "size = 0.2", f"size = 0.2\n        {lines}"
        )
        text = text.replace(COLLIDER, with_mass)
    if rng.random() < 0.4:  # of a body it has no effect, and is judged all the same
        model = pick(rng, none=1, solid=1, shell=2, foil=1)
        thickness = pick(rng, **{"none": 1, "0.002": 2, "0": 1, "-0.1": 1, "nan": 1, "-inf": 1})
        lines = [f'uniform token newton:massModel = "{model}"'] * (model != "none")
        lines += [f"float newton:shellThickness = {thickness}"] * (thickness != "none")
        shown = "".join(f"\n        {line}" for line in lines)
        old = "size = 0.2" if "size = 0.2" in text and rng.random() < 0.8 else "{\n"
        text = text.replace(old, f"{old}{shown}\n", 1)
    if rng.random() < 0.15:
        text = text.replace('"PhysicsMassAPI", ', "").replace(', "PhysicsMassAPI"]', "]")
    if rng.random() < 0.1:
        text = text.replace('    defaultPrim = "link"\n', "")
    if rng.random() < 0.3:
        text = text.replace('upAxis = "Z"', 'upAxis = "Y"')
    if rng.random() < 0.7:
        text = text.replace("    upAxis", "    timeCodesPerSecond = 1\n    upAxis")
    if rng.random() < 0.1:
        text = text.replace("metersPerUnit", "# metersPerUnit", 1)
    plate = rng.choice(4)
    if plate == 0 and "impossible" not in text:  # at the border, where float32 decides
        low, middle = rng.integers(1, 9, size=2) / 10
        shown = f"({low!s}, {middle!s}, {round(low + middle, 1)!s})"
        text = re.sub(r"diagonalInertia = \([^)]*\)", f"diagonalInertia = {shown}", text)
    return text


def spelled(seed):
    """A document with spellings drawn by a seed: absent, fallback, equal, contradictory, wrong."""
    rng = np.random.default_rng(seed)
    moments, axes = tensor_of(rng)
    schemas = pick(rng, both=6, physics=2, newton=1)
    applied = {
        "both": ["PhysicsMassAPI", "NewtonMassAPI"],
        "physics": ["PhysicsMassAPI"],
        "newton": ["NewtonMassAPI"],
    }[schemas]
    lines = []
    mass = pick(rng, written=12, absent=1, fallback=1, negative=1)
    if mass != "absent":
        value = {"written": rng.uniform(0.5, 4), "fallback": 0.0, "negative": -1.5}[mass]
        lines.append(f"    float physics:mass = {value!r}")
    center = pick(rng, written=3, absent=1, fallback=1)
    if center != "absent":
        point = rng.normal(size=3) * 0.1
        shown = print_numbers(point) if center == "written" else "-inf, -inf, -inf"
        lines.append(f"    point3f physics:centerOfMass = ({shown})")
    diagonal = pick(rng, written=8, absent=2, fallback=1, negative=1, impossible=2)
    if diagonal != "absent":
        shown = moments.copy()
        if diagonal == "negative":
            shown[0] *= -1
        if diagonal == "impossible":
            shown[2] = shown[0] + shown[1] + 0.2
        if diagonal == "fallback":
            shown *= 0
        lines.append(f"    float3 physics:diagonalInertia = ({print_numbers(shown)})")
    turned = pick(rng, written=6, absent=1, fallback=1, long=2)
    if turned != "absent":
        scale = {"written": 1.0, "fallback": 0.0, "long": 1.3}[turned]
        lines.append(f"    quatf physics:principalAxes = ({print_numbers(scale * axes)})")
    newton = pick(
        rng, absent=3, equal=4, other=4, empty=1, short=1, nan=1, negative=1, indefinite=1
    )
    if newton != "absent":
        right = newton_inertia(moments, axes)
        other = newton_inertia(*tensor_of(rng))
        shown = {
            "equal": right,
            "other": other,
            "empty": [],
            "short": right[:3],
            "nan": [*right[:5], np.nan],
            "negative": [-right[0], *right[1:]],
            "indefinite": [*right[:3], 5 * right[0], *right[4:]],
        }[newton]
        lines.append(f"    double[] newton:inertia = [{print_numbers(shown)}]")
    if rng.random() < 0.5:
        lines.append(COLLIDER)
    meters, kilograms = rng.choice([(1, 1)] * 8 + [(0.01, 1), (1, 0.001)])
    names = ", ".join(f'"{name}"' for name in ["PhysicsRigidBodyAPI", *applied])
    return DOCUMENT.format(
        meters=meters, kilograms=kilograms, schemas=names, lines="\n".join(lines)
    )
