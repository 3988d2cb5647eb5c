// Users, groups, passwords, keys and who may become whom.

import type { Effect } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  remove,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from './tool.ts';

const account =
  (detail: string): Tool =>
  (call) => {
    const given = options(
      'u/uid= g/gid= G/groups= d/home= s/shell= c/comment= p/password= e= f= m M r/remove k/skel= l/login= L/lock U/unlock a/append o N b= K= R/root= P/prefix= Z= n t q home= shell= uid= gid= gecos= disabled-password disabled-login system ingroup= force-badname remove-home remove-all-files backup',
    )(call.args);
    const names = given.operands.length > 0 ? given.operands : [undefined];
    const effects: Effect[] = names.slice(0, 4).map((name) =>
      effect(call, 'privilege', {
        detail,
        target: nameTarget(name),
        ...(given.has('remove', 'remove-home', 'remove-all-files') ? { recursive: true } : {}),
      }),
    );
    return effects;
  };

const passwd: Tool = (call) => {
  const given = options('l/lock u/unlock d/delete e/expire S/status a/all n= x= w= i= stdin q')(call.args);
  return given.has('status')
    ? inert(call)
    : [
        effect(call, 'privilege', {
          detail: given.has('delete') ? 'password-delete' : 'password',
          target: nameTarget(given.operands[0]),
        }),
      ];
};

const becomes =
  (detail: string): Tool =>
  (call) => {
    const texts = call.args.map(beginningOf);
    if (
      texts.length > 0 &&
      texts.every((text) =>
        /^(?:-[VvKkl]+|--version|--help|-h|--list|--validate|--remove-timestamp)$/.test(text),
      )
    )
      return inert(call);
    const [operand] = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
    // Without a command it starts a shell, which waits for what it will be told.
    const command = /^(?:su|runuser|newgrp|sg)$/.test(call.program)
      ? texts.some((text) => /^(?:-\w*c|--command|--session-command|-u|--shell)/.test(text)) ||
        call.io.stdinFed === true
      : operand !== undefined || call.io.stdinFed === true;
    return [effect(call, 'privilege', { detail: command ? detail : 'shell', target: nameTarget(operand) })];
  };

const sshKeygen: Tool = (call) => {
  const given = options(
    't= b= f= C= N= P= m= O= s= n= I= V= D= M= T= w= a= Y= r= E= F= R= K= z= Z= e i y l p c q H L A k Q U v B g u h x X o',
  )(call.args);
  const file = given.last('f');
  if (given.has('D'))
    return [effect(call, 'run', { detail: 'library', target: nameTarget(given.last('D')) })];
  if (given.has('y')) return file ? read(call, file) : [effect(call, 'secret', { detail: 'key' })];
  if (given.has('l', 'F', 'e', 'i', 'L', 'Q', 'B')) return inert(call);
  if (given.has('R')) return write(call, file ?? literal('~/.ssh/known_hosts'), { detail: 'edit' });
  return file ? write(call, file, { detail: 'create' }) : inert(call, 'key');
};

const opensslReads: Tool = (call) => {
  const given = options(
    'in= out= inkey= key= keyout= cert= CA= CAkey= CAfile= CApath= passin= passout= k= K= iv= kfile= pass= connect= host= port= accept= proxy= servername= days= subj= config= extfile= engine= provider= provider-path= newkey= signkey= sigfile= verify= prverify= sign= signature= rand= writerand= inform= outform= name= certfile= set_serial= extensions= md= S= salt a d e base64 A n noout text nodes new x509 hex binary www WWW HTTP sha256 aes-256-cbc pbkdf2 iter= status quiet showcerts starttls= untrusted= content= recip= signer= export des3 aes256 noenc help sess_out= sess_in= CRL= url= reqout= respout= issuer= nocerts nokeys',
    { wholeWords: true, stopAtOperand: false },
  )(call.args);
  const verb = textOf(given.operands[0] ?? literal('help')) ?? 'unknown';
  const effects: Effect[] = given
    .all('in', 'inkey', 'key', 'kfile', 'sess_in', 'config')
    .flatMap((file) => read(call, file));
  const origins = effects.some(({ kind }) => kind === 'secret') ? (['secret'] as const) : [];
  // Reading one's key to sign or to serve shows nothing of it, unless the key itself is put out.
  const shows =
    /^(?:rsa|pkey|ec|dsa|pkcs8|pkcs12|enc|base64|asn1parse|dgst)$/.test(verb) ||
    given.last('in') !== undefined;
  const kept = shows ? effects : effects.filter(({ kind }) => kind !== 'secret');
  for (const file of given.all('out', 'keyout', 'sess_out', 'reqout', 'respout', 'writerand'))
    kept.push(...write(call, file, { detail: 'overwrite' }));
  if (verb === 's_client')
    kept.push(
      effect(call, 'connect', {
        detail: 'tls',
        target: {
          kind: 'host',
          host: literal(
            beginningOf(given.last('connect') ?? given.last('host') ?? literal('')).split(':', 1)[0] ?? '',
          ),
        },
        origins: [...call.io.stdinOrigins, ...origins],
      }),
    );
  if (verb === 's_server')
    kept.push(effect(call, 'listen', { detail: 'tls', target: nameTarget(given.last('accept', 'port')) }));
  if (given.has('engine', 'provider-path') || verb === 'engine')
    kept.push(
      effect(call, 'run', { detail: 'library', target: nameTarget(given.last('engine', 'provider-path')) }),
    );
  return orInert(call, kept);
};

const gpg: Tool = (call) => {
  const given = options(
    'o/output= r/recipient= u/local-user= homedir= keyserver= passphrase= passphrase-fd= passphrase-file= s/sign b/detach-sign clear-sign/clearsign c/symmetric e/encrypt d/decrypt verify a/armor k/list-keys K/list-secret-keys fingerprint import export export-secret-keys export-secret-subkeys delete-keys delete-secret-keys delete-key delete-secret-key delete-secret-and-public-key gen-key full-generate-key quick-generate-key recv-keys send-keys search-keys refresh-keys edit-key sign-key batch yes no-tty pinentry-mode= status-fd= trust-model= default-key= options= photo-viewer= exec-path= agent-program= dirmngr-program= gpg-agent-program= keyring= no-default-keyring dearmor enarmor version list-packets import-ownertrust export-ownertrust q v t cipher-algo= digest-algo= compress-algo=',
  )(call.args);
  const effects: Effect[] = [];
  const inputs = given.has(
    'encrypt',
    'symmetric',
    'sign',
    'decrypt',
    'detach-sign',
    'import',
    'clear-sign',
    'dearmor',
    'list-packets',
    'verify',
  )
    ? given.operands.flatMap((file) => read(call, file))
    : [];
  effects.push(...inputs);
  for (const file of given.all('output')) effects.push(...write(call, file, { detail: 'overwrite' }));
  for (const file of given.all('passphrase-file')) effects.push(...read(call, file));
  if (given.has('export-secret-keys', 'export-secret-subkeys'))
    effects.push(effect(call, 'secret', { detail: 'key' }));
  if (
    given.has(
      'delete-keys',
      'delete-secret-keys',
      'delete-key',
      'delete-secret-key',
      'delete-secret-and-public-key',
    )
  )
    effects.push(effect(call, 'delete', { detail: 'key', target: nameTarget(given.operands[0]) }));
  if (given.has('import', 'import-ownertrust'))
    effects.push(
      effect(call, 'write', { detail: 'key', target: { kind: 'path', path: literal('~/.gnupg') } }),
    );
  if (given.has('send-keys'))
    effects.push(effect(call, 'connect', { detail: 'POST', target: nameTarget(given.last('keyserver')) }));
  if (given.has('photo-viewer', 'agent-program', 'dirmngr-program', 'exec-path'))
    effects.push(effect(call, 'run', { detail: 'helper' }));
  return orInert(call, effects);
};

const keychain: Tool = (call) => {
  const verb =
    textOf(call.args.find((argument) => !beginningOf(argument).startsWith('-')) ?? literal('help')) ??
    'unknown';
  if (/^(?:find-(?:generic|internet)-password|dump-keychain|export|find-key)$/.test(verb))
    return [effect(call, 'secret', { detail: 'credentials', target: nameTarget(call.args.at(-1)) })];
  if (/^delete-/.test(verb))
    return [effect(call, 'delete', { detail: 'credentials', target: nameTarget(call.args.at(-1)) })];
  return /^(?:list-keychains|find-certificate|find-identity|show-keychain-info|verify-cert|help|cms|error|default-keychain|login-keychain)$/.test(
    verb,
  )
    ? inert(call)
    : [effect(call, 'privilege', { detail: 'keychain', target: nameTarget(literal(verb)) })];
};

const secretTool: Tool = (call) =>
  /^(?:lookup|search)$/.test(textOf(call.args[0] ?? unknownValue) ?? '')
    ? [effect(call, 'secret', { detail: 'credentials' })]
    : [effect(call, 'privilege', { detail: 'keychain' })];

const sshAdd: Tool = (call) => {
  const given = options('t= s= e= S= E= H= h= d D l L x X k K c q v T=')(call.args);
  if (given.has('s'))
    return [effect(call, 'run', { detail: 'library', target: nameTarget(given.last('s')) })];
  return given.has('D', 'd') ? [effect(call, 'delete', { detail: 'key', reversible: true })] : inert(call);
};

const edits =
  (path: string): Tool =>
  (call) =>
    call.args.some((argument) => /^-c/.test(beginningOf(argument)))
      ? inert(call)
      : [effect(call, 'privilege', { detail: 'accounts', target: { kind: 'path', path: literal(path) } })];

const security =
  (looks: RegExp): Tool =>
  (call: Call) =>
    call.args.length === 0 || looks.test(call.args.map(beginningOf).join(' '))
      ? inert(call)
      : [effect(call, 'privilege', { detail: 'security', target: nameTarget(call.args.at(-1)) })];

export const userTools: Tools = {
  useradd: account('user-add'),
  adduser: account('user-add'),
  userdel: account('user-delete'),
  deluser: account('user-delete'),
  usermod: account('user-change'),
  groupadd: account('group-add'),
  addgroup: account('group-add'),
  groupdel: account('group-delete'),
  delgroup: account('group-delete'),
  groupmod: account('group-change'),
  gpasswd: account('group-change'),
  groupmems: account('group-change'),
  newusers: account('user-add'),
  chsh: account('user-change'),
  chfn: account('user-change'),
  chage: (call) =>
    call.args.some((argument) => /^(?:-l|--list)$/.test(beginningOf(argument)))
      ? inert(call)
      : account('user-change')(call),
  pw: account('user-change'),
  dscl: (call) =>
    /-(?:create|delete|append|passwd|change|merge)\b/.test(call.args.map(beginningOf).join(' '))
      ? account('user-change')(call)
      : inert(call),
  dseditgroup: account('group-change'),
  sysadminctl: account('user-change'),
  net: (call) =>
    /^(?:user|localgroup|group|accounts)$/i.test(beginningOf(call.args[0] ?? literal(''))) &&
    call.args.length > 2
      ? [effect(call, 'privilege', { detail: 'user-change', target: nameTarget(call.args[1]) })]
      : /^(?:stop|start|share)$/i.test(beginningOf(call.args[0] ?? literal(''))) && call.args.length > 1
        ? [
            effect(call, 'service', {
              detail: beginningOf(call.args[0] ?? literal('')),
              target: nameTarget(call.args[1]),
            }),
          ]
        : inert(call),
  passwd,
  chpasswd: (call) => [effect(call, 'privilege', { detail: 'password' })],
  vipw: edits('/etc/passwd'),
  vigr: edits('/etc/group'),
  visudo: edits('/etc/sudoers'),
  pwconv: edits('/etc/shadow'),
  pwunconv: edits('/etc/shadow'),
  grpconv: edits('/etc/gshadow'),
  sudo: becomes('sudo'),
  doas: becomes('doas'),
  su: becomes('su'),
  runuser: becomes('su'),
  pkexec: becomes('pkexec'),
  gosu: becomes('su'),
  'su-exec': becomes('su'),
  sg: becomes('group'),
  newgrp: becomes('group'),
  sudoedit: (call) => [
    effect(call, 'privilege', { detail: 'sudo' }),
    ...call.args
      .filter((argument) => !beginningOf(argument).startsWith('-'))
      .flatMap((path) => write(call, path, { detail: 'edit' })),
  ],
  capsh: becomes('capability'),
  setpriv: becomes('capability'),
  'ssh-keygen': sshKeygen,
  'ssh-add': sshAdd,
  'ssh-agent': (call) => inert(call),
  openssl: opensslReads,
  gpg,
  gpg2: gpg,
  gpgv: (call) => inert(call),
  'gpg-agent': (call) => inert(call),
  gpgconf: (call) => inert(call),
  age: (call) => {
    const given = options(
      'd/decrypt e/encrypt r/recipient= R/recipients-file= i/identity= o/output= p/passphrase a/armor',
    )(call.args);
    return [
      ...[...given.operands, ...given.all('identity')].flatMap((file) => read(call, file)),
      ...given.all('output').flatMap((file) => write(call, file, { detail: 'overwrite' })),
    ];
  },
  security: keychain,
  'secret-tool': secretTool,
  keyctl: secretTool,
  cmdkey: secretTool,
  setenforce: (call) => [effect(call, 'privilege', { detail: 'security', target: nameTarget(call.args[0]) })],
  semanage: security(/(?:^| )(?:-l|--list|export)/),
  setsebool: (call) => [effect(call, 'privilege', { detail: 'security' })],
  getsebool: (call) => inert(call),
  getenforce: (call) => inert(call),
  sestatus: (call) => inert(call),
  'aa-teardown': (call) => [effect(call, 'privilege', { detail: 'security' })],
  'aa-disable': (call) => [effect(call, 'privilege', { detail: 'security' })],
  'aa-complain': (call) => [effect(call, 'privilege', { detail: 'security' })],
  'aa-status': (call) => inert(call),
  apparmor_parser: (call) => [effect(call, 'privilege', { detail: 'security' })],
  auditctl: security(/^-[lsv]/),
  spctl: security(/^(?:-a|--assess|--status)/),
  csrutil: security(/^status/),
  'pam-auth-update': (call) => [effect(call, 'privilege', { detail: 'security' })],
  authconfig: (call) => [effect(call, 'privilege', { detail: 'security' })],
  mkcert: (call) =>
    call.args.some((argument) => textOf(argument) === '-install')
      ? [effect(call, 'privilege', { detail: 'trust' })]
      : inert(call),
  'update-ca-certificates': (call) => [effect(call, 'privilege', { detail: 'trust' })],
  'update-ca-trust': (call) => [effect(call, 'privilege', { detail: 'trust' })],
  certbot: (call) =>
    /^(?:certificates|plugins|show_account)/.test(beginningOf(call.args[0] ?? literal('')))
      ? inert(call)
      : /^(?:delete|revoke|unregister)/.test(beginningOf(call.args[0] ?? literal('')))
        ? remove(call, literal('/etc/letsencrypt'), { detail: 'certificate' })
        : [effect(call, 'cloud', { detail: 'change', target: nameTarget(literal('certificate')) })],
};
