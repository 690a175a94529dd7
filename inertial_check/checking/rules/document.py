"""IC0xx: the document itself.

IC7xx: formats and engines.

IC9xx: decisions that are recorded in the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inertial_check.checking.evidence.examination import Examination, Geometry
from inertial_check.checking.report import Finding, Severity
from inertial_check.checking.rules.base import ProblemRule, Rule, count_noun, name_some
from inertial_check.documents.source import Place, Span


class UnreadableDocument(Rule):
    """A robot model that cannot be parsed.

    ## What it does
    Reports a robot model that no XML reader accepts: truncated, tags that do not match, an entity
    declaration, an encoding other than UTF-8, ASCII, UTF-16 with its mark, ISO-8859-x and
    Windows-125x.

    ## Why is this bad
    None of its bodies was checked. Entity declarations are refused as a few hundred bytes expand to
    gigabytes, multi-byte encodings (Shift_JIS, GBK, Big5) as engines may read another document.

    ## Example
        <robot name="arm"><link name="base"></robot>

    ## Use instead
        <robot name="arm"><link name="base"/></robot>

    ## Tolerance
    None.

    ## Fix
    By hand.

    ## References
    XML 1.0, sections 2.1 (well-formed documents) and 4 (entities).
    """

    code, name, severity = "IC001", "unreadable-document", Severity.ERROR

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """None: a document that gave a model is readable."""
        return iter(())

    @classmethod
    def on_document(cls, reason: str, place: Place) -> Finding:
        """The finding on a document that gave no model."""
        return Finding(cls.code, cls.name, cls.severity, None, reason, place)


class NonStrictDocument(ProblemRule):
    """A document that is read only after a repair that engines also make.

    ## What it does
    Reports what an XML reader may refuse although MuJoCo, urdfdom and others read on: a declaration
    after a comment or an empty line, a prefix that is declared nowhere, "--" in a comment, a bare
    ampersand, content after the root element; an SDF whose version SDF does not have; a USD
    without metersPerUnit, or whose bodies all stand in variants of which none is selected.

    ## Why is this bad
    The model loads in one tool and fails in the next.

    ## Example
        <!-- exported from CAD -->
        <?xml version="1.0"?>
        <robot name="arm"/>

    ## Use instead
        <?xml version="1.0"?>
        <!-- exported from CAD -->
        <robot name="arm"/>

    ## Tolerance
    None.

    ## Fix
    By hand. The numbers are checked as engines read them.

    ## References
    XML 1.0, section 2.8 (prolog); Namespaces in XML 1.0, section 5.
    """

    code, name, severity, kind = "IC002", "non-strict-document", Severity.WARNING, "repair"


class UnresolvedReference(ProblemRule):
    """A file or package that the model refers to was not found.

    ## What it does
    Reports an include, package, macro, argument or expression that is not resolved; the rest is
    checked. Missing meshes are one finding a model. It is an error where engines may read bodies
    that are not read here: of a file outside the repository, too large or unreadable, and of what
    nests too deep.

    ## Why is this bad
    The bodies behind it were not checked, or without their geometry.

    ## Example
        <robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
          <link name="base"/>
          <xacro:gripper prefix="left"/>
        </robot>

    ## Use instead
    The expanded file.

    ## Tolerance
    None.

    ## Fix
    By hand: `xacro arm.urdf.xacro > arm.urdf`, the path of a file that exists, or `--package-path
    NAME=DIR`; `--geometry off` leaves meshes out.

    ## References
    ROS wiki, xacro (macros); URDF XML specification, element mesh (package:// addresses).
    """

    code, name, severity, kind = "IC003", "unresolved-reference", Severity.WARNING, "reference"

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding a problem, and one for all meshes that were not found."""
        for body, problem in examination.problems.get("unread", ()):
            # What it holds may reach an engine, and nobody has judged it.
            yield self._of(problem, body)._replace(severity=max(self.run_severity, Severity.ERROR))
        yield from super().findings(examination)
        if examination.geometry.missing:
            yield self._meshes(examination.geometry)

    def _meshes(self, geometry: Geometry) -> Finding:
        missing = {uri for uri, _, _ in geometry.missing}
        first, index, reason = geometry.missing[0]
        names = list(dict.fromkeys(uri for uri, _, _ in geometry.missing))
        users = [any(s.uri in missing for s in body.shapes) for body in self.model.bodies]
        span = next(s.span for s in self.model.bodies[index].shapes if s.uri == first)
        files, bodies = len(names), sum(users)
        packaged = first.startswith(("package:", "model:")) and "--package-path" not in reason
        way_out = "name the package's folder with --package-path NAME=DIR, or " * packaged
        return self.at(
            span,
            f"{count_noun(files, 'mesh file')} of {count_noun(bodies, 'body', 'bodies')} not found"
            f"{'' if geometry.found else ' (all of them)'}: {name_some(names)}. The first: "
            f"{reason.removeprefix(f'{first}: ')}. Their shapes were left out; {way_out}"
            "switch such evidence off with --geometry off",
            values={"files": files, "bodies": bodies},
        )

    @classmethod
    def on_document(cls, reason: str, place: Place) -> Finding:
        """The finding on a template that cannot be expanded."""
        return Finding(cls.code, cls.name, cls.severity, None, reason, place)


class MalformedInertial(ProblemRule):
    """An inertial element that does not say what its format asks.

    ## What it does
    Reports a missing element or attribute, text that is no number ("1,5", "0.1f", "${mass}"), a
    vector without exactly three numbers, a second inertial in one link. Nothing is guessed.

    ## Why is this bad
    Engines disagree on such text: some stop, some take 0, some take the digits before the comma.

    ## Example
        <inertial><mass value="1,5"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>

    ## Use instead
        <inertial>
          <mass value="1.5"/>
          <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
        </inertial>

    ## Tolerance
    None. A number is a sign, digits with at most one point, and an exponent.

    ## Fix
    By hand.

    ## References
    URDF XML specification, element inertial.
    """

    code, name, severity, kind = "IC004", "malformed-inertial", Severity.ERROR, "malformed"


class CompiledOtherwise(ProblemRule):
    """The document makes its engine use other numbers, or other bodies, than those written.

    ## What it does
    Reports settings by which MuJoCo leaves the written numbers of an MJCF: inertiafromgeom ignores
    an inertial, boundmass and boundinertia raise its numbers, balanceinertia replaces moments that
    no body has, settotalmass scales all, a replicate copies bodies; in an SDF what stands beside
    auto="true". The verdict is on what is written, or "derived".

    ## Why is this bad
    Readers of the file see other numbers than those that are simulated, and balanceinertia hides a
    mistake.

    ## Example
        <mujoco>
          <compiler balanceinertia="true"/>
          <worldbody>
            <body name="forearm">
              <joint/>
              <inertial pos="0 0 0.1" mass="1.2" diaginertia="0.001 0.001 0.02"/>
            </body>
          </worldbody>
        </mujoco>

    ## Use instead
    No setting, and diaginertia="0.001 0.001 0.002".

    ## Tolerance
    None.

    ## Fix
    By hand.

    ## References
    MuJoCo XML reference, element compiler; MuJoCo 4.0.0.
    """

    code, name, severity, kind = "IC710", "compiled-otherwise", Severity.NOTE, "engine"


class ReadOtherwise(ProblemRule):
    """A text that some engines read otherwise than it is written, or refuse.

    ## What it does
    Reports what parsers read differently from the same bytes: a blank behind a number, tabs and
    line ends between numbers, UTF-16, a processing instruction, a version that urdfdom does not
    have, a quaternion that only urdfdom reads, names that stand twice, joints without their links,
    and settings of MuJoCo inside a URDF. The verdict is that of the numbers as written; predictions
    are each engine's.

    ## Why is this bad
    urdfdom drops the whole inertial of `value="1 "` and loads a link without mass, in silence.

    ## Example
        <mass value="1.2 "/>

    ## Use instead
        <mass value="1.2"/>

    ## Tolerance
    None.

    ## Fix
    By hand: write the form that all engines read.

    ## References
    urdfdom, urdf_model/utils.h (strToDouble); tinyxml2.cpp, XMLDeclaration::ParseDeep; MuJoCo
    4.0.0, Drake 1.51.1, Pinocchio 4.1.0 and Newton 1.8.0, each run on such documents.
    """

    code, name, severity, kind = "IC711", "read-otherwise", Severity.WARNING, "differs"


class _SuppressionRule(Rule):
    """A rule about comments, which are looked at when all findings are known."""

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """None: whether a comment is needed, other rules decide."""
        return iter(())


class UnusedSuppression(_SuppressionRule):
    """A comment or an accepted entry suppresses a rule that finds nothing there.

    ## What it does
    Reports each rule that an `inertial-check: ignore` or `accept` comment names and that would be
    silent without it, and each `[[accepted]]` entry that no finding on its files needs; an entry
    about no file is a note.

    ## Why is this bad
    It will hide the next mistake in the same place.

    ## Example
        <link name="finger">
          <!-- inertial-check: ignore[IC301] the tensor of the old gripper -->
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="2e-5" ixy="0" ixz="0" iyy="2e-5" iyz="0" izz="4e-6"/>
          </inertial>
        </link>

    ## Use instead
    The link without the comment.

    ## Tolerance
    Silent where the rule is not on; about rules that look at more than the document (IC003, IC2xx,
    IC5xx, IC6xx, IC7xx); and in templates and included documents, which other models may use.

    ## Fix
    By hand.

    ## References
    Suppressing findings, in the documentation of this tool.
    """

    code, name, severity = "IC901", "unused-suppression", Severity.WARNING
    UNDECIDED: ClassVar[tuple[str, ...]] = ("IC003", "IC2", "IC5", "IC6", "IC7", "IC9")
    """Beginnings of the codes of rules that look at more than the document itself says."""

    def on_comment(self, selector: str, count: int, span: Span) -> Finding:
        """The finding on a comment that names a rule in vain, perhaps beside others."""
        way = "the comment" if count == 1 else f"{selector} from the comment"
        return self.at(span, f"nothing is found here that {selector} would ignore: delete {way}")

    @classmethod
    def on_entry(cls, place: Place, severity: Severity, files: str) -> Finding:
        """The finding on an accepted entry of a configuration that nothing needs."""
        message = f"nothing is found in {files} that this entry would accept: delete the entry"
        return Finding(cls.code, cls.name, severity, None, message, place)


class InvalidSuppression(_SuppressionRule):
    """A comment that is meant to suppress findings, and cannot be taken as it stands.

    ## What it does
    Reports an `inertial-check:` comment that names no rules, an unknown one or all of them, that
    uses another word than ignore, ignore-next and ignore-file (or accept instead of ignore), that
    accepts without a reason, or that stands where it is about nothing: `ignore` behind another
    element, `ignore-next` behind the last one.

    ## Why is this bad
    It suppresses nothing, or more than its author knew.

    ## Example
        <link name="finger">
          <!-- inertial-check: ignore measured on a scale -->
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="2e-5" ixy="0" ixz="0" iyy="2e-5" iyz="0" izz="5e-5"/>
          </inertial>
        </link>

    ## Use instead
    The comment with the rule: `ignore[IC301] measured on a scale`.

    ## Tolerance
    None. A comment that begins with other words is prose.

    ## Fix
    By hand.

    ## References
    Suppressing findings, in the documentation of this tool.
    """

    code, name, severity = "IC902", "invalid-suppression", Severity.WARNING


DOCUMENT_RULES: tuple[type[Rule], ...] = (
    UnreadableDocument,
    NonStrictDocument,
    UnresolvedReference,
    MalformedInertial,
    CompiledOtherwise,
    ReadOtherwise,
    UnusedSuppression,
    InvalidSuppression,
)
"""Rules about the document and its comments, in the order of their codes."""
