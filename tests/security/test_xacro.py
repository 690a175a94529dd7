"""Attacks of a xacro file on the machine that expands it: each ends in a finding, with no loot."""

import json
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from inertial_check.checking.settings import Settings
from inertial_check.documents.children import limit_expansions
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Access, Limits
from inertial_check.documents.load import load
from inertial_check.documents.source import Source
from inertial_check.documents.xacro.reading import (
    ExpansionLimits,
    XacroServer,
    expand,
)
from inertial_check.errors import ExpansionLimitError, NotExpandedError
from inertial_check.running.run import CheckRequest, check_paths
from waiting import GUARD

SECRET = "hunter2-of-the-host"
HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


def robot(*parts):
    return "\n".join([HEAD, *parts, '<xacro:if value="0"/></robot>\n'])


def named(expression):
    """A robot whose link is named by an expression, which therefore reaches the report."""
    return robot(f'<link name="{expression}"/>')


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository, a file with a secret beside it, and a secret in the environment."""
    monkeypatch.setenv("HOST_TOKEN", SECRET)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"{SECRET}.xacro").write_text(f"<robot>{SECRET}</robot>")
    (outside / "token.yaml").write_text(f"a: {SECRET}\nb: [1, {SECRET}\n")
    inside = tmp_path / "checkout"
    (inside / ".git").mkdir(parents=True)
    monkeypatch.chdir(inside)
    return inside


def refusal(text, folder, **context):
    """The reason why a file, or a part of it, is not expanded; nothing read holds the secret."""
    path = folder / "arm.xacro"
    path.write_text(text)
    try:
        model = load(str(path), context=Context(**context))
    except NotExpandedError as error:
        shown = reason = str(error)
    else:
        kinds = {"reference", "unread"}
        reason = "; ".join(each.message for each in model.problems if each.kind in kinds)
        shown = repr((model.bodies, model.macros, model.unjudged, model.problems))
    assert reason
    assert SECRET not in shown
    assert "root:" not in shown
    return reason


ESCAPES = [
    r"${().__class__.__base__.__subclasses__()}",
    r"${'{0.__globals__\x7d'.format(xacro.load_yaml)}",
    r"${'{0.__globals__[os].environ\x7d'.format(xacro.load_yaml)}",
    r"${'{x.__globals__\x7d'.format(x=xacro.load_yaml)}",
    r"${'{x.__globals__\x7d'.format_map(dict(x=xacro.load_yaml))}",
    r"${str.format('{0.__globals__\x7d', xacro.load_yaml)}",
    r"${str.format_map('{x.__globals__\x7d', dict(x=xacro.load_yaml))}",
    r"${list(map(str.format, ['{0.__globals__\x7d'], [xacro.load_yaml]))}",
    r"${('{0.' + '_' * 2 + 'globals' + '_' * 2 + '\x7d').format(xacro.load_yaml)}",
    r"${('{0.' + '_'.join(['', '', 'globals', '', '']) + '\x7d').format(xacro.load_yaml)}",
    r"${'{:{0.__globals__\x7d\x7d'.format(xacro.load_yaml)}",
    r"${'{0.gi_frame.f_back\x7d'.format((x for x in [1]))}",
    r"${(x for x in [1]).gi_frame.f_back.f_globals}",
    r"${[g.gi_frame for g in [(x for x in [1])]]}",
    r"${(lambda f=xacro.load_yaml: f.__globals__)()}",
    r"${(lambda: (yield))().gi_frame}",
    r"${xacro.load_yaml.__code__}",
    "${xacro.load_yaml.__ｇlobals__}",
    r"${xacro.arg.func_globals}",
    "${python.type('X', (dict,), dict())}",
    "${python.type(python.type(1))('X', (dict,), dict())}",
    r"${python.type(1).mro()}",
    r"${python.vars(xacro)}",
    r"${python.str.__init_subclass__}",
    r"${[1 for xacro.load_yaml in [1]]}",
    r"${xacro.parent}",
    r"${xacro.top()}",
    r"${math.__loader__}",
    r"${__import__('os').environ}",
    r"${__builtins__}",
    r"${[c for c in [().__class__]]}",
    "${[v.__class__ for k, v in dict(a=2).items()]}",
    r"${open('/etc/passwd').read()}",
    "$(eval [].__class__)",
    r"$(eval ${'\'{0.func_globals\x7d\'.format(env\x29'})",
]


NO_WAY = (
    "invalid name|cannot (read|set) the attribute|python.type takes|is not defined"
    "|type_of.. takes 1|double underscore"
)
"""Reasons that show that an expression was understood and what it wanted was refused."""


class TestExpressions:
    @pytest.mark.parametrize("escape", ESCAPES)
    def test_an_expression_reaches_nothing_of_python(self, escape, checkout):
        assert re.search(NO_WAY, refusal(named(escape), checkout))

    @pytest.mark.parametrize("holder", ["x.where.document", "x.runs", "x.part(0, 1)", "n.text"])
    def test_values_show_nothing_of_the_tracing(self, holder, checkout):
        given = '<xacro:property name="x" value="word"/><xacro:property name="n" value="1.5"/>'
        refusal(robot(given, f'<link name="${{{holder}}}"/>'), checkout)

    def test_a_parameter_named_like_the_guard_opens_nothing(self, checkout):
        macro = '<xacro:macro name="m" params="__attribute__ __builtins__">{}</xacro:macro>'
        inside = '<link name="${().__class__}"/>'
        call = '<xacro:m __attribute__="${lambda v, n: v}" __builtins__="${{}}"/>'
        refusal(robot(macro.format(inside), call), checkout)

    @pytest.mark.parametrize(
        ("expression", "value"),
        [
            (r"${'{:.2f\x7d-{\x7d'.format(1.5, 'a')}", "1.50-a"),
            (r"${'{x[k]\x7d{{'.format(x=dict(k=2))}", "2{"),
            (r"${'{a\x7d'.format_map(dict(a=3))}", "3"),
            (r"${str.format('{1\x7d{0\x7d', 4, 5)}", "54"),
            (r"${'{0.real\x7d'.format(6)}", "6"),
            ("${' A b'.strip().lower().replace(' ', '_')}", "a_b"),
            ("${','.join([k for k in dict(a=1).keys()])}", "a"),
            ("${math.floor(math.pi) + python.abs(-1)}", "4"),
            ("${python.type(1) == int}", "True"),
            ("${xacro.dotify(dict(a=dict(b=7))).a.b}", "7"),
            ("${(lambda t: t.upper())('q')}", "Q"),
            (r"$(eval ${'\'a b\'.split(\' \'\x29[1]'})", "b"),
        ],
    )
    def test_ordinary_attributes_still_work(self, expression, value, checkout):
        (checkout / "arm.xacro").write_text(named(expression))
        (body,) = load("arm.xacro").bodies
        assert body.name == value


class TestEnvironment:
    @pytest.mark.parametrize(
        "use",
        [
            "$(env HOST_TOKEN)",
            r"$(eval ${'env(\'HOST_TOKEN\'\x29'})",
            r"$(eval ${'env(\'HOST_TOKEN\'\x29[::-1]'})",
            "$(env ${'HOST_' + 'TOKEN'})",
            "${'$(env HOST_TOKEN)'}",
        ],
    )
    def test_no_variable_of_the_host_reaches_a_document(self, use, checkout):
        assert "--xacro-env HOST_TOKEN allows it" in refusal(named(use), checkout)
        for place in ('<xacro:include filename="{}"/>', '<xacro:if value="{}"/>'):
            assert "--xacro-env" in refusal(robot(place.format(use)), checkout)

    @pytest.mark.parametrize(
        "use",
        ["$(optenv HOST_TOKEN none)", r"$(eval ${'optenv(\'HOST_TOKEN\', \'none\'\x29'})"],
    )
    def test_a_default_stands_for_a_variable_of_the_host(self, use, checkout):
        (checkout / "arm.xacro").write_text(named(use))
        model = load("arm.xacro")
        assert [body.name for body in model.bodies] == ["none"]
        assert any("--xacro-env HOST_TOKEN" in problem.message for problem in model.problems)

    def test_an_allowed_variable_is_the_only_one(self, checkout):
        both = robot('<link name="$(env GIVEN)"/>', '<link name="$(env HOST_TOKEN)"/>')
        assert "HOST_TOKEN allows it" in refusal(both, checkout, xacro_env={"GIVEN": "1"})

    @LINUX
    def test_the_process_itself_has_no_secret_in_its_environment(self, checkout):
        XacroServer.current().close()
        server = XacroServer.current().ensure_process()
        assert SECRET.encode() not in Path(f"/proc/{server.pid}/environ").read_bytes()

    def test_modules_in_the_working_directory_are_not_imported(self, checkout):
        for module in ("xacro", "yaml", "json", "base64"):
            (checkout / f"{module}.py").write_text("open('executed', 'w')")
        (checkout / "arm.xacro").write_text(named("${1 + 1}"))
        code = (
            "import sys; sys.path.remove(''); import inertial_check as ic, base64, json, yaml; "
            "ic.check_model; import inertial_check.documents.xacro.reading; "
            "sys.path.insert(0, ''); "
            "print(ic.load('arm.xacro').bodies[0].name)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.strip() == "2", done.stderr
        assert not (checkout / "executed").exists()


class TestFiles:
    @pytest.mark.parametrize(
        "part",
        [
            "<link name=\"${xacro.load_yaml('/etc/passwd')}\"/>",
            "<link name=\"${load_yaml('../outside/token.yaml')}\"/>",
            "<link name=\"${load_yaml('$(cwd)/../outside/token.yaml').a}\"/>",
            '<xacro:include filename="/etc/passwd"/>',
            '<xacro:include filename="$(cwd)/../outside/token.yaml"/>',
            '<xacro:include filename="$(find inside)/../outside/token.yaml"/>',
            '<xacro:include filename="../outside/*.xacro"/>',
            '<xacro:include filename="../outside/[h]*"/>',
            '<xacro:include filename="/etc/pass*"/>',
            '<xacro:include filename="link.xacro"/>',
            '<xacro:include filename="folder/token.yaml"/>',
            '<xacro:include filename="folder/*"/>',
            "<link name=\"${load_yaml('folder/token.yaml').a}\"/>",
        ],
    )
    def test_files_outside_the_repository_are_not_read(self, part, checkout):
        (checkout / "link.xacro").symlink_to("../outside/token.yaml")
        (checkout / "folder").symlink_to("../outside")
        reason = refusal(robot(part), checkout, packages={"inside": str(checkout)})
        assert "--follow-outside allows it" in reason

    @pytest.mark.parametrize("pattern", ["*/../../outside/*", "fold*/*", "../out*/*.xacro"])
    def test_patterns_name_no_file_outside(self, pattern, checkout):
        (checkout / "folder").symlink_to("../outside")
        (checkout / "arm.xacro").write_text(robot(f'<xacro:include filename="{pattern}"/>'))
        try:
            shown = repr(load("arm.xacro"))
        except NotExpandedError as error:
            shown = str(error)
        assert SECRET not in shown

    def test_pipes_and_devices_are_not_opened(self, checkout):
        os.mkfifo(checkout / "pipe.xacro")
        (checkout / "zero.yaml").symlink_to("/dev/zero")
        assert "no regular file" in refusal(
            robot('<xacro:include filename="pipe.xacro"/>'), checkout
        )
        refusal(named("${load_yaml('zero.yaml')}"), checkout)

    def test_an_error_in_yaml_quotes_no_line_of_the_file(self, checkout):
        (checkout / "part.yaml").write_text("first: words\nsecond: [1, 2\nthird: more words\n")
        reason = refusal(named("${load_yaml('part.yaml')}"), checkout)
        assert "part.yaml:3:6: no YAML" in reason
        assert "words" not in reason

    @pytest.mark.parametrize(
        "tag", ["!include ../outside/token.yaml", "!!python/object/apply:os.getcwd []"]
    )
    def test_yaml_tags_execute_and_include_nothing(self, tag, checkout):
        (checkout / "part.yaml").write_text(f"a: {tag}\n")
        assert "no YAML" in refusal(named("${load_yaml('part.yaml').a}"), checkout)


def bomb_of_macros():
    macros = "".join(
        f'<xacro:macro name="m{i}">{f"<xacro:m{i - 1}/>" * 10}</xacro:macro>' for i in range(1, 12)
    )
    return robot('<xacro:macro name="m0"><link name="x"/></xacro:macro>', macros, "<xacro:m11/>")


BOMBS = {
    "power": named("${10**10**10}"),
    "text": named("${'a' * 10**10}"),
    "list": named("${list(range(10**12))}"),
    "sum": named("${python.sum(range(10**12))}"),
    "width": named(r"${'{:>10000000000\x7d'.format(1)}"),
    "percent": named("${'%10000000000d' % 1}"),
    "pattern": named("${xacro.tokenize('x' + 'a' * 40 + 'b', sep='x](a+)+$[x')}"),
    "eval": named("$(eval 10**10**10)"),
    "condition": robot('<xacro:if value="${10**10**10 > 1}"/>'),
    "argument": robot('<xacro:arg name="a" default="${10**10**10}"/>'),
    "yaml": named("${load_yaml('bomb.yaml')}"),
    "aliases": named("${str(load_yaml('aliases.yaml'))}"),
    "macros": bomb_of_macros(),
    "output": robot('<xacro:property name="x" value="${\'x\' * 10**7}"/>', '<a b="${x}"/>' * 9),
}


class TestBudgets:
    @pytest.mark.parametrize("kind", BOMBS)
    def test_a_bomb_ends_within_its_time_and_memory(self, kind, checkout):
        (checkout / "bomb.yaml").write_text("a: !radians 10**10**10\n")
        rows = "".join(f"a{i}: &a{i} [{f'*a{i - 1}, ' * 6}]\n" for i in range(1, 30))
        (checkout / "aliases.yaml").write_text(f"a0: &a0 [x, x, x]\n{rows}")
        source = Source(str(checkout / "bomb.xacro"), BOMBS[kind].encode())
        context = Context().of_document(source.path)
        started = time.monotonic()
        with pytest.raises(ExpansionLimitError, match=r"--timeout|no robot model needs more|over"):
            expand(source, context, ExpansionLimits(seconds=1.0, memory=1 << 28))
        assert time.monotonic() - started < GUARD

    @pytest.mark.parametrize(
        "text",
        [
            robot('<xacro:macro name="m"><xacro:m/></xacro:macro>', "<xacro:m/>"),
            robot('<xacro:include filename="arm.xacro"/>'),
            named("${(lambda f: f(f))(lambda f: f(f))}"),
            named("${" + "(" * 5000 + "1" + ")" * 5000 + "}"),
            named("${" + "-" * 100_000 + "1}"),
            robot('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/>',
                  '<link name="${a}"/>'),
        ],
        ids=["macro", "include", "lambda", "brackets", "signs", "properties"],
    )  # fmt: skip
    def test_recursion_ends(self, text, checkout):
        refusal(text, checkout)

    def test_the_finding_is_an_error_that_names_the_option(self, checkout):
        (checkout / "bomb.xacro").write_text(BOMBS["power"])
        context = Context(access=Access(limits=Limits(seconds=3.0)))
        settings = Settings(context=context).validate()
        report = check_paths(CheckRequest([str(checkout)], lambda _: settings))
        (finding,) = report.files[0].findings
        assert finding.code == "IC001"
        assert "--timeout" in finding.message

    def test_all_files_of_a_run_share_a_limit(self, checkout):
        paths = [checkout / f"bomb{k}.xacro" for k in range(3)]
        for path in paths:
            path.write_text(named("${1 + 1}"))
        context = Context(access=Access(limits=Limits(seconds=1e-6)))
        with limit_expansions():
            reasons = []
            for path in paths:
                with pytest.raises(ExpansionLimitError) as caught:
                    load(str(path), context=context)
                reasons.append(str(caught.value))
        assert "not expanded within" in reasons[0]
        assert all(
            "the limit for all of them is 2e-06 s; --timeout" in each for each in reasons[1:]
        )
        (body,) = load(str(paths[0])).bodies
        assert body.name == "2"

    @LINUX
    def test_an_expansion_has_512_mb_by_default(self, checkout):
        refusal(named("${python.len('a' * 629145600)}"), checkout)
        (checkout / "arm.xacro").write_text(named("${python.len('a' * 104857600)}"))
        assert load("arm.xacro").bodies[0].name == str(100 << 20)


ACTS = {
    "open": "open('/etc/passwd')",
    "write": "open('inside', 'w')",
    "os.open": "os.open('/etc/passwd', os.O_RDONLY)",
    "list": "os.listdir('/etc')",
    "environ": "open('/proc/self/environ')",
    "system": "os.system('true')",
    "spawn": "subprocess.Popen(['true'])",
    "fork": "os.fork()",
    "exec": "os.execv('/bin/true', ['true'])",
    "socket": "socket.socket()",
    "ctypes": "ctypes.CDLL(None)",
    "import": "__import__('wave')",
    "remove": "os.remove('file')",
    "link": "os.symlink('/etc/passwd', 'loot')",
    "kill": "os.kill(os.getppid(), 9)",
    "code": "confine.__code__",
}


def test_the_walls_hold_if_an_expression_escapes(tmp_path):
    """One process tries each act after the other: all are refused, so it is there to the end."""
    (tmp_path / "file").write_text("inside")
    code = """
        import ctypes, json, os, socket, subprocess
        from inertial_check.documents.files.access import Access
        from inertial_check.documents.xacro.child import confine
        confine(Access((os.path.realpath('.'),)))
        assert open('file').read() == 'inside'
    """
    attempts = (
        f"try:\n    {act}\nexcept (OSError, RuntimeError, ImportError) as error:\n"
        f"    print(json.dumps([{name!r}, str(error)]))\n"
        for name, act in ACTS.items()
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code) + "".join(attempts)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    told = dict(map(json.loads, done.stdout.splitlines()))
    assert list(told) == list(ACTS), done.stderr
    for name, text in told.items():
        assert any(word in text for word in ("refused", "not opened", "not written")), name
