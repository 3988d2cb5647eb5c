// The worker thread for long input: follows code, judges actions, reads texts, one request after the other. It catches
// no error: the error ends it, and the caller receives it.

import { type MessagePort, parentPort } from 'node:worker_threads';
import {
  type Action,
  Budget,
  type Code,
  type Extraction,
  type Judgement,
  type Kind,
  type Opinion,
  type Origins,
  type Suspect,
  type World,
} from '../core/index.ts';
import { type AnyGuard, carrierGuards, guards, type ListedGuard } from '../guards/index.ts';
import { differenceOf } from './difference.ts';
import type {
  ForeignCheck,
  GuardPlace,
  IsolatedQuestion,
  JudgeAnswer,
  JudgeQuestion,
  RedactAnswer,
} from './isolated.ts';
import { type GuardTable, guardInput, judge, stepBudget, type Tell } from './judge.ts';
import { ownFinder, withOwnRules } from './steps.ts';
import type { Call, Returned } from './worker-pool.ts';
import { closedWorld, realWorld } from './world.ts';

parentPort?.on('message', async (question: IsolatedQuestion & { readonly port: MessagePort }) => {
  parentPort?.postMessage(await answerTo(question));
});

async function answerTo(question: IsolatedQuestion & { readonly port: MessagePort }): Promise<unknown> {
  switch (question.ask) {
    case 'follow':
      return await follow(question.code);
    case 'judge':
      return await judged(question);
    case 'heard':
      return (await provenance()).heardIn(question.text);
    case 'mentions':
      return (await provenance()).readIn(question.text, question.source);
    case 'redact':
      return await redacted(question);
  }
}

async function redacted({
  settings,
  isolation,
  given,
  ...place
}: Extract<IsolatedQuestion, { readonly ask: 'redact' }>): Promise<RedactAnswer> {
  const { egressHere } = await import('./egress.ts');
  const egress = await egressHere(settings, realWorld(isolation), place);
  const { redactions, ...rest } = typeof given === 'string' ? egress.text(given) : egress.value(given);
  if (Object.keys(redactions).length === 0) return 'clean';
  return { left: 'text' in rest ? rest.text : rest.value, redactions };
}

const provenance = () => import('../guards/tool/provenance-session.ts');

/** The facts of code. */
async function follow(code: Code): Promise<unknown> {
  const { kind, source, cwd, home } = code;
  const { loadAnalyses } = await import('../guards/command/index.ts');
  const { withParts } = await import('../guards/command/need.ts');
  const analyses = await loadAnalyses(code, realWorld().readers);
  return await withParts(() => {
    const budget = new Budget(stepBudget);
    return analyses[kind](source, { cwd, home, spend: (steps) => budget.spend(steps) });
  });
}

async function judged(question: JudgeQuestion): Promise<JudgeAnswer> {
  const { context, granted, port, traced } = question;
  // INVARIANT: JSON received here was serialized from an action.
  const action: Action = 'json' in question.action ? JSON.parse(question.action.json) : question.action;
  const call = callsOver(port);
  const world = worldOf(question.world, call);
  const settings = await withOwnRules(question.settings, world);
  const find = await ownFinder(settings, world);
  const looked = new Set<string>();
  const origins: Origins | null = question.origins
    ? // INVARIANT: the requesting thread answers from its own session.
      { checkEach: (groups) => call('origins', groups) as Promise<readonly (readonly Suspect[])[]> }
    : null;
  const input = guardInput(
    context,
    settings,
    world,
    { effects: new Set(granted), looked },
    { origins, ...(find === undefined ? {} : { find }) },
  );
  const reported: Parameters<Tell>[] = [];
  const tell: Tell = (...event) => void reported.push(event);
  const table = tableOf(question.guards, action, call);
  const found = await judge(table, action, input, traced ? tell : undefined);
  port.close();
  return {
    ...found,
    action: differenceOf(found.action, action),
    binding: differenceOf(found.binding, action),
    parts: found.parts.map((part) => ({ ...part, action: differenceOf(part.action, action) })),
    runs: found.runs.map(listed),
    looked: [...looked],
    reported,
  };
}

function listed(run: () => readonly string[]): readonly string[] | null {
  try {
    return run();
  } catch {
    return null;
  }
}

type Calling = (name: string, argument: unknown) => Promise<unknown>;

/** Calls the thread that sent the request, and waits for its result. */
function callsOver(port: MessagePort): Calling {
  const open = new Map<number, (returned: Returned) => void>();
  let number = 0;
  port.on('message', (returned: Returned) => {
    open.get(returned.number)?.(returned);
    open.delete(returned.number);
  });
  return (name, argument) =>
    new Promise((resolve, reject) => {
      const call: Call = { number: ++number, name, argument };
      open.set(call.number, (returned) => {
        if ('value' in returned) resolve(returned.value);
        else reject(Object.assign(new Error(returned.error.message), { name: returned.error.name }));
      });
      port.postMessage(call);
    });
}

/** The world of the requesting thread. INVARIANT: its answers have the type that its world returns. */
function worldOf({ remote, restorable, ...options }: JudgeQuestion['world'], call: Calling): World {
  const { extract: _, ...real } = closedWorld(realWorld(options));
  return {
    ...real,
    followIsolated: follow,
    ...(restorable === undefined ? {} : { restorable: () => restorable }),
    ...(remote.includes('extract')
      ? { extract: (upload) => call('extract', upload) as Promise<Extraction> }
      : {}),
    ...(remote.includes('classify')
      ? { classify: (question) => call('classify', question) as Promise<string | null> }
      : {}),
    ...(remote.includes('opinion')
      ? { opinion: (question) => call('opinion', question) as Promise<Opinion> }
      : {}),
    ...(remote.includes('writtenByAgents')
      ? { writtenByAgents: (texts) => call('writtenByAgents', texts) as Promise<readonly boolean[]> }
      : {}),
    ...(remote.includes('madeBySession')
      ? { madeBySession: (files) => call('madeBySession', files) as Promise<boolean> }
      : {}),
    ...(remote.includes('resolve')
      ? { resolve: (name) => call('resolve', name) as Promise<readonly string[]> }
      : {}),
  };
}

/** The guard table of the requesting thread; its own guards are called there. */
function tableOf(places: JudgeQuestion['guards'], action: Action, call: Calling): GuardTable {
  const guardAt = ({ list, name }: GuardPlace, kind: Kind, place: number): AnyGuard | ListedGuard => {
    const known = (list === 'carrier' ? carrierGuards : guards).find((guard) => guard.name === name);
    return list === 'asker' || known === undefined ? foreign(name, kind, place, action, call) : known;
  };
  return new Map(
    places.map(([kind, entries]) => [kind, entries.map((entry, place) => guardAt(entry, kind, place))]),
  );
}

function foreign(name: AnyGuard['name'], kind: Kind, place: number, whole: Action, call: Calling): AnyGuard {
  return {
    name,
    kinds: [kind],
    rules: [],
    check(action, { parts = [] }) {
      const check: ForeignCheck = { kind, place, action: action === whole ? null : action, parts };
      return call('check', check) as Promise<Judgement>;
    },
  };
}
