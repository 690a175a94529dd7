"""Engines that must accept a model as it is written: their floors, and what they still refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inertial_check.engines import Floors, exact_engines, floors, predict
from inertial_check.fixing.case import PRODUCTS, Case, Proposal
from inertial_check.fixing.result import INTACT, REFUSALS, EngineActions
from inertial_check.model import Body, Model, Prediction
from inertial_check.model.judging import judge
from inertial_check.settings.settings import validate_engine

_LAST_BITS_REFUSAL = "may reject it (by the last bits of the moments that it computes)"

Predictions = Mapping[str, Mapping[str, Prediction]]
"""Predicted action of each engine, by the ids of bodies and the names of engines."""


@dataclass(frozen=True)
class EngineTargets:
    """Engines that must accept the bodies as they are written.

    Attributes:
        engines: Names of the engines.
        tolerance: Tolerance of the judgements on which predictions are based.
        before: Predictions for the model as it is.
    """

    engines: tuple[str, ...]
    tolerance: float
    before: Predictions

    @classmethod
    def of(cls, model: Model, engines: Sequence[str], tolerance: float) -> EngineTargets:
        """Predict what engines do with a model as it is.

        Raises:
            UsageError: An unknown engine.
        """
        for engine in engines:
            validate_engine(engine)
        targets = cls(tuple(dict.fromkeys(engines)), tolerance, {})
        return replace(targets, before=targets.predict(model))

    def predict(self, model: Model) -> Predictions:
        """What each of the engines does with the bodies of a model; empty without engines."""
        if not self.engines:
            return {}
        predictions = predict(model, judge(model, self.tolerance))
        return {
            body.id: {engine: each[engine] for engine in self.engines if engine in each}
            for body, each in zip(model.bodies, predictions, strict=True)
        }

    def floors(self, body: Body) -> Floors:
        """The highest floors of all engines for a body [kg m^2]."""
        return floors(body, self.engines)

    def describe_refusal(self, case: Case) -> str:
        """What the engines do with a body as it is, in words; "" where all surely accept it."""
        words = _describe_refusals(self.before.get(case.body.id, {}))
        if not words and case.judgement.verdict == "boundary" and _has_products(case):
            return "; ".join(f"{each} {_LAST_BITS_REFUSAL}" for each in exact_engines(self.engines))
        return words

    def find_useless(self, after: Predictions, changing: Mapping[str, Proposal]) -> dict[str, str]:
        """Bodies that change for engines only without any engine's acceptance, by id, and why."""
        return {
            id_: f"{refusal}, also with what would be written: {proposal.result.reason}"
            for id_, proposal in changing.items()
            if proposal.for_engine
            and (refusal := _describe_refusals(after.get(id_, {})))
            and not self._is_accepted_by_more(id_, after[id_])
        }

    def _is_accepted_by_more(self, id_: str, after: Mapping[str, Prediction]) -> bool:
        """Whether an engine accepts a body that it refused before."""
        before = self.before.get(id_, {})
        return any(
            was.action in REFUSALS and after[engine].action not in REFUSALS
            for engine, was in before.items()
        )

    def conclude(self, proposal: Proposal, after: Predictions) -> Proposal:
        """Add to a proposal what the engines do with its body before and after."""
        result = proposal.result
        before, then = self.before.get(result.id, {}), after.get(result.id, {})
        actions = {
            engine: EngineActions(was.action, then[engine].action) for engine, was in before.items()
        }
        result = replace(result, engines=actions)
        refusal = _describe_refusals(then)
        if refusal and result.status == "fixed":
            result = replace(result, reason=f"{result.reason}; still {refusal}")
        elif refusal and result.status in INTACT:
            why = result.reason or "no other inertia that fix could write changes that"
            result = replace(result, status="engine-refused", reason=f"{refusal}; {why}")
        return replace(proposal, result=result)


def _has_products(case: Case) -> bool:
    numbers = case.numbers
    return any(name in numbers and numbers[name].value != 0 for name in PRODUCTS)


def _describe_refusals(predictions: Mapping[str, Prediction]) -> str:
    """What the engines do that refuse a body, in words; "" where all accept it."""
    words = []
    for engine, prediction in predictions.items():
        if prediction.action in REFUSALS:
            message = f" ({prediction.message})" if prediction.message else ""
            words.append(f"{engine} {prediction.action}s it{message}")
    return "; ".join(words)
