// What a word of a command may have done to it, by the names that tables of cards use.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  list,
  type More,
  nameTarget,
  pathTarget,
  read,
  remove,
  write,
} from '../tools/tool.ts';

type Deed = (call: Call, value: Value, more: More) => readonly Effect[];

const isAddress = (value: Value): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(beginningOf(value));

/** Reads a file, or asks the host of an address. */
export const look: Deed = (call, value, more) =>
  isAddress(value)
    ? [effect(call, 'connect', { detail: 'GET', target: hostTarget(hostOf(value)) })]
    : read(call, value, more);

/** A line of the file at which an editor begins. */
const isPlace = (value: Value): boolean => beginningOf(value).startsWith('+');

export const deeds: Readonly<Record<string, Deed>> = {
  read,
  list,
  look,
  write: (call, path, more) => write(call, path, { detail: 'overwrite', ...more }),
  edit: (call, path, more) => write(call, path, { detail: 'edit', ...more }),
  open: (call, path) =>
    isPlace(path) ? [] : [...read(call, path), ...write(call, path, { detail: 'edit' })],
  view: (call, path) => (isPlace(path) ? [] : read(call, path)),
  delete: remove,
  run: (call, program, more) => [
    effect(call, 'run', { detail: 'helper', target: nameTarget(program), ...more }),
  ],
  format: (call, path, more) => [effect(call, 'format', { target: pathTarget(path), ...more })],
  /** The image of a disk is a file as any other. */
  repartition: (call, path) =>
    path.kind === 'literal' && !/^\/dev\//.test(path.text)
      ? []
      : [effect(call, 'format', { target: pathTarget(path), detail: 'partition' })],
  device: (call, path, more) => [effect(call, 'device', { target: pathTarget(path), ...more })],
  ask: (call, host) => [effect(call, 'connect', { detail: 'lookup', target: hostTarget(hostOf(host)) })],
};
