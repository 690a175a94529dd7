"""What is parsed without argparse is what argparse would have made of it."""

import itertools
import random

import pytest

from inertial_check.cli import check
from inertial_check.cli.commands import add_common_arguments
from inertial_check.cli.parsers import build_parser
from inertial_check.cli.plain_parsing import parse_plainly
from inertial_check.errors import UsageError

DECLARED = (check.add_arguments, add_common_arguments)
WORDS = (
    "a.urdf", "-", "", "--", "-1", "-q", "-v", "-qv", "-h", "--help", "--quiet", "--stric",
    "--strict", "--no-strict", "--strict=yes", "--no-quiet", "--select", "--select=IC3", "IC1,IC2",
    "--select=", "--tolerance", "0.5", "much", "--also", "json=a.json", "--also=text=a.json",
    "--output-format", "json", "--output-format=jso", "--jobs=2", "--jobs=auto", "--color=always",
    "--exclude", "a b", "--follow-outside", "--package-path=a=b=c", "--preset=strict", "-x",
    "--results=x", "--config", "- a",
)  # fmt: skip
"""Words of command lines, right and wrong."""


def parse_with_argparse(parser, argv):
    """The values of a command line; None where it is wrong, or asks for help."""
    parser.words = argv
    try:
        return vars((parser.parse_args if "--" in argv else parser.parse_intermixed_args)(argv))
    except (UsageError, SystemExit):
        return None


def list_lines():
    yield from ([word] for word in WORDS)
    yield from (list(pair) for pair in itertools.product(WORDS, repeat=2))
    draw = random.Random(7)
    yield from (draw.choices(WORDS, k=draw.randint(3, 7)) for _ in range(300))


def test_a_line_that_is_parsed_has_the_values_of_argparse():
    """On all pairs of words, and on lines of up to seven drawn at random."""
    parser, parsed = build_parser("check"), 0
    for argv in list_lines():
        plain = parse_plainly(DECLARED, argv)
        if plain is not None:
            parsed += 1
            assert vars(plain) == parse_with_argparse(parser, argv), argv
    assert parsed > 300


@pytest.mark.parametrize(
    "argv",
    [
        ["a.urdf"],
        ["a.urdf", "-q", "b.urdf", "--isolated", "--no-cache"],
        ["--output-format", "json", "--jobs=2", ".", "--strict"],
    ],
)
def test_the_usual_lines_need_no_argparse(argv):
    assert parse_plainly(DECLARED, argv) is not None


def test_a_declaration_that_is_not_understood_is_noticed():
    def declare(parser):
        parser.add_argument("--pair", nargs=2)

    with pytest.raises(NotImplementedError):
        parse_plainly([declare], [])
