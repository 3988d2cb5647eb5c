// Machine-wide settings: sections that only the user's own file may have.

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
    says: 'Largest request body.',
    shape: integer(1024, 67_108_864),
    fallback: 4_194_304,
  }),
};

/** `[approvals]`. */
export const approvals = {
  expiry_seconds: key({
    says: "How long a question waits, and how long its answer is valid. A host's hook waits 280 seconds (Qwen Code 40) and then denies; once approved, the same call passes once.",
    shape: integer(5, 604_800),
    fallback: 86_400,
  }),
  max_pending: key({
    says: 'Most waiting questions of one agent; of these, three quarters within two minutes, and half by one session.',
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
    says: 'Address that receives waiting questions as JSON, redacted.',
    shape: address,
    fallback: '',
  }),
  webhook_secret: key({
    says: 'Secret that signs webhook messages (header `sallyport-signature`).',
    shape: secret(text({ max: 1024 })),
    fallback: '',
  }),
  slack: key({
    says: 'Incoming webhook of Slack, or of a server with the same format.',
    shape: address,
    fallback: '',
  }),
  ntfy: key({
    says: 'A topic of ntfy, such as "https://ntfy.sh/my-topic".',
    shape: address,
    fallback: '',
  }),
  desktop: key({
    says: 'Desktop notifications, without the question, by `notify-send` or `osascript`.',
    shape: flag(),
    fallback: false,
  }),
  after_seconds: key({
    says: 'Delay before you are notified.',
    shape: integer(0, 86_400),
    fallback: 15,
  }),
  link: key({
    says: 'Address of the console, for links; default: this machine.',
    shape: text({
      max: 2048,
      pattern: /^(?:https?:\/\/.+)?$/,
      what: 'an address that begins with https:// or http://',
    }),
    fallback: '',
  }),
};

/** The settings of `[approvals]` for proposed changes. */
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
    says: `Who answers the host's own prompts: you ("off"), or Sallyport where the call is harmless or completely reversible ("reversible").`,
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

/** The key above all sections that sets the location of records. */
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
    says: 'Key that wraps the keys in a shared store: 64 hexadecimal digits, the same for every daemon.',
    shape: secret(text({ max: 64, pattern: /^(?:[0-9a-fA-F]{64})?$/, what: '64 hexadecimal digits' })),
    fallback: '',
  }),
  ca: key({
    says: 'CA certificate of the database server; with it, TLS is required.',
    shape: text({ max: 4096 }),
    fallback: '',
  }),
  pool_size: key({ says: 'Most connections to the database server.', shape: integer(2, 100), fallback: 10 }),
  statement_timeout_ms: key({
    says: 'Time limit of one statement.',
    shape: integer(100, 600_000),
    fallback: 5000,
  }),
  head_every_entries: key({
    says: 'After how many entries the log is signed.',
    shape: integer(1, 1_000_000),
    fallback: 1000,
  }),
  head_every_seconds: key({
    says: 'After how many seconds the log is signed, if it has new entries.',
    shape: integer(1, 86_400),
    fallback: 60,
  }),
  heads_to: key({
    says: 'Further copies of signed heads: ["file:/path"], ["https://…"], or a program with its arguments.',
    shape: list(text({ min: 1, max: 4096 }), { max: 20 }),
    fallback: [],
  }),
};

/** `[snapshots]`. */
export const snapshots = {
  keep_days: key({ says: 'How long a change can be undone.', shape: integer(1, 3650), fallback: 30 }),
  max_megabytes: converted(
    {
      says: 'Disk space for the snapshots of one workspace; the copy for comparison may take as much again.',
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
    says: "Files with your own rules, in Sallyport's or gitleaks' format.",
    shape: list(text({ min: 1, max: 4096 }), { max: 50 }),
    fallback: [],
  }),
};

/** The rules of the contract that a guard can implement. */
const auditedRules = [
  ...(['AG-IN-1', 'AG-IN-2', 'AG-IN-4', 'AG-OUT-1', 'AG-OUT-2', 'AG-OUT-3', 'AG-OUT-4'] as const),
  ...(['AG-TOOL-1', 'AG-TOOL-2', 'AG-TOOL-3', 'AG-TOOL-4', 'AG-TOOL-5', 'AG-TOOL-6'] as const),
] as const;

/** `[auditor]`. */
export const auditor = {
  guards: key({
    says: 'Your own guards, which the auditor trusts.',
    shape: list(
      object({
        name: describe(
          'Its name, such as "security.checkPrompt".',
          text({ min: 1, max: 200, pattern: /^[A-Za-z_][\w.]*$/, what: 'a dotted name' }),
        ),
        rules: describe('The contract rules that it satisfies.', list(choice(auditedRules), { max: 20 })),
        throws: describe('It throws instead of returning a result.', optional(flag())),
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
        'Absolute path of a program, and its arguments; it reads and prints one JSON object.',
        judgeProgram,
      ),
    ),
    url: optional(
      describe(
        'Or an address that receives the same object.',
        text({
          max: 2000,
          pattern: /^https?:\/\/[^\s@]+$/,
          what: 'an address that begins with http:// or https://',
        }),
      ),
    ),
    timeout_ms: describe(
      'Time limit of one text; a later answer is ignored.',
      otherwise(1500, integer(50, 60_000)),
    ),
    warn_from: describe('Score from which the model is warned.', otherwise(0.5, number(0, 1))),
    block_from: describe('Score from which the text is withheld.', otherwise(0.95, number(0, 1))),
    origins: describe(
      'Origins of the texts to judge.',
      otherwise(
        ['tool', 'file', 'image'],
        list(choice(['user', 'agent', 'tool', 'file', 'image']), { max: 5 }),
      ),
    ),
    required: describe('Withhold a text that is not judged in time.', otherwise(false, flag())),
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
    says: 'A classifier of untrusted texts, in addition to the rules.',
    shape: inputJudge,
  }),
  provider: key({
    says: 'A Chat Completions provider under `[llm]`; empty: none.',
    shape: text({ max: 32 }),
    fallback: '',
  }),
  model: key({ says: 'The name of the model.', shape: text({ max: 256 }), fallback: '' }),
  timeout_ms: key({
    says: 'Time limit; a response that is not judged in time is blocked.',
    shape: integer(100, 120_000),
    fallback: 10_000,
  }),
  window_characters: key({
    says: 'Characters of a stream judged at once, up to the end of a sentence.',
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
    says: 'Emit spans and metrics to your OpenTelemetry provider; needs the package `@opentelemetry/api`.',
    shape: flag(),
    fallback: false,
  }),
  propagate_to: key({
    says: 'Services that receive the trace context: `llm.NAME`, `servers.NAME`.',
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
    says: 'Without a sandbox: true refuses every command, false asks about each.',
    shape: flag(),
    fallback: true,
  }),
  network: key({
    says: 'Network of commands: "off" none, "host" that of this machine.',
    shape: choice(['off', 'host']),
    fallback: 'off',
  }),
  timeout_ms: key({
    says: 'Time limit of a command.',
    shape: integer(100, longestCommandMs),
    fallback: 120_000,
  }),
  max_output_bytes: key({
    says: 'Most bytes of each output.',
    shape: integer(1024, 67_108_864),
    fallback: 1_048_576,
  }),
  max_processes: key({
    says: 'Most processes and threads of a command.',
    shape: integer(8, 32_768),
    fallback: 512,
  }),
  max_memory_mb: key({
    says: 'Most memory of a command.',
    shape: integer(64, 1_048_576),
    fallback: 4096,
  }),
  max_file_mb: key({
    says: 'Largest file that a command may write.',
    shape: integer(1, 1_048_576),
    fallback: 1024,
  }),
  read_paths: key({
    says: 'Further folders that a command can read.',
    shape: folders,
    fallback: [],
  }),
  path: key({
    says: 'Folders of programs, first in PATH; readable.',
    shape: folders,
    fallback: [],
  }),
};

/** `[shell]`. */
export const transactionalShell = {
  transactional: key({
    says: 'Run commands of `exec` and, after `sallyport init claude`, of Claude Code on an overlay, and judge their changes before they count. Linux only.',
    shape: flag(),
    fallback: false,
  }),
};

/** `[run]`. */
export const run = {
  model: key({
    says: 'Default model: PROVIDER/MODEL, with a provider under `[llm]`.',
    shape: text({
      max: 300,
      pattern: /^(?:[a-z][a-z0-9_-]*\/.+)?$/,
      what: 'a provider, "/" and the name of a model',
    }),
    fallback: '',
  }),
  steps: key({
    says: 'Most turns of the model.',
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
  command: describe('Absolute path of the program, and its arguments; no shell.', program),
  timeout_ms: describe('Time limit; after it, the action is blocked.', otherwise(5000, integer(10, 60_000))),
});

const listOfNames = text({
  max: 4096,
  pattern: /^(?:\/[^\0\n]+)?$/,
  what: 'the absolute path of a file',
});

/** `[packages]`. */
export const packages = {
  npm: key({
    says: 'File with known npm packages, one per line; another new dependency causes a warning.',
    shape: listOfNames,
    fallback: '',
  }),
  pypi: key({ says: 'The same for PyPI.', shape: listOfNames, fallback: '' }),
};
