"""One input of a target: a few files in a folder of their own."""

from dataclasses import dataclass, field
from pathlib import Path

OUTSIDE = "outside"
"""Folder beside that of the input, whose content no output may show."""

SECRET = "canary-7d1f4c"
"""Text in the files outside and in the environment, which no output may contain."""

VARIABLE = "INERTIAL_CHECK_FUZZ_SECRET"
"""Environment variable that has the secret."""


@dataclass(frozen=True)
class Link:
    """A symbolic link in place of a file.

    Attributes:
        target: The place to which it leads.
    """

    target: str


class Pipe:
    """A named pipe in place of a file."""


class Folder:
    """A folder in place of a file."""


Content = bytes | Link | Pipe | Folder


@dataclass(frozen=True)
class Case:
    """The files of one input.

    Attributes:
        main: Name of the file that the target is called with.
        files: The content of every file, by its name relative to the folder.
        kind: Syntax of the main file, by which mutations are chosen.
    """

    main: str
    files: dict[str, Content] = field(default_factory=dict)
    kind: str = "xml"

    @property
    def data(self) -> bytes:
        """The bytes of the main file; none where it is no regular file."""
        content = self.files[self.main]
        return content if isinstance(content, bytes) else b""

    def changed(self, name: str, content: Content) -> "Case":
        """The input with another content of one file."""
        return Case(self.main, {**self.files, name: content}, self.kind)

    def write(self, folder: Path) -> Path:
        """Write the files; returns the path of the main one."""
        import os

        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Link):
                path.symlink_to(content.target)
            elif isinstance(content, Pipe):
                os.mkfifo(path)
            elif isinstance(content, Folder):
                path.mkdir()
            else:
                path.write_bytes(content)
        return folder / self.main
