"""IC0xx: the document itself."""

from __future__ import annotations

from collections.abc import Iterator

from inertial_check.evidence import Examination, Geometry
from inertial_check.model import Finding, Place, Severity
from inertial_check.rules._base import ProblemRule, Rule
from inertial_check.rules._phrases import count_noun, name_some


class UnreadableDocument(Rule):
    """A robot model that cannot be parsed.

    ## What it does
    Reports a document whose root says that it is a robot model but which no XML reader accepts:
    truncated, tags that do not match, an entity declaration, a declared encoding other than UTF-8,
    ASCII, UTF-16 with its mark, ISO-8859-x and Windows-125x.

    ## Why is this bad
    None of its bodies was checked. Entity declarations are refused even where they are well-formed:
    a few hundred bytes of them expand to gigabytes, and robot models have no use for them.
    Engines know no encodings: in one whose characters have several bytes (Shift_JIS, GBK, Big5)
    they may see the end of a section where there is none, and read another document.

    ## Example
        <robot name="arm"><link name="base"></robot>

    ## Use instead
        <robot name="arm"><link name="base"/></robot>

    ## Tolerance
    None. What engines read after a repair is IC002 instead.

    ## Fix
    By hand, at the line and column of the finding.

    ## References
    Extensible Markup Language (XML) 1.0, sections 2.1 (well-formed documents) and 4 (entities).
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
    ampersand, content after the root element; and an SDF whose version SDF does not have.

    ## Why is this bad
    The model loads in one tool and fails in the next, with an error that does not speak of robots.

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
    By hand. The numbers are checked as the engines would read them.

    ## References
    XML 1.0, section 2.8 (prolog); Namespaces in XML 1.0, section 5.
    """

    code, name, severity, kind = "IC002", "non-strict-document", Severity.WARNING, "repair"


class UnresolvedReference(ProblemRule):
    """A file or package that the model refers to was not found.

    ## What it does
    Reports an include, package or macro call that is not resolved, and what was skipped because of
    it. In a URDF that is a call of xacro's that was never expanded; in a folder, a xacro file that
    cannot be expanded by itself. Mesh files that are not found are one finding a model, at the
    first shape that names one: how many of how many bodies, and where the first was sought.

    ## Why is this bad
    The bodies behind it were not checked, or were checked without their geometry.

    ## Example
        <robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
          <link name="base"/>
          <xacro:gripper prefix="left"/>
        </robot>

    ## Use instead
        <robot name="arm">
          <link name="base"/>
          <link name="left_gripper"/>
          <joint name="left_mount" type="fixed">
            <parent link="base"/><child link="left_gripper"/>
          </joint>
        </robot>

    ## Tolerance
    None.

    ## Fix
    By hand: `xacro arm.urdf.xacro > arm.urdf`, or the path of a file that exists. Packages are
    sought above the model and where `--package-path NAME=DIR` says; `--geometry off` leaves meshes,
    and all that is concluded from shapes, out.

    ## References
    ROS wiki, xacro (macros); URDF XML specification, element mesh (package:// addresses).
    """

    code, name, severity, kind = "IC003", "unresolved-reference", Severity.WARNING, "reference"

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding a problem, and one for all meshes that were not found."""
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
    vector without exactly three numbers, a second inertial in one link. Nothing is guessed: a
    number that is no number is not a number here.

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
    None. A number is an optional sign, digits with at most one point, and an optional exponent.

    ## Fix
    By hand: only the author knows the number that was meant.

    ## References
    URDF XML specification, element inertial.
    """

    code, name, severity, kind = "IC004", "malformed-inertial", Severity.ERROR, "malformed"
