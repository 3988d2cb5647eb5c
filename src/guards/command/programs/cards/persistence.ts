// What makes code run later, and settings that last: cron, at, start-up entries, the registry, settings of the desktop. And
// messages to people.

import type { Effect, Origin } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  literal,
  nameTarget,
  read,
  textOf,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';
import { factFor } from '../examples.ts';
import { table } from '../files.ts';
import { isOneOf } from '../tables.ts';

/** Where what is sent to a person comes from. */
function sentOrigins({ io }: Call): readonly Origin[] {
  return [...io.stdinOrigins, ...(io.argumentOrigins ?? [])];
}

interface Chat {
  readonly names: string;
  readonly detail: string;
  readonly hit: Fact['examples']['hit'];
}

function chat({ names, detail, hit }: Chat): Card {
  const [name = ''] = names.split(' ');
  const fact: Fact = {
    what: 'sends a message',
    effects: (call) =>
      /^(?:--version|--help|-h|version|help|list|login|config)$/.test(
        beginningOf(call.args[0] ?? literal('--help')),
      )
        ? []
        : [effect(call, 'message', { detail, target: nameTarget(call.args[0]), origins: sentOrigins(call) })],
    examples: {
      hit,
      miss: ['%', '% <--version --help -h version help list login config>'],
    },
  };
  return { names, options: '', readings: {}, facts: [factFor(name, fact)] };
}

const registry: Card = {
  names: 'reg',
  options: '',
  readings: {},
  facts: [
    {
      what: 'changes or deletes keys of the registry',
      effects: (call) => {
        const verb = textOf(call.args[0])?.toLowerCase();
        if (verb === 'query' || verb === 'export') return [];
        const kind = verb === 'delete' ? 'delete' : 'write';
        return [effect(call, kind, { detail: 'registry', target: nameTarget(call.args[1]) })];
      },
      examples: {
        hit: {
          'reg <delete DELETE> HKLM/x': 'delete HKLM/x (registry)',
          'reg add HKLM/x': 'write HKLM/x (registry)',
          'reg $VERB HKLM/x': 'write HKLM/x (registry)',
        },
        miss: ['reg query HKLM/x', 'reg EXPORT HKLM/x a'],
      },
    },
    {
      what: 'makes a program start with the machine',
      effects: (call) => {
        const runs = /\\run(?:once)?\b/i.test(beginningOf(call.args[1] ?? literal('')));
        const reads = /^(?:query|export)$/i.test(textOf(call.args[0]) ?? '');
        return runs && !reads
          ? [effect(call, 'persist', { detail: 'autostart', target: nameTarget(call.args[1]) })]
          : [];
      },
      examples: {
        hit: {
          "reg add 'HKCU\\<Run RunOnce run>'": 'persist HKCU\\<> (autostart)',
        },
        miss: ["reg query 'HKCU\\Run'", "reg export 'HKCU\\Run'", "reg add 'HKCU\\Runner'"],
      },
    },
  ],
};

const defaults: Card = {
  names: 'defaults',
  options: '',
  readings: {},
  facts: [
    {
      what: 'changes or deletes settings of programs',
      effects: (call) => {
        const verb = textOf(call.args[0] ?? literal('help')) ?? '';
        if (/^(?:read|read-type|domains|find|help|export)$/.test(verb)) return [];
        const kind = verb === 'delete' ? 'delete' : 'write';
        return [effect(call, kind, { detail: 'settings', target: nameTarget(call.args[1]) })];
      },
      examples: {
        hit: {
          'defaults write a b c': 'write a (settings)',
          'defaults $VERB a': 'write a (settings)',
          'defaults delete a': 'delete a (settings)',
        },
        miss: ['defaults', 'defaults <read read-type domains find help export> a'],
      },
    },
    {
      what: 'makes a program start with a login or a terminal',
      effects: (call) =>
        textOf(call.args[0]) === 'write' &&
        /^(?:LoginHook|LogoutHook|Shell|AutoLaunchedApplicationDictionary|CommandString)$/i.test(
          beginningOf(call.args[2] ?? unknownValue),
        )
          ? [effect(call, 'persist', { detail: 'autostart', target: nameTarget(call.args[1]) })]
          : [],
      examples: {
        hit: { 'defaults write a <LoginHook LogoutHook Shell> /b': 'persist a (autostart)' },
        miss: ['defaults read a LoginHook', 'defaults write a b c', 'defaults delete a LoginHook'],
      },
    },
  ],
};

const properties: Card = {
  names: 'plutil',
  options: '',
  readings: {},
  facts: [
    {
      what: 'changes a list of settings, or shows it',
      always: true,
      effects: (call) => {
        const changes = call.args.some((word) =>
          /^-(?:replace|insert|remove|convert)$/.test(beginningOf(word)),
        );
        const file = call.args.at(-1) ?? unknownValue;
        // With -o the file itself stays as it is.
        const at = call.args.findIndex((word) => textOf(word) === '-o');
        const output = at < 0 ? undefined : call.args[at + 1];
        if (changes && output !== undefined)
          return [...read(call, file), ...write(call, output, { detail: 'overwrite' })];
        return changes ? write(call, file, { detail: 'edit' }) : read(call, file);
      },
      examples: {
        hit: {
          'plutil -<replace insert remove convert> x a': 'write a (edit)',
          'plutil -p a': 'read a',
          'plutil -convert json -o b a': 'read a; write b (overwrite)',
          'plutil -convert json -o - a': 'read a',
          plutil: 'read …',
        },
        miss: [],
      },
    },
  ],
};

/** The commands of PlistBuddy that change a list. */
const changing = /^\s*(?:set|add|delete|copy|clear|import|merge)\b/i;

const buddy: Card = {
  names: 'PlistBuddy',
  options: 'c= x h',
  readings: { valued: 'c', flags: 'x h' },
  facts: [
    {
      what: 'changes a list of settings, or shows it',
      effects: (call, given) =>
        given.operands
          .slice(0, 1)
          .flatMap((file) =>
            given
              .all('c')
              .every((command) => textOf(command) !== null && !changing.test(textOf(command) ?? ''))
              ? read(call, file)
              : write(call, file, { detail: 'edit' }),
          ),
      examples: {
        hit: {
          "PlistBuddy -c 'Print A' a.plist": 'read a.plist',
          "PlistBuddy -c 'Set A b' a.plist": 'write a.plist (edit)',
          'PlistBuddy -c $COMMAND a.plist': 'write a.plist (edit)',
        },
        miss: ['PlistBuddy -h'],
      },
    },
  ],
};

const tasks: Card = {
  names: 'schtasks',
  options: '',
  readings: {},
  facts: [
    {
      what: 'makes a program run at a time, or ends that',
      effects: (call): readonly Effect[] => {
        const words = call.args.map((word) => beginningOf(word).toLowerCase());
        if (words.some((word) => /^\/(?:create|change)$/.test(word)))
          return [effect(call, 'persist', { detail: 'cron' })];
        return words.includes('/delete') ? [effect(call, 'persist', { detail: 'cron-remove' })] : [];
      },
      examples: {
        hit: {
          'schtasks </create /CHANGE> /tn x': 'persist (cron)',
          'schtasks /Delete /tn x': 'persist (cron-remove)',
        },
        miss: ['schtasks /query', 'schtasks'],
      },
    },
  ],
};

const anacron: Card = {
  names: 'anacron',
  options: '',
  readings: {},
  facts: [
    {
      what: 'runs the jobs that are due',
      effects: (call) =>
        call.args.some((word) => /^-[TV]/.test(beginningOf(word)))
          ? []
          : [effect(call, 'run', { detail: 'cron' })],
      examples: { hit: { 'anacron -f': 'run (cron)', anacron: 'run (cron)' }, miss: ['anacron -<T V>'] },
    },
  ],
};

/** Commands of Sallyport that show something and change nothing, or whose own verdict counts. */
const looking = isOneOf(
  'test | explain | why | rules | doctor | version | help | status | log | digest | verify | scan | check | decide | exec | bench | eval | chain-head | audit | symbols | diff | runs $ | runs show | mcp list | mcp status | approvals $ | chains $ | permissions $ | changes $ | changes list | changes show | snapshots $ | receipts $ | receipts list | receipts show | receipts verify | receipts chain-head | sources list | sources check | policy check | policy explain | policy test | policy list | policy schema | config check | config schema',
);

const own: Card = {
  names: 'sallyport',
  options: 'keep-megabytes=',
  readings: { valued: 'keep-megabytes' },
  facts: [
    {
      what: 'changes the guard itself',
      effects: (call, given) => {
        if (given.operands.length === 0) return [];
        // A word that is not known may be any; the command stands before its options.
        const isFirst = given.operands[0] === call.args[0];
        const known = given.operands.map((word) => (word.kind === 'literal' ? word : literal('?')));
        if (isFirst && looking({ ...given, operands: known }) && !given.has('keep-megabytes', 'watch'))
          return [];
        const words = given.operands.slice(0, 2).map(beginningOf).join(' ');
        return [effect(call, 'tamper', { detail: 'command', target: nameTarget(literal(words)) })];
      },
      examples: {
        hit: {
          'sallyport -v approve x y': "tamper 'approve x' (command)",
          'sallyport --since log': 'tamper log (command)',
          'sallyport down': 'tamper down (command)',
          'sallyport $VERB x': "tamper ' x' (command)",
          'sallyport log$VERB x': "tamper 'log x' (command)",
          'sallyport <permissions changes mcp receipts config sources policy runs> revoke':
            "tamper '<> revoke' (command)",
          'sallyport mcp': 'tamper mcp (command)',
          'sallyport approvals --watch': 'tamper approvals (command)',
          'sallyport snapshots --keep-megabytes=1': 'tamper snapshots (command)',
        },
        miss: [
          'sallyport',
          'sallyport --quiet',
          'sallyport <test explain why rules doctor version help status log digest verify scan check decide exec bench eval chain-head audit symbols diff> x',
          'sallyport log --since 8h --follow',
          'sallyport <runs approvals chains permissions changes snapshots receipts> --json',
          'sallyport runs show 1',
          'sallyport mcp <list status>',
          'sallyport changes <list show> 1',
          'sallyport receipts <list show verify chain-head>',
          'sallyport sources <list check>',
          'sallyport policy <check explain test list schema>',
          'sallyport config <check schema>',
        ],
      },
    },
  ],
};

const others = table(`
alpine | F= I= | F I
  reads the file that is named: F=read
    alpine -F a → read a
    alpine -I a → nothing
`);

const window: Card = { names: 'wmctrl', options: '', readings: {}, facts: [] };

export const cards: readonly Card[] = [
  chat({
    names:
      'slack slack-cli slackcat telegram telegram-cli telegram-send signal-cli discord matrix matrix-commander irssi',
    detail: 'chat',
    hit: {
      '% team hi': 'message team (chat)',
      '$SECRET | % team': 'message team (chat) from secret',
    },
  }),
  chat({
    names: 'ntfy apprise pushover',
    detail: 'notification',
    hit: { '% team hi': 'message team (notification)' },
  }),
  registry,
  defaults,
  properties,
  buddy,
  tasks,
  anacron,
  own,
  ...others,
  window,
];
