// What guards, by name, and what each can clear.
//
// A name is a path such as `openai:default().chat.completions.create`: the module, what is imported from it, members, and
// `()` where something was called or made. What is handed in from outside has no module: `:guard.input.check`.

import { folded } from '../ir.ts';

/** What a guard can clear, one bit each. */
export const kinds = {
  injection: 1,
  pii: 2,
  secrets: 4,
  policy: 8,
  tool: 16,
  approval: 32,
  snapshot: 64,
  egress: 128,
  owner: 256,
} as const;
export type Kinds = number;

export const everything: Kinds = 511;

/** A property of a result: what an approval clears, and what a refusal stops where that is more. */
interface GuardTest {
  readonly kinds: Kinds;
  /** True says no. */
  readonly bad: boolean;
  readonly refuses?: Kinds;
}

export interface Guard {
  readonly name: string;
  readonly kinds: Kinds;
  /** Its result is a promise; null where its name does not tell. */
  readonly async: boolean | null;
  /**
   * How it guards: by a result that is looked at or handed on, by what it does, by throwing, or by standing around the
   * model or the tools.
   */
  readonly form: 'result' | 'effect' | 'throws' | 'model' | 'tools' | 'stream' | 'generate';
  /** What a property of the result clears when it is tested. */
  readonly tests?: Readonly<Record<string, GuardTest>>;
  /** The properties whose value may go on as it is, and for what. */
  readonly values?: Readonly<Record<string, Kinds>>;
  /** A result that is true approves; absent where the meaning is unknown. */
  readonly yes?: boolean;
  /** It records what it refuses by itself. */
  readonly audits: boolean;
}

const { injection, pii, secrets, policy, tool, approval, snapshot, egress, owner } = kinds;

const checkedText = (cleared: Kinds) => ({
  async: true,
  form: 'result' as const,
  kinds: cleared,
  tests: {
    blocked: { kinds: cleared & ~pii, bad: true },
    needsApproval: { kinds: 0, bad: true, refuses: cleared & ~pii },
    needs_approval: { kinds: 0, bad: true, refuses: cleared & ~pii },
    decision: { kinds: cleared & ~pii, bad: false },
  },
  values: { text: cleared },
  audits: true,
});

const validated = {
  async: true,
  form: 'result' as const,
  kinds: tool | approval,
  tests: {
    blocked: { kinds: tool, bad: true },
    needsApproval: { kinds: approval, bad: true },
    needs_approval: { kinds: approval, bad: true },
  },
  values: { arguments: owner },
  audits: true,
};

interface NamedGuard extends Guard {
  readonly match: RegExp;
}

/** A path that ends so, from wherever the guard was handed in or imported; something made on the spot is another. */
function ending(names: string): RegExp {
  return new RegExp(`^(?!:\\w+\\(\\))(?!types:|unittest|collections:)[^:]*(:[^:]*)?:(.*\\.)?${names}$`);
}

/** The product's own guards, by their paths. */
const ownGuards: readonly NamedGuard[] = [
  { name: 'input.check', match: ending('input\\.check'), ...checkedText(injection | pii) },
  {
    name: 'output.check',
    match: ending('output\\.check'),
    ...checkedText(secrets | policy),
  },
  { name: 'tool.validate', match: ending('tool\\.validate'), ...validated },
  {
    name: 'output.stream',
    match: ending('output\\.stream'),
    kinds: secrets | policy,
    async: true,
    form: 'stream',
    // That nothing was found so far says nothing about a piece that went past it.
    tests: {},
    audits: true,
  },
  {
    name: 'guardedGenerate',
    match: /^sallyport[^:]*:(\*\.)?(guarded_?[gG]enerate|.*\(\)\.generate)$/,
    kinds: injection | pii | secrets | policy,
    async: true,
    form: 'generate',
    audits: true,
  },
  {
    name: 'sallyportMiddleware',
    match: /:(\*\.)?sallyport_?[mM]iddleware$/,
    kinds: injection | pii | secrets | policy,
    async: false,
    form: 'model',
    audits: true,
  },
  {
    name: 'guardTools',
    match: /:(\*\.)?guard_?[tT]ools$/,
    kinds: tool | approval | owner,
    async: true,
    form: 'tools',
    audits: true,
  },
  {
    name: 'guardedFetch',
    match: /:(.*\.)?(guarded_?[fF]etch|guarded_?[cC]lient(\(\))?\.\w+|guarded_http\.\w+)$/,
    kinds: egress,
    async: true,
    form: 'effect',
    audits: true,
  },
];

/** Guards that are known by name wherever they come from, written as they are folded. */
const namedGuards: Readonly<Record<string, { readonly kinds: Kinds; readonly methods?: RegExp }>> = {
  promptinjectiondetector: { kinds: injection },
  piiredactor: { kinds: pii },
  secretleakdetector: { kinds: secrets },
  policyviolationclassifier: { kinds: policy },
  toolregistry: { kinds: tool, methods: /^valid/ },
  workspacesnapshot: { kinds: snapshot, methods: /^(capture|create|take|begin)/ },
  requiresexplicitapproval: { kinds: approval },
  egressallowlist: { kinds: egress },
};

/** Questions to a person; an approval is a result like any other. */
const asksPerson =
  /^(ask|request|require|await|wait_?for|get|need|seek|obtain)?_?(for_?)?(user|human|explicit|operator)?_?(approv(al|e|ed)|confirm(ation|ed)?|consent|permission)(_?from_?\w+)?$/i;

/** A method that throws instead of telling. */
const throwing =
  /^(assert|ensure|enforce|must|raise|throw|require)|(_or_raise|_or_throw|OrThrow|OrRaise|OrFail)$/;

/** A method of a detector whose result, where there is one, is what it found. */
const finding = /^(scan|detect|find|search|analy[sz]e|classify)/i;

/** A guard that the configuration names. */
export interface ConfiguredGuard {
  /** A dotted name, such as `security.checkPrompt`; any path that ends with it is this guard. */
  readonly name: string;
  /** The rules that it stands for. */
  readonly rules: readonly string[];
  /** It throws instead of giving a result. */
  readonly throws?: boolean;
}

/** What a guard clears that stands for a rule. */
const ofRule: Readonly<Record<string, Kinds>> = {
  'AG-IN-1': injection,
  'AG-IN-2': pii,
  'AG-IN-4': injection | pii,
  'AG-OUT-1': secrets,
  'AG-OUT-2': policy,
  'AG-OUT-3': tool,
  'AG-OUT-4': secrets,
  'AG-TOOL-1': tool,
  'AG-TOOL-2': snapshot,
  'AG-TOOL-3': approval,
  'AG-TOOL-4': approval,
  'AG-TOOL-5': owner,
  'AG-TOOL-6': egress,
};

/** Finds the guard that a callee's path names. */
export class Guards {
  readonly #configured: readonly { readonly ending: string; readonly guard: Guard }[];
  readonly #memory = new Map<string, Guard | null>();

  constructor(configured: readonly ConfiguredGuard[] = []) {
    this.#configured = configured.map(({ name, rules, throws = false }) => {
      const cleared = rules.reduce((all, rule) => all | (ofRule[rule] ?? 0), 0);
      const form = throws ? 'throws' : cleared === snapshot ? 'effect' : 'result';
      return { ending: folded(name), guard: { name, kinds: cleared, async: null, form, audits: false } };
    });
  }

  find(path: string): Guard | null {
    const known = this.#memory.get(path);
    if (known !== undefined) return known;
    const found = this.#look(path);
    this.#memory.set(path, found);
    return found;
  }

  #look(path: string): Guard | null {
    const plain = folded(path.replaceAll('()', ''));
    for (const { ending, guard } of this.#configured) {
      if (plain.endsWith(ending) && /(^|[.:*])$/.test(plain.slice(0, -ending.length))) return guard;
    }
    const own = ownGuards.find(({ match }) => match.test(path));
    if (own !== undefined) return own;
    const names = path.slice(path.lastIndexOf(':') + 1).split('.');
    const method = bare(names.at(-1) ?? '');
    const index = names.findIndex((written) => namedGuards[detectorName(written)] !== undefined);
    if (index >= 0) return namedGuard(names, index);
    if (asksPerson.test(method)) {
      return {
        name: method,
        kinds: approval,
        async: path !== ':confirm',
        form: 'result',
        yes: true,
        audits: false,
      };
    }
    return null;
  }
}

/** A name without the marks of calls. */
function bare(name: string): string {
  return name.replaceAll('()', '');
}

/** Making a detector is not asking it. */
function makes(written: string): boolean {
  return /^(new)?[A-Z]/.test(written) && !/^EGRESS|^[A-Z_]+$/.test(written);
}

/** The folded name of a detector, which a function of Go makes whose name begins with `new`. */
function detectorName(written: string): string {
  return folded(bare(written)).replace(/^new(?=.)/, '');
}

/** The guard whose name stands at this place of a path; null where it is not asked. */
function namedGuard(names: readonly string[], index: number): Guard | null {
  const written = names[index] ?? '';
  const entry = namedGuards[detectorName(written)];
  if (entry === undefined) return null;
  const method = bare(names.at(-1) ?? '');
  const last = index === names.length - 1;
  if (last && makes(written)) return null;
  if (entry.methods !== undefined && (last || !entry.methods.test(folded(method)))) return null;
  const named = entry.methods === undefined && !last ? `${bare(written)}.${method}` : '';
  const { kinds } = entry;
  const finds = (kinds & (injection | secrets | policy)) !== 0 && (last || finding.test(method));
  const base = { name: named || bare(names.slice(index).join('.')), kinds, audits: false };
  if (kinds === snapshot) return { ...base, async: !/Sync$/.test(method), form: 'effect' };
  return {
    ...base,
    async: null,
    form: last || !throwing.test(method) ? 'result' : 'throws',
    ...(kinds === approval ? { tests: { '': { kinds: approval, bad: true } } } : {}),
    ...(finds || kinds === egress ? { yes: !finds } : {}),
  };
}

/** Whether a name is one of a guard, as in an import that nobody uses or in a comment. */
export function kindsNamed(text: string): Kinds {
  const plain = folded(text);
  let found = 0;
  for (const [name, { kinds: cleared }] of Object.entries(namedGuards))
    if (plain.includes(name)) found |= cleared;
  return found;
}

/** Where the product itself is asked over HTTP. */
export const decideAddress = /\/v1\/decide\b/;

/** Where the product itself is asked in the same process. */
export const decideCall = /(^|[.:])decider\.decide$/;

/** What a verdict clears, by the kind of the action. */
export const decideKinds: Readonly<Record<string, Kinds>> = {
  prompt: injection | pii,
  response: secrets | policy,
  tool: tool | approval | owner,
  fetch: egress,
};
