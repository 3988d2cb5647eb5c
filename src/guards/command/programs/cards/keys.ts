// Keys and what they sign, encrypt and open.

import type { Effect } from '../../effects.ts';
import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  read,
  textOf,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { table } from '../files.ts';

const sshKeygen: Card = {
  names: 'ssh-keygen',
  options: 't= b= f= C= N= P= m= O= s= n= I= V= D= M= T= w= a= Y= r= E= F= R= K= z= Z= e i y l L Q B',
  readings: {
    valued: 't b f C N P m O s n I V D M T w a Y r E F R K z Z',
    flags: 'e i y l L Q B',
  },
  facts: [
    {
      what: 'makes keys, shows them, or changes the hosts that are known',
      effects: (call, given) => {
        const file = given.last('f');
        if (given.has('D'))
          return [effect(call, 'run', { detail: 'library', target: nameTarget(given.last('D')) })];
        if (given.has('y')) return file ? read(call, file) : [effect(call, 'secret', { detail: 'key' })];
        if (given.has('l', 'F', 'e', 'i', 'L', 'Q', 'B')) return [];
        if (given.has('R')) return write(call, file ?? literal('~/.ssh/known_hosts'), { detail: 'edit' });
        return file ? write(call, file, { detail: 'create' }) : inert(call, 'key');
      },
      examples: {
        hit: {
          'ssh-keygen -t ed25519': 'inert (key)',
          'ssh-keygen -f a': 'write a (create)',
          'ssh-keygen -R h.example': 'write ~/.ssh/known_hosts (edit)',
          'ssh-keygen -R h.example -f a': 'write a (edit)',
          'ssh-keygen -y': 'secret (key)',
          'ssh-keygen -y -f ~/.ssh/id_rsa': 'read ~/.ssh/id_rsa; secret ~/.ssh/id_rsa (key)',
          'ssh-keygen -D ./a.so': 'run ./a.so (library)',
        },
        miss: ['ssh-keygen -<l F e i L Q B> -f a'],
      },
    },
  ],
};

const sshAdd: Card = {
  names: 'ssh-add',
  options: 't= s= e= S= E= H= h= T= d D',
  readings: { valued: 't s e S E H h T', flags: 'd D' },
  facts: [
    {
      what: 'loads a library, or makes the agent forget keys',
      effects: (call, given) => {
        const library = given.last('s');
        if (library) return [effect(call, 'run', { detail: 'library', target: nameTarget(library) })];
        return given.has('D', 'd') ? [effect(call, 'delete', { detail: 'key', reversible: true })] : [];
      },
      examples: {
        hit: {
          'ssh-add -s ./a.so': 'run ./a.so (library)',
          'ssh-add -<d D>': 'delete (key) reversible',
        },
        miss: ['ssh-add', 'ssh-add -t 9 a', 'ssh-add -l'],
      },
    },
  ],
};

/** Options of openssl that name a file to read. */
const sources = ['in', 'inkey', 'key', 'kfile', 'sess_in', 'config'];

/** Commands of which the key itself comes out. */
const showing = /^(?:rsa|pkey|ec|dsa|pkcs8|pkcs12|enc|base64|asn1parse|dgst)$/;

const openssl: Card = {
  names: 'openssl',
  options:
    'in= out= inkey= key= keyout= cert= CA= CAkey= CAfile= CApath= passin= passout= k= K= iv= kfile= pass= connect= host= port= accept= proxy= servername= days= subj= config= extfile= engine= provider= provider-path= newkey= signkey= sigfile= verify= prverify= sign= signature= rand= writerand= inform= outform= name= certfile= set_serial= extensions= md= S= iter= starttls= untrusted= content= recip= signer= sess_out= sess_in= CRL= url= reqout= respout= issuer=',
  manner: { wholeWords: true },
  readings: {
    valued:
      'in out inkey key keyout cert CA CAkey CAfile CApath passin passout k K iv kfile pass connect host port accept proxy servername days subj config extfile engine provider provider-path newkey signkey sigfile verify prverify sign signature rand writerand inform outform name certfile set_serial extensions md S iter starttls untrusted content recip signer sess_out sess_in CRL url reqout respout issuer',
  },
  facts: [
    {
      what: 'reads keys and texts; a key that signs or serves is not shown',
      effects: (call, given) => {
        const effects = given.all(...sources).flatMap((file) => read(call, file));
        const shows = showing.test(textOf(given.operands[0]) ?? '') || given.has('in');
        return shows ? effects : effects.filter(({ kind }) => kind !== 'secret');
      },
      examples: {
        hit: {
          'openssl x509 -<in inkey key kfile sess_in config> a': 'read a',
          'openssl req -key ~/.ssh/id_rsa': 'read ~/.ssh/id_rsa',
          'openssl x509 -in .env': 'read .env; secret .env (environment)',
          'openssl <rsa pkey ec dsa pkcs8 pkcs12 enc base64 asn1parse dgst> -inkey .env':
            'read .env; secret .env (environment)',
        },
        miss: ['openssl rand 8', 'openssl version'],
      },
    },
    {
      what: 'writes what it makes',
      effects: (call, given) =>
        given
          .all('out', 'keyout', 'sess_out', 'reqout', 'respout', 'writerand')
          .flatMap((file) => write(call, file, { detail: 'overwrite' })),
      examples: {
        hit: {
          'openssl req -<out keyout sess_out reqout respout writerand> a': 'write a (overwrite)',
        },
        miss: ['openssl rand 8'],
      },
    },
    {
      what: 'talks to a host, or listens',
      effects: (call, given) => {
        const verb = textOf(given.operands[0]);
        if (verb === 's_server')
          return [
            effect(call, 'listen', { detail: 'tls', target: nameTarget(given.last('accept', 'port')) }),
          ];
        if (verb !== 's_client') return [];
        const place = beginningOf(given.last('connect') ?? given.last('host') ?? literal(''));
        const named = given.all(...sources);
        const secret = named.some((path) => read(call, path).some(({ kind }) => kind === 'secret'));
        return [
          effect(call, 'connect', {
            detail: 'tls',
            target: { kind: 'host', host: literal(place.split(':', 1)[0] ?? '') },
            origins: secret ? [...call.io.stdinOrigins, 'secret'] : call.io.stdinOrigins,
          }),
        ];
      },
      examples: {
        hit: {
          'openssl s_client -connect h.example:443': 'connect h.example (tls)',
          '$NETWORK | openssl s_client -host h.example': 'connect h.example (tls) from network',
          'openssl s_client -connect h.example:443 -key ~/.ssh/id_rsa': 'connect h.example (tls) from secret',
          'openssl s_server -<accept port> 4433': 'listen 4433 (tls)',
        },
        miss: ['openssl x509 -in a -host b', 'openssl'],
      },
    },
    {
      what: 'loads a library',
      effects: (call, given) => {
        const library = given.last('engine', 'provider-path');
        return library || textOf(given.operands[0]) === 'engine'
          ? [effect(call, 'run', { detail: 'library', target: nameTarget(library) })]
          : [];
      },
      examples: {
        hit: {
          'openssl enc -<engine provider-path> ./a.so': 'run ./a.so (library)',
          'openssl engine dynamic': 'run (library)',
        },
        miss: ['openssl enc -in a'],
      },
    },
  ],
};

const deletions = 'delete-keys delete-secret-keys delete-key delete-secret-key delete-secret-and-public-key';

const gpg: Card = {
  names: 'gpg gpg2',
  options: `o/output= r/recipient= u/local-user= homedir= keyserver= passphrase= passphrase-fd= passphrase-file= s/sign b/detach-sign clear-sign/clearsign c/symmetric e/encrypt d/decrypt verify import import-ownertrust export export-secret-keys export-secret-subkeys export-ownertrust ${deletions} send-keys pinentry-mode= status-fd= trust-model= default-key= options= photo-viewer= exec-path= agent-program= dirmngr-program= gpg-agent-program= keyring= dearmor list-packets cipher-algo= digest-algo= compress-algo= default-recipient= encrypt-to= secret-keyring= charset= load-extension= debug= logger-fd= comment= N/notation-data= set-policy-url= set-filename= completes-needed= marginals-needed= max-cert-depth= s2k-cipher-algo= s2k-digest-algo= s2k-mode= disable-cipher-algo= disable-pubkey-algo= command-fd= override-session-key=`,
  readings: {
    valued:
      'o output r recipient u local-user homedir keyserver passphrase passphrase-fd passphrase-file pinentry-mode status-fd trust-model default-key options photo-viewer exec-path agent-program dirmngr-program gpg-agent-program keyring cipher-algo digest-algo compress-algo default-recipient encrypt-to secret-keyring charset load-extension debug logger-fd comment N notation-data set-policy-url set-filename completes-needed marginals-needed max-cert-depth s2k-cipher-algo s2k-digest-algo s2k-mode disable-cipher-algo disable-pubkey-algo command-fd override-session-key',
    flags: `s sign b detach-sign clear-sign clearsign c symmetric e encrypt d decrypt verify import import-ownertrust export export-secret-keys export-secret-subkeys export-ownertrust ${deletions} send-keys dearmor list-packets`,
  },
  facts: [
    {
      what: 'reads what it encrypts, signs, opens or takes in',
      effects: (call, given) => [
        ...(given.has(
          ...'encrypt symmetric sign decrypt detach-sign import clear-sign dearmor list-packets verify'.split(
            ' ',
          ),
        )
          ? given.operands.flatMap((path) => read(call, path))
          : []),
        ...given.all('passphrase-file').flatMap((path) => read(call, path)),
      ],
      examples: {
        hit: {
          'gpg -<e c s d b> a b': 'read a; read b',
          'gpg --<encrypt symmetric sign decrypt detach-sign import clear-sign clearsign dearmor list-packets verify> a':
            'read a',
          'gpg -c .env': 'read .env; secret .env (environment)',
          'gpg --passphrase-file a': 'read a',
        },
        miss: ['gpg --list-keys a', 'gpg --export a'],
      },
    },
    {
      what: 'writes what it makes',
      effects: (call, given) =>
        given.all('output').flatMap((path) => write(call, path, { detail: 'overwrite' })),
      examples: {
        hit: { 'gpg -o a -d b': 'write a (overwrite)', 'gpg --output a -d b': 'write a (overwrite)' },
        miss: ['gpg -d b'],
      },
    },
    {
      what: 'shows, deletes, takes in or sends keys',
      effects: (call, given): readonly Effect[] => [
        ...(given.has('export-secret-keys', 'export-secret-subkeys')
          ? [effect(call, 'secret', { detail: 'key' })]
          : []),
        ...(given.has(...deletions.split(' '))
          ? [effect(call, 'delete', { detail: 'key', target: nameTarget(given.operands[0]) })]
          : []),
        ...(given.has('import', 'import-ownertrust')
          ? [effect(call, 'write', { detail: 'key', target: { kind: 'path', path: literal('~/.gnupg') } })]
          : []),
        ...(given.has('send-keys')
          ? [effect(call, 'connect', { detail: 'POST', target: nameTarget(given.last('keyserver')) })]
          : []),
      ],
      examples: {
        hit: {
          'gpg --<export-secret-keys export-secret-subkeys>': 'secret (key)',
          'gpg --<delete-keys delete-secret-keys delete-key delete-secret-key delete-secret-and-public-key> a':
            'delete a (key)',
          'gpg --<import import-ownertrust> a': 'write ~/.gnupg (key)',
          'gpg --keyserver h --send-keys a': 'connect h (POST)',
        },
        miss: ['gpg --<list-keys export export-ownertrust> a'],
      },
    },
    {
      what: 'runs a program that an option names',
      effects: (call, given) =>
        given.has('photo-viewer', 'agent-program', 'dirmngr-program', 'exec-path')
          ? [effect(call, 'run', { detail: 'helper' })]
          : [],
      examples: {
        hit: { 'gpg --<photo-viewer agent-program dirmngr-program exec-path> x': 'run (helper)' },
        miss: ['gpg --gpg-agent-program x'],
      },
    },
  ],
};

const age = table(`
age | r/recipient= R/recipients-file= i/identity= o/output= | r recipient R recipients-file i identity o output
  reads and writes files: read… identity=read output=write
    age -r x a .env → read a; read .env; secret .env (environment)
    age -d -i a -o b c → read c; read a; write b (overwrite)
    age --identity a --output b → read a; write b (overwrite)
    age → nothing
`);

const keychain: Card = {
  names: 'security',
  options: '',
  readings: {},
  facts: [
    {
      what: 'shows, deletes or changes what the keychain holds',
      effects: (call) => {
        const verb =
          textOf(call.args.find((word) => !beginningOf(word).startsWith('-')) ?? literal('help')) ??
          'unknown';
        const target = nameTarget(call.args.at(-1));
        if (/^(?:find-(?:generic|internet)-password|dump-keychain|export|find-key)$/.test(verb))
          return [effect(call, 'secret', { detail: 'credentials', target })];
        if (/^delete-/.test(verb)) return [effect(call, 'delete', { detail: 'credentials', target })];
        const looks =
          /^(?:list-keychains|find-certificate|find-identity|show-keychain-info|verify-cert|help|cms|error|default-keychain|login-keychain)$/;
        return looks.test(verb)
          ? []
          : [effect(call, 'privilege', { detail: 'keychain', target: nameTarget(literal(verb)) })];
      },
      examples: {
        hit: {
          'security <find-generic-password find-internet-password dump-keychain export find-key> a':
            'secret a (credentials)',
          'security delete-generic-password a': 'delete a (credentials)',
          'security -v add-trusted-cert a': 'privilege add-trusted-cert (keychain)',
          'security $VERB': 'privilege unknown (keychain)',
        },
        miss: [
          'security',
          'security <list-keychains find-certificate find-identity show-keychain-info verify-cert help cms error default-keychain login-keychain>',
        ],
      },
    },
  ],
};

const credentials: Card = {
  names: 'secret-tool keyctl cmdkey',
  options: '',
  readings: {},
  facts: [
    {
      what: 'shows or changes what the keyring holds',
      always: true,
      effects: (call) =>
        /^(?:lookup|search)$/.test(textOf(call.args[0] ?? unknownValue) ?? '')
          ? [effect(call, 'secret', { detail: 'credentials' })]
          : [effect(call, 'privilege', { detail: 'keychain' })],
      examples: {
        hit: {
          'secret-tool <lookup search> a b': 'secret (credentials)',
          'secret-tool store a b': 'privilege (keychain)',
          'keyctl $VERB': 'privilege (keychain)',
        },
        miss: [],
      },
    },
  ],
};

const quiet: Card = { names: 'gpgv gpg-agent gpgconf', options: '', readings: {}, facts: [] };

export const cards: readonly Card[] = [sshKeygen, sshAdd, openssl, gpg, ...age, keychain, credentials, quiet];
