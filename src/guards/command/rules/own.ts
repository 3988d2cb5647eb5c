// Rule: the keys, records, settings and programs in the guard's own home are not for those it guards, by whatever path.

import { type Finding, usualPort } from '../../../core/index.ts';
import { isOwnLog, ownHomeOf, ownHomes } from '../../../detect/protect.ts';
import type { Effect, EffectKind, Invocation, Value } from '../effects.ts';
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
import { isLocal, sends } from './network.ts';
import { guardTampering } from './persistence.ts';
import { hit, type Judge, nameOf, placesOf, type RuleInput, shown, textsOf } from './rule.ts';

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

/** A search that ends before it reaches the files of the home. */
function staysAbove(words: readonly string[], below: readonly string[]): boolean {
  const depth = words[words.findIndex((word) => /^-?-max-?depth$/.test(word)) + 1] ?? '';
  return (
    words.some((word) => /^-?-max-?depth$/.test(word)) && /^\d+$/.test(depth) && Number(depth) <= below.length
  );
}

/** Programs that enter no hidden folder unless an option asks for it. */
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

// ── Rule: the calls of the daemon that only a person may make are not made by a command, by whatever program: to open a
// session, to answer a question, to apply a change, to keep a policy.

/** Something of a path that may not be known; it ends at a space, a quote or what ends a path. */
const part = '[^\\s\'"`?#/]+';
const ends = '(?![\\w/-])';

/** The routes of a person, each as it begins and as it goes on. */
const routes: readonly (readonly [string, string])[] = [
  ['/v1/session', '(?:/(?:link|claim|login))?'],
  ['/v1/approvals/', `${part}/answer`],
  ['/v1/changes/', `${part}/(?:decisions|apply|reject)`],
  ['/v1/permissions/', part],
  ['/v1/policies', `(?:/${part})*`],
  ['/v1/policy-versions/', `${part}/restore`],
  ['/v1/hosts/', `${part}/wire`],
];
const route = new RegExp(`(?:${routes.map(([begins, goesOn]) => begins + goesOn).join('|')})${ends}`);
/** Routes that no other server has, with what they are sent. */
const ownRoute = new RegExp(`/v1/(?:approvals/${part}/answer|session/(?:link|claim))${ends}`);
const sentPassphrase = new RegExp(
  `/v1/session${ends}[\\s\\S]*passphrase|passphrase[\\s\\S]*/v1/session${ends}`,
);
const openPort = /(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0):(?!\d)/;
const ownSocket = /\bsallyport\.sock\b/;

/** Programs that run what they are handed in a language that is not followed. */
const interpreters = /^(?:perl|ruby|php|lua(?:jit)?|tclsh|Rscript|julia|g?awk|node|deno|bun|python[\d.]*)$/;
/** Kinds of effects of programs that may do anything with what they are handed. */
const runsWords: ReadonlySet<EffectKind> = new Set(['run', 'container', 'package']);
/** Connections that carry whatever comes in, so that no address says which route is called. */
const raw = /^(?:tcp|ssl|openssl|telnet)/;
const requestLine = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/\S*/;

/** Finds calls that only a person may make. */
export function personCallFindings(ruleInput: RuleInput): readonly Finding[] {
  return [...reachingFindings(ruleInput), ...handedCallFindings(ruleInput)].slice(0, 1);
}

/** Judges connections to this machine by every text of the command, since the route may stand in another segment. */
function reachingFindings(ruleInput: RuleInput): readonly Finding[] {
  const reaching = ruleInput.facts.effects.filter(mayReachDaemon);
  const [first] = reaching;
  if (first === undefined) return [];
  const known = addressesOf(ruleInput);
  const text = withPlainPaths([ruleInput.source, ...known].join('\n'));
  if (isPersonCall(text, ruleInput)) return [called(ruleInput, first.span)];
  const sent = reaching.some(sends) && known.some((address) => mayBecomeRoute(address, ruleInput));
  const unseen =
    reaching.some(({ detail = '' }) => raw.test(detail)) &&
    !requestLine.test(text) &&
    namesPort(text, ruleInput);
  if (!sent && !unseen) return [];
  const why = "it may call a route of Sallyport's daemon that only the person may call";
  return [hit(ruleInput, guardTampering, { span: first.span, why, decision: 'approve' })];
}

/** Judges programs that may call anything by what each of them is handed. */
function handedCallFindings(ruleInput: RuleInput): readonly Finding[] {
  const { facts, isKnown } = ruleInput;
  return facts.invocations.flatMap(({ program, args, span, builtin }) => {
    if (builtin) return [];
    const hands =
      program === null ||
      !isKnown(program) ||
      interpreters.test(program) ||
      facts.effects.some((effect) => effect.span === span && runsWords.has(effect.kind));
    const text = hands ? withPlainPaths(args.flatMap(textsIn).join('\n')) : '';
    return text !== '' && isPersonCall(text, ruleInput) ? [called(ruleInput, span)] : [];
  });
}

function called(ruleInput: RuleInput, span: Effect['span']): Finding {
  const why = "it calls a route of Sallyport's daemon that only the person may call";
  return hit(ruleInput, guardTampering, { span, why });
}

function isPersonCall(text: string, ruleInput: RuleInput): boolean {
  return route.test(text) && namesDaemon(text, ruleInput);
}

/** Whether an effect may be a call of the daemon: it goes to this machine, to a socket, or to an unknown address. */
function mayReachDaemon({ kind, target, detail }: Effect): boolean {
  if (kind === 'connect') return isLocal(nameOf(target)) || /^(?:0\.0\.0\.0)?$/.test(nameOf(target));
  return (kind === 'read' || kind === 'write') && detail === 'socket';
}

/** The addresses and words that are known, with a star for what is not. */
function addressesOf({ facts }: RuleInput): readonly string[] {
  return [
    ...facts.invocations.flatMap(({ args }) => args.flatMap(textsIn)),
    ...facts.effects.flatMap(({ addresses = [] }) => addresses),
  ];
}

function textsIn(value: Value): readonly string[] {
  if (value.kind === 'unknown') return [];
  return value.kind === 'choice' ? value.texts : [value.kind === 'prefix' ? `${value.text}*` : value.text];
}

/** A text whose paths are written as a server reads them. */
function withPlainPaths(text: string): string {
  return text
    .replace(/%([2-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\/(?:\.\/)+/g, '/')
    .replace(/\/[^\s/'"]+\/\.\.\//g, '/');
}

function namesDaemon(text: string, ruleInput: RuleInput): boolean {
  if (ownSocket.test(text) || namesPort(text, ruleInput)) return true;
  return openPort.test(text) && (ownRoute.test(text) || sentPassphrase.test(text));
}

function portsOf({ daemonPort }: RuleInput): readonly number[] {
  const port = daemonPort();
  return port === null || port === usualPort ? [usualPort] : [usualPort, port];
}

function namesPort(text: string, ruleInput: RuleInput): boolean {
  return portsOf(ruleInput).some((port) => new RegExp(`(?<![\\w.])${port}(?!\\w)`).test(text));
}

/** Whether an address of the daemon, of which only the beginning is known or the rest is a pattern, could go on to be a route of a person. */
function mayBecomeRoute(address: string, ruleInput: RuleInput): boolean {
  return portsOf(ruleInput).some((port) => {
    const path = new RegExp(`^(?:\\w+://)?[^/\\s]*:${port}(/[^\\s*{[]*)?[*{[]`).exec(address);
    const begun = path?.[1] ?? '';
    return path !== null && routes.some(([begins]) => begins.startsWith(begun));
  });
}
