"""A robot model as its file states it: texts, values and their places, without judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from inertial_check.arrays.equality import EqualByValue
from inertial_check.errors import expect
from inertial_check.model.joint import ClosedLoop, Joint
from inertial_check.model.shape import Shape
from inertial_check.model.source import Place, Source, Span

if TYPE_CHECKING:
    from inertial_check.arrays.types import ArrayLike, Floats
    from inertial_check.dynamics.tree import Tree
    from inertial_check.fixing.result import Fix
    from inertial_check.formats.context import Context
    from inertial_check.inertia.parameters import InertialParameters
    from inertial_check.model.frames import NamedFrame, RootPose

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The six entries of a rotational inertia, in the order in which this package keeps them."""

InertiaOrigin = Literal["file", "geometry", "default"]
"""Source of a body's inertia: the file states it, engines take it from the geometry, or it is the
default of the format."""

ProblemKind = Literal["repair", "reference", "malformed", "engine"]
"""Kinds of problems: text that had to be repaired (repair), a file or name that was not found
(reference), text that breaks a rule of the format (malformed), and numbers that are read as written
although settings of the document make its engine use others (engine)."""


class Number(NamedTuple):
    """One number of a document.

    Attributes:
        value: Value of the text; NaN if it is no number, which a Problem then says.
        text: Text without surrounding space; that of the format's default if none is written.
        span: Place of the text; None for a default of the format; empty, and near the body, for a
            number in binary data.
        literal: Whether the text is written there; False if an expression computes the number.
    """

    value: float
    text: str
    span: Span | None
    literal: bool = True


ZERO = Number(0.0, "0", None)
"""The number of a document that writes none where its format takes 0."""

ThreeNumbers = tuple[Number, Number, Number]
FourNumbers = tuple[Number, Number, Number, Number]


class Problem(NamedTuple):
    """A problem that a reader found in the text of a document.

    Attributes:
        kind: repair, reference, malformed or engine.
        message: One sentence: the value, what is expected, and what to do.
        span: Place of the problem.
    """

    kind: ProblemKind
    message: str
    span: Span


class Inertial(NamedTuple):
    """The inertial element of a body, in its own axes Bi with the origin at the centre of mass.

    Attributes:
        span: Place of the element.
        mass: Mass [kg]; None if the document states none.
        p_BoBcm_B: Centre of mass in the body frame [m].
        R_BBi: Row-major rotation from the inertial's own axes to the body frame.
        I_BBcm_Bi: The six entries about the centre of mass in the inertial's own axes [kg m^2], by
            name; entries that are absent from the document are absent here. An entry that the
            document's form implies (the products beside principal moments) has no span.
        kilograms_per_unit: Unit of mass of the document [kg].
        meters_per_unit: Unit of length of the document [m].
        fluid_added_mass: Symmetric 6x6 matrix about the body's origin in its axes, with rows for
            translations along and rotations about x, y, z [kg, kg m, kg m^2]; () if none is stated.
        quaternion: Numbers w, x, y, z, of any length, that state the own axes; None if other
            numbers or none state them.
    """

    span: Span
    mass: Number | None
    p_BoBcm_B: ThreeNumbers
    R_BBi: tuple[tuple[float, float, float], ...]
    I_BBcm_Bi: Mapping[str, Number]
    kilograms_per_unit: float = 1.0
    meters_per_unit: float = 1.0
    fluid_added_mass: tuple[tuple[Number, ...], ...] = ()
    quaternion: FourNumbers | None = None


class Pose(NamedTuple):
    """Pose of a frame B in a frame P.

    Attributes:
        p_PoBo_P: Origin of B in P [m].
        R_PB: Row-major rotation from the axes of B to those of P.
    """

    p_PoBo_P: tuple[float, float, float]
    R_PB: tuple[tuple[float, float, float], ...]


class Body(NamedTuple):
    """One rigid body (link) of a model.

    Attributes:
        name: Name as written; several bodies may share it.
        id: An XPath-like string, unique in the document.
        span: Place of the element.
        joint: Type of the joint whose child the body is; None for a root.
        moved: Whether a joint that is not fixed moves the body relative to its parent.
        inertial: Its inertial element; None if the document has none.
        problems: Problems of its text.
        shapes: Visual and collision shapes, in document order.
        inertia_from: Source of its inertia. With "geometry", `inertial` is None or holds numbers
            that engines ignore. With "default", `inertial` holds the default of the format.
        parent: Id of the parent body; None for a root, for a body whose parent is the world, and if
            the format does not tell.
        X_PB: Pose in the parent where the joint between them is at its zero (in MJCF, at its ref).
            None without a parent, and if it is unknown.
        axis_B: Direction, of length 1, about or along which the joint moves the body relative to
            its parent, in the body's frame; the normal of the plane of a planar joint. None where
            there is not exactly one (fixed, floating, ball and two-axis joints, several joints) and
            if it is unknown.
        p_BoJo_B: A point on that axis, in the body's frame [m]; None without an axis, and if it is
            unknown.
        joints: All joints that move the body relative to its parent, with their names and limits,
            in document order; empty if the format does not tell.
    """

    name: str
    id: str
    span: Span
    joint: str | None
    moved: bool
    inertial: Inertial | None
    problems: tuple[Problem, ...] = ()
    shapes: Sequence[Shape] = ()
    inertia_from: InertiaOrigin = "file"
    parent: str | None = None
    X_PB: Pose | None = None
    axis_B: tuple[float, float, float] | None = None
    p_BoJo_B: tuple[float, float, float] | None = None
    joints: Sequence[Joint] = ()

    @property
    def unit(self) -> float:
        """Unit of inertia of its document [kg m^2]; 1 without an inertial element."""
        inertial = self.inertial
        if inertial is None:
            return 1.0
        meters = inertial.meters_per_unit
        return inertial.kilograms_per_unit * (meters * meters)  # meters**2 raises where this is inf


class Bounds(NamedTuple):
    """Settings of MJCF's <compiler> that change the numbers of bodies; none in other formats.

    Attributes:
        mass: boundmass, to which smaller masses are raised [kg].
        inertia: boundinertia, to which smaller principal moments are raised [kg m^2].
        balanced: Whether balanceinertia replaces moments that violate A + B >= C by their mean.
    """

    mass: float = 0.0
    inertia: float = 0.0
    balanced: bool = False


@dataclass(frozen=True, eq=False)
class Model(EqualByValue):
    """A robot model read from a document.

    Attributes:
        source: Path, bytes and encoding of the document.
        format: Name of the format, such as "urdf".
        name: Name of the model; "" if it has none.
        bodies: Its bodies in document order.
        problems: Problems of the document as a whole.
        others: Other documents that were read for it; Span.file counts them from 1.
        rest: Digest of the document without its inertial numbers, for formats in which one text can
            have several effects, such as templates; "" for the others.
        loops: Joints and equalities that close kinematic loops, which the parents of bodies leave
            out.
        frames: Frames with names on the bodies, such as sites.
        roots: Poses in the world of the bodies without a parent, as far as they are known.
        bounds: Settings of the document that make an engine change the numbers of its bodies.
    """

    source: Source
    format: str
    name: str
    bodies: tuple[Body, ...]
    problems: tuple[Problem, ...] = field(default=())
    others: tuple[Source, ...] = field(default=())
    rest: str = field(default="", repr=False)
    loops: tuple[ClosedLoop, ...] = field(default=(), repr=False)
    frames: Sequence[NamedFrame] = field(default=(), repr=False)
    roots: Sequence[RootPose] = field(default=(), repr=False)
    bounds: Bounds = field(default=Bounds(), repr=False)

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        from inertial_check.model._notebook import show_model  # notebooks only

        return show_model(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies as written; names can repeat, ids do not."""
        return tuple(body.name for body in self.bodies)

    @property
    def parameters(self) -> InertialParameters:
        """Inertial parameters (n,) of the bodies, in SI units, about their centres of mass.

        Rows are NaN where the document does not state ten numbers: without an inertial, where the
        inertia comes from geometry, and where a default of the format stands in.
        """
        from inertial_check.model.vectors import collect_parameters  # not needed to read a model

        return collect_parameters(self)

    @property
    def theta(self) -> Floats:
        """(n, 10) the same parameters in the order "urdf", about the bodies' origins."""
        import numpy as np  # not needed to read a model

        return np.asarray(self.parameters.as_theta())

    @property
    def added_mass(self) -> Floats:
        """(n, 6, 6) added mass of the fluid about the bodies' origins; zeros where none is stated.

        Its rows are translations along and rotations about x, y, z [kg, kg m, kg m^2].
        """
        from inertial_check.model.vectors import collect_added_mass  # not needed to read a model

        return collect_added_mass(self)

    def tree(self, base: Literal["fixed", "floating"] = "fixed") -> Tree:
        """Build the kinematic tree of the bodies, for inertial_check.dynamics.

        Args:
            base: Joint of a root that no joint holds.

        Raises:
            UsageError: The model has no tree; the message names the body.
        """
        expect("text", base=base)
        from inertial_check.model.tree import tree_of  # not needed to read a model

        return tree_of(self, base).tree

    def with_parameters(
        self,
        parameters: InertialParameters | ArrayLike | Mapping[str, InertialParameters | ArrayLike],
        bodies: Sequence[str] | None = None,
        *,
        digits: int | None = None,
        context: Context | None = None,
    ) -> Fix:
        """Write inertial parameters into the document, all of these bodies or none.

        Only digits change where the document states the numbers; what it does not state is
        inserted, in its own style. Nothing is on the disk until `write` of the result is called.

        Args:
            parameters: One row for each body: InertialParameters, or (n, 10) about the bodies'
                origins in the order "urdf". Rows of NaN, and rows that are those of the model, stay
                as they are. Or a mapping of one body each by name or id.
            bodies: Names or ids of the bodies; None for all of the model, in its order.
            digits: Most significant digits of new numbers, 8 to 17; None for as many as needed.
            context: Where the files are that the document includes, as in `load`.

        Returns:
            The new bytes, their diff, and the result for each body. `complete` tells whether all of
            them were written; if not, nothing changes, and each result has its reason.

        Raises:
            ParameterError: No such body, another number of rows, or parameters that no body has.
        """
        expect("text", "texts", "nothing", bodies=bodies)
        expect("whole", "nothing", digits=digits)
        # By name: a model is data, and knows the packages that read and write it only here.
        from importlib import import_module

        write = import_module("inertial_check.fixing.writing").write_model
        fix: Fix = write(self, parameters, bodies, digits=digits, context=context)
        return fix

    def source_of(self, span: Span) -> Source:
        """Return the document that contains a span."""
        return self.others[span.file - 1] if span.file else self.source

    def place(self, span: Span) -> Place:
        """Return the lines and columns of a span."""
        source = self.source_of(span)
        place = source.place(span)
        return Place(*place[:4], source.path) if span.file else place
