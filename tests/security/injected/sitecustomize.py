"""Faults for tests: with this folder in PYTHONPATH, documents of certain names fail.

The part of a file's name between `bad-` and the next dot names the fault.
"""

import os
import re
import signal
import time

import inertial_check.checking.causes
import inertial_check.checking.engines
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.shapes.evidence import read_geometry
from inertial_check.checking.suppressions import sort_findings
from inertial_check.documents.model import judge, judge_all
from inertial_check.documents.urdf import reading


class Panic(BaseException):
    """As extension modules raise it: no Exception."""


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError("this exception has no text")


def _recurse():
    return _recurse()


def _raise(error):
    raise error


def _spin():
    while True:
        pass


def _hold():
    """Take no signals, as a library that computes for ever."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    while True:
        time.sleep(1)


FAULTS = {
    "value": lambda: int("x"),
    "overflow": lambda: int(float("inf")),
    "memory": lambda: _raise(MemoryError("4.5 GiB")),
    "recursion": _recurse,
    "exit": lambda: _raise(SystemExit(3)),
    "panic": lambda: _raise(Panic("at 0x7f0123456789")),
    "unspeakable": lambda: _raise(Unspeakable()),
    "abort": os.abort,
    "quit": lambda: os._exit(0),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "spin": _spin,
    "hold": _hold,
}
STEPS = ("judge", "rule", "geometry", "causes", "engines", "comments")


def fault_of(path):
    match = re.search(r"bad-(\w+)", os.path.basename(path))
    return match and match[1]


def _failing(step, original, path_of):
    def replacement(*arguments, **options):
        if fault_of(path_of(*arguments)) == step:
            raise ArithmeticError(f"injected into {step}")
        return original(*arguments, **options)

    return replacement


def _read(source):
    if (fault := FAULTS.get(fault_of(source.path))) is not None:
        fault()
    return read(source)


read, reading.read_model = reading.read_model, _read


def _failing_batch(step, original):
    def replacement(models, *rest):
        if any(fault_of(model.source.path) == step for model in models):
            raise ArithmeticError(f"injected into {step}")
        return original(models, *rest)

    return replacement


judge_all = _failing_batch("judge", judge_all)
judge = _failing("judge", judge, lambda model, *_: model.source.path)
read_geometry = _failing("geometry", read_geometry, lambda model, *_: model.source.path)
inertial_check.checking.engines.predict = _failing(
    "engines", inertial_check.checking.engines.predict, lambda model, *_: model.source.path
)
sort_findings = _failing("comments", sort_findings, lambda _, model, *__: model.source.path)
inertial_check.checking.causes.explain = _failing(
    "causes", inertial_check.checking.causes.explain, lambda seen, *_: seen.model.source.path
)
(_rule,) = (rule for rule in ALL_RULES if rule.code == "IC302")
_rule.findings = _failing("rule", _rule.findings, lambda _, seen: seen.model.source.path)
