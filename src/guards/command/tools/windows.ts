// Cmdlets of PowerShell and words of cmd.exe, by their names in lower case.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  contentOf,
  effect,
  hostOf,
  hostTarget,
  inert,
  list,
  nameTarget,
  orInert,
  pathTarget,
  read,
  remove,
  type Tool,
  type Tools,
  unknownValue,
  write,
} from './tool.ts';

interface Given {
  readonly operands: readonly Value[];
  has(name: string): boolean;
  value(...names: readonly string[]): Value | undefined;
}

const switches =
  /^-(?:recurse|force|confirm|whatif|verbose|passthru|asjob|wait|append|nonewline|raw|hidden|directory|file|usebasicparsing|asplaintext|shallow|keepall|computer)/i;

/** Parameters of PowerShell begin with one dash and may be cut short; switches take no value. */
function parameters(args: readonly Value[]): Given {
  const operands: Value[] = [];
  const named = new Map<string, Value>();
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? unknownValue;
    const text = beginningOf(argument);
    if (!/^-[A-Za-z]/.test(text)) operands.push(argument);
    else if (switches.test(text) || /^-r(?:e|ec|ecu)?$|^-f(?:o|or)?$/i.test(text))
      named.set(text.slice(1).toLowerCase(), argument);
    else {
      at += 1;
      named.set(text.slice(1).toLowerCase(), args[at] ?? unknownValue);
    }
  }
  const find = (name: string): Value | undefined =>
    [...named].find(([given]) => name.startsWith(given) || given.startsWith(name))?.[1];
  return {
    operands,
    has: (name) => find(name) !== undefined,
    value: (...names) => names.map(find).find((value) => value !== undefined),
  };
}

const removeItem: Tool = (call) => {
  const given = parameters(call.args);
  const whatIf = call.args.find((argument) => /^-wh?a?t?i?f?/i.test(beginningOf(argument)));
  if (whatIf && !/:(?:\$false|0)$/i.test(beginningOf(whatIf))) return inert(call, 'dry-run');
  const paths = [
    ...given.operands,
    ...[given.value('path', 'literalpath')].filter((path) => path !== undefined),
  ];
  return orInert(
    call,
    paths.flatMap((path) =>
      remove(call, path, { recursive: given.has('recurse'), force: given.has('force') }),
    ),
  );
};

const onPath =
  (give: (call: Call, path: Value) => readonly Effect[]): Tool =>
  (call) => {
    const given = parameters(call.args);
    const path = given.value('path', 'literalpath', 'filepath') ?? given.operands[0];
    return path ? give(call, path) : inert(call);
  };

const transfer =
  (detail: string): Tool =>
  (call) => {
    const given = parameters(call.args);
    const source = given.value('path', 'literalpath') ?? given.operands[0];
    const destination = given.value('destination', 'newname') ?? given.operands.at(-1);
    return orInert(call, [
      ...(source
        ? detail === 'move'
          ? remove(call, source, { detail: 'move', reversible: true, recursive: true })
          : read(call, source)
        : []),
      ...(destination
        ? write(call, destination, { detail, ...(source ? { content: contentOf(source) } : {}) })
        : []),
    ]);
  };

const webRequest: Tool = (call) => {
  const given = parameters(call.args);
  const url = given.value('uri') ?? given.operands[0];
  const method =
    beginningOf(given.value('method') ?? unknownValue).toUpperCase() ||
    (given.has('body') || given.has('infile') ? 'POST' : 'GET');
  const file = given.value('infile');
  const output = given.value('outfile');
  const reads = file ? read(call, file) : [];
  return [
    ...reads,
    ...(url
      ? [
          effect(call, 'connect', {
            detail: method,
            target: hostTarget(hostOf(url)),
            origins: reads.some(({ kind }) => kind === 'secret') ? ['secret'] : [],
          }),
        ]
      : []),
    ...(output ? write(call, output, { detail: 'overwrite', origins: ['network'] }) : []),
  ];
};

/** `del /s /q path`, `rd /s /q path`: options begin with a slash. */
const slashRemove: Tool = (call) => {
  const flags = call.args.filter((argument) => /^\/[a-z](?::|$)/i.test(beginningOf(argument)));
  const paths = call.args.filter(
    (argument) => !flags.includes(argument) && !beginningOf(argument).startsWith('-'),
  );
  const recursive =
    flags.some((flag) => /^\/s/i.test(beginningOf(flag))) ||
    call.args.some((argument) => /^-(?:[a-z]*r|recurse)/i.test(beginningOf(argument)));
  return orInert(
    call,
    paths.flatMap((path) => remove(call, path, { recursive, force: true })),
  );
};

const named =
  (kind: Effect['kind'], detail: string): Tool =>
  (call) => [effect(call, kind, { detail, target: nameTarget(parameters(call.args).operands[0]) })];

export const windowsTools: Tools = {
  'remove-item': removeItem,
  ri: removeItem,
  rd: slashRemove,
  erase: slashRemove,
  del: slashRemove,
  'clear-content': onPath((call, path) => write(call, path, { detail: 'truncate' })),
  'set-content': onPath((call, path) => write(call, path, { detail: 'overwrite' })),
  'add-content': onPath((call, path) => write(call, path, { detail: 'append' })),
  'out-file': onPath((call, path) => write(call, path, { detail: 'overwrite' })),
  'new-item': onPath((call, path) => write(call, path, { detail: 'create' })),
  'get-content': onPath((call, path) => read(call, path)),
  gc: onPath((call, path) => read(call, path)),
  'get-childitem': onPath((call, path) => list(call, path)),
  gci: onPath((call, path) => list(call, path)),
  'test-path': (call) => inert(call),
  'copy-item': transfer('copy'),
  'move-item': transfer('move'),
  'rename-item': transfer('move'),
  copy: transfer('copy'),
  xcopy: transfer('copy'),
  robocopy: (call) => {
    const [source, destination] = call.args.filter((argument) => !beginningOf(argument).startsWith('/'));
    const mirrors = call.args.some((argument) => /^\/(?:mir|purge|move)$/i.test(beginningOf(argument)));
    return orInert(call, [
      ...(source ? read(call, source, { recursive: true }) : []),
      ...(destination ? write(call, destination, { detail: 'copy', recursive: true }) : []),
      ...(destination && mirrors ? remove(call, destination, { recursive: true, detail: 'sync' }) : []),
    ]);
  },
  move: transfer('move'),
  ren: transfer('move'),
  'invoke-webrequest': webRequest,
  'invoke-restmethod': webRequest,
  iwr: webRequest,
  irm: webRequest,
  'start-bitstransfer': webRequest,
  certutil: (call) =>
    call.args.some((argument) => /^[-/]urlcache/i.test(beginningOf(argument)))
      ? [
          effect(call, 'connect', {
            detail: 'GET',
            target: hostTarget(
              hostOf(call.args.find((argument) => /:\/\//.test(beginningOf(argument))) ?? unknownValue),
            ),
          }),
          ...write(call, call.args.at(-1) ?? unknownValue, { detail: 'overwrite', origins: ['network'] }),
        ]
      : inert(call),
  bitsadmin: (call) => [
    ...(/^\/transfer$/i.test(beginningOf(call.args[0] ?? unknownValue))
      ? write(call, call.args.at(-1) ?? unknownValue, { detail: 'create', origins: ['network'] })
      : []),
    effect(call, 'connect', {
      detail: 'GET',
      target: hostTarget(
        hostOf(call.args.find((argument) => /:\/\//.test(beginningOf(argument))) ?? unknownValue),
      ),
    }),
  ],
  'invoke-expression': named('run', 'inline'),
  iex: named('run', 'inline'),
  'invoke-command': named('run', 'remote-command'),
  'start-process': named('run', 'helper'),
  'stop-process': named('signal', 'KILL'),
  'stop-service': named('service', 'stop'),
  'set-service': named('service', 'change'),
  'restart-service': named('service', 'restart'),
  'stop-computer': named('service', 'shutdown'),
  'restart-computer': named('service', 'reboot'),
  'format-volume': named('format', 'file-system'),
  'clear-disk': named('format', 'erase'),
  'initialize-disk': named('format', 'partition'),
  'remove-partition': named('format', 'partition'),
  format: (call) => [
    effect(call, 'format', { detail: 'file-system', target: pathTarget(call.args[0] ?? unknownValue) }),
  ],
  cipher: (call) =>
    call.args.some((argument) => /^\/w/i.test(beginningOf(argument)))
      ? [effect(call, 'format', { detail: 'erase' })]
      : inert(call),
  vssadmin: (call) =>
    /delete|resize/i.test(call.args.map(beginningOf).join(' '))
      ? [effect(call, 'format', { detail: 'volume-delete' })]
      : inert(call),
  wbadmin: (call) =>
    /delete/i.test(call.args.map(beginningOf).join(' '))
      ? [effect(call, 'format', { detail: 'volume-delete' })]
      : inert(call),
  bcdedit: (call) =>
    /\/(?:set|delete)/i.test(call.args.map(beginningOf).join(' '))
      ? [effect(call, 'setting', { detail: 'boot' })]
      : inert(call),
  wevtutil: (call) =>
    /^(?:cl|clear-log)$/i.test(beginningOf(call.args[0] ?? unknownValue))
      ? [effect(call, 'delete', { detail: 'logs' })]
      : inert(call),
  wmic: (call) =>
    /\b(?:delete|call|create)\b/i.test(call.args.map(beginningOf).join(' '))
      ? [effect(call, 'run', { detail: 'helper' })]
      : inert(call),
  'set-executionpolicy': named('privilege', 'security'),
  'set-mppreference': named('privilege', 'security'),
  'new-localuser': named('privilege', 'user-add'),
  'remove-localuser': named('privilege', 'user-delete'),
  'add-localgroupmember': named('privilege', 'group-change'),
  'register-scheduledtask': named('persist', 'cron'),
  'new-service': named('persist', 'service'),
  'set-itemproperty': named('write', 'registry'),
  'remove-itemproperty': named('delete', 'registry'),
  'send-mailmessage': named('message', 'e-mail'),
  'install-module': named('package', 'install'),
  'uninstall-module': named('package', 'remove'),
  'write-output': (call) => inert(call),
  'write-host': (call) => inert(call),
  'select-string': (call) => inert(call),
  'get-process': (call) => inert(call),
  'get-service': (call) => inert(call),
  'get-location': (call) => inert(call),
  'set-location': (call) => inert(call),
  'where-object': (call) => inert(call),
  'foreach-object': (call) => inert(call),
  'measure-object': (call) => inert(call),
  'convertto-json': (call) => inert(call),
  'convertfrom-json': (call) => inert(call),
  'get-command': (call) => inert(call),
  'get-date': (call) => inert(call),
  tasklist: (call) => inert(call),
  systeminfo: (call) => inert(call),
  ipconfig: (call) => inert(call),
  findstr: (call) => inert(call),
};
