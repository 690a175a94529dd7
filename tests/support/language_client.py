"""An editor that drives the language server over stdio, and counts columns in its own way."""

import json
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from waiting import GUARD

ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@dataclass
class Opened:
    text: str
    version: int


class Editor:
    """A language server in a process of its own, and the documents that are open in it."""

    def __init__(self, folder, *arguments, capabilities=None):
        self.folder = Path(folder)
        command = [sys.executable, "-m", "inertial_check", "lsp", *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=folder
        )
        self.opened = {}
        self.shown = {}
        self.requests = []  # that the server made
        self.ids = 0
        self.messages = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}}
        self.capabilities = self.ask("initialize", params)["capabilities"]
        self.encoding = self.capabilities["positionEncoding"]
        self.tell("initialized", {})

    # The protocol

    def _read(self):
        stream = self.process.stdout
        while header := stream.readline():
            assert header.startswith(b"Content-Length: "), header
            while stream.readline() != b"\r\n":
                pass
            self.messages.put(json.loads(stream.read(int(header.split()[1]))))
        self.messages.put(None)

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _receive(self):
        message = self.messages.get(timeout=GUARD)
        assert message is not None, "the server has ended"
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.shown[params["uri"]] = params.get("version"), params["diagnostics"]
        elif "method" in message and "id" in message:
            self.requests.append(message)
            self._send({"id": message["id"], "result": None})
        return message

    def tell(self, method, params):
        self._send({"method": method, "params": params})

    def ask(self, method, params):
        self.ids += 1
        self._send({"id": self.ids, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self.ids and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    # Documents

    def uri(self, name):
        return "file://" + quote(str(self.folder / name))

    def open(self, name, text, version=1):
        self.opened[self.uri(name)] = Opened(text, version)
        item = {"uri": self.uri(name), "languageId": "xml", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return self.diagnostics(name)

    def edit(self, name, old, new):
        """Replace one stretch of the text, told as a change of a range."""
        uri = self.uri(name)
        text = self.opened[uri].text
        assert text.count(old) == 1
        start = text.index(old)
        where = {"start": self.position(text, start), "end": self.position(text, start + len(old))}
        self._change(uri, text.replace(old, new), [{"range": where, "text": new}])

    def rewrite(self, name, text):
        self._change(self.uri(name), text, [{"text": text}])

    def _change(self, uri, text, changes):
        opened = self.opened[uri]
        opened.text, opened.version = text, opened.version + 1
        document = {"uri": uri, "version": opened.version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def close(self, name):
        del self.opened[self.uri(name)]
        self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def diagnostics(self, name, fresh=False):
        """What is shown of the newest text, once it has been checked.

        With `fresh`, what is shown next, as when another file has changed.
        """
        uri = self.uri(name)
        if fresh:
            self.shown.pop(uri, None)
        version = self.opened[uri].version if uri in self.opened else None
        while uri not in self.shown or self.shown[uri][0] != version:
            self._receive()
        return self.shown[uri][1]

    def codes(self, name, fresh=False):
        return [each.get("code") for each in self.diagnostics(name, fresh)]

    # Places, in the units that were negotiated

    def position(self, text, index):
        codec, size = ENCODINGS[self.encoding]
        before = text[:index].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return {"line": len(before) - 1, "character": len(before[-1].encode(codec)) // size}

    def index(self, text, position):
        codec, size = ENCODINGS[self.encoding]
        lines = text.replace("\r\n", "\n\0").replace("\r", "\n").split("\n")
        start = sum(len(line) + 1 for line in lines[: position["line"]])
        line = lines[position["line"]]
        hidden = line.startswith("\0") and position["line"] > 0
        body = line[hidden:].encode(codec)[: size * position["character"]]
        return start + hidden + len(body.decode(codec))

    def marked(self, name, diagnostic):
        """The text under a diagnostic."""
        text = self.opened[self.uri(name)].text
        where = diagnostic["range"]
        return text[self.index(text, where["start"]) : self.index(text, where["end"])]

    # Questions

    def actions(self, name, diagnostic=None, only=None):
        text = self.opened[self.uri(name)].text
        whole = {"start": self.position(text, 0), "end": self.position(text, len(text))}
        params = {
            "textDocument": {"uri": self.uri(name)},
            "range": diagnostic["range"] if diagnostic else whole,
            "context": {"diagnostics": [diagnostic] if diagnostic else []},
        }
        if only:
            params["context"]["only"] = only
        return self.ask("textDocument/codeAction", params)

    def apply(self, action):
        """Do what an action says, as an editor does: all ranges are of the text before."""
        edit = action["edit"]
        documents = [
            (each["textDocument"]["uri"], each["textDocument"]["version"], each["edits"])
            for each in edit.get("documentChanges", [])
        ]
        documents += [(uri, None, edits) for uri, edits in edit.get("changes", {}).items()]
        for uri, version, edits in documents:
            opened = self.opened.get(uri)
            text = opened.text if opened else Path(unquote(uri[7:])).read_bytes().decode()
            assert version in (None, opened and opened.version)
            spans = [
                (*(self.index(text, each["range"][end]) for end in ("start", "end")), each)
                for each in edits
            ]
            for start, end, each in sorted(spans, key=lambda span: span[0], reverse=True):
                text = text[:start] + each["newText"] + text[end:]
            if opened:
                self._change(uri, text, [{"text": text}])
            else:
                Path(unquote(uri[7:])).write_bytes(text.encode())

    def hover(self, name, index):
        text = self.opened[self.uri(name)].text
        params = {"textDocument": {"uri": self.uri(name)}, "position": self.position(text, index)}
        return self.ask("textDocument/hover", params)

    def quit(self):
        """Say goodbye; returns the exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.gone()

    def gone(self):
        """Wait for the end of the process; returns the exit code."""
        code = self.process.wait(GUARD)
        self.reader.join(GUARD)
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(BrokenPipeError):
                stream.close()
        return code

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.gone()
