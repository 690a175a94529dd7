"""A robot model as its file states it: texts, values and their places, without judgement.

Joints that move a body, as a document states them: names and limits. Plain data.

Visual and collision shapes of a body, as a document states them. Plain data.

Places that a document names or states: frames on bodies, and roots in the world. Plain data.

Inertial parameters of the bodies of a model as arrays, one row for each body.

Conversion of the bodies and joints of a model to a tree whose dynamics can be computed.

Names, limits, friction and rotors of the joints are returned beside the tree and are in none of its
equations. Springs, and loops that further joints close, are not represented. A joint that mimics
another moves independently in the tree, and a note says so.

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.documents import model as tree

Judgement of the bodies of models by the consistency conditions, in one batch.

The judgement of a body: its verdict and the numbers behind it.

Models in notebooks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import starmap
from math import inf, isfinite, isnan, nan
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from inertial_check.documents import WRITERS
from inertial_check.documents.context import Context
from inertial_check.documents.mjcf import NAME as MJCF
from inertial_check.documents.mjcf import Bounds, compile_bodies
from inertial_check.documents.source import Place, Source, Span
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, UsageError, expect
from inertial_check.inertia import representations, tolerances
from inertial_check.inertia.arrays import ArrayLike, EqualByValue, Floats, read_floats
from inertial_check.inertia.consistency import Verdict, check_printed_numbers
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.intervals import half_units
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import LARGEST, SMALLEST, Order, Point, six, symmetric
from inertial_check.inertia.solids import equivalent_box

if TYPE_CHECKING:
    from inertial_check.fixing.result import Fix
    from inertial_check.inertia.notebook import ShownBodies
    from inertial_check.mechanics.tree import JointType, Tree


class BodyResult(Protocol):
    """Result that knows inertial parameters of bodies: a projection, filling or identification."""

    @property
    def parameters(self) -> InertialParameters | Mapping[str, InertialParameters]:
        """Its bodies, as a batch or by name or id."""


Given = (
    InertialParameters | ArrayLike | BodyResult | Mapping[str, InertialParameters | npt.ArrayLike]
)
"""Parameters of bodies: a batch, a result, vectors (n, 10), or each by the body's name or id."""


class Mimic(NamedTuple):
    """A joint that follows another: q = multiplier q_other + offset.

    Attributes:
        joint: Name of the other joint.
        multiplier: Ratio of the positions, [rad] or [m] per [rad] or [m].
        offset: Position at which the other joint is at zero [rad] or [m].
        coefficients: Coefficients of a polynomial of the other joint's position, constant first, if
            it is no straight line: multiplier and offset are NaN then.
    """

    joint: str
    multiplier: float
    offset: float
    coefficients: tuple[float, ...] = ()


class LoopFrame(NamedTuple):
    """Place of a loop's closure in its two bodies, and the motions that it holds.

    Attributes:
        first: Origin [m] and row-major rotation of the closure's frame in the first body; None for
            the place in which the document puts the second body.
        second: The same in the second body; None for the place where the document puts the first.
        holds: Directions that are held: 0 to 2 along the axes of the frame, 3 to 5 about them.
    """

    first: tuple[tuple[float, ...], tuple[tuple[float, ...], ...]] | None
    second: tuple[tuple[float, ...], tuple[tuple[float, ...], ...]] | None
    holds: tuple[int, ...]


class ClosedLoop(NamedTuple):
    """A joint or an equality that closes a kinematic loop: a tree of bodies is without it.

    Attributes:
        name: Name as written; "" if it has none.
        kind: What it is called in the format: connect, weld, or the type of a joint.
        bodies: Names of the two bodies that it ties, "world" for the world; "" if unknown.
        frame: Place of the closure and what it holds; None if it cannot be modelled.
        ids: Ids of the two bodies, for names that several bodies share; "" for the world, and where
            the names tell.
    """

    name: str
    kind: str
    bodies: tuple[str, str]
    frame: LoopFrame | None = None
    ids: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        """Kind and name of the loop, and its bodies."""
        name = f" {self.name!r}" if self.name else ""
        ends = [body or "a body" for body in self.bodies]
        return f"{self.kind}{name} between {' and '.join(ends)}"


class Joint(NamedTuple):
    """One joint between a body and its parent, as the document states it.

    A number is None if the document states none, infinite if it states that there is no limit, and
    NaN if the text is no number. A lower limit above the upper one is kept. Limits and forces are
    read for joints with one axis only; positions are relative to the place of the body in the
    document.

    Attributes:
        name: Name as written; "" if it has none; several joints may share it.
        type: Type as written, or the default of the format.
        lower: Least position [rad] or [m].
        upper: Largest position [rad] or [m].
        velocity: Largest speed [rad/s] or [m/s].
        acceleration: Largest acceleration [rad/s^2] or [m/s^2].
        effort: Largest torque or force that moves it [N m] or [N].
        damping: Viscous friction [N m s/rad] or [N s/m].
        friction: Coulomb friction [N m] or [N].
        armature: Inertia of the rotor, as the joint feels it [kg m^2] or [kg].
        mimic: The joint that it follows; None if it follows none.
    """

    name: str
    type: str
    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    acceleration: float | None = None
    effort: float | None = None
    damping: float | None = None
    friction: float | None = None
    armature: float | None = None
    mimic: Mimic | None = None


Role = Literal["visual", "collision"]
"""Role of a shape: it is drawn, or it collides."""

DIMENSIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "box": ("x", "y", "z"),
        "sphere": ("radius",),
        "ellipsoid": ("x", "y", "z"),
        "cylinder": ("radius", "length"),
        "capsule": ("radius", "length"),
        "cone": ("radius", "length"),
        "mesh": (),
        "plane": (),
        "heightmap": (),
    }
)
"""Dimensions of each kind of shape, in order [m].

A box has edges, an ellipsoid radii. Cylinder, capsule and cone are along z, with the middle of
their length at the origin; the length of a capsule is that of its cylinder, without the caps; the
tip of a cone is at +length / 2. The size of a mesh is in its file; plane and heightmap have no
volume."""


class Shape(NamedTuple):
    """One shape of a body.

    Attributes:
        kind: Name in DIMENSIONS, or the document's name for another kind; "" if it names none.
        role: "visual" or "collision".
        dimensions: Numbers as DIMENSIONS names them for this kind [m].
        p_BoGo_B: The shape's origin in the body frame [m].
        R_BG: Row-major rotation from the shape's axes to the body frame.
        span: Place of the element.
        uri: URI of a mesh, as written.
        scale: Factors on a mesh's coordinates; a negative one mirrors it.
        note: Why the shape cannot be used, and what to do; its numbers then have no meaning. None
            if it can be used.
    """

    kind: str
    role: Role
    dimensions: tuple[float, ...]
    p_BoGo_B: tuple[float, float, float]
    R_BG: tuple[tuple[float, float, float], ...]
    span: Span
    uri: str | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    note: str | None = None


ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The six entries of a rotational inertia, in the order in which this package keeps them."""

InertiaOrigin = Literal["file", "geometry", "default"]
"""Source of a body's inertia: the file states it, engines take it from the geometry, or it is the
default of the format."""

How = Literal["written", "expanded", "macro", "part", "derived"]
"""How an inertial was judged: by its numbers as written, as a template expands to them (expanded),
where a macro states them (macro), by those of its numbers that are known (part), or not by numbers
of its own, because engines take them from the shapes (derived)."""

ProblemKind = Literal["repair", "reference", "unread", "malformed", "engine", "differs"]
"""Kinds of problems: text that had to be repaired (repair), a file or name that was not found
(reference), a file that was not read although engines may read it (unread), text that breaks a rule
of the format (malformed), numbers that are read as written although settings of the document make
its engine use others (engine), and text that is read as written although some parsers read it
otherwise or refuse it (differs)."""

Parser = Literal[
    "tinyxml2",
    "urdfdom",
    "expat",
    "sdformat",
    "mujoco",
    "drake",
    "newton",
    "pinocchio",
    "usdphysics",
]
"""Code that engines parse documents with: of libraries that several share, or of one engine."""


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


class Misreading(NamedTuple):
    """Reading of a body, or of all bodies, by parsers that read a text otherwise than written.

    Attributes:
        parsers: The parsers.
        action: "reject" the model, put a "replace"ment in place of the body, "alter" its numbers,
            or "drop" it.
        becomes: What they take instead of the body as written.
        said: What they print.
    """

    parsers: tuple[Parser, ...]
    action: Literal["reject", "replace", "alter", "drop"] = "reject"
    becomes: str = ""
    said: str = ""


class Problem(NamedTuple):
    """A problem that a reader found in the text of a document.

    Attributes:
        kind: repair, reference, malformed, engine or differs.
        message: One sentence: the value, what is expected, and what to do.
        span: Place of the problem.
        misreadings: What parsers make of the body, or of all bodies if it is the document's.
    """

    kind: ProblemKind
    message: str
    span: Span
    misreadings: tuple[Misreading, ...] = ()


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
        how: How its numbers are known.
        needs: What its unknown numbers depend on, separated by commas, if how is "part".
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
    how: How = "written"
    needs: str = ""


SpellingState = Literal["absent", "fallback", "written", "ignored"]
"""How an attribute is stated: not at all; with the value that its schema gives it where nobody
writes it; with numbers; or with numbers that no engine takes."""


class Spelling(NamedTuple):
    """One attribute of USD that states mass properties, on the prim of a body or of its parts.

    Attributes:
        name: Name of the attribute with its namespace, or of the schema of such attributes.
        state: How the prim states it.
        numbers: Its numbers in units of the stage, in the order of the attribute; () if absent.
        prim: Path of the collider or material that states it; "" for the body itself.
    """

    name: str
    state: SpellingState
    numbers: tuple[Number, ...] = ()
    prim: str = ""


NEWTON_ORDER = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
"""Entries of an inertia in the order of newton:inertia."""


class Unjudged(NamedTuple):
    """An inertial that stands in the files of a document and is that of no body of the model.

    Attributes:
        span: Place of the element.
        reason: One sentence that says why it is not judged.
        needs: Name of what is missing: an argument, a package, a file; "" if nothing is.
    """

    span: Span
    reason: str
    needs: str = ""


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
        spellings: In USD, every attribute that states mass properties of the body, and those of its
            colliders and their materials; () in other formats.
    """

    name: str
    id: str
    span: Span
    joint: str | None
    moved: bool
    inertial: Inertial | None
    problems: tuple[Problem, ...] = ()
    shapes: tuple[Shape, ...] = ()
    inertia_from: InertiaOrigin = "file"
    parent: str | None = None
    X_PB: Pose | None = None
    axis_B: tuple[float, float, float] | None = None
    p_BoJo_B: tuple[float, float, float] | None = None
    joints: tuple[Joint, ...] = ()
    spellings: tuple[Spelling, ...] = ()

    def find_numbers(self, name: str) -> tuple[Number, ...]:
        """Find the numbers of an attribute of its own prim; () unless they are written."""
        own = (each for each in self.spellings if each.name == name and not each.prim)
        return next((each.numbers for each in own if each.state == "written"), ())

    @property
    def unit(self) -> float:
        """Unit of inertia of its document [kg m^2]; 1 without an inertial element."""
        inertial = self.inertial
        if inertial is None:
            return 1.0
        meters = inertial.meters_per_unit
        return inertial.kilograms_per_unit * (meters * meters)  # meters**2 raises where this is inf


class Stage(NamedTuple):
    """The metadata of a USD stage by which consumers read its numbers.

    Attributes:
        meters: metersPerUnit; that of USD where it is not written.
        written_meters: The same; 1 where it is not written, as Newton takes it.
        kilograms: kilogramsPerUnit.
        up: upAxis, "Y" or "Z".
        seconds: timeCodesPerSecond.
        seconds_written: Whether a layer writes it.
        default_prim: Name of the default prim; "" without one.
    """

    meters: float
    written_meters: float
    kilograms: float
    up: str
    seconds: float
    seconds_written: bool
    default_prim: str


@dataclass(frozen=True, eq=False, repr=False)
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
        bounds: Settings of the document that make MuJoCo change the numbers of its bodies.
        gravity: (3,) acceleration of gravity in the axes of the world that an MJCF states [m/s^2];
            None if it states none.
        unjudged: Inertials of its files that are those of no body, as far as the reader knows why.
        binary: Layer, prim and how it was judged ("" if it was not) of each inertial in binary
            layers of USD, whose bytes have no places.
        macros: Inertials of its files that are those of no body, or are known in part, each as that
            of a body without shapes and joints, where a template can be expanded alone.
        stage: Metadata of the stage of a USD document; None in other formats.
    """

    source: Source
    format: str
    name: str
    bodies: tuple[Body, ...]
    problems: tuple[Problem, ...] = field(default=())
    others: tuple[Source, ...] = field(default=())
    rest: str = field(default="", repr=False)
    loops: tuple[ClosedLoop, ...] = field(default=(), repr=False)
    frames: tuple[NamedFrame, ...] = field(default=(), repr=False)
    roots: tuple[RootPose, ...] = field(default=(), repr=False)
    bounds: Bounds = field(default=Bounds(), repr=False)
    gravity: tuple[float, float, float] | None = field(default=None, repr=False)
    unjudged: tuple[Unjudged, ...] = field(default=(), repr=False)
    binary: tuple[tuple[str, str, How | Literal[""]], ...] = field(default=(), repr=False)
    macros: tuple[Body, ...] = field(default=(), repr=False)
    stage: Stage | None = field(default=None, repr=False)

    @property
    def whole(self) -> Model:
        """The model with the bodies of its macros among the others, behind them, as `fix` takes it.

        The same model if they are there already, or if it has none.
        """
        if not self.macros or self.bodies[-len(self.macros) :] == self.macros:
            return self
        return replace(self, bodies=(*self.bodies, *self.macros))

    def _repr_html_(self) -> str:
        """Show it in a notebook: a table and a drawing."""
        # Show a model: its bodies, the worst first.
        from inertial_check.inertia.arrays import describe_counts
        from inertial_check.inertia.notebook import count, escape_text, write_box

        shown = read_bodies([body.name for body in self.bodies], judge(self))
        words = [count(len(self.bodies), "body"), describe_counts(shown.verdicts)]
        title = escape_text(f"Model {self.name}".rstrip())
        subtitle = f"{self.source.path} ({self.format}): {': '.join(filter(None, words))}"
        return write_box(title, subtitle, shown.write_table(), shown.draw_triangle())

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
        numbers = np.array([each.ten for each in judge(self)], dtype=np.float64).reshape(-1, 10)
        unstated = [body.inertial is None or body.inertia_from != "file" for body in self.bodies]
        numbers[np.array(unstated, dtype=bool) | np.any(np.isnan(numbers), axis=1)] = nan
        return InertialParameters.from_com(numbers[:, 0], numbers[:, 1:4], numbers[:, 4:])

    @property
    def theta(self) -> Floats:
        """(n, 10) the same parameters in the order "urdf", about the origins; knows both."""
        return cast("Floats", self.parameters.as_theta())

    @property
    def added_mass(self) -> Floats:
        """(n, 6, 6) added mass of the fluid about the bodies' origins; zeros where none is stated.

        Its rows are translations along and rotations about x, y, z [kg, kg m, kg m^2].
        """
        matrices = np.zeros((len(self.bodies), 6, 6))
        for matrix, body in zip(matrices, self.bodies, strict=True):
            if body.inertial is not None and body.inertial.fluid_added_mass:
                matrix[:] = [[n.value for n in row] for row in body.inertial.fluid_added_mass]
        return matrices

    def tree(self, base: Literal["fixed", "floating"] = "fixed") -> Tree:
        """Build the kinematic tree of the bodies, for inertial_check.mechanics.

        Bodies of an MJCF have the numbers that MuJoCo compiles; pass `gravity` to the equations.

        Args:
            base: Joint of a root that no joint holds.

        Raises:
            UsageError: The model has no tree; the message names the body.
        """
        expect("text", base=base)

        return tree_of(self, base).tree

    def with_parameters(
        self,
        parameters: Given,
        bodies: Sequence[str] | None = None,
        *,
        order: Order | None = None,
        about: Point | None = None,
        digits: int | None = None,
        context: Context | None = None,
    ) -> Fix:
        """Write inertial parameters into the document, all of these bodies or none.

        Only digits change where the document states the numbers; what it does not state is
        inserted, in its own style. Nothing is on the disk until `write` of the result is called.

        Args:
            parameters: One row for each body: InertialParameters, a projection, a filling, an
                identification, `theta` of one of these, or (n, 10) with `order` and `about`. Rows
                of NaN, and rows that are those of the model, stay as they are. Or a mapping of one
                body each by name or id.
            bodies: Names or ids of the bodies; None for those that a filling or an identification
                names, else for all of the model, in its order.
            order: Order of the last six of vectors; None for their own.
            about: Point of their inertia, "origin" or "com"; None for their own.
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
        chosen = select_changes(self, parameters, bodies, order, about)
        return WRITERS[0]()(self, chosen, digits=digits, context=context)

    def source_of(self, span: Span) -> Source:
        """Return the document that contains a span."""
        return self.others[span.file - 1] if span.file else self.source

    def place(self, span: Span) -> Place:
        """Return the lines and columns of a span."""
        source = self.source_of(span)
        place = source.place(span)
        return Place(*place[:4], source.path) if span.file else place


class NamedFrame(NamedTuple):
    """Frame with a name that a document attaches to a body: a site, or an SDF <frame>.

    Attributes:
        name: Name as written, scoped as those of bodies are.
        body: Id of the body; "" for the world.
        X_BF: Pose of the frame in the body.
    """

    name: str
    body: str
    X_BF: Pose


class RootPose(NamedTuple):
    """Pose in the world of a body without a parent, where its joint is at zero.

    Attributes:
        body: Id of the body.
        X_WB: Pose of the body in the world.
    """

    body: str
    X_WB: Pose


class Judgement(NamedTuple):
    """Verdict of the consistency conditions on one body, with the numbers behind it.

    Attributes:
        verdict: Name of an inertia.consistency.Verdict (consistent, boundary, rounding, ...).
        margin: Margin mu in [-1, 1/3]; NaN if it is not defined.
        tolerance: Numerical floor tau with which the margin was compared.
        mass: Mass [kg]; NaN if it was not read.
        p_BoBcm_B: (3,) centre of mass [m].
        I_BBcm_B: (6,) inertia about the centre of mass in body axes [kg m^2], order of ENTRIES.
        I_BBcm_Bi: (6,) the same inertia in the inertial's own axes, as printed [kg m^2].
        principal_moments: (3,) principal moments, ascending [kg m^2].
        equivalent_box: (3,) edges [m] of the uniform box with these moments, ascending; NaN if no
            box has them.
        witness: (3,) unit vector in body axes along which the second moment of the mass would be
            negative; None if there is none.
        numerically_zero: Whether max|I| < m (1e-6 m)^2.
    """

    verdict: str
    margin: float
    tolerance: float
    mass: float
    p_BoBcm_B: tuple[float, float, float]
    I_BBcm_B: tuple[float, ...]
    I_BBcm_Bi: tuple[float, ...]
    principal_moments: tuple[float, float, float]
    equivalent_box: tuple[float, float, float]
    witness: tuple[float, float, float] | None
    numerically_zero: bool

    @property
    def ten(self) -> tuple[float, ...]:
        """(10,) mass [kg], centre of mass [m] and tensor [kg m^2] in the body's axes."""
        return (self.mass, *self.p_BoBcm_B, *self.I_BBcm_B)


_NAN3 = (nan, nan, nan)
_NOTHING = Judgement(
    verdict=Verdict.MISSING.word,
    margin=nan,
    tolerance=nan,
    mass=nan,
    p_BoBcm_B=_NAN3,
    I_BBcm_B=_NAN3 * 2,
    I_BBcm_Bi=_NAN3 * 2,
    principal_moments=_NAN3,
    equivalent_box=_NAN3,
    witness=None,
    numerically_zero=False,
)

_NO_RADII = (0.0,) * 6
_get_entries = itemgetter(*ENTRIES)

_UNWRITTEN = {"geometry": Verdict.DERIVED, "default": Verdict.DEFAULTED}


def judge(model: Model, tolerance: float = 0.0) -> tuple[Judgement, ...]:
    """Judge every body by its printed numbers, about the centre of mass, in the numbers' own axes.

    Args:
        model: The model as read.
        tolerance: Margins down to -tolerance pass (dimensionless).

    Returns:
        One judgement for each body, in the order of the model.
    """
    (judgements,) = judge_all([model], tolerance)
    return judgements


def judge_all(models: Sequence[Model], tolerance: float = 0.0) -> list[tuple[Judgement, ...]]:
    """Judge the bodies of several models in one batch; see `judge`.

    A model has few bodies, and a small batch takes as long as one of hundreds of bodies.
    """
    stated = [
        body.inertial for model in models for body in model.bodies if body.inertial is not None
    ]
    judged = iter(_judge_inertials(stated, tolerance) if stated else ())
    found = []
    for model in models:
        own = []
        for body in model.bodies:
            judgement = _NOTHING if body.inertial is None else next(judged)
            # The file does not state the inertia of some bodies, whatever it seems to be.
            verdict = _UNWRITTEN.get(body.inertia_from)
            own.append(judgement if verdict is None else judgement._replace(verdict=verdict.word))
        found.append(tuple(own))
    return found


def measure_open_share(body: Body) -> float:
    """The part of the trace of the inertia that its printed digits leave open.

    Returns:
        The largest half unit of a last printed digit over the trace, both of the tensor as printed;
        infinite where the trace is not positive, 0 where the numbers are exact or some are missing.
    """
    if body.inertial is None:
        return 0.0
    half = max(_radii(body.inertial))
    if not half > 0:
        return 0.0
    entries = _entries(body.inertial)
    trace = entries[0] + entries[3] + entries[5]
    return half / trace if trace > 0 else inf


def is_computable(judgement: Judgement) -> bool:
    """Whether evidence can compute with the numbers of a body: no product of them overflows.

    Numbers that are not finite pass; what is said of them does not depend on their size.
    """
    tensor = max(map(abs, (*judgement.I_BBcm_B, *judgement.I_BBcm_Bi)))
    mass, distance = abs(judgement.mass), max(map(abs, judgement.p_BoBcm_B))
    if SMALLEST <= tensor <= LARGEST and SMALLEST <= mass <= LARGEST and distance <= LARGEST:
        return True  # nearly every body; a NaN behind other numbers does not change their maximum
    sizes = [abs(number) for number in (*judgement.I_BBcm_B, *judgement.I_BBcm_Bi, mass)]
    if any(SMALLEST > size > 0 for size in (max(sizes[:12]), mass)):
        return False
    return not any(inf > size > LARGEST for size in (*sizes, distance))


def _judge_inertials(inertials: list[Inertial], tolerance: float) -> list[Judgement]:
    mass = np.array([nan if i.mass is None else i.mass.value for i in inertials])
    center = np.array([[number.value for number in i.p_BoBcm_B] for i in inertials])
    # A tensor alone tells whether some body has it: what is not known is no reason against it.
    part = np.array([inertial.how == "part" for inertial in inertials])
    stated = np.where(part & np.isnan(mass), 1.0, mass)
    placed = np.where(part[:, None] & np.isnan(center), 0.0, center)
    I_BBcm_Bi = np.array([_entries(inertial) for inertial in inertials])
    radii = np.array([_radii(inertial) for inertial in inertials])
    R_BBi = np.array([inertial.R_BBi for inertial in inertials])

    # Units cancel in a verdict, and in the units of the file the numbers keep their printed digits,
    # from whose half units the rounding box is made.
    result = check_printed_numbers(stated, placed, I_BBcm_Bi, radii, tolerance)
    kilograms = np.array([inertial.kilograms_per_unit for inertial in inertials])
    meters = np.array([inertial.meters_per_unit for inertial in inertials])
    with np.errstate(all="ignore"):
        mass, center = mass * kilograms, center * meters[:, None]
        unit = kilograms * meters**2
        I_BBcm_Bi, moments = (v * unit[:, None] for v in (I_BBcm_Bi, result.principal_moments))
        # Rotate tensors to body axes; those already in body axes are unchanged to the bit.
        turned = six(R_BBi @ symmetric(I_BBcm_Bi) @ R_BBi.transpose(0, 2, 1))
        aligned = np.all(R_BBi == np.eye(3), axis=(1, 2))
        I_BBcm_B = np.where(aligned[:, None], I_BBcm_Bi, turned)
        boxes = equivalent_box(mass, moments)
        tiny = np.max(np.abs(I_BBcm_Bi), axis=-1) < mass * tolerances.NUMERICALLY_ZERO_RADIUS**2
        witnesses = np.einsum("nij,nj->ni", R_BBi, result.witness)
    numbers = (np.asarray(result.verdict), result.margin, result.tolerance, mass)
    vectors = (center, I_BBcm_B, I_BBcm_Bi, moments, boxes)
    columns = (
        *(each.tolist() for each in numbers),
        *(map(tuple, each.tolist()) for each in vectors),
        (None if isnan(witness[0]) else tuple(witness) for witness in witnesses.tolist()),
        tiny.tolist(),
    )
    return list(starmap(Judgement, zip(*columns, strict=True)))


def _entries(inertial: Inertial) -> list[float]:
    numbers = inertial.I_BBcm_Bi
    if len(numbers) == len(ENTRIES):
        return [number.value for number in _get_entries(numbers)]
    return [numbers[entry].value if entry in numbers else nan for entry in ENTRIES]


def _radii(inertial: Inertial) -> tuple[float, ...]:
    if len(inertial.I_BBcm_Bi) < len(ENTRIES):
        return _NO_RADII
    numbers = _get_entries(inertial.I_BBcm_Bi)
    if not all(isfinite(number.value) for number in numbers):
        return _NO_RADII
    return half_units([number.text for number in numbers])


def select_changes(
    model: Model,
    parameters: Given,
    bodies: Sequence[str] | None,
    order: Order | None = None,
    about: Point | None = None,
) -> dict[str, InertialParameters]:
    """Pair parameters with the bodies that they are for; those that nothing changes are left out.

    Args:
        model: The model.
        parameters: One row for each body, or one body each by name or id.
        bodies: Names or ids of these bodies; None for those that a result names, else for all of
            the model, in its order.
        order: Order of the last six of bare vectors.
        about: Point of the inertia of bare vectors.

    Returns:
        One body each by name or id. Rows of NaN are left out, and rows that are those of the model.

    Raises:
        ParameterError: The number of rows is another, a row is NaN in parts, or a bare array comes
            without its order and point.
    """
    if not isinstance(parameters, InertialParameters) and hasattr(parameters, "parameters"):
        named, parameters = getattr(parameters, "bodies", None), parameters.parameters
        if bodies is None and isinstance(named, tuple) and all(isinstance(n, str) for n in named):
            bodies = named
    if isinstance(parameters, Mapping):
        if bodies is not None:
            raise ParameterError("parameters name their bodies, so bodies cannot be given, too")
        return {name: _read_batch(each, order, about) for name, each in parameters.items()}
    if isinstance(bodies, str):
        bodies = [bodies]
    names = [body.id for body in model.bodies] if bodies is None else list(bodies)
    count = len(names)
    batch = _read_batch(parameters, order, about)
    if batch.shape == () and count == 1:
        batch = batch[None]
    if batch.shape != (count,):
        batch_bodies = "1 body" if count == 1 else f"{count} bodies"
        raise ParameterError(
            f"parameters have shape {batch.shape}, expected one row for {batch_bodies}"
        )
    rows = _stack_numbers(batch)
    own = None if bodies is not None else _stack_numbers(model.parameters, batch.about)
    chosen: dict[str, InertialParameters] = {}
    for index, name in enumerate(names):
        blank = np.isnan(rows[index])
        if np.all(blank) or (own is not None and np.array_equal(rows[index], own[index])):
            continue
        if np.any(blank):
            raise ParameterError(
                f"parameters of {name!r} are NaN in parts: give ten numbers, or ten NaN for a body "
                "that stays as it is"
            )
        if name in chosen:
            raise ParameterError(f"{name!r} stands twice among the bodies")
        chosen[name] = batch[index]
    return chosen


def _read_batch(parameters: object, order: Order | None, about: Point | None) -> InertialParameters:
    """Read parameters of one body or several, whose order and point are known or said.

    Raises:
        ParameterError: A bare array without `order` and `about`, or a contradiction.
    """
    form = representations.find_form(parameters, order, about)
    if isinstance(parameters, InertialParameters):
        return parameters
    own = representations.find_own_form(parameters)
    missing = [
        name
        for name, known in (("about", own[1] or about), ("order", own[0] or order))
        if known is None
    ]
    if missing:
        raise ParameterError(
            f"parameters are bare numbers, which do not say {' and '.join(missing)}: give "
            'about="origin" or about="com" and order="urdf" or another, or pass the result itself '
            "(a projection, its theta, InertialParameters)"
        )
    return InertialParameters.from_theta(
        read_floats((), parameters=cast("ArrayLike", parameters))[0], *form
    )


def _stack_numbers(batch: InertialParameters, about: Point | None = None) -> Floats:
    """The numbers (n, 10) by which bodies are compared: mass, centre and six, without rounding."""
    about = about or batch.about
    theta = np.array(batch.as_theta(about=about), dtype=np.float64)
    if about == "com":
        theta[:, 1:4] = np.asarray(batch.com)
    return theta


Base = Literal["fixed", "floating"]

INERTIAL_FRAME = -1
"""Parent of a body that is on no other, as in mechanics.tree, which a check does not import."""

WORLD = "world"
"""Name of a URDF link that represents the world."""

JOINT_TYPES: dict[str, JointType] = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "hinge": "revolute",
    "prismatic": "prismatic",
    "slide": "prismatic",
    "floating": "floating",
    "free": "floating",
}
"""Joint of the tree for each type of joint in the formats."""

_FLOATING = ("vx", "vy", "vz", "wx", "wy", "wz")
"""Suffixes of the names of a floating joint's six velocities."""

_SHOWN = 4
"""Largest number of names that a note lists."""

_NO_NUMBERS: Mapping[str, float] = MappingProxyType({})
_UNMOVED = np.eye(4)


class TreeJoints(NamedTuple):
    """Properties of the joints of a tree, one entry for each of its n velocities, in their order.

    A number is NaN if the document states none or it cannot be read, and infinite if the document
    states that there is no limit.

    Attributes:
        names: Names of the joints, or of the body if a joint has none. The six velocities of a
            floating joint have the suffixes .vx, .vy, .vz, .wx, .wy, .wz.
        lower: (n,) least position [rad] or [m].
        upper: (n,) largest position [rad] or [m].
        velocity: (n,) largest speed [rad/s] or [m/s].
        acceleration: (n,) largest acceleration [rad/s^2] or [m/s^2].
        effort: (n,) largest torque or force [N m] or [N].
        damping: (n,) viscous friction [N m s/rad] or [N s/m].
        friction: (n,) Coulomb friction [N m] or [N].
        armature: (n,) inertia of the rotor, as the joint feels it [kg m^2] or [kg].
        mimics: The joint that each follows; None if it follows none.
    """

    names: tuple[str, ...]
    lower: Floats
    upper: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats
    damping: Floats
    friction: Floats
    armature: Floats
    mimics: tuple[Mimic | None, ...]


class ReadTree(NamedTuple):
    """Tree of a model, with one body for each body of the model, in document order.

    Attributes:
        tree: The tree. Its coordinates are those of the joints in the order of the bodies that they
            move, and zero where the document places the bodies; the frame of each root is the
            inertial frame.
        notes: Assumptions that were made, one line each.
        joints: Properties of the joints, for each velocity of the tree.
    """

    tree: Tree
    notes: tuple[str, ...]
    joints: TreeJoints


def tree_of(
    model: Model, base: Base = "fixed", locked: Mapping[str, float] = _NO_NUMBERS
) -> ReadTree:
    """Build the tree of a model.

    Args:
        model: The model as read.
        base: Joint of a root that no joint holds: "fixed" or "floating". A link called world is
            fixed, and so is a body that the document fixes to the world.
        locked: Positions of joints that are locked [rad] or [m], by their names; they are fixed
            joints of the tree. A joint without a name has that of its body.

    Raises:
        UsageError: The model has no tree: a joint has an unknown type or several axes; a pose, an
            axis or an inertia is unknown; a URDF has several roots; bodies form a loop, or float
            on others. The message names the body. Or a joint to be locked does not exist, shares
            its name, or has no axis for a position other than 0.

    Example:
        >>> found = tree.tree_of(ic.load("data/recordings/arm.urdf"))
        >>> print(found.tree.names)
        ('base_link', 'shoulder', 'upper_arm', 'forearm', 'tool0')
        >>> print(found.joints.names)
        ('turn', 'lift', 'bend')
    """
    expect(Model, model=model)
    expect("text", base=base)
    expect("mapping", locked=locked)
    if base not in ("fixed", "floating"):
        raise UsageError(f"base is {base!r}, expected fixed or floating")
    from inertial_check.mechanics.tree import Tree

    bodies = model.bodies
    if not bodies:
        raise UsageError(f"{model.source.path}: no bodies, so no tree")
    index_of = {body.id: index for index, body in enumerate(bodies)}
    parents = [index_of.get(body.parent or "", INERTIAL_FRAME) for body in bodies]
    found = [
        body.name
        for body, parent in zip(model.bodies, parents, strict=True)
        if parent == INERTIAL_FRAME and body.joint is None
    ]
    if model.format in ("urdf", "xacro") and len(found) > 1:
        raise UsageError(
            f"{model.source.path}: {len(found)} roots ({', '.join(found[:4])}"
            f"{', ...' if len(found) > 4 else ''}), expected one: tie the others to it by joints"
        )
    written, mjcf = judge(model), model.format == MJCF
    compiled = compile_bodies(model, written)
    judgements = compiled.judgements if mjcf else written  # all but MuJoCo read a URDF as written
    still = _lock_joints(model, locked)
    joints: list[JointType] = []
    for index, body in enumerate(bodies):
        joint = "fixed" if index in still else _joint(model, body, parents[index], base)
        if joint == "floating" and parents[index] != INERTIAL_FRAME:
            parent = parents[index]
            above = model.bodies[parent]
            if parents[parent] == INERTIAL_FRAME and above.joint is None and above.name == WORLD:
                parents[index] = INERTIAL_FRAME
            else:
                what = f"it floats on {above.name}, expected on a root called {WORLD}"
                raise _tree_error(model, model.bodies[index], what)
        joints.append(joint)
    theta = np.array([_theta(*each, model) for each in zip(bodies, judgements, strict=True)])
    parents = _check_acyclic(model, parents)
    X_PB = np.array([_pose(model, *each) for each in zip(bodies, parents, strict=True)])
    points_B = np.array([_point(model, *each) for each in zip(bodies, joints, strict=True)])
    added_mass = model.added_mass
    for body, matrix in zip(bodies, added_mass, strict=True):
        if not np.all(np.isfinite(matrix)):
            raise _tree_error(model, body, "its fluid_added_mass is not finite")
    tree = Tree(
        names=[body.name for body in bodies],
        parents=np.array(parents, dtype=np.intp),
        joints=joints,
        X_PB=X_PB @ np.array([still.get(index, _UNMOVED) for index in range(len(bodies))]),
        axes_B=np.array([body.axis_B or (0.0, 0.0, 1.0) for body in bodies]),
        points_B=points_B,
        theta=theta,
        added_mass=added_mass,
    )
    named = _tree_joints(tree, bodies)
    taken = "those of MuJoCo" if mjcf and compiled.known else "those written"
    notes = [f"{compiled.note}; masses and inertias here are {taken}"] if compiled.note else []
    massless = zip(bodies, theta, strict=True)
    if bare := [body.name for body, ten in massless if body.inertial is None and not ten.any()]:
        notes.append(f"no inertia, so a frame without mass: {_list_names(bare)}")
    followers = [
        f"{name} ({mimic.joint or 'its offset'})"
        for name, mimic in zip(named.names, named.mimics, strict=True)
        if mimic is not None
    ]
    if followers:
        listed = _list_names(followers)
        notes.append(f"follows another joint, but moves by itself here: {listed}")
    return ReadTree(tree, tuple(notes), named)


def _joint(model: Model, body: Body, parent: int, base: Base) -> JointType:
    if body.joint is None:
        return "fixed" if base == "fixed" or body.name == WORLD else "floating"
    if len(body.joints) > 1:
        names = _list_names([each.name or f"a {each.type}" for each in body.joints])
        what = f"it has {len(body.joints)} joints ({names}), expected one"
        raise _tree_error(
            model, body, f"{what}: put each but the last on a body of its own around this one"
        )
    joint = JOINT_TYPES.get(body.joint)
    if joint is None:
        known = ", ".join(JOINT_TYPES)
        raise _tree_error(model, body, f"its joint is of type {body.joint!r}, expected {known}")
    if joint in ("revolute", "prismatic") and body.axis_B is None:
        raise _tree_error(model, body, "the axis of its joint cannot be read")
    if parent == INERTIAL_FRAME and body.parent is not None:
        raise _tree_error(model, body, f"its parent {body.parent} is not among the bodies")
    return joint


def _check_acyclic(model: Model, parents: list[int]) -> list[int]:
    """Return the parents if a root can be reached from every body.

    Raises:
        UsageError: Bodies form a loop, which the message names.
    """
    safe: set[int] = {INERTIAL_FRAME}
    for start in range(len(parents)):
        chain: list[int] = []
        index = start
        while index not in safe:
            if index in chain:
                names = [model.bodies[each].name for each in chain[chain.index(index) :]]
                loop = " -> ".join([*names, names[0]])
                raise UsageError(f"{model.source.path}: a closed loop and no tree: {loop}")
            chain.append(index)
            index = parents[index]
        safe.update(chain)
    return parents


def _pose(model: Model, body: Body, parent: int) -> Floats:
    if parent == INERTIAL_FRAME and (body.X_PB is None or body.parent is not None):
        return np.eye(4)  # the frame of a root is the inertial frame, unless a library places it
    if body.X_PB is None:
        raise _tree_error(model, body, "where it stands in its parent cannot be read")
    X_PB = homogeneous(body.X_PB.R_PB, body.X_PB.p_PoBo_P)
    if not np.all(np.isfinite(X_PB)):
        raise _tree_error(model, body, "where it stands in its parent is not finite")
    return X_PB


def _point(model: Model, body: Body, joint: JointType) -> Floats:
    if joint == "revolute" and body.p_BoJo_B is None:
        raise _tree_error(model, body, "where the axis of its joint is cannot be read")
    return np.array(body.p_BoJo_B or (0.0, 0.0, 0.0))


def _theta(body: Body, judgement: Judgement, model: Model) -> Floats:
    """Compute the ten parameters about the body's origin; zeros without an inertial element."""
    if body.inertia_from == "geometry":
        raise _tree_error(model, body, "it takes its inertia from its geometry")
    if body.inertial is None and isnan(judgement.mass):
        return np.zeros(10)
    mass, center = judgement.mass, np.array(judgement.p_BoBcm_B)
    with np.errstate(all="ignore"):
        about_com = np.array([mass, *(mass * center), *judgement.I_BBcm_B])
    if not np.all(np.isfinite(about_com)):
        raise _tree_error(
            model, body, "its mass, centre of mass or inertia is missing or not finite"
        )

    return np.asarray(InertialParameters.from_theta(about_com, about="com").as_theta())


def list_joints(model: Model) -> list[tuple[str, int]]:
    """List the joints that move: the name of each, and the index of the body that it moves.

    Example:
        >>> print(tree.list_joints(ic.load("data/recordings/arm.urdf")))
        [('turn', 1), ('lift', 2), ('bend', 3)]
    """
    expect(Model, model=model)
    return [
        (_name_of(body), index)
        for index, body in enumerate(model.bodies)
        if body.moved and body.joint is not None
    ]


def _lock_joints(model: Model, positions: Mapping[str, float]) -> dict[int, Floats]:
    """Compute the displacement (4, 4) of each body whose joint is locked."""
    if not positions:
        return {}
    carried: dict[str, list[int]] = {}
    for name, index in list_joints(model):
        carried.setdefault(name, []).append(index)
    moved = {}
    for name, position in positions.items():
        found = carried.get(name, [])
        if len(found) != 1:
            what = f"{len(found)} joints are" if found else "no joint that moves is"
            hint = f"; there are {_list_names(list(carried), most=12)}"
            if not found:
                hint = suggest_name(name, carried, hint)
            raise UsageError(f"{model.source.path}: {what} called {name!r}{hint}")
        body = model.bodies[found[0]]
        moved[found[0]] = np.eye(4)
        if position == 0.0:
            continue
        if not np.isfinite(position):
            raise _tree_error(
                model, body, f"its joint is to be locked at {position}, expected a number"
            )
        kind = JOINT_TYPES.get(body.joint or "")
        if kind not in ("revolute", "prismatic") or body.axis_B is None:
            raise _tree_error(model, body, f"its joint cannot be locked at {position:g}, only at 0")
        _point(model, body, kind)
        moved[found[0]] = displace(body, position)
    return moved


def displace(body: Body, position: float) -> Floats:
    """Compute the pose (4, 4) of a body at a position of its joint, relative to that at 0."""
    from inertial_check.mechanics.rotations import matrix_from_rotation_vector

    along = position * np.array(body.axis_B)
    if JOINT_TYPES.get(body.joint or "") == "prismatic":
        return homogeneous(np.eye(3), along)
    R, point = matrix_from_rotation_vector(along), np.array(body.p_BoJo_B)
    return homogeneous(R, point - R @ point)  # the point on the axis stays


def _tree_joints(tree: Tree, bodies: Sequence[Body]) -> TreeJoints:
    names: list[str] = []
    stated: list[Joint] = []
    for body, kind in zip(bodies, tree.joints, strict=True):
        if kind == "fixed":
            continue
        joint = body.joints[0] if body.joints else Joint("", kind)
        name = _name_of(body)
        endings = [f".{ending}" for ending in _FLOATING] if kind == "floating" else [""]
        names += [f"{name}{ending}" for ending in endings]
        stated += [joint] * len(endings)

    def numbers(field: str) -> Floats:
        values = (getattr(joint, field) for joint in stated)
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    return TreeJoints(
        names=tuple(names),
        **{field: numbers(field) for field in TreeJoints._fields[1:-1]},
        mimics=tuple(joint.mimic for joint in stated),
    )


def _name_of(body: Body) -> str:
    """Return the name of a body's only joint, or else the name of the body."""
    names = [joint.name for joint in body.joints if joint.name]
    return names[0] if len(names) == 1 else body.name


def _list_names(names: Sequence[str], most: int = _SHOWN) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _tree_error(model: Model, body: Body, reason: str) -> UsageError:
    return UsageError(f"{model.source.path}: {body.name}: {reason}: no tree")


def read_bodies(names: Sequence[str], judgements: Sequence[Judgement]) -> ShownBodies:
    """Read the bodies that a notebook shows from their judgements."""
    from inertial_check.inertia.notebook import ShownBodies

    def column(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.array([getattr(each, name) for each in judgements], dtype=np.float64)

    return ShownBodies(
        names,
        column("mass"),
        column("principal_moments").reshape(-1, 3),
        column("margin"),
        [each.verdict for each in judgements],
    )
