// sallyport decide: verdicts for actions in JSON, recorded in the ledger; one line in gives one line out, in order.

import { once } from 'node:events';
import {
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
import {
  createDecider,
  createDryDecider,
  type Decider,
  type RequestOptions,
  readRequest,
  recordsWith,
} from '../../decide/index.ts';
import { judging } from '../../run/judge.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { type Line, readLines } from '../lines.ts';
import { localAsker, type Opened, openConfig } from '../open.ts';
import { exitCodeOf } from '../show.ts';

/** Lines that are judged at the same time; their records share commits. */
const inFlight = 128;

export const command: Command = {
  usage: ['decide \'{"kind":…}\'', 'decide --jsonl < actions.jsonl'],
  about:
    'Judges actions and records the decisions. The answer is always JSON.\n' +
    'With --jsonl: one action a line on standard input, one verdict a line on standard output, in order;\n' +
    'a line that cannot be read gives {"error":…} and the rest goes on (exit code 2 at the end).\n' +
    'Lines file no approval requests: decide such an action by itself, or run its agent, to have it approved.',
  options: {
    jsonl: { help: 'read one action a line from standard input' },
    dry: { help: 'record nothing and file no approval request' },
    workspace: {
      value: 'FOLDER',
      help: 'the workspace where an action names none; default: the current folder',
    },
  },
  async run(call) {
    const opened = await openConfig(call);
    if (call.flag('dry')) return await judgeAll(call, opened, createDryDecider(opened));
    return await withLedger(call, async (ledger) => {
      const { config } = opened;
      const { world, close } = judging({ ...opened, ledger, owner: localAsker() });
      // Answers that are there count for lines, too; nobody waits for new ones.
      const records = call.flag('jsonl') ? recordsWith(ledger, { ask: async () => null }) : ledger;
      try {
        return await judgeAll(call, { config, world }, createDecider({ config, world, ledger: records }));
      } finally {
        await close();
      }
    });
  },
};

async function judgeAll(
  call: Call,
  { config, world }: Pick<Opened, 'config' | 'world'>,
  decider: Decider,
): Promise<ExitCode> {
  const folder = call.value('workspace') ?? call.io.folder();
  const options = { asker: localAsker(), folder, config, world };
  if (!call.flag('jsonl')) return await one(call, decider, options);
  if (call.words.length > 0) throw new UsageError(`unexpected argument "${call.words[0]}"`);
  return await many(readLines(process.stdin, config.daemon.bodyLimitBytes), decider, options);
}

async function one(call: Call, decider: Decider, options: RequestOptions): Promise<ExitCode> {
  const [text] = onlyWords(call, ['the action']);
  const request = await readRequest(parseJson(text), options);
  const { verdict } = await decider.decide(request.action, request.context);
  call.io.json(toWire(verdict, request.id));
  return exitCodeOf(verdict.decision);
}

/** Judges lines side by side and writes the answers in the order of the lines. */
async function many(
  lines: AsyncIterable<Line>,
  decider: Decider,
  options: RequestOptions,
): Promise<ExitCode> {
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
    waiting.push(judgeLine(line, decider, options));
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
async function judgeLine(line: Line, decider: Decider, options: RequestOptions): Promise<Answer> {
  let value: JsonValue | undefined;
  try {
    if ('error' in line) throw line.error;
    if (line.text.trim() === '') throw new InputError('the line is empty');
    value = parseJson(line.text);
    const request = await readRequest(value, options);
    const { verdict } = await decider.decide(request.action, request.context);
    return { text: JSON.stringify(toWire(verdict, request.id)), malformed: false };
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
