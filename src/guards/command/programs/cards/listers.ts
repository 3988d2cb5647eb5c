// Programs that tell what is there: files and folders and their sizes, names and their parts, the environment, the time.

import type { Effect } from '../../effects.ts';
import { beginningOf, type Call, effect, inert, literal, nameTarget, read } from '../../tools/tool.ts';
import { namesSecret } from '../../variables.ts';
import type { Card } from '../card.ts';
import { family, table } from '../files.ts';
import { connect } from '../network.ts';

const listers = family(
  `
  looks at names and sizes: list…
    % a .env → read a (list); read .env (list)
    % - → nothing
`,
  `
readlink gls dir vdir ldd
realpath | relative-to= relative-base= | relative-to relative-base
ls | I/ignore= hide= w/width= T/tabsize= block-size= time= time-style= sort= format= indicator-style= quoting-style= | I ignore hide w width T tabsize block-size time time-style sort format indicator-style quoting-style
exa | L= I= s= level= sort= ignore-glob= color= time= t= time-style= | L I s level sort ignore-glob color time t time-style
eza | L= I= s= level= sort= ignore-glob= color= time= colour= color-scale-mode= colour-scale-mode= w= width= t= time-style= | L I s level sort ignore-glob color time colour color-scale-mode colour-scale-mode w width t time-style
lsd | depth= ignore-glob= sort= blocks= color= date= group-dirs= icon= icon-theme= size= | depth ignore-glob sort blocks color date group-dirs icon icon-theme size
du | d/max-depth= exclude= X= t= B= block-size= files0-from= | d max-depth exclude X t B block-size files0-from
df | t= x= B= | t x B
dust | d= n= X= depth= filter= e= number-of-lines= invert-filter= v= terminal_width= w= ignore-directory= min-size= z= | d n X depth filter e number-of-lines invert-filter v terminal_width w ignore-directory min-size z
stat | c/format= printf= | c format printf
`,
);

const others = table(`
tree | L= I= P= o/output= H= T= sort= filelimit= charset= timefmt= | L I P o output H T sort filelimit charset timefmt
  looks at all names below folders: list[+recursive]…
    tree a .env → read a (list) recursive; read .env (list) recursive
    tree -o a → nothing
  writes the file that is named: o=write
    tree -o a b → write a (overwrite)
    tree a → nothing
ncdu | o= f= X= exclude= | o f X exclude
  writes the file that is named: o=write
    ncdu -o a b → write a (overwrite)
    ncdu a → nothing
fdupes | r/recurse d/delete N/noprompt G= o= l= | G o l
  looks at names: !delete?list…
    fdupes -r a b → read a (list); read b (list)
    fdupes -d a → nothing
  deletes files of which there are others: delete?delete[recursive=recurse,force=noprompt]…
    fdupes -d a b → delete a; delete b
    fdupes -rdN a → delete a recursive force
    fdupes --recurse --delete --noprompt a → delete a recursive force
    fdupes a → nothing
last | f/file= n= t= s= p= | f file n t s p
  reads the record that is named: f=read
    last -f a → read a
    last a → nothing
`);

const names: Card = {
  names:
    'dirname basename test [ [[ locate mlocate plocate mdfind updatedb cancel lpstat blkid lsblk tr c++filt lastb lastlog faillog',
  options: '',
  readings: {},
  facts: [],
};

const environment: Card = {
  names: 'printenv',
  options: '',
  readings: {},
  facts: [
    {
      what: 'shows variables of the environment',
      effects: (call) => {
        const operands = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
        if (operands.length === 0) return inert(call, 'environment');
        const secret = operands.some((name) => namesSecret(beginningOf(name)));
        return secret
          ? [effect(call, 'secret', { detail: 'environment', target: nameTarget(operands[0]) })]
          : [];
      },
      examples: {
        hit: {
          'printenv -0': 'inert (environment)',
          'printenv <DATABASE_URL API_KEY GH_TOKEN A_SECRET DB_PASSWORD PASSWD MY_CREDENTIAL PRIVATE_X>':
            'secret <> (environment)',
          'printenv HOME API_KEY': 'secret HOME (environment)',
        },
        miss: ['printenv HOME', 'printenv -0 PATH'],
      },
    },
  ],
};

const databases: Card = {
  names: 'getent',
  options: '',
  readings: {},
  facts: [
    {
      what: 'shows the passwords of accounts',
      effects: (call) =>
        /^g?shadow$/.test(beginningOf(call.args[0] ?? literal('')))
          ? [effect(call, 'secret', { detail: 'accounts' })]
          : [],
      examples: {
        hit: { 'getent <shadow gshadow>': 'secret (accounts)' },
        miss: ['getent passwd', 'getent hosts shadow', 'getent'],
      },
    },
    {
      what: 'asks for the addresses of a name',
      effects: (call) =>
        /^(?:hosts|ahosts(?:v[46])?)$/.test(beginningOf(call.args[0] ?? literal('')))
          ? call.args.slice(1).map((name) => connect(call, name, 'lookup', call.io.stdinOrigins))
          : [],
      examples: {
        hit: {
          'getent <hosts ahosts ahostsv4> h.example': 'connect h.example (lookup)',
        },
        miss: ['getent passwd a', 'getent hosts'],
      },
    },
  ],
};

/** The clock is set with an option, or by digits alone, where they are not what another option prints. */
function setsClock(call: Call): readonly Effect[] {
  return [effect(call, 'setting', { detail: 'clock' })];
}

const date: Card = {
  names: 'date gdate',
  options: 'd/date= f/file= r/reference= s/set= I? rfc-3339= v= j iso-8601?',
  readings: {
    valued: 'd date f file r reference s set rfc-3339 v',
    flags: 'j',
    attached: 'I iso-8601',
  },
  facts: [
    {
      what: 'sets the clock',
      effects: (call, given) => {
        const digits = given.operands.some((operand) => /^\d{8,}/.test(beginningOf(operand)));
        return given.has('set') || (digits && !given.has('j', 'date')) ? setsClock(call) : [];
      },
      examples: {
        hit: {
          'date -s 12:00': 'setting (clock)',
          'date --set=12:00': 'setting (clock)',
          'date 010112002026': 'setting (clock)',
        },
        miss: ['date', 'date +%s', 'date -j 010112002026', 'date -d 20260101 010112002026', 'date 1234'],
      },
    },
    {
      what: 'reads dates from a file',
      effects: (call, given) => given.all('file').flatMap((path) => read(call, path)),
      examples: { hit: { 'date -f a': 'read a', 'date --file=a': 'read a' }, miss: ['date -r a'] },
    },
  ],
};

export const cards = [...listers, ...others, names, environment, databases, date];
