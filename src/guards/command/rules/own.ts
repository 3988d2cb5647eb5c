// Law: the keys, records, settings and programs in the guard's own home are not for those it guards, by whatever path.

import type { Finding } from '../../../core/index.ts';
import { isOwnLog, ownHomeOf, ownHomes } from '../../../detect/protect.ts';
import type { Effect, EffectKind, Invocation } from '../effects.ts';
import { couldMean, type Matched, matchedBy } from '../globs.ts';
import {
  isPattern,
  isProtected,
  isWithin,
  locate,
  matchesStars,
  namesOf,
  type PathScope,
  type Place,
  unknownHome,
} from '../where.ts';
import { guardTampering } from './persistence.ts';
import { hit, type Judge, placesOf, type RuleInput, shown, textsOf } from './rule.ts';

/** The kinds of effects that show or change what is at a path. */
const touching: ReadonlySet<EffectKind> = new Set([
  ...(['read', 'secret', 'write', 'delete', 'mode', 'device', 'format', 'persist', 'privilege'] as const),
  ...(['database', 'container'] as const),
]);

/** Reads that show names and sizes, or that speak to the daemon as every client does. */
const looks: ReadonlySet<string> = new Set(['list', 'socket']);

/** Programs that search texts and show the lines that they find. */
const searches = /^(?:[a-z]*grep|rg|ag|ack|git-grep|find|xargs|parallel|fd|fdfind)$/;
/** Programs that hand on what they find. */
const finders = /^(?:g?find|xargs|parallel|fd|fdfind)$/;

/** Files that a home holds, for those who look for them by name. */
const ownFiles = [
  ...['sallyport.toml', 'ledger.db', 'ledger.db-wal', 'ledger.key', 'chain.id', 'decide.token'],
  ...['approver.json', 'trust.json', 'hosts.json', 'daemon.json'],
];

/** How an effect meets the home: what is in it, a folder above with all that is in that, or perhaps one of both. */
type Meeting = { readonly how: 'inside' | 'above' | 'perhaps'; readonly home: string };

/** Judges what shows or changes something in the guard's own home. */
export const judgeOwnHome: Judge = (effect, ruleInput) => {
  if (effect.target.kind !== 'path' || !touching.has(effect.kind)) return [];
  if (effect.kind === 'read' && looks.has(effect.detail ?? '')) return [];
  return placesOf(effect, ruleInput).flatMap((place) => {
    const met = meetingOf(effect, place, ruleInput);
    return met === null ? [] : findingFor(effect, place, met, ruleInput);
  });
};

function findingFor(
  effect: Effect,
  place: Place,
  { how, home }: Meeting,
  ruleInput: RuleInput,
): readonly Finding[] {
  const { span, kind } = effect;
  const reads = kind === 'read' || kind === 'secret';
  const verb = reads ? 'reads' : 'changes';
  const holds = 'where Sallyport keeps its keys, records and settings';
  if (how === 'inside') {
    if (reads && isLog(place)) return [];
    return [hit(ruleInput, guardTampering, { span, why: `it ${verb} ${shown(place)}, ${holds}` })];
  }
  if (how === 'perhaps') {
    const why = `${shown(place)} may mean ${home}, ${holds}`;
    return [hit(ruleInput, guardTampering, { span, why, decision: 'approve' })];
  }
  // The loss of a machine or of a person's home is refused as that.
  if (kind === 'write' || (kind === 'delete' && isProtected(place.zone))) return [];
  if (isSpared(effect, place, home, ruleInput)) return [];
  const narrowed = reads ? searches.test(effect.through.at(-1) ?? effect.program) : effect.detail === 'find';
  const searching = reads && searches.test(effect.program);
  return [
    hit(ruleInput, guardTampering, {
      span,
      why: `it ${verb} ${shown(place)} with all that is in it, and so ${home}, ${holds}`,
      suggestion:
        'Name the folders that are meant, or leave that one out: `tar czf a.tgz --exclude=.sallyport src`.',
      decision: searching || narrowed ? 'approve' : 'block',
    }),
  ];
}

function isLog({ path, pattern, open }: Place): boolean {
  return path !== null && !pattern && !open && isOwnLog(path);
}

function homesOf({ own = [], home }: PathScope): readonly string[] {
  return ownHomes(own, home ?? unknownHome);
}

function meetingOf(effect: Effect, place: Place, ruleInput: RuleInput): Meeting | null {
  const { pathScope } = ruleInput;
  if (place.path === null) return null;
  const homes = homesOf(pathScope);
  const found = place.contents && effect.through.some((program) => finders.test(program));
  const { paths, complete } = found ? foundIn(place.path) : taken(effect, place, place.path, pathScope);
  for (const one of [...paths, fixedPart(place.path)]) {
    const home = ownHomeOf(one, homes, pathScope.workspace);
    if (home !== null) return { how: 'inside', home };
  }
  // Of a path that is only begun, what follows is not the folder itself.
  const wide = found || (effect.recursive === true && !place.open);
  const there = homes.filter((home) => isThere(effect, home, pathScope));
  for (const home of wide ? there : []) {
    if (paths.some((one) => isWithin(home, one))) return { how: 'above', home };
  }
  return sought(effect, place, there) ?? guessed(place, homes, wide, complete, pathScope);
}

/** What is found in a folder is all that is in it, hidden or not, and nothing that its links lead to. */
function foundIn(path: string): Matched {
  return { paths: [path.slice(0, path.lastIndexOf('/')) || '/'], complete: true };
}

/** The paths that an effect takes. */
function taken({ kind, detail }: Effect, { pattern }: Place, path: string, pathScope: PathScope): Matched {
  if (!pattern) return { paths: [path], complete: true };
  // What is put into a folder has the names of what is taken, and not of what is there.
  const lands = kind === 'write' && /^(?:copy|move|link)$/.test(detail ?? '');
  return lands ? { paths: [], complete: true } : matchedBy(pathScope, path, { follow: kind !== 'delete' });
}

/** The folder that a path with patterns begins in; any other path as it is. */
function fixedPart(path: string): string {
  const first = namesOf(path).findIndex(isPattern);
  return first === -1 ? path : `/${namesOf(path).slice(0, first).join('/')}`;
}

/** Whether a home is on the disk, so that a folder above it certainly holds it; with a link to it only the link is taken. */
function isThere({ kind }: Effect, home: string, { list, realPath }: PathScope): boolean {
  const real = list === undefined ? null : realPath(home);
  return kind === 'delete' ? typeof real === 'string' : real === home;
}

/** A search below a folder above the home for the name of a file that the home has. */
function sought({ through }: Effect, { path }: Place, homes: readonly string[]): Meeting | null {
  if (path === null || !through.some((program) => finders.test(program))) return null;
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  const home = homes.find((one) => isWithin(one, path.slice(0, slash) || '/'));
  if (home === undefined || name.replace(/[*?]/g, '').length < 3) return null;
  return ownFiles.some((file) => matchesStars(name, file)) ? { how: 'inside', home } : null;
}

/** What may mean the home, where the disk could not tell or the name is not wholly known. */
function guessed(
  { path, given, open, pattern }: Place,
  homes: readonly string[],
  wide: boolean,
  complete: boolean,
  pathScope: PathScope,
): Meeting | null {
  if (path === null) return null;
  if (pattern && !complete) {
    // Alone, a star says too little to be a reach for it.
    const said =
      namesOf(path)
        .filter(isPattern)
        .join('')
        .replace(/[*?[\]]/g, '').length > 1;
    const meant = homes.find((one) => {
      const could = couldMean(pathScope, path, one);
      return could === 'it' ? said : could === 'above' && wide && said;
    });
    if (meant !== undefined) return { how: 'perhaps', home: meant };
  }
  if (!open) return null;
  const begun = given.slice(given.lastIndexOf('/') + 1);
  const home = homes.find((one) => begun.length > 2 && `${one}/`.startsWith(`${path}/${begun}`));
  return home === undefined ? null : { how: 'perhaps', home };
}

// ── what a command leaves out

const leavesOut =
  /^(?:--exclude(?:-dir)?|--ignore(?:-dir|-dirs|-path)?|-x|-X|-E|--filter|-f|-g|--glob|--iglob)(?:=(.*))?$/s;

/** Whether the command leaves the home out, or takes only files of another kind. */
function isSpared(effect: Effect, place: Place, home: string, ruleInput: RuleInput): boolean {
  const start = fixedPart(place.path ?? '/');
  const below = namesOf(isWithin(home, start) ? home.slice(start.length) : home);
  return ruleInput.facts.invocations.some((invocation) => {
    const { span, program } = invocation;
    const same = span[0] === effect.span[0] && span[1] === effect.span[1];
    if (!same || (program !== effect.program && !effect.through.includes(program ?? ''))) return false;
    const words = wordsOf(invocation);
    return (
      isLeftOut(words, below, home) ||
      isOfOtherKind(words) ||
      staysVisible(program, words, below) ||
      staysAbove(words, below)
    );
  });
}

function wordsOf({ args }: Invocation): readonly string[] {
  return args.map((value) => textsOf(value)[0] ?? '');
}

function isLeftOut(words: readonly string[], below: readonly string[], home: string): boolean {
  return words.some((word, index) => {
    const option = leavesOut.exec(word);
    const attached = /^-xr?!(.+)$/s.exec(word)?.[1];
    const given = attached ?? (option === null ? undefined : (option[1] ?? words[index + 1]));
    if (given === undefined || (/^-(?:g|-i?glob)/.test(word) && !given.startsWith('!'))) return false;
    const name = given
      .replace(/^- *|^!/, '')
      .replace(/^(?:\*\*\/|\*\/|\.\/)+/, '')
      .replace(/\/(?:\*\*?)?$/, '');
    if (name === '') return false;
    return below.some((one) => matchesStars(name, one)) || home === name || home.endsWith(`/${name}`);
  });
}

/** `--include` names the only files that are read. */
function isOfOtherKind(words: readonly string[]): boolean {
  const kinds = words.flatMap((word, index) => {
    const given = /^--include(?:=(.*))?$/s.exec(word);
    return given === null ? [] : [given[1] ?? words[index + 1] ?? '*'];
  });
  return kinds.length > 0 && kinds.every((kind) => !ownFiles.some((file) => matchesStars(kind, file)));
}

/** A search that ends before it comes to the files of the home. */
function staysAbove(words: readonly string[], below: readonly string[]): boolean {
  const depth = words[words.findIndex((word) => /^-?-max-?depth$/.test(word)) + 1] ?? '';
  return (
    words.some((word) => /^-?-max-?depth$/.test(word)) && /^\d+$/.test(depth) && Number(depth) <= below.length
  );
}

/** Programs that go into no hidden folder unless they are told to. */
function staysVisible(program: string | null, words: readonly string[], below: readonly string[]): boolean {
  return (
    /^(?:rg|ag|fd|fdfind)$/.test(program ?? '') &&
    below.some((name) => name.startsWith('.')) &&
    !words.some((word) =>
      /^(?:--hidden|--unrestricted|--no-ignore-dot|-[a-zA-Z]*(?:\.|u)|-[a-zA-Z]*H)/.test(word),
    )
  );
}

// ── what a program is handed

/** Kinds of effects of programs that may do anything with the files that they are handed. */
const handsOn: ReadonlySet<EffectKind> = new Set([
  ...(['run', 'git', 'database', 'deploy', 'cloud', 'message', 'package', 'container', 'connect'] as const),
]);
const onFiles: ReadonlySet<EffectKind> = new Set(['read', 'secret', 'write', 'delete', 'mode']);

/** Finds a path in the guard's home among the words of a program whose effects do not tell what it does with it. */
export function handedFindings(ruleInput: RuleInput): readonly Finding[] {
  const { pathScope, facts } = ruleInput;
  const homes = homesOf(pathScope);
  return facts.invocations.flatMap((invocation) => {
    const { span, args, program, builtin } = invocation;
    if (builtin || program === null || program === 'sallyport') return [];
    const paths = args.flatMap((value) => textsOf(value).flatMap(pathIn));
    if (paths.length === 0) return [];
    const own = facts.effects.filter((effect) => effect.span === span && effect.program === program);
    const tells = own.some(({ kind }) => onFiles.has(kind));
    const idle = own.every(({ kind, detail }) => !handsOn.has(kind) && detail !== 'project');
    if (tells || idle) return [];
    return paths
      .flatMap((text) =>
        locate(pathScope, { kind: 'path', path: { kind: 'literal', text } }, { follow: true }),
      )
      .filter(({ path }) => path !== null && ownHomeOf(path, homes, pathScope.workspace) !== null)
      .map((place) =>
        hit(ruleInput, guardTampering, {
          span,
          why: `it hands ${shown(place)} to ${program}, where Sallyport keeps its keys, records and settings`,
        }),
      );
  });
}

/** The absolute path that a word is, also behind the name of an option. */
function pathIn(word: string): readonly string[] {
  const path = /^(?:-[^=/~\s]*=?|[\w-]+=|@)?([/~][^\s]*)$/.exec(word)?.[1];
  return path === undefined ? [] : [path];
}
