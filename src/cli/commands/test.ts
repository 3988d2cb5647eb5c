// sallyport test: one verdict, explained; nothing is run and nothing is recorded.

import { resolve } from 'node:path';
import { type Config, type Profile, profiles } from '../../config/index.ts';
import {
  type CommandView,
  decodeUtf8,
  InputError,
  kinds,
  messageOf,
  modes,
  nearest,
  parseJson,
  toWire,
  UsageError,
  type Verdict,
  visible,
  type World,
} from '../../core/index.ts';
import { createDryDecider, readRequest } from '../../decide/index.ts';
import { refusal } from '../../guards/command/error.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { localAsker, openConfig } from '../open.ts';
import { exitCodeOf, segmentOf, showCommand, showVerdict } from '../show.ts';

/** The member of each kind that plain text goes into. */
const textMembers: Readonly<Record<string, string>> = {
  prompt: 'text',
  response: 'text',
  shell: 'command',
  python: 'source',
  code: 'source',
  read: 'path',
  fetch: 'url',
};

export const command: Command = {
  usage: [
    'test URL',
    'test COMMAND',
    'test --python SOURCE',
    'test --prompt TEXT|-|@FILE',
    'test --response TEXT|-|@FILE',
    'test --code FILE [--tools NAMES]',
    'test \'{"kind":…}\'',
    'test --kind KIND TEXT',
  ],
  about:
    'Prints the verdict and its reasons. Nothing is run, recorded or asked.\n' +
    'A text with a scheme (https://…) is a fetch, one that starts with { is an action in JSON, any other a shell command. For a\n' +
    'command it shows programs, effects, data flow and findings.',
  examples: [
    "test 'rm -rf build && npm test'",
    'test https://example.com/',
    "test --prompt 'Ignore all previous instructions'",
  ],
  options: {
    kind: { value: 'KIND', help: `what the text is: ${Object.keys(textMembers).join(', ')}` },
    python: { help: 'the text is a Python program' },
    code: { value: 'FILE', help: 'a file with code that calls tools, in JavaScript or TypeScript' },
    tools: {
      value: 'NAMES',
      help: 'tools that the code may call, such as github.list_issues',
    },
    prompt: { help: 'the text is a prompt' },
    response: { help: "the text is a model's answer" },
    origin: {
      value: 'ORIGIN',
      help: 'origin of a prompt: user, tool, file, image; default: user, for a file file',
    },
    agent: { value: 'NAME', help: 'judge as this agent' },
    profile: { value: 'PROFILE', help: `judge under this profile: ${profiles.join(', ')}` },
    mode: { value: 'MODE', help: `permission mode: ${modes.join(', ')}` },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
    cwd: { value: 'FOLDER', help: 'folder in the workspace to start in' },
    'tool-error': { help: 'print the error of a refused tool; nothing if it is not blocked' },
  },
  async run(call) {
    const text = call.value('code') === undefined ? onlyWords(call, ['the text to test'])[0] : '';
    const profile = profileOf(call);
    const { config: own, world } = await openConfig(call);
    const config = profile === undefined ? own : withProfile(own, profile);
    const action = call.flag('prompt')
      ? await promptOf(call, text)
      : call.flag('response')
        ? await responseOf(call, text)
        : (codeOf(call, world) ?? actionOf(call, text));
    const request = await readRequest(withContext(withFolder(action, call), call), {
      asker: localAsker(),
      folder: call.io.folder(),
      config,
      world,
    });
    let view: CommandView | undefined;
    const observe = (seen: CommandView) => {
      view = seen;
    };
    const decider = createDryDecider({ config, world, observe });
    const { verdict } = await decider.decide(request.action, request.context);
    const { findings, decision } = verdict;
    if (call.flag('tool-error')) {
      const error = refusal(findings);
      if (error !== null) call.io.json(error);
    } else if (call.flag('json')) call.io.json({ ...withSegments(toWire(verdict, request.id)), ...view });
    else {
      if (view !== undefined) showCommand(call.io, view);
      showVerdict(call.io, verdict);
    }
    return exitCodeOf(decision);
  },
};

/** A prompt that is given as it is, on standard input, or as a file. */
async function promptOf(call: Call, word: string): Promise<Record<string, unknown>> {
  refuseOthers(call, 'prompt', ['python', 'response'], ['kind']);
  const origin = call.value('origin');
  if (!word.startsWith('@')) {
    const text = word === '-' ? await standardInput() : word;
    return { kind: 'prompt', text, origin: origin ?? 'user' };
  }
  const bytes = await fileOf(call, word.slice(1));
  return {
    kind: 'prompt',
    contentBase64: bytes.toString('base64'),
    origin: origin ?? 'file',
    name: word.slice(1),
  };
}

/** A response that is given as it is, on standard input, or in a file. */
async function responseOf(call: Call, word: string): Promise<Record<string, unknown>> {
  refuseOthers(call, 'response', ['python'], ['kind', 'origin']);
  if (word.startsWith('@')) return { kind: 'response', text: decodeUtf8(await fileOf(call, word.slice(1))) };
  return { kind: 'response', text: word === '-' ? await standardInput() : word };
}

function refuseOthers(call: Call, own: string, flags: readonly string[], values: readonly string[]): void {
  const other =
    flags.find((name) => call.flag(name)) ?? values.find((name) => call.value(name) !== undefined);
  if (other !== undefined) throw new UsageError(`--${own} and --${other} do not mix`);
}

async function fileOf(call: Call, name: string): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises');
  return await readFile(resolve(call.io.folder(), name)).catch((error: unknown) => {
    throw new InputError(`${name} cannot be read: ${messageOf(error)}`);
  });
}

async function standardInput(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece));
  return decodeUtf8(Buffer.concat(pieces));
}

function withSegments(verdict: Verdict): Verdict {
  const findings = verdict.findings.map((finding) => {
    const segment = segmentOf(verdict, finding);
    return segment === undefined ? finding : { ...finding, segment };
  });
  return { ...verdict, findings };
}

function profileOf(call: Call): Profile | undefined {
  const named = call.value('profile');
  const profile = profiles.find((known) => known === named);
  if (named !== undefined && profile === undefined) {
    throw new UsageError(`--profile is one of ${profiles.join(', ')}`);
  }
  return profile;
}

/** The configuration with another profile. It is only looked at: nothing that is tested runs. */
function withProfile(config: Config, profile: Profile): Config {
  return { ...config, settingsFor: async (where) => ({ ...(await config.settingsFor(where)), profile }) };
}

function withFolder(action: Record<string, unknown>, call: Call): Record<string, unknown> {
  const cwd = call.value('cwd');
  if (cwd === undefined) return action;
  if (action['kind'] !== 'shell' && action['kind'] !== 'python') {
    throw new UsageError('--cwd goes with a command');
  }
  if (action['cwd'] !== undefined) throw new UsageError('the action has a cwd already');
  return { ...action, cwd };
}

/** The code in a file, as an action. */
function codeOf(call: Call, world: World): Record<string, unknown> | undefined {
  const file = call.value('code');
  const tools = call.value('tools');
  if (file === undefined) {
    if (tools !== undefined) throw new UsageError('--tools goes with --code');
    return undefined;
  }
  if (call.flag('python') || call.value('kind') !== undefined || call.words.length > 0)
    throw new UsageError('--code takes a file, and no other action to test');
  const source = world.readText(resolve(call.io.folder(), file));
  if (source === null) throw new InputError(`there is no file ${visible(file, 200)}`);
  const language = /\.[cm]?js$/.test(file) ? { language: 'js' } : {};
  const named = tools?.split(',').map((name) => name.trim());
  return { kind: 'code', source, ...language, ...(named === undefined ? {} : { tools: named }) };
}

function actionOf(call: Call, text: string): Record<string, unknown> {
  const python = call.flag('python');
  if (python && call.value('kind') !== undefined) throw new UsageError('--python and --kind do not mix');
  if (call.value('origin') !== undefined) throw new UsageError('--origin goes with --prompt');
  const named = python ? 'python' : call.value('kind');
  if (named === undefined && text.trimStart().startsWith('{')) {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    throw new InputError('an action is a JSON object with a "kind"');
  }
  const kind = named ?? (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? 'fetch' : 'shell');
  const member = Object.hasOwn(textMembers, kind) ? textMembers[kind] : undefined;
  if (member === undefined) {
    const near = nearest(kind, kinds);
    throw new UsageError(
      kinds.some((known) => known === kind)
        ? `an action of kind ${kind} is given as JSON`
        : `unknown kind "${kind}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
      "see 'sallyport test --help'",
    );
  }
  return { kind, [member]: text };
}

/** The options win over nothing: a context in the JSON and an option for the same thing do not mix. */
function withContext(action: Record<string, unknown>, call: Call): Record<string, unknown> {
  const given = ['agent', 'mode', 'workspace'].flatMap((name) => {
    const value = call.value(name);
    return value === undefined ? [] : [[name, value]];
  });
  if (given.length === 0) return action;
  if (action['context'] !== undefined) throw new UsageError('the action has a context already');
  return { ...action, context: Object.fromEntries(given) };
}
