// The rules about one call: which tool it names, whose data it touches, the folder it runs in, and what it would do.

import {
  type ActionOf,
  type EffectClass,
  type Example,
  type Finding,
  type Given,
  type JsonObject,
  type Mode,
  modeDecision,
  nearest,
  type Rule,
  type SchemaProblem,
  type ToolEffect,
  type ToolSpec,
  visible,
} from '../../../core/index.ts';
import { isOutward } from '../facts.ts';
import type { Identified } from '../identity.ts';

// ── Builds findings and examples, so that every rule of this guard writes them alike.

/** Where a finding points, and what it offers. */
interface Place {
  readonly pointer?: string;
  readonly suggestion?: string;
  readonly grant?: string;
}

/** One hit of a rule; the message holds names, and no values of arguments. */
export function hit(rule: Rule, message: string, { pointer, suggestion, grant }: Place = {}): Finding {
  const advice = suggestion ?? rule.suggestion;
  return {
    rule: rule.id,
    guard: 'tool',
    decision: rule.decision,
    message,
    ...(rule.contract === undefined ? {} : { contract: rule.contract }),
    ...(pointer === undefined ? {} : { pointer }),
    ...(advice === undefined ? {} : { suggestion: advice }),
    ...(grant === undefined ? {} : { grant }),
  };
}

/** A call as an example. */
export function call(
  tool: string,
  given: JsonObject = {},
  surroundings?: Given,
  rest: Partial<ActionOf<'tool'>> = {},
): Example {
  const action: ActionOf<'tool'> = { ...rest, kind: 'tool', tool, arguments: given };
  return surroundings === undefined ? { action } : { action, given: surroundings };
}

/** Surroundings in which these tools are registered. */
function having(...tools: readonly ToolSpec[]): Given {
  return { tools };
}

// ── Rule: a call names a tool of the registry, its arguments fit, and the definition is one that a person has seen.

const registryContract = 'AG-TOOL-1';

const sum: ToolSpec = {
  name: 'sum',
  effect: 'read',
  schema: { properties: { numbers: { type: 'array' } }, required: ['numbers'] },
};
const remote: ToolSpec = { name: 'search', server: 'docs', effect: 'read', definition: 'a1b2' };

const unknownTool: Rule = {
  id: 'unknown_tool',
  guard: 'tool',
  decision: 'block',
  reason: 'The tool is not registered, so its effects are unknown.',
  suggestion: 'Call a registered tool; the user registers others under [tools.NAME].',
  contract: registryContract,
  examples: {
    hit: [call('Frobnicate'), call('sum', {}, having({ ...sum, server: 'math' }))],
    miss: [call('Bash', { command: 'ls' }), call('sum', { numbers: [1] }, having(sum))],
  },
};

const invalidArguments: Rule = {
  id: 'invalid_arguments',
  guard: 'tool',
  decision: 'block',
  reason: 'The arguments do not fit the tool.',
  suggestion: 'Call the tool again with the expected argument.',
  contract: registryContract,
  examples: {
    hit: [
      call('Bash', { comand: 'ls' }),
      call('Bash', { command: 'ls', timeout: 'soon' }),
      call('sum', { numbers: 'one' }, having(sum)),
      call('apply_patch', { input: 'not a patch' }),
    ],
    miss: [
      call('Bash', { command: 'ls', timeout: 1000 }),
      call('sum', { numbers: [1, 2] }, having(sum)),
      call('apply_patch', { input: '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch' }),
    ],
  },
};

const schemaUnusable: Rule = {
  id: 'schema_unusable',
  guard: 'tool',
  decision: 'block',
  reason: 'The arguments cannot be checked against the schema.',
  suggestion: 'The user fixes the schema of the tool: no external references, no slow patterns.',
  contract: registryContract,
  examples: {
    hit: [
      call('sum', {}, having({ ...sum, schema: { $ref: 'https://example.com/schema.json' } })),
      call('sum', {}, having({ ...sum, schema: { properties: { a: { pattern: '^(a+)+$' } } } })),
    ],
    miss: [
      call('sum', { numbers: [1] }, having(sum)),
      call('sum', {}, having({ name: 'sum', effect: 'read' })),
    ],
  },
};

const newDefinition: Rule = {
  id: 'new_definition',
  guard: 'tool',
  decision: 'approve',
  reason: "A server's tool definition counts once you approved it; a changed one asks again.",
  contract: registryContract,
  examples: {
    hit: [call('search', {}, having(remote), { server: 'docs' })],
    miss: [call('sum', { numbers: [1] }, having(sum)), call('Read', { file_path: 'a.txt' })],
  },
};

/** The rules on the registry. */
export const registryRules: readonly Rule[] = [unknownTool, invalidArguments, schemaUnusable, newDefinition];

/** The name of a tool for people. */
export function shown(name: string): string {
  return visible(name, 80);
}

export function unknownFinding(name: string, known: readonly string[]): Finding {
  // The name that was just refused is no advice.
  const near = nearest(
    name,
    known.filter((one) => one !== name),
  );
  const place = near === undefined ? {} : { suggestion: `Call "${shown(near)}", if that is meant.` };
  return hit(unknownTool, `There is no tool "${shown(name)}" in the registry.`, {
    pointer: '/tool',
    ...place,
  });
}

export function argumentsFinding(tool: ToolSpec, { pointer, message }: SchemaProblem): Finding {
  const where = pointer === '' ? 'its arguments' : `the argument ${visible(pointer, 200)}`;
  return hit(invalidArguments, `The call of "${shown(tool.name)}" does not fit: ${where}: ${message}.`, {
    pointer: `/arguments${pointer}`,
  });
}

export function schemaFinding(tool: ToolSpec, why: string): Finding {
  return hit(schemaUnusable, `The schema of "${shown(tool.name)}" cannot be used: ${why}.`);
}

/** So much of a description is shown to the person who decides. */
const longestWords = 300;

/** The question about a definition that a server gave. */
export function definitionFindings({ name, server, description, definition }: ToolSpec): readonly Finding[] {
  if (definition === undefined) return [];
  const whose = server === undefined ? '' : ` of the server "${shown(server)}"`;
  const words = (description ?? '') === '' ? '.' : `: ${visible(description ?? '', longestWords)}`;
  return [
    hit(newDefinition, `The definition of "${shown(name)}"${whose} is new or changed${words}`, {
      // The hash stands first, so that no name can push it out.
      grant: `tool definition ${definition} ${server ?? ''}/${name}`.slice(0, 256),
    }),
  ];
}

// ── Rule: whose data a call touches, the session says and not the model.

const identityContract = 'AG-TOOL-5';

const readDoc: ToolSpec = {
  name: 'read_doc',
  effect: 'read',
  arguments: { '/user_id': { role: 'user_id' }, '/tenant': { role: 'tenant_id' } },
};
const own = { user_id: 'example', tenant: 'example' };

const noUser: Rule = {
  id: 'no_user',
  guard: 'tool',
  decision: 'block',
  reason: 'A tool that touches data of a user needs an authenticated user.',
  suggestion: 'The user signs in, or the program passes the user of its session.',
  contract: identityContract,
  examples: {
    hit: [
      call('read_doc', own, { ...having(readDoc), nobody: true }),
      call('export', {}, { ...having({ name: 'export', effect: 'read', userData: true }), nobody: true }),
    ],
    miss: [call('read_doc', own, having(readDoc)), call('Read', { file_path: 'a.txt' }, { nobody: true })],
  },
};

const sessionIds: Rule = {
  id: 'session_ids',
  guard: 'tool',
  decision: 'redact',
  reason: "User and tenant ids come from the session and replace the model's.",
  contract: identityContract,
  examples: {
    hit: [
      call('read_doc', { user_id: 999, tenant: 'example' }, having(readDoc)),
      call('read_doc', { ...own, filter: [{ userId: 'bob' }] }, having(readDoc)),
      call('read_doc', {}, having(readDoc)),
    ],
    miss: [call('read_doc', own, having(readDoc)), call('Read', { file_path: 'user_id/999' })],
  },
};

const disguisedId: Rule = {
  id: 'disguised_id',
  guard: 'tool',
  decision: 'block',
  reason: 'An id is disguised.',
  suggestion: 'Write the name of the argument in plain letters, and URLs without encoded slashes or "..".',
  contract: identityContract,
  examples: {
    hit: [
      call('read_doc', { ...own, 'us\u0435r_id': 'bob' }, having(readDoc)),
      call('read_doc', { ...own, 'user\u200b_id': 'bob' }, having(readDoc)),
      call(
        'get',
        { path: '/users/example/%2e%2e/bob' },
        having({
          name: 'get',
          effect: 'read',
          arguments: { '/path': { role: 'text', user: ['/users/{}'] } },
        }),
      ),
    ],
    miss: [call('read_doc', own, having(readDoc)), call('read_doc', { ...own, größe: 3 }, having(readDoc))],
  },
};

/** The rules on whose data a call touches. */
export const identityRules: readonly Rule[] = [noUser, sessionIds, disguisedId];

export function noUserFinding(tool: ToolSpec): Finding {
  return hit(noUser, `"${shown(tool.name)}" touches data of a user, and no user is authenticated.`);
}

const mostShown = 5;

/** What is to be said about the ids of a call. */
export function identityFindings({ foreign, filled, disguised }: Identified): readonly Finding[] {
  const list = (pointers: readonly string[]) =>
    pointers
      .slice(0, mostShown)
      .map((pointer) => visible(pointer, 80))
      .join(', ');
  const at = (pointers: readonly string[]) => ({ pointer: `/arguments${pointers[0] ?? ''}` });
  return [
    ...(disguised.length === 0
      ? []
      : [hit(disguisedId, `The id at ${list(disguised)} is spelled to be missed.`, at(disguised))]),
    ...(foreign.length === 0
      ? []
      : [hit(sessionIds, `The id at ${list(foreign)} is replaced by the caller's.`, at(foreign))]),
    ...(filled.length === 0
      ? []
      : [hit(sessionIds, `The id at ${list(filled)} is filled in from the session.`, at(filled))]),
  ];
}

// ── Rule: a command starts in the workspace, wherever the call says that it should.

const folderOutside: Rule = {
  id: 'folder_outside',
  guard: 'tool',
  decision: 'block',
  reason: 'The command would start outside the workspace.',
  suggestion: 'Omit the folder, or name one in the workspace.',
  examples: {
    hit: [
      call('shell', { command: ['ls'], workdir: '/etc' }),
      call('run_shell_command', { command: 'ls', directory: '../other' }),
    ],
    miss: [
      call('shell', { command: ['ls'], workdir: '/workspace/src' }),
      call('run_shell_command', { command: 'ls', directory: 'src' }),
    ],
  },
};

/** The rule on where commands start. */
export const folderRules: readonly Rule[] = [folderOutside];

/** The finding on a folder whose real path, or null where it does not exist, lies outside the workspace. */
export function folderFindings(folder: string, real: string | null, workspace: string): readonly Finding[] {
  const root = workspace === '/' ? '/' : `${workspace}/`;
  if (real !== null && (real === workspace || real.startsWith(root))) return [];
  return [hit(folderOutside, `The folder ${visible(folder, 120)} does not lie in the workspace.`)];
}

// ── Rule: the mode decides about what can be undone, and about nothing else. What leaves for others, and what cannot be
// had again, waits for approval in every mode; in plan mode nothing changes at all.

const mail: ToolSpec = { name: 'send_email', effect: 'message' };
const remove: ToolSpec = { name: 'delete_account', effect: 'destructive' };
const release: ToolSpec = { name: 'release', effect: 'deploy' };
const upload: ToolSpec = { name: 'upload', effect: 'write', checkpointable: false };

const modeAsks: Rule = {
  id: 'mode_asks',
  guard: 'tool',
  decision: 'approve',
  reason: 'In this mode changes need approval.',
  contract: 'AG-TOOL-1',
  examples: {
    hit: [
      call('Write', { file_path: 'a.txt', content: 'a' }),
      call('Bash', { command: 'npm install' }),
      call('Bash', { command: 'npm install' }, { mode: 'acceptEdits' }),
      call('Write', { file_path: 'package.json', content: '{}' }, { mode: 'auto' }),
      call('Edit', { file_path: '.env', old_string: 'a', new_string: 'b' }, { mode: 'acceptEdits' }),
    ],
    miss: [
      call('Read', { file_path: 'a.txt' }),
      call('Bash', { command: 'git status' }),
      call('Write', { file_path: 'a.txt', content: 'a' }, { mode: 'acceptEdits' }),
      call('Bash', { command: 'npm install' }, { mode: 'auto' }),
    ],
  },
};

const planModeCall: Rule = {
  id: 'plan_mode_call',
  guard: 'tool',
  decision: 'block',
  reason: 'Plan mode reads and changes nothing.',
  suggestion: 'Leave plan mode before calling this; reading is allowed.',
  contract: 'AG-TOOL-1',
  examples: {
    hit: [
      call('send_email', {}, { ...having(mail), mode: 'plan' }),
      call('Write', { file_path: 'a.txt', content: 'a' }, { mode: 'plan' }),
      call('delete_account', {}, { ...having(remove), mode: 'plan' }),
    ],
    miss: [
      call('Read', { file_path: 'a.txt' }, { mode: 'plan' }),
      call('TodoWrite', { todos: [] }, { mode: 'plan' }),
      call('send_email', {}, having(mail)),
    ],
  },
};

const outwardCall: Rule = {
  id: 'outward_call',
  guard: 'tool',
  decision: 'approve',
  reason: 'Messages and changes elsewhere cannot be undone, so each needs approval.',
  contract: 'AG-TOOL-3',
  examples: {
    hit: [
      call('send_email', {}, having(mail)),
      call('send_email', {}, { ...having(mail), mode: 'auto' }),
      call('release', {}, { ...having(release), mode: 'acceptEdits' }),
      call('upload', {}, { ...having(upload), mode: 'auto' }),
    ],
    miss: [call('Read', { file_path: 'a.txt' }), call('Bash', { command: 'git push' })],
  },
};

const destructiveCall: Rule = {
  id: 'destructive_call',
  guard: 'tool',
  decision: 'approve',
  reason: 'Neither a snapshot nor a rebuild restores it, so this exact call needs approval.',
  contract: 'AG-TOOL-4',
  examples: {
    hit: [
      call('delete_account', {}, { ...having(remove), mode: 'auto' }),
      call('Bash', { command: 'rm -rf src' }, { mode: 'auto' }),
      call('Bash', { command: 'git push --force', description: 'replace the branch' }),
      call('Bash', { command: 'npm run build' }, { mode: 'auto', restorable: false }),
    ],
    miss: [
      call('Bash', { command: 'npm run build' }, { mode: 'auto' }),
      call('Bash', { command: 'git status' }, { mode: 'auto', restorable: false }),
      call('Write', { file_path: 'a.txt', content: 'a' }, { mode: 'auto', restorable: false }),
      call('Bash', { command: 'rm -rf node_modules' }, { mode: 'auto' }),
      call('Read', { file_path: 'a' }),
    ],
  },
};

/** The rules on what a call does. */
export const effectRules: readonly Rule[] = [modeAsks, planModeCall, outwardCall, destructiveCall];

const doing: Readonly<Partial<Record<ToolEffect, string>>> = {
  message: 'sends a message',
  deploy: 'releases something to others',
  billing: 'costs money',
  database: 'changes a database',
  push: 'publishes commits',
  network: 'changes something outside the local network',
};

const longestReason = 500;

/** Everything that is known about what a call does. */
interface Deed {
  readonly tool: ToolSpec;
  readonly effect: EffectClass;
  readonly mode: Mode;
  /** Whether an agent host asks, which has permission rules of its own. */
  readonly hosted: boolean;
  readonly reason: string | undefined;
  /** Whether everything in the workspace could be brought back. */
  readonly restorable: boolean;
  /** What could not be, each in a few words. */
  readonly unkept: readonly string[];
  /** Programs that a command of the call would start; they say what a standing yes is for. */
  readonly programs: readonly string[];
}

/** What is to be said about what a call does. */
export function effectFindings(deed: Deed): readonly Finding[] {
  const { tool, effect, mode } = deed;
  const name = shown(tool.name);
  const decision = modeDecision(effect, mode);
  if (decision === 'pass') return [];
  if (decision === 'block') {
    return [hit(planModeCall, `"${name}" would change something; plan mode changes nothing.`)];
  }
  if (effect === 'destructive') return [destructiveFinding(deed)];
  if (isOutward(tool)) {
    const does = doing[tool.effect] ?? 'changes what no snapshot restores';
    return [hit(outwardCall, `"${name}" ${does}.`)];
  }
  // Where a part of the call goes out, that part's own rule has asked. A host asks by its own permission rules.
  if (effect === 'outward' || deed.hosted) return [];
  return [
    hit(
      modeAsks,
      `"${name}" ${what(effect)}; permission mode "${mode}" needs your approval.`,
      granting(deed),
    ),
  ];
}

function destructiveFinding({ tool, reason, restorable, unkept }: Deed): Finding {
  const stated = reason === undefined ? 'none given' : visible(reason.trim(), longestReason);
  const why = restorable ? '' : `: ${whyNotCaptured(unkept)}`;
  const message = `"${shown(tool.name)}" may do what cannot be undone${why}. The model's stated reason: ${stated}`;
  return hit(destructiveCall, message);
}

/** Most names of what is not kept that are shown. */
const mostNamed = 3;

function whyNotCaptured(unkept: readonly string[]): string {
  if (unkept.length === 0) return 'this workspace holds more than snapshots keep';
  const named = unkept.slice(0, mostNamed).map((text) => visible(text, 200));
  const more = unkept.length > mostNamed ? ` and ${unkept.length - mostNamed} more` : '';
  return `undo could not bring back ${named.join(', ')}${more}`;
}

function what(effect: EffectClass): string {
  if (effect === 'edit') return 'changes a file';
  return effect === 'sensitive'
    ? 'changes a manifest, a lock file, a dotfile or an unknown file'
    : 'runs something';
}

/** A standing yes covers edits by this tool, or commands of exactly these programs. */
function granting({ tool, effect, programs }: Deed): { readonly grant?: string } {
  if (effect !== 'edit' && (effect !== 'run' || programs.length === 0)) return {};
  const grant = `tool ${tool.name} ${effect === 'edit' ? 'edit' : `run ${programs.join(' ')}`}`;
  return grant.length > longestGrant ? {} : { grant };
}

const longestGrant = 256;
