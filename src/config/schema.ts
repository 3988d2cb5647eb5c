// What sallyport.toml may say. Each key stands in one place with its shape, its default, and how far a
// workspace file, which agents can write, may move it: adding a key is adding one entry here.

import { targetOf as destinationOf, hitsTarget, parseDestination, type Target } from '../core/destination.ts';
import { hookEvents, type JsonObject, type JsonValue, messageOf, modes } from '../core/index.ts';
import {
  checked,
  choice,
  describe,
  flag,
  type Infer,
  integer,
  list,
  number,
  object,
  optional,
  type Path,
  type Problem,
  record,
  type Shape,
  text,
} from '../core/shape.ts';
import { type OwnRuleValue, ownRules, readOwnRule, stopping, withOwnIds } from './command.ts';
import { type DetectionRule, detectionRule } from './detection.ts';
import { type GuidelineValues, guidelineShape, readGuidelines } from './guidelines.ts';
import { llmShape } from './llm.ts';
import { serversShape } from './servers.ts';
import {
  type AuditedGuard,
  type Autonomy,
  auditedRules,
  autonomies,
  type FetchRule,
  type Guideline,
  type Network,
  networks,
  type OwnRule,
  type Profile,
  profiles,
} from './settings.ts';
import { codeModeShape, sourcesShape } from './sources.ts';
import { checkTools, toolsShape } from './tools.ts';
import { usersShape } from './users.ts';

/** How an untrusted workspace file may move a key: never to something looser than what is below. */
interface Tightening<Value, Effective> {
  /** What the file may say, where that is less than the user's own may. */
  readonly shape: Shape<unknown>;
  apply(below: Effective, value: Value): Effective;
}

/** One key of the file: its shape, and how the levels make one effective value of it. */
export interface Key<Value, Effective = Value> extends Shape<Value> {
  readonly optional: true;
  readonly fallback: Value;
  own(value: Value): Effective;
  /** What a trusted workspace file makes of the value below it. */
  merge(below: Effective, value: Value): Effective;
  /** Null if only a trusted file may have the key. */
  readonly tighten: Tightening<Value, Effective> | null;
}

interface KeySpec<Value extends JsonValue, Effective> {
  readonly says: string;
  readonly shape: Shape<Value>;
  readonly fallback: Value;
  readonly tighten?: { readonly shape?: Shape<unknown>; apply(below: Effective, value: Value): Effective };
}

function key<Value extends JsonValue>(spec: KeySpec<Value, Value>): Key<Value> {
  return keyWith(spec, { own: (value) => value, merge: (_, value) => value });
}

function keyWith<Value extends JsonValue, Effective>(
  spec: KeySpec<Value, Effective>,
  levels: Pick<Key<Value, Effective>, 'own' | 'merge'>,
): Key<Value, Effective> {
  const { says, shape, fallback, tighten } = spec;
  return {
    schema: { ...shape.schema, description: says, default: fallback },
    optional: true,
    read: shape.read,
    fallback,
    ...levels,
    tighten: tighten ? { shape: tighten.shape ?? shape, apply: tighten.apply } : null,
  };
}

const destination = checked(text({ min: 1, max: 512, what: 'a destination' }), (value, path, report) => {
  try {
    parseDestination(value);
  } catch (error) {
    report({ path, message: messageOf(error) });
  }
});

const allowlist = list(destination, { max: 10_000 });

const lower = { apply: Math.min };

const fetchRuleFields = object({
  id: describe(
    'The name of the rule in findings.',
    text({ max: 64, pattern: /^[a-z][a-z0-9_]*$/, what: 'a name of small letters, digits and "_"' }),
  ),
  host: describe('The destination that the rule is about, as in an allowlist.', destination),
  decision: describe('What happens to a request that the rule hits.', choice(['block', 'approve', 'warn'])),
  reason: describe('Why, in one plain sentence.', text({ min: 1, max: 500 })),
  examples: describe(
    'URLs that prove the rule: it loads only if each "hit" is hit and no "miss" is.',
    object({
      hit: checked(list(text({ min: 1, max: 4096 }), { max: 100 }), (urls, path, report) => {
        if (urls.length === 0) report({ path, message: 'must have at least one URL that the rule hits' });
      }),
      miss: optional(list(text({ min: 1, max: 4096 }), { max: 100 })),
    }),
  ),
});

type FetchRuleValue = Infer<typeof fetchRuleFields>;

/** A rule whose examples do not hold is not the rule that was meant, so it does not load. */
const fetchRule = checked(fetchRuleFields, ({ host, examples }, path, report) => {
  for (const expected of ['hit', 'miss'] as const) {
    for (const [index, url] of (examples[expected] ?? []).entries()) {
      const at = [...path, 'examples', expected, index];
      const target = targetOf(url);
      if (target === undefined) report({ path: at, message: 'is not a URL that a request could go to' });
      else if (hitsTarget(parseDestination(host), target) !== (expected === 'hit')) {
        const message = expected === 'hit' ? 'the rule does not hit this URL' : 'the rule hits this URL';
        report({ path: at, message: `${message}, against its example` });
      }
    }
  }
});

function targetOf(url: string): Target | undefined {
  const parsed = URL.parse(url);
  return parsed === null ? undefined : destinationOf(parsed);
}

const fetchRules = withOwnIds(list(fetchRule, { max: 1000 }));

function withRules(below: readonly FetchRule[], rules: readonly FetchRuleValue[]): readonly FetchRule[] {
  return [...below, ...rules.map(ownRule)];
}

function ownRule(rule: FetchRuleValue): FetchRule {
  return { ...rule, examples: { hit: rule.examples.hit, miss: rule.examples.miss ?? [] } };
}

type Treatment = 'redact' | 'reject';
const rejecting = (below: Treatment, value: Treatment): Treatment => (value === 'reject' ? value : below);

/** The stricter of two. */
export function strictest<A extends Autonomy>(one: A, other: A): A {
  return autonomies.indexOf(one) <= autonomies.indexOf(other) ? one : other;
}

const agent = {
  profile: key<Profile>({
    says: 'How a guard treats what it does not know: developer asks, strict blocks.',
    shape: choice(profiles),
    fallback: 'developer',
    tighten: { apply: (below, value) => (value === 'strict' ? 'strict' : below) },
  }),
  mode: key({
    says: 'The permission mode of a session that names none.',
    shape: choice(modes),
    fallback: 'default',
  }),
  autonomy: key<'manual' | 'hybrid'>({
    says: 'How far the agent goes by itself: "manual" changes no file, with "hybrid" a person looks at every change. Where nothing is said, a person looks at what is proposed, and other writes go by the mode.',
    shape: choice(['manual', 'hybrid']),
    fallback: 'hybrid',
    tighten: { apply: strictest },
  }),
  egress_allowlist: keyWith<readonly string[], readonly (readonly string[])[]>(
    {
      says: 'Where requests may go without asking.',
      shape: allowlist,
      fallback: [],
      tighten: { apply: (below, value) => [...below, value] },
    },
    { own: (value) => [value], merge: (_, value) => [value] },
  ),
  pii_text: key<Treatment>({
    says: 'What happens to personal data and secrets in a text: redact takes them out, reject blocks the text.',
    shape: choice(['redact', 'reject']),
    fallback: 'redact',
    tighten: { apply: rejecting },
  }),
  pii_files: key<Treatment>({
    says: 'The same in files and pictures; redact works for plain text alone, any other file is rejected.',
    shape: choice(['redact', 'reject']),
    fallback: 'reject',
    tighten: { apply: rejecting },
  }),
  injection_block: key({
    says: "How certain it must be that a user's text tries to command the model for it to be blocked; it can only be lowered.",
    shape: number(0.25, 0.75),
    fallback: 0.75,
    tighten: lower,
  }),
  injection_block_untrusted: key({
    says: 'The same for what tools, files and pictures bring.',
    shape: number(0.25, 0.7),
    fallback: 0.7,
    tighten: lower,
  }),
  injection_warn: key({
    says: 'The same for a warning about either; the profile strict blocks from here on.',
    shape: number(0.25, 0.5),
    fallback: 0.5,
    tighten: lower,
  }),
  user_id_arguments: keyWith<readonly string[], readonly string[]>(
    {
      says: "Arguments of any tool that hold a user's id: a name, or a JSON Pointer.",
      shape: list(text({ min: 1, max: 256 }), { max: 100 }),
      fallback: [],
      tighten: { apply: (below, value) => [...below, ...value] },
    },
    { own: (value) => value, merge: (below, value) => [...below, ...value] },
  ),
};

const writable = list(checked(text({ min: 1, max: 4096, what: 'a path' }), checkWritable), { max: 1000 });

const workspace = {
  allowed_paths: key({
    says: 'What may be written from this workspace, beside `[write] allowed_paths` and in the same form.',
    shape: writable,
    fallback: [],
  }),
  autonomy: key<Autonomy>({
    says: 'How far agents go by themselves here: beside "manual" and "hybrid", "autonomous" applies what passes every guard and fits the budgets of `[changes]`. The stricter of this and what the agent has counts.',
    shape: choice(autonomies),
    fallback: 'hybrid',
  }),
  egress_allowlist: key({
    says: 'Where requests may go from this workspace, beside where the agent may go anyway.',
    shape: allowlist,
    fallback: [],
  }),
};

const daemon = {
  port: key({
    says: 'The port on the local machine; 0 takes any free one.',
    shape: integer(0, 65_535),
    fallback: 4719,
  }),
  body_limit_bytes: key({
    says: 'Largest request body that is read.',
    shape: integer(1024, 67_108_864),
    fallback: 4_194_304,
  }),
};

const approvals = {
  expiry_seconds: key({
    says: 'How long a person has to answer.',
    shape: integer(5, 3600),
    fallback: 300,
  }),
  max_pending: key({
    says: 'How many questions may wait at once.',
    shape: integer(1, 1000),
    fallback: 100,
  }),
  change_expiry_seconds: key({
    says: 'How long a proposed change waits for its review.',
    shape: integer(60, 2_592_000),
    fallback: 86_400,
  }),
  max_changes: key({
    says: 'How many proposed changes may wait at once.',
    shape: integer(1, 1000),
    fallback: 100,
  }),
};

/** A budget that `autonomous` has to fit in. */
const most = (says: string, fallback: number) =>
  key({ says, shape: integer(0, 1_000_000_000), fallback, tighten: lower });

const changes = {
  undecided: key<'reject' | 'accept'>({
    says: 'What becomes of hunks that nobody decided about when the rest of a change is applied.',
    shape: choice(['reject', 'accept']),
    fallback: 'reject',
    tighten: { apply: (below, value) => (value === 'reject' ? value : below) },
  }),
  suggest_only: key({
    says: 'Proposed changes are reviewed and leave receipts, and no file is written.',
    shape: flag(),
    fallback: false,
    tighten: { apply: (below, value) => below || value },
  }),
  run_files: most('Most files that "autonomous" changes in one run.', 50),
  run_bytes: most('Most bytes that "autonomous" writes in one run.', 1_048_576),
  run_cost_cents: most('What the model of one run may cost before "autonomous" asks, in US cents.', 500),
  day_files: most('Most files that "autonomous" changes in a workspace within 24 hours.', 500),
  day_bytes: most('Most bytes that "autonomous" writes in a workspace within 24 hours.', 10_485_760),
  day_cost_cents: most(
    'What the models may cost within 24 hours before "autonomous" asks, in US cents.',
    5000,
  ),
};

const ledger = {
  key: key({
    says: "The key that wraps a shared store's own keys: 64 hexadecimal digits, the same for every daemon.",
    shape: text({ max: 64, pattern: /^(?:[0-9a-fA-F]{64})?$/, what: '64 hexadecimal digits' }),
    fallback: '',
  }),
  ca: key({
    says: "A file with the certificate that the database server's is signed by; with it, TLS is required.",
    shape: text({ max: 4096 }),
    fallback: '',
  }),
  pool_size: key({
    says: 'Most connections to the database server.',
    shape: integer(2, 100),
    fallback: 10,
  }),
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
  heads_to: key<readonly string[]>({
    says: 'Where signed heads go besides the store: ["file:/path"], ["https://…"], or a program with its arguments.',
    shape: list(text({ min: 1, max: 4096 }), { max: 20 }),
    fallback: [],
  }),
};

const snapshots = {
  keep_days: key({
    says: 'How long a change can be taken back.',
    shape: integer(1, 3650),
    fallback: 30,
  }),
  max_megabytes: key({
    says: 'How much the snapshots of one workspace may take; the copy that commands are compared with may take as much again.',
    shape: integer(1, 1_048_576),
    fallback: 1024,
  }),
};

const fetch = {
  timeout_ms: key({
    says: 'How long one request may take.',
    shape: integer(100, 600_000),
    fallback: 30_000,
    tighten: lower,
  }),
  max_response_bytes: key({
    says: 'Largest response body that is read.',
    shape: integer(1, 1_073_741_824),
    fallback: 10_485_760,
    tighten: lower,
  }),
  max_redirects: key({
    says: 'How many redirects are followed, each one judged again.',
    shape: integer(0, 20),
    fallback: 5,
    tighten: lower,
  }),
  rules: keyWith<readonly FetchRuleValue[], readonly FetchRule[]>(
    {
      says: 'Rules of your own about destinations.',
      shape: fetchRules,
      fallback: [],
      tighten: { shape: stopping(fetchRules), apply: withRules },
    },
    { own: (rules) => rules.map(ownRule), merge: withRules },
  ),
};

const detect = {
  packs: key<readonly string[]>({
    says: "Files with rules of your own, in this product's form or in gitleaks'.",
    shape: list(text({ min: 1, max: 4096 }), { max: 50 }),
    fallback: [],
  }),
};

const auditor = {
  guards: key<readonly AuditedGuard[]>({
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

const added = (below: readonly DetectionRule[], rules: readonly DetectionRule[]) => [...below, ...rules];

const egress = {
  redaction_rules: keyWith<readonly DetectionRule[], readonly DetectionRule[]>(
    {
      says: 'Rules of your own about what is taken out of texts that leave.',
      shape: list(detectionRule, { max: 1000 }),
      fallback: [],
      tighten: { apply: added },
    },
    { own: (rules) => rules, merge: added },
  ),
};

const withGuidelines = (below: readonly Guideline[], values: GuidelineValues) => [
  ...below,
  ...readGuidelines(values),
];

const guidelines = {
  refusal: key({
    says: 'What is said instead of a response that goes against a guideline.',
    shape: text({ min: 1, max: 2000 }),
    fallback: 'I cannot help with that.',
  }),
  categories: keyWith<GuidelineValues, readonly Guideline[]>(
    {
      says: 'Guidelines of your own, by name.',
      shape: guidelineShape,
      fallback: {},
      tighten: { apply: withGuidelines },
    },
    { own: readGuidelines, merge: withGuidelines },
  ),
};

const judge = {
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

const judgeSection = checked(object(judge), ({ provider, model }, path, report) => {
  if ((provider ?? '') === '' || (model ?? '') === '') {
    report({ path, message: 'a judge has a "provider" and a "model"' });
  }
});

const telemetry = {
  enabled: key({
    says: 'Whether spans and metrics go to the provider of OpenTelemetry that you registered; it needs the package `@opentelemetry/api`.',
    shape: flag(),
    fallback: false,
  }),
  propagate_to: key<readonly string[]>({
    says: 'Services that are told which trace a request belongs to: `llm.NAME` for a provider, `servers.NAME` for an MCP server over HTTP.',
    shape: list(
      text({ max: 80, pattern: /^(?:llm|servers)\.[\w-]{1,64}$/, what: '"llm.NAME" or "servers.NAME"' }),
      { max: 100 },
    ),
    fallback: [],
  }),
};

const paths = list(text({ min: 1, max: 4096, what: 'a path' }), { max: 1000 });
const morePaths = (below: readonly string[], value: readonly string[]) => [...below, ...value];

const write = {
  blocked_paths: keyWith<readonly string[], readonly string[]>(
    {
      says: 'Files and folders that agents never write, by their way from the workspace.',
      shape: paths,
      fallback: [],
      tighten: { apply: morePaths },
    },
    { own: (value) => value, merge: morePaths },
  ),
  blocked_patterns: keyWith<readonly string[], readonly string[]>(
    {
      says: 'Patterns of files that agents never write: `*` stands for anything within a name, `**` across names.',
      shape: paths,
      fallback: [],
      tighten: { apply: morePaths },
    },
    { own: (value) => value, merge: morePaths },
  ),
  allowed_paths: key<readonly string[]>({
    says: 'Absolute: folders beside the workspace that may be written to. Otherwise: protected files of the workspace that agents may write all the same.',
    shape: writable,
    fallback: [],
    tighten: { apply: inBoth },
  }),
};

/** The folders that both lists allow: of two that lie one in the other, the inner one. */
function inBoth(below: readonly string[], value: readonly string[]): readonly string[] {
  const within = (some: readonly string[], others: readonly string[]) =>
    some.filter((path) =>
      others.some((folder) => `${path}/`.startsWith(folder === '/' ? '/' : `${folder}/`)),
    );
  return [...new Set([...within(below, value), ...within(value, below)])];
}

const withOwn = (below: readonly OwnRule[], rules: readonly OwnRuleValue[]): readonly OwnRule[] => [
  ...below,
  ...rules.map(readOwnRule),
];

const rules = keyWith<readonly OwnRuleValue[], readonly OwnRule[]>(
  {
    says: 'Rules of your own about commands.',
    shape: ownRules,
    fallback: [],
    tighten: { shape: stopping(ownRules), apply: withOwn },
  },
  { own: (values) => values.map(readOwnRule), merge: withOwn },
);

const folders = list(
  text({ min: 2, max: 4096, pattern: /^(?:\/[^/:\0]+)+$/, what: 'the absolute path of a folder' }),
  { max: 50 },
);

const sandbox = {
  required: key({
    says: 'Where no sandbox can be made: true refuses every command, false asks a person for each.',
    shape: flag(),
    fallback: true,
  }),
  network: key<Network>({
    says: 'What a command reaches: "off" nothing, "host" all that this machine does.',
    shape: choice(networks),
    fallback: 'off',
  }),
  timeout_ms: key({
    says: 'How long a command may take.',
    shape: integer(100, 86_400_000),
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
  read_paths: key<readonly string[]>({
    says: "Folders that a command can read beside the system's and the workspace.",
    shape: folders,
    fallback: [],
  }),
  path: key<readonly string[]>({
    says: "Folders with programs that come before the system's; they can be read.",
    shape: folders,
    fallback: [],
  }),
};

const run = {
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
    says: 'How long a call waits for a person before the model is told that nobody said yes.',
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

/** How long a program of the user's own may take, in milliseconds, where it says nothing else. */
export const hookTimeout = 5000;

const hook = object({
  event: describe('When it runs.', choice(hookEvents)),
  command: describe('The program, by its absolute path, and its arguments. No shell reads it.', program),
  timeout_ms: describe(
    'How long it may take; what takes longer is blocked. 5000 where nothing is said.',
    optional(integer(10, 60_000)),
  ),
});

/** The files with policies: the user's own, and those of the workspace, which may only forbid. */
export interface PolicyFiles {
  readonly own: readonly string[];
  readonly workspace: readonly string[];
}

const policyFiles = list(text({ min: 1, max: 4096, what: 'a path' }), { max: 50 });
const withWorkspaceFiles = (below: PolicyFiles, workspace: readonly string[]) => ({ ...below, workspace });

const policy = {
  files: keyWith<readonly string[], PolicyFiles>(
    {
      says: "Files with Cedar policies: absolute paths; in a workspace's file, paths inside the workspace, and policies that only forbid.",
      shape: policyFiles,
      fallback: [],
      tighten: { apply: withWorkspaceFiles },
    },
    { own: (own) => ({ own, workspace: [] }), merge: withWorkspaceFiles },
  ),
  default: key<'permit' | 'deny'>({
    says: 'What happens to an action that the guards let through and no policy of your own permits.',
    shape: choice(['permit', 'deny']),
    fallback: 'permit',
    tighten: { apply: (below, value) => (value === 'deny' ? 'deny' : below) },
  }),
};

const listOfNames = text({
  max: 4096,
  pattern: /^(?:\/[^\0\n]+)?$/,
  what: 'the absolute path of a file',
});

const packages = {
  npm: key({
    says: 'A file with the names of all npm packages that are known, one on each line; a new dependency that is not in it is warned of.',
    shape: listOfNames,
    fallback: '',
  }),
  pypi: key({
    says: 'The same for packages of PyPI.',
    shape: listOfNames,
    fallback: '',
  }),
};

/** The keys of each section, and `rules`, which is a key of its own. */
export const keys = {
  daemon,
  approvals,
  ledger,
  snapshots,
  fetch,
  detect,
  auditor,
  egress,
  guidelines,
  judge,
  sandbox,
  run,
  telemetry,
  write,
  changes,
  packages,
  policy,
  agent,
  workspace,
  rules,
};

/** The shape of the whole file. */
export const fileShape = object({
  daemon: describe('The daemon that hooks and clients talk to.', optional(object(daemon))),
  store: describe(
    'Where records live: "sqlite", a file in the home, or postgres://user:password@host/database.',
    optional(
      text({
        max: 2048,
        pattern: /^(?:sqlite|postgres(?:ql)?:\/\/.+)$/,
        what: '"sqlite" or a postgres:// address',
      }),
    ),
  ),
  approvals: describe('Questions that wait for a person.', optional(object(approvals))),
  ledger: describe('The records and how they are kept.', optional(object(ledger))),
  snapshots: describe(
    'What files were before changes, and how long that is kept.',
    optional(object(snapshots)),
  ),
  hooks: describe(
    'Programs of your own that are asked at a moment of a session, in this order.',
    optional(list(hook, { max: 50 })),
  ),
  llm: describe(
    'Providers of models that the proxy sends requests to. `openai` and `anthropic` are there without a word.',
    optional(llmShape),
  ),
  fetch: describe('Requests to the network.', optional(object(fetch))),
  detect: describe('What texts are searched for.', optional(object(detect))),
  auditor: describe('What the static auditor knows of your agents.', optional(object(auditor))),
  egress: describe('What leaves: to a browser, to a model, into our records.', optional(object(egress))),
  guidelines: describe('What no response of a model may do.', optional(object(guidelines))),
  judge: describe(
    'A model that judges responses by the guidelines, beside the rules.',
    optional(judgeSection),
  ),
  sandbox: describe('How commands are run.', optional(object(sandbox))),
  run: describe('Tasks that `sallyport run` works on.', optional(object(run))),
  telemetry: describe('What a tracer of yours is told of the work.', optional(object(telemetry))),
  write: describe('Files that agents change.', optional(object(write))),
  changes: describe('Changes that agents propose.', optional(object(changes))),
  packages: describe('Packages that agents add to manifests.', optional(object(packages))),
  rules,
  policy: describe('Policies in Cedar over the whole decision.', optional(object(policy))),
  agents: describe(
    'What each agent may do; "default" speaks for every agent, key by key, unless its own section has the key.',
    optional(checked(record(object(agent)), checkAgentNames)),
  ),
  tools: describe('Tools of your own.', optional(checked(toolsShape, checkTools))),
  code_mode: describe(
    'What sources allow of queries, unless their own section says otherwise.',
    optional(codeModeShape),
  ),
  sources: describe('Where queries may go, by name.', optional(sourcesShape)),
  servers: describe('MCP servers that calls are handed on to, by name.', optional(serversShape)),
  users: describe('People who come in to the console by a name and a passphrase.', optional(usersShape)),
  workspaces: describe(
    'What is added in a workspace, by its absolute real path.',
    optional(checked(record(object(workspace)), checkWorkspacePaths)),
  ),
});

/** What a file says, as it was read. */
export type ConfigFile = Infer<typeof fileShape>;

function checkAgentNames(agents: object, path: Path, report: (problem: Problem) => void): void {
  for (const name of Object.keys(agents)) {
    if (name === '' || name.length > 128) {
      report({ path: [...path, name], message: 'an agent has a name of 1 to 128 characters' });
    }
  }
}

function checkWorkspacePaths(workspaces: object, path: Path, report: (problem: Problem) => void): void {
  for (const name of Object.keys(workspaces)) {
    if (!isCleanPath(name)) {
      const message = 'a workspace is named by its absolute path, without "." or ".." or a slash at its end';
      report({ path: [...path, name], message });
    }
  }
}

/** An absolute path, or the way to a file from the workspace. */
function checkWritable(file: string, path: Path, report: (problem: Problem) => void): void {
  if (isCleanPath(file) || (!file.startsWith('~') && isCleanPath(`/${file}`))) return;
  report({ path, message: 'must be a path without "." or ".." or a slash at its end' });
}

function isCleanPath(path: string): boolean {
  return path === '/' || (/^(?:\/[^/\0]+)+$/.test(path) && !/\/\.{1,2}(?=\/|$)/.test(path));
}

/** Sections that speak for the whole machine: no workspace file may have them, trusted or not. */
const machineSections: readonly (keyof ConfigFile)[] = [
  ...([
    'daemon',
    'store',
    'approvals',
    'ledger',
    'snapshots',
    'hooks',
    'llm',
    'judge',
    'detect',
    'auditor',
    'sandbox',
    'run',
    'telemetry',
    'packages',
    'code_mode',
    'sources',
    'servers',
    'users',
  ] as const),
];

/** What a workspace file says and may not, given what it says by the shape of the file. */
export function workspaceProblems(file: ConfigFile, trusted: boolean): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (problem: Problem) => problems.push(problem);
  for (const name of machineSections) {
    if (file[name] !== undefined) {
      report({
        path: [name],
        message: `"${name}" belongs in your own file; a workspace file may not have it`,
      });
    }
  }
  if (trusted) return problems;
  for (const name of ['workspaces', 'tools'] as const) {
    if (file[name] !== undefined) {
      report({ path: [name], message: `"${name}" is refused here: ${untrustedHint}` });
    }
  }
  tighteningProblems(fetch, file.fetch ?? {}, ['fetch'], report);
  tighteningProblems(egress, file.egress ?? {}, ['egress'], report);
  tighteningProblems(guidelines, file.guidelines ?? {}, ['guidelines'], report);
  tighteningProblems(write, file.write ?? {}, ['write'], report);
  tighteningProblems(changes, file.changes ?? {}, ['changes'], report);
  if (file.rules !== undefined) tighteningProblems({ rules }, { rules: file.rules }, [], report);
  tighteningProblems(policy, file.policy ?? {}, ['policy'], report);
  for (const [name, section] of Object.entries(file.agents ?? {})) {
    tighteningProblems(agent, section, ['agents', name], report);
  }
  return problems;
}

const untrustedHint = 'a workspace file that is not trusted may only narrow what you allow';

function tighteningProblems(
  known: Readonly<Record<string, { readonly tighten: { readonly shape: Shape<unknown> } | null }>>,
  section: Readonly<Record<string, unknown>>,
  path: Path,
  report: (problem: Problem) => void,
): void {
  for (const name of Object.keys(section)) {
    const tighten = known[name]?.tighten ?? null;
    if (tighten !== null) tighten.shape.read(section[name], [...path, name], report);
    else report({ path: [...path, name], message: `"${name}" is refused here: ${untrustedHint}` });
  }
}

/** The JSON Schema of the file, for editors. */
export function configSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Sallyport configuration',
    description: 'sallyport.toml: what agents may do on this machine.',
    ...fileShape.schema,
  };
}
