// Python's libraries that start, signal and change processes.

import { after, effects, rows, shells, starts } from '../script/actions.ts';
import { callThing, operate } from '../script/calls.ts';
import type { Call, Operation } from '../script/machine.ts';
import { getAttribute, itemsOf } from '../script/objects.ts';
import { runCode } from '../script/run.ts';
import {
  asValue,
  handle,
  hole,
  joinAll,
  list,
  literal,
  member,
  none,
  originsOf,
  type Thing,
  text,
  texts,
  textsOf,
  truthOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';

/** A finished or running process, whose output is what it printed; `command` is what reads its input. */
function processOf(output: Thing, command: Thing = none): Thing {
  return handle('process', {
    stdout: output,
    stderr: output,
    output,
    command,
    stdin: handle('feed', { command }),
    items: list([unknownFrom(originsOf(output))], false),
  });
}

/** What is written to a process is what its program reads. */
const feeds: Operation = (call) => {
  const command = call.receiver.kind === 'handle' ? call.receiver.fields.get('command') : undefined;
  const input = call.at(0, 'input');
  if (command && command.kind !== 'none' && input && input.kind !== 'none')
    starts(call, command.kind === 'text' ? list([command]) : command, input);
  return none;
};

/** A program of the system, as a value of the libraries that make one of each. */
export function programOf(name: Thing): Thing {
  return { kind: 'partial', callee: member('<program>'), args: [name], keywords: new Map() };
}

const startsProgram: Operation = (call) => after(starts(call, list(call.args)), unknown);

/** The libraries in which every name is a program of the system. */
export function startsNamed(callee: Thing): Operation | null {
  const [, name] = callee.kind === 'member' ? (/^(?:sh|plumbum\.cmd)\.(\w+)$/.exec(callee.name) ?? []) : [];
  return name === undefined ? null : (call) => startsProgram({ ...call, args: [text(name), ...call.args] });
}

/** What `subprocess` functions run: a text for the shell, or a program with its arguments. */
function subprocess(call: Call): Thing {
  const command = call.at(0, 'args');
  const shell = call.keywords.get('shell') ?? call.args[8];
  const input = call.keywords.get('input') ?? call.keywords.get('stdin');
  const executable = call.keywords.get('executable');
  const inShell = shell !== undefined && shell.kind !== 'none' && truthOf(shell) !== false;
  // With a shell, a list's first item is the text and the rest are the shell's own arguments.
  const given = call.keywords.get('env');
  const variables = given?.kind === 'map' ? given.entries : undefined;
  if (inShell) return shells(call, command?.kind === 'list' ? rows(command)[0] : command, input, variables);
  if (executable?.kind === 'text') return starts(call, list([executable, ...rows(command).slice(1)]), input);
  if (command?.kind === 'either')
    return joinAll(command.options.map((option) => starts(call, option, input)));
  return starts(call, command, input);
}

const runs: Operation = (call) => {
  const shell = call.keywords.get('shell');
  const command = shell === undefined || truthOf(shell) === false ? call.at(0, 'args') : undefined;
  return processOf(subprocess(call), command);
};
const prints: Operation = (call) => subprocess(call);
const shellFirst: Operation = (call) => shells(call, call.args[0] ?? [...call.keywords.values()][0]);
const shellFile: Operation = (call) => {
  const output = shells(call, call.args[0] ?? call.keywords.get('cmd'));
  return handle('file', { content: output, items: list([output], false), path: none });
};
/** Programs given as a path and a list: `os.execv(path, argv)`. */
const pathAndList =
  (first: number): Operation =>
  (call) => {
    const program = call.args[first];
    const [, ...rest] = rows(call.args[first + 1]);
    starts(call, list([program ?? unknown, ...rest]));
    return unknown;
  };
/** Programs given as a path and the arguments after it: `os.execl(path, name, argument)`. */
const pathAndRest =
  (first: number, environment: boolean): Operation =>
  (call) => {
    const [program, , ...rest] = call.args.slice(first);
    starts(call, list([program ?? unknown, ...(environment ? rest.slice(0, -1) : rest)]));
    return unknown;
  };
const commandLine: Operation = (call) => {
  const command = call.at(0, 'command');
  const more = call.at(1, 'args');
  if (more?.kind === 'list') starts(call, list([command ?? unknown, ...rows(more)]));
  else if (command?.kind === 'list') starts(call, command);
  else shells(call, command);
  return handle('process', { stdout: unknown });
};

function signalOf(thing: Thing | undefined): string {
  if (thing?.kind === 'number') return String(thing.value);
  if (thing?.kind === 'member') return thing.name.replace(/^signal\.(?:Signals\.)?/, '');
  return thing ? (literal(thing) ?? 'unknown') : 'TERM';
}

/** The request by which a program types at a terminal: TIOCSTI. */
const typesKeys: Operation = (call) => {
  const request = call.at(1, 'request');
  const types =
    (request?.kind === 'number' && Number(request.value) === 0x5412) ||
    (request?.kind === 'member' && request.name.endsWith('TIOCSTI'));
  if (types) effects(call, 'device', { detail: 'keys' });
  return unknown;
};

const signals: Operation = (call) => {
  const [pid, given] = call.args;
  const signal = signalOf(given);
  if (signal === '0') return none;
  const own =
    pid?.kind === 'unknown' && pid.origins.length === 0
      ? false
      : pid?.kind === 'handle' && pid.type === 'self';
  if (own) return none;
  effects(call, 'signal', { target: { kind: 'name', name: asValue(textsOf(pid)) }, detail: signal });
  return none;
};
const signalsReceiver =
  (detail: string): Operation =>
  (call) => {
    const pid = call.receiver.kind === 'handle' ? call.receiver.fields.get('pid') : undefined;
    // A process that was found by looking at all of them is probably somebody else's.
    effects(call, 'signal', {
      target: { kind: 'name', name: asValue(textsOf(pid)) },
      detail,
      recursive: true,
    });
    return none;
  };

const privileges: Operation = (call) => {
  const [id] = call.args;
  effects(call, 'privilege', {
    target: { kind: 'name', name: asValue(textsOf(id)) },
    detail: call.name.replace(/^os\./, ''),
  });
  return none;
};

/** A function that another thread or process runs: it is called where it is handed over. */
const worker =
  (forks: boolean): Operation =>
  (call) => {
    if (forks) call.machine.forks(call);
    const target = call.keywords.get('target') ?? call.args[1];
    const given = call.keywords.get('args') ?? call.args[3];
    const named = call.keywords.get('kwargs');
    if (target)
      callThing(
        call.machine,
        target,
        given ? itemsOf(call.machine, given).items : [],
        named?.kind === 'map' ? named.entries : new Map(),
        call.span,
      );
    return handle('worker', { target: target ?? none });
  };
const submits: Operation = (call) => {
  const [target = unknown, ...rest] = call.args;
  return handle('future', { result: callThing(call.machine, target, rest, call.keywords, call.span) });
};
const applies: Operation = (call) => {
  const target = call.at(0, 'func') ?? unknown;
  const given = call.at(1, 'args');
  return handle('future', {
    result: callThing(
      call.machine,
      target,
      given ? itemsOf(call.machine, given).items : [],
      new Map(),
      call.span,
    ),
  });
};
const mapsOver: Operation = (call) =>
  operate(call.machine, 'builtins.map', unknown, call.args.slice(0, 2), new Map(), call.span);
const result: Operation = ({ receiver }) =>
  (receiver.kind === 'handle' && receiver.fields.get('result')) || unknown;
const callsLater =
  (first: number): Operation =>
  (call) => {
    const target =
      call.args[first] ?? call.keywords.get('action') ?? call.keywords.get('function') ?? unknown;
    const rest = call.args.slice(first + 1);
    const [given] = rest;
    const args = given?.kind === 'list' ? itemsOf(call.machine, given).items : rest;
    callThing(call.machine, target, args, new Map(), call.span);
    return handle('worker', { target });
  };
const startsInstance: Operation = (call) => {
  const run = getAttribute(call.machine, call.receiver, 'run');
  return run.kind === 'function' ? callThing(call.machine, run, [], new Map(), call.span) : none;
};

const native: Operation = (call) => {
  const [library] = call.args;
  const names = textsOf(library);
  const system =
    library === undefined ||
    library.kind === 'none' ||
    names.every((name) => /(?:^|\/)(?:libc|msvcrt|kernel32)\b/.test(name));
  if (!system)
    effects(call, 'run', {
      target: { kind: 'name', name: asValue(names) },
      detail: 'native',
      origins: originsOf(library).length > 0 ? originsOf(library) : ['unknown'],
    });
  return handle('native');
};

const stops: Operation = (call) => {
  call.machine.stop();
  return none;
};

const forkMembers = ['multiprocessing.Process', 'threading.Thread'];

export const processOperations: Record<string, Operation> = {
  'os.system': (call) => after(shells(call, call.at(0, 'command')), unknown),
  'os.popen': shellFile,
  'os.popen2': shellFile,
  'os.popen3': shellFile,
  'os.startfile': (call) =>
    after(
      effects(call, 'run', { target: call.machine.record.path(call.args[0]), origins: ['unknown'] }),
      none,
    ),
  'subprocess.run': runs,
  'subprocess.call': runs,
  'subprocess.check_call': runs,
  'subprocess.Popen': runs,
  'subprocess.check_output': prints,
  'subprocess.getoutput': shellFirst,
  'subprocess.getstatusoutput': (call) => list([unknown, shellFirst(call)]),
  'asyncio.create_subprocess_shell': (call) => processOf(shellFirst(call)),
  'asyncio.create_subprocess_exec': (call) => processOf(starts(call, list(call.args))),
  'anyio.run_process': runs,
  'trio.run_process': runs,
  'pty.spawn': (call) => after(starts(call, call.at(0, 'argv')), unknown),
  'pexpect.spawn': commandLine,
  'pexpect.run': commandLine,
  'pexpect.popen_spawn.PopenSpawn': commandLine,
  'invoke.run': shellFirst,
  'fabric.api.local': shellFirst,
  'delegator.run': shellFirst,
  'os.execv': pathAndList(0),
  'os.execve': pathAndList(0),
  'os.execvp': pathAndList(0),
  'os.execvpe': pathAndList(0),
  'os.execl': pathAndRest(0, false),
  'os.execlp': pathAndRest(0, false),
  'os.execle': pathAndRest(0, true),
  'os.execlpe': pathAndRest(0, true),
  'os.spawnv': pathAndList(1),
  'os.spawnve': pathAndList(1),
  'os.spawnvp': pathAndList(1),
  'os.spawnvpe': pathAndList(1),
  'os.spawnl': pathAndRest(1, false),
  'os.spawnlp': pathAndRest(1, false),
  'os.spawnle': pathAndRest(1, true),
  'os.spawnlpe': pathAndRest(1, true),
  'os.posix_spawn': pathAndList(0),
  'os.posix_spawnp': pathAndList(0),
  'runpy.run_path': (call) => {
    const file = call.at(0, 'path_name');
    return runsPath(call, file);
  },
  'runpy.run_module': () => unknown,
  'builtins.execfile': (call) => runsPath(call, call.args[0]),
  'pip.main': (call) => after(starts(call, list([text('pip'), ...rows(call.args[0])])), unknown),
  'pip._internal.main': (call) => after(starts(call, list([text('pip'), ...rows(call.args[0])])), unknown),
  'pip._internal.cli.main.main': (call) =>
    after(starts(call, list([text('pip'), ...rows(call.args[0])])), unknown),

  '<feed>.write': feeds,
  '<feed>.writelines': feeds,
  '<program>': startsProgram,
  'IPython.get_ipython': () => handle('ipython'),
  'IPython.core.getipython.get_ipython': () => handle('ipython'),
  '<ipython>.system': shellFirst,
  '<ipython>.getoutput': shellFirst,
  '<ipython>.run_cell': (call) => runCode(call.machine, literal(call.args[0]) ?? '', call.span),
  '<ssh>.local': shellFirst,
  'distutils.spawn.spawn': (call) => after(starts(call, call.at(0, 'cmd')), none),
  'sched.scheduler': () => handle('scheduler'),
  '<scheduler>.enter': callsLater(2),
  '<scheduler>.enterabs': callsLater(2),
  'asyncio.get_event_loop': () => handle('loop'),
  'asyncio.get_running_loop': () => handle('loop'),
  'asyncio.new_event_loop': () => handle('loop'),
  '<loop>.run_in_executor': callsLater(1),
  '<loop>.call_soon': callsLater(0),
  '<loop>.call_soon_threadsafe': callsLater(0),
  '<loop>.call_later': callsLater(1),
  '<loop>.call_at': callsLater(1),
  '<loop>.add_signal_handler': callsLater(1),
  '<loop>.run_until_complete': ({ args: [given = unknown] }) => given,
  '<loop>.create_task': ({ args: [given = unknown] }) => given,
  'builtins.staticmethod': ({ args: [given = unknown] }) => given,
  '<process>.communicate': (call) => {
    feeds(call);
    const { receiver } = call;
    const output = (receiver.kind === 'handle' && receiver.fields.get('stdout')) || unknown;
    return list([output, output]);
  },
  '<process>.kill': () => none,
  '<process>.terminate': () => none,
  '<process>.send_signal': () => none,
  '<process>.wait': () => unknown,

  'fcntl.ioctl': typesKeys,
  'os.kill': signals,
  'os.killpg': signals,
  'signal.pidfd_send_signal': signals,
  'os.getpid': () => handle('self'),
  'psutil.Process': (call) => handle('psutil', { pid: call.at(0, 'pid') ?? text(hole) }),
  'psutil.process_iter': () => list([handle('psutil', { pid: text(hole) })], false),
  'psutil.pids': () => list([unknown], false),
  '<psutil>.kill': signalsReceiver('SIGKILL'),
  '<psutil>.terminate': signalsReceiver('SIGTERM'),
  '<psutil>.suspend': signalsReceiver('SIGSTOP'),
  '<psutil>.send_signal': (call) => signalsReceiver(signalOf(call.args[0]))(call),
  '<psutil>.children': () => list([handle('psutil', { pid: text(hole) })], false),
  '<psutil>.parent': () => handle('psutil', { pid: text(hole) }),

  'os.setuid': privileges,
  'os.setgid': privileges,
  'os.seteuid': privileges,
  'os.setegid': privileges,
  'os.setreuid': privileges,
  'os.setregid': privileges,
  'os.setresuid': privileges,
  'os.setresgid': privileges,
  'os.setgroups': privileges,
  'os.initgroups': privileges,

  'os.fork': (call) => after(call.machine.forks(call), unknown),
  'os.forkpty': (call) => after(call.machine.forks(call), list([unknown, unknown])),
  'os.dup2': (call) => {
    const origins = originsOf(call.args[0]);
    if (origins.includes('network')) effects(call, 'run', { detail: 'shell', origins: ['network'] });
    return unknown;
  },
  'multiprocessing.Process': worker(true),
  'threading.Thread': worker(false),
  '_thread.start_new_thread': callsLater(0),
  'threading.Timer': callsLater(1),
  'multiprocessing.Pool': () => handle('pool'),
  'multiprocessing.ThreadPool': () => handle('pool'),
  'multiprocessing.pool.ThreadPool': () => handle('pool'),
  'concurrent.futures.ThreadPoolExecutor': () => handle('pool'),
  'concurrent.futures.ProcessPoolExecutor': () => handle('pool'),
  '<pool>.submit': submits,
  '<pool>.map': mapsOver,
  '<pool>.imap': mapsOver,
  '<pool>.imap_unordered': mapsOver,
  '<pool>.starmap': (call) =>
    operate(call.machine, 'itertools.starmap', unknown, call.args.slice(0, 2), new Map(), call.span),
  '<pool>.apply': (call) => after(applies(call), unknown),
  '<pool>.apply_async': applies,
  '<pool>.map_async': mapsOver,
  '<future>.result': result,
  '<future>.get': result,
  'asyncio.run': ({ args: [given = unknown] }) => given,
  'asyncio.gather': ({ args }) => list(args),
  'asyncio.create_task': ({ args: [given = unknown] }) => given,
  'asyncio.to_thread': submits,
  'atexit.register': callsLater(0),
  'signal.signal': callsLater(1),
  'weakref.finalize': callsLater(1),
  '<instance>.start': startsInstance,
  'cffi.FFI': () => handle('ffi'),
  '<ffi>.dlopen': native,
  'ctypes.CDLL': native,
  'ctypes.PyDLL': native,
  'ctypes.WinDLL': native,
  'ctypes.cdll.LoadLibrary': native,
  'ctypes.windll.LoadLibrary': native,
  'ctypes.c_char_p': ({ args: [given = unknown] }) => given,
  'ctypes.create_string_buffer': ({ args: [given = unknown] }) => given,
  'ctypes.util.find_library': ({ args: [name] }) => texts(textsOf(name).map((given) => `lib${given}.so`)),
  '<native>.system': (call) => after(shells(call, call.args[0]), unknown),
  '<native>.popen': (call) => after(shells(call, call.args[0]), unknown),
  '<native>.execve': pathAndList(0),
  '<native>.execv': pathAndList(0),
  '<native>.unlink': (call) =>
    operate(call.machine, 'os.unlink', unknown, call.args, call.keywords, call.span),
  '<native>.remove': (call) =>
    operate(call.machine, 'os.remove', unknown, call.args, call.keywords, call.span),
  '<native>.kill': signals,
  '<native>.fork': (call) => after(call.machine.forks(call), unknown),
  '<native>.setuid': privileges,
  '<native>.reboot': (call) => after(effects(call, 'service', { detail: 'reboot' }), unknown),
  '<native>.mprotect': (call) =>
    after(effects(call, 'run', { detail: 'native', origins: ['unknown'] }), unknown),
  'ctypes.memmove': (call) =>
    after(effects(call, 'run', { detail: 'native', origins: ['unknown'] }), unknown),
  'sys.exit': stops,
  'os._exit': stops,
  'os.abort': stops,
  'builtins.exit': stops,
  'builtins.quit': stops,
};

for (const base of forkMembers) {
  processOperations[`<${base}>.start`] = startsInstance;
  processOperations[`<${base}>.run`] = startsInstance;
}

/** A file of Python is run; one that this script wrote is followed. */
function runsPath(call: Call, file: Thing | undefined): Thing {
  const [only] = call.machine.record.full(file);
  const content = only === undefined ? undefined : call.machine.written.get(only);
  const source = literal(content);
  if (source !== null) return runCode(call.machine, source, call.span);
  effects(call, 'run', {
    target: call.machine.record.path(file),
    origins: content ? ['written'] : ['unknown'],
  });
  return unknown;
}
