// Finds the card of a program; a card is loaded when its program is first asked about.

import { Part } from '../need.ts';
import type { Card } from './card.ts';
import { cardFiles } from './names.ts';

interface File {
  /** With a space before and behind each name. */
  readonly names: string;
  /** Below `cards/`. */
  readonly file: string;
  readonly part: Part<{ readonly cards: readonly Card[] }>;
}

const files: readonly File[] = cardFiles.map(([names, file, load]) => ({
  names: ` ${names} `,
  file,
  part: new Part(load),
}));

/** Look-ups that were made before. */
const looked = new Map<string, File | null>();
const mostLooked = 4096;

function fileOf(program: string): File | null {
  const before = looked.get(program);
  if (before !== undefined) return before;
  const named = program === '' || program.includes(' ') ? undefined : ` ${program} `;
  const file = (named && files.find(({ names }) => names.includes(named))) || null;
  if (looked.size >= mostLooked) looked.clear();
  looked.set(program, file);
  return file;
}

/** Whether a program has a card. */
export function hasCard(program: string): boolean {
  return fileOf(program) !== null;
}

/** The card of a program, by its exact name. */
export function cardOf(program: string): Card | undefined {
  return fileOf(program)?.part.content.cards.find(({ names }) => ` ${names} `.includes(` ${program} `));
}

/** The file with the card of a program, below `cards/`. */
export function cardFileOf(program: string): string | undefined {
  return fileOf(program)?.file;
}

/** All cards. */
export function allCards(): readonly Card[] {
  return files.flatMap(({ part }) => part.content.cards);
}
