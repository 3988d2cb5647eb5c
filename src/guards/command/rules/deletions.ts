// The rules about what may be deleted.

import type { Finding } from '../../../core/index.ts';
import type { Effect } from '../effects.ts';
import { matchedBy } from '../globs.ts';
import { isCritical, isPersonal, isProtected, type Place } from '../where.ts';
import {
  type CommandRule,
  forUnknown,
  hit,
  type Judge,
  nameOf,
  placesOf,
  python,
  type RuleInput,
  shell,
  shown,
} from './rule.ts';

// ── Rule: what cannot be had again is not deleted. The loss of a machine, a home or a whole workspace is refused; other
// folders of the workspace are asked for, and what a rebuild restores may go.

const contract = 'AG-TOOL-4';

const massDeletion: CommandRule = {
  id: 'mass_deletion',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'no task needs an agent to empty a machine or workspace; named folders ask',
  reason: 'Mass file deletion: everything on the machine or in the workspace would be gone.',
  suggestion: 'Delete by name what a rebuild restores.',
  contract,
  examples: {
    hit: [
      shell('rm -rf /'),
      shell('rm -rf /*'),
      shell('rm -rf *'),
      shell('rm -rf .'),
      shell('X=rm; $X -r -f /'),
      shell('bash -c "rm -rf /"'),
      python('import shutil\nshutil.rmtree("/")'),
    ],
    miss: [
      shell('echo "rm -rf /"'),
      shell('rm -rf node_modules'),
      shell('rm notes.txt'),
      shell('rm -rf /tmp/build'),
    ],
  },
};

const systemDeletion: CommandRule = {
  id: 'system_deletion',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'a machine without these folders does not start; deeper folders ask',
  reason: 'Deletion in the system tree: the machine or its services may not start again.',
  suggestion: 'Leave system folders to the package manager.',
  contract,
  examples: {
    hit: [
      shell('rm -rf /etc'),
      shell('rm --recursive --force /usr/lib'),
      shell('rm -r /var/log'),
      shell('sudo rm -f /etc/passwd'),
      shell('rm -rf /et?'),
      python('import os\nos.remove("/etc/passwd")'),
    ],
    miss: [shell('ls /etc'), shell('rm -rf /var/tmp/build'), shell('grep -r "rm -rf /etc" docs')],
  },
};

const homeDeletion: CommandRule = {
  id: 'home_deletion',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'personal files may exist only once; deeper folders ask',
  reason: 'Deletion of a home or of personal files in it: no snapshot restores them.',
  suggestion: 'Name the one file or folder that you mean.',
  contract,
  examples: {
    hit: [
      shell('rm -rf ~'),
      shell('rm -rf ~/*'),
      shell('rm -r -f /home'),
      shell('rm -rf /home/user'),
      shell('rm -rf ~/Documents'),
      shell('gpg --delete-secret-keys someone'),
      shell('pass rm mail/work'),
      shell('tmutil delete 2026-01-01'),
      python('import shutil\nshutil.rmtree("/home/user")'),
    ],
    miss: [shell('ls -la ~'), shell('rm -rf dist'), shell('rm -rf ~/old-project/build'), shell('ssh-add -D')],
  },
};

const workspaceDeletion: CommandRule = {
  id: 'workspace_deletion',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'A workspace folder that no rebuild restores would be deleted.',
  suggestion: 'Delete single files by name.',
  contract,
  examples: {
    hit: [
      shell('rm -rf src'),
      shell('rm -r docs tests'),
      shell('ssh host rm -rf build'),
      python('import shutil\nshutil.rmtree("src")'),
    ],
    miss: [
      shell('rm -rf node_modules dist'),
      shell('rm src/old.ts'),
      shell("find . -name '*.pyc' -delete"),
      shell('rm -rf /tmp/work'),
    ],
  },
};

const unknownDeletion: CommandRule = {
  id: 'unknown_deletion',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'A folder that is only known at run time would be deleted.',
  suggestion: 'Write the path out, or make the temporary folder in the same script.',
  contract,
  examples: {
    hit: [shell('rm -rf "$TARGET"'), shell('rm -rf "$1/"')],
    miss: [shell('work=$(mktemp -d) && rm -rf "$work"'), shell('target=dist; rm -rf "$target"')],
  },
};

/** The rules on deletion. */
export const deletionRules: readonly CommandRule[] = [
  massDeletion,
  systemDeletion,
  homeDeletion,
  workspaceDeletion,
  unknownDeletion,
];

/** What programs keep for a person under a name, by the detail of the effect: often its only copy. */
const kept: Readonly<Record<string, string>> = {
  key: 'a key',
  credentials: 'a stored password',
  backup: 'backups',
  data: 'data that exists nowhere else',
};

/** Judges what is deleted. What lies outside without being precious is layer 2's. */
export const judgeDeletion: Judge = (effect, ruleInput) => {
  if (effect.target.kind === 'none' && effect.reversible !== true) {
    const why = 'it deletes what it does not name';
    return [hit(ruleInput, unknownDeletion, { span: effect.span, why, decision: forUnknown(ruleInput) })];
  }
  const stored = kept[effect.detail ?? ''];
  if (stored !== undefined && effect.target.kind === 'name' && effect.reversible !== true) {
    const why = `it deletes ${stored}: ${nameOf(effect.target)}`;
    return [hit(ruleInput, homeDeletion, { span: effect.span, why, decision: 'approve' })];
  }
  if (effect.detail === 'registry') {
    const why = `it deletes keys of the registry: ${nameOf(effect.target)}`;
    return [hit(ruleInput, systemDeletion, { span: effect.span, why, decision: 'approve' })];
  }
  return placesOf(effect, ruleInput).flatMap((place) => deletionFindings(effect, place, ruleInput));
};

function deletionFindings(effect: Effect, place: Place, ruleInput: RuleInput): readonly Finding[] {
  const found = ruleFor(effect, place, ruleInput);
  if (found === undefined) return [];
  const { rule, why } = found;
  const unknown = rule === unknownDeletion ? forUnknown(ruleInput) : rule.decision;
  const decision =
    rule === systemDeletion && isDeep(place) && ruleInput.profile !== 'strict' ? 'approve' : unknown;
  return [hit(ruleInput, rule, { span: effect.span, why, decision })];
}

/** Whether a folder of the system lies below those that the machine needs to run. */
function isDeep(place: Place): boolean {
  const { path, open, pattern, contents } = place;
  if (path === null || open || pattern || isCritical(place)) return false;
  return (
    path.split('/').length - (contents ? 1 : 0) > 3 &&
    !/^\/(?:private\/)?(?:usr\/)?(?:s?bin|lib\w*|boot|dev|proc|sys)\//.test(path)
  );
}

/** Programs that run a command on another machine. */
const remotely = /^(?:ssh|autossh|mosh|rsh|slogin)$/;

/** Most files that a search may delete by their name, as a list of single names could. */
const mostByName = 25;

/** Whether a search below a folder of the workspace finds but a few files by their name. */
function isFew({ path, zone, open, linked }: Place, name: string, { pathScope }: RuleInput): boolean {
  if (path === null || open || linked || !/^workspace/.test(zone)) return false;
  const { paths, complete } = matchedBy(pathScope, `${path}/**/${name}`, { follow: false });
  return complete && paths.length <= mostByName;
}

function ruleFor(
  effect: Effect,
  place: Place,
  ruleInput: RuleInput,
): { readonly rule: CommandRule; readonly why: string } | undefined {
  const many = effect.recursive === true || place.contents;
  const moves = effect.detail === 'move' && effect.reversible === true;
  // `find` deletes what it finds below its starting point; what a build makes again is no loss.
  const [, found] = /^find(?: (.*))?$/.exec(effect.detail ?? '') ?? [];
  const some = /^find(?: |$)/.test(effect.detail ?? '');
  const why = `it ${moves ? 'moves away' : 'deletes'} ${shown(place)}`;
  if (some && effect.reversible === true) return undefined;
  if (found !== undefined && isFew(place, found, ruleInput)) return undefined;
  if (
    effect.recursive === true &&
    effect.through.some((name) => remotely.test(name)) &&
    !isProtected(place.zone)
  )
    return { rule: workspaceDeletion, why: `${why} on another machine, where nothing restores it` };
  switch (place.zone) {
    case 'filesystem':
      return many ? { rule: massDeletion, why } : undefined;
    case 'above':
    case 'workspace_root':
      if (moves) return undefined;
      if (some) return { rule: workspaceDeletion, why: `it deletes what it finds in ${shown(place)}` };
      if (effect.recursive === true)
        return { rule: massDeletion, why: `${why}, and with it the whole workspace` };
      return place.contents ? { rule: workspaceDeletion, why } : undefined;
    case 'system':
    case 'device':
      return many || isCritical(place) ? { rule: systemDeletion, why } : undefined;
    case 'home_root':
      return many ? { rule: homeDeletion, why } : undefined;
    case 'home':
      return many && isPersonal(ruleInput.pathScope, place) ? { rule: homeDeletion, why } : undefined;
    case 'workspace':
    case 'allowed':
      if (place.link) return undefined;
      if (effect.detail === 'shred') return { rule: workspaceDeletion, why: `${why} for good` };
      if (effect.recursive !== true || effect.reversible === true) return undefined;
      if (place.path !== null && !place.open && ruleInput.isMade(place.path)) return undefined;
      return { rule: workspaceDeletion, why: `${why}, which no rebuild restores` };
    case 'unknown':
      if (place.given === '/' && place.open && effect.reversible !== true)
        return { rule: unknownDeletion, why: 'it deletes what it finds anywhere on the machine' };
      if (effect.recursive !== true || effect.reversible === true) return undefined;
      return { rule: unknownDeletion, why: 'it deletes a folder that is not known before it runs' };
    default:
      return undefined;
  }
}
