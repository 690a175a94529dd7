"""The numbers that the documents of a model write, and what must hold of their bytes."""

import math
import os
import re

from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.source import Edit

_NAMES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_REFERENCE = re.compile(r"&(?:#([0-9]+)|#x([0-9a-fA-F]+)|(lt|gt|amp|quot|apos));")


def resolved(text):
    """The text with its references resolved; what is no reference stays."""

    def character(match):
        if match[3]:
            return _NAMES[match[3]]
        return chr(int(match[2], 16) if match[2] else int(match[1]))

    return _REFERENCE.sub(character, text)


def named(body):
    """Role -> number of a body's inertial."""
    one = body.inertial
    if one is None:
        return {}
    center = dict(zip("xyz", one.p_BoBcm_B, strict=True))
    found = {"mass": one.mass, **center, **one.I_BBcm_Bi}
    return {role: number for role, number in found.items() if number is not None}


def numbers(model):
    """Every number that the documents write, body by body."""
    for body in model.bodies:
        yield from (number for number in named(body).values() if number.span)


def assert_exact(model, again=lambda file, data: load(data)):
    """Spans hold their numbers; each can be changed alone.

    Args:
        model: What was read.
        again: Reads the model once more, with other bytes for the document of this index.
    """
    before = list(numbers(model))
    for number in before:
        assert resolved(model.source_of(number.span).text(number.span)) == number.text
    for at, number in enumerate(before):
        if math.isnan(number.value):
            continue
        source, new = model.source_of(number.span), f"{at + 0.25!r}e-3"
        data = source.apply_edits([Edit(number.span, new)])
        start, end = number.span.start, number.span.end
        assert data == source.data[:start] + new.encode(source.encoding) + source.data[end:]
        after = list(numbers(again(number.span.file, data)))
        assert (after[at].value, after[at].text) == (float(new), new)
        others = [each.text for place, each in enumerate(after) if place != at]
        assert others == [each.text for place, each in enumerate(before) if place != at]


def _of_the_document(model):
    """The numbers of the bodies that stand in the document itself, and not in what it includes."""
    return [number for number in numbers(model) if number.span.file == 0]


def assert_places(model):
    """Every number stands where its span says; returns how many there are."""
    found = _of_the_document(model)
    for number in found:
        assert model.source.text(number.span) == number.text, model.source.path
        assert float(number.text) == number.value or math.isnan(number.value), model.source.path
    return len(found)


def assert_all_can_be_changed(model):
    """All numbers can be rewritten at once, and nothing else changes."""
    written = _of_the_document(model)
    values = [at / 8 for at in range(len(written))]
    edits = [Edit(n.span, repr(value)) for n, value in zip(written, values, strict=True)]
    again = load(model.source.apply_edits(edits))
    assert [number.value for number in _of_the_document(again)] == values, model.source.path
    assert _outside(again) == _outside(model), model.source.path


def _outside(model):
    spans = sorted({number.span for number in _of_the_document(model)})
    data = model.source.data
    ends, starts = [0, *(s.end for s in spans)], [*(s.start for s in spans), len(data)]
    return [data[end:start] for end, start in zip(ends, starts, strict=True)]


def assert_literals_are_the_sources(model):
    """With another number in the place of each literal, exactly the numbers told so are those.

    Returns how many numbers are literals.
    """

    def roles(one):
        return {
            (body.id, role): number for body in one.bodies for role, number in named(body).items()
        }

    def text(number):
        return model.source_of(number.span).text(number.span)

    before = roles(model)
    spans = sorted({number.span for number in before.values() if number.span and number.literal})
    texts = {span: f"{7000 + index}.5" for index, span in enumerate(spans)}
    data = [
        source.apply_edits(Edit(span, text) for span, text in texts.items() if span.file == file)
        for file, source in enumerate((model.source, *model.others))
    ]
    paths = [os.path.abspath(source.path) for source in model.others]
    context = Context(overlay=dict(zip(paths, data[1:], strict=True)))
    after = roles(load(data[0], path=model.source.path, context=context))
    assert after.keys() == before.keys()
    literals = 0
    for key, number in before.items():
        if number.span is None:
            assert after[key] == number
            continue
        assert text(number).strip()
        if number.literal:
            literals += 1
            assert text(number) == number.text
            new = texts[number.span]
            assert (after[key].text, after[key].value) == (new, float(new)), key
    return literals
