"""The guardrails: input, output and tool, each asking the daemon. INVARIANT: what could not be judged is blocked."""

import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, TypedDict, Union

from ._http import Daemon, Refused
from .types import DECISIONS, HOST_MODES, ApprovalNotice, Finding, Verdict


class CallContext(TypedDict, total=False):
    """Where a call comes from. Who asks is said by the credential alone."""

    sessionId: str
    agent: str
    workspace: str
    """The folder that the agent works in; default: the current one."""
    permissionMode: str
    """One of the four modes, or a host's word for one; any other word is `default`."""


class ToolCall(TypedDict, total=False):
    """A call that a model wants, in the words of any of the usual libraries."""

    name: str
    toolName: str
    server: str
    arguments: Union[Dict[str, Any], str]
    """An object, or the JSON text that the model wrote."""
    args: Union[Dict[str, Any], str]
    input: Union[Dict[str, Any], str]
    justification: str


class GuardrailError(Exception):
    """Something was stopped, or waits for approval."""

    def __init__(
        self,
        message: str,
        findings: Optional[List[Finding]] = None,
        approval: Optional[ApprovalNotice] = None,
        hint: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.findings: List[Finding] = findings or []
        self.approval = approval
        self.hint = hint

    @property
    def rule(self) -> Optional[str]:
        """The rule that decided."""
        strongest = "block" if self.approval is None else "approve"
        for finding in self.findings:
            if finding["decision"] == strongest:
                return finding["rule"]
        return self.findings[0]["rule"] if self.findings else None


@dataclass(frozen=True)
class _Judged:
    blocked: bool
    needs_approval: bool
    verdict: Optional[Verdict]
    """None where nothing could be judged."""
    _problem: Optional[Refused] = field(default=None, repr=False)

    def to_user_error(self) -> GuardrailError:
        """What to raise or to show: which rule, why, and what to do instead."""
        if self.verdict is None:
            problem = self._problem or Refused("the check failed, so the action is blocked")
            return GuardrailError(f"Blocked: {problem}.", hint=problem.hint)
        approval = self.verdict["approval"]
        hint = None if approval is None else approval["how"]
        return GuardrailError(self.verdict["explanation"], self.verdict["findings"], approval, hint)


@dataclass(frozen=True)
class TextCheck(_Judged):
    """What became of a text. It may go on only if it is neither blocked nor needs approval, and as it stands here."""

    text: str = ""


@dataclass(frozen=True)
class Validation(_Judged):
    """What became of a call. It may run only if it is neither blocked nor needs approval, and with these arguments."""

    arguments: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StreamPiece:
    """What became of a piece: what may be shown now, and what was found."""

    emit: str
    findings: List[Finding]


@dataclass(frozen=True)
class StreamEnd(_Judged):
    """The end of a stream: what may be shown of the rest, and the verdict on the whole."""

    emit: str = ""


class DecisionStream:
    """Texts of one answer that are judged while they flow, each in a channel of its own, under one record."""

    def __init__(self, daemon: Daemon, stream_id: Optional[str], blocked: bool, problem: Optional[Refused]) -> None:
        self._daemon = daemon
        self._id = stream_id
        self._problem = problem
        self._blocked = blocked
        self._ended = False

    @property
    def decision_id(self) -> str:
        """Empty where the stream could not be opened."""
        return self._id or ""

    @property
    def blocked(self) -> bool:
        """Something was found that stops the stream; nothing more is shown of any channel."""
        return self._blocked

    def push(self, piece: str, channel: str = "") -> StreamPiece:
        """Takes a piece and gives what may be shown now; after a block, always nothing."""
        return self._feed("push", {"piece": piece, "channel": channel})

    def finish(self, channel: str = "") -> StreamPiece:
        """The end of one channel: gives its rest."""
        return self._feed("finish", {"channel": channel})

    def stop(self, why: str) -> None:
        """Stops the stream: what comes cannot be read, or was found wanting elsewhere."""
        self._feed("stop", {"why": why})
        self._blocked = True

    def end(self) -> StreamEnd:
        """The end of everything, once: gives the rest of the unnamed channel and the verdict on the whole."""
        try:
            answer = self._post("end", {})
            verdict = _verdict(answer.get("verdict"), None)
            goes = verdict["decision"] in ("pass", "redact") and not self._blocked
            emit = _text(answer.get("emit"))
            self._blocked = self._blocked or not goes
            return StreamEnd(not goes, False, verdict, emit=emit if goes else "")
        except Exception as error:
            problem = _refused(error)
            self._blocked = True
            return StreamEnd(True, False, None, problem)
        finally:
            self._ended = True

    def _feed(self, what: str, body: Dict[str, Any]) -> StreamPiece:
        try:
            answer = self._post(what, body)
            findings, blocked = _findings(answer.get("findings")), answer.get("blocked")
            emit = _text(answer.get("emit"))
            if not isinstance(blocked, bool):
                raise Refused("the answer of the daemon is no piece of a stream")
            # INVARIANT: once blocked, a stream stays blocked, whatever an answer says.
            self._blocked = self._blocked or blocked
            return StreamPiece("" if self._blocked else emit, findings)
        except Exception as error:
            self._problem = _refused(error)
            self._blocked = True
            return StreamPiece("", [])

    def _post(self, what: str, body: Dict[str, Any]) -> Dict[str, Any]:
        if self._problem is not None:
            raise self._problem
        if self._ended:
            raise Refused("the stream has ended")
        return self._daemon.post(f"/v1/streams/{self._id}/{what}", body)


class _Input:
    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def check(
        self,
        text: Optional[str] = None,
        content_base64: Optional[str] = None,
        origin: Optional[str] = None,
        name: Optional[str] = None,
        context: Optional[CallContext] = None,
    ) -> TextCheck:
        """Judges a text or a file before a model reads it; never raises: what cannot be judged is blocked."""
        said = {"text": text, "contentBase64": content_base64, "origin": origin, "name": name}
        return _check(self._daemon, "prompt", {key: value for key, value in said.items() if value is not None}, context)


class _Output:
    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def check(self, text: str, context: Optional[CallContext] = None) -> TextCheck:
        """Judges a text that a model wrote; never raises: what cannot be judged is blocked."""
        return _check(self._daemon, "response", {"text": text}, context)

    def stream(self, context: Optional[CallContext] = None) -> DecisionStream:
        """Opens a guard for the texts of one answer while they flow; one that cannot be opened is blocked."""
        try:
            opened = self._daemon.post("/v1/streams", {"kind": "response", "context": _context(context)})
            stream_id, blocked = opened.get("id"), opened.get("blocked")
            if not isinstance(stream_id, str) or not _is_id(stream_id) or not isinstance(blocked, bool):
                raise Refused("the answer of the daemon is no stream")
            return DecisionStream(self._daemon, stream_id, blocked, None)
        except Exception as error:
            return DecisionStream(self._daemon, None, True, _refused(error))


class _Tool:
    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def validate(self, tool_call: Mapping[str, Any], context: Optional[CallContext] = None) -> Validation:
        """Judges one call; never raises: what cannot be judged is blocked."""
        try:
            verdict = _decide(self._daemon, "tool", _call(tool_call), context)
            blocked, waits = _outcome(verdict)
            arguments = verdict["action"].get("arguments", {})
            if not isinstance(arguments, dict):
                raise Refused("the answer of the daemon has no arguments")
            return Validation(blocked, waits, verdict, arguments=arguments)
        except Exception as error:
            return Validation(True, False, None, _refused(error))


class Guardrails:
    """The guardrails of a daemon: that of the user's own home, or one that is named by `url` or `socket_path`."""

    def __init__(
        self,
        url: Optional[str] = None,
        socket_path: Optional[str] = None,
        token: Optional[str] = None,
        home: Optional[str] = None,
        timeout: float = 30.0,
    ) -> None:
        daemon = Daemon(url, socket_path, token, home, timeout)
        self.input = _Input(daemon)
        self.output = _Output(daemon)
        self.tool = _Tool(daemon)


def _check(daemon: Daemon, kind: str, body: Dict[str, Any], context: Optional[CallContext]) -> TextCheck:
    try:
        verdict = _decide(daemon, kind, body, context)
        blocked, waits = _outcome(verdict)
        goes = not blocked and not waits
        # A file that passes has no text that could go on.
        text = _text(verdict["action"].get("text", "")) if goes else ""
        return TextCheck(blocked, waits, verdict, text=text)
    except Exception as error:
        return TextCheck(True, False, None, _refused(error))


def _decide(daemon: Daemon, kind: str, body: Dict[str, Any], context: Optional[CallContext]) -> Verdict:
    answer = daemon.post("/v1/decide", {"kind": kind, **body, "context": _context(context)})
    return _verdict(answer, kind)


def _outcome(verdict: Verdict) -> Tuple[bool, bool]:
    return verdict["decision"] == "block", verdict["decision"] == "approve"


def _verdict(value: Any, kind: Optional[str]) -> Verdict:
    """The verdict in an answer; a decision that is not known is none."""
    problem = Refused("the answer of the daemon is no verdict")
    if not isinstance(value, dict) or value.get("decision") not in DECISIONS:
        raise problem
    action, approval = value.get("action"), value.get("approval")
    if not isinstance(action, dict) or (kind is not None and action.get("kind") != kind):
        raise problem
    if not isinstance(value.get("explanation"), str) or not isinstance(value.get("decisionId"), str):
        raise problem
    if approval is not None and not (isinstance(approval, dict) and isinstance(approval.get("how"), str)):
        raise problem
    _findings(value.get("findings"))
    return value  # type: ignore[return-value]


def _findings(value: Any) -> List[Finding]:
    words = ("rule", "decision", "message")
    if isinstance(value, list) and all(
        isinstance(one, dict) and all(isinstance(one.get(word), str) for word in words) for one in value
    ):
        return value
    raise Refused("the answer of the daemon has no findings")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise Refused("the answer of the daemon has no text")


def _is_id(value: str) -> bool:
    return 0 < len(value) <= 100 and all(one.isalnum() or one == "-" for one in value) and value.isascii()


_CONTEXT = {"sessionId": "session", "agent": "agent", "workspace": "workspace", "permissionMode": "mode"}


def _context(said: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    context = {"workspace": os.getcwd()}
    for key, value in (said or {}).items():
        if key not in _CONTEXT:
            raise Refused(f"the context has no {key!r}", "user and tenant are those of the credential")
        context[_CONTEXT[key]] = HOST_MODES.get(value, "default") if key == "permissionMode" else value
    context["workspace"] = os.path.abspath(context["workspace"])
    return context


def _call(tool_call: Mapping[str, Any]) -> Dict[str, Any]:
    given = next((tool_call[key] for key in ("arguments", "args", "input") if tool_call.get(key) is not None), {})
    arguments = json.loads(given, object_pairs_hook=_without_doubles) if isinstance(given, str) else given
    if not isinstance(arguments, dict):
        raise Refused("the arguments of a call are a JSON object")
    call: Dict[str, Any] = {"tool": tool_call.get("name") or tool_call.get("toolName") or "", "arguments": arguments}
    for key in ("server", "justification"):
        if tool_call.get(key) is not None:
            call[key] = tool_call[key]
    return call


def _without_doubles(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    """Two readers take different ones of two members with one name."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Refused("the arguments of the call have a member twice")
    return members


def _refused(error: Exception) -> Refused:
    """The text of a foreign error may hold a payload, and is not shown."""
    if isinstance(error, Refused):
        return error
    return Refused("the check failed, so the action is blocked")
