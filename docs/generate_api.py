"""Write docs/api/*.md, from which Sphinx makes the API reference; with --check, compare them.

What stands on these pages is public: it changes only with a line in CHANGELOG.md.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import inertial_check as ic

FOLDER = Path(__file__).parent / "api"

PUBLIC = {
    "inertia": (
        "The ten inertial parameters of a rigid body: conditions, frames, densities, sampling.",
        "representations frames consistency eigen intervals tolerances solids resemblance meshes "
        "sampling randomisation",
    ),
    "mechanics": (
        "Rigid-body algebra and trees of bodies: rotations, spatial vectors, equations of motion.",
        "vectors compact factor added_mass rotations kinematics tree jacobians equations forward "
        "composites contacts",
    ),
    "projection": (
        "The nearest consistent parameters: constraints, priors, metrics, your own conic problem.",
        "constraints priors moments conic",
    ),
    "identification": (
        "Consistent bodies from measurements: samples, base parameters, payloads, motions.",
        "fit.base fit.published fit.nuisance fit.samples fit.payload excitation.design "
        "motion.signals diagnosis.diagnosis",
    ),
    "documents": (
        "What a robot model says, as plain data, and its tree of bodies as arrays.",
        "model source",
    ),
    "checking.shapes": (
        "The shapes of a model as evidence, and priors from them.",
        "evidence priors",
    ),
    "programs.objects": (
        "Models that other libraries hold in memory.",
        "mujoco drake pinocchio",
    ),
}
"""Public packages: the purpose of each, and its public modules."""

MEMBERS = {
    "inertia.representations": (
        "about_com about_origin about_point ABOUTS inertia_from_second_moment join Order "
        "ORDERS Point pseudo_inertia reorder second_moment second_moment_about_point six "
        "spatial_inertia SPATIAL_ORDERS SpatialOrder split symmetric "
        "theta_from_pseudo_inertia theta_from_spatial_inertia"
    ),
    "inertia.frames": "add homogeneous merge rotate total transform translate",
    "inertia.consistency": (
        "Bodies check check_printed_numbers Consistency realize resists_more spreads_more Verdict"
    ),
    "inertia.eigen": "CHUNK Components eigensystem eigenvalues Vector",
    "inertia.solids": (
        "AXES box box_shell capsule capsule_shell cone cone_shell cylinder cylinder_shell "
        "ellipsoid ellipsoid_shell equivalent_box equivalent_ellipsoid Primitive "
        "PRIMITIVES radius_of_gyration Solids sphere sphere_shell tetrahedron triangle"
    ),
    "inertia.resemblance": (
        "discrepancy equivalent_density excess flip_products form inertia misalignment "
        "misfit rotate SEPARATED shape_distance shares size size_ratio spread volume"
    ),
    "mechanics.vectors": (
        "congruence cross_force cross_motion join PluckerTransform Plx plx Plxb plxb "
        "power reorder reorder_matrix split"
    ),
    "mechanics.compact": (
        "adjoint coadjoint m_ff merge merge_ Merged narrow product_of_skews "
        "REDUNDANT_TERMS rotate rotate_ spatial_inertia TERMS transform transform_ "
        "translate translate_ widen"
    ),
    "mechanics.added_mass": (
        "AddedMassJudgement AddedMassVerdict cmct dart_parameters dart_spatial_tensor "
        "DartParameters GzInertial judge_added_mass shift_added_mass transform_added_mass"
    ),
    "mechanics.rotations": (
        "angle_axis_from_quaternion Conversion convert elementary euler_and_gimbal_lock "
        "euler_from_matrix EulerAngles EulerSequence matrix_from_euler "
        "matrix_from_quaternion matrix_from_rotation_vector nearest_rotation "
        "normalize_quaternion Parameterisation PARAMETERISATIONS "
        "quaternion_from_angle_axis quaternion_from_matrix "
        "quaternion_from_rotation_vector rotation_vector_from_matrix "
        "rotation_vector_from_quaternion scalar_first scalar_last SEQUENCES skew unskew"
    ),
    "mechanics.equations": (
        "bias_forces Composite GRAVITY gravity_forces inverse_dynamics kinetic_energy "
        "mass_matrix potential_energy projected_newton_euler regressor Terms"
    ),
    "mechanics.forward": "forward_dynamics solve_mass_matrix",
    "projection.moments": "COVARIANCE find_metric INERTIA METRICS MomentMetric",
    "identification.fit.base": (
        "base_parameters BaseParameters BaseTerm DIGITS name_entries PREFERENCE"
    ),
    "identification.fit.nuisance": (
        "Coulomb Coupling JointColumn JointTerm Kind NEVER_NEGATIVE Nuisance Offset "
        "RotorInertia Term Viscous"
    ),
    "identification.fit.samples": "Block ENTRIES Samples",
    "identification.fit.payload": (
        "BIAS EXCHANGED from_torques from_wrench Recording wrench_regressor"
    ),
    "identification.motion.signals": (
        "bandwidth BANDWIDTHS CHANCE differentiate EDGE FAINT filter_signals Given memory "
        "MOST_OF_NYQUIST noise_band PAUSE resample ResampledSignals Signals smooth "
        "Smoothing"
    ),
    "identification.diagnosis.diagnosis": "diagnose find_lag find_unit_errors name_unit",
    "documents.model": (
        "Base Body Bounds ClosedLoop DIMENSIONS ENTRIES FourNumbers Given Inertial "
        "InertiaOrigin Joint JOINT_TYPES list_joints LoopFrame Mimic Model Number "
        "Pose Problem ProblemKind ReadTree Role Shape ThreeNumbers tree_of "
        "TreeJoints WORLD ZERO"
    ),
    "checking.shapes.evidence": "read_geometry",
    "checking.shapes.priors": "BodyPrior from_geometry from_model GeometryPriors ModelOrPath",
    "projection.conic": "consistent constrain entropic pseudo_inertia squared_distance",
}
"""Public names of modules whose other names are for this package; elsewhere `__all__` has them."""


SUBJECTS = {
    "bodies": ("Bodies", "InertialParameters"),
    "checking": ("Checking", "check check_model check_models Findings Consistency Verdict realize"),
    "models": ("Models", "load fix_model fill diff_models sample"),
    "projecting": ("Projecting", "project Projection"),
    "cleaning": ("Cleaning", "clean Cleaned"),
    "identifying": ("Identifying", "identify Identification"),
    "samples": (
        "Samples and payloads",
        "Samples Nuisance identify_from_base identify_payload Payload",
    ),
    "base": ("Base parameters and online", "base_parameters BaseParameters OnlineIdentification"),
    "errors": (
        "Errors",
        "InertialCheckError ParameterError ProjectionError DocumentError UsageError",
    ),
    "plots": ("Plots", "plot"),
}
"""Pages of the names of `ic` by subject: title and names."""


def make_pages() -> dict[str, str]:
    """Every file of docs/api and its text.

    Raises:
        ValueError: A public name is on no page, or on two.
    """
    listed = [name for _, names in SUBJECTS.values() for name in names.split()]
    if sorted(listed) != sorted(ic.__all__):
        raise ValueError(f"put each on one page: {sorted(set(listed) ^ set(ic.__all__))}")
    pages = {"index.md": _index()}
    for page, (title, names) in SUBJECTS.items():
        content = _reference(f".. objects:: inertial_check\n\n   {names}")
        pages[f"ic-{page}.md"] = f"# {title}\n\n{content}\n"
    for package, (_, modules) in PUBLIC.items():
        for name in (f"{package}.{module}" for module in modules.split()):
            pages |= _module_pages(name)
    return pages


def _reference(directives: str) -> str:
    return f"```{{eval-rst}}\n{directives}\n```"


PARTS = {
    "documents.model": 4,
    "inertia.solids": 2,
    "inertia.tolerances": 3,
    "mechanics.kinematics": 2,
    "mechanics.rotations": 2,
    "mechanics.vectors": 2,
    "projection.constraints": 2,
}
"""Number of pages of the modules whose reference is too long for one."""


def _module_pages(name: str) -> dict[str, str]:
    """The pages of a module: the first has its docstring, further ones have the later names."""
    module = import_module(f"inertial_check.{name}")
    listed = MEMBERS.get(name, "").split()
    count = PARTS.get(name, 1)
    if count > 1 and not listed:
        public = getattr(module, "__all__", None) or vars(module)
        listed = [each for each in public if _is_own(module, each)]
    size = -(-len(listed) // count)
    first = "".join(f" {each}," for each in listed[: size or None])[:-1]
    content = f".. automodule:: inertial_check.{name}\n   :members:{first}"
    pages = {f"{name}.md": f"# {name}\n\n{_reference(content)}\n"}
    for k in range(1, count):
        rest = " ".join(listed[size * k : size * (k + 1)])
        content = f".. objects:: inertial_check.{name}\n\n   {rest}"
        pages[f"{name}-{k + 1}.md"] = f"# {name} ({k + 1})\n\n{_reference(content)}\n"
    return pages


def _is_own(module: ModuleType, name: str) -> bool:
    """Whether a public name is defined in a module, and not imported."""
    value = getattr(module, name)
    own = getattr(value, "__module__", module.__name__) == module.__name__
    return not name.startswith("_") and own and not isinstance(value, ModuleType)


def _index() -> str:
    names = [f"* [{title}](ic-{page}.md)" for page, (title, _) in SUBJECTS.items()]
    rows = [
        f"* {purpose} "
        + ", ".join(
            " ".join(
                [
                    f"[{each}]({package}.{each}.md)",
                    *(
                        f"[{k}]({package}.{each}-{k}.md)"
                        for k in range(2, PARTS.get(f"{package}.{each}", 1) + 1)
                    ),
                ]
            )
            for each in modules.split()
        )
        for package, (purpose, modules) in PUBLIC.items()
    ]
    return "\n".join(
        [
            "# API reference",
            "",
            "What these pages list is public: it changes only with a line in the change log. Every",
            "other name may change without notice.",
            "",
            "The names of `import inertial_check as ic`, which most programs need:",
            "",
            *names,
            "",
            "Further modules, by subject:",
            "",
            *rows,
            "",
            "```{toctree}\n:hidden:\n:glob:\n\n*\n```",
            "",
        ]
    )


if __name__ == "__main__":
    from _write_pages import main

    sys.exit(main(FOLDER, make_pages()))
