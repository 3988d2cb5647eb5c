// Devices of the kernel's device mapper, and the debugger of file systems.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  orInert,
  pathTarget,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
} from './tool.ts';

function format(call: Call, path: Value | undefined, detail: string, force = false): Effect {
  return effect(call, 'format', {
    target: path ? pathTarget(path) : { kind: 'none' },
    detail,
    ...(force ? { force } : {}),
  });
}

/** zfs, zpool, btrfs, mdadm, cryptsetup, …: by their subcommand. */
function bySubcommand(words: { readonly destroys: RegExp; readonly changes: RegExp }, detail: string): Tool {
  return (call) => {
    const texts = call.args.map(
      (argument) => textOf(argument) ?? (argument.kind === 'prefix' ? argument.text : null),
    );
    const unknown = texts[0] === null;
    const said = texts.filter((text) => text !== null).join(' ');
    const last = call.args.findLast((argument) => !beginningOf(argument).startsWith('-'));
    const forced = texts.some((text) => text !== null && /^-[a-zA-Z]*[fR]|^--force/.test(text));
    if (texts.some((text) => text === '-n' || text === '--dry-run') && /^(?:destroy|create|add)/.test(said))
      return inert(call, 'dry-run');
    if (unknown) return [format(call, last, detail)];
    if (words.destroys.test(said)) return [format(call, last, `${detail}-delete`, forced)];
    if (words.changes.test(said)) return [format(call, last, detail)];
    return inert(call);
  };
}

const dmsetup = bySubcommand(
  {
    destroys: /^(?:remove|remove_all|wipe_table|clear)/,
    changes: /^(?:create|load|rename|resume|suspend|message)/,
  },
  'volume',
);

export const diskTools: Tools = {
  dmsetup,
  debugfs: (call) =>
    call.args.some((argument) => /^-[a-zA-Z]*w/.test(beginningOf(argument)))
      ? [effect(call, 'device', { target: pathTarget(call.args.at(-1) ?? unknownValue), detail: 'edit' })]
      : orInert(
          call,
          call.args
            .filter((argument) => !beginningOf(argument).startsWith('-'))
            .flatMap((path) => read(call, path)),
        ),
};
