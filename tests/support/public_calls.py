"""Every public function, method and constructor, with a call of each that should be right.

Arguments are found by the names of parameters, which mean one thing in the whole package; what is
different for one function stands in SPECIAL. Nothing here needs another edit when a function is
added, unless it has a parameter of a new name.
"""

from __future__ import annotations

import enum
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import inertial_check as ic
from inertial_check.identification.fit.payload import Recording
from inertial_check.identification.motion.signals import Smoothing
from inertial_check.inertia.meshes import measure
from inertial_check.mechanics.added_mass import GzInertial
from inertial_check.mechanics.equations import mass_matrix, regressor
from inertial_check.mechanics.factor import factor
from inertial_check.mechanics.vectors import plx, plxb

BODY = np.array([1.0, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.015])
SIX = np.array([0.01, 0, 0, 0.01, 0, 0.015])
MATRIX = np.diag([0.01, 0.01, 0.015])
TERMS = np.array([1.0, 0, 0, 0, 0.01, 0.01, 0.015, 0, 0, 0])
UNIT = [1.0, 0.0, 0.0, 0.0]
ZERO = [0.0, 0.0, 0.0]

_LINK = """<link name="{0}"><inertial><origin xyz="0 0 .1"/><mass value="1"/>
<inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>
<collision><geometry><box size=".2 .2 .2"/></geometry></collision></link>"""
_JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
<axis xyz="0 {3} 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>"""
ARM = (
    '<robot name="arm"><link name="base"/>'
    + "".join(map(_LINK.format, ("upper", "lower")))
    + _JOINT.format("j1", "base", "upper", 0)
    + _JOINT.format("j2", "upper", "lower", 1)
    + "</robot>"
).encode()

MODEL = ic.load(ARM)
TREE = MODEL.tree()
_random = np.random.default_rng(0)
Q, U, DU = _random.standard_normal((3, 12, 2))
Y = regressor(TREE, Q, U, DU)
TAU = Y @ TREE.theta.ravel()
_TIME = np.arange(120) / 100
_SIGNALS = np.stack([np.sin(2 * _TIME), np.cos(3 * _TIME)], axis=1)
_CORNERS = np.array([[0, 0, 0], [1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
_FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


class _Limits:
    """Limits of the two joints."""

    lower = np.array([-1.0, -1])
    upper = velocity = acceleration = effort = np.array([1.0, 1])


_GROUPS: tuple[tuple[str, Any], ...] = (
    ("theta theta_1 theta_2 theta_P theta_C prior", BODY),
    ("mass radius length scale_ volume duration regularization ratio", 1.0),
    ("tolerance margin restitution spread ratios bias least_squares", 0.0),
    ("com p_BoP_B p_AoBo_A first_moment p_QP_B point v a r t_fc t_ic_i t_jc_j lower", ZERO),
    ("p_BoBcm_B local_com p_QP p_IoBo_I p_BoQ_B forces moments_ v_A r_AP dr_AP center", ZERO),
    ("upper edges angular linear vector directions_ w_AB_B w_BC_C w_IB half_extents", [1.0, 1, 1]),
    ("radii moments principal_moments extent support b phi_IB", [0.1, 0.1, 0.15]),
    ("inertia six I_BBcm_Bi I_BBcm", SIX),
    ("axes R_AB R_fc E C_IB C_BC R C C_G than second_moment", np.eye(3)),
    ("X_AB X_PC X D_fc D_ij D_fb X_BBcm X_IB transform", np.eye(4)),
    ("moment I_BBcm_Bcm", MATRIX),
    ("q_IB q_0 q_1 q_2 p values", UNIT),
    ("child other rigid", ic.InertialParameters.from_theta(BODY)),
    ("first second motion force rhs", np.ones(6)),
    ("parent terms", TERMS),
    ("u_before dq step h dB_w u", U[0]),
    ("signals tau predicted value", _SIGNALS),
    ("weights covariance bodies noise nuisance digits path_ settings axis density", None),
    ("solver mass_min joints limits_ out rate_ fluid_added_mass strata kinds", None),
)
VALUES: dict[str, Any] = {
    **{name: value for names, value in _GROUPS for name in names.split()},
    "order": "urdf", "about": "origin", "metric": "inertia", "loss": "squares", "base": "fixed",
    "source": "urdf", "target": "pinocchio", "parameterisation": "quaternion", "text": "1.0",
    "expressed_in": "B", "format": None, "path": "<bytes>", "name": "terms", "what": "terms",
    "texts": ["1.0"], "names": ["upper", "lower"], "constraints": (), "index": ..., "rng": 0,
    "shape": (), "seed": 0, "exact": False, "renormalize": False, "inverse": False, "locked": {},
    "masses": [1.0, 2], "points": [ZERO, [1.0, 0, 0]], "densities": [1.0, 2], "count": 50,
    "digits": 3, "harmonics": 2, "rate": 100.0, "cutoff": 10.0, "entries": {"m": 1.0}, "body": 2,
    "pseudo_inertia": ic.InertialParameters.from_theta(BODY).pseudo_inertia, "t": 0.5,
    "spatial_inertia": np.diag([0.01, 0.01, 0.015, 1, 1, 1]), "tensor": np.eye(6),
    "information": np.eye(10), "matrix": np.eye(6), "added_mass": np.eye(6), "P": np.eye(2),
    "angle_axis": [0.1, 0, 0, 1.0], "xyzw_IB": [0, 0, 0, 1.0], "rates": [0.0, 0, 0, 0],
    "vertices": _CORNERS, "faces": _FACES, "triangles": _CORNERS[_FACES], "B": np.eye(2),
    "directions": np.eye(3), "tree": TREE, "q": Q[0], "du": DU[0], "gravity": [0, 0, -9.81],
    "W": np.ones((2, 1)), "magnitudes": [1.0], "M": mass_matrix(TREE, Q[0]), "Y": Y,
    "gravity_S": [[0, 0, -9.81]], "wrench": [np.ones(6)], "w": None, "alpha": None, "scale": [1.0],
    "columns": np.ones((12, 2, 1)), "path_or_bytes": ARM, "model_or_path": MODEL, "model": MODEL,
    "context": None, "parameters": TREE.theta[1:],
}  # fmt: skip
"""Right arguments by the name of the parameter."""

_BASE = ic.base_parameters(Y)
_PRIORS = np.array([BODY, BODY, BODY])
_MOTION = {"q": Q, "u": U, "du": DU}
SPECIAL: dict[str, dict[str, Any]] = {
    "BaseParameters.of": {"theta": TREE.theta},
    "InertialParameters.sum": {"axis": None},
    "Samples.of_arrays": {"tau": TAU},
    "Samples.of_trajectory": {**_MOTION, "tau": TAU},
    "clean": {"theta": [BODY], "order": "urdf", "about": "origin"},
    "diff_models": {"a": MODEL, "b": MODEL},
    "identify": {"tau": TAU, "prior": _PRIORS},
    "identify_from_base": {
        "prior": _PRIORS, "base": _BASE, "beta": _BASE.of(TREE.theta),
    },
    "identify_payload": {"Y": Y[:, :, -10:], "tau": TAU, "prior": BODY},
    "sample": {"rng": 0},
    "inertia.consistency.check_printed_numbers": {"radii": np.zeros(6)},
    "inertia.frames.total": {"theta": _PRIORS, "axes": (0,)},
    "inertia.consistency.spreads_more": {"than": SIX},
    "inertia.consistency.resists_more": {"than": SIX},
    "inertia.representations.six": {"matrix": MATRIX},
    "inertia.representations.second_moment_about_point": {"second_moment": SIX},
    "inertia.representations.inertia_from_second_moment": {"second_moment": SIX},
    "inertia.resemblance.spread": {"I_BBcm": MATRIX},
    "inertia.resemblance.flip_products": {"matrix": MATRIX},
    "inertia.intervals.explained_by_digits": {"six": SIX[None, :], "radii": np.full((1, 6), 1e-3)},
    "inertia.meshes.Mesh.solid": {"mass": 1.0},
    "inertia.meshes.Mesh.shell": {"mass": 1.0},
    "projection.constraints.FixedEntries": {"entries": {"m": 1.0}},
    "inertia.sampling.integrate": {"density": lambda points: points[..., 0] * 0 + 1},
    "inertia.solids.triangle": {"vertices": np.eye(3)},
    "mechanics.vectors.split": {"vector": np.ones(6)},
    "mechanics.vectors.reorder": {"vector": np.ones(6)},
    "mechanics.vectors.congruence": {"X": np.eye(6)},
    "mechanics.compact.narrow": {"terms": np.concatenate([TERMS, ZERO])},
    "mechanics.compact.merge": {"child": TERMS},
    "mechanics.compact.merge_": {"child": TERMS, "t_ic_i": np.zeros(3)},
    "mechanics.rotations.nearest_rotation": {"matrix": np.eye(3)},
    "mechanics.rotations.unskew": {"matrix": np.zeros((3, 3))},
    "mechanics.rotations.convert": {"source": "quaternion", "target": "matrix"},
    "mechanics.kinematics.left_matrix": {"q": UNIT},
    "mechanics.kinematics.multiply": {"q": UNIT},
    "mechanics.kinematics.box_plus": {"q": UNIT},
    "mechanics.vectors.Plx.compose": {"other": plx(np.eye(3), ZERO)},
    "mechanics.vectors.Plxb.compose": {"other": plxb(np.eye(3), ZERO)},
    "mechanics.contacts.generalized_forces": {"bodies": "lower"},
    "mechanics.contacts.contact_directions": {"bodies": "lower", "directions": [[0, 0, 1.0]]},
    "mechanics.contacts.velocities_after": {"P": [1.0]},
    "projection.moments.find_metric": {"name": "inertia"},
    "identification.fit.nuisance.Coupling": {"joints": (0, 1)},
    "identification.excitation.design.condition_number": _MOTION,
    "identification.excitation.design.optimise": {
        "limits": _Limits(), "rate": 10.0, "starts": 1, "duration": 2.0,
    },
    "identification.fit.payload.from_torques": {"loaded": Recording(Q, U, DU, TAU)},
    "identification.motion.signals.resample": {"t": _TIME},
    "identification.motion.signals.bandwidth": {"q": _SIGNALS},
    "identification.motion.signals.memory": {"order": 4},
    "identification.motion.signals.noise_band": {"order": 4},
    "identification.motion.signals.smooth": {
        "t": _TIME, "q": _SIGNALS, "u": _SIGNALS, "du": _SIGNALS, "how": Smoothing(),
    },
    "identification.diagnosis.diagnosis.diagnose": {
        "t": _TIME, "q": _SIGNALS, "u": _SIGNALS, "du": _SIGNALS,
    },
    "documents.model.Model.with_parameters": {
        "bodies": ["upper", "lower"], "order": "urdf", "about": "origin",
    },
    "checking.shapes.priors.from_geometry": {"mass": [1.0, 1.0]},
}  # fmt: skip
"""Arguments that differ from VALUES, by the name of the function."""

INSTANCES: dict[type, object] = {
    type(one): one
    for one in (
        ic.InertialParameters.from_theta([BODY, BODY]),
        ic.check([BODY, BODY]),
        ic.project([BODY, BODY]),
        ic.Samples.of_arrays(Y, TAU),
        plx(np.eye(3), ZERO),
        plxb(np.eye(3), ZERO),
        factor(TERMS),
        GzInertial.of(1.0, MATRIX, np.eye(4)),
        measure(VALUES["triangles"]),
        _BASE,
        TREE,
        MODEL,
    )
}
"""An object of each public class that has methods with arguments."""


class PublicCall(NamedTuple):
    """A public function and right arguments.

    Attributes:
        name: The name below inertial_check.
        function: The function; of a method, bound to an object.
        arguments: A value for each parameter.
    """

    name: str
    function: Any
    arguments: dict[str, Any]


def list_calls() -> list[PublicCall]:
    """Every public function, method and constructor of which the arguments are known."""
    calls = []
    for name, function in _list_functions():
        if name.startswith("inertia.solids."):
            special = {"mass": 1.0, **SPECIAL.get(name, {})}
        else:
            special = SPECIAL.get(name, {})
        arguments = _find_arguments(function, special)
        if arguments:
            calls.append(PublicCall(name, function, arguments))
    return calls


def _find_arguments(function: Any, special: dict[str, Any]) -> dict[str, Any] | None:
    """A value for each parameter; None where one is not known."""
    arguments: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        name, kind = parameter.name, str(parameter.annotation)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name in special:
            arguments[name] = special[name]
        elif parameter.default is not parameter.empty:
            arguments[name] = parameter.default
        elif "SpatialOrder" in kind:
            arguments[name] = "angular-linear"
        elif name in VALUES:
            arguments[name] = VALUES[name]
        else:
            return None
    return None if "xp" in arguments else arguments


def _list_functions() -> Iterator[tuple[str, Any]]:
    """The public names of the package and of its public modules, and the methods of classes."""
    seen: set[int] = set()
    places: list[tuple[str, Any]] = [(name, getattr(ic, name)) for name in sorted(ic.__all__)]
    for module, members in _public_modules():
        prefix = module.__name__.removeprefix("inertial_check.")
        places += [
            (f"{prefix}.{name}", value)
            for name, value in vars(module).items()
            if not name.startswith("_")
            and getattr(value, "__module__", "") == module.__name__
            and (not members or name in members)
        ]
    for name, value in places:
        if isinstance(value, ModuleType) or not callable(value) or id(value) in seen:
            continue
        seen.add(id(value))
        if not inspect.isclass(value):
            yield name, value
        elif not issubclass(value, (BaseException, enum.Enum, tuple)):
            yield from _list_methods(name, value)


def _list_methods(name: str, cls: type) -> Iterator[tuple[str, Any]]:
    if not inspect.isabstract(cls) and not getattr(cls, "_is_protocol", False):
        yield name, cls
    for method in vars(cls):
        member = inspect.getattr_static(cls, method)
        if method.startswith("_") and method != "__getitem__":
            continue
        if isinstance(member, (classmethod, staticmethod)):
            yield f"{name}.{method}", getattr(cls, method)
        elif inspect.isfunction(member) and cls in INSTANCES:
            yield f"{name}.{method}", getattr(INSTANCES[cls], method)


def _public_modules() -> Iterator[tuple[ModuleType, list[str]]]:
    """The modules that the reference lists, but those of other libraries' models.

    With each, the names that it lists; none where all are public.
    """
    path = Path(__file__).parents[2] / "docs" / "generate_api.py"
    spec = importlib.util.spec_from_file_location("generate_api", path)
    assert spec is not None
    assert spec.loader is not None
    reference = sys.modules.get("generate_api") or importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    for package, (_, modules) in reference.PUBLIC.items():
        if package != "programs.objects":
            for module in modules.split():
                members = reference.MEMBERS.get(f"{package}.{module}", "").split()
                yield importlib.import_module(f"inertial_check.{package}.{module}"), members
