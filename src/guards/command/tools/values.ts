// Options that take the next word as their value, by the program or the subcommand that has them, where the reader of that
// program says nothing of them. Without this the value would be read as an operand: a file, a subcommand or a name.

import { concat, knownText, singleText, type Text } from '../bash/values.ts';
import type { Value } from '../effects.ts';
import { beginningOf, literal, textOf } from './tool.ts';

const valued: Readonly<Record<string, string>> = {
  'ansible-galaxy':
    '--server -s --token --api-key --download-path --requirements-file --init-path --collection-skeleton --output-path --import-timeout --collections-path --format --role-skeleton --type --roles-path --role-path --platforms --galaxy-tags --author --branch --role-name --remove',
  'ansible-galaxy collection download': '-p -r',
  'ansible-galaxy collection list': '-p',
  'ansible-galaxy collection verify': '-p -r',
  'ansible-galaxy role install': '-r',
  bundle: '--jobs --trust-policy --with --update --lockfile',
  'bundle install': '--gemfile --path --retry --shebang --without',
  'bundle update': '--retry --group -g --source -j',
  cargo: '--explain --vcs --name --rename',
  'cargo init': '--edition',
  'cargo new': '--edition',
  'cargo owner': '-a -r',
  conda: '--tempfiles --clone --repodata-fn --revision',
  dart: '--source',
  'dart pub global activate': '-s -u --hosted-url',
  dotnet:
    '-v --verbosity --additionalprobingpath --additional-deps --runtimeconfig --roll-forward --fx-version --package-directory --api-key -sk --symbol-api-key -ss --symbol-source --configfile --lock-file-path --packages --add-source --tool-manifest',
  'dotnet add package': '-f --framework',
  'dotnet add reference': '-f --framework',
  'dotnet nuget push': '-k -s --source',
  'dotnet restore': '-s --source -r --runtime',
  'dotnet tool install': '--framework',
  'dotnet tool update': '--framework',
  flutter: '-d --device-id',
  'flutter upgrade': '-d',
  gem: '--platform --add --remove --document --build-root --trust-policy --without',
  'gem owner': '-a -r -k',
  'gem push': '-k',
  'gem sources': '-a -r',
  'gem yank': '-k',
  go: '-tags -p -asmflags -buildmode -compiler -gccgoflags -gcflags -installsuffix -ldflags -mod -modfile -overlay -pkgdir',
  helmfile:
    '--chart -c --environment -e --file -f --helm-binary -b --kube-context --log-level --namespace -n --selector -l --state-values-file --state-values-set',
  mamba: '--tempfiles --clone --repodata-fn --revision',
  n: '-a --arch --watch-path --env-file',
  'n run': '-e',
  pipenv: '--pypi-mirror --editable --extra-index-url',
  'pipenv install': '--pypi-mirror -e --requirements -i',
  'pipenv run': '--pypi-mirror --python',
  'pipenv sync': '--pypi-mirror',
  'pipenv uninstall': '--pypi-mirror -e',
  'pipenv update': '--pypi-mirror -e -i',
  pipx: '--suffix --pip-args --skip --index-url',
  'pipx inject': '-i',
  'pipx install': '-i',
  'pipx run': '-i',
  'pipx upgrade': '-i',
  pod: '--project-directory --sources --commit-message --swift-version --in-favor-of --description --exclude-pods',
  poetry: '--directory',
  rustup: '--toolchain --target --component --profile',
  'rustup toolchain install': '-t -c',
  stack:
    '--color --colour --compiler --stack-colors --stack-colours --terminal-width --stack-yaml --lock-file --snapshot-location-base --cwd --setup-info-yaml --package',
  uv: '--color --allow-insecure-host --directory --project --config-file --extra --no-extra --group --no-group --only-group --with-editable --with-requirements --vcs --build-backend --author-from --cache-dir --requirements --optional --rev --tag --branch --default-index --extra-index-url --find-links --index-strategy --keyring-provider --upgrade-package --resolution --prerelease --exclude-newer --reinstall-package --link-mode --no-build-isolation-package --no-build-package --no-binary-package --refresh-package --no-install-package --python-preference --from --mirror --pypy-mirror --prompt',
  'uv add': '--package --script -C',
  'uv lock': '-C',
  'uv remove': '--package --script -C',
  'uv run': '--package',
  'uv sync': '--package -C',
};

/** Options that take no value, although a reader that several programs share, or a longer name, would give them one. */
const flags: Readonly<Record<string, string>> = {
  pipenv: '--py --pre -c',
  pipx: '-f',
  poetry: '-n',
  uv: '-n',
};

/** The programs and subcommands that the tables name. */
export function describedOptions(): readonly string[] {
  return [...Object.keys(valued), ...Object.keys(flags)];
}

type Names = ReadonlySet<string>;

/** The names of a table by program or subcommand, split when they are first asked for. */
function reading(table: Readonly<Record<string, string>>): (key: string) => Names | null {
  const split = new Map<string, Names>();
  return (key) => {
    if (!Object.hasOwn(table, key)) return null;
    const names = split.get(key) ?? new Set(table[key]?.split(' '));
    split.set(key, names);
    return names;
  };
}

const valuedOf = reading(valued);
const flagsOf = reading(flags);

/** The programs of which subcommands are in the table. */
const grouped: Names = new Set(
  Object.keys(valued).flatMap((key) => (key.includes(' ') ? [key.slice(0, key.indexOf(' '))] : [])),
);

function takes(names: Names, option: string): boolean {
  return names.has(option);
}

/** What becomes of each word that the tables name; null where they say nothing of the program. */
function places(program: string, words: readonly string[]): ReadonlyMap<number, 'flag' | 'value'> | null {
  const own = valuedOf(program);
  const plain = flagsOf(program);
  if (own === null && plain === null && !grouped.has(program)) return null;
  const active = own === null ? [] : [own];
  const found = new Map<number, 'flag' | 'value'>();
  let path = program;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') break;
    if (plain?.has(word)) found.set(at, 'flag');
    else if (word.startsWith('-')) {
      const next = words[at + 1];
      if (next === undefined || !active.some((names) => takes(names, word))) continue;
      // Behind an option that is not named, a word with a dash is the next option.
      if (next.startsWith('-') && !active.some((names) => names.has(word))) continue;
      at += 1;
      found.set(at, 'value');
    } else if (grouped.has(program)) {
      path = `${path} ${word}`;
      const more = valuedOf(path);
      if (more !== null) active.push(more);
    }
  }
  return found;
}

/** The arguments as a reader without these tables understands them: a value is joined to its long option, and left out
 * with a short one; a flag is left out. */
function understood<Argument>(
  program: string,
  args: readonly Argument[],
  words: readonly string[],
  join: (option: string, value: Argument) => Argument,
): readonly Argument[] {
  const found = places(program, words);
  if (found === null || found.size === 0) return args;
  return args.flatMap((argument, at) => {
    const value = args[at + 1];
    if (found.has(at)) return [];
    if (found.get(at + 1) !== 'value' || value === undefined) return [argument];
    const option = words[at] ?? '';
    return option.startsWith('--') ? [join(option, value)] : [];
  });
}

/** Arguments for the tool of a program. */
export function understoodValues(program: string, args: readonly Value[]): readonly Value[] {
  return understood(program, args, args.map(beginningOf), (option, value) => {
    const text = textOf(value);
    return text === null
      ? { kind: 'prefix', text: `${option}=${beginningOf(value)}` }
      : literal(`${option}=${text}`);
  });
}

/** Arguments for what says which other programs a program starts. */
export function understoodTexts(program: string, args: readonly Text[]): readonly Text[] {
  return understood(program, args, args.map(singleText), (option, value) =>
    concat(knownText(`${option}=`), value),
  );
}
