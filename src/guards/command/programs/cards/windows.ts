// Cmdlets of PowerShell and words of cmd.exe, by their names in lower case.

import type { Effect, EffectKind, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  contentOf,
  effect,
  hostOf,
  hostTarget,
  inert,
  list,
  literal,
  nameTarget,
  pathTarget,
  read,
  remove,
  textOf,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';
import { parameters } from '../powershell.ts';

type Effects = (call: Call) => readonly Effect[];

/** A program and what it does; its examples that end with nothing miss. */
function card(
  names: string,
  what: string,
  effects: Effects,
  examples: Readonly<Record<string, string>>,
): Card {
  const all = Object.entries(examples);
  const miss = all.flatMap(([command, said]) => (said === '' ? [command] : []));
  const hit = Object.fromEntries(all.filter(([, said]) => said !== ''));
  const fact: Fact = {
    what,
    effects,
    examples: { hit, miss },
    ...(miss.length === 0 ? { always: true } : {}),
  };
  return { names, options: '', readings: {}, facts: [fact] };
}

/** The words of a call, in lower case. */
const lower = ({ args }: Call): string => args.map((word) => beginningOf(word).toLowerCase()).join(' ');
const first = ({ args }: Call): Value => args[0] ?? unknownValue;

// ── Files.

/** The root of a drive; in a shell of Unix its backslash took the blank behind it along: `C:\\ -Recurse`. */
const drive = /^[A-Za-z]:[\\/]*(?: (-.*))?$/;

/** The words of a call, with the roots of drives as the root of this machine. */
function withDrives(args: readonly Value[]): readonly Value[] {
  return args.flatMap((word) => {
    const found = drive.exec(textOf(word) ?? '');
    if (found === null) return [word];
    return [literal('/'), ...(found[1] ?? '').split(' ').filter(Boolean).map(literal)];
  });
}

const removeItem: Effects = (call) => {
  const given = parameters(withDrives(call.args));
  const whatIf = call.args.find((argument) => /^-wh?a?t?i?f?/i.test(beginningOf(argument)));
  if (whatIf && !/:(?:\$false|0)$/i.test(beginningOf(whatIf))) return inert(call, 'dry-run');
  const named = given.value('path', 'literalpath');
  const paths = named === undefined ? given.operands : [...given.operands, named];
  const more = { recursive: given.has('recurse'), force: given.has('force') };
  return paths.flatMap((path) => remove(call, path, more));
};

const onPath =
  (give: (call: Call, path: Value) => readonly Effect[]): Effects =>
  (call) => {
    const given = parameters(call.args);
    const path = given.value('path', 'literalpath', 'filepath') ?? given.operands[0];
    return path ? give(call, path) : [];
  };

const writes = (detail: string): Effects => onPath((call, path) => write(call, path, { detail }));

function transfer(detail: 'copy' | 'move'): Effects {
  return (call) => {
    const given = parameters(call.args);
    const source = given.value('path', 'literalpath') ?? given.operands[0];
    const destination = given.value('destination', 'newname') ?? given.operands.at(-1);
    const content = source ? { content: contentOf(source) } : {};
    const taken = (path: Value): readonly Effect[] =>
      detail === 'move'
        ? remove(call, path, { detail, reversible: true, recursive: true })
        : read(call, path);
    return [
      ...(source ? taken(source) : []),
      ...(destination ? write(call, destination, { detail, ...content }) : []),
    ];
  };
}

/** `del /s /q path`, `rd /s /q path`: options begin with a slash. */
const slashRemove: Effects = (call) => {
  const isFlag = (word: Value): boolean => /^\/[a-z](?::|$)/i.test(beginningOf(word));
  const recursive = call.args.some((word) => /^(?:\/s|-[a-z]*r)/i.test(beginningOf(word)));
  return call.args
    .filter((word) => !isFlag(word) && !beginningOf(word).startsWith('-'))
    .flatMap((path) => remove(call, path, { recursive, force: true }));
};

const files: readonly Card[] = [
  card('remove-item ri', 'deletes files', removeItem, {
    'remove-item a b': 'delete a; delete b',
    'remove-item -Recurse -Force -Path a': 'delete a recursive force',
    'ri -r -fo a': 'delete a recursive force',
    'remove-item -LiteralPath a': 'delete a',
    "remove-item -Path 'C: -Recurse' -Force": 'delete / recursive force',
    'remove-item a -WhatIf': 'inert (dry-run)',
    'remove-item a -WhatIf:0': 'delete a',
    'remove-item': '',
  }),
  card('rd erase del', 'deletes files', slashRemove, {
    'del /q a b': 'delete a force; delete b force',
    'rd /S /q a': 'delete a recursive force',
    'del -Recurse a': 'delete a recursive force',
    'del /q': '',
  }),
  card('clear-content', 'empties a file', writes('truncate'), {
    'clear-content -Path a': 'write a (truncate)',
    'clear-content': '',
  }),
  card('set-content out-file', 'writes a file', writes('overwrite'), {
    'set-content -Path a -Value b': 'write a (overwrite)',
    'out-file -FilePath a': 'write a (overwrite)',
    'set-content -LiteralPath a': 'write a (overwrite)',
    'out-file': '',
  }),
  card('add-content', 'writes to the end of a file', writes('append'), {
    'add-content a b': 'write a (append)',
    'add-content': '',
  }),
  card('new-item', 'makes a file', writes('create'), {
    'new-item -ItemType Directory a': 'write a (create)',
    'new-item': '',
  }),
  card('get-content gc', 'shows a file', onPath(read), {
    'get-content .env': 'read .env; secret .env (environment)',
    'gc -Raw -Path a': 'read a',
    gc: '',
  }),
  card('get-childitem gci', 'looks at names', onPath(list), {
    'gci -Recurse a': 'read a (list)',
    gci: '',
  }),
  card('copy-item copy xcopy', 'copies files', transfer('copy'), {
    'copy-item a b': 'read a; write b (copy) = a',
    'copy-item -Path a -Destination b': 'read a; write b (copy) = a',
    'copy-item -LiteralPath a -Destination b': 'read a; write b (copy) = a',
    copy: '',
  }),
  card('move-item rename-item move ren', 'moves files', transfer('move'), {
    'move a b': 'delete a (move) recursive reversible; write b (move) = a',
    'rename-item -Path a -NewName b': 'delete a (move) recursive reversible; write b (move) = a',
    move: '',
  }),
  card(
    'robocopy',
    'copies folders, and deletes what is only in the other',
    (call) => {
      const [source, destination] = call.args.filter((word) => !beginningOf(word).startsWith('/'));
      const mirrors = call.args.some((word) => /^\/(?:mir|purge|move)$/i.test(beginningOf(word)));
      if (source === undefined) return [];
      const written = destination ? write(call, destination, { detail: 'copy', recursive: true }) : [];
      const gone =
        destination && mirrors ? remove(call, destination, { recursive: true, detail: 'sync' }) : [];
      return [...read(call, source, { recursive: true }), ...written, ...gone];
    },
    {
      'robocopy a b /e': 'read a recursive; write b (copy) recursive',
      'robocopy a b </MIR /purge /move>':
        'read a recursive; write b (copy) recursive; delete b (sync) recursive',
      robocopy: '',
    },
  ),
];

// ── Hosts.

const webRequest: Effects = (call) => {
  const given = parameters(call.args);
  const url = given.value('uri') ?? given.operands[0];
  const named = beginningOf(given.value('method') ?? unknownValue).toUpperCase();
  const detail = named || (given.has('body') || given.has('infile') ? 'POST' : 'GET');
  const file = given.value('infile');
  const output = given.value('outfile');
  const reads = file ? read(call, file) : [];
  const origins = reads.some(({ kind }) => kind === 'secret') ? (['secret'] as const) : [];
  const asked = url ? [effect(call, 'connect', { detail, target: hostTarget(hostOf(url)), origins })] : [];
  const written = output ? write(call, output, { detail: 'overwrite', origins: ['network'] }) : [];
  return [...reads, ...asked, ...written];
};

/** The word that is an address. */
function addressIn({ args }: Call): Value {
  return args.find((word) => /:\/\//.test(beginningOf(word))) ?? unknownValue;
}

const gets = (call: Call): Effect =>
  effect(call, 'connect', { detail: 'GET', target: hostTarget(hostOf(addressIn(call))) });

const hosts: readonly Card[] = [
  card(
    'invoke-webrequest invoke-restmethod iwr irm start-bitstransfer',
    'asks a host, and writes what it gives to a file',
    webRequest,
    {
      'iwr https://h.example/ -OutFile a': 'connect h.example (GET); write a (overwrite) from network',
      'irm -Uri https://h.example/ -Method put': 'connect h.example (PUT)',
      'irm https://h.example/ -Body x': 'connect h.example (POST)',
      'irm https://h.example/ -InFile .env':
        'read .env; secret .env (environment); connect h.example (POST) from secret',
      iwr: '',
    },
  ),
  card(
    'certutil',
    'fetches a file',
    (call) =>
      call.args.some((word) => /^[-/]urlcache/i.test(beginningOf(word)))
        ? [
            gets(call),
            ...write(call, call.args.at(-1) ?? unknownValue, { detail: 'overwrite', origins: ['network'] }),
          ]
        : [],
    {
      'certutil </urlcache -urlcache> -f https://h.example/a b':
        'connect h.example (GET); write b (overwrite) from network',
      'certutil -hashfile a': '',
    },
  ),
  card(
    'bitsadmin',
    'fetches files',
    (call) => [
      ...(/^\/transfer$/i.test(beginningOf(first(call)))
        ? write(call, call.args.at(-1) ?? unknownValue, { detail: 'create', origins: ['network'] })
        : []),
      gets(call),
    ],
    {
      'bitsadmin /Transfer x https://h.example/a b': 'write b (create) from network; connect h.example (GET)',
      'bitsadmin /addfile x https://h.example/a b': 'connect h.example (GET)',
    },
  ),
];

// ── One effect each, on what is named first.

/** Kind, detail, and the cmdlets. */
const deeds: readonly (readonly [EffectKind, string, string])[] = [
  ['run', 'inline', 'invoke-expression iex'],
  ['run', 'remote-command', 'invoke-command'],
  ['run', 'helper', 'start-process'],
  ['signal', 'KILL', 'stop-process'],
  ['service', 'stop', 'stop-service'],
  ['service', 'change', 'set-service'],
  ['service', 'restart', 'restart-service'],
  ['service', 'shutdown', 'stop-computer'],
  ['service', 'reboot', 'restart-computer'],
  ['format', 'file-system', 'format-volume'],
  ['format', 'erase', 'clear-disk'],
  ['format', 'partition', 'initialize-disk remove-partition'],
  ['privilege', 'security', 'set-executionpolicy set-mppreference'],
  ['privilege', 'user-add', 'new-localuser'],
  ['privilege', 'user-delete', 'remove-localuser'],
  ['privilege', 'group-change', 'add-localgroupmember'],
  ['persist', 'cron', 'register-scheduledtask'],
  ['persist', 'service', 'new-service'],
  ['write', 'registry', 'set-itemproperty'],
  ['delete', 'registry', 'remove-itemproperty'],
  ['message', 'e-mail', 'send-mailmessage'],
  ['package', 'install', 'install-module'],
  ['package', 'remove', 'uninstall-module'],
];

/** What each of them is seen to do to `a`. */
const seen: Readonly<Record<string, string>> = {
  'invoke-expression': 'run a (inline)',
  'invoke-command': 'run a (remote-command)',
  'start-process': 'run a (helper)',
  'stop-process': 'signal a (KILL)',
  'stop-service': 'service a (stop)',
  'set-service': 'service a (change)',
  'restart-service': 'service a (restart)',
  'stop-computer': 'service a (shutdown)',
  'restart-computer': 'service a (reboot)',
  'format-volume': 'format a (file-system)',
  'clear-disk': 'format a (erase)',
  'initialize-disk': 'format a (partition)',
  'set-executionpolicy': 'privilege a (security)',
  'new-localuser': 'privilege a (user-add)',
  'remove-localuser': 'privilege a (user-delete)',
  'add-localgroupmember': 'privilege a (group-change)',
  'register-scheduledtask': 'persist a (cron)',
  'new-service': 'persist a (service)',
  'set-itemproperty': 'write a (registry)',
  'remove-itemproperty': 'delete a (registry)',
  'send-mailmessage': 'message a (e-mail)',
  'install-module': 'package a (install)',
  'uninstall-module': 'package a (remove)',
};

const simple = deeds.map(([kind, detail, names]) => {
  const [name = ''] = names.split(' ');
  const effects: Effects = (call) => [
    effect(call, kind, { detail, target: nameTarget(parameters(call.args).operands[0]) }),
  ];
  return card(names, 'changes what it is named for', effects, { [`${name} a`]: seen[name] ?? '' });
});

/** Words of cmd.exe that do something where their words say so. */
function where(
  names: string,
  what: string,
  words: RegExp,
  done: Effects,
  examples: Readonly<Record<string, string>>,
): Card {
  return card(names, what, (call) => (words.test(lower(call)) ? done(call) : []), examples);
}

const machine: readonly Card[] = [
  card(
    'format',
    'makes a file system, so that what was there is lost',
    (call) => [effect(call, 'format', { detail: 'file-system', target: pathTarget(first(call)) })],
    { 'format c: /q': 'format c: (file-system)' },
  ),
  where(
    'cipher',
    'erases what is free',
    /(?:^| )\/w/,
    (call) => [effect(call, 'format', { detail: 'erase' })],
    {
      'cipher /W:a': 'format (erase)',
      'cipher /e a': '',
    },
  ),
  where(
    'vssadmin wbadmin',
    'deletes copies that were kept for later',
    /delete|resize/,
    (call) => [effect(call, 'format', { detail: 'volume-delete' })],
    {
      'vssadmin <Delete resize> shadows': 'format (volume-delete)',
      'wbadmin delete catalog': 'format (volume-delete)',
      'vssadmin list shadows': '',
    },
  ),
  where(
    'bcdedit',
    'changes how the machine starts',
    /\/(?:set|delete)/,
    (call) => [effect(call, 'setting', { detail: 'boot' })],
    { 'bcdedit </set /Delete> x': 'setting (boot)', 'bcdedit /enum': '' },
  ),
  where(
    'wevtutil',
    'deletes logs',
    /^(?:cl|clear-log)(?: |$)/,
    (call) => [effect(call, 'delete', { detail: 'logs' })],
    {
      'wevtutil <cl Clear-Log> x': 'delete (logs)',
      'wevtutil qe clear-log': '',
    },
  ),
  where(
    'wmic',
    'starts, changes or deletes something',
    /\b(?:delete|call|create)\b/,
    (call) => [effect(call, 'run', { detail: 'helper' })],
    { 'wmic process <delete call Create> x': 'run (helper)', 'wmic process list': '' },
  ),
];

const quiet: Card = {
  names:
    'test-path write-output write-host select-string get-process get-service get-location set-location where-object foreach-object measure-object convertto-json convertfrom-json get-command get-date tasklist systeminfo ipconfig findstr',
  options: '',
  readings: {},
  facts: [],
};

export const cards: readonly Card[] = [...files, ...hosts, ...simple, ...machine, quiet];
