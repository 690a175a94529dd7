"""Tables read as a whole, for tests: what a reader and its blocks say together."""

import io

import numpy as np

from inertial_check.documents.tables import open_table


class Whole:
    """Every row of a table in one place."""

    def __init__(self, data, order=None, rows=1000):
        self.data = data if isinstance(data, bytes) else data.encode()
        self.reader = open_table(io.BytesIO(self.data), "t", order)
        self.format, self.layout = self.reader.format, self.reader.layout
        self.order, self.named = self.layout.order, self.layout.named
        self.has_com = self.layout.has_com
        self.blocks = list(self.reader.blocks(rows))
        self.values = np.concatenate([block.values for block in self.blocks])
        self.labels = tuple(label for block in self.blocks for label in block.labels)
        self.lines = [block.line(row) for block in self.blocks for row in range(len(block.values))]
        self.theta = self.layout.theta(self.values)

    def edited(self, theta):
        """The bytes of a text table with other parameters."""
        values = self.layout.values(np.asarray(theta), self.values)
        text = self.reader.mark
        for block in self.blocks:
            text += block.edit(values[block.first : block.first + len(block.values)])
        return text.encode("utf-8", "surrogateescape")


def npz(**arrays):
    """The bytes of an npz file."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def npy(array, **options):
    """The bytes of an npy file."""
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()
