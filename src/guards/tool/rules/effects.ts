// Law: the mode decides about what can be undone, and about nothing else. What leaves for others, and what cannot be
// had again, waits for a person in every mode; in plan mode nothing changes at all.

import {
  type EffectClass,
  type Finding,
  type Mode,
  modeDecision,
  type Rule,
  type ToolEffect,
  type ToolSpec,
  visible,
} from '../../../core/index.ts';
import { isOutward } from '../effects.ts';
import { call, having, hit } from './finding.ts';
import { shown } from './registry.ts';

const mail: ToolSpec = { name: 'send_email', effect: 'message' };
const remove: ToolSpec = { name: 'delete_account', effect: 'destructive' };
const release: ToolSpec = { name: 'release', effect: 'deploy' };
const upload: ToolSpec = { name: 'upload', effect: 'write', checkpointable: false };

const modeAsks: Rule = {
  id: 'mode_asks',
  guard: 'tool',
  decision: 'approve',
  reason: 'In this mode a person says yes before something changes.',
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
  suggestion: 'Leave plan mode before calling this; reading goes on.',
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
  reason:
    'What leaves for others or changes something elsewhere cannot be taken back, so a person decides each time.',
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
  reason: 'What neither a snapshot nor a rebuild restores needs a yes to exactly this call.',
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
  message: 'sends a message to somebody',
  deploy: 'releases something to others',
  billing: 'costs money',
  database: 'changes a database',
  push: 'publishes commits',
  network: 'changes something outside the local network',
};

const longestReason = 500;

/** Everything that is known about what a call does. */
export interface Deed {
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
  return [hit(modeAsks, `"${name}" ${what(effect)}, and the mode ${mode} asks before that.`, granting(deed))];
}

function destructiveFinding({ tool, reason, restorable, unkept }: Deed): Finding {
  const stated = reason === undefined ? 'none given' : visible(reason.trim(), longestReason);
  const why = restorable ? '' : `: ${whyNotKept(unkept)}`;
  const message = `"${shown(tool.name)}" may do what cannot be undone${why}. The model's stated reason: ${stated}`;
  return hit(destructiveCall, message);
}

/** Most names of what is not kept that are shown. */
const mostUnkept = 3;

function whyNotKept(unkept: readonly string[]): string {
  if (unkept.length === 0) return 'this workspace holds more than snapshots keep';
  const named = unkept.slice(0, mostUnkept).map((text) => visible(text, 200));
  const more = unkept.length > mostUnkept ? ` and ${unkept.length - mostUnkept} more` : '';
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
