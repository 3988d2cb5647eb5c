"""One JSON request to the daemon, over TCP to this machine or over its Unix socket."""

import http.client
import json
import os
import socket
import time
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import urlsplit

LARGEST_ANSWER = 64 * 1024 * 1024


class Refused(Exception):
    """There is no verdict. The message may be shown."""

    def __init__(self, message: str, hint: Optional[str] = None) -> None:
        super().__init__(message)
        self.hint = hint


class Daemon:
    """Where a daemon listens, and the credential that it knows the caller by."""

    def __init__(
        self,
        url: Optional[str] = None,
        socket_path: Optional[str] = None,
        token: Optional[str] = None,
        home: Optional[str] = None,
        timeout: float = 30.0,
    ) -> None:
        if url is not None and socket_path is not None:
            raise ValueError("a daemon is named by url or by socket_path, not by both")
        place = home or os.environ.get("SALLYPORT_HOME") or os.path.expanduser("~/.sallyport")
        self._address = None if url is None else _loopback(url)
        self._socket = socket_path or os.path.join(place, "run", "sallyport.sock")
        self._token = token
        self._token_file = os.path.join(place, "keys", "decide.token")
        self._timeout = timeout

    def post(self, path: str, body: Dict[str, Any]) -> Dict[str, Any]:
        """What the daemon answers; raises `Refused` for anything but an object with the status 200."""
        return self._call("POST", path, _encode(body))

    def get(self, path: str) -> Dict[str, Any]:
        return self._call("GET", path, None)

    def _call(self, method: str, path: str, body: Optional[bytes]) -> Dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._credential()}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection = self._connect()
        try:
            status, answer = self._exchange(connection, method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            raise Refused("the daemon cannot be reached", "see 'sallyport status'") from error
        finally:
            connection.close()
        return _object(status, answer)

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Dict[str, str],
    ) -> Tuple[int, bytes]:
        deadline = time.monotonic() + self._timeout
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        pieces: List[bytes] = []
        length = 0
        while True:
            # The timeout of a socket is that of one read, and an answer may trickle in.
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("the answer is late")
            if connection.sock is not None:
                connection.sock.settimeout(left)
            piece = answer.read1(65536)
            if not piece:
                break
            length += len(piece)
            if length > LARGEST_ANSWER:
                raise Refused("the answer of the daemon is too large")
            pieces.append(piece)
        if answer.length:
            raise http.client.IncompleteRead(b"".join(pieces), answer.length)
        return answer.status, b"".join(pieces)

    def _connect(self) -> http.client.HTTPConnection:
        if self._address is None:
            return _UnixConnection(self._socket, self._timeout)
        return http.client.HTTPConnection(*self._address, timeout=self._timeout)

    def _credential(self) -> str:
        token = self._token
        if token is None:
            try:
                with open(self._token_file, encoding="ascii") as file:
                    token = file.read().strip()
            except (OSError, ValueError) as error:
                raise Refused("there is no credential", "pass a token, or run 'sallyport up' once") from error
        if not token.isascii() or not token.isprintable() or token == "":
            raise Refused("the credential cannot be sent")
        return token


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _loopback(url: str) -> Tuple[str, int]:
    """The daemon listens on this machine alone, and a credential must not go anywhere else."""
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost") or parts.path not in ("", "/"):
        raise ValueError("the url of a daemon is http://127.0.0.1:PORT or http://localhost:PORT")
    if parts.username is not None or parts.query or parts.fragment or parts.port is None:
        raise ValueError("the url of a daemon is http://127.0.0.1:PORT or http://localhost:PORT")
    return parts.hostname, parts.port


def _encode(body: Dict[str, Any]) -> bytes:
    try:
        return json.dumps(body, allow_nan=False, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("what is asked cannot be written as JSON") from error


def _object(status: int, answer: bytes) -> Dict[str, Any]:
    try:
        value = json.loads(answer.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Refused(f"the daemon answered with what is no JSON (status {status})") from error
    if not isinstance(value, dict):
        raise Refused(f"the daemon answered with what is no object (status {status})")
    if status != 200:
        said, hint = value.get("error"), value.get("hint")
        message = said if isinstance(said, str) else "no reason"
        raise Refused(f"{message} (status {status})", hint if isinstance(hint, str) else None)
    return value
