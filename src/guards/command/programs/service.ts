// Command lines of services: `PROGRAM GROUP… VERB words --options`. The verb says what is done; a card lists only the commands
// that do something else than their verb says.

import type { Effect, Value } from '../effects.ts';
import { beginningOf, type Call, effect, literal, nameTarget, textOf } from '../tools/tool.ts';
import type { Advice, Card, Fact, Given, Readings } from './card.ts';
import { among, type Command, commandOf, fits, wordsOf } from './tables.ts';
import { inWords } from './wording.ts';

/** What is done to what a service holds. */
type Deed = 'delete' | 'change' | 'read' | 'deploy' | 'secret' | 'unknown';

/** Verbs by what they do: whole words, and words that may also begin a longer one (`list-buckets`). */
const vocabulary: readonly { readonly deed: Deed; readonly whole?: string; readonly first?: string }[] = [
  {
    deed: 'delete',
    whole:
      'rm rb drop wipe del undeploy unset deactivate archive prune clean clear flush uninstall deprovision decommission leave undelete-forever nuke expire unlink teardown break-lock unlock compact recreate',
    first:
      'delete destroy remove terminate purge deregister disassociate detach disable revoke release cancel reset empty stop unsubscribe forget abort schedule-key-deletion reject erase',
  },
  {
    deed: 'deploy',
    whole: 'deploy publish promote rollout activate ship rollback push up apply sync submit alias',
  },
  {
    deed: 'read',
    whole:
      'status logs log info version help whoami inspect diff plan download cat stat du history ping tree fmt format graph output console doctor open browse locations export size events watch completion env-list print find current explain lint dump sync-status poll resources members regions serve convert dev build',
    first:
      'list get describe show view head lookup search filter scan query tail wait check estimate simulate validate test select preview can is ls generate-cli-skeleton retrieve read count verify decode',
  },
  {
    deed: 'change',
    first:
      'create add update put set start restart run enable edit modify change attach associate import rename move mv cp copy upload scale resize invoke send grant rotate roll new init restore register tag untag reboot execute replace patch configure config login logout approve merge close reopen transfer fork link use switch upgrade downgrade invite encrypt decrypt assign unassign mirror lock pause resume begin purchase accept allocate authorize increase decrease open-session ssh exec connect tunnel proxy migrate seed clone install generate write trigger rerun retry mb join provision',
  },
];

/** Words that delete also where another one stands before them: `bulk-delete`. */
const deletesWithin = /[-_](?:delete|remove|destroy)(?:[-_]|$)/;

const alternatives = (words: string): string => words.replaceAll(' ', '|');

const verbs: readonly { readonly deed: Deed; readonly pattern: RegExp }[] = vocabulary.map(
  ({ deed, whole = '(?!)', first = '(?!)' }) => ({
    deed,
    pattern: new RegExp(`^(?:(?:${alternatives(whole)})$|(?:${alternatives(first)})(?:[-_]|$))`),
  }),
);

/** The deed of one word of a command line; null where the word is a noun. */
function deedOf(word: string): Deed | null {
  const last = word.slice(word.lastIndexOf(':') + 1).replace(/^batch-/, '');
  if (deletesWithin.test(last)) return 'delete';
  return verbs.find(({ pattern }) => pattern.test(last))?.deed ?? null;
}

/** Options that most command lines of services have. */
const commonOptions =
  'profile= region= output= query= endpoint-url= cli-input-json= o/out= c= p/project= context= n/name/namespace= g/resource-group= subscription= a/app= org= organization= account= token/t= config= format= filter= limit= zone= location= cluster= service= env/e/environment= scope= team= s/site= access-token= api-key= key= url= h host= server= dir= cwd= file/f= ca-bundle= cli-read-timeout= cli-connect-timeout= color= log-file= account-name= impersonate-service-account= billing-project= verbosity= id= debug quiet/q verbose/v json yes/y force m no-cli-pager no-verify-ssl dry-run/dryrun recursive r i u';

const commonReadings: Readings = {
  valued:
    'profile region output query endpoint-url cli-input-json o out c p project context n name namespace g resource-group subscription a app org organization account token t config format filter limit zone location cluster service env e environment scope team s site access-token api-key key url host server dir cwd file f ca-bundle cli-read-timeout cli-connect-timeout color log-file account-name impersonate-service-account billing-project verbosity id',
  flags:
    'h debug quiet q verbose v json yes y force m no-cli-pager no-verify-ssl dry-run dryrun recursive r i u',
};

/** A command line of a service, as data. */
export interface Service extends Partial<Pick<Card, 'verbs' | 'verbReadings' | 'advice'>> {
  readonly readings?: Readings;
  readonly names: string;
  /** Options besides those that most have. */
  readonly options?: string;
  /** The words of a command that only reads, which is advised before something is deleted or changed. */
  readonly look?: string;
  /** How many words may name the subcommand. */
  readonly depth: number;
  /** The place of the verb, where no other word can be one. */
  readonly verbAt?: number;
  /**
   * Commands that do something else than their verb says, by their first words, separated by ` | `; the first that fits counts.
   * `*` is any part of a word, `…` any words, `$` the end, and an option must be given. Of `own` commands, `facts` says what they do.
   */
  readonly deeds?: readonly (readonly [deed: Deed | 'own', commands: string])[];
  /** What all other commands do, whatever their verbs are. */
  readonly rest?: Deed;
  /** What a command without a known verb does. */
  readonly otherwise?: Deed;
  /** What it does without a subcommand. */
  readonly alone?: Deed;
  /** Commands with what each does to what the service holds; nothing where it only reads, or where the fact is an `own` one. */
  readonly examples: Readonly<Record<string, string>>;
  /** What it does besides: to files here, or by starting programs. */
  readonly facts?: readonly Fact[];
}

interface Listed extends Command {
  readonly deed: Deed | 'own';
}

interface Done {
  readonly deed: Listed['deed'];
  /** The words that say it. */
  readonly path: string;
  readonly target?: Value | undefined;
}

/** The first word that says what is done, and the words up to it. */
function byVerb(operands: readonly Value[], service: Service): Done {
  const { depth, verbAt, otherwise = 'unknown', alone = 'unknown' } = service;
  const words: string[] = [];
  let found: Done | undefined;
  for (const [at, operand] of operands.slice(0, depth).entries()) {
    const text = textOf(operand);
    // A first word that is not known may be no subcommand.
    if (text === null)
      return found ?? { deed: at === 0 ? alone : 'unknown', path: words.join(' '), target: operand };
    words.push(text);
    const deed = verbAt === undefined || verbAt === at ? deedOf(text) : null;
    if (deed === null) continue;
    const target = operands[at + 1];
    // Behind a verb at a fixed place only an address in a store is an operand: any other word is the value of an option.
    const named = verbAt === undefined || /^s3:\/\//.test(beginningOf(target ?? literal('')));
    const here = { deed, path: words.join(' '), target: named ? target : undefined };
    // A later word that deletes outweighs an earlier one that is also a noun (`deployments delete`, `config unset`).
    if (deed === 'delete') return here;
    found ??= here;
  }
  return found ?? { deed: otherwise, path: words.join(' ') };
}

/** A group that mostly reads may have a verb that does not, behind its noun (`policy rm`). */
function behindNoun(deed: Listed['deed'], path: string, count: number): Listed['deed'] {
  const words = path.split(' ');
  if (deed !== 'read' || deedOf(words[count - 1] ?? '') !== null) return deed;
  const next = deedOf(words[count] ?? '');
  return next === 'delete' || next === 'deploy' ? next : deed;
}

/** What a call does to what the service holds. */
function doneBy(service: Service, commands: readonly Listed[], given: Given<Value>): Done {
  const operands = wordsOf(given);
  const path = operands.slice(0, service.depth).map(beginningOf).join(' ');
  const listed = commands.find((command) => fits(command, path, given));
  if (listed !== undefined) {
    const [matched = ''] = listed.pattern.exec(path) ?? [];
    return { deed: behindNoun(listed.deed, path, matched.trim().split(' ').length), path };
  }
  if (operands.length <= (service.verbAt ?? 0)) return { deed: service.alone ?? 'read', path };
  const known = operands[0]?.kind === 'literal';
  if (service.rest !== undefined && known) return { deed: behindNoun(service.rest, path, 1), path };
  return byVerb(operands, service);
}

/** The effects of what is done. */
function effectsOf(call: Call, { deed, path, target }: Done, given: Given<Value>): readonly Effect[] {
  const name = nameTarget(target ?? (path === '' ? undefined : literal(path)));
  const force = given.has('force', 'yes') ? { force: true } : {};
  const recursive = given.has('recursive') ? { recursive: true } : {};
  switch (deed) {
    case 'read':
    case 'own':
      return [];
    case 'deploy':
      return [effect(call, 'deploy', { detail: path, target: name, ...force })];
    case 'secret':
      return [effect(call, 'secret', { detail: 'credentials', target: name })];
    default:
      return [effect(call, 'cloud', { detail: deed, target: name, ...force, ...recursive })];
  }
}

/** Options or names of them, without those that a service has in another meaning. */
function without(options: string, own: ReadonlySet<string>): string {
  const groups = options.split(' ').map((group) => {
    const mark = group.endsWith('=') ? '=' : '';
    const names = group.slice(0, group.length - mark.length).split('/');
    const left = names.filter((name) => !own.has(name));
    return left.length === 0 ? '' : left.join('/') + mark;
  });
  return groups.filter((group) => group !== '').join(' ');
}

/** The options that most services have, and those of one. */
function withCommon(own: string, readings: Readings = {}): Pick<Card, 'options' | 'readings'> {
  const names = new Set(own.split(/[ /]/).map((name) => name.replace(/[=?]$/, '')));
  const both = (common = '', of = ''): string => `${without(common, names)} ${of}`.trim();
  return {
    options: both(commonOptions, own),
    readings: {
      ...readings,
      valued: both(commonReadings.valued, readings.valued),
      flags: both(commonReadings.flags, readings.flags),
    },
  };
}

/** With `--dry-run` nothing is done. */
function unlessDry(fact: Fact): Fact {
  const { effects } = fact;
  return effects === undefined
    ? fact
    : { ...fact, effects: (call, given) => (given.has('dry-run') ? [] : effects(call, given)) };
}

/** The card of a service. */
export function service(given: Service): Card {
  const { names, options = '', readings, verbs: subcommands, verbReadings, advice, look, examples } = given;
  let commands: readonly Listed[] | undefined;
  const done = (call: Given<Value>): Done => {
    commands ??= (given.deeds ?? []).flatMap(([deed, list]) =>
      list.split(' | ').map((text) => ({ deed, ...commandOf(text) })),
    );
    return doneBy(given, commands, call);
  };
  const shown = among(examples);
  const fact: Fact = {
    what: `by its words: ${inWords(Object.values(shown.hit), 'only looks')}`,
    effects: (call, words) => effectsOf(call, done(words), words),
    examples: shown,
  };
  return {
    names,
    ...withCommon(options, readings),
    ...(subcommands === undefined ? {} : { verbs: subcommands }),
    ...(verbReadings === undefined ? {} : { verbReadings }),
    facts: [fact, ...(given.facts ?? [])].map(unlessDry),
    ...(advice === undefined && look === undefined
      ? {}
      : { advice: [...(advice ?? []), ...(look === undefined ? [] : looksWith(names, look))] }),
  };
}

/** The advice to look first, for each name of a program. */
function looksWith(names: string, look: string): readonly Advice[] {
  return names
    .split(' ')
    .flatMap((name) =>
      lookFirst(`Look first: \`${name} ${look}\`.`).map((entry) => ({ ...entry, programs: [name] })),
    );
}

/** What to look at first, where a command would delete, change or deploy something elsewhere. */
export function lookFirst(text: string): readonly Advice[] {
  return ['cloud_deletion', 'cloud_change', 'deployment'].map((rule) => ({ rule, text }));
}

/** The same example for each of some words, separated by ` | `, where `*` stands for the word. */
export function each(command: string, words: string, said: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.split(' | ').map((word) => [command.replaceAll('*', word), said.replaceAll('*', word)]),
  );
}
