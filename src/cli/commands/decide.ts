// sallyport decide: verdicts for actions in JSON, recorded in the ledger; one line in gives one line out, in order.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { daemon as daemonKeys } from '../../config/sections/machine.ts';
import {
  decisions,
  type ExitCode,
  exitCodes,
  InputError,
  isJsonObject,
  type JsonValue,
  messageOf,
  parseJson,
  SallyportError,
  toWire,
  UsageError,
} from '../../core/index.ts';
import { choice, readShape } from '../../core/shape.ts';
import { createDryDecider, type Decider, type RequestOptions, readRequest } from '../../decide/index.ts';
import { judging } from '../../run/judge.ts';
import { askDaemon } from '../client.ts';
import { type Call, type Command, flagsOf, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { type Line, readLines } from '../lines.ts';
import { localAsker, openConfig, openHome } from '../open.ts';
import { exitCodeOf } from '../show.ts';
import { needsRoot, type SystemHere, systemHere } from '../system/here.ts';

/** How long a daemon may take for one verdict. */
const answerMs = 60_000;

/** Lines that are judged at the same time; their records share commits. Fewer than the files that may wait for a reader. */
const inFlight = 48;

export const command: Command = {
  usage: ['decide \'{"kind":…}\'', 'decide --jsonl < actions.jsonl'],
  about:
    'Judges actions and records the decisions, in JSON. With --jsonl, standard input has one action a line and the output one\n' +
    'verdict a line; an unreadable line gives {"error":…} and exit code 2 at the end. Lines file no approval requests.',
  examples: [
    `decide '{"kind":"shell","command":"git push"}'`,
    `decide --dry '{"kind":"fetch","url":"https://example.com/"}'`,
  ],
  options: {
    jsonl: { help: 'read one action a line from standard input' },
    dry: { help: 'record nothing and file no approval request' },
    workspace: {
      value: 'FOLDER',
      help: 'workspace of actions without one; default: the current folder',
    },
  },
  async run(call) {
    const folder = call.value('workspace') ?? call.io.folder();
    const system = systemHere(call.io.environment);
    if (system !== null && system.as !== 'daemon') return await decideThere(call, system, folder);
    const opened = await openConfig(call);
    if (call.flag('dry')) {
      const { config, world } = opened;
      const judge = deciding(createDryDecider(opened), { asker: localAsker(), folder, config, world });
      return await judgeAll(call, judge, config.daemon.bodyLimitBytes);
    }
    return await withLedger(call, async (ledger) => {
      const { config } = opened;
      const { decider, world, close } = judging({ ...opened, ledger, owner: localAsker() });
      // Answers that are there count for lines, too; nobody waits for new ones.
      const terms = call.flag('jsonl') ? { approvals: { ask: async () => null } } : {};
      const judge = deciding(decider.under(terms), { asker: localAsker(), folder, config, world });
      try {
        return await judgeAll(call, judge, config.daemon.bodyLimitBytes);
      } finally {
        await close();
      }
    });
  },
};

/** Gives the verdict on an action, as it goes over the wire. */
type Judge = (action: JsonValue) => Promise<object>;

/** Decides in this process. */
function deciding(decider: Decider, options: RequestOptions): Judge {
  return async (value) => {
    const request = await readRequest(value, options);
    const { verdict } = await decider.decide(request.action, request.context);
    return toWire(verdict, request.id);
  };
}

/**
 * Decides where a system daemon has the store. On its socket a decision is recorded and may file an approval request, so
 * what must not do that takes root.
 */
async function decideThere(call: Call, { daemon, as }: SystemHere, folder: string): Promise<number> {
  const flags = flagsOf(call, ['jsonl', 'dry', 'json']);
  const words = ['decide', ...call.words, ...flags, '--workspace', resolve(call.io.folder(), folder)];
  if (as === 'root') return await (await import('../system/inside.ts')).runInside(daemon, words);
  if (flags.some((flag) => flag !== '--json')) throw needsRoot(['decide', ...call.words, ...flags], daemon);
  return await judgeAll(call, asking(call, folder), daemonKeys.body_limit_bytes.initial);
}

/** Asks the system daemon: its store is closed to this account. */
function asking(call: Call, folder: string): Judge {
  const { paths } = openHome(call);
  const token = readFileSync(paths.token, 'utf8').trim();
  const workspace = resolve(call.io.folder(), folder);
  return async (action) => {
    const context = isJsonObject(action) && isJsonObject(action['context']) ? action['context'] : {};
    const body = isJsonObject(action) ? { ...action, context: { workspace, ...context } } : action;
    const answer = await askDaemon(paths.ask, 'POST /v1/decide', { token, body, timeoutMs: answerMs });
    if (answer === null)
      throw new SallyportError('the daemon does not answer', { hint: "see 'sallyport status'" });
    if (answer.status === 200) return answer.body;
    throw new InputError(answer.body.error ?? `the daemon answered ${answer.status}`);
  };
}

async function judgeAll(call: Call, judge: Judge, longestLine: number): Promise<ExitCode> {
  if (!call.flag('jsonl')) {
    const [text] = onlyWords(call, ['the action']);
    const verdict = await judge(parseJson(text));
    call.io.json(verdict);
    const decision = 'decision' in verdict ? verdict.decision : undefined;
    return exitCodeOf(readShape(choice(decisions), decision));
  }
  if (call.words.length > 0) throw new UsageError(`unexpected argument "${call.words[0]}"`);
  return await many(readLines(process.stdin, longestLine), judge);
}

/** Judges lines side by side and writes the answers in the order of the lines. */
async function many(lines: AsyncIterable<Line>, judge: Judge): Promise<ExitCode> {
  const waiting: Promise<Answer>[] = [];
  let exitCode: ExitCode = exitCodes.pass;
  const writeOldest = async () => {
    const answer = await waiting.shift();
    if (answer === undefined) return;
    if (answer.malformed) exitCode = exitCodes.usage;
    if (!process.stdout.write(`${answer.text}\n`)) await once(process.stdout, 'drain');
  };
  // A reader that went away needs no more answers; what was decided is recorded.
  process.stdout.once('error', () => process.exit(exitCodes.failed));
  for await (const line of lines) {
    waiting.push(judgeLine(line, judge));
    if (waiting.length >= inFlight) await writeOldest();
  }
  while (waiting.length > 0) await writeOldest();
  return exitCode;
}

interface Answer {
  readonly text: string;
  readonly malformed: boolean;
}

/** INVARIANT: never throws; whatever goes wrong with a line is that line's answer. */
async function judgeLine(line: Line, judge: Judge): Promise<Answer> {
  let value: JsonValue | undefined;
  try {
    if ('error' in line) throw line.error;
    if (line.text.trim() === '') throw new InputError('the line is empty');
    value = parseJson(line.text);
    return { text: JSON.stringify(await judge(value)), malformed: false };
  } catch (error) {
    const id = isJsonObject(value) ? value['id'] : undefined;
    const known = error instanceof SallyportError;
    const answer = {
      ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
      error: known ? messageOf(error) : 'an error of ours; the action was refused',
      name: known ? error.name : 'InternalError',
      ...(known && error.hint !== undefined ? { hint: error.hint } : {}),
    };
    return { text: JSON.stringify(answer), malformed: true };
  }
}
