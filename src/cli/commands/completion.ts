// sallyport completion: a script by which bash, zsh or fish complete commands, options and subcommands.

import { exitCodes, UsageError } from '../../core/index.ts';
import { type Command, type Commands, commonOptions, onlyWords } from '../command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** What can follow a command. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  /** Words that stand behind the command in its forms. */
  readonly words: readonly string[];
  readonly options: readonly { readonly name: string; readonly help: string; readonly takesValue: boolean }[];
}

export const command: Command = {
  usage: ['completion bash|zsh|fish'],
  about:
    'Prints the completion script of your shell:\n' +
    '  bash: sallyport completion bash > ~/.local/share/bash-completion/completions/sallyport\n' +
    '  zsh:  sallyport completion zsh > ~/.zfunc/_sallyport   (a folder of $fpath)\n' +
    '  fish: sallyport completion fish > ~/.config/fish/completions/sallyport.fish',
  examples: ['completion bash', 'completion fish > ~/.config/fish/completions/sallyport.fish'],
  options: {},
  async run(call, all) {
    const [given] = onlyWords(call, ['bash, zsh or fish']);
    const shell = shells.find((name) => name === given);
    if (shell === undefined) throw new UsageError(`the shell is one of ${shells.join(', ')}, not "${given}"`);
    const script = scripts[shell](await allCompleted(all));
    if (call.flag('json')) call.io.json({ shell, script });
    else call.io.print(script);
    return exitCodes.pass;
  },
};

async function allCompleted(commands: Commands): Promise<readonly Completed[]> {
  return await Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => {
      const { command: loaded } = await load();
      const options = Object.entries({ ...loaded.options, ...commonOptions });
      return {
        ...{ name, summary, words: wordsIn(loaded.usage) },
        options: options.map(([option, { value, help }]) => ({
          ...{ name: option, help, takesValue: value !== undefined },
        })),
      };
    }),
  );
}

/** The words that stand behind the command, as `config show` or `init claude|codex` have them. */
function wordsIn(usage: readonly string[]): readonly string[] {
  const second = usage.map((form) => form.split(' ')[1] ?? '');
  return [
    ...new Set(second.flatMap((word) => word.split('|')).filter((word) => /^[a-z][a-z-]*$/.test(word))),
  ];
}

const flagsOf = ({ options }: Completed) => options.map(({ name }) => `--${name}`);

const scripts: Readonly<Record<Shell, (all: readonly Completed[]) => string>> = {
  bash: (all) =>
    [
      '_sallyport() {',
      `  local word=\${COMP_WORDS[COMP_CWORD]} words=`,
      `  if [ "$COMP_CWORD" -eq 1 ]; then words="${all.map(({ name }) => name).join(' ')}"; else`,
      `    case "\${COMP_WORDS[1]}" in`,
      ...all.map((one) => `      ${one.name}) words="${[...one.words, ...flagsOf(one)].join(' ')}" ;;`),
      '    esac',
      '  fi',
      '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
      '}',
      'complete -o default -F _sallyport sallyport',
    ].join('\n'),
  zsh: (all) =>
    [
      '#compdef sallyport',
      '_sallyport() {',
      '  local -a words_',
      '  if (( CURRENT == 2 )); then',
      `    words_=(${all.map(({ name, summary }) => single(`${name}:${summary}`)).join(' ')})`,
      "    _describe 'command' words_",
      '    return',
      '  fi',
      '  case "$words[2]" in',
      ...all.map((one) => {
        const described = [
          ...one.words,
          ...one.options.map(({ name, help }) => `--${name}:${help.replaceAll(':', '\\:')}`),
        ];
        return `    ${one.name}) words_=(${described.map(single).join(' ')}) ;;`;
      }),
      '  esac',
      "  _describe 'argument' words_ || _files",
      '}',
      'if [ "$funcstack[1]" = _sallyport ]; then _sallyport "$@"; else compdef _sallyport sallyport; fi',
    ].join('\n'),
  fish: (all) =>
    all
      .flatMap((one) => {
        const seen = single(`__fish_seen_subcommand_from ${one.name}`);
        return [
          `complete -c sallyport -n __fish_use_subcommand -f -a ${one.name} -d ${single(one.summary)}`,
          ...one.words.map((word) => `complete -c sallyport -n ${seen} -f -a ${word}`),
          ...one.options.map(
            ({ name, help, takesValue }) =>
              `complete -c sallyport -n ${seen} -l ${name}${takesValue ? ' -r' : ''} -d ${single(help)}`,
          ),
        ];
      })
      .join('\n'),
};

/** A word for a shell that takes it as it is. */
function single(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
