// The attacker's second home on the victim's store: made, given a passphrase, and used to answer the victim's question.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { typed, type Victim } from '../victim.ts';

/** What the attacker types at every prompt. */
export const attackerPhrase = 'attacker phrase';

export const asAttacker = (shown: string) => typed(shown, attackerPhrase);

/** Two starts of the command line and two scrypts. */
export const payloadLimitMs = 60_000;

const template = readFileSync(join(import.meta.dirname, '..', 'tools', 'self_approve.py'), 'utf8');

/** How the second home is made. */
export interface SecondHome {
  /** `none`: the victim's own home is taken over. */
  readonly link?: 'hard' | 'symbolic' | 'none';
  /** Files of `keys` that are copied. */
  readonly keys?: readonly string[];
  /** A command that is called there first. */
  readonly first?: string;
}

/** The program of the attacker, with the places of this victim in it. */
export function payload(
  victim: Victim,
  { link = 'hard', keys = ['ledger.key'], first = '' }: SecondHome = {},
): string {
  const places: Readonly<Record<string, string>> = {
    HOME: victim.places.home,
    EVIL: link === 'none' ? victim.places.home : secondHome(victim),
    NODE: process.execPath,
    ENTRY: victim.entry,
    LINK: link,
    KEYS: keys.join(' '),
    FIRST: first,
  };
  return template.replace(/@([A-Z]+)@/g, (_, name: string) => places[name] ?? '');
}

/** Everything that says which store and chain a home has. */
export const allKeys = ['ledger.key', 'chain.id', 'head.json'];

/** Where the attacker keeps a home of its own. */
export function secondHome({ places }: Victim): string {
  return `${places.loot[0]}/evil`;
}
