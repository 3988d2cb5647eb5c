// Forges of code, what runs their jobs, and trackers of work.

import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
} from '../tool.ts';
import { service } from './deeds.ts';
import { downloading } from './downloads.ts';

const ghReads =
  /^(?:[\w-]+ (?:list|ls|view|status|diff|checks|watch|download|clone|browse|search|verify|develop|field-list|item-list|ports|logs)|status|browse|search|version|help|completion|auth status|api|repo (?:clone|view|list|set-default|sync|gitignore|license)|pr (?:checkout|diff|checks|view|list|status)|run (?:watch|view|list|download)|cache list|extension list|config (?:get|list)|alias list|ruleset \w+|gpg-key list|ssh-key list|label list|attestation|issue develop|project (?:list|view|field-list|item-list))(?: |$)/;

const gh: Tool = (call) => {
  const given = options(
    'R/repo= H/hostname= h/help X/method= f/raw-field= F/field= input= p/preview= q/jq= t/template= cache= b/body= body-file= title= B/base= head= l/label= a/assignee= r/reviewer= m/milestone= w/web d/draft e/env= o/org= u/user= visibility= s= L/limit= json= yes y admin merge squash rebase auto delete-branch cleanup-tag notes= notes-file= target= n= paginate include silent ref= S/search= state= D/dir= accept-visibility-change-consequences description= add-topic=',
  )(call.args);
  const [group, verb, ...rest] = given.operands;
  const first = textOf(group ?? literal('help'));
  const named = verb ?? literal('');
  // What a request reads need not be known, as long as it only reads.
  const second = first === 'api' ? beginningOf(named) : textOf(named);
  if (given.has('help')) return inert(call);
  if (first === null || second === null)
    return [effect(call, 'cloud', { detail: 'unknown', target: nameTarget(group) })];
  const target = nameTarget(rest[0] ?? given.last('repo') ?? literal(`${first} ${second}`.trim()));
  const inputs = given.all('input', 'body-file', 'notes-file').flatMap((file) => read(call, file));
  if (first === 'api') {
    const method = (
      textOf(given.last('method') ?? literal(given.has('raw-field', 'field', 'input') ? 'POST' : 'GET')) ??
      'unknown'
    ).toUpperCase();
    if (second === 'graphql') {
      const mutation = given
        .all('raw-field', 'field')
        .some((field) => /^query=\s*mutation\b/.test(beginningOf(field)));
      return mutation
        ? [effect(call, 'cloud', { detail: 'change', target: nameTarget(verb) })]
        : inert(call, 'cloud-read');
    }
    if (method === 'GET' || method === 'HEAD') return inert(call, 'cloud-read');
    return [
      ...inputs,
      effect(call, 'cloud', { detail: method === 'DELETE' ? 'delete' : 'change', target: nameTarget(verb) }),
    ];
  }
  const words = `${first} ${second}`;
  if (first === 'auth')
    return second === 'token' || (given.has('t') && second === 'status')
      ? [effect(call, 'secret', { detail: 'credentials' })]
      : second === 'status' || second === 'setup-git'
        ? inert(call)
        : [effect(call, 'cloud', { detail: 'change', target: nameTarget(literal(words)) })];
  if (first === 'extension' && /^(?:install|upgrade)$/.test(second))
    return [effect(call, 'package', { detail: 'install', target: nameTarget(rest[0]) })];
  if (first === 'alias' && second === 'set')
    return [effect(call, 'run', { detail: 'alias', target: nameTarget(rest[1]) })];
  if (first === 'codespace' || first === 'cs')
    return /^(?:list|view|logs|ports)$/.test(second)
      ? inert(call)
      : [
          effect(call, second === 'ssh' ? 'run' : 'cloud', {
            detail: second === 'delete' ? 'delete' : second === 'ssh' ? 'remote-command' : 'change',
            target,
          }),
        ];
  if (ghReads.test(words)) return orInert(call, inputs);
  if (
    / (?:delete|archive|rename|remove|disable|unset|transfer|delete-asset|cancel|item-delete|field-delete)$/.test(
      words,
    ) ||
    (words === 'repo edit' && given.has('visibility'))
  )
    return [effect(call, 'cloud', { detail: 'delete', target, force: given.has('yes') })];
  if (words === 'pr create' || words === 'pr merge')
    return [
      effect(call, 'cloud', { detail: 'change', target }),
      effect(call, 'git', {
        detail: words === 'pr merge' ? 'merge-remote' : 'pull-request',
        target,
        force: given.has('admin'),
      }),
    ];
  if (
    words === 'release create' ||
    words === 'workflow run' ||
    words === 'release upload' ||
    words === 'release edit'
  )
    return [
      ...rest.slice(1).flatMap((file) => read(call, file)),
      effect(call, 'deploy', { detail: words, target }),
    ];
  if (
    /^(?:pr|issue|gist|discussion) (?:comment|review|close|reopen|edit|create|ready|lock|unlock|pin|unpin|transfer)$/.test(
      words,
    )
  )
    return [
      ...inputs,
      ...(first === 'gist' ? rest.flatMap((file) => read(call, file)) : []),
      effect(call, 'cloud', { detail: 'discuss', target }),
    ];
  return [...inputs, effect(call, 'cloud', { detail: 'change', target })];
};

const glab: Tool = (call) => {
  const said = call.args.filter((argument) => !beginningOf(argument).startsWith('-')).map(beginningOf);
  if (said[0] === 'api') return gh(call);
  return service({
    depth: 3,
    exceptions: [
      [
        /^(?:mr|issue|repo|pipeline|ci|release|label|variable|snippet) (?:list|view|diff|checkout|clone|status|trace|search|download|get|lint)/,
        'read',
      ],
      [/^(?:repo|project) (?:archive|transfer|mirror)/, 'delete'],
      [/^auth status/, 'read'],
    ],
  })(call);
};

/** Forges, their runners and trackers. */
export const forgeTools: Tools = {
  gh: downloading(gh),
  glab: downloading(glab),
  'gitlab-rake': (call) =>
    /restore|drop|reset|remove/.test(call.args.map(beginningOf).join(' '))
      ? [effect(call, 'cloud', { detail: 'delete' })]
      : [effect(call, 'cloud', { detail: 'change' })],
  'gitlab-runner': service({
    depth: 1,
    exceptions: [
      [/^(?:unregister|uninstall|stop|reset-token)/, 'delete'],
      [/^(?:list|status|verify)/, 'read'],
      [/^verify.*--delete/, 'delete'],
    ],
  }),
  'gitlab-ctl': service({
    depth: 1,
    exceptions: [
      [/^(?:cleanse|uninstall|stop|pg-upgrade)/, 'delete'],
      [/^(?:status|tail|show-config|service-list|help|check-config)/, 'read'],
    ],
  }),
  circleci: service({
    depth: 3,
    exceptions: [
      [
        /^(?:config (?:validate|process|pack)|local|version|diagnostic|orb (?:validate|list|info|process|source))/,
        'read',
      ],
    ],
  }),
  act: (call) => inert(call, 'project'),
};
