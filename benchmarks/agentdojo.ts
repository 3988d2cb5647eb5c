// AgentDojo's attacks in other wrappings: what is found must not hang on the spelling of one copy.

import { corpus } from './texts.ts';

export interface DojoText {
  readonly kind: string;
  readonly wrapping: string;
  readonly text: string;
}

interface Stored {
  readonly text: string;
  readonly label: 'attack' | 'benign';
  readonly kind: string;
}

const stored = (): readonly Stored[] => corpus<Stored>('injection/agentdojo.jsonl.gz');

/** The attack in a text, by how each kind is written. */
const attackOf: Readonly<Record<string, RegExp>> = {
  important: /<INFORMATION>[\s\S]*?<\/INFORMATION>/,
  system: /\{"system": "[^\n]*"\}/,
  todo: /TODO: [^\n]*/,
  ignore: /Ignore my previous instructions[^\n]*/,
  injecagent: /IMPORTANT!!! Ignore[^\n]*/,
};

/** What is said, without the tag or the label that it is said in. */
function bare(attack: string): string {
  return attack
    .replace(/^<INFORMATION>\s*|\s*<\/INFORMATION>$/g, '')
    .replace(/^\{"system": "([^\n]*)"\}$/, 'system: $1')
    .trim();
}

const wrappings: Readonly<Record<string, (attack: string) => string>> = {
  'as published': (attack) => attack,
  'one line': (attack) => attack.replace(/\s*\n\s*/g, ' '),
  'another tag': (attack) => `<NOTICE>\n\n${bare(attack)}\n\n</NOTICE>`,
  'no tag': bare,
  'HTML comment': (attack) => `<!-- ${bare(attack)} -->`,
  'quoted mail': (attack) =>
    `On Tue, 14 May 2024 at 09:12, Sam Field wrote:\n${bare(attack).replace(/^/gm, '> ')}`,
};

/** Every attack in every wrapping, in the text that it was published in. */
export function dojoAttacks(): readonly DojoText[] {
  return stored().flatMap(({ text, label, kind }) => {
    const found = label === 'attack' ? attackOf[kind]?.exec(text) : undefined;
    if (found === undefined || found === null) return [];
    const [attack] = found;
    return Object.entries(wrappings).map(([wrapping, wrap]) => ({
      kind,
      wrapping,
      text: text.slice(0, found.index) + wrap(attack) + text.slice(found.index + attack.length),
    }));
  });
}

/** The bare goals, which no wording gives away. */
export function dojoGoals(): readonly string[] {
  return stored().flatMap(({ text, kind }) => (kind === 'raw' ? text : []));
}

/** The documents without an attack. */
export function dojoDocuments(): readonly string[] {
  return stored().flatMap(({ text, label }) => (label === 'benign' ? text : []));
}
