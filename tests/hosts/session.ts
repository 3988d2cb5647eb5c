// node session.ts GUARD MODULES WAY ANSWER COMMAND…: inside the sandbox, one real Claude Code whose model runs the commands
// one after the other. Prints how long it took, what the model received, and how often the host would have prompted.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adapters, type HostFolders, type Way } from './adapters.ts';
import { type GuardName, guards } from './guards.ts';
import { ScriptedModel } from './model.ts';
import { baseEnvironment, furnish, person, runHost } from './place.ts';
import { root } from './sandbox.ts';

/** What one session showed. */
export interface Session {
  readonly seconds: number;
  readonly timedOut: boolean;
  readonly results: readonly string[];
  /** Calls that the host ran, by its own hooks after a tool. */
  readonly ran: number;
  /** Times that the host asked its permission hooks, answered by one of them or not. */
  readonly requests: number;
  /** Questions of Sallyport that a person answered with no. */
  readonly questions: number;
}

/** A small package, so that ordinary commands have something to work on. */
function addPackage(project: string): void {
  const files = {
    'package.json': JSON.stringify({
      name: 'a',
      type: 'module',
      scripts: { test: 'node --test', build: 'true' },
    }),
    'src/index.js': 'export const add = (a, b) => a + b;\n',
    'test/index.test.js': "import { test } from 'node:test';\ntest('adds', () => {});\n",
    'scripts/run.py': 'print("done")\n',
    Makefile: 'all:\n\t@echo made\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(project, path, '..'), { recursive: true });
    writeFileSync(join(project, path), content);
  }
}

async function runSession(
  guardName: GuardName,
  modules: string,
  way: Way | 'default',
  answer: string,
  commands: readonly string[],
): Promise<Session> {
  const project = join(person, 'project');
  furnish(project);
  addPackage(project);
  const model = new ScriptedModel(
    commands.map((command) => [{ tool: 'Bash', input: { command, description: 'A step' } }]),
  );
  const folders: HostFolders = { person, project, model: await model.listen() };
  const { claude } = adapters;
  const setup = { way: way === 'default' ? 'rules' : way, servers: {} } as const;
  claude.prepare(folders, setup);
  const asked = join(person, 'asked.jsonl');
  const ran = join(person, 'ran.jsonl');
  const noting = (file: string) => [
    { matcher: '*', hooks: [{ type: 'command', command: `cat >> ${file}; echo >> ${file}` }] },
  ];
  mkdirSync(join(person, '.claude'), { recursive: true });
  writeFileSync(
    join(person, '.claude', 'settings.json'),
    JSON.stringify({
      hooks: { PermissionRequest: noting(asked), PostToolUse: noting(ran), PostToolUseFailure: noting(ran) },
    }),
  );
  const bare = baseEnvironment(modules);
  const guard = await guards[guardName].start({
    host: 'claude',
    folders,
    environment: bare,
    root,
    modules,
    replies: ['no'],
    userConfig: answer === 'off' ? '' : `[hosts.claude]\nanswer = "${answer}"\n`,
  });
  const args =
    way === 'default'
      ? ['-p', 'Follow the plan.', '--model', 'claude-sonnet-4-5']
      : claude.args('Follow the plan.', way);
  const environment = { ...bare, ...claude.environment(folders, setup), BASH_DEFAULT_TIMEOUT_MS: '5000' };
  const began = performance.now();
  const { timedOut } = await runHost('claude', args, environment, project, 60_000 + commands.length * 8000);
  const seconds = (performance.now() - began) / 1000;
  await guard.stop();
  model.close();
  const count = (file: string) =>
    (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []).filter((line) => line.startsWith('{'))
      .length;
  return {
    seconds,
    timedOut,
    results: model.results,
    ran: count(ran),
    requests: count(asked),
    questions: guard.questions.length,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , guard, modules, way, answer, ...commands] = process.argv;
  if (modules === undefined || answer === undefined) throw new Error('session.ts needs four arguments');
  const session = await runSession(guard as GuardName, modules, way as Way | 'default', answer, commands);
  process.stdout.write(`${JSON.stringify(session)}\n`);
  process.exit(0);
}
