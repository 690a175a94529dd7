"""fix on xacro: literals are edited where they stand, whatever is computed is left and told."""

import os

import pytest

import inertial_check as ic
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.programs.cli.main import main

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINK = """<link name="{name}"><inertial><mass value="2"/>
<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial></link>"""


def robot(*parts):
    return "\n".join([HEAD, *parts, "</robot>\n"])


def link(name="body", ixx="0.010", iyy="0.010", izz="0.0204"):
    return LINK.format(name=name, ixx=ixx, iyy=iyy, izz=izz)


def prop(name, value):
    return f'<xacro:property name="{name}" value="{value}"/>'


@pytest.fixture
def write(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name.replace("__", ".")).write_bytes(text.encode())
        return str(tmp_path / next(iter(texts)).replace("__", "."))

    return write


def statuses(fix):
    return {body.name: body.status for body in fix.bodies}


def changed_lines(old, new):
    pairs = zip(old.splitlines(), new.splitlines(), strict=True)
    return [number for number, (a, b) in enumerate(pairs, 1) if a != b]


def test_literals_change_where_they_are_written_and_nothing_else(write):
    part = robot(
        prop("izz", "0.0204") + "<!-- measured -->",
        '<xacro:macro name="part" params="name ixx iyy:=0.010">',
        link("${name}", "${ixx}", "${iyy}", "${izz}"),
        "</xacro:macro>",
    ).replace("\n", "\r\n")
    main_text = robot(
        '<xacro:include filename="part.xacro"/>', '<xacro:part name="a" ixx="0.010"/>'
    )
    path = write(arm__xacro=main_text, part__xacro=part)
    fix = ic.fix_model(path)
    assert statuses(fix) == {"a": "fixed"}
    assert changed_lines(main_text, fix.data.decode()) == [3]
    ((source, new),) = fix.others
    assert os.path.basename(source.path) == "part.xacro"
    assert changed_lines(part, new.decode()) == [2, 3]
    assert new.decode().count("\r\n") == part.count("\r\n")
    assert "part.xacro" in fix.diff()
    fix.write()
    assert [body.status for body in ic.fix_model(path).bodies] == ["unchanged"]


def test_a_number_in_yaml_changes_beside_its_comment(write):
    yaml = "a:\n  izz: 0.0204   # measured\n  ixx: 0.010\n  iyy: 0.010\n"
    path = write(
        arm__xacro=robot(
            prop("c", "${xacro.load_yaml('c.yaml')['a']}"),
            link(ixx="${c.ixx}", iyy="${c['iyy']}", izz="${c.izz}"),
        ),
        c__yaml=yaml,
    )
    fix = ic.fix_model(path)
    ((_, new),) = fix.others
    assert b"   # measured\n" in new
    assert changed_lines(yaml, new.decode()) == [2, 3, 4]
    assert fix.data == fix.source.data


def test_a_computed_number_is_left_and_the_expression_told(write):
    path = write(arm__xacro=robot(prop("r", "0.1"), link(izz="${2.04 * r**2}")))
    fix = ic.fix_model(path)
    (body,) = fix.bodies
    assert body.status == "expression"
    assert "izz = 0.02" in body.reason
    assert "${2.04 * r**2} (line 4:" in body.reason
    assert not fix.changed
    assert not fix.complete


def test_an_expression_that_need_not_change_stays(write):
    path = write(arm__xacro=robot(prop("zero", "0"), link().replace('"0"', '"${zero * 1}"')))
    fix = ic.fix_model(path)
    assert statuses(fix) == {"body": "fixed"}
    assert fix.data.decode().count("${zero * 1}") == 3


def test_bodies_that_share_a_literal_change_together_if_they_want_the_same(write):
    path = write(
        arm__xacro=robot(
            prop("i", "0.010"),
            '<xacro:macro name="m" params="name">',
            link("${name}", "${i}", "${i}"),
            "</xacro:macro>",
            '<xacro:m name="a"/><xacro:m name="b"/>',
        )
    )
    fix = ic.fix_model(path, bodies=["a"])
    assert statuses(fix) == {"a": "fixed", "b": "fixed"}
    assert changed_lines(fix.source.data.decode(), fix.data.decode()) == [2, 5]


@pytest.mark.parametrize(
    "other",
    [
        link("b", izz="0.0150").replace('ixx="0.010"', 'ixx="${i}"'),
        '<link name="b"><inertial><mass value="${i}"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>',
    ],
)
def test_a_literal_that_another_number_uses_is_left(write, other):
    path = write(arm__xacro=robot(prop("i", "0.010"), link("a", ixx="${i}"), link("c"), other))
    fix = ic.fix_model(path)
    assert statuses(fix) == {"a": "shared", "c": "fixed", "b": "unchanged"}
    (reason,) = (body.reason for body in fix.bodies if body.name == "a")
    assert "of b" in reason
    assert "line 2:" in reason


@pytest.mark.parametrize(
    "other",
    [
        '<link name="b"><visual><geometry><box size="${i} 1 1"/></geometry></visual></link>',
        '<xacro:if value="${i == 0.01}"><link name="b"/></xacro:if>',
        '<link name="b"><inertial><mass value="${1 + i}"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>',
    ],
)
def test_a_literal_with_other_effects_is_left(write, other):
    path = write(arm__xacro=robot(prop("i", "0.010"), link("a", ixx="${i}"), link("c"), other))
    fix = ic.fix_model(path)
    assert statuses(fix) == {"a": "shared", "c": "fixed", "b": "unchanged"}
    assert b'value="0.010"' in fix.data


def test_only_the_body_that_is_asked_for_changes_in_a_macro_of_several(write):
    path = write(
        arm__xacro=robot(
            '<xacro:macro name="m" params="name ixx iyy izz">',
            link("${name}", "${ixx}", "${iyy}", "${izz}"),
            "</xacro:macro>",
            '<xacro:m name="a" ixx="0.010" iyy="0.010" izz="0.0204"/>',
            '<xacro:m name="b" ixx="0.010" iyy="0.010" izz="0.0204"/>',
        )
    )
    fix = ic.fix_model(path, bodies=["a"])
    assert statuses(fix) == {"a": "fixed"}
    assert changed_lines(fix.source.data.decode(), fix.data.decode()) == [6]


def run(capsys, *argv):
    code = main(list(argv))
    said = capsys.readouterr()
    return code, said.out, said.err


class TestCommands:
    def test_a_walk_judges_fragments_and_notes_what_needs_arguments(
        self, write, capsys, monkeypatch
    ):
        folder = os.path.dirname(
            write(
                arm__xacro=robot('<xacro:include filename="part.xacro"/>', '<xacro:p name="a"/>'),
                part__xacro=robot(
                    f'<xacro:macro name="p" params="name">{link("${name}")}</xacro:macro>'
                ),
                needs__xacro=robot('<xacro:if value="$(arg side)"/>', link()),
            )
        )
        monkeypatch.chdir(folder)
        code, out, _ = run(capsys, "check", ".", "--output-format", "concise", "--ignore", "IC3")
        assert code == 0
        line, count = [line for line in out.splitlines() if "IC003" in line]
        assert count == "1  IC003 unresolved-reference"
        assert line.startswith("./needs.xacro:2:")
        assert "--xacro-arg side:=VALUE" in line
        given = ("--xacro-arg", "side:=1", "--output-format", "concise")
        _, out, _ = run(capsys, "check", ".", *given)
        assert "./needs.xacro:4:" in out
        assert "IC003" not in out
        assert run(capsys, "fix", ".")[0] == 1

    def test_a_named_file_without_its_arguments_is_judged_as_far_as_it_goes(self, write, capsys):
        path = write(needs__xacro=robot('<xacro:if value="$(arg side)"/>', link()))
        code, out, _ = run(capsys, "check", path, "--output-format", "concise")
        assert code == 0  # within printed digits
        assert "--xacro-arg side:=VALUE" in out
        assert "IC305" in out
        assert run(capsys, "fix", path)[0] == 1

    def test_arguments_of_another_form_are_refused(self, capsys):
        code, _, err = run(capsys, "check", "x.xacro", "--xacro-arg", "side=1")
        assert code == 2
        assert "expected NAME:=VALUE" in err

    def test_without_the_extra_a_walk_has_one_note_and_a_named_file_fails(
        self, write, capsys, monkeypatch
    ):
        from inertial_check.documents import xacro

        hint = 'pip install "inertial-check[xacro]"'
        monkeypatch.setattr(xacro, "missing", lambda: hint)
        path = write(a__xacro=robot(prop("a", "1")), b__xacro=robot(prop("a", "1")))
        code, _, err = run(capsys, "check", os.path.dirname(path), "--allow-empty")
        assert code == 0
        assert err.count(hint) == 1
        code, _, err = run(capsys, "check", path)
        assert code == 2
        assert hint in err


def test_the_overlay_reaches_what_the_expansion_includes(write):
    path = write(
        arm__xacro=robot('<xacro:include filename="part.xacro"/>'), part__xacro=robot(link("a"))
    )
    other = os.path.join(os.path.dirname(path), "part.xacro")
    model = load(path, context=Context(overlay={other: robot(link("z")).encode()}))
    assert [body.name for body in model.bodies] == ["z"]


WHEEL = """<link name="${name}">
<visual><geometry><cylinder length="${width}" radius="${radius + 0.01}"/></geometry></visual>
<inertial><mass value="${mass}"/><inertia
 ixx="${mass/12*(3*(radius + 0.01) + width*width)}" ixy="0" ixz="0"
 iyy="${mass/12*(radius + 0.01)**2}" iyz="0"
 izz="${mass/12*(radius + 0.01)**2}"/></inertial></link>"""
SIZES = (prop("mass", "0.3"), prop("radius", "0.005"), prop("width", "0.02"))


@pytest.mark.parametrize("called", [True, False])
def test_a_formula_is_written_in_the_words_of_the_file(write, called):
    """Numbers in its place would hold for one wheel alone."""
    call = '<xacro:wheel name="left"/>' if called else ""
    macro = ('<xacro:macro name="wheel" params="name">', WHEEL, "</xacro:macro>")
    path = write(arm__xacro=robot(*SIZES, *macro, call))
    first = ic.check_model(path).findings[0].causes[0]
    assert first.cause == "wrong-formula"
    fix = ic.fix_model(path, all_remedies=True, unsafe=True)
    assert [body.status for body in fix.bodies] == ["fixed"]
    across = "mass*(3*(radius + 0.01)*(radius + 0.01) + width*width)/12"
    written = fix.data.decode()
    assert written.count(f'"${{{across}}}"') == 2
    assert 'izz="${mass*(radius + 0.01)*(radius + 0.01)/2}"' in written
    again = load(fix.data, path=path).whole.bodies[0].inertial.I_BBcm_Bi
    assert again["ixx"].value == pytest.approx(0.3 / 12 * (3 * 0.015**2 + 0.02**2))


@pytest.mark.parametrize(
    ("shape", "spelt"),
    [
        ('<box size="${a} 0.2 0.3"/>', "${m*(a*a + 0.2*0.2)/12}"),
        ('<sphere radius="${a}"/>', "${0.4*m*a*a}"),
    ],
)
def test_formulas_of_other_primitives(write, shape, spelt):
    moments = "${m*4*a*a*0.4}" if "sphere" in shape else "${m*(a*a + 0.2*0.2)/3}"
    box = ("${m*(0.2*0.2 + 0.3*0.3)/3}", "${m*(a*a + 0.3*0.3)/3}", moments)
    ixx, iyy, izz = (moments,) * 3 if "sphere" in shape else box
    body = link(ixx=ixx, iyy=iyy, izz=izz).replace('"2"', '"${m}"')
    body = body.replace("</link>", f"<visual><geometry>{shape}</geometry></visual></link>")
    joint = '<joint name="j" type="revolute"><parent link="base"/><child link="body"/></joint>'
    parts = (prop("m", "2"), prop("a", "0.1"), '<link name="base"/>', body, joint)
    fix = ic.fix_model(write(arm__xacro=robot(*parts)), all_remedies=True, unsafe=True)
    assert statuses(fix)["body"] == "fixed", fix.bodies
    assert f'izz="{spelt}"' in fix.data.decode()


def test_a_formula_without_the_words_for_it_is_told(write):
    """The mass stands in another file's block: no expression of this link has a name for it."""
    inertial = WHEEL[WHEEL.index("<inertial>") : WHEEL.index("</link>")]
    text = WHEEL.replace(inertial, "<xacro:inertia_of_wheel/>")
    macro = ('<xacro:macro name="inertia_of_wheel">', inertial, "</xacro:macro>")
    path = write(arm__xacro=robot(*SIZES, *macro, text.replace("${name}", "left")))
    fix = ic.fix_model(path, all_remedies=True, unsafe=True)
    assert statuses(fix) == {"left": "expression"}


def test_an_origin_that_a_macro_lacks_is_inserted(write):
    """The digest of all else has to be that of the file with the origin."""
    spread = ("0.0466666667", "0.0366666667", "0.0133333333")  # of 2 kg, about the origin
    mass = link("${name}", *spread).replace('iyz="0"', 'iyz="-0.01"')
    shape = '<visual><origin xyz="0 0.05 0.1"/><geometry><box size="0.1 0.2 0.3"/></geometry>'
    part = mass.replace("</link>", f"{shape}</visual></link>")
    macro = ('<xacro:macro name="part" params="name">', part, "</xacro:macro>")
    path = write(arm__xacro=robot(*macro, '<xacro:part name="a"/>'))
    fix = ic.fix_model(path, all_remedies=True, unsafe=True)
    assert statuses(fix) == {"a": "fixed"}, fix.bodies
    assert '<origin xyz="0 0.05 0.1"/>' in fix.data.decode()
    twice = robot(*macro, '<xacro:part name="a"/>', '<xacro:part name="b"/>')
    both = ic.fix_model(write(arm__xacro=twice), all_remedies=True, unsafe=True)
    assert set(statuses(both).values()) == {"unwritten"}
