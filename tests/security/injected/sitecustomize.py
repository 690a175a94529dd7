"""Faults for tests: with this folder in PYTHONPATH, documents of certain names fail.

The part of a file's name between `bad-` and the next dot names the fault.
"""

import os
import re
import signal
import time

from inertial_check.checking import check
from inertial_check.checking.causes import ranking
from inertial_check.checking.engines import catalogue
from inertial_check.checking.rules.catalogue import ALL_RULES
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


def _read_model(source):
    if (fault := FAULTS.get(fault_of(source.path))) is not None:
        fault()
    return read_model(source)


read_model, reading.read_model = reading.read_model, _read_model


def _failing_batch(step, original):
    def replacement(models, *rest):
        if any(fault_of(model.source.path) == step for model in models):
            raise ArithmeticError(f"injected into {step}")
        return original(models, *rest)

    return replacement


check.judge_all = _failing_batch("judge", check.judge_all)
check.judge = _failing("judge", check.judge, lambda model, *_: model.source.path)
check.read_geometry = _failing("geometry", check.read_geometry, lambda model, *_: model.source.path)
catalogue.predict = _failing("engines", catalogue.predict, lambda model, *_: model.source.path)
check.sort_findings = _failing(
    "comments", check.sort_findings, lambda _, model, *__: model.source.path
)
ranking.explain = _failing("causes", ranking.explain, lambda seen, *_: seen.model.source.path)
(_rule,) = (rule for rule in ALL_RULES if rule.code == "IC302")
_rule.findings = _failing("rule", _rule.findings, lambda _, seen: seen.model.source.path)
