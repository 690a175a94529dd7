"""What other programs give a body without an inertial: Gazebo's rule, and MuJoCo itself."""

from __future__ import annotations

import numpy as np

from inertial_check.checking.shapes.evidence import GeometryReader
from inertial_check.checking.shapes.meshes import scaled_triangles
from inertial_check.documents.context import Context
from inertial_check.documents.model import Body, Model, Shape
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.fill.shapes import fill_primitive
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.parameters import InertialParameters

WATER = 1000.0
"""Default density of both programs [kg/m^3]."""

GAZEBO_DEFAULT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
"""The inertial that Gazebo leaves where a mesh gives none: 1 kg and 1 kg m^2."""

_GEOMS = {
    "box": "mjGEOM_BOX",
    "sphere": "mjGEOM_SPHERE",
    "capsule": "mjGEOM_CAPSULE",
    "cylinder": "mjGEOM_CYLINDER",
    "ellipsoid": "mjGEOM_ELLIPSOID",
}


class OtherRules:
    """Gives the bodies of one model what other programs would."""

    def __init__(self, model: Model) -> None:
        """Prepare to find the meshes of a model."""
        self._granted = Context().of_document(model.source.path).granted
        self._reader = GeometryReader(model, "solid", ("solid", "flipped", "hull"))

    def run_gazebo(self, body: Body) -> Floats:
        """(10,) of gz-sim's automatic inertials: 1000 kg/m^3 in all collision shapes.

        Overlaps count twice. A mesh is the sum of the signed tetrahedra under its triangles, closed
        or not, as in MeshInertiaCalculator; a sum that no body has gives the default inertial.
        """
        total = np.zeros(10)
        for shape in _choose_shapes(body):
            moments = self._find_moments(shape)
            if moments is None:
                continue
            X = homogeneous(shape.R_BG, shape.p_BoGo_B)
            total += WATER * _theta_of(X @ moments @ X.T)
        found = InertialParameters.from_theta(total)
        valid = total[0] > 0 and bool(np.all(found.principal_moments() > 0))
        return total if valid else np.array(GAZEBO_DEFAULT)

    def _find_moments(self, shape: Shape) -> Floats | None:
        """(4, 4) integral of [p, 1] [p, 1]^T over a shape, in its own frame."""
        if shape.kind != "mesh":
            points = fill_primitive(shape.kind, shape.dimensions)
            if points is None:
                return None
            p = np.concatenate([points.points, np.ones((len(points.points), 1))], axis=1)
            return np.asarray(np.einsum("n,ni,nj->ij", points.volumes, p, p))
        corners = self._read_triangles(shape)
        if corners is None:
            return None
        volumes = np.linalg.det(corners) / 6
        ends = np.concatenate([corners, np.zeros((len(corners), 1, 3))], axis=1)
        p = np.concatenate([ends, np.ones((len(corners), 4, 1))], axis=2)
        total = p.sum(axis=1)
        second = np.einsum("nki,nkj->nij", p, p) + np.einsum("ni,nj->nij", total, total)
        return np.asarray(np.einsum("n,nij->ij", volumes / 20, second))

    def _read_triangles(self, shape: Shape) -> Floats | None:
        try:
            use, _ = self._reader.shape(shape)
            if use.path is None:
                return None
            blocks = scaled_triangles(str(use.path), shape.scale, self._granted)
            return np.concatenate(list(blocks))
        except InertialCheckError:
            return None

    def run_mujoco(self, body: Body, convex: bool) -> Floats | None:
        """(10,) that MuJoCo compiles from the geoms; None where it refuses them.

        Args:
            body: The body.
            convex: Whether meshes have the inertia "convex"; else MuJoCo's default, "legacy".
        """
        import mujoco

        spec = mujoco.MjSpec()
        part = spec.worldbody.add_body(name="b")
        kind = "CONVEX" if convex else "LEGACY"
        for number, shape in enumerate(_choose_shapes(body)):
            pose = {"pos": np.array(shape.p_BoGo_B), "quat": _quaternion(shape.R_BG)}
            if shape.kind in _GEOMS:
                size = _size_of(shape)
                part.add_geom(type=getattr(mujoco.mjtGeom, _GEOMS[shape.kind]), size=size, **pose)
            elif shape.kind == "mesh" and (corners := self._read_triangles(shape)) is not None:
                vertices, faces = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
                mesh = spec.add_mesh(name=f"m{number}")
                mesh.uservert, mesh.userface = vertices.ravel(), faces.ravel().astype(np.int32)
                mesh.inertia = getattr(mujoco.mjtMeshInertia, f"mjMESH_INERTIA_{kind}")
                part.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"m{number}", **pose)
        try:
            model = spec.compile()
        except ValueError:
            return None
        mass = float(model.body_mass[1])
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[1])
        R = R.reshape(3, 3)
        if not mass > 0:
            return None
        inertia = R @ np.diag(model.body_inertia[1]) @ R.T
        found = InertialParameters.from_com(mass, model.body_ipos[1], inertia)
        return np.asarray(found.as_theta())


def _choose_shapes(body: Body) -> list[Shape]:
    """The collision shapes, which both programs take from a URDF; the visual ones without any."""
    colliding = [shape for shape in body.shapes if shape.role == "collision"]
    return colliding or [shape for shape in body.shapes if shape.role == "visual"]


def _size_of(shape: Shape) -> list[float]:
    """MuJoCo's size of a primitive: half lengths."""
    d = shape.dimensions
    if shape.kind == "box":
        return [edge / 2 for edge in d]
    if shape.kind in ("capsule", "cylinder"):
        return [d[0], d[1] / 2, 0.0]
    return [*d, 0.0, 0.0][:3]


def _quaternion(R: object) -> Floats:
    import mujoco

    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.asarray(R, dtype=float).ravel())
    return quaternion


def _theta_of(moments: Floats) -> Floats:
    """(10,) parameters about the origin of a (4, 4) pseudo-inertia."""
    second = moments[:3, :3]
    inertia = np.trace(second) * np.eye(3) - second
    theta: Floats = np.concatenate(
        [moments[3, 3:], moments[:3, 3], inertia[np.triu_indices(3)]], axis=0
    )
    return theta
