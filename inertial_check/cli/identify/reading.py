"""Reading of the command line of `identify` into the options of an identification."""

from __future__ import annotations

import argparse
from math import inf
from typing import TYPE_CHECKING

from inertial_check.cli import options
from inertial_check.cli.option_groups import read_group, read_texts
from inertial_check.errors import UsageError

if TYPE_CHECKING:
    from inertial_check.identification.recordings.signals import Smoothing
    from inertial_check.identifying.options import IdentifyOptions


def read_options(args: argparse.Namespace) -> IdentifyOptions:
    """Read the options of the command line; those that are not given keep their defaults.

    Raises:
        UsageError: A text of another form, or a number out of range. The message names the option.
    """
    from inertial_check.identification.estimation.fit_options import FitOptions
    from inertial_check.identifying import options as groups
    from inertial_check.identifying.floating.contact_options import ContactOptions, read_contacts

    context, smoothing = options.context_of(args), _read_smoothing(args)
    validation = getattr(args, "validation", ())
    if hasattr(args, "locked"):
        args.locked, args.lock_others = groups.read_locks(args.locked)
    read_texts(
        args,
        {
            "validation": tuple,
            "reverse": tuple,
            "beside": lambda texts: groups.read_beside(texts, [*args.data, *validation]),
            "clock_offset": groups.read_clock_offset,
            "unmeasured": tuple,
            "friction": groups.read_terms,
            "friction_prior": groups.read_scales,
            "coupling": groups.read_couplings,
            "total_mass": groups.read_total_mass,
            "mass": groups.read_masses,
            "contact": read_contacts,
            "reverse_wrench": tuple,
        },
    )
    weight = getattr(args, "regularization", groups.DEFAULT_WEIGHT)
    return groups.IdentifyOptions(
        data=tuple(args.data),
        model=args.model,
        context=context,
        recordings=read_group(groups.RecordingOptions, args, smoothing=smoothing),
        robot=read_group(groups.RobotOptions, args),
        prior=read_group(groups.PriorOptions, args),
        friction=read_group(groups.FrictionOptions, args),
        masses=read_group(groups.MassOptions, args),
        contacts=read_group(ContactOptions, args),
        loads=getattr(args, "loads", None),
        method=getattr(args, "method", "least-squares"),
        fit=read_group(FitOptions, args, regularization=weight),
    )


def _read_smoothing(args: argparse.Namespace) -> Smoothing:
    """Read the processing of the signals.

    Raises:
        UsageError: --no-filter and --cutoff exclude each other.
    """
    from inertial_check.identification.recordings.signals import Smoothing

    if hasattr(args, "no_filter"):
        if hasattr(args, "cutoff"):
            raise UsageError("--no-filter leaves nothing for --cutoff: choose one")
        args.cutoff = inf
    # The order of Y is an argument of the same name.
    order = getattr(args, "filter_order", Smoothing.order)
    return read_group(Smoothing, args, order=order)


def refuse_unused(args: argparse.Namespace, form: str, names: tuple[str, ...]) -> None:
    """Refuse options that a form of the command does not use.

    Args:
        args: Arguments of the command line, without those that are not given.
        form: Option that chooses the form.
        names: Attributes of the options that it does not use.

    Raises:
        UsageError: One of them is given. The message names them.
    """
    given = [f"--{name.replace('_', '-')}" for name in names if hasattr(args, name)]
    if given:
        raise UsageError(f"{form} makes no use of {', '.join(given)}: leave out what it ignores")
