"""The numbers that the documents of a model write, and what must hold of their bytes."""

import math
import re

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


def numbers(model):
    """Every number that the documents write, body by body."""
    for body in model.bodies:
        if body.inertial is not None:
            inertial = body.inertial
            found = [inertial.mass, *inertial.p_BoBcm_B, *inertial.I_BBcm_Bi.values()]
            yield from (number for number in found if number is not None and number.span)


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
