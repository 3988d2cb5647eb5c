// Names of programs: those that a pattern may mean, those that are part of the shell, and words that look like a command.

import { matches, readPattern } from './patterns.ts';
import { either, hole, knownText, mapWithHoles, oneOf, onlyText, singleText, type Text } from './values.ts';

// ── The paths that searches and lists print, as far as their words tell.

/** The paths that a search of a folder may give. */
export function placesUnder(root: Text): Text {
  return inFolder(root, hole);
}

export function inFolder(root: Text, name: string): Text {
  return mapWithHoles(root, (path) => (path.endsWith('/') ? path + name : `${path}/${name}`));
}

/** Names that files with secrets have in a project. */
const secretFiles = [
  '.env',
  '.env.local',
  '.env.production',
  '.npmrc',
  '.netrc',
  'id_rsa',
  '.git-credentials',
];

/** Names of secret files that a search lets through, where it searches a list of names; null where it does not. */
export function secretNamesAmong(program: string, args: readonly Text[], listed: Text): Text | null {
  const words = args.map(singleText).filter((word) => !word.startsWith('-'));
  const [pattern = ''] = words;
  if (!/^[ef]?grep$/.test(program) || words.length !== 1 || !/^[\w^.$*\\-]{2,32}$/.test(pattern)) return null;
  if (!listed.alternatives.every((text) => text.includes(hole))) return null;
  const search = new RegExp(pattern.replaceAll('*', '.{0,16}').replaceAll(/\\(?![.])/g, ''));
  const found = secretFiles.filter((name) => search.test(name));
  return found.length === 0 ? null : oneOf(found);
}

/** Names of secret files that a search of the disk is given, as a word or as its pattern. */
export function secretsSought(args: readonly Text[]): readonly string[] {
  const words = args.map((arg) => singleText(arg).replaceAll(/[\\^$]/g, ''));
  return secretFiles.filter((name) =>
    words.some((word) => word === name || word.split(/[\s"'=/]+/).includes(name)),
  );
}

/** Flags of searches that print only the names of files, and those behind which the next word is no folder. */
const namesOnly = /^(?:-[a-zA-Z]*[lL][a-zA-Z]*|--files-with(?:out)?-match(?:es)?|--files)$/;

const takesNext = /^(?:-[a-zA-Z]*[efmABCdD]|--(?:regexp|file)(?:=.*)?)$/;

/** The paths that a program lists which only names files; null where it prints more, or is no such program. */
export function pathsListedBy(program: string, args: readonly Text[]): Text | null {
  if (program === 'fd' || program === 'fdfind') {
    const folders = args.filter((arg) => !singleText(arg).startsWith('-')).slice(1);
    const places = (folders.length === 0 ? [knownText('.')] : folders).map(placesUnder).reduce(either);
    const sought = secretsSought(args);
    return sought.length === 0 ? places : either(places, oneOf(sought));
  }
  if (/^(?:[mp]?locate|mdfind)$/.test(program)) {
    const sought = secretsSought(args);
    return sought.length === 0 ? null : oneOf(sought.map((name) => `/${name}`));
  }
  if (!/^(?:[ef]?grep|rg|ag|ack)$/.test(program)) return null;
  const words = args.map(singleText);
  if (!words.some((word) => namesOnly.test(word)) || words.some((word) => takesNext.test(word))) return null;
  const operands = args.filter((arg) => !singleText(arg).startsWith('-'));
  const roots = operands.slice(words.includes('--files') ? 0 : 1);
  return (roots.length === 0 ? [knownText('.')] : roots)
    .map((root) => either(root, placesUnder(root)))
    .reduce(either);
}

// ── names

/** What the shell does itself. */
export const builtins: ReadonlySet<string> = new Set(
  '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
);

/** Programs that stand in the folders of the system, so that a pattern of their path can be resolved. */
const installed: readonly string[] = (
  'rm rmdir shred dd mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkswap wipefs fdisk sfdisk parted ' +
  'cat cp mv ln tee chmod chown chgrp truncate sh bash dash zsh ksh python python3 perl ruby node php awk gawk sed ' +
  'curl wget nc ncat socat ssh scp rsync telnet ftp git tar gzip zip unzip base64 xxd od env find xargs sudo su ' +
  'kill killall pkill shutdown reboot halt poweroff systemctl service init mount umount insmod modprobe crontab at ' +
  'useradd usermod userdel passwd visudo iptables nft docker kubectl psql mysql sqlite3 head tail less more grep ls ' +
  'echo printf touch mkdir id whoami uname tac rev sort cut tr nl strings hexdump busybox timeout nohup nice eval'
).split(' ');
const folders = ['/bin', '/usr/bin', '/sbin', '/usr/sbin', '/usr/local/bin'];

/** Most programs that a pattern is taken for. */
const mostPrograms = 16;

/** The programs that a pattern of paths may mean, at most sixteen; those that come first do most harm. */
export function programsMatching(pattern: string): readonly string[] {
  // No part of a pattern goes over a slash, so the folder is found first, and most patterns have none.
  const slash = pattern.lastIndexOf('/');
  if (slash < 0 || pattern.length > 64 || pattern.includes(hole)) return [];
  const place = readPattern(pattern.slice(0, slash));
  const folder = folders.find((path) => matches(place, path));
  if (folder === undefined) return [];
  const name = readPattern(pattern.slice(slash + 1));
  const found: string[] = [];
  for (const program of installed) {
    if (matches(name, program)) found.push(`${folder}/${program}`);
    if (found.length === mostPrograms) break;
  }
  return found;
}

const always = /^(?:mkfs(?:\.\w+)?|shutdown|reboot|poweroff|halt|wipefs|shred|mkswap)$/;
const withArguments =
  /^(?:rm|rmdir|dd|chmod|chown|chgrp|cat|cp|mv|truncate|find|xargs|kill|killall|pkill|curl|wget|nc|ncat|tee|fdisk|parted|sfdisk|sudo|env|systemctl|userdel|usermod|passwd|iptables|crontab|scp|rsync|ssh|tar|eval)$/;
const interpreters = /^(?:(?:ba|da|z|k|a|mk|c|tc|fi)?sh|python[\d.]*|node|perl|ruby|php)$/;
const gitVerbs =
  /^(?:reset|push|clean|checkout|restore|rebase|filter-branch|update-ref|branch|stash|gc|reflog)$/;

/** Whether words behind a program that is not known look like a command of their own. */
export function looksLikeCommand(words: readonly Text[]): boolean {
  const given = onlyText(words[0]);
  if (given === null || words.length < 2)
    return given !== null && /^(?:\/s?bin|\/usr\/s?bin)\/\w+$/.test(given) && always.test(baseName(given));
  const name = baseName(given);
  const next = singleText(words[1]);
  const second = singleText(words[2]);
  if (given !== name && /^\/(?:usr\/)?(?:local\/)?s?bin\//.test(given)) return true;
  if (always.test(name)) return true;
  if (name === 'git') return gitVerbs.test(next) || next === '-c' || next === '-C';
  if (interpreters.test(name)) return /^-\w*[ce]/.test(next) || next === '--eval';
  if (!withArguments.test(name)) return false;
  return (
    /^[-/~]|:\/\/|^\w+=|^\.\.?\//.test(next) ||
    (next.startsWith(hole) && words.length === 2) ||
    /^[/~]/.test(second)
  );
}

/** Whether a text for an option such as `--exec` begins like a command. */
export function looksLikeScript(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return looksLikeCommand(words.map((word) => ({ alternatives: [word], origins: [] })));
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Programs whose output is settings of the shell made for it, as `eval "$(ssh-agent -s)"` takes them. */
const settingsPrinters =
  /^(?:ssh-agent|brew shellenv|(?:pyenv|rbenv|nodenv|jenv|goenv|starship|zoxide|atuin|mise|rtx|opam|fnm|direnv|mcfly|thefuck|conda|mamba|micromamba|keychain|gpg-agent|register-python-argcomplete|dircolors|lesspipe(?:\.sh)?|docker-machine env|minikube docker-env|minikube -p \S+ docker-env|tmuxifier init|luarocks path|perl -I\S+ -Mlocal::lib|resize|tput|stty)\b)/;
const completions = /^(?:completion|completions|shell-completion|generate-shell-completion|gen-completions)$/;

/**
 * Whether a command prints settings of the shell that its maker wrote. What fetches something may print that, unless it
 * is known.
 */
export function printsSettings(program: string, args: readonly Text[], fetches: boolean): boolean {
  if (!fetches && completions.test(singleText(args[0]))) return true;
  return settingsPrinters.test([program, ...args.slice(0, 8).map(singleText)].join(' '));
}

const telling = /^(?:history|fc|compgen|help|jobs|dirs|times|caller|ulimit|umask)$/;
const tellingAlone = /^(?:alias|set|declare|typeset|export|readonly|trap|hash|shopt|enable|complete|bind)$/;

/** Whether a builtin prints something of the shell that stands nowhere in the script. */
export function printsState(program: string, args: readonly Text[]): boolean {
  if (telling.test(program)) return true;
  return tellingAlone.test(program) && args.every((arg) => /^-[a-z]*[plV]/.test(singleText(arg)));
}
