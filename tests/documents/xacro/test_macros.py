"""xacro: what is missing costs only itself, and macros are judged where they stand."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.checking.check import check_model
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.fixing.prescriptions import prescribe

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def robot(*parts):
    return "\n".join([HEAD, *parts, "</robot>\n"])


def link(name="body", mass="1", moments=("1", "1", "1"), products=("0", "0", "0")):
    (ixx, iyy, izz), (ixy, ixz, iyz) = moments, products
    return (
        f'<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="{ixx}" ixy="{ixy}" '
        f'ixz="{ixz}" iyy="{iyy}" iyz="{iyz}" izz="{izz}"/></inertial></link>'
    )


def macro(params, *inside, name="part"):
    return f'<xacro:macro name="{name}" params="{params}">{"".join(inside)}</xacro:macro>'


def read(*parts, **context):
    return load(robot(*parts).encode(), path="arm.xacro", context=Context(**context))


def codes(model):
    """The findings that no comparison of bodies has made."""
    return [
        (each.code, each.body, each.place.line)
        for each in ic.check_model(model).findings
        if not each.code.startswith(("IC5", "IC6"))
    ]


BAD = ("1", "1", "3")


class TestMacros:
    def test_one_that_nothing_calls_is_judged_where_it_stands(self):
        """Without this the gate says "no findings" about numbers that it never read."""
        model = read(macro("prefix", link("${prefix}l", moments=BAD)))
        assert model.bodies == ()
        (body,) = model.macros
        assert (body.name, body.inertial.how) == ("{prefix}l", "macro")
        assert codes(model) == [("IC301", "{prefix}l", 2)]

    def test_defaults_properties_and_arithmetic_are_known(self):
        model = read(
            '<xacro:property name="r" value="0.5"/>',
            macro("name mass:=2 i:=${r*2} k:=^", link("${name}", "${mass}", ("${i}", "${i}", "3"))),
            '<xacro:property name="k" value="9"/>',
        )
        (body,) = model.macros
        assert (body.inertial.how, body.inertial.mass.value) == ("macro", 2.0)
        assert body.inertial.I_BBcm_Bi["ixx"].value == 1.0
        assert [code for code, *_ in codes(model)] == ["IC301"]

    def test_a_finding_in_one_has_a_remedy(self):
        """Numbers of macros follow those of the robot's bodies when a remedy is tried."""
        parts = macro("n", link("${n}", moments=("1.00", "1.00", "2.01"))), link("a", moments=BAD)
        report = check_model(read(*parts), prescribe=prescribe)
        assert report.notes == ()
        (found,) = [each for each in report.findings if each.body == "{n}"]
        assert "izz" in found.remedy.edits[0]

    @pytest.mark.parametrize("root", ["root", "robot", "package_parts"])
    def test_a_file_that_others_include_may_have_any_root(self, root):
        text = robot(macro("n", link("${n}", moments=BAD))).replace("robot", root)
        model = load(text.encode(), path="part.xacro")
        assert (model.format, model.bodies, len(model.macros)) == ("xacro", (), 1)
        assert codes(model) == [("IC301", "{n}", 2)]

    def test_where_no_reader_looks_numbers_are_judged_as_they_stand(self):
        """Files of old releases have macros without a prefix."""
        old = '<macro name="old" params="n"><property name="m" value="3"/>'
        old += f"{link('${n}', '${m}', BAD)}</macro>"
        model = read(old, link("here"), "<gazebo><inertial><mass>1</mass></inertial></gazebo>")
        (body,) = model.macros
        assert (body.inertial.how, body.inertial.needs) == ("part", "m")
        assert ("IC301", "{n}", 2) in codes(model)

    def test_one_that_is_called_is_judged_by_its_calls_alone(self):
        model = read(macro("name m", link("${name}", "${m}")), '<xacro:part name="a" m="3"/>')
        assert [body.name for body in model.bodies] == ["a"]
        assert (model.macros, model.unjudged) == ((), ())

    def test_the_calls_of_a_macro_that_nothing_calls_give_numbers(self):
        model = read(
            macro("m", f"<inertial>{link('x', '${m}', BAD).partition('<inertial>')[2][:-7]}"),
            macro("name", '<link name="${name}"><xacro:part m="4"/></link>', name="outer"),
        )
        (body,) = model.macros
        assert (body.name, body.inertial.how, body.inertial.mass.value) == ("{name}", "macro", 4.0)

    def test_a_branch_that_is_not_taken_and_a_block_that_is_not_inserted(self):
        model = read(
            f'<xacro:if value="0">{link("off", moments=BAD)}</xacro:if>',
            f'<xacro:unless value="true">{link("on")}</xacro:unless>',
            '<xacro:property name="block"><inertial><mass value="-1"/></inertial></xacro:property>',
            link("here"),
        )
        assert {body.name for body in model.macros} == {"off", "on", "block"}
        assert {("IC301", "off", 2), ("IC101", "block", 4)} <= set(codes(model))
        assert model.bodies[0].name == "here"

    def test_both_branches_of_an_unknown_condition_are_judged(self):
        model = read(
            '<xacro:property name="k" value="2"/>',
            '<xacro:if value="$(arg big)">',
            link("big"),
            "</xacro:if>",
            '<xacro:unless value="$(arg big)">',
            link("small", moments=BAD),
            "</xacro:unless>",
        )
        assert [body.name for body in model.macros] == ["big", "small"]
        assert [(code, line) for code, _, line in codes(model)] == [("IC003", 3), ("IC301", 7)]

    def test_a_branch_that_a_default_leaves_out(self):
        branch = f'<xacro:if value="${{wide}}">{link("wide", moments=BAD)}</xacro:if>'
        model = read(macro("wide:=false", branch, link("narrow")), link("here"))
        assert {body.name: body.inertial.how for body in model.macros} == {
            "narrow": "macro",
            "wide": "macro",
        }

    def test_branches_inside_an_inertial_are_one_inertial_each(self):
        """Both branches in one element would be a second <inertia>, which nobody has written."""

        def tensor(izz):
            return f'<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="{izz}"/>'

        inside = (
            f'<link name="l"><inertial><mass value="1"/><xacro:if value="${{a}}">{tensor(1)}'
            f'</xacro:if><xacro:unless value="${{a}}">{tensor(3)}</xacro:unless></inertial></link>'
        )
        model = read(macro("a", inside))
        assert [each.inertial.how for each in model.macros] == ["macro", "macro"]
        assert [code for code, *_ in codes(model)] == ["IC301"]
        known = inside.replace("${a}", "$(arg a)")
        model = read('<xacro:property name="k" value="1"/>', known, link("rest"))
        assert [code for code, *_ in codes(model)] == ["IC003"]
        assert [body.inertial.how for body in model.bodies] == ["part", "expanded"]

    def test_an_inertial_without_what_a_missing_macro_gives_is_not_malformed(self):
        inside = '<link name="l"><inertial><mass value="-1"/><xacro:gone r="2"/></inertial></link>'
        model = read('<xacro:property name="k" value="1"/>', inside)
        assert {code for code, *_ in codes(model)} == {"IC003", "IC101"}
        assert {code for code, *_ in codes(read(macro("a", inside)))} == {"IC101"}

    def test_one_that_calls_itself_or_never_ends_costs_the_document_nothing(self):
        inside = '<xacro:if value="${n > 0}"><xacro:part n="${n - 1}"/></xacro:if>'
        model = read(macro("n", link("l${n}", moments=BAD), inside, inside))
        assert [body.inertial.how for body in model.macros] == ["macro"]
        # A macro that nothing calls must not take the verdicts of the rest with it.
        model = read(link("rest"), macro("n", link("x", "${10**10**9}")))
        assert [body.name for body in model.bodies] == ["rest"]
        (unjudged,) = model.unjudged
        assert model.place(unjudged.span).line == 3

    def test_blocks_that_a_call_gives_are_unknown(self):
        parts = '<mass value="-1"/><xacro:insert_block name="tensor"/>'
        model = read(macro("*tensor", f'<link name="a"><inertial>{parts}</inertial></link>'))
        assert codes(model) == [("IC101", "a", 2)]

    def test_it_is_fixed_where_it_is_made_of_literals(self):
        text = robot(
            macro("p", link("${p}", moments=("1", "1", "2.05"))),
            macro("m", link("l", moments=("${m}", "${m}", "${3*m}")), name="other"),
        )
        fix = ic.fix_model(text.encode(), unsafe=True)
        assert [(body.status, body.name) for body in fix.bodies] == [
            ("expression", "l"),
            ("fixed", "{p}"),
        ]
        after = load(fix.data)
        assert [each.code for each in ic.check_model(after).findings] == ["IC301"]
        assert fix.data.decode().splitlines()[2] == text.splitlines()[2]


UNKNOWN = ("${a*%s}", "${%s*a*b}", "${%s * a / b + 0}", "${math.sqrt(a) * %s}")
moments = st.integers(1, 12)


class TestUnknownNumbers:
    @given(st.tuples(moments, moments, moments), st.sampled_from(UNKNOWN))
    def test_moments_with_an_unknown_factor_are_judged_by_their_ratios(self, sides, form):
        model = read(macro("a b", link("l", "${b}", tuple(form % side for side in sides))))
        (body,) = model.macros
        assert body.inertial.how == "part"
        low, middle, high = sorted(map(Fraction, sides))
        expected = ["IC301"] if high > low + middle else []
        assert [code for code, *_ in codes(model)] == expected

    @given(st.tuples(moments, moments, moments))
    def test_moments_of_several_unknowns_are_not_judged(self, sides):
        forms = [f"${{{side}*{name}}}" for side, name in zip(sides, "abc", strict=True)]
        model = read(macro("a b c", link("l", "${a}", tuple(forms))))
        assert model.macros == ()
        (unjudged,) = model.unjudged
        assert unjudged.needs == "a, b, c"
        assert codes(model) == []

    @pytest.mark.parametrize(
        ("mass", "sides", "products", "code"),
        [
            ("-1", ("${a}", "1", "1"), ("0", "0", "0"), "IC101"),
            ("1", ("${a}", "-1", "1"), ("0", "0", "0"), "IC302"),
            ("${a}", ("1", "1", "3"), ("0", "0", "0"), "IC301"),
            ("1", ("1", "1", "3"), ("${a}", "0", "0"), "IC301"),
            ("${a}", ("1", "1", "1"), ("0", "2", "0"), "IC302"),
        ],
    )
    def test_what_is_known_is_enough_for_some_findings(self, mass, sides, products, code):
        model = read(macro("a", link("l", mass, sides, products)))
        (found,) = ic.check_model(model).findings
        assert found.code == code
        assert found.message.endswith("where 1 stands for a")

    @pytest.mark.parametrize(
        ("mass", "sides", "products"),
        [
            ("${a}", ("1", "1", "1"), ("0", "0", "0")),
            ("1", ("${a}", "1", "3"), ("0", "0", "0")),
            ("1", ("1", "1", "1"), ("${a}", "0", "0")),
            ("0", ("${a}", "1", "1"), ("0", "0", "0")),
            ("${a}", ("0", "0", "0"), ("0", "0", "0")),
        ],
    )
    def test_what_is_unknown_is_no_finding(self, mass, sides, products):
        assert codes(read(macro("a", link("l", mass, sides, products)))) == []

    def test_of_a_link_it_is_neither_judged_nor_malformed(self):
        shape = '<visual><geometry><box size="$(arg d) 1 1"/></geometry></visual>'
        mesh = '<visual><geometry><mesh filename="$(find gone)/a.stl"/></geometry></visual>'
        joint = (
            '<joint name="j" type="revolute"><origin xyz="0 0 ${h}"/><parent link="body"/>'
            '<child link="b"/></joint>'
        )
        text = link("body", "$(arg m)").replace("</link>", f"{shape}{mesh}</link>")
        model = read('<xacro:property name="k" value="1"/>', text, link("b"), joint)
        assert {code for code, *_ in codes(model)} == {"IC003"}
        assert len(model.problems) == 4
        assert model.bodies[1].X_PB is None
        (part,) = model.macros
        assert (part.name, part.inertial.how, part.inertial.mass) == ("body", "part", None)

    def test_a_default_that_needs_what_is_missing(self):
        model = read(
            '<xacro:include filename="$(find gone)/sizes.xacro"/>',
            macro("m:=${heavy}", link("l", "${m}", BAD)),
            "<xacro:part/>",
            "<xacro:gone/>",
        )
        assert [code for code, *_ in codes(model)] == ["IC003", "IC301"]
        (problem,) = model.problems  # names that an include would have given follow from it
        assert "'heavy' is not defined; unknown macro name: xacro:gone" in problem.message


class TestMissingPieces:
    def test_an_include_costs_what_it_holds(self, tmp_path):
        (tmp_path / "here.xacro").write_text(robot(link("here", moments=BAD)))
        text = robot(
            '<xacro:include filename="$(find some_sensors)/camera.xacro"/>',
            '<xacro:include filename="here.xacro"/>',
            '<xacro:camera parent="here"><origin xyz="0 0 1"/></xacro:camera>',
            link("rest"),
        )
        (tmp_path / "arm.xacro").write_text(text)
        model = load(tmp_path / "arm.xacro")
        assert [body.name for body in model.bodies] == ["here", "rest"]
        (problem,) = model.problems
        assert "--package-path some_sensors=DIR" in problem.message
        assert [(code, body) for code, body, _ in codes(model)] == [
            ("IC003", None),
            ("IC301", "here"),
        ]

    def test_a_fragment_of_a_folder_is_judged(self, tmp_path, monkeypatch):
        (tmp_path / "part.xacro").write_text(robot(macro("p", link("${p}l", moments=BAD))))
        (tmp_path / "empty.xacro").write_text(robot(macro("p", "<gazebo/>")))
        monkeypatch.chdir(tmp_path)
        from inertial_check.checking.settings import Settings
        from inertial_check.running.run import CheckRequest, check_paths

        report = check_paths(CheckRequest(["."], lambda path: Settings()))
        (file,) = report.files
        assert [finding.code for finding in file.findings] == ["IC301"]
        assert [body.judgement.verdict for body in file.bodies] == ["inconsistent"]

    def test_a_link_whose_inertial_may_be_in_what_is_missing_lacks_none(self):
        model = read(
            '<link name="base"/><link name="a"><xacro:box_inertial m="1"/></link>',
            f'<link name="b"><xacro:if value="$(arg x)">{link()[18:-7]}</xacro:if></link>',
            *(
                f'<joint name="j{child}" type="revolute"><parent link="base"/>'
                f'<child link="{child}"/></joint>'
                for child in ("a", "b")
            ),
            '<xacro:property name="k" value="1"/>',
        )
        assert [code for code, *_ in codes(model)] == ["IC003"]
        assert [each.needs for each in model.unjudged] == ["xacro:box_inertial", "x"]
        assert [(body.name, body.inertial.how) for body in model.macros] == [("inertial", "macro")]

    def test_errors_between_elements_cost_only_themselves(self):
        """The loop over the children of an element must go on behind the one that fails."""
        model = read(
            "<xacro:if/>",
            '<xacro:property name="no name" value="1"/>',
            link("a"),
            '<xacro:insert_block name="nothing"/>',
            '<link name="b"><xacro:if value="maybe"/><xacro:element/><inertial>',
            '<mass value="$${1}"/><xacro:insert_block name="none"/></inertial></link>',
            link("c"),
        )
        assert [body.name for body in model.bodies] == ["a", "b", "c"]
        assert model.bodies[1].inertial.mass.text == "${1}"  # escaped once, not evaluated again
        assert len(model.problems) == 6
