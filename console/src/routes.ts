// Made by "npm run contract" from the OpenAPI document; do not edit.

interface Error {
  readonly error: string;
  readonly name: string;
  readonly hint?: string;
}

type Mode = 'default' | 'acceptEdits' | 'plan' | 'auto';

interface Context {
  readonly session?: string;
  readonly agent?: string;
  readonly workspace?: string;
  readonly mode?: Mode;
}

interface PromptAction {
  readonly kind: 'prompt';
  readonly id?: string | number;
  readonly context?: Context;
  readonly text?: string;
  readonly contentBase64?: string;
  readonly origin?: 'user' | 'tool' | 'file' | 'image' | 'agent';
  readonly name?: string;
  readonly justification?: string;
}

interface ResponseAction {
  readonly kind: 'response';
  readonly id?: string | number;
  readonly context?: Context;
  readonly text: string;
  readonly justification?: string;
}

interface ToolAction {
  readonly kind: 'tool';
  readonly id?: string | number;
  readonly context?: Context;
  readonly tool: string;
  readonly server?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly justification?: string;
}

interface ShellAction {
  readonly kind: 'shell';
  readonly id?: string | number;
  readonly context?: Context;
  readonly command: string;
  readonly cwd?: string;
  readonly sandbox?: 'none';
  readonly undo?: 'none';
  readonly justification?: string;
}

interface PythonAction {
  readonly kind: 'python';
  readonly id?: string | number;
  readonly context?: Context;
  readonly source: string;
  readonly cwd?: string;
  readonly sandbox?: 'none';
  readonly undo?: 'none';
  readonly justification?: string;
}

interface CodeAction {
  readonly kind: 'code';
  readonly id?: string | number;
  readonly context?: Context;
  readonly language?: 'js' | 'ts';
  readonly source: string;
  readonly tools?: readonly string[];
  readonly justification?: string;
}

interface QueryAction {
  readonly kind: 'query';
  readonly id?: string | number;
  readonly context?: Context;
  readonly target: string;
  readonly language: 'graphql' | 'sql' | 'rest';
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly justification?: string;
}

interface ReadAction {
  readonly kind: 'read';
  readonly id?: string | number;
  readonly context?: Context;
  readonly path: string;
  readonly justification?: string;
}

interface WriteAction {
  readonly kind: 'write';
  readonly id?: string | number;
  readonly context?: Context;
  readonly path?: string;
  readonly content?: string;
  readonly contentBase64?: string;
  readonly changes?: readonly {
    readonly op: 'create' | 'edit' | 'delete' | 'rename';
    readonly path: string;
    readonly to?: string;
    readonly content?: string;
    readonly contentBase64?: string;
    readonly executable?: boolean;
    readonly edits?: readonly {
      readonly old: string;
      readonly new: string;
    }[];
  }[];
  readonly justification?: string;
}

interface FetchAction {
  readonly kind: 'fetch';
  readonly id?: string | number;
  readonly context?: Context;
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly justification?: string;
}

type Action =
  | PromptAction
  | ResponseAction
  | ToolAction
  | ShellAction
  | PythonAction
  | CodeAction
  | QueryAction
  | ReadAction
  | WriteAction
  | FetchAction;

type Decision = 'pass' | 'redact' | 'approve' | 'block';

type Weight = 'pass' | 'redact' | 'approve' | 'block' | 'warn';

interface Finding {
  readonly rule: string;
  readonly guard:
    | 'prompt'
    | 'response'
    | 'tool'
    | 'command'
    | 'code'
    | 'query'
    | 'write'
    | 'symbols'
    | 'egress'
    | 'fetch'
    | 'policy'
    | 'path';
  readonly decision: Weight;
  readonly message: string;
  readonly contract?: string;
  readonly layer?: 1 | 2 | 3;
  readonly pointer?: string;
  readonly span?: readonly [number, number];
  readonly suggestion?: string;
  readonly confidence?: number;
  readonly grant?: string;
  readonly shows?: string;
}

interface ApprovalNotice {
  readonly id: string;
  readonly expiresAt: string;
  readonly how: string;
}

interface Unchecked {
  readonly path: string;
  readonly why: 'index' | 'parser' | 'language' | 'content' | 'aside' | 'command' | 'unknown';
}

interface Verdict {
  readonly id?: string | number;
  readonly decision: Decision;
  readonly findings: readonly Finding[];
  readonly explanation: string;
  readonly action: Readonly<Record<string, unknown>>;
  readonly decisionId: string;
  readonly approval: ApprovalNotice | null;
  readonly unchecked?: readonly Unchecked[];
}

interface FullContext {
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly session: string;
  readonly workspace: string;
  readonly mode: Mode;
}

interface Question {
  readonly action: Readonly<Record<string, unknown>>;
  readonly context: FullContext;
  readonly findings: readonly Finding[];
}

interface Approval {
  readonly id: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decisionId: string;
  readonly state: 'pending' | 'approved' | 'denied' | 'used' | 'expired';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly answeredBy: string | null;
  readonly question: Question | null;
  readonly text: string | null;
  readonly reaches: readonly ('session' | 'project' | 'always')[];
  readonly group: string | null;
}

interface Permission {
  readonly id: string;
  readonly effect: string;
  readonly says: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly workspace: string;
  readonly covers: 'effect' | 'pattern' | 'rule' | 'everything';
  readonly session: string | null;
  readonly uses: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface StreamOpening {
  readonly kind?: 'prompt' | 'response';
  readonly context?: Context;
}

interface StreamOpened {
  readonly id: string;
  readonly blocked: boolean;
}

interface StreamPush {
  readonly piece: string;
  readonly channel?: string;
}

interface StreamPiece {
  readonly emit: string;
  readonly findings: readonly Finding[];
  readonly blocked: boolean;
}

interface StreamFinish {
  readonly channel?: string;
}

interface StreamStop {
  readonly why: string;
}

type StreamClosing = Readonly<Record<string, never>>;

interface StreamEnd {
  readonly emit: string;
  readonly verdict: Verdict;
}

interface ChangeSummary {
  readonly id: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly workspace: string;
  readonly run: string;
  readonly decisionId: string;
  readonly state: 'staged' | 'applied' | 'rejected' | 'expired';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly receipt: string | null;
  readonly hunks: number;
  readonly undecided: number;
  readonly files: readonly {
    readonly path: string;
    readonly to: string | null;
    readonly op: 'create' | 'edit' | 'delete' | 'rename';
    readonly guards: {
      readonly write: 'pass' | 'unchecked' | 'warn' | 'fail';
      readonly hallucination: 'pass' | 'unchecked' | 'warn' | 'fail';
      readonly egress: 'pass' | 'unchecked' | 'warn' | 'fail';
    };
  }[];
}

interface Change {
  readonly id: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly workspace: string;
  readonly run: string;
  readonly decisionId: string;
  readonly state: 'staged' | 'applied' | 'rejected' | 'expired';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly receipt: string | null;
  readonly hunks: number;
  readonly undecided: number;
  readonly reason: string;
  readonly findings: readonly {
    readonly rule: string;
    readonly guard: string;
    readonly decision: string;
    readonly message: string;
    readonly path?: string;
  }[];
  readonly suggest: boolean;
  readonly missing_references: readonly {
    readonly path: string;
    readonly name: string;
    readonly line: number;
    readonly near?: readonly string[];
  }[];
  readonly cost: {
    readonly usd: number;
    readonly tokens_in: number;
    readonly tokens_out: number;
  };
  readonly models: readonly string[];
  readonly justification: string | null;
  readonly files: readonly {
    readonly path: string;
    readonly to: string | null;
    readonly op: 'create' | 'edit' | 'delete' | 'rename';
    readonly guards: {
      readonly write: 'pass' | 'unchecked' | 'warn' | 'fail';
      readonly hallucination: 'pass' | 'unchecked' | 'warn' | 'fail';
      readonly egress: 'pass' | 'unchecked' | 'warn' | 'fail';
    };
    readonly before_hash: string | null;
    readonly mode: string | null;
    readonly hunks: readonly {
      readonly number: number;
      readonly kind: 'lines' | 'create' | 'delete' | 'rename' | 'mode';
      readonly decision: 'accept' | 'reject' | null;
      readonly diff: string;
    }[];
    readonly redactions: Readonly<Record<string, number>>;
  }[];
  readonly result: {
    readonly hash: string | null;
    readonly files: readonly {
      readonly path: string;
      readonly before_hash: string | null;
      readonly after_hash: string | null;
    }[];
    readonly stale: readonly string[];
  };
  readonly redactions: Readonly<Record<string, number>>;
}

interface ChangeOutline {
  readonly id: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly workspace: string;
  readonly run: string;
  readonly decisionId: string;
  readonly state: 'staged' | 'applied' | 'rejected' | 'expired';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly receipt: string | null;
  readonly hunks: number;
  readonly undecided: number;
  readonly reason: string;
  readonly findings: readonly {
    readonly rule: string;
    readonly guard: string;
    readonly decision: string;
    readonly message: string;
    readonly path?: string;
  }[];
  readonly suggest: boolean;
  readonly missing_references: readonly {
    readonly path: string;
    readonly name: string;
    readonly line: number;
    readonly near?: readonly string[];
  }[];
  readonly files: readonly {
    readonly path: string;
    readonly to: string | null;
    readonly op: 'create' | 'edit' | 'delete' | 'rename';
    readonly guards: {
      readonly write: 'pass' | 'unchecked' | 'warn' | 'fail';
      readonly hallucination: 'pass' | 'unchecked' | 'warn' | 'fail';
      readonly egress: 'pass' | 'unchecked' | 'warn' | 'fail';
    };
    readonly hunks: readonly {
      readonly number: number;
      readonly kind: 'lines' | 'create' | 'delete' | 'rename' | 'mode';
      readonly decision: 'accept' | 'reject' | null;
    }[];
  }[];
}

interface Receipt {
  readonly receipt_id: string;
  readonly user_id: string;
  readonly workspace_id: string;
  readonly run_id: string;
  readonly prev_receipt_hash: string;
  readonly self_hash: string;
  readonly timestamp: string;
  readonly action: 'apply' | 'rollback' | 'reject';
  readonly applied: boolean;
  readonly files: readonly {
    readonly path: string;
    readonly before_hash: string | null;
    readonly after_hash: string | null;
  }[];
  readonly diffs: readonly {
    readonly path: string;
    readonly hunks: readonly string[];
  }[];
  readonly snapshot_id: string | null;
  readonly symbols_checked: number;
  readonly missing_references: readonly {
    readonly path: string;
    readonly name: string;
    readonly line: number;
  }[];
  readonly redactions: Readonly<Record<string, number>>;
  readonly guards: {
    readonly write: 'pass' | 'unchecked' | 'warn' | 'fail';
    readonly hallucination: 'pass' | 'unchecked' | 'warn' | 'fail';
    readonly egress: 'pass' | 'unchecked' | 'warn' | 'fail';
  };
  readonly cost: {
    readonly usd: number;
    readonly tokens_in: number;
    readonly tokens_out: number;
  };
  readonly models: readonly string[];
}

interface Policy {
  readonly id: string;
  readonly text: string;
  readonly version: string;
  readonly updatedAt: string;
  readonly updatedBy: string | null;
}

interface Entry {
  readonly place: number;
  readonly seq: number;
  readonly time: number;
  readonly event_type:
    | 'decision'
    | 'stream_opened'
    | 'stream_closed'
    | 'guard_error'
    | 'guard_unhooked'
    | 'protected_change'
    | 'call_unreported'
    | 'output_redacted'
    | 'answer_redacted'
    | 'host_prompt_allowed'
    | 'response_rejected'
    | 'cross_tenant'
    | 'jailbreak_attempt'
    | 'approval_requested'
    | 'approval_answered'
    | 'approval_used'
    | 'token_refused'
    | 'change_staged'
    | 'change_decided'
    | 'run_paused'
    | 'run_resumed'
    | 'grant_made'
    | 'grant_revoked'
    | 'permission_used'
    | 'policy_changed'
    | 'credential_made'
    | 'credential_revoked'
    | 'server_login'
    | 'server_logout'
    | 'file_trusted'
    | 'file_untrusted'
    | 'passphrase_accepted'
    | 'passphrase_refused'
    | 'session_opened'
    | 'passphrase_chosen'
    | 'passphrase_changed'
    | 'users_changed'
    | 'approver_added'
    | 'approver_ended'
    | 'approver_reset_requested'
    | 'approver_reset_vetoed'
    | 'host_connected'
    | 'host_disconnected'
    | 'login'
    | 'login_failed'
    | 'logout'
    | 'daemon_started'
    | 'daemon_stopped'
    | 'heads_seen'
    | 'key_rotated'
    | 'erased'
    | 'receipt'
    | 'chain_restarted';
  readonly chain: string;
  readonly hash: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decision_id?: string;
  readonly decision?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

interface ApproverKey {
  readonly key: string;
  readonly name: string;
  readonly role: string;
  readonly home: string;
  readonly kind: 'owner' | 'user' | 'recovery' | 'passkey';
  readonly tenant: string | null;
  readonly credential: string | null;
  readonly since: number;
  readonly vouchedBy: string | null;
  readonly origin: 'first' | 'vouched for' | 'reset' | 'proposed';
  readonly state: 'counts' | 'waits' | 'ended' | 'not vouched for';
  readonly countsFrom: number | null;
  readonly endedAt: number | null;
}

/** The types that have names. */
export interface Types {
  readonly Error: Error;
  readonly Mode: Mode;
  readonly Context: Context;
  readonly PromptAction: PromptAction;
  readonly ResponseAction: ResponseAction;
  readonly ToolAction: ToolAction;
  readonly ShellAction: ShellAction;
  readonly PythonAction: PythonAction;
  readonly CodeAction: CodeAction;
  readonly QueryAction: QueryAction;
  readonly ReadAction: ReadAction;
  readonly WriteAction: WriteAction;
  readonly FetchAction: FetchAction;
  readonly Action: Action;
  readonly Decision: Decision;
  readonly Weight: Weight;
  readonly Finding: Finding;
  readonly ApprovalNotice: ApprovalNotice;
  readonly Unchecked: Unchecked;
  readonly Verdict: Verdict;
  readonly FullContext: FullContext;
  readonly Question: Question;
  readonly Approval: Approval;
  readonly Permission: Permission;
  readonly StreamOpening: StreamOpening;
  readonly StreamOpened: StreamOpened;
  readonly StreamPush: StreamPush;
  readonly StreamPiece: StreamPiece;
  readonly StreamFinish: StreamFinish;
  readonly StreamStop: StreamStop;
  readonly StreamClosing: StreamClosing;
  readonly StreamEnd: StreamEnd;
  readonly ChangeSummary: ChangeSummary;
  readonly Change: Change;
  readonly ChangeOutline: ChangeOutline;
  readonly Receipt: Receipt;
  readonly Policy: Policy;
  readonly Entry: Entry;
  readonly ApproverKey: ApproverKey;
}

/** What each route takes and answers. */
export interface Routes {
  'GET /healthz': {
    readonly answer: {
      readonly status: 'ok';
      readonly version: string;
      readonly pid: number;
      readonly alarms: number;
      readonly unreviewed: number;
      readonly connected: number;
      readonly passphrase_reset?: string;
    };
  };
  'GET /livez': {
    readonly answer: {
      readonly status: 'ok';
      readonly version: string;
      readonly pid: number;
    };
  };
  'GET /openapi.json': {
    readonly answer: Readonly<Record<string, unknown>>;
  };
  'POST /v1/chat/completions': {
    readonly body: Readonly<Record<string, unknown>>;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  'POST /v1/responses': {
    readonly body: Readonly<Record<string, unknown>>;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  'POST /v1/messages': {
    readonly body: Readonly<Record<string, unknown>>;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  'POST /v1/messages/count_tokens': {
    readonly body: Readonly<Record<string, unknown>>;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  'GET /v1/models': {
    readonly answer: Readonly<Record<string, unknown>>;
  };
  'POST /v1/decide': {
    readonly query: { readonly wait?: string | number };
    readonly body: Action;
    readonly answer: Verdict;
  };
  'POST /v1/hook/:host': {
    readonly path: { readonly host: string | number };
    readonly query: {
      readonly event?: string | number;
      readonly parent?: string | number;
      readonly shell?: string | number;
    };
    readonly body: Readonly<Record<string, unknown>>;
    readonly answer: {
      readonly stdout: string;
      readonly stderr: string;
      readonly exit: 0 | 2;
    };
  };
  'GET /v1/session/login': {
    readonly answer: {
      readonly users: boolean;
    };
  };
  'POST /v1/session/challenge': {
    readonly body: {
      readonly name?: string;
    };
    readonly answer: {
      readonly challenge: string;
      readonly kdf: {
        readonly N: number;
        readonly r: number;
        readonly p: number;
        readonly salt: string;
      };
      readonly credentials: readonly string[];
    };
  };
  'POST /v1/session': {
    readonly body: {
      readonly challenge: string;
      readonly signature: string;
      readonly page?: boolean;
    };
    readonly answer: {
      readonly token: string;
      readonly expiresAt: string;
      readonly key?: Readonly<Record<string, unknown>>;
    };
  };
  'GET /v1/session': {
    readonly answer: {
      readonly user: string;
      readonly tenant: string;
      readonly scope: 'decide' | 'approve' | 'admin';
      readonly person: boolean;
      readonly role: 'viewer' | 'approver' | 'admin' | null;
      readonly may: readonly string[];
      readonly version: string;
    };
  };
  'DELETE /v1/session': {
    readonly answer: {
      readonly left: boolean;
    };
  };
  'POST /v1/session/link': {
    readonly body: {
      readonly challenge: string;
      readonly signature: string;
      readonly page?: boolean;
    };
    readonly answer: {
      readonly secret: string;
      readonly expiresAt: string;
    };
  };
  'POST /v1/session/claim': {
    readonly body: {
      readonly secret: string;
    };
    readonly answer: {
      readonly token: string;
      readonly expiresAt: string;
    };
  };
  'GET /v1/approvals': {
    readonly answer: {
      readonly approvals: readonly Approval[];
    };
  };
  'GET /v1/approvals/:id': {
    readonly path: { readonly id: string | number };
    readonly answer: Approval;
  };
  'POST /v1/approvals/:id/answer': {
    readonly path: { readonly id: string | number };
    readonly body: {
      readonly answer: 'approve' | 'deny';
      readonly permission?: {
        readonly reach: 'session' | 'project' | 'always';
        readonly seconds?: number;
        readonly uses?: number;
      };
    };
    readonly answer: Approval;
  };
  'GET /v1/permissions': {
    readonly answer: {
      readonly permissions: readonly Permission[];
    };
  };
  'DELETE /v1/permissions/:id': {
    readonly path: { readonly id: string | number };
    readonly answer: Permission;
  };
  'POST /v1/streams': {
    readonly body: StreamOpening;
    readonly answer: StreamOpened;
  };
  'POST /v1/streams/:id/push': {
    readonly path: { readonly id: string | number };
    readonly body: StreamPush;
    readonly answer: StreamPiece;
  };
  'POST /v1/streams/:id/finish': {
    readonly path: { readonly id: string | number };
    readonly body: StreamFinish;
    readonly answer: StreamPiece;
  };
  'POST /v1/streams/:id/stop': {
    readonly path: { readonly id: string | number };
    readonly body: StreamStop;
    readonly answer: StreamPiece;
  };
  'POST /v1/streams/:id/end': {
    readonly path: { readonly id: string | number };
    readonly body: StreamClosing;
    readonly answer: StreamEnd;
  };
  'GET /v1/changes': {
    readonly answer: {
      readonly changes: readonly ChangeSummary[];
    };
  };
  'POST /v1/changes': {
    readonly body: {
      readonly patch?: string;
      readonly edits?: readonly {
        readonly op: 'write' | 'replace' | 'delete' | 'rename' | 'mode';
        readonly path: string;
        readonly to?: string;
        readonly content?: string;
        readonly replace?: readonly {
          readonly old: string;
          readonly new: string;
          readonly all?: boolean;
        }[];
        readonly executable?: boolean;
      }[];
      readonly justification?: string;
      readonly suggest?: boolean;
      readonly cost?: {
        readonly usd: unknown;
        readonly tokens_in: number;
        readonly tokens_out: number;
      };
      readonly models?: readonly string[];
      readonly context?: Context;
    };
    readonly answer: {
      readonly outcome: 'staged' | 'applied' | 'refused';
      readonly verdict: Readonly<Record<string, unknown>>;
      readonly change?: Change | ChangeOutline | ChangeSummary;
      readonly receipt?: Receipt;
    };
  };
  'GET /v1/changes/:id': {
    readonly path: { readonly id: string | number };
    readonly answer: Change | ChangeOutline | ChangeSummary;
  };
  'POST /v1/changes/:id/decisions': {
    readonly path: { readonly id: string | number };
    readonly body: {
      readonly decision: 'accept' | 'reject';
      readonly hunks?: readonly number[];
      readonly files?: readonly string[];
      readonly all?: boolean;
    };
    readonly answer: Change | ChangeOutline | ChangeSummary;
  };
  'POST /v1/changes/:id/apply': {
    readonly path: { readonly id: string | number };
    readonly body: {
      readonly result: string;
    };
    readonly answer: {
      readonly state: 'applied' | 'rejected';
      readonly snapshot: string | null;
      readonly receipt: Receipt;
      readonly verdict: Readonly<Record<string, unknown>> | null;
    };
  };
  'POST /v1/changes/:id/reject': {
    readonly path: { readonly id: string | number };
    readonly answer: {
      readonly state: 'applied' | 'rejected';
      readonly snapshot: string | null;
      readonly receipt: Receipt;
      readonly verdict: Readonly<Record<string, unknown>> | null;
    };
  };
  'POST /v1/rollback': {
    readonly body: {
      readonly workspace?: string;
      readonly receipt?: string;
      readonly snapshot?: string;
      readonly run?: string;
      readonly last?: boolean;
    };
    readonly answer: {
      readonly undone: readonly {
        readonly snapshot: string;
        readonly by: string;
        readonly receipt: string;
        readonly files: number;
        readonly left: readonly {
          readonly path: string;
          readonly why: string;
        }[];
      }[];
      readonly conflict?: {
        readonly snapshot: string;
        readonly error: string;
        readonly paths: readonly string[];
        readonly hint?: string;
      };
    };
  };
  'GET /v1/receipts': {
    readonly query: { readonly limit?: string | number; readonly before?: string | number };
    readonly answer: {
      readonly receipts: readonly Receipt[];
      readonly next: number | null;
    };
  };
  'GET /v1/receipts/verify': {
    readonly answer: {
      readonly valid: boolean;
      readonly receipts: number;
      readonly mismatch: readonly {
        readonly receipt_id: string | null;
        readonly problem: string;
      }[];
    };
  };
  'GET /v1/receipts/chain-head': {
    readonly answer: Readonly<Record<string, unknown>>;
  };
  'GET /v1/receipts/:id': {
    readonly path: { readonly id: string | number };
    readonly answer: Receipt;
  };
  'GET /v1/receipts/:id/export': {
    readonly path: { readonly id: string | number };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  'GET /v1/policies': {
    readonly answer: {
      readonly engine: 'cedar' | 'avp';
      readonly version: string;
      readonly signed: boolean;
      readonly policies: readonly Policy[];
    };
  };
  'POST /v1/policies': {
    readonly body: {
      readonly id?: string;
      readonly text: string;
    };
    readonly answer: Policy;
  };
  'POST /v1/policies/check': {
    readonly body: {
      readonly id?: string;
      readonly text: string;
    };
    readonly answer: {
      readonly id: string | null;
      readonly problems: readonly {
        readonly line: number;
        readonly column: number;
        readonly message: string;
      }[];
      readonly formatted: string | null;
    };
  };
  'POST /v1/policies/dry-run': {
    readonly body: {
      readonly id?: string;
      readonly text?: string;
      readonly remove?: string;
      readonly restore?: number;
      readonly decisions?: number;
    };
    readonly answer: {
      readonly judged: number;
      readonly of: number;
      readonly changed: number;
      readonly counts: readonly {
        readonly from: Decision;
        readonly to: Decision;
        readonly count: number;
      }[];
      readonly changes: readonly {
        readonly from: Decision;
        readonly to: Decision;
        readonly policies: readonly string[];
        readonly agent: string;
        readonly user: string;
        readonly kind: string;
        readonly what: string;
        readonly decision_id: string | null;
        readonly time: number;
      }[];
    };
  };
  'GET /v1/policy-versions': {
    readonly answer: {
      readonly versions: readonly {
        readonly version: string;
        readonly signed: boolean;
        readonly madeBy: string;
        readonly madeAt: string;
        readonly policies: readonly {
          readonly id: string;
          readonly text: string;
        }[];
      }[];
    };
  };
  'POST /v1/policy-versions/:version/restore': {
    readonly path: { readonly version: string | number };
    readonly answer: {
      readonly version: string;
    };
  };
  'GET /v1/policies/:id': {
    readonly path: { readonly id: string | number };
    readonly answer: Policy;
  };
  'PUT /v1/policies/:id': {
    readonly path: { readonly id: string | number };
    readonly body: {
      readonly text: string;
    };
    readonly answer: Policy;
  };
  'DELETE /v1/policies/:id': {
    readonly path: { readonly id: string | number };
    readonly answer: {
      readonly id: string;
      readonly deleted: boolean;
    };
  };
  'GET /v1/log': {
    readonly query: {
      readonly limit?: string | number;
      readonly before?: string | number;
      readonly decision?: string | number;
      readonly event_type?: string | number;
      readonly decision_id?: string | number;
      readonly agent?: string | number;
      readonly user?: string | number;
      readonly guard?: string | number;
      readonly rule?: string | number;
      readonly text?: string | number;
      readonly session?: string | number;
      readonly since?: string | number;
      readonly until?: string | number;
    };
    readonly answer: {
      readonly entries: readonly Entry[];
    };
  };
  'GET /v1/log/facets': {
    readonly query: {
      readonly decision?: string | number;
      readonly agent?: string | number;
      readonly rule?: string | number;
      readonly session?: string | number;
      readonly event_type?: string | number;
      readonly text?: string | number;
      readonly since?: string | number;
      readonly until?: string | number;
    };
    readonly answer: {
      readonly entries: number;
      readonly complete: boolean;
      readonly facets: {
        readonly decision: readonly {
          readonly name: string;
          readonly count: number;
        }[];
        readonly agent: readonly {
          readonly name: string;
          readonly count: number;
        }[];
        readonly rule: readonly {
          readonly name: string;
          readonly count: number;
        }[];
        readonly session: readonly {
          readonly name: string;
          readonly count: number;
        }[];
        readonly event_type: readonly {
          readonly name: string;
          readonly count: number;
        }[];
      };
    };
  };
  'GET /v1/log/session': {
    readonly query: { readonly name?: string | number };
    readonly answer: {
      readonly entries: readonly Entry[];
    };
  };
  'GET /v1/digest': {
    readonly query: { readonly since?: string | number };
    readonly answer: {
      readonly since: string;
      readonly sessions: readonly {
        readonly agent: string;
        readonly session: string;
        readonly workspace: string;
        readonly from: string;
        readonly to: string;
        readonly passed: number;
        readonly redacted: number;
        readonly asked: number;
        readonly blocked: number;
        readonly files: number;
        readonly undone: number;
        readonly stops: readonly {
          readonly name: string;
          readonly count: number;
        }[];
      }[];
    };
  };
  'GET /v1/log/verify': {
    readonly answer: {
      readonly entries: number;
      readonly chains: readonly {
        readonly chain: string;
        readonly head: string;
        readonly entries: number;
      }[];
      readonly heads: number;
      readonly problems: readonly {
        readonly chain: string;
        readonly problem: string;
        readonly seq: number;
      }[];
      readonly notes: readonly {
        readonly chain: string;
        readonly note: string;
        readonly seq: number;
      }[];
    };
  };
  'GET /v1/events': {
    readonly answer: string;
  };
  'GET /v1/overview': {
    readonly query: { readonly minutes?: string | number };
    readonly answer: {
      readonly since: string;
      readonly piece_seconds: number;
      readonly series: readonly {
        readonly time: string;
        readonly pass: number;
        readonly redact: number;
        readonly approve: number;
        readonly block: number;
      }[];
      readonly guards: readonly {
        readonly name: string;
        readonly count: number;
      }[];
      readonly rules: readonly {
        readonly name: string;
        readonly count: number;
      }[];
      readonly waiting: {
        readonly approvals: number;
        readonly changes: number;
      };
      readonly latency_ms: {
        readonly count: number;
        readonly p50: number | null;
        readonly p99: number | null;
      };
    };
  };
  'GET /v1/approvers': {
    readonly answer: {
      readonly approvers: readonly ApproverKey[];
      readonly reset: {
        readonly key: string;
        readonly name: string;
        readonly countsFrom: number;
      } | null;
    };
  };
  'POST /v1/approvers/passkeys': {
    readonly body: {
      readonly public_key: string;
      readonly credential: string;
      readonly by: string;
    };
    readonly answer: ApproverKey;
  };
  'POST /v1/approvers/end': {
    readonly body: {
      readonly key: string;
      readonly by: string;
    };
    readonly answer: {
      readonly key: string;
      readonly ended: boolean;
    };
  };
  'POST /v1/approvers/veto': {
    readonly body: {
      readonly key: string;
      readonly by: string;
    };
    readonly answer: {
      readonly key: string;
      readonly stopped: boolean;
    };
  };
  'POST /v1/try': {
    readonly body: Action;
    readonly answer: {
      readonly verdict: Verdict;
      readonly facts: Readonly<Record<string, unknown>>;
      readonly view: {
        readonly parsed: readonly {
          readonly program: string | null;
          readonly arguments: readonly string[];
        }[];
        readonly effects: readonly {
          readonly kind: string;
          readonly target: string | null;
          readonly zone?: string;
        }[];
        readonly flows: readonly {
          readonly from: string;
          readonly to: string;
          readonly target: string | null;
        }[];
      } | null;
    };
  };
  'GET /v1/hosts': {
    readonly answer: {
      readonly hosts: readonly {
        readonly host: string;
        readonly title: string;
        readonly files: readonly string[];
        readonly lastSeen: string | null;
      }[];
    };
  };
  'POST /v1/hosts/check': {
    readonly answer: {
      readonly checks: readonly {
        readonly name: string;
        readonly state: 'ok' | 'note' | 'fail';
        readonly says: string;
      }[];
    };
  };
  'POST /v1/hosts/:host/wire': {
    readonly path: { readonly host: string | number };
    readonly answer: {
      readonly wired: boolean;
    };
  };
  'GET /v1/servers': {
    readonly answer: {
      readonly servers: readonly {
        readonly name: string;
        readonly kind: 'http' | 'stdio';
        readonly place: string;
        readonly tools: readonly string[] | null;
        readonly agents: readonly string[] | null;
      }[];
    };
  };
  'GET /v1/notifications': {
    readonly answer: {
      readonly webhook: boolean;
      readonly slack: boolean;
      readonly ntfy: boolean;
      readonly desktop: boolean;
      readonly after_seconds: number;
    };
  };
}
