// sallyport user: what the configuration keeps of the passphrase of a user of the console.

import { hashPassphrase } from '../../config/index.ts';
import { exitCodes, UsageError } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { readLines } from '../lines.ts';
import { askNewSecret } from '../secret.ts';

const longestLine = 4096;

export const command: Command = {
  usage: ['user hash'],
  about:
    'Prints the line for [users.NAME] in your sallyport.toml from the passphrase of a console user. It asks at the terminal;\n' +
    'otherwise the first line of standard input is the passphrase.',
  examples: ['user hash'],
  options: {},
  async run(call) {
    const [verb] = onlyWords(call, ['hash']);
    if (verb !== 'hash') throw new UsageError(`unknown word "${verb}"`, "see 'sallyport user --help'");
    const passphrase = await hashPassphrase(
      process.stdin.isTTY ? await askNewSecret('Passphrase of the user') : await piped(),
    );
    if (call.flag('json')) call.io.json({ passphrase });
    else call.io.print(`passphrase = "${passphrase}"`);
    return exitCodes.pass;
  },
};

async function piped(): Promise<string> {
  for await (const line of readLines(process.stdin, longestLine)) {
    if ('error' in line) throw line.error;
    return line.text.replace(/\r$/, '');
  }
  throw new UsageError('standard input has no passphrase');
}
