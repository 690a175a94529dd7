"""Count stored results of checks by upstream, rule, cause, engine and more."""

from __future__ import annotations

import argparse

from inertial_check.programs.cli import options, output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `summary`."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="RESULTS",
        help="a folder of check --results, or a report of check as json or jsonl",
    )
    add = options.add_group(parser, "What is counted")
    add(
        "--by DIMENSIONS",
        "count by these: upstream, format, rule, cause, severity, verdict, engine; separated "
        "by commas (default: one table each by upstream, rule, cause and engine)",
        **options.LIST,
    )
    add = options.add_group(parser, "Output")
    add(
        "--output-format",
        "format of the tables (default: text)",
        choices=("text", "json", "markdown", "csv"),
        default="text",
    )
    add("--output-file FILE", "write the tables here, not to stdout")


def run(args: argparse.Namespace) -> int:
    """Write the counts; exit code 2 if a part of the results is damaged."""
    from inertial_check.running.results.counts import Counts, render
    from inertial_check.running.results.reading import read_counts

    counts = Counts()
    damaged: list[str] = []
    for path in args.paths:
        counts.add(read_counts(path, damaged.append))
    output.write(render(counts, args.by or (), args.output_format), args.output_file)
    for line in damaged:
        output.failure(line)
    return output.FAILURE if damaged else output.CLEAN
