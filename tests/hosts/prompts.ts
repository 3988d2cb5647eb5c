// npm run hosts:prompts [-- --corpus FILE] [--count N] [--answer reversible|off]: how often a real Claude Code in its
// default permission mode would prompt its user for the commands of an agent, alone and with Sallyport.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPinned, versionOf } from './install.ts';
import { canSandbox, folder, openSandbox } from './sandbox.ts';
import type { Session } from './session.ts';

const usage = `Usage: npm run hosts:prompts [-- --corpus FILE] [--count N] [--answer reversible|off] [--json]
  --corpus FILE  JSON lines with a key "command", sampled evenly; tests/hosts/commands.txt where none is named
  --count N      so many commands; 100 where none is named
  --answer WORD  what [hosts.claude] answer says; off leaves it out
  --json         one object, with what the model received for each command`;

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    count: { type: 'string', default: '100' },
    answer: { type: 'string', default: 'reversible' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const count = Number(values.count);
if (!Number.isInteger(count) || count < 1) fail(`--count takes a number, not "${values.count}"`);
if (!canSandbox()) fail('nothing was measured: bubblewrap (bwrap) is not installed or cannot be used here');

function fail(message: string): never {
  process.stderr.write(`${message}\n${usage}\n`);
  process.exit(2);
}

function readCommands(): readonly string[] {
  const lines = (file: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
  const all =
    values.corpus === undefined
      ? lines(join(folder, 'commands.txt')).filter((line) => !line.startsWith('#'))
      : lines(values.corpus).map((line) => String(JSON.parse(line).command));
  const wanted = Math.min(count, all.length);
  return Array.from({ length: wanted }, (_, index) => all[Math.floor((index * all.length) / wanted)] ?? '');
}

/** Prompts in one session: of the host, and questions of ours that a person had to answer. */
interface Counted {
  readonly ofHost: number;
  readonly ours: number;
  readonly blocked: number;
}

/** Headless, a prompt is a refusal: every call that did not run was prompted for by the host, or by us, or blocked by us. */
function countPrompts({ results, ran }: Session): Counted {
  const isOurs = (text: string) => /Sallyport: Needs approval|a person denied/i.test(text);
  const isBlocked = (text: string) => /Sallyport: Blocked/i.test(text) && !isOurs(text);
  const ours = results.filter(isOurs).length;
  const blocked = results.filter(isBlocked).length;
  return { ofHost: results.length - ran - ours - blocked, ours, blocked };
}

const commands = readCommands();
const modules = installPinned();
const sandbox = openSandbox(modules);
try {
  process.stderr.write(
    `claude ${versionOf(modules, '@anthropic-ai/claude-code')}, ${commands.length} commands\n`,
  );
  const alone = await measure('none', 'off');
  const guarded = await measure('sallyport', values.answer);
  const [a, b] = [countPrompts(alone), countPrompts(guarded)];
  if (values.json) {
    const each = commands.map((command, index) => ({
      command,
      alone: alone.results[index],
      guarded: guarded.results[index],
    }));
    process.stdout.write(`${JSON.stringify({ alone: a, guarded: b, each })}\n`);
  } else {
    const per100 = (value: number, { results }: Session) => ((100 * value) / results.length).toFixed(1);
    const line = (name: string, of: Counted, session: Session) =>
      `${name.padEnd(28)} ${per100(of.ofHost, session).padStart(7)} ${per100(of.ours, session).padStart(7)} ${per100(of.blocked, session).padStart(8)} ${per100(of.ofHost + of.ours, session).padStart(7)}   (${session.results.length} of ${commands.length} commands, ${session.requests} permission requests, ${session.seconds.toFixed(0)} s)`;
    const ratio = (b.ofHost + b.ours) / guarded.results.length / ((a.ofHost + a.ours) / alone.results.length);
    process.stdout.write(
      `${[
        `${'per 100 commands'.padEnd(28)} ${'host'.padStart(7)} ${'ours'.padStart(7)} ${'blocked'.padStart(8)} ${'prompts'.padStart(7)}`,
        line('Claude Code alone', a, alone),
        line(`with Sallyport (${values.answer})`, b, guarded),
        `ratio of prompts: ${ratio.toFixed(2)}`,
      ].join('\n')}\n`,
    );
  }
} finally {
  sandbox.remove();
}

async function measure(guard: string, answer: string): Promise<Session> {
  const timeoutMs = 180_000 + commands.length * 9000;
  const ended = await sandbox.run('session.ts', [guard, modules, 'default', answer, ...commands], timeoutMs);
  if (ended?.code !== 0) throw new Error(`the session with ${guard} did not end well`);
  const session: Session = JSON.parse(ended.output);
  if (session.results.length < commands.length)
    process.stderr.write(
      `with ${guard} the session ended after ${session.results.length} of ${commands.length} commands\n`,
    );
  return session;
}
