"""Models put together at random from fragments of all formats.

    python tests/support/random_models.py 20000 [SEED]

checks so many of them with remedies, and shows each that ends in an internal error.
"""

import random
import sys

from inertial_check.checking.check import FULL_CONTENT, Document, check_documents
from inertial_check.checking.report import Account, Report
from inertial_check.checking.settings import Settings
from inertial_check.documents.children import renew_total
from inertial_check.fixing.prescriptions import prescribe
from inertial_check.reports import View, render

XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
BATCH = 25
"""Number of models whose bodies are judged together."""

NUMBERS = ["0", "-0", "1", "1.0", "0.01", "0.003", "0.05", "2.9e-5", "1e-12", "1e-310", "1e308"]
NUMBERS += ["-1", "3", "nan", "inf", "1,5", "", "x", "0x10", "1e999"]
USUAL = ["0", "1", "0.01", "0.02", "0.001", "0.5", "1.25", "-0.3", "0.03", "1e-6"]
NAMES = ["a", "b", "left_arm", "right_arm", "front_left_leg", "front_right_leg", "rear_left_leg"]
NAMES += ["l_wheel", "r_wheel", "L", "R", "", "base link", "größe", "world", "a::b", "x/y", "a"]
MESHES = ["gone.stl", "package://none/a.dae", "model://none/a.obj", "", "http://x/y.stl", "a.txt"]


class Maker:
    """Makes the texts of one model.

    Args:
        rng: Source of what is drawn.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.odd = rng.choice([0, 0, 0.02, 0.2])
        self.same = rng.random() < 0.2
        self.fixed = [self.draw(1) for _ in range(9)]

    def number(self) -> str:
        return self.draw(self.odd)

    def draw(self, odd: float) -> str:
        return self.rng.choice(NUMBERS if self.rng.random() < odd else USUAL)

    def numbers(self, count: int, between: str = " ") -> str:
        count += self.maybe(self.odd / 2) - self.maybe(self.odd / 2)
        return between.join(self.number() for _ in range(count))

    def maybe(self, share: float = 0.5) -> bool:
        return self.rng.random() < share

    def some(self, *texts: str, share: float = 0.7) -> str:
        return "".join(text for text in texts if self.maybe(share))

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def ten(self) -> list[str]:
        """Mass, and ixx to izz of some body, of none, or of nonsense."""
        if self.same:
            return self.fixed
        if self.maybe():
            a, b, c = (abs(self.rng.gauss(0, 1)) for _ in range(3))
            moments = [f"{x:.{self.rng.randrange(1, 8)}g}" for x in (a + b, b + c, c + a)]
            products = [self.number() if self.maybe(0.2) else "0" for _ in range(3)]
            ten = [self.rng.choice(USUAL), moments[0], *products[:2], moments[1], products[2]]
            return [*ten, moments[2]]
        return [self.number() for _ in range(7)]

    def bodies(self) -> list[str]:
        return [self.name() for _ in range(self.rng.choice([0, 0, 1, 1, 2, 3, 4, 8]))]


def make_urdf(make: Maker, value: str = "{}") -> str:
    """Make a URDF; numbers of inertials are put into a template, as xacro has them."""

    def origin() -> str:
        turned = (f' {name}="{make.numbers(3)}"' for name in ("xyz", "rpy"))
        return f"<origin{make.some(*turned)}/>"

    def shape() -> str:
        kinds = [
            f'<box size="{make.numbers(3)}"/>',
            f'<sphere radius="{make.number()}"/>',
            f'<cylinder radius="{make.number()}" length="{make.number()}"/>',
            f'<mesh filename="{make.rng.choice(MESHES)}" scale="{make.numbers(3)}"/>',
            f'<capsule radius="{make.number()}" length="{make.number()}"/><box/>',
        ]
        role = make.rng.choice(["visual", "collision"])
        return (
            f"<{role}>{make.some(origin())}<geometry>{make.rng.choice(kinds)}</geometry></{role}>"
        )

    def inertial() -> str:
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        mass, *six = make.ten()
        entries = (f' {n}="{value.format(x)}"' for n, x in zip(names, six, strict=False))
        tensor = f"<inertia{make.some(*entries, share=1 - make.odd / 4)}/>"
        mass = f'<mass value="{value.format(mass)}"/>'
        inside = make.some(origin(), share=0.5) + make.some(mass, tensor, share=1 - make.odd)
        return f"<inertial>{inside}</inertial>"

    names = make.bodies()
    links = [
        f'<link name="{name}">{make.some(inertial(), share=0.8)}'
        f"{make.some(inertial(), share=make.odd)}{make.some(shape(), shape(), share=0.5)}</link>"
        for name in names
    ]
    ends = names or ["nothing"]
    joints = []
    for at, child in enumerate(names[1:] if make.maybe(0.8) else ()):
        parent = names[at] if make.maybe(0.8) else make.rng.choice(ends)
        kind = make.rng.choice(["fixed", "revolute", "continuous", "floating", "planar", "odd"])
        joints.append(
            f'<joint name="j{at}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            + make.some(
                origin(), f'<axis xyz="{make.numbers(3)}"/>', f'<mimic joint="{make.name()}"/>'
            )
            + "</joint>"
        )
    make.rng.shuffle(joints)
    extra = make.some("<gazebo/>", "<transmission/>", '<material name="m"/>', share=0.2)
    return f'<robot name="r">{"".join([*links, *joints])}{extra}</robot>'


def make_xacro(make: Maker) -> str:
    value = make.rng.choice(["{}", "${{{}}}", "${{1*({})}}", "${{m}}", "$(arg a)", "${{{}*m}}"])
    text = make_urdf(make, value).removeprefix('<robot name="r">').removesuffix("</robot>")
    first, second = (f"<xacro:property name='{n}' value='{make.number()}'/>" for n in ("m", "k"))
    calls = make.some("<xacro:p m='1'/>", "<xacro:p m='2'/>", "<xacro:p/>", "<xacro:q/>", share=0.4)
    params = make.rng.choice(["m", "m:=2", "m:=^", "m:=^|3", "", "m *b", "m **b"])
    missing = '<xacro:include filename="$(find none)/a.xacro"/>'
    condition = make.rng.choice(["1", "0", "${m}", "$(arg a)", "${u}"])
    words = [
        f'<xacro:macro name="p" params="{params}">{text}</xacro:macro>{calls}',
        f'<xacro:if value="{condition}">{text}</xacro:if>',
        f'<xacro:property name="b">{text}</xacro:property><link name="z"/>',
        f"{text}{missing}",
    ]
    argument = make.some('<xacro:arg name="a" default="1"/>')
    root = make.rng.choice(["robot", "robot", "robot", "root"])
    return f"<{root} {XACRO}>{argument}{make.some(first, second)}{make.rng.choice(words)}</{root}>"


def make_sdf(make: Maker) -> str:
    def pose() -> str:
        attribute = make.some(f' relative_to="{make.name()}"', share=0.2)
        return make.some(f"<pose{attribute}>{make.numbers(6)}</pose>", share=0.3)

    def inertial() -> str:
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        mass, *six = make.ten()
        entries = (f"<{n}>{x}</{n}>" for n, x in zip(names, six, strict=False))
        tensor = f"<inertia>{make.some(*entries, share=1 - make.odd / 4)}</inertia>"
        added = f"<fluid_added_mass><xx>{make.number()}</xx></fluid_added_mass>"
        inside = make.some(f"<mass>{mass}</mass>", tensor, share=1 - make.odd)
        attribute = make.some(' auto="true"', share=0.1)
        return f"<inertial{attribute}>{pose()}{inside}{make.some(added, share=0.1)}</inertial>"

    def link(name: str) -> str:
        shape = make.rng.choice(
            [
                f"<box><size>{make.numbers(3)}</size></box>",
                f"<sphere><radius>{make.number()}</radius></sphere>",
                f"<mesh><uri>{make.rng.choice(MESHES)}</uri></mesh>",
                "<plane/>",
            ]
        )
        role = make.rng.choice(["visual", "collision"])
        drawn = f"<{role} name='s'>{pose()}<geometry>{shape}</geometry></{role}>"
        inside = make.some(inertial(), drawn, share=0.7)
        return f'<link name="{name}">{pose()}{inside}</link>'

    def model(depth: int) -> str:
        names = make.bodies()
        joints = ""
        for at, child in enumerate(names[1:]):
            kind = make.rng.choice(["fixed", "revolute", "ball"])
            ends = f"<parent>{make.rng.choice([*names, 'world'])}</parent><child>{child}</child>"
            joints += f'<joint name="j{at}" type="{kind}">{ends}</joint>'
        inner = model(depth + 1) if depth < 3 and make.maybe(0.2) else ""
        include = make.some(f"<include><uri>{make.rng.choice(MESHES)}</uri></include>", share=0.1)
        static = make.some("<static>1</static>", share=0.1)
        return (
            f'<model name="{make.name()}">{static}{pose()}{"".join(map(link, names))}{joints}'
            f"{inner}{include}</model>"
        )

    models = model(0) + make.some(model(0), model(0), share=0.2)
    world = f'<world name="w">{models}</world>' if make.maybe(0.4) else models
    version = make.rng.choice(["1.4", "1.6", "1.9", "1.11"])
    return f'<sdf version="{version}">{world}</sdf>'


def make_mjcf(make: Maker) -> str:
    def inertial() -> str:
        mass, xx, xy, xz, yy, yz, zz = make.ten()[:7]
        tensors = [f'diaginertia="{xx} {yy} {zz}"', f'fullinertia="{xx} {yy} {zz} {xy} {xz} {yz}"']
        turn = make.rng.choice(["", f'quat="{make.numbers(4)}"', f'euler="{make.numbers(3)}"'])
        tensor = make.rng.choice([*tensors, ""])
        return f'<inertial pos="{make.numbers(3)}" mass="{mass}" {tensor} {turn}/>'

    def geom() -> str:
        kind = make.rng.choice(["sphere", "box", "capsule", "cylinder", "ellipsoid", "mesh"])
        attributes = make.some(
            *(f'{n}="{make.number()}" ' for n in ("mass", "density", "shellinertia")),
            f'fromto="{make.numbers(6)}" ',
            f'pos="{make.numbers(3)}" ',
            share=0.3,
        )
        return f'<geom type="{kind}" size="{make.numbers(3)}" mesh="m" {attributes}/>'

    def body(depth: int) -> str:
        inner = body(depth + 1) if depth < 5 and make.maybe(0.45) else ""
        joint = make.some('<joint type="hinge"/>', "<freejoint/>", "<site/>", share=0.4)
        wrap = make.rng.choice(["{}", "{}", "{}", "<frame>{}</frame>", '<replicate count="2">{}'])
        inside = make.some(joint, inertial(), geom(), geom(), share=0.5)
        text = f'<body name="{make.name()}" pos="{make.numbers(3)}">{inside}{inner}</body>'
        return wrap.format(text) + "</replicate>" * wrap.startswith("<rep")

    compilers = ('inertiafromgeom="true"', 'balanceinertia="true"', 'fusestatic="true"')
    compilers += ('boundmass="0.1"', 'settotalmass="3"', 'angle="radian"', 'boundinertia="0.01"')
    compiler = f"<compiler {make.rng.choice(compilers)}/>"
    asset = f'<asset><mesh name="m" file="{make.rng.choice(MESHES)}"/></asset>'
    default = f'<default><geom mass="{make.number()}"/></default>'
    bodies = "".join(body(0) for _ in range(make.rng.choice([0, 1, 1, 2, 4])))
    weld = f'<equality><weld body1="{make.name()}" body2="{make.name()}"/></equality>'
    include = make.some('<include file="gone.xml"/>', share=0.1)
    head = make.some(compiler, asset, default, share=0.4)
    world = f"<worldbody>{bodies}{include}</worldbody>"
    return f"<mujoco>{head}{world}{make.some(weld, share=0.2)}</mujoco>"


def make_usd(make: Maker) -> str:
    def attribute(kind: str, name: str, count: int) -> str:
        text = make.rng.choice(["1", "0.1", "0.02", "3", "0", "-1", "1e-30"])
        numbers = [make.rng.choice([text, "0.3", "0.5"]) for _ in range(count)]
        joined = numbers[0] if count == 1 else f"({', '.join(numbers)})"
        return f"{kind} {name} = {joined}\n"

    def prim(depth: int) -> str:
        apis = make.some(
            *('"PhysicsRigidBodyAPI", ', '"PhysicsMassAPI", ', '"PhysicsCollisionAPI", '),
            share=0.6,
        ).removesuffix(", ")
        kind = make.rng.choice(["Xform", "Cube", "Sphere", "Capsule", "Mesh", "Cylinder", "Scope"])
        applied = f"(prepend apiSchemas = [{apis}])" if apis else ""
        mass = make.some(
            attribute("float", "physics:mass", 1),
            attribute("float3", "physics:diagonalInertia", 3),
            attribute("point3f", "physics:centerOfMass", 3),
            attribute("quatf", "physics:principalAxes", 4),
            attribute("double", "radius", 1),
        )
        count = make.rng.choice([0, 1, 2]) if depth < 3 else 0
        inner = "".join(prim(depth + 1) for _ in range(count))
        word = make.rng.choice(["def", "def", "def", "over"])
        head = f'{word} {kind} "p{depth}_{make.rng.randrange(99)}" {applied}'
        return f"{head} {{\n{mass}{inner}}}\n"

    ends = "rel physics:body0 = </r>\nrel physics:body1 = </r/p1_1>\n"
    joint = f'def PhysicsRevoluteJoint "j" {{\n{ends}}}\n'
    prims = "".join(prim(1) for _ in range(make.rng.choice([0, 1, 2, 4])))
    units = make.some("metersPerUnit = 0.01\n", 'upAxis = "Z"\n')
    missing = make.some("(references = @gone.usda@)", share=0.1)
    return (
        f'#usda 1.0\n(\n{units}defaultPrim = "r"\n)\ndef Xform "r" {missing} '
        f"{{\n{prims}{make.some(joint, share=0.3)}}}\n"
    )


KINDS = {
    "urdf": make_urdf,
    "xacro": make_xacro,
    "sdf": make_sdf,
    "xml": make_mjcf,
    "usda": make_usd,
}


def make_document(seed: int, settings: Settings) -> Document:
    """Make the model of a number."""
    rng = random.Random(seed)
    kind = rng.choice([*("urdf", "sdf", "xml") * 3, "xacro", "xacro", "usda"])
    return Document(f"{seed}.{kind}", False, settings, KINDS[kind](Maker(rng)).encode())


def find_internal_errors(seeds: range) -> dict[str, str]:
    """Check the models of some numbers; the text of each internal error, by the model's name."""
    plain, strict = (Settings(strict=each).validate() for each in (False, True))
    found: dict[str, str] = {}
    for first in seeds[::BATCH]:
        some = range(first, min(first + BATCH, seeds.stop))
        documents = [make_document(seed, strict if seed % 4 == 0 else plain) for seed in some]
        with renew_total():
            results = check_documents(documents, FULL_CONTENT, prescribe=prescribe)
        for result in results:
            files = () if result.file is None else (result.file,)
            report = Report(files, account=Account.of(result.counted))
            texts = [result.failure, result.note, *(files[0].notes if files else ())]
            texts += [each.message for file in files for each in file.findings]
            texts += [render(report, form, View(0)) for form in ("full", "json", "sarif")]
            for text in filter(None, texts):
                if "internal error" in text:
                    found[result.path] = text
    return found


if __name__ == "__main__":
    count, start = int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 0
    wrong = find_internal_errors(range(start, start + count))
    for name, text in wrong.items():
        print(f"{name}: {text[-600:]}")
    print(f"{count} models, {len(wrong)} internal errors")
    sys.exit(bool(wrong))
