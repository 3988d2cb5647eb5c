// Makes guidelines ready to be read for: the built-in ones and the user's own, each proven by its examples.

import type { Guideline } from '../../../config/detection.ts';
import { ConfigError } from '../../../config/errors.ts';
import type { GuidelineSettings } from '../../../config/settings.ts';
import { messageOf, type Question, type Rule } from '../../../core/index.ts';
import { createRuleset, Scanner } from '../../../detect/index.ts';
import { compilePack } from '../../../detect/pack.ts';
import { compilePhrases, PhraseScanner } from '../../../detect/phrases.ts';
import { createReader, type Find, type Reading } from '../../../detect/reader/index.ts';
import { guidelineRule } from '../rules.ts';
import { builtinGuidelines } from './builtin.ts';

/** A guideline that a response goes against. */
export interface Breach {
  readonly rule: Rule;
  readonly name: string;
  readonly refusal: string;
}

/** Guidelines ready to be read for. */
export interface Guidelines {
  readonly readings: readonly Reading[];
  breachOf(find: Pick<Find, 'kind'>): Breach;
  /** What a judge model reads about them. */
  readonly told: Question['guidelines'];
}

const ready = new WeakMap<GuidelineSettings, Guidelines>();

/** The guidelines in force; throws `ConfigError` with every reason why the user's own cannot be used. */
export function guidelinesOf(settings: GuidelineSettings): Guidelines {
  let made = ready.get(settings);
  if (made === undefined) {
    const names = new Set(builtinGuidelines.map(({ name }) => name));
    const problems = settings.own.flatMap((guideline) =>
      names.has(guideline.name)
        ? [`guidelines.categories.${guideline.name}: this name is built in`]
        : problemsOf(guideline),
    );
    if (problems.length > 0) throw new ConfigError(problems.join('\n'));
    made = compiled([...builtinGuidelines, ...settings.own], settings.refusal);
    ready.set(settings, made);
  }
  return made;
}

function compiled(all: readonly Guideline[], refusal: string): Guidelines {
  const breaches = new Map(
    all.map((guideline): [string, Breach] => {
      const { name } = guideline;
      return [name, { name, rule: guidelineRule(guideline), refusal: guideline.refusal ?? refusal }];
    }),
  );
  return {
    readings: readingsOf(all),
    told: all.map(({ name, reason }) => ({ name, reason })),
    breachOf: ({ kind }) => {
      const breach = breaches.get(kind);
      if (breach === undefined) throw new Error(`there is no guideline ${kind}`);
      return breach;
    },
  };
}

/** The kind of a find is the name of its guideline. */
function readingsOf(all: readonly Guideline[]): readonly Reading[] {
  const phrases = compilePhrases(
    all.flatMap(({ name, phrases: given, unless }) =>
      given.map((phrase) => ({ rule: name, kind: name, phrase, unless: unless.join(' ') })),
    ),
  );
  const patterns = all.flatMap(({ name, patterns: given }) =>
    given.map((pattern, index) => ({
      id: `${name}-${index + 1}`,
      name,
      kind: name,
      pattern,
      examples: { hit: [], miss: [] },
    })),
  );
  const ways = ['plain', 'unmarked'] as const;
  const ruleset = createRuleset(compilePack(patterns, 'user'));
  return [
    { open: () => new PhraseScanner(phrases), ways },
    ...(patterns.length === 0 ? [] : [{ open: () => new Scanner(ruleset), ways }]),
  ];
}

/** What is wrong with a guideline, alone. */
function problemsOf(guideline: Guideline): readonly string[] {
  const { name, examples } = guideline;
  const place = `guidelines.categories.${name}`;
  try {
    const readings = readingsOf([guideline]);
    const hits = (text: string) => {
      const reader = createReader(readings);
      reader.push(text);
      reader.end();
      return reader.finds.length > 0;
    };
    return [
      ...examples.hit
        .filter((text) => !hits(text))
        .map((text) => `${place}: it does not hit its example ${quoted(text)}`),
      ...examples.miss
        .filter(hits)
        .map((text) => `${place}: it hits its example ${quoted(text)}, which it must miss`),
    ];
  } catch (error) {
    return [`${place}: ${messageOf(error)}`];
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
