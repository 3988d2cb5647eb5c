// Accounts, groups and passwords, and what protects the machine.

import type { Effect, Target } from '../../effects.ts';
import { beginningOf, type Call, effect, literal, nameTarget, remove } from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';
import { factFor } from '../examples.ts';
import { table } from '../files.ts';

const accountOptions =
  'u/uid= g/gid= G/groups= d/home= s/shell= c/comment= p/password= e= f= r/remove k/skel= l/login= b= K= R/root= P/prefix= Z= n t q gecos= ingroup= remove-home remove-all-files';
const accountReadings = {
  valued:
    'u uid g gid G groups d home s shell c comment p password e f k skel l login b K R root P prefix Z gecos ingroup',
  flags: 'r remove n t q remove-home remove-all-files',
};

/** More names than these are no accounts. */
const mostNames = 4;

interface Account extends Partial<Card> {
  readonly names: string;
  readonly detail: string;
  readonly hit: Fact['examples']['hit'];
  readonly miss?: readonly string[];
  /** Where nothing changes, though it is asked with words. */
  readonly looks?: (call: Call) => boolean;
}

function account({ detail, hit, miss = [], looks, ...card }: Account): Card {
  const [name = ''] = card.names.split(' ');
  const fact: Fact = {
    what: 'makes, changes or deletes accounts and groups',
    effects: (call, given) => {
      if (looks?.(call) === true) return [];
      const names = given.operands.length > 0 ? given.operands : [undefined];
      const recursive = given.has('remove', 'remove-home', 'remove-all-files');
      return names
        .slice(0, mostNames)
        .map((one) => effect(call, 'privilege', { detail, target: nameTarget(one), recursive }));
    },
    examples: { hit, miss },
    ...(miss.length === 0 ? { always: true } : {}),
  };
  return { options: accountOptions, readings: accountReadings, ...card, facts: [factFor(name, fact)] };
}

const accounts: readonly Card[] = [
  account({
    names: 'useradd adduser newusers',
    detail: 'user-add',
    hit: { '% -m -s /bin/sh me': 'privilege me (user-add)', '%': 'privilege (user-add)' },
  }),
  account({
    names: 'userdel deluser',
    detail: 'user-delete',
    hit: {
      '% me you': 'privilege me (user-delete); privilege you (user-delete)',
      '% -r me': 'privilege me (user-delete) recursive',
      '% --<remove remove-home remove-all-files> me': 'privilege me (user-delete) recursive',
    },
  }),
  account({
    names: 'usermod chfn pw dscl sysadminctl',
    detail: 'user-change',
    looks: (call) =>
      call.program === 'dscl' &&
      !/-(?:create|delete|append|passwd|change|merge)\b/.test(call.args.map(beginningOf).join(' ')),
    hit: {
      '% -aG sudo me': 'privilege me (user-change)',
      'dscl . -<create delete append passwd change merge>': 'privilege . (user-change)',
    },
    miss: ['dscl . -list /Users', 'dscl . -creates'],
  }),
  account({
    names: 'chsh',
    detail: 'user-change',
    options: 's/shell= R/root= l u',
    readings: { valued: 's shell R root', flags: 'l u' },
    hit: {
      'chsh -s /bin/sh me': 'privilege me (user-change)',
      'chsh -<l u> me': 'privilege me (user-change)',
    },
  }),
  account({
    names: 'chage',
    detail: 'user-change',
    looks: ({ args }) => args.some((word) => /^(?:-l|--list)$/.test(beginningOf(word))),
    hit: { 'chage -d 0 me': 'privilege me (user-change)' },
    miss: ['chage <-l --list> me'],
  }),
  account({
    names: 'groupadd addgroup',
    detail: 'group-add',
    hit: { '% us': 'privilege us (group-add)' },
  }),
  account({
    names: 'groupdel delgroup',
    detail: 'group-delete',
    hit: { '% us': 'privilege us (group-delete)' },
  }),
  account({
    names: 'groupmod gpasswd groupmems dseditgroup',
    detail: 'group-change',
    hit: { '% us': 'privilege us (group-change)' },
  }),
];

/** Options with a value, of which none must be taken for an account. */
const passwd: Card = {
  names: 'passwd',
  options: 'd/delete S/status n= x= w= i=',
  readings: { valued: 'n x w i', flags: 'd delete S status' },
  facts: [
    {
      what: 'changes or deletes the password of an account',
      effects: (call, given) => {
        if (given.has('status')) return [];
        const detail = given.has('delete') ? 'password-delete' : 'password';
        return [effect(call, 'privilege', { detail, target: nameTarget(given.operands[0]) })];
      },
      examples: {
        hit: {
          passwd: 'privilege (password)',
          'passwd -x 9 me': 'privilege me (password)',
          'passwd -d me': 'privilege me (password-delete)',
          'passwd --delete me': 'privilege me (password-delete)',
        },
        miss: ['passwd -S', 'passwd --status me'],
      },
    },
  ],
};

/** Windows: accounts and services. */
const net: Card = {
  names: 'net',
  options: '',
  readings: {},
  facts: [
    {
      what: 'changes accounts, services and what is shared',
      effects: (call) => {
        const verb = beginningOf(call.args[0] ?? literal(''));
        const target = nameTarget(call.args[1]);
        if (/^(?:user|localgroup|group|accounts)$/i.test(verb) && call.args.length > 2)
          return [effect(call, 'privilege', { detail: 'user-change', target })];
        return /^(?:stop|start|share)$/i.test(verb) && call.args.length > 1
          ? [effect(call, 'service', { detail: verb, target })]
          : [];
      },
      examples: {
        hit: {
          'net <user localgroup group accounts> me /add': 'privilege me (user-change)',
          'net <stop start share> x': 'service x (<>)',
        },
        miss: ['net user me', 'net start', 'net view x y'],
      },
    },
  ],
};

interface Said {
  readonly names: string;
  readonly what: string;
  readonly detail: string;
  readonly hit: Fact['examples']['hit'];
  readonly miss?: readonly string[];
  /** Words with which it only looks. */
  readonly looks?: RegExp;
  readonly target?: (call: Call) => Target;
}

/** A program that always changes who may do what, but for some words. */
function changing({ names, what, detail, hit, miss = [], looks, target }: Said): Card {
  const fact: Fact = {
    what,
    effects: (call) => {
      // A word that is not known may be any.
      const words = call.args.map((word) => beginningOf(word) || '?').join(' ');
      return looks?.test(words) === true
        ? []
        : [effect(call, 'privilege', { detail, ...(target ? { target: target(call) } : {}) })];
    },
    examples: { hit, miss },
    ...(miss.length === 0 ? { always: true } : {}),
  };
  return { names, options: '', readings: {}, facts: [fact] };
}

const file =
  (path: string): NonNullable<Said['target']> =>
  () => ({ kind: 'path', path: literal(path) });
const last: NonNullable<Said['target']> = (call) => nameTarget(call.args.at(-1));
const editing = { what: 'edits the accounts of the machine', detail: 'accounts', looks: /(?:^| )-c/ };
const protection = { what: 'changes what protects the machine', detail: 'security' };

const machine: readonly Card[] = [
  changing({
    names: 'chpasswd',
    what: 'changes passwords',
    detail: 'password',
    hit: { chpasswd: 'privilege (password)' },
  }),
  changing({
    ...editing,
    names: 'vipw',
    target: file('/etc/passwd'),
    hit: { vipw: 'privilege /etc/passwd (accounts)' },
    miss: ['vipw -c'],
  }),
  changing({
    ...editing,
    names: 'vigr',
    target: file('/etc/group'),
    hit: { vigr: 'privilege /etc/group (accounts)' },
    miss: ['vigr -c'],
  }),
  changing({
    ...editing,
    names: 'visudo',
    target: file('/etc/sudoers'),
    hit: { 'visudo -f a': 'privilege /etc/sudoers (accounts)' },
    miss: ['visudo -c', 'visudo -f a -cq'],
  }),
  changing({
    ...editing,
    names: 'pwconv pwunconv',
    target: file('/etc/shadow'),
    hit: { pwconv: 'privilege /etc/shadow (accounts)' },
    miss: ['pwconv -c'],
  }),
  changing({
    ...editing,
    names: 'grpconv',
    target: file('/etc/gshadow'),
    hit: { grpconv: 'privilege /etc/gshadow (accounts)' },
    miss: ['grpconv -c'],
  }),
  changing({
    ...protection,
    names: 'setenforce',
    target: (call) => nameTarget(call.args[0]),
    hit: { 'setenforce 0': 'privilege 0 (security)' },
  }),
  changing({
    ...protection,
    names: 'setsebool aa-teardown aa-disable aa-complain apparmor_parser pam-auth-update authconfig',
    hit: {
      '<setsebool aa-teardown aa-disable aa-complain apparmor_parser pam-auth-update authconfig> a':
        'privilege (security)',
    },
  }),
  changing({
    ...protection,
    names: 'semanage',
    looks: /^$|(?:^| )(?:-l|--list|export)/,
    target: last,
    hit: { 'semanage port -a x': 'privilege x (security)', 'semanage $WORDS': 'privilege … (security)' },
    miss: ['semanage', 'semanage port <-l --list>', 'semanage export'],
  }),
  changing({
    ...protection,
    names: 'auditctl',
    looks: /^$|^-[lsv]/,
    target: last,
    hit: { 'auditctl -e 0': 'privilege 0 (security)' },
    miss: ['auditctl', 'auditctl -<l s v>'],
  }),
  changing({
    ...protection,
    names: 'spctl',
    looks: /^$|^(?:-a|--assess|--status)/,
    target: last,
    hit: { 'spctl --master-disable': 'privilege --master-disable (security)' },
    miss: ['spctl', 'spctl <-a --assess --status>'],
  }),
  changing({
    ...protection,
    names: 'csrutil',
    looks: /^$|^status/,
    target: last,
    hit: { 'csrutil disable': 'privilege disable (security)' },
    miss: ['csrutil', 'csrutil status'],
  }),
  changing({
    names: 'update-ca-certificates update-ca-trust',
    what: 'changes whom the machine trusts',
    detail: 'trust',
    hit: { '<update-ca-certificates update-ca-trust>': 'privilege (trust)' },
  }),
  changing({
    names: 'mkcert',
    what: 'makes the machine trust certificates that are made here',
    detail: 'trust',
    looks: /^(?!(?:.* )?-install(?: |$))/,
    hit: { 'mkcert -install': 'privilege (trust)', 'mkcert a -install': 'privilege (trust)' },
    miss: ['mkcert a', 'mkcert', 'mkcert -installed'],
  }),
];

const sudoedit = table(`
sudoedit | u= g= p= | u g p
  edits files: edit…
    sudoedit -u me a b → write a (edit); write b (edit)
    sudoedit → nothing
`);

const powers: Fact = {
  what: 'has the powers of another account for it',
  always: true,
  effects: (call) => [effect(call, 'privilege', { detail: 'sudo' })],
  examples: { hit: { 'sudoedit a': 'privilege (sudo)' }, miss: [] },
};

const certbot: Card = {
  names: 'certbot',
  options: '',
  readings: {},
  facts: [
    {
      what: 'gets, changes or deletes certificates',
      effects: (call): readonly Effect[] => {
        const verb = beginningOf(call.args[0] ?? literal(''));
        if (/^(?:certificates|plugins|show_account)/.test(verb)) return [];
        if (/^(?:delete|revoke|unregister)/.test(verb))
          return remove(call, literal('/etc/letsencrypt'), { detail: 'certificate' });
        return [effect(call, 'cloud', { detail: 'change', target: nameTarget(literal('certificate')) })];
      },
      examples: {
        hit: {
          'certbot <delete revoke unregister> a': 'delete /etc/letsencrypt (certificate)',
          'certbot renew': 'cloud certificate (change)',
          certbot: 'cloud certificate (change)',
        },
        miss: ['certbot <certificates plugins show_account>'],
      },
    },
  ],
};

const quiet: Card = {
  names: 'getsebool getenforce sestatus aa-status',
  options: '',
  readings: {},
  facts: [],
};

export const cards: readonly Card[] = [
  ...accounts,
  passwd,
  net,
  ...machine,
  ...sudoedit.map((card) => ({ ...card, facts: [...card.facts, powers] })),
  certbot,
  quiet,
];
