"""Choice of the bodies into which a cause is planted: seeded, and the same on every machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest

import numpy as np

from planting.defects import Cause, Mutant, plant
from planting.sites import Site

UPSTREAM_SHARE = 0.4
PER_FILE = 2
LEAST = 20
"""Mutants of a cause below which one file may give more than PER_FILE."""
WITH_EVIDENCE = 0.6
"""Of the mutants of a valid cause, as far as there are sites: the others have mostly none."""


def mutants_of(which: Cause, sites: Sequence[Site], count: int, seed: int) -> list[Mutant]:
    """Mutants of one cause: of several upstreams, few of a file, no two of the same numbers."""
    rng = np.random.default_rng([seed, *which.key.encode()])
    shuffled = [sites[k] for k in rng.permutation(len(sites))]
    stages = [(shuffled, count, PER_FILE), (shuffled, min(count, LEAST), count)]
    if which.kind == "valid":
        evident = [site for site in shuffled if site.has_geometry or site.has_twin]
        stages.insert(0, (evident, int(WITH_EVIDENCE * count), PER_FILE))
    if which.kind == "model":
        stages = [(_one_a_model(shuffled), count, 1)]
    choice = _Choice(which, max(1, int(UPSTREAM_SHARE * count)), rng)
    for candidates, enough, per_file in stages:
        choice.take(candidates, enough, per_file)
    return choice.mutants


class _Choice:
    """The mutants so far, and what they came from."""

    def __init__(self, which: Cause, per_upstream: int, rng: np.random.Generator) -> None:
        self.mutants: list[Mutant] = []
        self._which, self._per_upstream, self._rng = which, per_upstream, rng
        self._seen: set[tuple[str, ...]] = set()
        self._files: Counter[str] = Counter()
        self._upstreams: Counter[str] = Counter()

    def take(self, candidates: Sequence[Site], enough: int, per_file: int) -> None:
        """Plant into bodies in turns until there are enough mutants."""
        for site in in_turns(candidates):
            if len(self.mutants) >= enough:
                break
            numbers = _numbers(self._which, site)
            upstream_full = self._upstreams[site.upstream] >= self._per_upstream
            if upstream_full or self._files[site.file] >= per_file or numbers in self._seen:
                continue
            mutant = plant(self._which, site, self._rng) if has_what(self._which, site) else None
            if mutant is not None:
                self.mutants.append(mutant)
                self._seen.add(numbers)
                self._files[site.file] += 1
                self._upstreams[site.upstream] += 1


def _numbers(which: Cause, site: Site) -> tuple[str, ...]:
    """What makes a body, or a whole model, another than the next."""
    if which.kind != "model":
        return tuple(site.texts.values())
    tensors = {"/".join(site.at(index).texts.values()) for index in site.sound}
    return tuple(sorted(tensors))


def _one_a_model(sites: Iterable[Site]) -> list[Site]:
    return list({site.file: site for site in sites}.values())


def has_what(which: Cause, site: Site) -> bool:
    """Whether a body has the evidence that alone could show a cause."""
    if which.needs is None:
        return True
    return ("geometry" in which.needs and site.has_geometry) or (
        "twin" in which.needs and site.has_twin
    )


def in_turns(sites: Iterable[Site]) -> Iterator[Site]:
    """One of each upstream and format after the other."""
    by_upstream: dict[tuple[str, str], list[Site]] = defaultdict(list)
    for site in sites:
        by_upstream[site.upstream, site.model.format].append(site)
    turns = zip_longest(*(by_upstream[key] for key in sorted(by_upstream)))
    return (site for site in chain.from_iterable(turns) if site is not None)
