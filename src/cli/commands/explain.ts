// sallyport explain: what is known of a program, from its card, with the examples that prove it.

import { type ExitCode, exitCodes, nearest, SallyportError, UsageError, visible } from '../../core/index.ts';
import type { Card } from '../../guards/command/programs/card.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { openConfig, settingsHere } from '../open.ts';

/** Nothing is known of this program. */
export class UnknownProgram extends SallyportError {}

/** A card, and the file that it stands in. */
interface Found {
  readonly card: Card;
  readonly file: string;
}

export const command: Command = {
  usage: ['explain PROGRAM [--json]'],
  about:
    'Prints the card of a program: its options, its effects, and the commands that prove each fact.\n' +
    'Your own cards ([programs.NAME] in sallyport.toml) follow the built-in ones.',
  examples: ['explain rsync'],
  options: {},
  async run(call) {
    const [program] = onlyWords(call, ['PROGRAM']);
    if (program === undefined) throw new UsageError('missing PROGRAM', "see 'sallyport explain --help'");
    // The index of tools brings every part that there is to load.
    await import('../../guards/command/tools/index.ts');
    const { loadParts } = await import('../../guards/command/need.ts');
    await loadParts();
    const { cardFileOf, cardOf } = await import('../../guards/command/programs/index.ts');
    const card = cardOf(program);
    const found: Found[] =
      card === undefined ? [] : [{ card, file: `programs/cards/${cardFileOf(program)}` }];
    const own = await ownCard(call, program);
    if (own !== null) found.push({ card: own, file: 'sallyport.toml' });
    if (found.length === 0) return await withoutCard(call, program);
    for (const one of found) show(call, one);
    return exitCodes.pass;
  },
};

/** The user's own card of a program, in the settings of the folder that the command is called from. */
async function ownCard(call: Call, program: string): Promise<Card | null> {
  const { command: commands } = await settingsHere(call, await openConfig(call));
  const own = commands.programs?.find(({ name }) => name === program);
  if (own === undefined) return null;
  const { cardOfOwn } = await import('../../guards/command/programs/own.ts');
  return cardOfOwn(own);
}

/** A program that is known without a card, or not at all. */
async function withoutCard(call: Call, program: string): Promise<ExitCode> {
  const { isKnownProgram, knownPrograms } = await import('../../guards/command/tools/index.ts');
  if (!isKnownProgram(program)) {
    const near = nearest(program, knownPrograms());
    const meant =
      near === undefined ? '. Say what it does in a card: docs/programs.md' : `; did you mean "${near}"?`;
    throw new UnknownProgram(`nothing is known of "${visible(program, 64)}"${meant}`);
  }
  if (call.flag('json')) call.io.json({ program, card: null });
  else
    call.io.print(
      `${program} is known, and has no card yet: \`sallyport test '${program} …'\` judges a command`,
    );
  return exitCodes.pass;
}

function show(call: Call, { card, file }: Found): void {
  const { names, options, verbs = {}, facts, advice = [] } = card;
  if (call.flag('json')) {
    call.io.json({
      names: names.split(' '),
      file,
      options: options.split(/\s+/).filter((option) => option !== ''),
      verbs: Object.keys(verbs),
      facts: facts.map(({ what, verbs: only, examples }) => ({
        what,
        ...(only === undefined ? {} : { verbs: only }),
        examples,
      })),
      advice: advice.map(({ rule, text }) => ({ rule, text })),
    });
    return;
  }
  const { print } = call.io;
  print(`${names.replaceAll(' ', ', ')}  (${file})`);
  if (options.trim() !== '') print(`  options: ${options}`);
  if (Object.keys(verbs).length > 0) print(`  subcommands: ${Object.keys(verbs).join(', ')}`);
  for (const { what, verbs: only, examples } of facts) {
    print(`  ${what}${only === undefined ? '' : ` (${only.join(', ')})`}`);
    for (const [text, said] of Object.entries(examples.hit)) print(`    ${text}  →  ${said}`);
    for (const text of examples.miss) print(`    ${text}  →  nothing of this`);
  }
  for (const { rule, text } of advice) print(`  instead (${rule}): ${text}`);
}
