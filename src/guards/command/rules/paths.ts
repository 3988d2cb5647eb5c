// The rules about where a file operation may reach.

import type { Finding } from '../../../core/index.ts';
import type { Effect } from '../effects.ts';
import { type Escape, escapeOf, hasParent, isProtected, type Place } from '../where.ts';
import {
  type CommandRule,
  grantFor,
  hit,
  type Judge,
  placesOf,
  type RuleInput,
  segmentOf,
  shell,
  shown,
  strictly,
} from './rule.ts';

// ── Rule: every file operation stays in the agent's workspace. Strict refuses what leaves it; developer lets reads and
// temporary folders pass and asks for the rest.

const suggestion = 'Use a path in the workspace, or a temporary folder made by the same script.';

const pathTraversal: CommandRule = {
  id: 'path_traversal',
  guard: 'command',
  layer: 2,
  decision: 'approve',
  reason: 'The path climbs out of the workspace with "..": strict blocks, developer asks before a change.',
  suggestion,
  examples: {
    hit: [strictly('cat ../notes.txt'), strictly('cat src/../README.md'), shell('touch ../sibling/a.txt')],
    miss: [shell('cat ../notes.txt'), shell('touch src/../README.md'), strictly('cat src/a.ts')],
  },
};

const absolutePath: CommandRule = {
  id: 'absolute_path',
  guard: 'command',
  layer: 2,
  decision: 'approve',
  reason: 'The path is absolute and outside the workspace: strict blocks, developer asks before a change.',
  suggestion,
  examples: {
    hit: [
      strictly('cat /etc/hostname'),
      shell('cp a.txt /srv/site/a.txt'),
      shell('rm -rf /srv/site/old'),
      shell("docker run --rm -v /srv:/srv app sh -c 'touch /srv/site/a'"),
    ],
    miss: [
      strictly('cat /workspace/a.txt'),
      strictly('grep x a.txt > /dev/null'),
      shell('cat /etc/hostname'),
      shell('cp a.txt /tmp/a.txt'),
      shell("docker run --rm app sh -c 'touch /app/uploads/a'"),
    ],
  },
};

const outsideWorkspace: CommandRule = {
  id: 'outside_workspace',
  guard: 'command',
  layer: 2,
  decision: 'approve',
  reason: 'The target is outside the workspace: strict blocks, developer asks before a change.',
  suggestion,
  examples: {
    hit: [
      strictly('cat ~/notes.txt'),
      shell('touch ~/notes.txt'),
      shell('cd /srv/site && touch a.txt'),
      shell('echo hi > "$FILE"'),
      shell('xargs rm < list'),
    ],
    miss: [
      shell('cat ~/notes.txt'),
      shell('cd src && touch a.ts'),
      strictly('cat notes.txt'),
      shell('echo hi > "out/$NAME"'),
      shell("git ls-files '*.log' | xargs rm"),
    ],
  },
};

const symlinkEscape: CommandRule = {
  id: 'symlink_escape',
  guard: 'command',
  layer: 2,
  decision: 'approve',
  reason: 'A link leads out of the workspace: strict blocks, developer asks before a change.',
  suggestion,
  examples: {
    hit: [strictly('cat /proc/self/root/srv/a.txt'), shell('touch /proc/self/root/srv/a.txt')],
    miss: [strictly('cat /proc/self/cwd/a.txt'), shell('touch a.txt')],
  },
};

/** The rules on paths. */
export const pathRules: readonly CommandRule[] = [
  pathTraversal,
  absolutePath,
  outsideWorkspace,
  symlinkEscape,
];

const ruleOf: Readonly<Record<Escape, CommandRule>> = {
  path_traversal: pathTraversal,
  absolute_path: absolutePath,
  outside_workspace: outsideWorkspace,
  symlink_escape: symlinkEscape,
};

const verbs: Readonly<Partial<Record<Effect['kind'], string>>> = {
  read: 'reads',
  secret: 'reads',
  write: 'writes to',
  delete: 'deletes',
  mode: 'changes the rights of',
};

/** Judges where files are read, written and deleted. */
export const judgePath: Judge = (effect, ruleInput) => {
  const strict = ruleInput.profile === 'strict';
  const reads = effect.kind === 'read' || effect.kind === 'secret';
  if (reads && !strict) return [];
  if (!strict && isContained(effect, ruleInput)) return [];
  return placesOf(effect, ruleInput).flatMap((place) =>
    strict ? strictFindings(effect, place, ruleInput) : developerFindings(effect, place, ruleInput),
  );
};

const engines = /^(?:docker|podman|nerdctl)$/;
/** Options of a new container that give it files, devices or the processes of this machine. */
const shares =
  /^(?:-[a-z]*v.*|--(?:volume|mount|volumes-from|device|privileged|pid|ipc|userns|security-opt|cap-add|env-file|cidfile)(?:=.*)?)$/;

/** Whether an effect is inside a new container that shares nothing with this machine: its paths are the container's own. */
function isContained({ through, span }: Effect, { facts }: RuleInput): boolean {
  if (!through.some((name) => engines.test(name))) return false;
  const around = facts.invocations.filter(
    (one) => engines.test(one.program ?? '') && one.span[0] <= span[0] && one.span[1] >= span[1],
  );
  return (
    around.length === 1 &&
    around.every(({ args }) => {
      const words = args.map((argument) => (argument.kind === 'literal' ? argument.text : null));
      const verb = words[0] === 'container' ? words[1] : words[0];
      return verb === 'run' && words.every((word) => word !== null && !shares.test(word));
    })
  );
}

function strictFindings(effect: Effect, place: Place, ruleInput: RuleInput): readonly Finding[] {
  const segment = segmentOf(ruleInput, effect.span);
  // By the letter: ".." is refused even where it leads back inside.
  const leaving = escapeOf(place, segment) ?? (hasParent(place.given) ? 'path_traversal' : null);
  if (leaving === null) return [];
  const why =
    place.zone === 'unknown'
      ? `'${segment}' ${verbs[effect.kind] ?? 'uses'} a path that is not known beforehand`
      : `'${segment}' ${verbs[effect.kind] ?? 'uses'} outside the workspace`;
  const subject = place.given === '' ? segment : place.given;
  return [hit(ruleInput, ruleOf[leaving], { span: effect.span, why, subject, decision: 'block' })];
}

function developerFindings(effect: Effect, place: Place, ruleInput: RuleInput): readonly Finding[] {
  if (place.zone === 'temporary' || place.zone === 'device') return [];
  // An empty folder of the user's changes nothing.
  if (effect.detail === 'folder' && place.zone === 'home') return [];
  // The loss of a machine, a home or a folder that nobody knows is layer 1's, and is stopped there.
  const unknown = place.zone === 'unknown';
  const lost =
    effect.recursive === true
      ? unknown || isProtected(place.zone)
      : isProtected(place.zone) && place.contents;
  if (effect.kind === 'delete' && lost && effect.reversible !== true) return [];
  const segment = segmentOf(ruleInput, effect.span);
  const leaving = escapeOf(place, segment);
  if (leaving === null) return [];
  const destructive = effect.kind === 'delete';
  return [
    hit(ruleInput, ruleOf[leaving], {
      span: effect.span,
      why: `'${segment}' ${verbs[effect.kind] ?? 'uses'} ${shown(place)}, ${unknown ? 'which may lie ' : ''}outside the workspace`,
      subject: place.given === '' ? segment : place.given,
      grant: destructive ? undefined : grantFor('write', place),
    }),
  ];
}
