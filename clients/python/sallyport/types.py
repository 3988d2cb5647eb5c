# Made by "npm run contract" from the OpenAPI document; do not edit.
"""What goes over the wire."""

from typing import Any, Dict, List, Literal, Optional, Tuple, TypedDict, Union

class _Error(TypedDict):
    error: str
    name: str


class Error(_Error, total=False):
    hint: str


Mode = Literal["default", "acceptEdits", "plan", "auto"]

MODES: Tuple[Mode, ...] = ("default", "acceptEdits", "plan", "auto")

HOST_MODES: Dict[str, Mode] = {
    "default": "default",
    "acceptEdits": "acceptEdits",
    "plan": "plan",
    "auto": "auto",
    "autoEdit": "acceptEdits",
    "auto_edit": "acceptEdits",
    "bypassPermissions": "auto",
    "dontAsk": "auto",
    "yolo": "auto",
    "YOLO": "auto",
    "full-auto": "auto",
}


class Context(TypedDict, total=False):
    session: str
    agent: str
    workspace: str
    mode: Mode


class _PromptAction(TypedDict):
    kind: Literal["prompt"]


class PromptAction(_PromptAction, total=False):
    id: Union[str, int]
    context: Context
    text: str
    contentBase64: str
    origin: Literal["user", "tool", "file", "image", "agent"]
    name: str
    justification: str


class _ResponseAction(TypedDict):
    kind: Literal["response"]
    text: str


class ResponseAction(_ResponseAction, total=False):
    id: Union[str, int]
    context: Context
    justification: str


class _ToolAction(TypedDict):
    kind: Literal["tool"]
    tool: str


class ToolAction(_ToolAction, total=False):
    id: Union[str, int]
    context: Context
    server: str
    arguments: Dict[str, Any]
    justification: str


class _ShellAction(TypedDict):
    kind: Literal["shell"]
    command: str


class ShellAction(_ShellAction, total=False):
    id: Union[str, int]
    context: Context
    cwd: str
    sandbox: Literal["none"]
    undo: Literal["none"]
    justification: str


class _PythonAction(TypedDict):
    kind: Literal["python"]
    source: str


class PythonAction(_PythonAction, total=False):
    id: Union[str, int]
    context: Context
    cwd: str
    sandbox: Literal["none"]
    undo: Literal["none"]
    justification: str


class _CodeAction(TypedDict):
    kind: Literal["code"]
    source: str


class CodeAction(_CodeAction, total=False):
    id: Union[str, int]
    context: Context
    language: Literal["js", "ts"]
    tools: List[str]
    justification: str


class _QueryAction(TypedDict):
    kind: Literal["query"]
    target: str
    language: Literal["graphql", "sql", "rest"]
    text: str


class QueryAction(_QueryAction, total=False):
    id: Union[str, int]
    context: Context
    variables: Dict[str, Any]
    justification: str


class _ReadAction(TypedDict):
    kind: Literal["read"]
    path: str


class ReadAction(_ReadAction, total=False):
    id: Union[str, int]
    context: Context
    justification: str


class WriteActionChangesEdits(TypedDict):
    old: str
    new: str


class _WriteActionChanges(TypedDict):
    op: Literal["create", "edit", "delete", "rename"]
    path: str


class WriteActionChanges(_WriteActionChanges, total=False):
    to: str
    content: str
    contentBase64: str
    executable: bool
    edits: List[WriteActionChangesEdits]


class _WriteAction(TypedDict):
    kind: Literal["write"]


class WriteAction(_WriteAction, total=False):
    id: Union[str, int]
    context: Context
    path: str
    content: str
    contentBase64: str
    changes: List[WriteActionChanges]
    justification: str


class _FetchAction(TypedDict):
    kind: Literal["fetch"]
    url: str


class FetchAction(_FetchAction, total=False):
    id: Union[str, int]
    context: Context
    method: str
    headers: Dict[str, str]
    body: str
    justification: str


Action = Union[PromptAction, ResponseAction, ToolAction, ShellAction, PythonAction, CodeAction, QueryAction, ReadAction, WriteAction, FetchAction]


Decision = Literal["pass", "redact", "approve", "block"]

DECISIONS: Tuple[Decision, ...] = ("pass", "redact", "approve", "block")


Weight = Literal["pass", "redact", "approve", "block", "warn"]

WEIGHTS: Tuple[Weight, ...] = ("pass", "redact", "approve", "block", "warn")


class _Finding(TypedDict):
    rule: str
    guard: Literal["prompt", "response", "tool", "command", "code", "query", "write", "symbols", "egress", "fetch", "policy", "path"]
    decision: Weight
    message: str


class Finding(_Finding, total=False):
    contract: str
    layer: Literal[1, 2, 3]
    pointer: str
    span: List[int]
    suggestion: str
    confidence: float
    grant: str
    shows: str


class ApprovalNotice(TypedDict):
    id: str
    expiresAt: str
    how: str


class Unchecked(TypedDict):
    path: str
    why: Literal["index", "parser", "language", "content", "aside", "command", "unknown"]


class _Verdict(TypedDict):
    decision: Decision
    findings: List[Finding]
    explanation: str
    action: Dict[str, Any]
    decisionId: str
    approval: Optional[ApprovalNotice]


class Verdict(_Verdict, total=False):
    id: Union[str, int]
    unchecked: List[Unchecked]


class FullContext(TypedDict):
    user: str
    tenant: str
    agent: str
    session: str
    workspace: str
    mode: Mode


class Question(TypedDict):
    action: Dict[str, Any]
    context: FullContext
    findings: List[Finding]


class Approval(TypedDict):
    id: str
    user: str
    tenant: str
    agent: str
    decisionId: str
    state: Literal["pending", "approved", "denied", "used", "expired"]
    createdAt: str
    expiresAt: str
    answeredBy: Optional[str]
    question: Optional[Question]
    text: Optional[str]
    reaches: List[Literal["session", "project", "always"]]
    group: Optional[str]


class Permission(TypedDict):
    id: str
    effect: str
    says: str
    user: str
    tenant: str
    agent: str
    workspace: str
    covers: Literal["effect", "pattern", "rule", "everything"]
    session: Optional[str]
    uses: Optional[int]
    createdAt: int
    expiresAt: int


class StreamOpening(TypedDict, total=False):
    kind: Literal["prompt", "response"]
    context: Context


class StreamOpened(TypedDict):
    id: str
    blocked: bool


class _StreamPush(TypedDict):
    piece: str


class StreamPush(_StreamPush, total=False):
    channel: str


class StreamPiece(TypedDict):
    emit: str
    findings: List[Finding]
    blocked: bool


class StreamFinish(TypedDict, total=False):
    channel: str


class StreamStop(TypedDict):
    why: str


class StreamClosing(TypedDict):
    pass


class StreamEnd(TypedDict):
    emit: str
    verdict: Verdict


class ChangeSummaryFilesGuards(TypedDict):
    write: Literal["pass", "unchecked", "warn", "fail"]
    hallucination: Literal["pass", "unchecked", "warn", "fail"]
    egress: Literal["pass", "unchecked", "warn", "fail"]


class ChangeSummaryFiles(TypedDict):
    path: str
    to: Optional[str]
    op: Literal["create", "edit", "delete", "rename"]
    guards: ChangeSummaryFilesGuards


class ChangeSummary(TypedDict):
    id: str
    user: str
    tenant: str
    agent: str
    workspace: str
    run: str
    decisionId: str
    state: Literal["staged", "applied", "rejected", "expired"]
    createdAt: str
    expiresAt: str
    receipt: Optional[str]
    hunks: int
    undecided: int
    files: List[ChangeSummaryFiles]


class _ChangeFindings(TypedDict):
    rule: str
    guard: str
    decision: str
    message: str


class ChangeFindings(_ChangeFindings, total=False):
    path: str


class _ChangeMissingReferences(TypedDict):
    path: str
    name: str
    line: int


class ChangeMissingReferences(_ChangeMissingReferences, total=False):
    near: List[str]


class ChangeCost(TypedDict):
    usd: float
    tokens_in: int
    tokens_out: int


class ChangeFilesGuards(TypedDict):
    write: Literal["pass", "unchecked", "warn", "fail"]
    hallucination: Literal["pass", "unchecked", "warn", "fail"]
    egress: Literal["pass", "unchecked", "warn", "fail"]


class ChangeFilesHunks(TypedDict):
    number: int
    kind: Literal["lines", "create", "delete", "rename", "mode"]
    decision: Optional[Literal["accept", "reject"]]
    diff: str


class ChangeFiles(TypedDict):
    path: str
    to: Optional[str]
    op: Literal["create", "edit", "delete", "rename"]
    guards: ChangeFilesGuards
    before_hash: Optional[str]
    mode: Optional[str]
    hunks: List[ChangeFilesHunks]
    redactions: Dict[str, int]


class ChangeResultFiles(TypedDict):
    path: str
    before_hash: Optional[str]
    after_hash: Optional[str]


class ChangeResult(TypedDict):
    hash: Optional[str]
    files: List[ChangeResultFiles]
    stale: List[str]


class Change(TypedDict):
    id: str
    user: str
    tenant: str
    agent: str
    workspace: str
    run: str
    decisionId: str
    state: Literal["staged", "applied", "rejected", "expired"]
    createdAt: str
    expiresAt: str
    receipt: Optional[str]
    hunks: int
    undecided: int
    reason: str
    findings: List[ChangeFindings]
    suggest: bool
    missing_references: List[ChangeMissingReferences]
    cost: ChangeCost
    models: List[str]
    justification: Optional[str]
    files: List[ChangeFiles]
    result: ChangeResult
    redactions: Dict[str, int]


class _ChangeOutlineFindings(TypedDict):
    rule: str
    guard: str
    decision: str
    message: str


class ChangeOutlineFindings(_ChangeOutlineFindings, total=False):
    path: str


class _ChangeOutlineMissingReferences(TypedDict):
    path: str
    name: str
    line: int


class ChangeOutlineMissingReferences(_ChangeOutlineMissingReferences, total=False):
    near: List[str]


class ChangeOutlineFilesGuards(TypedDict):
    write: Literal["pass", "unchecked", "warn", "fail"]
    hallucination: Literal["pass", "unchecked", "warn", "fail"]
    egress: Literal["pass", "unchecked", "warn", "fail"]


class ChangeOutlineFilesHunks(TypedDict):
    number: int
    kind: Literal["lines", "create", "delete", "rename", "mode"]
    decision: Optional[Literal["accept", "reject"]]


class ChangeOutlineFiles(TypedDict):
    path: str
    to: Optional[str]
    op: Literal["create", "edit", "delete", "rename"]
    guards: ChangeOutlineFilesGuards
    hunks: List[ChangeOutlineFilesHunks]


class ChangeOutline(TypedDict):
    id: str
    user: str
    tenant: str
    agent: str
    workspace: str
    run: str
    decisionId: str
    state: Literal["staged", "applied", "rejected", "expired"]
    createdAt: str
    expiresAt: str
    receipt: Optional[str]
    hunks: int
    undecided: int
    reason: str
    findings: List[ChangeOutlineFindings]
    suggest: bool
    missing_references: List[ChangeOutlineMissingReferences]
    files: List[ChangeOutlineFiles]


class ReceiptFiles(TypedDict):
    path: str
    before_hash: Optional[str]
    after_hash: Optional[str]


class ReceiptDiffs(TypedDict):
    path: str
    hunks: List[str]


class ReceiptMissingReferences(TypedDict):
    path: str
    name: str
    line: int


class ReceiptGuards(TypedDict):
    write: Literal["pass", "unchecked", "warn", "fail"]
    hallucination: Literal["pass", "unchecked", "warn", "fail"]
    egress: Literal["pass", "unchecked", "warn", "fail"]


class ReceiptCost(TypedDict):
    usd: float
    tokens_in: int
    tokens_out: int


class Receipt(TypedDict):
    receipt_id: str
    user_id: str
    workspace_id: str
    run_id: str
    prev_receipt_hash: str
    self_hash: str
    timestamp: str
    action: Literal["apply", "rollback", "reject"]
    applied: bool
    files: List[ReceiptFiles]
    diffs: List[ReceiptDiffs]
    snapshot_id: Optional[str]
    symbols_checked: int
    missing_references: List[ReceiptMissingReferences]
    redactions: Dict[str, int]
    guards: ReceiptGuards
    cost: ReceiptCost
    models: List[str]


class Policy(TypedDict):
    id: str
    text: str
    version: str
    updatedAt: str
    updatedBy: Optional[str]


class _Entry(TypedDict):
    place: int
    seq: int
    time: int
    event_type: Literal["decision", "stream_opened", "stream_closed", "guard_error", "guard_unhooked", "protected_change", "call_unreported", "output_redacted", "answer_redacted", "host_prompt_allowed", "response_rejected", "cross_tenant", "jailbreak_attempt", "approval_requested", "approval_answered", "approval_used", "token_refused", "change_staged", "change_decided", "run_paused", "run_resumed", "grant_made", "grant_revoked", "permission_used", "policy_changed", "credential_made", "credential_revoked", "server_login", "server_logout", "file_trusted", "file_untrusted", "passphrase_accepted", "passphrase_refused", "session_opened", "passphrase_chosen", "passphrase_changed", "users_changed", "approver_added", "approver_ended", "approver_reset_requested", "approver_reset_vetoed", "host_connected", "host_disconnected", "login", "login_failed", "logout", "daemon_started", "daemon_stopped", "heads_seen", "key_rotated", "erased", "receipt", "chain_restarted"]
    chain: str
    hash: str
    user: str
    tenant: str
    agent: str
    details: Dict[str, Any]


class Entry(_Entry, total=False):
    decision_id: str
    decision: str


class ApproverKey(TypedDict):
    key: str
    name: str
    role: str
    home: str
    kind: Literal["owner", "user", "recovery", "passkey"]
    tenant: Optional[str]
    credential: Optional[str]
    since: int
    vouchedBy: Optional[str]
    origin: Literal["first", "vouched for", "reset", "proposed"]
    state: Literal["counts", "waits", "ended", "not vouched for"]
    countsFrom: Optional[int]
    endedAt: Optional[int]
