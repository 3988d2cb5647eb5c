// What a command line of a service does, by the verb of its subcommand.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  type Reading,
  type Tool,
  textOf,
} from '../tool.ts';

/** What is done to what a service holds. */
type Deed = 'delete' | 'change' | 'read' | 'deploy' | 'secret';

const deletes =
  /^(?:delete|destroy|remove|rm|rb|purge|terminate|drop|wipe|erase|del|undeploy|unset|revoke|deregister|disassociate|detach|disable|deactivate|archive|cancel|empty|prune|clean|clear|flush|reset|uninstall|deprovision|decommission|release-address|unsubscribe|leave|undelete-forever|nuke|expire|forget|unlink|teardown|abort|delete-batch|remove-all|reject|break-lock|unlock|compact|recreate)$/;

const deletesWithin =
  /^(?:delete|destroy|remove|terminate|purge|deregister|disassociate|detach|disable|revoke|release|cancel|reset|empty|stop|unsubscribe|forget|abort|schedule-key-deletion|reject|erase)(?:[-_:]|$)/;

const reads =
  /^(?:list|ls|get|describe|show|view|status|logs|log|info|version|help|whoami|inspect|search|diff|plan|validate|check|tail|download|cat|stat|du|history|ping|test|tree|fmt|format|graph|output|console|doctor|open|browse|locations|wait|export|query|scan|filter|lookup|head|preview|count|size|events|watch|completion|env-list|print|find|read|current|explain|verify|lint|dump|sync-status|poll|resources|members|regions|serve|convert|dev|build|lint)$/;

const readsWithin =
  /^(?:list|get|describe|show|view|head|lookup|search|filter|scan|query|tail|wait|check|estimate|simulate|validate|test|select|preview|can|is|ls|generate-cli-skeleton|retrieve|read|count|verify|decode)(?:[-_:]|$)/;

const deploys =
  /^(?:deploy|publish|promote|rollout|release|activate|ship|rollback|push|up|apply|sync|submit|alias)$/;

/** The deed of one word of a command line; null where the word is a noun. */
function deedOf(word: string): Deed | null {
  const last = word.slice(word.lastIndexOf(':') + 1).replace(/^batch-/, '');
  if (deletes.test(last) || deletesWithin.test(last) || /[-_](?:delete|remove|destroy)(?:[-_]|$)/.test(last))
    return 'delete';
  if (deploys.test(last)) return 'deploy';
  if (reads.test(last) || readsWithin.test(last)) return 'read';
  if (
    /^(?:create|add|update|put|set|start|stop|restart|run|enable|edit|modify|change|attach|associate|import|rename|move|mv|cp|copy|upload|scale|resize|invoke|send|grant|rotate|roll|new|init|restore|register|tag|untag|reboot|execute|replace|patch|configure|config|login|logout|approve|merge|close|reopen|transfer|fork|link|use|switch|upgrade|downgrade|invite|encrypt|decrypt|assign|unassign|mirror|lock|pause|resume|begin|purchase|accept|allocate|authorize|increase|decrease|open-session|ssh|exec|connect|tunnel|proxy|migrate|seed|clone|install|generate|write|trigger|rerun|retry|mb|join|provision)(?:[-_:]|$)/.test(
      last,
    )
  )
    return 'change';
  return null;
}

/** Options that most command lines of services have. */
const commonDescription =
  'profile= region= output= query= endpoint-url= cli-input-json= o/out= c= p/project= context= n/name/namespace= g/resource-group= subscription= a/app= org= organization= account= token/t= config= format= filter= limit= zone= location= cluster= service= env/e/environment= scope= team= s/site= access-token= api-key= key= url= h host= server= dir= cwd= file/f= ca-bundle= cli-read-timeout= cli-connect-timeout= color= log-file= account-name= impersonate-service-account= billing-project= verbosity= id= debug quiet/q verbose/v json yes/y force m no-cli-pager no-verify-ssl dry-run/dryrun recursive r i u';

/** The first word that says what is done, and the words up to it. */
function said(
  given: Reading,
  limit: number,
): { readonly deed: Deed | 'unknown' | 'other'; readonly path: string; readonly rest: readonly Value[] } {
  const words: string[] = [];
  let found: { deed: Deed; path: string; rest: readonly Value[] } | undefined;
  for (const [at, operand] of given.operands.slice(0, limit).entries()) {
    const text = textOf(operand);
    if (text === null)
      return found ?? { deed: 'unknown', path: words.join(' '), rest: given.operands.slice(at) };
    words.push(text);
    const deed = deedOf(text);
    if (deed === null) continue;
    const here = { deed, path: words.join(' '), rest: given.operands.slice(at + 1) };
    // A later word that deletes outweighs an earlier one that is also a noun (`deployments delete`, `config unset`).
    if (deed === 'delete') return here;
    found ??= here;
  }
  return found ?? { deed: words.length === 0 ? 'read' : 'other', path: words.join(' '), rest: [] };
}

interface Service {
  /** How many words may name the subcommand. */
  readonly depth?: number;
  /** What a command without a known verb does. */
  readonly otherwise?: Deed | 'unknown';
  /** Commands that are otherwise than their verb says, by their words. */
  readonly exceptions?: readonly (readonly [RegExp, Deed])[];
}

/** The effects of a deed. */
function give(
  call: Call,
  deed: Deed | 'unknown',
  path: string,
  target: Value | undefined,
  given: Reading,
): readonly Effect[] {
  const name = target ?? (path === '' ? undefined : literal(path));
  const force = given.has('force', 'yes') ? { force: true } : {};
  const recursive = given.has('recursive') ? { recursive: true } : {};
  switch (deed) {
    case 'read':
      return inert(call, 'cloud-read');
    case 'deploy':
      return [effect(call, 'deploy', { detail: path, target: nameTarget(name), ...force })];
    case 'secret':
      return [effect(call, 'secret', { detail: 'credentials', target: nameTarget(name) })];
    default:
      return [effect(call, 'cloud', { detail: deed, target: nameTarget(name), ...force, ...recursive })];
  }
}

/** What the word behind a noun does to it: a group that mostly reads may have a verb that does not (`policy rm`). */
function behindNoun(words: string, { index, 0: matched }: RegExpExecArray): Deed | null {
  const named = words.split(' ');
  const last = words.slice(0, index + matched.length).split(' ').length - 1;
  if (deedOf(named[last] ?? '') !== null) return null;
  const deed = deedOf(named[last + 1] ?? '');
  return deed === 'delete' || deed === 'deploy' ? deed : null;
}

/** A command line whose subcommands say by their verbs what they do. */
export function service({ depth = 4, otherwise = 'unknown', exceptions = [] }: Service = {}): Tool {
  return (call) => {
    const given = options(commonDescription)(call.args);
    if (given.has('dry-run')) return inert(call, 'dry-run');
    const words = given.operands.slice(0, depth).map(beginningOf).join(' ');
    const flags = call.args.map(beginningOf).filter((text) => text.startsWith('-'));
    const whole = `${words} ${flags.join(' ')}`.trim();
    for (const [pattern, deed] of exceptions) {
      const found = pattern.exec(whole);
      if (found === null) continue;
      const done = deed === 'read' ? (behindNoun(words, found) ?? deed) : deed;
      return give(call, done, words, undefined, given);
    }
    const { deed, path, rest } = said(given, depth);
    return give(call, deed === 'other' ? otherwise : deed, path, rest[0], given);
  };
}
