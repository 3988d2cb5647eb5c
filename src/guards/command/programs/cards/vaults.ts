// vault, pass, gopass, sops, saml2aws: what they show, and what is changed or lost in them.

import { concatAll, knownText, singleText } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import { type Call, effect, nameTarget } from '../../tools/tool.ts';
import { type Card, commandBehind, type Fact, type Given } from '../card.ts';
import { each } from '../service.ts';
import { isOneOf } from '../tables.ts';

const credentials = (call: Call, target: Value | undefined): readonly Effect[] => [
  effect(call, 'secret', { detail: 'credentials', target: nameTarget(target) }),
];

const vaultTarget = ({ operands }: Given<Value>) => operands[2] ?? operands[1];
const vaultShows = isOneOf('read | unwrap | kv get | print token | token create | token lookup');
const vaultReads = isOneOf(
  'status | list | version | help | path-help | kv list | kv metadata get | secrets list | secrets read | secrets help | secrets fmt | auth list | auth read | auth help | auth fmt | audit list | audit read | audit help | audit fmt | policy list | policy read | policy help | policy fmt | plugin list | plugin read | plugin help | plugin fmt | token capabilities | debug | monitor',
);
const vaultDeletes = isOneOf(
  'delete | lease revoke | kv delete | kv destroy | kv metadata | secrets disable | auth disable | audit disable | token revoke | policy delete | operator seal | operator step-down | operator raft | namespace delete | plugin deregister',
);

const vault: Card = {
  names: 'vault bao',
  options:
    'namespace= address= token= format= field= mount= versions= method= ca-cert= path= force f client-cert= id= mode= max-lease-ttl= accessor',
  manner: { wholeWords: true },
  readings: {
    valued:
      'namespace address token format field mount versions method ca-cert path client-cert id mode max-lease-ttl',
    flags: 'force f accessor',
  },
  facts: [
    {
      what: 'shows credentials',
      effects: (call, given) => (vaultShows(given) ? credentials(call, vaultTarget(given)) : []),
      examples: {
        hit: {
          ...each('vault * a', 'read | unwrap', 'secret a (credentials)'),
          ...each(
            'vault * a',
            'kv get | print token | token create | token lookup',
            'secret a (credentials)',
          ),
          'vault kv get -field=x a': 'secret a (credentials)',
        },
        miss: ['vault status', 'vault kv list a', 'vault kv put a b=c', 'vault'],
      },
    },
    {
      what: 'deletes secrets, or what gives them out',
      effects: (call, given) =>
        vaultDeletes(given) && !vaultReads(given)
          ? [
              effect(call, 'cloud', {
                detail: 'delete',
                target: nameTarget(vaultTarget(given)),
                force: given.has('force'),
              }),
            ]
          : [],
      examples: {
        hit: {
          'vault delete a': 'cloud a (delete)',
          'vault lease revoke -force a': 'cloud a (delete) force',
          ...each(
            'vault * a',
            'kv delete | kv destroy | secrets disable | auth disable | audit disable | token revoke | policy delete | operator seal | operator step-down | operator raft | namespace delete | plugin deregister',
            'cloud a (delete)',
          ),
          ...each('vault kv metadata * a', 'delete | put | patch', 'cloud * (delete)'),
        },
        miss: ['vault kv metadata get a', 'vault kv get a', 'vault kv put a b=c', 'vault'],
      },
    },
    {
      what: 'changes secrets, or what gives them out',
      effects: (call, given) =>
        given.operands.length === 0 || vaultShows(given) || vaultReads(given) || vaultDeletes(given)
          ? []
          : [effect(call, 'cloud', { detail: 'change', target: nameTarget(vaultTarget(given)) })],
      examples: {
        hit: {
          'vault kv put a b=c': 'cloud a (change)',
          'vault write a b=c': 'cloud b=c (change)',
          'vault $VERB a': 'cloud a (change)',
        },
        miss: [
          'vault',
          'vault read a',
          'vault delete a',
          ...Object.keys(
            each(
              'vault * a',
              'status | list | version | help | path-help | kv list | kv metadata get | secrets list | secrets read | secrets help | secrets fmt | auth list | auth read | auth help | auth fmt | audit list | audit read | audit help | audit fmt | policy list | policy read | policy help | policy fmt | plugin list | plugin read | plugin help | plugin fmt | token capabilities | debug | monitor',
              '',
            ),
          ),
        ],
      },
    },
  ],
};

/** `pass git …` hands its words to git. */
const handsToGit = (program: string): Fact => ({
  what: 'starts git',
  starts: (_, given) => {
    const [verb, ...words] = given.behind(0);
    return verb !== undefined && singleText(verb) === 'git'
      ? [{ kind: 'argv', argv: [knownText('git'), ...words] }]
      : [];
  },
  examples: {
    hit: { [`${program} git push --force`]: 'program: git push --force' },
    miss: [program, `${program} ls git`],
  },
});

const passReads = isOneOf(
  'ls | list | find | search | help | version | git | insert | add | edit | generate | mv | cp | init',
);
const passDeletes = isOneOf('rm | remove | delete');

const pass: Card = {
  names: 'pass',
  options: 'c/clip? q/qrcode? f/force r/recursive e/echo m/multiline n/no-symbols i/in-place p/path=',
  readings: {
    valued: 'p path',
    flags: 'f force r recursive e echo m multiline n no-symbols i in-place',
    attached: 'c clip q qrcode',
  },
  facts: [
    handsToGit('pass'),
    {
      what: 'shows a password',
      effects: (call, given) =>
        given.operands.length === 0 || passReads(given) || passDeletes(given)
          ? []
          : credentials(call, given.operands.at(-1)),
      examples: {
        hit: {
          'pass show a': 'secret a (credentials)',
          'pass a/b': 'secret a/b (credentials)',
          'pass -c a': 'secret a (credentials)',
          'pass $NAME': 'secret … (credentials)',
        },
        miss: [
          'pass',
          'pass rm a',
          ...Object.keys(
            each(
              'pass * a',
              'ls | list | find | search | help | version | git | insert | add | edit | generate | mv | cp | init',
              '',
            ),
          ),
        ],
      },
    },
    {
      what: 'deletes a password',
      effects: (call, given) =>
        passDeletes(given)
          ? [effect(call, 'delete', { detail: 'credentials', target: nameTarget(given.operands.at(-1)) })]
          : [],
      examples: {
        hit: each('pass * -f a', 'rm | remove | delete', 'delete a (credentials)'),
        miss: ['pass ls', 'pass show rm'],
      },
    },
  ],
};

const gopassReads = isOneOf('ls | list | find | version');

const gopass: Card = {
  names: 'gopass',
  options: 'c/clip o/password',
  readings: { flags: 'c clip o password' },
  facts: [
    handsToGit('gopass'),
    {
      what: 'shows a password',
      effects: (call, given) =>
        given.operands.length === 0 || gopassReads(given) ? [] : credentials(call, given.operands.at(-1)),
      examples: {
        hit: { 'gopass show -o a': 'secret a (credentials)', 'gopass a': 'secret a (credentials)' },
        miss: ['gopass', ...Object.keys(each('gopass * a', 'ls | list | find | version', ''))],
      },
    },
  ],
};

const sops: Card = {
  names: 'sops',
  options:
    'd/decrypt e/encrypt i/in-place r/rotate output= input-type= output-type= extract= config= k/kms= p/pgp= a/age= set= verbose',
  readings: {
    valued: 'output input-type output-type extract config k kms p pgp a age set',
    flags: 'd decrypt e encrypt i in-place r rotate verbose',
  },
  facts: [
    {
      what: 'runs a text for a shell with what a file holds',
      starts: (_, given) => {
        const runs = /^exec-(?:env|file)$/.test(singleText(given.operands[0]));
        const words = runs ? given.behind(2) : [];
        return words.length === 0 ? [] : [{ kind: 'code', language: 'shell', text: concatAll(words, ' ') }];
      },
      examples: {
        hit: {
          "sops exec-env a.yaml 'rm -rf /'": 'shell code: rm -rf /',
          'sops exec-file a.yaml cat {}': 'shell code: cat {}',
        },
        miss: ['sops exec-env a.yaml', 'sops decrypt a.yaml b', 'sops -d a.yaml b'],
      },
    },
    {
      what: 'shows what a file holds encrypted',
      effects: (call, given) => {
        const [verb] = given.operands;
        const decrypts = verb?.kind === 'literal' && /^(?:decrypt|exec-env|exec-file)$/.test(verb.text);
        return given.has('decrypt') || decrypts ? credentials(call, given.operands.at(-1)) : [];
      },
      examples: {
        hit: {
          'sops -d a.yaml': 'secret a.yaml (credentials)',
          'sops --decrypt a.yaml': 'secret a.yaml (credentials)',
          ...each('sops * a.yaml', 'decrypt | exec-env | exec-file', 'secret a.yaml (credentials)'),
        },
        miss: ['sops -e a.yaml', 'sops a.yaml', 'sops'],
      },
    },
  ],
};

const saml2aws: Card = {
  names: 'saml2aws',
  options: 'a/idp-account= p/profile=',
  readings: { valued: 'a idp-account p profile' },
  verbs: { exec: '' },
  facts: [
    {
      what: 'starts a program with credentials in its environment',
      verbs: ['exec'],
      starts: commandBehind(1),
      examples: {
        hit: {
          'saml2aws exec -p a -- rm -rf /': 'program: rm -rf /',
          'saml2aws exec --idp-account=a id': 'program: id',
        },
        miss: ['saml2aws login', 'saml2aws exec'],
      },
    },
    {
      what: 'gets credentials',
      effects: (call, { operands, verb }) =>
        operands.length === 0 && verb === null ? [] : [effect(call, 'secret', { detail: 'credentials' })],
      examples: {
        hit: { 'saml2aws login': 'secret (credentials)', 'saml2aws exec': 'secret (credentials)' },
        miss: ['saml2aws', 'saml2aws --version'],
      },
    },
  ],
};

export const cards = [vault, pass, gopass, sops, saml2aws];
