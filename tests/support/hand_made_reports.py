"""Reports written by hand, so that the reporters are tested without the pipeline."""

from math import inf, nan

from inertial_check.checking.report import (
    BodyReport,
    Excerpt,
    ExcerptLine,
    FileReport,
    Finding,
    FindingEntry,
    Hypothesis,
    Prediction,
    Remedy,
    Report,
    Severity,
    Suppression,
    TextReplacement,
)
from inertial_check.documents.model import Judgement
from inertial_check.documents.source import Place

CONSISTENT = BodyReport(
    "base",
    "/robot/link[1]",
    4,
    Judgement(
        verdict="consistent",
        margin=0.3333333333333333,
        tolerance=1.7763568394002505e-15,
        mass=2.0,
        p_BoBcm_B=(0.0, 0.0, 0.1),
        I_BBcm_B=(0.1, 0.0, -0.0, 0.1, 0.0, 0.30000000000000004 / 3),
        I_BBcm_Bi=(0.1, 0.0, -0.0, 0.1, 0.0, 0.1),
        principal_moments=(0.1, 0.1, 0.1),
        equivalent_box=(0.5477225575051661, 0.5477225575051661, 0.5477225575051661),
        witness=None,
        numerically_zero=False,
    ),
)
INCONSISTENT = BodyReport(
    "forearm",
    "/robot/link[2]",
    11,
    Judgement(
        verdict="inconsistent",
        margin=-0.23076923076923078,
        tolerance=1.7763568394002505e-15,
        mass=1.2,
        p_BoBcm_B=(0.0, 0.0, 0.1),
        I_BBcm_B=(0.02, 0.0, 0.0, 0.03, 0.0, 0.08),
        I_BBcm_Bi=(0.02, 0.0, 0.0, 0.03, 0.0, 0.08),
        principal_moments=(0.02, 0.03, 0.08),
        equivalent_box=(nan, nan, nan),
        witness=(0.0, 0.0, 1.0),
        numerically_zero=False,
    ),
    predictions={
        "mujoco": Prediction("mujoco", "4.0.0", "reject", "inertia must satisfy A + B >= C"),
        "drake": Prediction(
            "drake", "1.51.1", "replace", "did not pass", "a sphere of 1.2 kg, 6.6 cm in radius"
        ),
        "gz": Prediction("gz", "8", "reject", 'A link named "forearm" has invalid inertia.'),
        "newton": Prediction("newton", "1.8.0", "alter", "", "diag(0.05, 0.06, 0.11) kg m^2"),
        "pinocchio": Prediction("pinocchio", "4.1", "accept"),
        "physx": Prediction("physx", "5", "warn", "odd inertia"),
        "genesis": Prediction("genesis", "0.3", "warn", "odd inertia"),
    },
)
UNREAD = BodyReport(
    "tool",
    "/robot/link[3]",
    20,
    Judgement(
        verdict="invalid",
        margin=nan,
        tolerance=nan,
        mass=inf,
        p_BoBcm_B=(nan, 0.0, 0.0),
        I_BBcm_B=(nan, 0.0, 0.0, -inf, 0.0, 1.0),
        I_BBcm_Bi=(nan, 0.0, 0.0, -inf, 0.0, 1.0),
        principal_moments=(nan, nan, nan),
        equivalent_box=(nan, nan, nan),
        witness=None,
        numerically_zero=False,
    ),
)

TRIANGLE = Finding(
    code="IC301",
    name="triangle-inequality-violation",
    severity=Severity.ERROR,
    body="forearm",
    message="no body has principal moments 0.02, 0.03, 0.08 kg m^2",
    place=Place(15, 20, 15, 81),
    values={
        "mass": 1.2,
        "margin": -0.23076923076923078,
        "tolerance": 1.7763568394002505e-15,
        "principal_moments": [0.02, 0.03, 0.08],
        "admissible": {
            "ixx": [0.05, 0.11],
            "ixy": None,
            "ixz": None,
            "iyy": [0.06000000001, 0.09999999999],
            "iyz": None,
            "izz": [0.009999999999999998, 0.05],
        },
        "equivalent_box": [None, None, None],
        "witness": [0.0, 0.0, 1.0],
    },
    entries=(
        FindingEntry("ixx", "0.02", Place(15, 20, 15, 24)),
        FindingEntry("izz", "${8 * unit}", Place(4, 7, 4, 18, "robots/units.xacro"), literal=False),
    ),
    fix="unsafe",
    causes=(
        Hypothesis(
            "decimal-slip",
            0.9,
            "izz is ten times what goes with the other five",
            {"body": "forearm", "entries": {"izz": 0.008}},
        ),
        Hypothesis("placeholder", 0.05, "these numbers stand on no other body"),
    ),
    body_id="/robot/link[2]",
    excerpt=Excerpt(
        (
            ExcerptLine(
                15,
                '      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.08"/>',
                20,
                70,
            ),
        )
    ),
    written={"mass": "1.20", "ixx": "0.02", "izz": "0.08"},
    remedy=Remedy(
        ("forearm",),
        ("/robot/link[1]",),
        ({"ixx": "0.03", "izz": "0.07", "mass": "0.5"},),
        "nearest",
        "its moments change by 29.9 %",
        0.4,
        ("decimal-slip (40 %)",),
        change=0.299,
        replacements=(
            TextReplacement(Place(15, 20, 15, 24), "0.03"),
            TextReplacement(Place(15, 66, 15, 70), "0.07"),
            TextReplacement(Place(3, 1, 3, 4, "robots/common.xml"), "0.5"),
        ),
    ),
)
ROTATED = Finding(
    code="IC302",
    name="negative-principal-moment",
    severity=Severity.ERROR,
    body="forearm",
    message="the smallest principal moment is -0.3 kg m^2",
    place=Place(15, 20, 15, 81),
    values={
        "margin": -0.5,
        "tolerance": 1.7763568394002505e-15,
        "principal_moments": [-0.3, 0.5, 0.7],
        "admissible": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
        "witness": [0.5773502691896258, 0.5773502691896258, -0.5773502691896258],
    },
    fix="safe",
    body_id="/robot/link[2]",
)
MISSING = Finding(
    code="IC103",
    name="missing-inertial",
    severity=Severity.WARNING,
    body="tool",
    message="a revolute joint moves this link and it has no <inertial>",
    place=Place(20, 3, 20, 22),
    body_id="/robot/link[3]",
    excerpt=Excerpt((ExcerptLine(20, '\t<link name="\u91cd\u304f">', 1, 17),), more=True),
)
PLATE = Finding(
    code="IC306",
    name="singular-inertia",
    severity=Severity.NOTE,
    body="base",
    message="these are the numbers of a plate: valid, but without volume",
    place=Place(6, 5, 6, 60),
    values={
        "margin": -1.1e-17,
        "tolerance": 1.8e-15,
        "principal_moments": [0.1, 0.2, 0.3],
        "admissible": {"ixx": [0.1, 0.5], "ixy": [0.0, 0.0]},
        "equivalent_box": [None, 0.7745966692414834, 1.0954451150103321],
    },
    body_id="/robot/link[1]",
)
BROKEN = Finding(
    code="IC001",
    name="unreadable-document",
    severity=Severity.ERROR,
    body=None,
    message="<link> is never closed",
    place=Place(3, 1, 3, 1),
)
ACCEPTED = Finding(
    code="IC303",
    name="zero-inertia",
    severity=Severity.ERROR,
    body="tool",
    message="the inertia is exactly 0",
    place=Place(22, 5, 22, 40),
    body_id="/robot/link[3]",
    suppression=Suppression("inSource", "a frame without mass", accepted=True),
)
KNOWN = ACCEPTED._replace(code="IC304", suppression=Suppression("external"))

ARM = FileReport(
    "robots/arm one.urdf",
    "urdf",
    "arm",
    (CONSISTENT, INCONSISTENT, UNREAD),
    (PLATE, TRIANGLE, ROTATED, MISSING),
    (ACCEPTED, KNOWN),
)
UNREADABLE = FileReport("robots/broken.urdf", None, None, (), (BROKEN,))
CLEAN_FILE = FileReport("robots/clean.urdf", "urdf", "clean", (CONSISTENT,), ())

EVERYTHING = Report((ARM, UNREADABLE), (), ("skipped files of formats: 2 mjcf",))
CLEAN = Report((CLEAN_FILE,))
FAILED = Report((CLEAN_FILE,), ("absent.urdf: No such file or directory",))
EMPTY = Report(())

WICKED = "\x1b[2J\x00]]>\n::error::<b>|`*_@all&{0}[a](b)\u202e\U0001f916\udce9x\ud800\"'%,\\"
"""A name that would break out of any form: controls, markup, right-to-left, lone surrogates."""


def remedy_of(finding: Finding, **changes: object) -> Finding:
    """The finding with a remedy of its own body."""
    assert TRIANGLE.remedy is not None
    name, id_ = finding.body or "", finding.body_id or ""
    own = TRIANGLE.remedy._replace(bodies=(name,), body_ids=(id_,))
    return finding._replace(remedy=own._replace(**changes))


def named(name: str) -> Report:
    """A report in which everything that a document can name has this name."""
    body = INCONSISTENT._replace(name=name, id=name)
    finding = TRIANGLE._replace(
        body=name,
        body_id=name,
        message=f"link {name} is wrong",
        causes=tuple(
            each._replace(evidence=name, edit={"body": name, "entries": {"izz": 1.0}})
            for each in TRIANGLE.causes
        ),
        excerpt=Excerpt((ExcerptLine(15, name[:100], 0, 3),)),
        written={"izz": name[:40]},
    )
    finding = remedy_of(finding)
    suppressed = finding._replace(suppression=Suppression("inSource", name))
    unplaced = finding._replace(place=finding.place._replace(path=name), body=None, body_id=None)
    file = FileReport(name, "urdf", name, (body, body), (finding, unplaced), (suppressed,))
    return Report((file,), (name,), (name,))
