// Managers of packages that are told by their first word what to do, as data.

import { type Inner, shellCode } from '../bash/executors/inner.ts';
import { knownText, singleText } from '../bash/values.ts';
import type { Effect, Value } from '../effects.ts';
import { beginningOf, type Call, effect, inert, literal, nameTarget, read, textOf } from '../tools/tool.ts';
import type { Card, Fact, Given, ReadingsLine } from './card.ts';
import { packages } from './package-effects.ts';

/** A manager of packages: its subcommands by what they do. */
export interface Manager {
  readonly names: string;
  readonly options: string;
  readonly readings: ReadingsLine;
  readonly install?: string;
  readonly remove?: string;
  readonly update?: string;
  /** Settings of the manager itself: where packages come from, keys. */
  readonly sources?: string;
  /** What it says of commands, each example proving one or more words. */
  readonly hit: Readonly<Record<string, string>>;
  readonly miss?: readonly string[];
  readonly facts?: readonly Fact[];
}

const isOneOf = (list: string | undefined, word: string): boolean => list?.split(' ').includes(word) === true;

/** Settings that are commands: `-o APT::Update::Pre-Invoke::=COMMAND`. */
const hook = /^(?:APT|DPkg)::[\w:-]*Invoke[\w:-]*=(.*)$/is;

function changes(manager: Manager, call: Call, given: Given<Value>): readonly Effect[] {
  const [verb, ...names] = given.operands;
  const text = textOf(verb ?? literal('help'));
  if (given.has('dry-run', 'download-only')) return inert(call, 'dry-run');
  const more = given.has('force', 'allow-unauthenticated', 'force-yes') ? { force: true } : {};
  if (text === null) return packages(call, 'install', names, more);
  if (isOneOf(manager.remove, text))
    return packages(call, 'remove', names, { ...more, recursive: /purge|autoremove/.test(text) });
  if (isOneOf(manager.install, text)) {
    const files = names.filter((name) => /^[./~]|^https?:/.test(beginningOf(name)));
    return [...packages(call, 'install', names, more), ...files.flatMap((name) => read(call, name))];
  }
  if (isOneOf(manager.update, text)) return packages(call, 'update', names, more);
  return isOneOf(manager.sources, text) ? packages(call, 'sources', names, more) : [];
}

/** The card of a manager. */
export function manages(manager: Manager): Card {
  const { names, options, readings, hit, facts = [] } = manager;
  const [name = ''] = names.split(' ');
  return {
    names,
    options,
    readings,
    facts: [
      {
        what: 'installs, removes and updates packages',
        effects: (call, given) => changes(manager, call, given),
        examples: { hit, miss: manager.miss ?? [name, `${name} list`, `${name} search a`] },
      },
      ...facts,
    ],
  };
}

/** The fact that settings of apt and its kin run commands. */
export function hooks(name: string): readonly Fact[] {
  return [
    {
      what: 'runs the commands that its settings name',
      effects: (call, given) =>
        given
          .all('option')
          .filter((setting) => /Invoke/i.test(beginningOf(setting)))
          .map((setting) => effect(call, 'run', { detail: 'package-hook', target: nameTarget(setting) })),
      starts: (_, given) => [
        ...given.all('option').flatMap((setting): readonly Inner[] => {
          const command = hook.exec(singleText(setting))?.[1];
          return command === undefined ? [] : [shellCode(knownText(command, setting.origins))];
        }),
        // A file of settings may hold such.
        ...(given.has('config-file') ? [{ kind: 'unknown' } as const] : []),
      ],
      examples: {
        hit: {
          [`${name} update -o APT::Update::Pre-Invoke::=a`]:
            'run APT::Update::Pre-Invoke::=a (package-hook); shell code: a',
          [`${name} -oDPkg::Post-Invoke={a} install b`]:
            'run DPkg::Post-Invoke={a} (package-hook); shell code: {a}',
          [`${name} -c a.conf install b`]: 'unknown',
          [`${name} --config-file=a.conf update`]: 'unknown',
        },
        miss: [`${name} -o APT::Get::Assume-Yes=1 install a`, `${name} install a`],
      },
    },
  ];
}
