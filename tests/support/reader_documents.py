"""Documents at the edges of the grammars of URDF, MJCF and SDF, made at random from a seed.

Each has a body "link" on a revolute joint, and states its inertial in up to three unusual ways.
"""

import random

NUMBERS = (
    "{} ", " {}", "{}\n", "\t{}", "{}&#32;", "&#10;{}", "+{}", "{}e0", "{}E+0", "0{}", "{}0",
    "{}f", "{}d0", "0x1", "nan", "inf", "-inf", "", " ", "1,5", "1 2", "1e400", "{}kg", "${{{}}}",
    "\u0661", "{}\u00a0", "-{}", "++{}", "{}e", ".", "1.{}",
)  # fmt: skip
"""Ways to write a number; {} is one that every engine reads."""

VECTORS = (
    "{}\n{} {}", "{}\t{}\t{}", "{}  {}  {}", "{} {} {} ", " {} {} {}", "{} {} {}\n", "{},{},{}",
    "{}, {}, {}", "{}; {}; {}", "{} {} {} 0", "{} {}", "", "{}\r\n{} {}", "{} {} nan",
    "{} {} inf", "{} \n{} {}",
)  # fmt: skip
"""Ways to write three numbers."""

QUATERNIONS = (
    "1 0 0 0", "2 0 0 1", "1e-7 1e-7 0 0", "1e-9 0 1e-9 0", "1e-160 0 1e-160 0", "1e20 0 1e20 0",
    "1e200 0 1e200 0", "0 0 0 0", "1 0 0", "1 0 0 0 0", "nan 0 0 0", "-1 0.5 0 0",
    "0.7071 0.7071 0 0",
)  # fmt: skip

JUNK = (
    "<!-- <mass value='9'/> -->", "<?x y?>", "<![CDATA[<mass value='9'/>]]>", "text", "<a:b/>",
    "<x/>", "<!-- a -- b -->", "&amp;", "<mass/>",
)  # fmt: skip
"""What may stand beside elements."""

PROLOGUES = (
    '<?xml version="1.0"?>', '<!-- c --><?xml version="1.0"?>', '\n <?xml version="1.0"?>',
    "<?x y?>", '<?xml version="1.0"?><!-- c --><?x y?>', '<?xml version="1.1"?>',
    "<!DOCTYPE robot>", '<?xml version="1.0"?><?xml version="1.0"?>',
)  # fmt: skip

SETTINGS = (
    'boundmass="7"', 'boundinertia="2"', 'settotalmass="20"', 'inertiafromgeom="true"',
    'balanceinertia="true"', 'boundmass="-1"', 'settotalmass="-1"',
    'boundmass="7" boundinertia="2"', 'balanceinertia="false"',
)  # fmt: skip

SIMPLE = "<transmission><type>a/SimpleTransmission</type>{}</transmission>"
TRANSMISSIONS = (
    "<transmission/>", '<transmission type="x"/>', "<transmission><type>x</type></transmission>",
    SIMPLE.format(""), SIMPLE.format('<actuator name="a"/>'),
    SIMPLE.format('<actuator name="a"/><joint name="x"/>'),
    SIMPLE.format('<actuator name="a"/><joint name="j"/>'),
    SIMPLE.format('<actuator/><joint name="j"/>'),
    SIMPLE.format('<actuator name="a"/><joint name="j"/>') * 2,
)  # fmt: skip

ROOTS = (
    '<link name="other"/>',
    '<link name="other"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>',
)
"""Links beside the root, so that there are two."""

FRAMES = (
    "{}", "<frame>{}</frame>", '<frame pos="1 2 3">{}</frame>', '<frame euler="0 0 90">{}</frame>',
    '<frame childclass="main"><frame pos="0 0 1">{}</frame></frame>',
)  # fmt: skip
"""What may stand around a body, or an inertial."""

URDF_VERSIONS = ("1.0", "1.1", "1.2", "1", "2.0", " 1.1", "1.1 ", "1.10", "01.1", "", "x", "1.3")
SDF_VERSIONS = ("1.4", "1.7", "1.9", "1.11", "1.13", "2.0", " 1.9", "1.9 ", "1.09", "x")


class Draw(random.Random):
    """Draws the parts of a document."""

    def rare(self, usual, unusual):
        """The usual form, or one time in eight one of the unusual ones."""
        return usual if self.random() < 0.875 else self.choice(unusual)

    def number(self, value):
        return self.rare("{}", NUMBERS).format(value)

    def vector(self, *values):
        return self.rare("{} {} {}", VECTORS).format(*values)

    def junk(self):
        return self.rare("", JUNK)


def make_tensor(draw):
    """The six entries of a body that every engine accepts."""
    x, y, z = (round(draw.uniform(0.2, 0.4), 4) for _ in range(3))
    return {"ixx": y + z, "ixy": 0.01, "ixz": -0.02, "iyy": x + z, "iyz": 0.005, "izz": x + y}


def write_urdf(draw):
    six = [f'{each}="{draw.number(round(value, 6))}"' for each, value in make_tensor(draw).items()]
    entries = draw.rare(six, (six[1:], six[:-1], [*six, 'iyx="0.5"'], six[::-1]))
    inertia = draw.rare("<inertia {}/>", ("<inertia {0}/><inertia {0}/>", "<Inertia {}/>", ""))
    mass = draw.rare(
        f'<mass value="{draw.number(1.5)}"/>', ("", "<mass>1.5</mass>", '<mass kg="1.5"/>')
    )
    xyz, rpy = draw.vector(0.1, 0.2, -0.3), draw.vector(0.3, 0, 0.1)
    angles = draw.rare(
        f'rpy="{rpy}"', ('quat_xyzw="0.1 0 0.2 1"', 'rpy="0 0 0" quat_xyzw="0 0 1 0"')
    )
    version = draw.rare("", [f' version="{each}"' for each in URDF_VERSIONS])
    settings = draw.rare("", [f"<mujoco><compiler {each}/></mujoco>" for each in SETTINGS])
    shape = draw.rare("", ['<collision><geometry><box size="1 1 1"/></geometry></collision>'])
    kind = draw.rare("revolute", ("Revolute", "", "continuous", "spherical"))
    more = draw.rare("", ('<link name="link"/>', "<gazebo/>", *TRANSMISSIONS, *ROOTS))
    space = draw.rare("", (' xmlns="u"', ' xmlns:a="u"'))
    return (
        f'{draw.rare("", PROLOGUES)}<robot name="r"{version}{space}>{settings}{draw.junk()}'
        f'<link name="base"/><joint name="j" type="{kind}"><parent link="base"/>'
        '<child link="link"/><axis xyz="0 0 1"/><limit effort="1" velocity="1" lower="-1" '
        'upper="1"/></joint>'
        f'<link name="link">{shape}<inertial>{draw.junk()}<origin xyz="{xyz}" {angles}/>{mass}'
        f"{inertia.format(' '.join(entries))}</inertial></link>{more}</robot>"
    )


def write_mjcf(draw):
    six = make_tensor(draw)
    diagonal = draw.vector(*(six[entry] for entry in ("ixx", "iyy", "izz")))
    full = " ".join(str(six[entry]) for entry in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    tensor = draw.choice((f'diaginertia="{diagonal}"', f'fullinertia="{full}"'))
    turn = draw.rare(
        "", [f'quat="{each}"' for each in QUATERNIONS] + ['euler="30 0 10"', 'axisangle="0 0 1 30"']
    )
    mass = draw.rare(f'mass="{draw.number(1.5)}"', ("", 'Mass="1.5"'))
    pos = draw.rare(f'pos="{draw.vector(0.1, 0.2, -0.3)}"', ("",))
    settings = draw.rare("", [f"<compiler {each}/>" for each in SETTINGS])
    geom = draw.rare("", ('<geom type="box" size="0.1 0.2 0.3"/>',))
    extra = draw.rare("", ('foo="1"', 'class="a"'))
    inertial = draw.rare("{}", FRAMES).format(f"<inertial {pos} {mass} {tensor} {turn} {extra}/>")
    body = f'<body name="link"><joint name="j"/>{geom}{inertial}</body>'
    return (
        f'{draw.rare("", PROLOGUES[:-2])}<mujoco model="r">{settings}{draw.rare("", ("<?x?>",))}'
        f"<worldbody>{draw.rare('{}', FRAMES).format(body)}</worldbody></mujoco>"
    )


def write_sdf(draw):
    six = make_tensor(draw).items()
    entries = "".join(f"<{each}>{draw.number(round(value, 6))}</{each}>" for each, value in six)
    pose = f"{draw.vector(0.1, 0.2, -0.3)} {draw.vector(0.3, 0, 0.1)}"
    attribute = draw.rare("", (" degrees='true'", " degrees='yes'", " relative_to='base'"))
    version = draw.rare("1.9", SDF_VERSIONS)
    inertial = (
        f"<inertial>{draw.junk()}<pose{attribute}>{pose}</pose><mass>{draw.number(1.5)}</mass>"
        f"<inertia>{entries}</inertia></inertial>"
    )
    return (
        f"{draw.rare('', PROLOGUES[:-2])}<sdf version='{version}'><model name='r'>"
        "<link name='base'/><joint name='j' type='revolute'><parent>base</parent>"
        "<child>link</child><axis><xyz>0 0 1</xyz></axis></joint>"
        f"<link name='link'>{inertial}</link></model></sdf>"
    )


INERTIA = '<inertia ixx="0.5" ixy="0.01" ixz="-0.02" iyy="0.6" iyz="0.005" izz="0.7"/>'
INERTIAL = f'<origin xyz="0.1 0.2 -0.3" rpy="0.3 0 0.1"/><mass value="1.5"/>{INERTIA}'


def make_urdf(old="", new="", head="", root="", tail=""):
    inertial = INERTIAL.replace(old, new) if old else INERTIAL
    return "urdf", (
        f'{head}<robot name="r"{root}><link name="base"/><joint name="j" type="revolute">'
        '<parent link="base"/><child link="link"/><limit effort="1" velocity="1" lower="-1" '
        f'upper="1"/></joint><link name="link"><inertial>{inertial}</inertial></link>{tail}</robot>'
    )


def make_mjcf(inertial="{}", body="{}", compiler="", turn=""):
    written = f'<inertial pos="0 0 0.1" mass="1.5" diaginertia="0.5 0.6 0.7"{turn}/>'
    inside = f'<body name="link"><joint name="j"/>{inertial.format(written)}</body>'
    text = f"<compiler {compiler}/><worldbody>{body.format(inside)}</worldbody>"
    return "mjcf", f'<mujoco model="r">{text}</mujoco>'


EDGES = {
    "a blank behind a mass": make_urdf("1.5", "1.5 "),
    "a blank behind ixx": make_urdf('ixx="0.5"', 'ixx="0.5 "'),
    "a line end in xyz": make_urdf("0.1 0.2", "0.1\n0.2"),
    "`quat_xyzw` in version 1.1": make_urdf(
        'rpy="0.3 0 0.1"', 'quat_xyzw="0 0 1 1"', root=' version="1.1"'
    ),
    "version 2.0": make_urdf(root=' version="2.0"'),
    "a default namespace": make_urdf(root=' xmlns="u"'),
    "a second link of a name": make_urdf(tail='<link name="link"/>'),
    "a second root": make_urdf(tail=ROOTS[1]),
    "`<?x?>` inside": make_urdf(tail="<?x?>"),
    "a declaration behind a comment": make_urdf(head='<!-- c --><?xml version="1.0"?>'),
    "`settotalmass` in a URDF": make_urdf(tail='<mujoco><compiler settotalmass="20"/></mujoco>'),
    "a transmission without a type": make_urdf(tail="<transmission/>"),
    "an inertial in a `<frame>`": make_mjcf(inertial="<frame>{}</frame>"),
    "a body in a `<frame>`": make_mjcf(body="<frame>{}</frame>"),
    "`inertiafromgeom` without geoms": make_mjcf(compiler='inertiafromgeom="true"'),
    "`settotalmass` in an MJCF": make_mjcf(compiler='settotalmass="20"'),
    "a quaternion of length 1e-9": make_mjcf(turn=' quat="1e-9 0 1e-9 0"'),
}
"""The documents that docs/engines.md shows, with their formats; the battery has them, too."""

WRITERS = {"urdf": write_urdf, "mjcf": write_mjcf, "sdf": write_sdf}


def write_documents(count, formats, seed):
    """Documents with their formats."""
    draw = Draw(seed)
    kinds = [draw.choice(formats) for _ in range(count)]
    edges = [each for each in EDGES.values() if each[0] in formats]
    return [*edges, *((kind, WRITERS[kind](draw)) for kind in kinds)]
