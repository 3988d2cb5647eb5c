// User-defined program cards, in [programs.NAME] of sallyport.toml: the effects of a program unknown to Sallyport, as
// data with examples. The command guard verifies the examples.

import {
  checked,
  describe,
  type Infer,
  list,
  object,
  optional,
  otherwise,
  record,
  text,
} from '../core/shape.ts';

const optionText = text({ max: 8192, what: 'options separated by spaces, such as "o/output= f/force"' });
const optionNames = text({ min: 1, max: 512, what: 'names of options without dashes, separated by spaces' });
const commandLine = text({ min: 1, max: 2000 });

const factShape = object({
  what: describe('What it does, in a few words.', text({ min: 1, max: 200 })),
  verbs: describe('Only with these subcommands.', optional(list(text({ min: 1, max: 128 }), { max: 50 }))),
  with: describe('Only where one of these options is given.', optional(optionNames)),
  without: describe('Only where none of these options is given.', optional(optionNames)),
  says: describe('The effect in card notation, such as "deploy <1> (release)".', text({ min: 1, max: 1000 })),
  examples: describe(
    'Commands with the exact effect (`hit`), and without any (`miss`).',
    object({
      hit: checked(record(text({ max: 2000 })), (hits, path, report) => {
        if (Object.keys(hits).length === 0) report({ path, message: 'must have at least one command' });
      }),
      miss: otherwise([], list(commandLine, { max: 100 })),
    }),
  ),
});

const programShape = object({
  options: describe('Its options, in the [card format](programs.md#format).', otherwise('', optionText)),
  verbs: describe('Its subcommands with their options.', otherwise({}, record(optionText))),
  facts: describe('Its effects; any other call is harmless.', otherwise([], list(factShape, { max: 100 }))),
});

type ProgramValue = Infer<typeof programShape>;

/** A program card of the user's own. */
export interface OwnProgram extends ProgramValue {
  readonly name: string;
}

const name = {
  fits: (program: string) => /^[^\s/]{1,128}$/.test(program),
  message: 'must be the name of a program, without a path',
};

/** `[programs.NAME]`. */
export const programsShape = checked(record(programShape, name), (programs, path, report) => {
  const most = 65_536;
  const size = JSON.stringify(programs).length;
  if (size > most) report({ path, message: `the cards have more than ${most} characters together` });
});

/** The cards of a file, each with its name. */
export function programsFrom(
  programs: Readonly<Record<string, ProgramValue>> | undefined,
): readonly OwnProgram[] {
  return Object.entries(programs ?? {}).map(([named, program]) => ({ name: named, ...program }));
}
