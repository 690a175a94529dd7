"""Files of web servers, read by the standard library, and of object stores, read by fsspec.

A redirect is followed to the same host, and to hosts that an option allows; never to a private
address behind the name of an allowed host, and never from https to http. Messages name neither
users, passwords nor queries. fsspec itself checks no redirect, so it reads stores only.
"""

from __future__ import annotations

import base64
import http.client
import ipaddress
import logging
import os
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, Any, BinaryIO
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from inertial_check import __version__
from inertial_check.errors import UsageError
from inertial_check.running.remote.addresses import Address, Budget, RefusedError, hide_secrets

_PIECE = 1 << 16
"""Size of the pieces in which a file is read [bytes]."""

_SILENCE = 30.0
"""Longest time without a byte from a server [s]."""


class MissingError(Exception):
    """There is no such file on the server."""


def download(url: str, target: BinaryIO, budget: Budget, allowed: Collection[str] = ()) -> None:
    """Write a file of a web server to a stream.

    Args:
        url: Its URL.
        target: The stream.
        budget: What may be fetched.
        allowed: Names of further hosts to which a redirect may lead.

    Raises:
        MissingError: There is no such file.
        RefusedError: It is too large, takes too long, leads elsewhere, or cannot be fetched.
    """
    parts = urlsplit(url)
    sockets: list[socket.socket] = []
    opener = _build_opener(_Redirects(parts, allowed), sockets)
    headers = {"User-Agent": f"inertial-check/{__version__}", "Accept-Encoding": "identity"}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
    request = urllib.request.Request(
        urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="")),
        headers=headers,
    )
    timer = threading.Timer(budget.seconds, _shut_down, [sockets])
    timer.daemon = True
    timer.start()
    try:
        with opener.open(request, timeout=min(_SILENCE, budget.seconds)) as response:
            length = response.headers.get("Content-Length", "")
            if length.isdecimal():
                budget.expect_size(int(length), parts.path)
            budget.copy(partial(response.read1, _PIECE), target, parts.path)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (404, 410):
            raise MissingError from None
        raise RefusedError(f"the server answers {error.code}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        _ = budget.seconds  # the timer may have ended it
        reason = getattr(error, "reason", error)
        if isinstance(reason, RefusedError):
            raise reason from None
        # The text of an error could repeat the URL with what it hides.
        told = getattr(reason, "strerror", None)
        kind = str(told).lower() if told else type(reason).__name__
        raise RefusedError(f"it cannot be fetched: {kind}") from None
    finally:
        timer.cancel()


def _shut_down(sockets: list[socket.socket]) -> None:
    """End connections whose time is over, whatever they wait for."""
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to the host that was named, and to allowed ones."""

    max_redirections = 5

    def __init__(self, named: SplitResult, allowed: Collection[str]) -> None:
        self._named, self._allowed = named, frozenset(each.lower() for each in allowed)

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Refuse a redirect that leads elsewhere.

        Raises:
            RefusedError: It does; names the host.
        """
        target = urlsplit(newurl)
        if target.scheme not in ("http", "https") or target.scheme < self._named.scheme:
            raise RefusedError(f"it is redirected to {target.scheme}, and that is not followed")
        origin, named = _find_origin(target), _find_origin(self._named)
        secured = origin[0] == named[0] and (named[1], origin[1]) == (80, 443)
        same = origin == named or secured
        if not same:
            self._check_host(target, hide_secrets(newurl))
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is not None and not same:
            request.remove_header("Authorization")
        return request

    def _check_host(self, target: SplitResult, shown: str) -> None:
        host = (target.hostname or "").lower()
        if host not in self._allowed:
            raise RefusedError(
                f"it is redirected to {shown}, another host: --allow-host {host} follows that"
            )
        try:
            ipaddress.ip_address(host)
            return  # whoever allows an address by its number means it
        except ValueError:
            pass
        found = socket.getaddrinfo(host, None)
        for each in {entry[4][0] for entry in found}:
            if not ipaddress.ip_address(str(each).partition("%")[0]).is_global:
                raise RefusedError(
                    f"it is redirected to {host}, which is the private address {each}: "
                    f"--allow-host {each} follows redirects to that"
                )


def _find_origin(parts: SplitResult) -> tuple[str, int]:
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return (parts.hostname or "").lower(), port


def _build_opener(
    redirects: _Redirects, sockets: list[socket.socket]
) -> urllib.request.OpenerDirector:
    """An opener for http and https alone, which notes its sockets."""

    class PlainConnection(http.client.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class SecureConnection(PlainConnection, http.client.HTTPSConnection):
        pass

    class Handler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(PlainConnection, req)

        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(SecureConnection, req)

    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        Handler(),
        redirects,
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


_STORE_PIECE = 1 << 20
"""Size of the pieces in which a file is read [bytes]."""


_LOGGERS = ("fsspec", "gcsfs", "s3fs", "adlfs")
"""Names of the loggers of libraries that read stores."""


class Store:
    """The store of an address.

    Args:
        address: The address.

    Attributes:
        path: Path of the address in the store.

    Raises:
        UsageError: fsspec, or the library that it needs for this store, is not installed.
    """

    def __init__(self, address: Address) -> None:
        try:
            from fsspec.core import url_to_fs

            with _report(address.base):
                self._files, self.path = url_to_fs(address.base)
        except ImportError as error:
            need = str(error) if "fsspec" not in str(error.name) else "fsspec is not installed"
            raise UsageError(
                f'{address.shown}: needs fsspec: pip install "inertial-check[cluster]", and the '
                f"library for {address.scheme}: {need}"
            ) from None
        self._base = address.base
        for logger in map(logging.getLogger, _LOGGERS):
            if not logger.handlers:  # then Python would print what they log, with tracebacks
                logger.addHandler(logging.NullHandler())

    def is_folder(self) -> bool:
        """Whether the address is a folder, or the beginning of the names of several files."""
        with _report(self._base):
            return bool(self._files.isdir(self.path))

    def list_files(self, budget: Budget) -> dict[str, int]:
        """The sizes of the files below the address, by their paths from there.

        Raises:
            RefusedError: They are too many.
        """
        found: dict[str, int] = {}
        with _report(self._base):
            for folder, _, files in self._files.walk(self.path, detail=True):
                for name, details in files.items():
                    budget.count_member()
                    _ = budget.seconds
                    inside = folder[len(self.path) :].strip("/")
                    found[f"{inside}/{name}".lstrip("/")] = int(details.get("size") or 0)
        return found

    def download(self, path: str, target: BinaryIO, budget: Budget) -> None:
        """Write a file of the store to a stream.

        Raises:
            MissingError: There is no such file.
            RefusedError: It is too large, or cannot be read.
        """
        with _report(self._base):
            try:
                budget.expect_size(int(self._files.size(path) or 0), path)
                stream: Any = self._files.open(path, "rb")
            except (FileNotFoundError, IsADirectoryError):
                raise MissingError from None
            with stream:
                budget.copy(partial(stream.read, _STORE_PIECE), target, path)


@contextmanager
def _report(base: str) -> Iterator[None]:
    """Turn what a library of a store raises into an error without its text, which may hold keys."""
    try:
        yield
    except (RefusedError, MissingError, ImportError, UsageError):
        raise
    except Exception as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
        kind = f"{type(error).__name__}{f', {reason}' if reason else ''}"
        raise RefusedError(f"{hide_secrets(base)} cannot be read: {kind}") from None
