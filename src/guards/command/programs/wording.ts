// What a program does, in words for people: from the notation of the examples.

import type { EffectKind } from '../effects.ts';

/** The words for a kind of effect, and for those of its details that have words of their own. */
const words: Readonly<Partial<Record<EffectKind, Readonly<Record<string, string>>>>> = {
  read: { '': 'reads files' },
  write: { '': 'writes files' },
  delete: {
    '': 'deletes files',
    key: 'deletes keys',
    credentials: 'deletes credentials',
    backup: 'deletes backups',
  },
  mode: { '': 'changes permissions' },
  device: { '': 'writes to devices' },
  format: { '': 'changes disks or volumes' },
  connect: { '': 'connects to hosts' },
  listen: { '': 'opens a port' },
  run: { '': 'runs code' },
  signal: { '': 'signals processes' },
  attach: { '': 'attaches to processes' },
  privilege: { '': 'changes accounts or privileges' },
  package: {
    '': 'changes packages',
    install: 'installs packages',
    remove: 'removes packages',
    update: 'updates packages',
    sources: 'changes where packages come from',
    clean: 'cleans the package cache',
  },
  service: {
    '': 'starts, stops or changes services',
    shutdown: 'shuts the machine down',
    reboot: 'restarts the machine',
  },
  setting: { '': 'changes settings of the machine' },
  firewall: { '': 'changes the firewall' },
  git: { '': 'changes the repository' },
  database: {
    '': 'works on a database',
    read: 'reads a database',
    write: 'writes to a database',
    drop: 'drops tables or databases',
    admin: 'administers a database server',
  },
  cloud: {
    '': 'does something unknown in the cloud',
    change: 'changes cloud resources',
    delete: 'deletes cloud resources',
  },
  container: {
    '': 'changes containers',
    delete: 'deletes containers or what belongs to them',
    exec: 'runs programs in containers',
  },
  message: { '': 'sends messages' },
  deploy: {
    '': 'deploys or releases',
    publish: 'publishes packages',
    unpublish: 'withdraws published packages',
  },
  persist: { '': 'installs what starts by itself' },
  secret: { '': 'shows secrets' },
  tamper: { '': 'changes the guard' },
  bomb: { '': 'uses up the machine' },
};

const known = new Map(Object.entries(words));

function wordsFor(effect: string): readonly string[] {
  const ofKind = known.get(/^[a-z]+/.exec(effect)?.[0] ?? '');
  const [, detail = ''] = / \(([^()]*)\)/.exec(effect) ?? [];
  const said = ofKind?.[detail] ?? ofKind?.[''];
  return said === undefined ? [] : [said];
}

/** What the effects of some examples are, each once, in words; `otherwise` where they have none. */
export function inWords(effects: readonly string[], otherwise: string): string {
  const said = new Set(effects.flatMap((text) => text.split('; ')).flatMap(wordsFor));
  return said.size === 0 ? otherwise : [...said].join(', ');
}
