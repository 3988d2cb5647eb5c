// sallyport test: one verdict, explained; nothing is run and nothing is recorded.

import { InputError, kinds, modes, nearest, parseJson, toWire, UsageError } from '../../core/index.ts';
import { createDecider, dryRecords, readRequest } from '../../decide/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { localAsker, openConfig } from '../open.ts';
import { exitCodeOf, showVerdict } from '../show.ts';

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
  usage: ['test URL', 'test COMMAND', 'test \'{"kind":…}\'', 'test --kind KIND TEXT'],
  about:
    'Says what Sallyport would decide, and why. Nothing is run, nothing is recorded, nobody is asked.\n' +
    'A text with a scheme (https://…) is a fetch, one that starts with { is an action in JSON, any other a shell command.',
  options: {
    kind: { value: 'KIND', help: `what the text is: ${Object.keys(textMembers).join(', ')}` },
    agent: { value: 'NAME', help: 'judge as this agent' },
    mode: { value: 'MODE', help: `permission mode: ${modes.join(', ')}` },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
  },
  async run(call) {
    const [text] = onlyWords(call, ['the text to test']);
    const { config, world } = await openConfig(call);
    const request = await readRequest(withContext(actionOf(call, text), call), {
      asker: localAsker(),
      folder: call.io.folder(),
      config,
      world,
    });
    const decider = createDecider({ config, world, ledger: dryRecords });
    const { verdict } = await decider.decide(request.action, request.context);
    if (call.flag('json')) call.io.json(toWire(verdict, request.id));
    else showVerdict(call.io, verdict);
    return exitCodeOf(verdict.decision);
  },
};

function actionOf(call: Call, text: string): Record<string, unknown> {
  const named = call.value('kind');
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
