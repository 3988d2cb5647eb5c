// What JavaScript does with files and folders.

import { contentOf, copies, deletes, modeOf, modes, moves, reads, writes } from '../script/actions.ts';
import type { Call, Operation } from '../script/machine.ts';
import { handle, hole, list, literal, none, type Thing, text, truthOf, unknown } from '../script/things.ts';
import { callBack, type Operations, option } from './operation.ts';

export const removes =
  (recursive: boolean): Operation =>
  (call) => {
    const all = recursive || truthOf(option(call, 'recursive') ?? none) === true;
    deletes(call, call.args[0], {
      ...(all ? { recursive: true } : {}),
      ...(truthOf(option(call, 'force') ?? none) === true || recursive ? { force: true } : {}),
    });
    callBack(call, [none]);
    return none;
  };

const writesFile =
  (detail: string): Operation =>
  (call) => {
    const content = call.args[1]?.kind === 'function' ? undefined : call.args[1];
    writes(call, call.args[0], content, { detail });
    callBack(call, [none]);
    return none;
  };

const makes =
  (detail: string): Operation =>
  (call) => {
    writes(call, call.args[0], undefined, { detail });
    callBack(call, [none]);
    return none;
  };

const readsFile: Operation = (call) => {
  const content = reads(call, call.args[0]);
  callBack(call, [none, content]);
  return content;
};

const listsFolder: Operation = (call) => {
  reads(call, call.args[0], { detail: 'list' });
  const names = list([text(hole, { many: true })], false);
  callBack(call, [none, names]);
  return names;
};

const two =
  (act: (call: Call, from: Thing | undefined, to: Thing | undefined) => void): Operation =>
  (call) => {
    act(call, call.args[0], call.args[1]);
    callBack(call, [none]);
    return none;
  };

const changesMode: Operation = (call) => {
  modes(call, call.args[0], modeOf(call.args[1]));
  callBack(call, [none]);
  return none;
};

const changesOwner: Operation = (call) => {
  const [, user, group] = call.args;
  const name = (thing: Thing | undefined): string =>
    thing?.kind === 'number' ? String(thing.value) : 'unknown';
  modes(call, call.args[0], `${name(user)}:${name(group)}`);
  return none;
};

const opensFile: Operation = (call) => {
  const [file, flags] = call.args;
  const letters =
    flags === undefined || flags.kind === 'function'
      ? 'r'
      : flags.kind === 'number'
        ? flags.value & 0x443
          ? 'w'
          : 'r'
        : (literal(flags) ?? 'w+');
  if (/[wa+]/.test(letters))
    writes(call, file, undefined, { detail: letters.startsWith('a') ? 'append' : 'overwrite' });
  const content = /[r+]/.test(letters) ? reads(call, file) : unknown;
  return handle('file', { path: file ?? unknown, content });
};

export const fileFunctions: Operations = {
  rm: removes(false),
  unlink: removes(false),
  rmdir: removes(false),
  remove: removes(true),
  emptyDir: removes(true),
  writeFile: writesFile('overwrite'),
  outputFile: writesFile('overwrite'),
  writeJson: writesFile('overwrite'),
  appendFile: writesFile('append'),
  truncate: makes('overwrite'),
  mkdir: makes('folder'),
  mkdirp: makes('folder'),
  ensureDir: makes('create'),
  ensureFile: makes('create'),
  utimes: makes('touch'),
  readFile: readsFile,
  readJson: readsFile,
  readlink: readsFile,
  readdir: listsFolder,
  opendir: listsFolder,
  rename: two(moves),
  move: two(moves),
  copyFile: two((call, from, to) => copies(call, from, to)),
  cp: two((call, from, to) => copies(call, from, to, true)),
  copy: two((call, from, to) => copies(call, from, to, true)),
  symlink: two((call, from, to) => writes(call, to, contentOf(call, from), { detail: 'link' })),
  link: two((call, from, to) => writes(call, to, contentOf(call, from), { detail: 'link' })),
  chmod: changesMode,
  lchmod: changesMode,
  chown: changesOwner,
  lchown: changesOwner,
  open: opensFile,
};
