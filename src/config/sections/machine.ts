// What speaks for the whole machine: sections that only the user's own file may have.

import { hookEvents, hostNames, longestCommandMs, nearest, usualPort } from '../../core/index.ts';
import {
  checked,
  choice,
  describe,
  flag,
  integer,
  list,
  number,
  object,
  optional,
  otherwise,
  type Path,
  type Problem,
  secret,
  text,
} from '../../core/shape.ts';
import { converted, key, unset } from '../key.ts';

/** `[daemon]`. */
export const daemon = {
  port: key({
    says: 'The port on the local machine; 0 takes any free one.',
    shape: integer(0, 65_535),
    fallback: usualPort,
  }),
  body_limit_bytes: key({
    says: 'Largest request body that is read.',
    shape: integer(1024, 67_108_864),
    fallback: 4_194_304,
  }),
};

/** `[approvals]`. */
export const approvals = {
  expiry_seconds: key({
    says: 'How long a question waits for a person, and how long the answer then counts. A hook of a host waits 280 seconds of it (of Qwen Code 40) and then denies; the same call passes once when it comes again.',
    shape: integer(5, 604_800),
    fallback: 86_400,
  }),
  max_pending: key({
    says: 'How many questions of one agent may wait at once; at most three quarters of them put in the last two minutes, and half by one session.',
    shape: integer(1, 1000),
    fallback: 100,
  }),
};

/** An address that messages are sent to; it may hold a secret, so that it is not shown. */
const address = secret(
  text({
    max: 2048,
    pattern: /^(?:https?:\/\/.+)?$/,
    what: 'an address that begins with https:// or http://',
  }),
);

/** `[notify]`. */
export const notify = {
  webhook: key({
    says: 'Where a question is posted as JSON: what is asked (redacted), by whom, until when, and a link. "" for nowhere.',
    shape: address,
    fallback: '',
  }),
  webhook_secret: key({
    says: 'Signs what is posted to `webhook`, in the header `sallyport-signature`.',
    shape: secret(text({ max: 1024 })),
    fallback: '',
  }),
  slack: key({
    says: 'The address of an incoming webhook of Slack, or of a server that takes the same format.',
    shape: address,
    fallback: '',
  }),
  ntfy: key({
    says: 'A topic of ntfy, such as "https://ntfy.sh/my-topic".',
    shape: address,
    fallback: '',
  }),
  desktop: key({
    says: 'Whether a note appears on this desktop, through `notify-send` or `osascript`. It does not say what is asked.',
    shape: flag(),
    fallback: false,
  }),
  after_seconds: key({
    says: 'How long a question waits before you are notified; an earlier answer sends no notification.',
    shape: integer(0, 86_400),
    fallback: 15,
  }),
  link: key({
    says: 'The address under which you reach the console, for links; "" for the one on this machine.',
    shape: text({
      max: 2048,
      pattern: /^(?:https?:\/\/.+)?$/,
      what: 'an address that begins with https:// or http://',
    }),
    fallback: '',
  }),
};

/** What `[approvals]` says of proposed changes. */
export const proposals = {
  change_expiry_seconds: key({
    says: 'How long a proposed change waits for its review.',
    shape: integer(60, 2_592_000),
    fallback: 86_400,
    to: 'expirySeconds',
  }),
  max_changes: key({
    says: 'How many proposed changes may wait at once.',
    shape: integer(1, 1000),
    fallback: 100,
    to: 'maxStaged',
  }),
};

/** `[hosts.NAME]`. */
export const host = {
  answer: key({
    says: 'What becomes of the host\'s own permission prompts: with "off" you answer them; with "reversible" Sallyport allows what is harmless or can be undone completely, and every other prompt stays yours.',
    shape: choice(['off', 'reversible']),
    fallback: 'off',
  }),
};

/** Reports hosts that are not known. */
export function checkHostNames(hosts: object, path: Path, report: (problem: Problem) => void): void {
  for (const name of Object.keys(hosts)) {
    if (hostNames.some((known) => known === name)) continue;
    const near = nearest(name, hostNames);
    const hint = near === undefined ? `known hosts: ${hostNames.join(', ')}` : `did you mean "${near}"?`;
    report({ path: [...path, name], message: `there is no host of this name; ${hint}` });
  }
}

/** The key above all sections that says where records live. */
export const place = {
  store: converted(
    {
      says: 'Where records live: "sqlite", a file in the home, or postgres://user:password@host/database.',
      shape: text({
        max: 2048,
        pattern: /^(?:sqlite|postgres(?:ql)?:\/\/.+)$/,
        what: '"sqlite" or a postgres:// address',
      }),
      fallback: 'sqlite',
      to: 'postgres',
    },
    (store) => (store === 'sqlite' ? null : store),
  ),
};

/** `[ledger]`. */
export const ledger = {
  key: key({
    says: "The key that wraps a shared store's own keys: 64 hexadecimal digits, the same for every daemon.",
    shape: secret(text({ max: 64, pattern: /^(?:[0-9a-fA-F]{64})?$/, what: '64 hexadecimal digits' })),
    fallback: '',
  }),
  ca: key({
    says: "A file with the certificate that the database server's is signed by; with it, TLS is required.",
    shape: text({ max: 4096 }),
    fallback: '',
  }),
  pool_size: key({ says: 'Most connections to the database server.', shape: integer(2, 100), fallback: 10 }),
  statement_timeout_ms: key({
    says: 'How long the database server may take for one statement.',
    shape: integer(100, 600_000),
    fallback: 5000,
  }),
  head_every_entries: key({
    says: 'After how many entries the log is signed.',
    shape: integer(1, 1_000_000),
    fallback: 1000,
  }),
  head_every_seconds: key({
    says: 'After how many seconds the log is signed, if anything came.',
    shape: integer(1, 86_400),
    fallback: 60,
  }),
  heads_to: key({
    says: 'Where signed heads go besides the store: ["file:/path"], ["https://…"], or a program with its arguments.',
    shape: list(text({ min: 1, max: 4096 }), { max: 20 }),
    fallback: [],
  }),
};

/** `[snapshots]`. */
export const snapshots = {
  keep_days: key({ says: 'How long a change can be undone.', shape: integer(1, 3650), fallback: 30 }),
  max_megabytes: converted(
    {
      says: 'How much the snapshots of one workspace may take; the copy that commands are compared with may take as much again.',
      shape: integer(1, 1_048_576),
      fallback: 1024,
      to: 'maxBytes',
    },
    (megabytes) => megabytes * 1_048_576,
  ),
};

/** `[detect]`. */
export const detect = {
  packs: key({
    says: "Files with rules of your own, in this product's form or in gitleaks'.",
    shape: list(text({ min: 1, max: 4096 }), { max: 50 }),
    fallback: [],
  }),
};

/** The rules of the contract that a guard can stand for. */
const auditedRules = [
  ...(['AG-IN-1', 'AG-IN-2', 'AG-IN-4', 'AG-OUT-1', 'AG-OUT-2', 'AG-OUT-3', 'AG-OUT-4'] as const),
  ...(['AG-TOOL-1', 'AG-TOOL-2', 'AG-TOOL-3', 'AG-TOOL-4', 'AG-TOOL-5', 'AG-TOOL-6'] as const),
] as const;

/** `[auditor]`. */
export const auditor = {
  guards: key({
    says: 'Guards of your own that the auditor takes for what their names promise.',
    shape: list(
      object({
        name: describe(
          'How it is called, such as "security.checkPrompt"; whatever comes before it does not matter.',
          text({ min: 1, max: 200, pattern: /^[A-Za-z_][\w.]*$/, what: 'a dotted name' }),
        ),
        rules: describe(
          'The rules of the contract that it stands for.',
          list(choice(auditedRules), { max: 20 }),
        ),
        throws: describe('It throws instead of giving a result.', optional(flag())),
      }),
      { max: 1000 },
    ),
    fallback: [],
  }),
};

const judgeProgram = checked(list(text({ min: 1, max: 4096 }), { max: 20 }), (words, path, report) => {
  // A name that is looked up could be anybody's program.
  if (!words[0]?.startsWith('/')) report({ path, message: 'must begin with the absolute path of a program' });
});

/** `[judge.input]`. */
export const inputJudge = checked(
  object({
    command: optional(
      describe(
        'A program, by its absolute path, and its arguments: it reads one JSON object and answers with another.',
        judgeProgram,
      ),
    ),
    url: optional(
      describe(
        'Or an address that the same object is posted to.',
        text({
          max: 2000,
          pattern: /^https?:\/\/[^\s@]+$/,
          what: 'an address that begins with http:// or https://',
        }),
      ),
    ),
    timeout_ms: describe(
      'How long one text may take. The rules run meanwhile; what comes later does not count.',
      otherwise(1500, integer(50, 60_000)),
    ),
    warn_from: describe('From this score on the model is warned.', otherwise(0.5, number(0, 1))),
    block_from: describe(
      'From this score on the text is withheld. 1 and no certainty: never.',
      otherwise(0.95, number(0, 1)),
    ),
    origins: describe(
      'Whose texts it is asked about.',
      otherwise(
        ['tool', 'file', 'image'],
        list(choice(['user', 'agent', 'tool', 'file', 'image']), { max: 5 }),
      ),
    ),
    required: describe(
      'Whether a text that it does not judge in time is withheld.',
      otherwise(false, flag()),
    ),
  }),
  ({ command, url }, path, report) => {
    if ((command === undefined) === (url === undefined)) {
      report({ path, message: 'an input judge has a "command" or a "url", and not both' });
    }
  },
);

/** `[judge]`. */
export const judge = {
  input: unset({
    says: 'A judge of what goes to the model, beside the rules: `command` or `url`, `timeout_ms`, `warn_from`, `block_from`, `origins`, `required`.',
    shape: inputJudge,
  }),
  provider: key({
    says: 'The provider under `[llm]` that has it; one that speaks Chat Completions. Empty: no model is asked.',
    shape: text({ max: 32 }),
    fallback: '',
  }),
  model: key({ says: 'The name of the model.', shape: text({ max: 256 }), fallback: '' }),
  timeout_ms: key({
    says: 'How long it may take; a response that was not judged in time is blocked.',
    shape: integer(100, 120_000),
    fallback: 10_000,
  }),
  window_characters: key({
    says: 'How much of a stream is held and judged at once, up to the end of a sentence.',
    shape: integer(200, 100_000),
    fallback: 2000,
  }),
};

/** `[judge]` with both of what it needs. */
export const judgeSection = checked(object(judge), ({ provider, model, input }, path, report) => {
  if (provider === undefined && model === undefined && input !== undefined) return;
  if ((provider ?? '') === '' || (model ?? '') === '') {
    report({ path, message: 'a judge has a "provider" and a "model"' });
  }
});

/** `[telemetry]`. */
export const telemetry = {
  enabled: key({
    says: 'Whether spans and metrics go to the provider of OpenTelemetry that you registered; it needs the package `@opentelemetry/api`.',
    shape: flag(),
    fallback: false,
  }),
  propagate_to: key({
    says: 'Services that receive the trace context of a request: `llm.NAME` for a provider, `servers.NAME` for an MCP server over HTTP.',
    shape: list(
      text({ max: 80, pattern: /^(?:llm|servers)\.[\w-]{1,64}$/, what: '"llm.NAME" or "servers.NAME"' }),
      { max: 100 },
    ),
    fallback: [],
  }),
};

const folders = list(
  text({ min: 2, max: 4096, pattern: /^(?:\/[^/:\0]+)+$/, what: 'the absolute path of a folder' }),
  { max: 50 },
);

/** `[sandbox]`. */
export const sandbox = {
  required: key({
    says: 'Where no sandbox can be made: true refuses every command, false asks a person for each.',
    shape: flag(),
    fallback: true,
  }),
  network: key({
    says: 'What a command reaches: "off" nothing, "host" all that this machine does.',
    shape: choice(['off', 'host']),
    fallback: 'off',
  }),
  timeout_ms: key({
    says: 'How long a command may take.',
    shape: integer(100, longestCommandMs),
    fallback: 120_000,
  }),
  max_output_bytes: key({
    says: 'How much of each output is kept.',
    shape: integer(1024, 67_108_864),
    fallback: 1_048_576,
  }),
  max_processes: key({
    says: 'How many processes and threads a command may have at once.',
    shape: integer(8, 32_768),
    fallback: 512,
  }),
  max_memory_mb: key({
    says: 'How many megabytes all processes of a command may hold together.',
    shape: integer(64, 1_048_576),
    fallback: 4096,
  }),
  max_file_mb: key({
    says: 'How many megabytes one file that a command writes may have.',
    shape: integer(1, 1_048_576),
    fallback: 1024,
  }),
  read_paths: key({
    says: "Folders that a command can read beside the system's and the workspace.",
    shape: folders,
    fallback: [],
  }),
  path: key({
    says: "Folders with programs that come before the system's; they can be read.",
    shape: folders,
    fallback: [],
  }),
};

/** `[shell]`. */
export const transactionalShell = {
  transactional: key({
    says: 'Whether commands of `exec` and, after `sallyport init claude`, of Claude Code run on an overlay of the workspace, so that what they change is judged before it counts. Linux only; elsewhere commands run as without it.',
    shape: flag(),
    fallback: false,
  }),
};

/** `[run]`. */
export const run = {
  model: key({
    says: 'The model of `sallyport run` where the command names none: a provider under `[llm]`, a slash, and what the provider calls it.',
    shape: text({
      max: 300,
      pattern: /^(?:[a-z][a-z0-9_-]*\/.+)?$/,
      what: 'a provider, "/" and the name of a model',
    }),
    fallback: '',
  }),
  steps: key({
    says: 'How many turns the model has where the command does not say.',
    shape: integer(1, 1000),
    fallback: 30,
  }),
  wait_seconds: key({
    says: 'How long a call waits for approval before the model receives a refusal.',
    shape: integer(0, 86_400),
    fallback: 300,
  }),
};

const program = checked(list(text({ min: 1, max: 4096 }), { max: 20 }), (words, path, report) => {
  // A name that is looked up could be anybody's program.
  if (!words[0]?.startsWith('/')) {
    report({ path, message: 'must begin with the absolute path of a program' });
  }
});

/** One of `[[hooks]]`. */
export const hook = object({
  event: describe('When it runs.', choice(hookEvents)),
  command: describe('The program, by its absolute path, and its arguments. No shell reads it.', program),
  timeout_ms: describe(
    'How long it may take; what takes longer is blocked.',
    otherwise(5000, integer(10, 60_000)),
  ),
});

const listOfNames = text({
  max: 4096,
  pattern: /^(?:\/[^\0\n]+)?$/,
  what: 'the absolute path of a file',
});

/** `[packages]`. */
export const packages = {
  npm: key({
    says: 'A file with the names of all npm packages that are known, one on each line; a new dependency that is not in it is warned of.',
    shape: listOfNames,
    fallback: '',
  }),
  pypi: key({ says: 'The same for packages of PyPI.', shape: listOfNames, fallback: '' }),
};
