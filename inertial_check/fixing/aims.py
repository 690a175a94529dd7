"""The engines that shall take a model as it is: their floors, and what they still refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inertial_check.engines import ENGINES, Floors, exact_engines, floors, predict
from inertial_check.errors import UsageError
from inertial_check.fixing.case import Case, Proposal
from inertial_check.fixing.result import INTACT, REFUSALS, EngineActions
from inertial_check.model import Body, Model, Prediction
from inertial_check.model.judging import judge

_DOUBT = "may reject it (by the last bits of the moments that it finds)"

Predictions = Mapping[str, Mapping[str, Prediction]]


@dataclass(frozen=True)
class Aims:
    """Engines that shall take the bodies as they are written.

    Attributes:
        engines: Their names.
        before: By the body's id, what each engine does with the model as it is.
    """

    engines: tuple[str, ...]
    before: Predictions

    @classmethod
    def of(cls, model: Model, engines: Sequence[str], tolerance: float) -> Aims:
        """What the engines do with a model as it is.

        Raises:
            UsageError: An engine that is not known.
        """
        for engine in engines:
            if engine not in ENGINES:
                raise UsageError(f"unknown engine {engine!r}: expected {', '.join(ENGINES)}")
        chosen = tuple(dict.fromkeys(engines))
        return cls(chosen, predicted(model, chosen, tolerance))

    def floors(self, body: Body) -> Floors:
        """What the least principal moment of a body has in all of these engines [kg m^2]."""
        return floors(body, self.engines)

    def refusal(self, case: Case) -> str:
        """What the engines do with a body as it is, in words; "" where all surely take it."""
        words = told(self.before.get(case.body.id, {}))
        if not words and case.judgement.verdict == "boundary" and _has_products(case):
            return "; ".join(f"{engine} {_DOUBT}" for engine in exact_engines(self.engines))
        return words

    def vain(self, after: Predictions, moved: Mapping[str, Proposal]) -> dict[str, str]:
        """Bodies that only engines want changed, and of which none takes more, by id, and why."""
        return {
            id_: f"{refusal}, also with what would be written: {proposal.result.reason}"
            for id_, proposal in moved.items()
            if proposal.for_engine
            and (refusal := told(after.get(id_, {})))
            and not self._helps(id_, after[id_])
        }

    def _helps(self, id_: str, after: Mapping[str, Prediction]) -> bool:
        """Whether an engine takes a body that it did not take."""
        before = self.before.get(id_, {})
        return any(
            was.action in REFUSALS and after[engine].action not in REFUSALS
            for engine, was in before.items()
        )

    def concluded(self, proposal: Proposal, after: Predictions) -> Proposal:
        """A proposal that says what the engines do with its body before and after."""
        result = proposal.result
        before, then = self.before.get(result.id, {}), after.get(result.id, {})
        actions = {
            engine: EngineActions(was.action, then[engine].action) for engine, was in before.items()
        }
        result = replace(result, engines=actions)
        refusal = told(then)
        if refusal and result.status == "fixed":
            result = replace(result, reason=f"{result.reason}; still {refusal}")
        elif refusal and result.status in INTACT:
            why = result.reason or "no other inertia that fix could write changes that"
            result = replace(result, status="engine-refused", reason=f"{refusal}; {why}")
        return replace(proposal, result=result)


def predicted(model: Model, engines: Sequence[str], tolerance: float) -> Predictions:
    """By the body's id, what each of the engines does with it; nothing where none is asked for."""
    if not engines:
        return {}
    found = predict(model, judge(model, tolerance))
    return {
        body.id: {engine: each[engine] for engine in engines if engine in each}
        for body, each in zip(model.bodies, found, strict=True)
    }


def _has_products(case: Case) -> bool:
    numbers = case.numbers
    products = (numbers.get(entry) for entry in ("ixy", "ixz", "iyz"))
    return any(number is not None and number.value != 0 for number in products)


def told(predictions: Mapping[str, Prediction]) -> str:
    """What engines that do not take a body do with it, in words; "" where all take it."""
    words = []
    for engine, prediction in predictions.items():
        if prediction.action in REFUSALS:
            message = f" ({prediction.message})" if prediction.message else ""
            words.append(f"{engine} {prediction.action}s it{message}")
    return "; ".join(words)
