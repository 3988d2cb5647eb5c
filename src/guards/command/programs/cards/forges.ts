// gh and glab: forges of code.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  literal,
  nameTarget,
  read,
  textOf,
  within,
  write,
} from '../../tools/tool.ts';
import type { Card, Given } from '../card.ts';
import { forAll } from '../examples.ts';
import { service } from '../service.ts';
import { wordsOf } from '../tables.ts';

const ghReads =
  /^(?:[\w-]+ (?:list|ls|view|status|diff|checks|watch|download|clone|browse|search|verify|develop|field-list|item-list|ports|logs)|status|browse|search|version|help|completion|repo (?:set-default|sync|gitignore|license)|pr checkout|config get|ruleset \w+|attestation)(?: |$)/;
const ghDeletes =
  / (?:delete|archive|rename|remove|disable|unset|transfer|delete-asset|cancel|item-delete|field-delete)$/;
const ghTalks =
  /^(?:pr|issue|gist|discussion) (?:comment|review|close|reopen|edit|create|ready|lock|unlock|pin|unpin|transfer)$/;

const cloud = (call: Call, detail: string, target: Effect['target'], force = false): Effect =>
  effect(call, 'cloud', { detail, target, ...(force && { force }) });

/** `api`: a request reads, unless its method or its query says more. */
function requestEffects(call: Call, given: Given<Value>, path: Value): readonly Effect[] {
  const sends = given.has('raw-field', 'field', 'input');
  const method = (textOf(given.last('method') ?? literal(sends ? 'POST' : 'GET')) ?? 'unknown').toUpperCase();
  const target = nameTarget(path);
  if (beginningOf(path) === 'graphql') {
    const changes = given
      .all('raw-field', 'field')
      .some((field) => /^query=\s*mutation\b/.test(beginningOf(field)));
    return changes ? [cloud(call, 'change', target)] : [];
  }
  if (method === 'GET' || method === 'HEAD') return [];
  return [
    ...given.all('input').flatMap((file) => read(call, file)),
    cloud(call, method === 'DELETE' ? 'delete' : 'change', target),
  ];
}

/** What the commands do that have effects of their own. */
function ownEffects(call: Call, given: Given<Value>, words: string): readonly Effect[] | null {
  const rest = wordsOf(given).slice(2);
  const [group, verb = ''] = words.split(' ');
  if (group === 'auth') {
    if (verb === 'token' || (given.has('t', 'show-token') && verb === 'status'))
      return [effect(call, 'secret', { detail: 'credentials' })];
    return /^(?:status|setup-git)$/.test(verb) ? [] : [cloud(call, 'change', nameTarget(literal(words)))];
  }
  if (/^extension (?:install|upgrade)$/.test(words))
    return [effect(call, 'package', { detail: 'install', target: nameTarget(rest[0]) })];
  if (words === 'alias set') return [effect(call, 'run', { detail: 'alias', target: nameTarget(rest[1]) })];
  if (group !== 'codespace' && group !== 'cs') return null;
  const target = nameTarget(rest[0] ?? given.last('repo') ?? literal(words));
  if (/^(?:list|view|logs|ports)$/.test(verb)) return [];
  if (verb === 'ssh') return [effect(call, 'run', { detail: 'remote-command', target })];
  return [cloud(call, verb === 'delete' ? 'delete' : 'change', target)];
}

/** What the other commands do, by their verbs. */
function groupEffects(call: Call, given: Given<Value>, words: string): readonly Effect[] {
  const rest = wordsOf(given).slice(2);
  const target = nameTarget(rest[0] ?? given.last('repo') ?? literal(words.trim()));
  const inputs = given.all('input', 'body-file', 'notes-file').flatMap((file) => read(call, file));
  if (ghReads.test(words)) return inputs;
  if (ghDeletes.test(words) || (words === 'repo edit' && given.has('visibility')))
    return [cloud(call, 'delete', target, given.has('yes'))];
  if (words === 'pr create' || words === 'pr merge')
    return [
      cloud(call, 'change', target),
      effect(call, 'git', {
        detail: words === 'pr merge' ? 'merge-remote' : 'pull-request',
        target,
        force: given.has('admin'),
      }),
    ];
  if (/^(?:release (?:create|upload|edit)|workflow run)$/.test(words))
    return [
      ...rest.slice(1).flatMap((file) => read(call, file)),
      effect(call, 'deploy', { detail: words, target }),
    ];
  if (!ghTalks.test(words)) return [...inputs, cloud(call, 'change', target)];
  return [
    ...inputs,
    ...(words.startsWith('gist ') ? rest.flatMap((file) => read(call, file)) : []),
    cloud(call, 'discuss', target),
  ];
}

function ghEffects(call: Call, given: Given<Value>): readonly Effect[] {
  const [group, verb] = wordsOf(given);
  if (given.has('help')) return [];
  const first = textOf(group ?? literal('help'));
  // What a request reads need not be known, as long as it only reads.
  if (first === 'api') return requestEffects(call, given, verb ?? literal(''));
  const second = textOf(verb ?? literal(''));
  if (first === null || second === null) return [cloud(call, 'unknown', nameTarget(group))];
  const words = `${first} ${second}`;
  return ownEffects(call, given, words) ?? groupEffects(call, given, words);
}

/** The files that a release or a run leaves here. */
function downloads(call: Call, given: Given<Value>, pattern: string): readonly Effect[] {
  const file = call.program === 'gh' ? given.last('O') : undefined;
  if (file) return write(call, file, { detail: 'overwrite', origins: ['network'] });
  const names = given.all(...pattern.split(' '));
  const into = given.last('D');
  const places = names.length > 0 ? names.map((name) => within(into, name)) : [into ?? literal('.')];
  return places.flatMap((place) =>
    write(call, place, { detail: 'create', recursive: names.length === 0, origins: ['network'] }),
  );
}

const codespaces: readonly string[] = ['codespace', 'cs'].flatMap((group) =>
  'code cp create delete edit jupyter rebuild ssh stop'.split(' ').map((verb) => `${group} ${verb}`),
);

const gh: Card = {
  names: 'gh',
  options:
    'R/repo= H/hostname= h/help X/method= f/raw-field= F/field= input= p/preview= q/jq= t/template= cache= b/body= body-file= title= B/base= head= l/label= a/assignee= r/reviewer= m/milestone= w/web d/draft e/env= o/org= u/user= visibility= s= L/limit= json= yes y admin merge squash rebase auto delete-branch cleanup-tag notes= notes-file= target= n= paginate include silent ref= S/search= state= D/dir= accept-visibility-change-consequences description= add-topic= project= recover= add-assignee= add-label= remove-assignee= remove-label= remove-project= add-project= add-reviewer= remove-reviewer= homepage= gitignore= license= team= default-branch= remove-topic= remote-name= fork-name= profile= devcontainer-path= idle-timeout= location= machine= retention-period= days= debug-file= server-port= owner= readme= target-owner= source-owner= name= data-type= single-select-options= id= project-id= field-id= iteration-id= text= number= single-select-option-id= date= url= format=',
  readings: {
    valued:
      'R repo H hostname X method f raw-field F field input p preview q jq t template cache b body body-file title B base head l label a assignee r reviewer m milestone e env o org u user visibility s L limit json notes notes-file target n ref S search state D dir description add-topic project recover add-assignee add-label remove-assignee remove-label remove-project add-project add-reviewer remove-reviewer homepage gitignore license team default-branch remove-topic remote-name fork-name profile devcontainer-path idle-timeout location machine retention-period days debug-file server-port owner readme target-owner source-owner name data-type single-select-options id project-id field-id iteration-id text number single-select-option-id date url format',
    flags:
      'h help w web d draft yes y admin merge squash rebase auto delete-branch cleanup-tag paginate include silent accept-visibility-change-consequences',
  },
  verbs: {
    ...Object.fromEntries(codespaces.map((verb) => [verb, 'c/codespace= d/display-name='])),
    'gist create': 'd/desc= filename=',
    'project edit': 'd=',
    'repo create': 'd= g= remote= source=',
    'repo edit': 'd=',
    'secret set': 'v/visibility=',
    'release download | run download': 'p/pattern= O/output= n= A/archive= clobber skip-existing',
  },
  verbReadings: {
    ...forAll(codespaces, { valued: 'c codespace d display-name' }),
    'gist create': { valued: 'd desc filename' },
    'project edit': { valued: 'd' },
    'repo create': { valued: 'd g remote source' },
    'repo edit': { valued: 'd' },
    'secret set': { valued: 'v visibility' },
    'release download': { valued: 'p pattern O output n A archive', flags: 'clobber skip-existing' },
  },
  facts: [
    {
      what: 'does to what a forge holds what its words say',
      effects: (call, given) => ghEffects(call, given),
      examples: {
        hit: {
          'gh api -X DELETE repos/a/b': 'cloud repos/a/b (delete)',
          'gh api repos/a/b -f c=d': 'cloud repos/a/b (change)',
          'gh api --method PATCH a --input .env': 'read .env; secret .env (environment); cloud a (change)',
          "gh api graphql -f query='mutation { a }'": 'cloud graphql (change)',
          'gh auth token': 'secret (credentials)',
          'gh auth status --show-token': 'secret (credentials)',
          'gh auth status -t a': 'secret (credentials)',
          'gh auth <login logout refresh>': "cloud 'auth <>' (change)",
          'gh extension install a': 'package a (install)',
          'gh extension upgrade a': 'package a (install)',
          'gh alias set a b': 'run b (alias)',
          'gh codespace ssh -c a': "run 'codespace ssh' (remote-command)",
          'gh codespace delete -c a': "cloud 'codespace delete' (delete)",
          'gh cs <create stop edit> -c a': "cloud 'cs <>' (change)",
          'gh cs delete a -R b': 'cloud a (delete)',
          'gh repo <archive rename> a': 'cloud a (delete)',
          'gh <issue transfer | secret remove | variable unset | workflow disable | run cancel | release delete-asset | project item-delete | project field-delete> a':
            'cloud a (delete)',
          'gh repo delete a --yes': 'cloud a (delete) force',
          'gh repo edit a --visibility public': 'cloud a (delete)',
          'gh pr create -b a -F b': "cloud 'pr create' (change); git 'pr create' (pull-request)",
          'gh pr merge 1 --admin': 'cloud 1 (change); git 1 (merge-remote) force',
          'gh release <create upload edit> a .env':
            'read .env; secret .env (environment); deploy a (release <>)',
          'gh workflow run a': 'deploy a (workflow run)',
          'gh pr <comment review close reopen edit ready lock unlock pin unpin> 1 -b a': 'cloud 1 (discuss)',
          'gh <issue discussion> create a': 'cloud a (discuss)',
          'gh gist create a': 'read a; cloud a (discuss)',
          'gh issue comment 1 --body-file .env': 'read .env; secret .env (environment); cloud 1 (discuss)',
          'gh gist create .env': 'read .env; secret .env (environment); cloud .env (discuss)',
          'gh secret set a -v all': 'cloud a (change)',
          'gh repo create a -d b': 'cloud a (change)',
          'gh pr list --body-file a': 'read a',
          'gh -R a/b repo fork': 'cloud a/b (change)',
          'gh $X': 'cloud … (unknown)',
          'gh pr $X': 'cloud pr (unknown)',
        },
        miss: [
          'gh api a',
          'gh api -X HEAD a',
          'gh api $X',
          "gh api graphql -f query='{ a }'",
          'gh auth <status setup-git>',
          'gh codespace <list view logs ports>',
          'gh pr <list ls view status diff checks watch browse search verify develop checkout> a',
          'gh <release download a | repo clone a | project field-list | project item-list | codespace ports | run logs>',
          'gh <status browse search version help completion>',
          'gh repo <set-default sync gitignore license>',
          'gh <config get a | ruleset check | attestation verify>',
          'gh pr create --help',
          'gh',
        ],
      },
    },
    {
      what: 'saves files that it fetches',
      verbs: ['release download'],
      effects: (call, given) => downloads(call, given, 'p'),
      examples: {
        hit: {
          'gh release download v1': 'write . (create) recursive from network',
          'gh release download -p a.sh -D out': 'write out/a.sh (create) from network',
          'gh run download -D out': 'write out (create) recursive from network',
          'gh release download v1 -O out': 'write out (overwrite) from network',
        },
        miss: ['gh release list', 'gh run view'],
      },
    },
  ],
  advice: ['cloud_deletion', 'cloud_change', 'deployment'].map((rule) => ({
    rule,
    text: 'Look first: `gh pr view`, `gh repo view`.',
  })),
};

/** The requests of glab are those of gh. */
const glab = service({
  names: 'glab',
  look: 'mr list',
  depth: 3,
  options: 'R/repo= X/method= F/field= raw-field= input= asset-name= D=',
  readings: { valued: 'R repo X method F field raw-field input asset-name D' },
  verbs: { 'release download': '' },
  deeds: [
    ['own', 'api'],
    [
      'read',
      'release download | release list | release view | mr checkout | repo checkout | mr trace | ci trace | pipeline trace | mr clone | repo clone | ci lint | repo lint',
    ],
    [
      'delete',
      'repo archive | repo transfer | repo mirror | project archive | project transfer | project mirror',
    ],
    ['read', 'auth status'],
  ],
  examples: {
    'glab <mr checkout | repo checkout | mr trace | ci trace | pipeline trace | mr clone | repo clone | ci lint | repo lint> a':
      '',
    'glab <mr list | issue view | release download | release list | release view | auth status> a': '',
    'glab <repo archive | repo transfer | repo mirror | project archive | project transfer | project mirror> a':
      "cloud '<> a' (delete)",
    'glab mr create -R a': "cloud 'mr create' (change)",
    'glab api a -X DELETE': '',
    'glab things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'glab $X': 'cloud … (unknown)',
  },
  facts: [
    {
      what: 'sends a request',
      effects: (call, given) => {
        const [first, path] = wordsOf(given);
        return textOf(first) === 'api' ? requestEffects(call, given, path ?? literal('')) : [];
      },
      examples: {
        hit: {
          'glab api a -X DELETE': 'cloud a (delete)',
          'glab api a -F b=c': 'cloud a (change)',
          'glab api a --raw-field b=c': 'cloud a (change)',
          'glab api a -X PUT --input b': 'read b; cloud a (change)',
        },
        miss: ['glab api a', 'glab mr list'],
      },
    },
    {
      what: 'saves files that it fetches',
      verbs: ['release download'],
      effects: (call, given) => downloads(call, given, 'asset-name n'),
      examples: {
        hit: {
          'glab release download v1': 'write . (create) recursive from network',
          'glab release download -n a -D out': 'write out/a (create) from network',
          'glab release download --asset-name a': 'write a (create) from network',
        },
        miss: ['glab release list'],
      },
    },
  ],
});

export const cards: readonly Card[] = [gh, glab];
