// The harness as an agent for fixtures, on standard streams: each trial is what a user, a tool or the model of a run says,
// a file that comes with a task, or a call that the model makes. No model is asked, and no tool is run: what would run is
// told.

import { rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunEvent } from '../../src/agent/events.ts';
import { userFile } from '../../src/agent/files.ts';
import { scriptedModel } from '../../src/agent/scripted.ts';
import { Work } from '../../src/agent/work.ts';
import { chunksOf } from '../../src/cli/fixtures/fixture.ts';
import { ownPlace } from '../../src/cli/fixtures/own.ts';
import type { Outcome, Trial } from '../../src/cli/fixtures/run.ts';
import { paths } from '../../src/config/index.ts';
import {
  isJsonObject,
  type JsonObject,
  modeFromHost,
  SallyportError,
  type Verdict,
} from '../../src/core/index.ts';
import { createDecider, type Decider, readContext, takeClearance } from '../../src/decide/index.ts';
import { Captures, snapshotsOf } from '../../src/run/index.ts';
import { openUpstreams } from '../../src/run/mcp/index.ts';
import { withProfile } from '../../src/run/tools.ts';

const { place, workspace, world, config, ledger } = await ownPlace();
// What a tool gave and what attacks is withheld in this profile; in the other one the model is only warned of it.
const strict = withProfile(config, 'strict');
const nobody = { user: '', tenant: '' };
const decider = createDecider({ config, ledger, world });
const noServers = openUpstreams({
  ...{ servers: [], decider, ledger, world, owner: nobody },
  environment: {},
  version: '',
});
const store = paths(config.home).snapshots;

/** One trial as a run of its own. */
async function outcomeOf(trial: Trial): Promise<Outcome> {
  const { userId, tenantId, agent, permissionMode } = trial.context;
  const wire = {
    ...(agent === undefined ? {} : { agent }),
    ...(permissionMode === undefined ? {} : { mode: modeFromHost(permissionMode) }),
  };
  const asker = { user: userId ?? '', tenant: tenantId ?? '', agent: null };
  const context = await readContext(wire, { asker, folder: workspace, config, world });
  const settings = await config.settingsFor(context);
  const verdicts: Verdict[] = [];
  const called: JsonObject[] = [];
  const events: RunEvent[] = [];
  const said = chunksOf(trial)?.join('') ?? String(trial.input['text'] ?? '');
  const model = scriptedModel([{ text: said }, { text: said }, { text: said }]);
  const captures = new Captures({
    store,
    personHome: homedir(),
    config,
    ledger,
    world,
    report: () => undefined,
  });
  const snapshots = snapshotsOf({ store, config, world }, workspace);
  const work = new Work({
    config: trial.input['origin'] === 'tool' ? strict : config,
    ledger,
    world,
    decider: noting(createDecider({ config, ledger, world }), verdicts),
    captures,
    upstreams: {
      ...noServers,
      call: async (cleared) => {
        takeClearance(cleared);
        called.push(cleared.action.arguments ?? {});
        return { content: [] };
      },
    },
    model,
    context,
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
    strategy: 'tool_call',
    steps: 1,
    waitMs: 0,
    tools: {
      settings,
      world,
      home: config.home,
      receipts: () => ({
        snapshots,
        ledger,
        redact: () => ({ text: '', redactions: {} }),
        now: () => world.now(),
        models: [model.name],
        cost: { usd: 0, tokens_in: 0, tokens_out: 0 },
      }),
    },
  });
  // The tools of the fixtures have no server: they are known by their names alone.
  work.toolbox = { offers: [], placeOf: (tool) => ({ tool }) };
  const text = await treated(trial, work, said);
  await captures.stop();
  // A file is judged after the task that it comes with.
  const first = isFile(trial) ? verdicts.find(isUpload) : verdicts[0];
  await ledger.audit.drain();
  const entries = first === undefined ? [] : await ledger.audit.list({ decisionId: first.decisionId });
  const went = trial.layer === 'tool' ? called.length > 0 : text !== null;
  const changed = first?.decision === 'redact';
  return {
    // INVARIANT: what went on counts, not what was decided.
    decision: went ? (changed ? 'redact' : 'pass') : first?.decision === 'approve' ? 'approve' : 'block',
    rules: first?.findings.map(({ rule }) => rule) ?? [],
    events: entries.map(({ event_type: type }) => type),
    ...(trial.layer === 'tool' ? {} : { text: text ?? '' }),
    ...(trial.layer !== 'tool' || first?.action.kind !== 'tool'
      ? {}
      : { arguments: called[0] ?? first.action.arguments ?? {} }),
  };
}

/** What goes on of a trial; null where nothing does. */
async function treated({ layer, input }: Trial, work: Work, said: string): Promise<string | null> {
  try {
    if (layer === 'output') {
      const messages = [{ role: 'user' as const, text: 'Go on.' }];
      return (await work.ask({ system: '', messages, tools: [] })).text;
    }
    if (layer === 'tool') {
      const { tool, arguments: given = {}, justification = '' } = input;
      return await work.call({ id: 'call', tool: String(tool), arguments: given }, String(justification));
    }
    if (input['origin'] === 'tool') {
      const shown = await work.judged({ tool: String(input['name'] ?? 'tool'), arguments: {}, output: said });
      return shown.startsWith('[output withheld]') ? null : shown;
    }
    if (isFile({ input })) {
      const path = join(place, 'upload');
      const { contentBase64 } = input;
      writeFileSync(path, typeof contentBase64 === 'string' ? Buffer.from(contentBase64, 'base64') : said);
      await work.take('Read the file.', [userFile(path, workspace)]);
      return work.given.map((part) => (part.is === 'text' ? part.text : part.mediaType)).join('\n');
    }
    await work.take(said);
    return work.prompt;
  } catch (error) {
    if (error instanceof SallyportError) return null;
    throw error;
  }
}

function isFile({ input }: Pick<Trial, 'input'>): boolean {
  return input['origin'] === 'file' || input['origin'] === 'image';
}

function isUpload({ action }: Verdict): boolean {
  return action.kind === 'prompt' && action.contentBase64 !== undefined;
}

/** The decider, with each of its verdicts noted. */
function noting(decider: Decider, verdicts: Verdict[]): Decider {
  return {
    ...decider,
    decide: async (action, context) => {
      const decided = await decider.decide(action, context);
      verdicts.push(decided.verdict);
      return decided;
    },
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const trial: unknown = JSON.parse(line);
  if (!isJsonObject(trial as JsonObject)) throw new Error('no trial');
  const { id } = trial as unknown as Trial;
  process.stdout.write(`${JSON.stringify({ id, ...(await outcomeOf(trial as unknown as Trial)) })}\n`);
}
await ledger.close();
rmSync(place, { recursive: true, force: true });
