"""Reports for programs, which are written file by file.

What a file adds to the report is written as soon as the file is checked, and kept as bytes until
the end: the head of a report has counts that are known only then. So the memory does not grow with
what the report says of each file.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from inertial_check.files.spool import Spool
from inertial_check.model import FileReport, Report
from inertial_check.reports import View
from inertial_check.reports.totals import Totals

_PIECE = 1 << 20
"""Size of the pieces in which a report is given [bytes]."""


class Item(NamedTuple):
    """The text of a report about a file, or about one finding of it.

    Attributes:
        text: The text, ASCII only.
        rank: Items of the least rank are left out first where a report has a largest size.
    """

    text: str
    rank: int = 0


class Frame(NamedTuple):
    """The text around the items of a report.

    Attributes:
        head: Text before the first item.
        between: Text between two items.
        tail: Text after the last item.
    """

    head: str
    between: str
    tail: str


class Run(NamedTuple):
    """The facts of the whole run that a report states.

    Attributes:
        totals: Counts of the files.
        failures: Reasons why the check failed.
        notes: Files and checks that were skipped and why.
        view: Options of the report.
    """

    totals: Totals
    failures: Sequence[str]
    notes: Sequence[str]
    view: View


class Form(NamedTuple):
    """A form of the report that is written file by file.

    Attributes:
        items: Gives the items of a file.
        frame: Gives the text around so many items, of which so many are left out.
        most: Largest number of items, and largest size of the report [bytes], compressed if need
            be; None without limits.
    """

    items: Callable[[FileReport, View], Iterable[Item]]
    frame: Callable[[Run, int, int], Frame]
    most: Callable[[], tuple[int, int]] | None = None


def write_whole(form: Form, report: Report, view: View) -> str:
    """Write a report that is there as a whole."""
    stream = ReportStream(form, Spool(sys.maxsize))
    for file in report.files:
        stream.add(form.items(file, view))
    run = Run(Totals.of(report), report.failures, report.notes, view)
    return "".join(stream.pieces(range(len(report.files)), run))


class ReportStream:
    """The items of a report in one form, in the order in which files were checked.

    A stream numbers the files in that order.

    Args:
        form: The form of the report.
        spool: Keeps the items.
    """

    def __init__(self, form: Form, spool: Spool) -> None:
        self._form = form
        self._spool = spool
        self._offsets, self._lengths, self._ranks = array("Q"), array("Q"), array("b")
        self._firsts = array("Q", [0])

    def add(self, items: Iterable[Item]) -> int:
        """Add a file by its items, and give its number.

        Raises:
            OSError: There is no room for the items.
        """
        for item in items:
            data = item.text.encode("ascii")
            self._offsets.append(self._spool.append(data))
            self._lengths.append(len(data))
            self._ranks.append(item.rank)
        self._firsts.append(len(self._offsets))
        return len(self._firsts) - 2

    def pieces(self, files: Iterable[int], run: Run) -> Iterator[str]:
        """Give the text of the report in pieces.

        Args:
            files: The numbers of the files, in the order of the report.
            run: What the report says about the whole run.

        Raises:
            OSError: The items cannot be read again.
        """
        items = [at for file in files for at in range(self._firsts[file], self._firsts[file + 1])]
        kept = items if self._form.most is None else self._choose(items, run, *self._form.most())
        return self._join(kept, run, len(items) - len(kept))

    def _choose(self, items: list[int], run: Run, most: int, largest: int) -> list[int]:
        """Choose the items of a report of limited size, those of the highest rank."""
        ranks = self._ranks
        worst = sorted(range(len(items)), key=lambda place: -ranks[items[place]])
        count = min(len(items), most)
        while True:
            kept = [items[place] for place in sorted(worst[:count])]
            left_out = len(items) - count
            if not count or (size := self._measure(kept, run, left_out, largest)) <= largest:
                return kept
            count = min(count - 1, int(0.95 * count * largest / size))

    def _measure(self, items: list[int], run: Run, left_out: int, largest: int) -> int:
        """Measure a report as it is sent [bytes]: compressed, unless it fits as it is."""
        head, between, tail = self._form.frame(run, len(items), left_out)
        size = len(head) + len(tail) + len(between) * max(len(items) - 1, 0)
        size += sum(self._lengths[at] for at in items)
        if size <= largest:
            return size
        compressor = zlib.compressobj()
        pieces = self._join(items, run, left_out)
        size = sum(len(compressor.compress(piece.encode("ascii"))) for piece in pieces)
        return size + len(compressor.flush())

    def _join(self, items: list[int], run: Run, left_out: int) -> Iterator[str]:
        head, between, tail = self._form.frame(run, len(items), left_out)
        parts, size = [head], 0
        separator = ""
        for at in items:
            parts += [separator, self._spool.read(self._offsets[at], self._lengths[at]).decode()]
            separator = between
            size += self._lengths[at]
            if size >= _PIECE:
                yield "".join(parts)
                parts, size = [], 0
        yield "".join([*parts, tail])

    def close(self) -> None:
        """Forget the items."""
        self._spool.close()
