"""The guardrails of Sallyport, asked over the daemon's HTTP API.

    guard = Guardrails()
    call = guard.tool.validate(tool_call={"name": "Bash", "arguments": {"command": "rm -rf /"}})
    if call.blocked or call.needs_approval:
        raise call.to_user_error()
    run(call.arguments)

Whatever cannot be judged is blocked: no daemon, a late answer, one that cannot be read.
"""

from ._aio import AsyncDecisionStream, AsyncGuardrails
from ._client import (
    CallContext,
    DecisionStream,
    Guardrails,
    GuardrailError,
    StreamEnd,
    StreamPiece,
    TextCheck,
    ToolCall,
    Validation,
)
from .types import ApprovalNotice, Decision, Finding, Verdict

__all__ = [
    "ApprovalNotice",
    "AsyncDecisionStream",
    "AsyncGuardrails",
    "CallContext",
    "Decision",
    "DecisionStream",
    "Finding",
    "GuardrailError",
    "Guardrails",
    "StreamEnd",
    "StreamPiece",
    "TextCheck",
    "ToolCall",
    "Validation",
    "Verdict",
]
