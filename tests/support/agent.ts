// A run of the harness in a place of its own: a scripted model, the real guards, the real ledger.

import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type RunEvent, type RunParts, type RunTask, runTask, scriptedModel } from '../../src/agent/index.ts';
import { loadConfig, paths, prepareHome } from '../../src/config/index.ts';
import type { Context, Mode } from '../../src/core/index.ts';
import { createDecider, realWorld } from '../../src/decide/index.ts';
import { chainIn, Ledger, operatorKeyIn } from '../../src/ledger/index.ts';
import { enrolPerson, isPerson, person, temporaryFolder } from './ledger.ts';

export type Script = Parameters<typeof scriptedModel>[0];

export interface AgentSetup {
  readonly files?: Readonly<Record<string, string>>;
  readonly configuration?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A home, a workspace with files, and the way to run tasks there. */
export async function agentSetup({ files = {}, configuration = '', environment = {} }: AgentSetup = {}) {
  const folder = realpathSync(temporaryFolder());
  const home = join(folder, 'home');
  const workspace = join(folder, 'workspace');
  prepareHome(home);
  mkdirSync(workspace);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
  writeFileSync(join(home, 'sallyport.toml'), configuration);
  const world = realWorld();
  const config = await loadConfig({ home, environment, world });
  const places = paths(home);
  const ledger = await Ledger.open({
    store: { file: places.ledger },
    operatorKey: operatorKeyIn(places.keys),
    chain: chainIn(places.keys),
    check: isPerson,
    now: world.now,
  });
  await enrolPerson(ledger);
  onTestFinished(() => ledger.close());

  const context: Context = {
    user: 'ann',
    tenant: 'local',
    agent: 'sallyport',
    session: 'test',
    workspace,
    mode: 'auto',
  };

  /** Runs a task; what is not said is `auto` and nobody to wait for. */
  async function run(
    script: Script | string,
    { mode = 'auto', onEvent, ...more }: Partial<RunTask & RunParts> & { readonly mode?: Mode } = {},
  ) {
    const events: RunEvent[] = [];
    const scripted = typeof script !== 'string';
    const outcome = await runTask(
      {
        task: 'Tidy up.',
        strategy: 'tool_call',
        mcp: false,
        steps: 10,
        model: scripted ? 'script' : script,
        workspace,
        context: { ...context, mode },
        onEvent: (event) => {
          events.push(event);
          onEvent?.(event);
        },
        ...more,
      },
      {
        config,
        decider: createDecider({ config, ledger, world: more.world ?? world }),
        ledger,
        world,
        waitMs: 0,
        ...(scripted ? { openModel: async () => scriptedModel(script) } : {}),
        ...more,
      },
    );
    return { outcome, events, results: resultsIn(events) };
  }

  return {
    approve: (id: string) => ledger.approvals.answer(id, 'approve', 'ann', person, {}, world.now()),
    context,
    home,
    workspace,
    config,
    ledger,
    world,
    run,
    read: (name: string) => readFileSync(join(workspace, name), 'utf8'),
    files: () => readdirSync(workspace).sort(),
  };
}

/** What became of each call, and what the model was told. */
function resultsIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.type === 'result' ? [[event.outcome, event.output] as const] : []));
}

/** Looks like a secret and is none. */
export const secret = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow

/** One turn that calls a tool. */
export function calling(tool: string, given: object, text = ''): Script[number] {
  return { text, calls: [{ tool, arguments: given as never }] };
}
