// One checkout's part of the equality check: `list` prints the cases that it brings, `judge` prints what becomes of cases.
// Usage: node tests/equality/judge.ts list > cases.jsonl; node tests/equality/judge.ts judge PLACE < cases.jsonl

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chains } from '../../benchmarks/provenance.ts';
import { contractFolder, readFixtures } from '../../src/cli/fixtures/fixture.ts';
import {
  type Action,
  canonicalJson,
  type Finding,
  type Given,
  isJsonObject,
  type JsonValue,
  messageOf,
  readAction,
  SallyportError,
  type Verdict,
} from '../../src/core/index.ts';
import { exampleDeciders } from '../../src/decide/examples.ts';
import { readContext, realWorld } from '../../src/decide/index.ts';
import { loadGuards } from '../../src/guards/index.ts';
import { actionOf, contextOf, type HostName, hostNames, hosts } from '../../src/surfaces/hooks/index.ts';
import { everyday, mentions } from '../metamorphic/benign.ts';
import { composedCases, singleCases } from '../metamorphic/generator.ts';
import { type Case, commandCases, type Outcome } from './cases.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

// ── the cases of this checkout

async function* ownCases(): AsyncGenerator<Case> {
  const rules = (await loadGuards()).flatMap((guard) => guard.rules);
  for (const { guard, id, examples } of rules) {
    for (const [at, { action, given }] of [...examples.hit, ...examples.miss].entries()) {
      yield {
        id: `rules:${guard}/${id}:${at}`,
        ...(given === undefined ? {} : { given }),
        asked: { action },
      };
      if (action.kind === 'shell') yield* commandCases(`rules:${guard}/${id}`, action.command, at);
    }
  }
  yield* fixtureCases();
  yield* hookCases();
  for (const [at, { said, read, action, effect }] of chains.entries()) {
    const given: Given = { heard: said, read };
    const tool = action.kind === 'tool' ? [{ name: action.tool, effect: effectNamed(effect) }] : [];
    yield { id: `chains:${at}`, given: { ...given, tools: tool }, asked: { action } };
    if (action.kind === 'shell') {
      const call: Action = {
        ...{ kind: 'tool', server: 'host:claude', tool: 'Bash' },
        arguments: { command: action.command },
      };
      yield { id: `chains:${at}:tool`, given: { ...given, host: 'claude' }, asked: { action: call } };
    }
  }
  const generated = [...singleCases(4, 1), ...composedCases(1000, 1)].map(({ command }) => command);
  for (const [at, command] of generated.entries()) yield* commandCases('generated', command, at);
  for (const [at, command] of [...everyday, ...mentions].entries())
    yield* commandCases('benign', command, at);
  yield* commandLines(rules);
}

type Effect = NonNullable<Given['tools']>[number]['effect'];

/** The data names effects of tools by their words. */
function effectNamed(name: string | undefined): Effect {
  return (name ?? 'read') as Effect;
}

function* fixtureCases(): Generator<Case> {
  for (const { layer, name, input } of readFixtures([contractFolder()])) {
    const { chunks } = input;
    if (!Array.isArray(chunks)) yield { id: `fixtures:${name}`, asked: { action: readAction(input).action } };
    else {
      const stream = layer === 'input' ? 'prompt' : 'response';
      yield { id: `fixtures:${name}`, asked: { stream, chunks: chunks.map(String) } };
    }
  }
}

function* hookCases(): Generator<Case> {
  const folder = join(root, 'tests/fixtures/hooks');
  for (const host of hostNames) {
    for (const name of readdirSync(join(folder, host)).sort()) {
      const { event, stdin } = JSON.parse(readFileSync(join(folder, host, name), 'utf8'));
      yield { id: `hooks:${host}/${name}`, asked: { host, event, body: stdin } };
    }
  }
}

/** Command lines whose exit codes and output are compared: one for each guard and decision, and some that go wrong. */
function* commandLines(rules: Awaited<ReturnType<typeof loadGuards>>[number]['rules']): Generator<Case> {
  const seen = new Set<string>();
  for (const { guard, decision, id, examples } of rules) {
    const plain = examples.hit.find(({ given }) => given === undefined);
    if (plain === undefined || seen.has(`${guard} ${decision}`)) continue;
    seen.add(`${guard} ${decision}`);
    const text = JSON.stringify(plain.action);
    yield { id: `lines:test ${guard}/${id}`, asked: { line: ['test', '--json', text] } };
    yield { id: `lines:decide ${guard}/${id}`, asked: { line: ['decide', text] } };
  }
  const lines = '{"id":1,"kind":"shell","command":"ls"}\nnot JSON\n{"kind":"shell","command":"rm -rf /"}\n';
  yield { id: 'lines:jsonl', asked: { line: ['decide', '--jsonl'], input: lines } };
  for (const line of [
    ['test', 'ls'],
    ['test', 'rm -rf /'],
    ['test', '--tool-error', 'rm -rf /'],
    ['test', '--kind', 'nothing', 'x'],
    ['decide', 'not JSON'],
    ['decide', '--what'],
    ['nothing'],
    ['fixtures', 'run', '--json'],
    ['rules', 'test', '--json'],
  ]) {
    yield { id: `lines:${line.join(' ')}`, asked: { line } };
  }
}

// ── what becomes of cases

const open = exampleDeciders();
const texts = new Map<string, string>();

function textOf(path: string): string {
  const text = texts.get(path) ?? readFileSync(path, 'utf8');
  texts.set(path, text);
  return text;
}

async function outcomeOf({ id, given, texts: files = {}, asked }: Case, place: string): Promise<Outcome> {
  try {
    if ('line' in asked) return lineOutcome(id, asked.line, asked.input ?? '', place);
    const read = Object.entries(files).map(([name, path]) => [name, textOf(path)] as const);
    const full =
      read.length === 0 ? given : { ...given, files: { ...given?.files, ...Object.fromEntries(read) } };
    const { decider, context } = await open(full);
    if ('stream' in asked) {
      const stream = await decider.decideStream(asked.stream, context);
      let shown = '';
      for (const chunk of asked.chunks) shown += (await stream.push(chunk)).emit;
      const { emit, verdict } = await stream.end();
      return verdictOutcome(id, verdict, null, {}, shown + emit);
    }
    if ('action' in asked) {
      const { verdict, facts } = await decider.decide(asked.action, context);
      return verdictOutcome(id, verdict, asked.action, facts);
    }
    const host = hosts[asked.host as HostName];
    const named = isJsonObject(asked.body) ? asked.body['hook_event_name'] : undefined;
    const call = host.read(typeof named === 'string' ? named : (asked.event ?? ''), asked.body);
    const settings = await decider.settingsFor(context, 'tool');
    const action = actionOf(call, host);
    const asking = await readContext(contextOf(call, host), {
      asker: { user: 'example', tenant: 'example', agent: host.name },
      folder: null,
      config: { settingsFor: () => settings },
      world: { ...realWorld(), realPath: (path) => path },
    });
    const { verdict, facts } = await decider.decide(action, { ...asking, host: host.name });
    return verdictOutcome(id, { ...verdict, action }, null, facts);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    const verdict = error instanceof SallyportError ? { refused: name } : { error: name };
    return { id, verdict, words: messageOf(error), facts: null };
  }
}

function verdictOutcome(
  id: string,
  { decision, findings, explanation, action }: Verdict,
  before: Action | null,
  facts: object,
  shown?: string,
): Outcome {
  const rewritten = before !== null && canonicalJson({ ...before }) === canonicalJson({ ...action });
  const places = findings.map(({ message: _, suggestion: __, ...rest }: Finding) => rest);
  const said = findings.map(({ message, suggestion = null }) => [message, suggestion]);
  return plain({
    id,
    verdict: {
      decision,
      findings: places,
      ...(rewritten ? {} : { action }),
      ...(shown === undefined ? {} : { shown }),
    },
    words: [explanation, said],
    facts,
  });
}

/** As it is written, so that what compares it sees nothing that is not written. */
function plain(value: object): Outcome {
  return JSON.parse(JSON.stringify(value));
}

const start = `import(${JSON.stringify(new URL('../../src/cli/main.ts', import.meta.url).href)}).then(({ main }) => main(process.argv.slice(1)))`;

function lineOutcome(id: string, line: readonly string[], input: string, place: string): Outcome {
  const home = join(place, 'home');
  const workspace = join(place, 'workspace');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(workspace, { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', start, '--', ...line], {
    cwd: workspace,
    env: { PATH: process.env['PATH'], HOME: home, SALLYPORT_HOME: home },
    input,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return { id, verdict: { exit: status }, words: [steady(stdout), steady(stderr)], facts: null };
}

/** A text without ids and times, which are others each time. */
function steady(text: string): JsonValue {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replace(/("id":"|approve )[a-z2-9]{8}\b/g, '$1ID');
}

const [task, place = ''] = process.argv.slice(2);
if (task === 'list') for await (const found of ownCases()) process.stdout.write(`${JSON.stringify(found)}\n`);
else {
  // Not by readline, for which a line ends in the middle of texts, too.
  for (const line of readFileSync(0, 'utf8').trimEnd().split('\n')) {
    process.stdout.write(`${JSON.stringify(await outcomeOf(JSON.parse(line), place))}\n`);
  }
}
