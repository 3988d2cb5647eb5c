// sallyport exec: judges a command or a Python program, and runs it in a sandbox if the verdict lets it go.

import { resolve } from 'node:path';
import { type Profile, profiles } from '../../config/index.ts';
import { type ActionOf, type Context, InputError, UsageError, type World } from '../../core/index.ts';
import type { CommandKind } from '../../run/index.ts';
import { withProfile } from '../../run/tools.ts';
import type { Call, Command } from '../command.ts';
import { execute, quoted, requestOf, timeOf } from '../executing.ts';
import { openConfig } from '../open.ts';

export const command: Command = {
  usage: [
    'exec -- PROGRAM [ARGUMENT…]',
    "exec -c 'COMMAND'",
    "exec --python 'SOURCE'",
    'exec --python-file FILE',
  ],
  about:
    'Judges a command, records the decision, and runs it in a sandbox if the verdict allows it: writable workspace, readable\n' +
    'system, no network, no standard input. Output is redacted. -c takes a text for bash.\n' +
    `The exit code is the command's own, or 1 blocked or failed, 2 wrong use, 3 waiting for approval; with --json, "decision" says\n` +
    'whether it ran.',
  examples: ['exec -- npm test', "exec -c 'ls | wc -l'", 'exec --timeout 30s --network off -- make'],
  options: {
    command: { value: 'COMMAND', short: 'c', help: 'a command for bash' },
    python: { value: 'SOURCE', help: 'a Python program' },
    'python-file': { value: 'FILE', help: 'a file with a Python program' },
    timeout: {
      value: 'TIME',
      help: 'time limit, such as 500ms, 60s or 5m; at most sandbox.timeout_ms',
    },
    cwd: { value: 'FOLDER', help: 'folder in the workspace to start in' },
    network: { value: 'off', help: 'no network, whatever sandbox.network says' },
    profile: {
      value: 'PROFILE',
      help: `${profiles.join(' or ')}, where the configuration names none for the agent; default: developer`,
    },
    agent: { value: 'NAME', help: 'judge as this agent' },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
  },
  async run(call) {
    const timeoutMs = timeOf(call.value('timeout'));
    const network = networkOf(call.value('network'));
    const opened = await openConfig(call);
    const { config, world } = opened;
    const profile = profileOf(call.value('profile'));
    const request = await requestOf(call, opened, actionOf(call, call.io.folder(), world));
    await checkProfile(call, withProfile(config, profile), request.context);
    return await execute(call, opened, request, { timeoutMs, network, profile });
  },
};

/** What is to be run: exactly one of the ways to say it. */
function actionOf(call: Call, folder: string, world: World): ActionOf<CommandKind> {
  const text = call.value('command');
  const source = call.value('python');
  const file = call.value('python-file');
  const given = [text, source, file, call.words[0]].filter((part) => part !== undefined);
  if (given.length !== 1) {
    const message = given.length === 0 ? 'there is nothing to run' : 'more than one thing to run is given';
    throw new UsageError(message, "see 'sallyport exec --help'");
  }
  const cwd = call.value('cwd');
  const place = cwd === undefined ? {} : { cwd };
  if (file !== undefined)
    return { kind: 'python', source: readSource(resolve(folder, file), world), ...place };
  if (source !== undefined) return { kind: 'python', source, ...place };
  return { kind: 'shell', command: text ?? call.words.map(quoted).join(' '), ...place };
}

function readSource(path: string, world: World): string {
  const source = world.readText(path);
  if (source === null) throw new InputError(`there is no file ${path}`);
  return source;
}

function networkOf(value: string | undefined): 'off' | undefined {
  if (value === undefined || value === 'off') return value;
  throw new UsageError(
    '--network can only be off',
    'network for commands is switched on in your own sallyport.toml',
  );
}

function profileOf(value: string | undefined): Profile {
  // As `test`, `decide` and the hooks of a host judge.
  if (value === undefined) return 'developer';
  const profile = profiles.find((known) => known === value);
  if (profile === undefined) throw new UsageError(`--profile is ${profiles.join(' or ')}`);
  return profile;
}

/** A requested profile that would not hold is an error, and nothing runs. */
async function checkProfile(
  call: Call,
  config: Parameters<typeof withProfile>[0],
  context: Context,
): Promise<void> {
  const wanted = call.value('profile');
  const { profile } = await config.settingsFor(context);
  if (wanted !== undefined && wanted !== profile) {
    throw new UsageError(`the configuration says "${profile}" for this agent`, 'leave --profile out');
  }
}
