"""The client against a daemon that misbehaves: whatever it does, nothing passes that was not judged."""

import asyncio
import json
import os
import socket
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sallyport._http  # noqa: E402
from sallyport import AsyncGuardrails, Guardrails  # noqa: E402

FINDING = {"rule": "mass_deletion", "guard": "command", "decision": "block", "message": "Deletes all."}


def verdict(kind: str = "tool", decision: str = "pass", **more: Any) -> Dict[str, Any]:
    action = {"kind": kind, **({"arguments": {"a": 1}} if kind == "tool" else {"text": "as judged"})}
    said = {"decision": decision, "findings": [], "explanation": "So.", "action": action, "decisionId": "d-1"}
    return {**said, "approval": None, **more}


def answer(body: Any, status: int = 200) -> bytes:
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s" % (status, len(payload), payload)


class Fake:
    """Answers requests with the bytes that it is given, one after the other; the last one again and again."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.requests: List[Dict[str, Any]] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._over = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            request = self._read(connection)
            if request is None:
                return
            self.requests.append(request)
            said = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            try:
                if callable(said):
                    said(connection, self._over)
                else:
                    connection.sendall(said)
            except OSError:
                pass

    @staticmethod
    def _read(connection: socket.socket) -> Optional[Dict[str, Any]]:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return None
            data += piece
        head, body = data.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        headers = {key.lower(): value for key, value in (line.split(": ", 1) for line in lines[1:])}
        while len(body) < int(headers.get("content-length", 0)):
            body += connection.recv(65536)
        return {"line": lines[0], "headers": headers, "body": json.loads(body) if body else None}

    def close(self) -> None:
        self._over.set()
        self._socket.close()


def silence(_: socket.socket, over: threading.Event) -> None:
    over.wait(10)


def trickle(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n")
    while not over.wait(0.05):
        connection.sendall(b" ")


WRONG: Dict[str, Any] = {
    "closes at once": b"",
    "closes half way": answer(verdict())[:-20],
    "closes before its end": answer(verdict()).replace(b"Content-Length: ", b"Content-Length: 9"),
    "says nothing": silence,
    "says it slowly": trickle,
    "is no HTTP": b"hello\r\n\r\n",
    "refuses": answer({"error": "the credential is unknown or revoked", "name": "NotAuthenticated"}, 401),
    "fails": answer(verdict(), 500),
    "points elsewhere": b"HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    "answers no JSON": answer(b"{"),
    "answers no UTF-8": answer(b'{"decision":"\xff"}'),
    "answers a list": answer([verdict()]),
    "answers nothing": answer({}),
    "knows another decision": answer(verdict(decision="allow")),
    "has a decision of another type": answer(verdict(decision=["pass"])),  # type: ignore[arg-type]
    "has no findings": answer({key: value for key, value in verdict().items() if key != "findings"}),
    "has findings without rules": answer(verdict(findings=[{}])),
    "judged another kind": answer(verdict("shell")),
    "has no action": answer(verdict(action=None)),
    "has an approval of another form": answer(verdict(approval="yes")),
}


class ClientTest(unittest.TestCase):
    def serve(self, *answers: Any, timeout: float = 5.0, token: Optional[str] = "sp_x") -> Any:
        fake = Fake(*answers)
        self.addCleanup(fake.close)
        return fake, Guardrails(fake.url, token=token, timeout=timeout)

    def assert_blocked(self, guard: Guardrails) -> None:
        call = guard.tool.validate({"name": "Bash", "arguments": {"command": "ls"}})
        self.assertEqual((call.blocked, call.needs_approval, call.arguments, call.verdict), (True, False, {}, None))
        for check in (guard.input.check("hi"), guard.output.check("hi")):
            self.assertEqual((check.blocked, check.needs_approval, check.text), (True, False, ""))
            self.assertIsNone(check.verdict)
            self.assertRegex(str(check.to_user_error()), "^Blocked: ")
        stream = guard.output.stream()
        self.assertTrue(stream.blocked)
        self.assertEqual((stream.push("hi").emit, stream.finish().emit), ("", ""))
        end = stream.end()
        self.assertEqual((end.blocked, end.emit, end.verdict), (True, "", None))

    def test_blocks_whatever_a_daemon_does_wrong(self) -> None:
        for name, said in WRONG.items():
            with self.subTest(name):
                fake, guard = self.serve(said, timeout=0.3)
                self.assert_blocked(guard)
                self.assertGreaterEqual(len(fake.requests), 4)

    def test_blocks_where_there_is_no_daemon(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assert_blocked(Guardrails("http://127.0.0.1:1", token="sp_x"))
            self.assert_blocked(Guardrails(socket_path=f"{folder}/none.sock", token="sp_x"))
            self.assert_blocked(Guardrails(home=folder))

    def test_blocks_an_answer_that_is_too_large(self) -> None:
        _, guard = self.serve(answer(verdict()))
        with mock.patch.object(sallyport._http, "LARGEST_ANSWER", 50):
            self.assert_blocked(guard)

    def test_blocks_what_cannot_be_sent(self) -> None:
        fake, guard = self.serve(answer(verdict()))
        loop: List[Any] = []
        loop.append(loop)
        for arguments in ({"a": float("nan")}, {"a": object()}, {"a": loop}, '{"a":1,"a":2}', "[1]", "{", "1", [1]):
            with self.subTest(repr(arguments)[:40]):
                self.assertTrue(guard.tool.validate({"name": "x", "arguments": arguments}).blocked)
        for call in (None, "Bash", 7):
            self.assertTrue(guard.tool.validate(call).blocked)  # type: ignore[arg-type]
        for context in ({"userId": "ann"}, {"tenantId": "acme"}, {"workspace": None}, {"sesion": "a"}):
            self.assertTrue(guard.output.check("hi", context).blocked)  # type: ignore[arg-type]
        self.assertEqual(fake.requests, [])
        for token in ("a\r\nb", "", "é"):
            self.assert_blocked(Guardrails(fake.url, token=token))
        self.assertEqual(fake.requests, [])

    def test_goes_to_this_machine_alone(self) -> None:
        for url in (
            "http://example.com:4719",
            "https://127.0.0.1:4719",
            "http://127.0.0.1",
            "http://user@127.0.0.1:1",
            "http://127.0.0.1:1/a",
            "http://127.0.0.1.example.com:1",
            "ftp://127.0.0.1:1",
        ):
            with self.subTest(url), self.assertRaises(ValueError):
                Guardrails(url, token="sp_x")
        with self.assertRaises(ValueError):
            Guardrails("http://127.0.0.1:1", socket_path="/x", token="sp_x")

    def test_gives_what_was_judged(self) -> None:
        for decision, blocked, waits in (
            ("pass", False, False),
            ("redact", False, False),
            ("approve", False, True),
            ("block", True, False),
        ):
            with self.subTest(decision):
                notice = {"id": "7", "expiresAt": "2026", "how": "sallyport approve 7"} if waits else None
                more = {"decision": decision, "approval": notice}
                _, guard = self.serve(
                    *(answer(verdict(kind, **more)) for kind in ("tool", "prompt", "response")),
                )
                call = guard.tool.validate({"name": "x"})
                self.assertEqual((call.blocked, call.needs_approval, call.arguments), (blocked, waits, {"a": 1}))
                for check in (guard.input.check("hi"), guard.output.check("hi")):
                    goes = not blocked and not waits
                    self.assertEqual((check.blocked, check.needs_approval), (blocked, waits))
                    self.assertEqual(check.text, "as judged" if goes else "")
                    self.assertEqual(check.to_user_error().hint, "sallyport approve 7" if waits else None)

    def test_names_the_rule_that_decided(self) -> None:
        warning = {**FINDING, "rule": "other", "decision": "warn"}
        _, guard = self.serve(answer(verdict(decision="block", findings=[warning, FINDING])))
        error = guard.tool.validate({"name": "x"}).to_user_error()
        self.assertEqual((error.rule, str(error)), ("mass_deletion", "So."))

    def test_says_what_the_daemon_says(self) -> None:
        _, guard = self.serve(answer({"error": "no such folder", "name": "InputError", "hint": "make it"}, 400))
        error = guard.output.check("hi").to_user_error()
        self.assertEqual((str(error), error.hint), ("Blocked: no such folder (status 400).", "make it"))

    def test_asks_in_the_words_of_the_wire(self) -> None:
        fake, guard = self.serve(answer(verdict()))
        context = {"sessionId": "s", "agent": "claude", "workspace": "sub", "permissionMode": "yolo"}
        guard.tool.validate(
            {"toolName": "send", "server": "mail", "input": '{"to": "a"}', "justification": "asked"},
            context,  # type: ignore[arg-type]
        )
        guard.tool.validate({"name": "x"}, {"permissionMode": "anything"})
        guard.input.check(content_base64="aGk=", origin="file", name="a.txt")
        first, second, third = (request["body"] for request in fake.requests)
        self.assertEqual(
            first,
            {
                "kind": "tool",
                "tool": "send",
                "server": "mail",
                "arguments": {"to": "a"},
                "justification": "asked",
                "context": {"session": "s", "agent": "claude", "workspace": os.path.abspath("sub"), "mode": "auto"},
            },
        )
        self.assertEqual(second["context"], {"workspace": os.getcwd(), "mode": "default"})
        self.assertEqual(
            third,
            {
                "kind": "prompt",
                "contentBase64": "aGk=",
                "origin": "file",
                "name": "a.txt",
                "context": {"workspace": os.getcwd()},
            },
        )
        self.assertEqual(fake.requests[0]["line"], "POST /v1/decide HTTP/1.1")
        self.assertEqual(fake.requests[0]["headers"]["authorization"], "Bearer sp_x")
        self.assertEqual(f"http://{fake.requests[0]['headers']['host']}", fake.url)

    def test_reads_the_credential_of_the_home(self) -> None:
        fake, _ = self.serve(answer(verdict("response")))
        with tempfile.TemporaryDirectory() as home:
            os.mkdir(f"{home}/keys")
            Path(f"{home}/keys/decide.token").write_text("sp_home\n")
            self.assertFalse(Guardrails(fake.url, home=home).output.check("hi").blocked)
            with mock.patch.dict(os.environ, {"SALLYPORT_HOME": home}):
                self.assertFalse(Guardrails(fake.url).output.check("hi").blocked)
        self.assertEqual({request["headers"]["authorization"] for request in fake.requests}, {"Bearer sp_home"})

    def test_speaks_to_a_socket(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/s"
            listening = socket.socket(socket.AF_UNIX)
            self.addCleanup(listening.close)
            listening.bind(path)
            listening.listen()

            def once() -> None:
                connection, _ = listening.accept()
                with connection:
                    Fake._read(connection)
                    connection.sendall(answer(verdict("response")))

            threading.Thread(target=once, daemon=True).start()
            self.assertEqual(Guardrails(socket_path=path, token="sp_x").output.check("hi").text, "as judged")

    OPENED = answer({"id": "s-1", "blocked": False})
    ENDED = answer({"emit": "rest", "verdict": verdict("response", decision="pass")})

    @staticmethod
    def piece(emit: str, blocked: bool = False) -> bytes:
        return answer({"emit": emit, "findings": [FINDING] if blocked else [], "blocked": blocked})

    def test_shows_a_stream_as_it_is_judged(self) -> None:
        fake, guard = self.serve(self.OPENED, self.piece("a"), self.piece("b"), self.ENDED)
        stream = guard.output.stream()
        self.assertEqual((stream.decision_id, stream.blocked), ("s-1", False))
        shown = stream.push("ab").emit + stream.finish("x").emit
        end = stream.end()
        self.assertEqual((shown, end.emit, end.blocked), ("ab", "rest", False))
        self.assertEqual(
            [(request["line"].split()[1], request["body"]) for request in fake.requests[1:]],
            [
                ("/v1/streams/s-1/push", {"piece": "ab", "channel": ""}),
                ("/v1/streams/s-1/finish", {"channel": "x"}),
                ("/v1/streams/s-1/end", {}),
            ],
        )
        self.assertEqual((stream.push("more").emit, stream.end().blocked, stream.blocked), ("", True, True))
        self.assertEqual(len(fake.requests), 4)

    def test_shows_nothing_of_a_stream_that_was_blocked_once(self) -> None:
        liar = self.piece("leak")
        for first in (self.piece("leak", blocked=True), answer({"emit": "leak"}), b"", answer({}, 404)):
            with self.subTest(first[-40:]):
                _, guard = self.serve(self.OPENED, first, liar, self.ENDED)
                stream = guard.output.stream()
                self.assertEqual([stream.push("a").emit, stream.blocked, stream.push("b").emit], ["", True, ""])
                end = stream.end()
                self.assertEqual((end.emit, end.blocked), ("", True))

    def test_shows_no_rest_of_a_stream_that_ends_blocked(self) -> None:
        for decision in ("block", "approve", "allow"):
            ended = answer({"emit": "leak", "verdict": verdict("response", decision=decision)})
            _, guard = self.serve(self.OPENED, ended)
            end = guard.output.stream().end()
            self.assertEqual((end.emit, end.blocked), ("", True), decision)

    def test_stops_a_stream(self) -> None:
        fake, guard = self.serve(self.OPENED, b"")
        stream = guard.output.stream()
        stream.stop("not readable")
        self.assertEqual((stream.blocked, stream.push("a").emit), (True, ""))
        self.assertEqual(fake.requests[1]["body"], {"why": "not readable"})

    def test_takes_no_id_that_leads_elsewhere(self) -> None:
        for stream_id in ("../decide", "a/b", "", 7, "a?b", "é"):
            _, guard = self.serve(answer({"id": stream_id, "blocked": False}))
            self.assertTrue(guard.output.stream().blocked)

    def test_is_the_same_in_asyncio(self) -> None:
        fake = Fake(
            *(answer(verdict(kind)) for kind in ("tool", "prompt", "response")),
            *(self.OPENED, self.piece("a"), self.piece("b"), self.piece("", True), self.ENDED),
        )
        self.addCleanup(fake.close)

        async def all_of_it() -> List[Any]:
            guard = AsyncGuardrails(fake.url, token="sp_x")
            call = await guard.tool.validate({"name": "x"})
            texts = [await guard.input.check("hi"), await guard.output.check("hi")]
            stream = await guard.output.stream()
            shown = (await stream.push("a")).emit + (await stream.finish()).emit
            await stream.stop("enough")
            end = await stream.end()
            return [call.arguments, [one.text for one in texts], stream.decision_id, shown, stream.blocked, end.emit]

        self.assertEqual(asyncio.run(all_of_it()), [{"a": 1}, ["as judged"] * 2, "s-1", "ab", True, ""])


if __name__ == "__main__":
    unittest.main()
