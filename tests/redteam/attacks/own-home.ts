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

/** The program of the attacker, with the places of this victim in it. */
export function payload(victim: Victim, link: 'hard' | 'symbolic' = 'hard'): string {
  const places: Readonly<Record<string, string>> = {
    HOME: victim.places.home,
    EVIL: secondHome(victim),
    NODE: process.execPath,
    ENTRY: victim.entry,
    LINK: link,
  };
  return template.replace(/@([A-Z]+)@/g, (_, name: string) => places[name] ?? '');
}

/** Where the attacker keeps a home of its own. */
export function secondHome({ places }: Victim): string {
  return `${places.loot[0]}/evil`;
}
