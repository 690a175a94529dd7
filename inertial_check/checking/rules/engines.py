"""IC701, IC702: what the engines that a run is gated on do with a body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inertial_check.checking.engines import VALIDATORS
from inertial_check.checking.engines.usd import predict_of_stage
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.report import Action, Finding, Prediction, Severity
from inertial_check.checking.rules.base import Rule
from inertial_check.documents.model import ENTRIES, Body, Judgement
from inertial_check.documents.source import Span

_DOES = {
    "warn": "loads the body as written and warns",
    "alter": "simulates other numbers than those written",
    "replace": "puts a stand-in in the place of this body",
    "reject": "refuses the model",
    "drop": "leaves the body out",
}
_STANDARDS = "write what it asks for (docs/standards.md)"
_SOUND = frozenset({"consistent", "boundary"})
_NEAREST = frozenset({"consistent", "boundary", "rounding", "inconsistent"})


class EngineRule(Rule):
    """A rule about what gated engines do; it asks for nothing where no engine is gated."""

    actions: ClassVar[frozenset[Action]]

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding a body and engine."""
        if not examination.engines:
            return
        for name, whole in predict_of_stage(self.model).items():
            if name in examination.engines and whole.action in self.actions:
                yield self.at(
                    Span(0, 0),
                    f"{name} {whole.version} {_DOES[whole.action]} for its stage "
                    f"({whole.message.rstrip('.')}): {_STANDARDS}",
                    values=_values_of(whole),
                )
        for body, judgement, predictions in zip(
            self.model.bodies, examination.judgements, examination.predictions, strict=True
        ):
            for engine in examination.engines:
                prediction = predictions.get(engine)
                if prediction is not None and prediction.action in self.actions:
                    yield self._of(body, judgement, prediction)

    def _of(self, body: Body, judgement: Judgement, prediction: Prediction) -> Finding:
        engine, version, action, said, becomes = prediction
        message = f"{engine} {version} {_DOES[action]}"
        if said:
            message += f" ({said.rstrip('.')})"
        if becomes:
            message += f"; it becomes {becomes}"
        # A sound body is left out because of another, on which it hangs.
        innocent = action == "drop" and judgement.verdict in _SOUND
        # What to do about it: where numbers near by may serve, `fix` looks for them.
        if engine in VALIDATORS:
            way_out = _STANDARDS
        elif judgement.verdict in _NEAREST and judgement.mass > 0:
            way_out = f"write numbers that it takes; `fix --engine {engine}` looks for the nearest"
        else:
            way_out = "write the mass and the inertia that the body has"
        return self.at(
            body.span if body.inertial is None else body.inertial.span,
            f"{message}: {way_out}",
            body,
            _values_of(prediction),
            about=() if innocent else ("mass", *ENTRIES),
        )


def _values_of(prediction: Prediction) -> dict[str, object]:
    fields = prediction._asdict()
    return {("engine_message" if name == "message" else name): v for name, v in fields.items()}


class EngineChangesBody(EngineRule):
    """An engine that the run is gated on does not simulate the body as it is written.

    ## What it does
    With --engine, reports each body that an engine refuses, alters, replaces or leaves out, with
    what it prints and simulates instead.

    ## Why is this bad
    What runs is not what the file says, and few engines say so.

    ## Example
        <inertia ixx="1e-16" ixy="0" ixz="0" iyy="1e-16" iyz="0" izz="1e-16"/>

    ## Use instead
        <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/>

    ## Tolerance
    That of each engine, in the version that the message names.

    ## Fix
    `fix --engine` looks for the nearest numbers that the engine takes.

    ## References
    docs/engines.md: the rule of each engine, its messages, its source, its tests.
    """

    code, name, severity = "IC701", "engine-changes-body", Severity.ERROR
    actions = frozenset({"alter", "replace", "reject", "drop"})


class EngineWarns(EngineRule):
    """An engine that the run is gated on prints a warning about the body, and loads it.

    ## What it does
    With --engine, reports each body about which an engine warns, though it simulates the written
    numbers.

    ## Why is this bad
    The engine's authors do not vouch for what follows.

    ## Example
        <mass value="0"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>

    ## Use instead
        <mass value="0.03"/>
        <inertia ixx="1.2e-05" ixy="0" ixz="0" iyy="1.2e-05" iyz="0" izz="2.5e-06"/>

    ## Tolerance
    That of each engine, in the version that the message names.

    ## Fix
    By hand, unless `fix --engine` finds numbers near by.

    ## References
    docs/engines.md: the rule of each engine, its messages, its source, its tests.
    """

    code, name, severity = "IC702", "engine-warns", Severity.WARNING
    actions = frozenset({"warn"})


ENGINE_RULES: tuple[type[Rule], ...] = (
    EngineChangesBody,
    EngineWarns,
)
"""Rules about engines, in the order of their codes."""
