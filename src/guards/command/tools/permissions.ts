// Permissions, owners, attributes and access lists of files.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  changeMode,
  effect,
  inert,
  literal,
  options,
  orInert,
  pathTarget,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
} from './tool.ts';

const modeOptions = options(
  'R/recursive f/silent/quiet v/verbose c/changes reference= preserve-root no-preserve-root h H L P no-dereference dereference from=',
);
const isMode = /^-?(?:[0-7]{1,5}$|[ugoa]*[-+=][rwxXstugo]*(?:,|$))/;

/** A mode with the set-user or set-group bit. */
const setsIdentity = /^[0-7]?[2-7][0-7]{3}$|[ugoa]*[+=][rwxXt]*s/;

const chmod: Tool = (call) => {
  // A mode such as `-x` or `-rw` looks like an option.
  const looksLikeMode = call.args.find(
    (argument) => /^-[rwxXst]+$/.test(beginningOf(argument)) && textOf(argument) !== '-R',
  );
  const given = modeOptions(call.args.filter((argument) => argument !== looksLikeMode));
  const reference = given.last('reference');
  const rest = [...given.operands];
  let mode: Value | undefined = looksLikeMode ?? reference;
  if (!mode) {
    const at = rest.findIndex((operand) => isMode.test(beginningOf(operand)));
    mode = at >= 0 ? rest.splice(at, 1)[0] : rest.length > 1 ? rest.shift() : unknownValue;
  }
  const detail = reference ? 'reference' : beginningOf(mode ?? literal(''));
  const recursive = given.has('recursive');
  const effects: Effect[] = rest.flatMap((path) => changeMode(call, path, { detail, recursive }));
  if (setsIdentity.test(detail))
    for (const path of rest)
      effects.push(effect(call, 'privilege', { detail: 'setuid', target: pathTarget(path) }));
  return orInert(call, effects);
};

const chown: Tool = (call) => {
  const given = modeOptions(call.args);
  const reference = given.last('reference');
  const [owner, ...others] = given.operands;
  const paths = reference ? given.operands : others;
  const detail = reference ? 'reference' : `owner ${beginningOf(owner ?? unknownValue) || 'unknown'}`;
  return orInert(
    call,
    paths.flatMap((path) => changeMode(call, path, { detail, recursive: given.has('recursive') })),
  );
};

const chattrOptions = options('R V f v= p=');
const chattr: Tool = (call) => {
  const flags = call.args.filter(
    (argument) => /^[-+=][A-Za-z]+$/.test(beginningOf(argument)) && textOf(argument) !== '-R',
  );
  const given = chattrOptions(call.args.filter((argument) => !flags.includes(argument)));
  const detail = `attribute ${flags.map(beginningOf).join(' ')}`;
  return orInert(
    call,
    given.operands.flatMap((path) => changeMode(call, path, { detail, recursive: given.has('R') })),
  );
};

const aclOptions = options(
  'b/remove-all k m/modify= x/remove= M/modify-file= X/remove-file= set= set-file= R/recursive d/default L P restore= n mask test',
);
const setfacl: Tool = (call) => {
  const given = aclOptions(call.args);
  const entry = given.last('modify', 'set', 'remove');
  return orInert(
    call,
    given.operands.flatMap((path) =>
      changeMode(call, path, {
        detail: `acl ${beginningOf(entry ?? literal(''))}`.trim(),
        recursive: given.has('recursive'),
      }),
    ),
  );
};

/** setcap, setfattr, xattr -w, chcon, restorecon: a label of the file. */
const label =
  (name: string): Tool =>
  (call: Call) => {
    const given = modeOptions(call.args);
    const path = given.operands.at(-1);
    if (!path) return inert(call);
    const capability =
      name === 'capability'
        ? [effect(call, 'privilege', { detail: 'capability', target: pathTarget(path) })]
        : [];
    return [...changeMode(call, path, { detail: name, recursive: given.has('recursive') }), ...capability];
  };

const reader: Tool = (call) =>
  orInert(
    call,
    modeOptions(call.args).operands.flatMap((path) => read(call, path, { detail: 'list' })),
  );

const icacls: Tool = (call) =>
  orInert(
    call,
    call.args.slice(0, 1).flatMap((path) =>
      changeMode(call, path, {
        detail: 'acl',
        recursive: call.args.some((argument) => textOf(argument)?.toLowerCase() === '/t'),
      }),
    ),
  );

export const permissionTools: Tools = {
  chmod,
  gchmod: chmod,
  chown,
  gchown: chown,
  lchown: chown,
  chgrp: (call) =>
    chown(call).map((one) =>
      one.kind === 'mode' ? { ...one, detail: one.detail?.replace(/^owner /, 'group ') ?? 'group' } : one,
    ),
  chattr,
  chflags: (call) =>
    chown(call).map((one) =>
      one.kind === 'mode'
        ? { ...one, detail: one.detail?.replace(/^owner /, 'attribute ') ?? 'attribute' }
        : one,
    ),
  setfacl,
  getfacl: reader,
  lsattr: reader,
  getfattr: reader,
  getcap: reader,
  setcap: label('capability'),
  setfattr: label('attribute'),
  xattr: label('attribute'),
  chcon: label('context'),
  restorecon: label('context'),
  umask: (call) => inert(call),
  icacls,
  takeown: icacls,
};
