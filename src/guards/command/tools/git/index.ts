// Git: what each subcommand does to work, history and remotes. `detail` of the effect names it.

import type { Effect } from '../../effects.ts';
import {
  beginningOf,
  effect,
  inert,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
  within,
  write,
} from '../tool.ts';
import { historySubcommands } from './history.ts';
import { otherTools } from './others.ts';
import { contact, lfs, remoteSubcommands } from './remotes.ts';
import { givenSettings, settingSubcommands } from './settings.ts';
import { treeSubcommands } from './tree.ts';
import { git, globalOptions, type Subcommand, type Work } from './work.ts';

/** Subcommands that only read, but for where they write what they read. */
const reads: Subcommand = (work) => {
  const given = options('output= O/open-files-in-pager? ext-diff textconv o= no-index')(work.args);
  const effects: Effect[] = given
    .all('output')
    .flatMap((path) => write(work.call, path, { detail: 'overwrite' }));
  if (work.name === 'grep' && given.has('open-files-in-pager'))
    effects.push(
      effect(work.call, 'run', { detail: 'helper', target: nameTarget(given.last('open-files-in-pager')) }),
    );
  if (/^(?:show|cat-file|diff|blame|annotate|grep)$/.test(work.name)) {
    const named = given.operands.map((operand) => mapValue(operand, (text) => text.replace(/^[^:]*:/, '')));
    const shown = (work.name === 'grep' ? named.slice(1) : named).flatMap((path) =>
      read(work.call, within(work.folder, path)),
    );
    if (given.has('no-index')) effects.push(...shown);
    else effects.push(...shown.filter(({ kind }) => kind === 'secret'));
  }
  return orInert(work.call, effects);
};

/** Subcommands that write what the repository holds into files. */
const outputs =
  (option: string): Subcommand =>
  (work) => {
    const given = options(
      'o/output/output-directory= stdout prefix= format= remote= exec= l/list n v k numbered-files start-number= subject-prefix= cover-letter base= root',
    )(work.args);
    const effects: Effect[] = given
      .all('output')
      .flatMap((path) => write(work.call, within(work.folder, path), { detail: 'create' }));
    if (given.has('exec'))
      effects.push(
        effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(given.last('exec')) }),
      );
    for (const remote of given.all('remote')) effects.push(...contact(work, remote, 'fetch'));
    if (effects.length === 0 && option === 'patches' && !given.has('stdout'))
      return [git(work, 'format-patch', { reversible: true })];
    return orInert(work.call, effects);
  };

const bundle: Subcommand = (work) => {
  const [verb, path] = options('q progress version= all')(work.args).operands;
  if (textOf(verb ?? literal('')) !== 'create' || !path) return inert(work.call);
  return write(work.call, within(work.folder, path), { detail: 'create' });
};

/** One row a subcommand; what is only ever read stands in one list below. */
const subcommands: ReadonlyMap<string, Subcommand> = new Map(
  Object.entries<Subcommand>({
    ...historySubcommands,
    ...treeSubcommands,
    ...remoteSubcommands,
    ...settingSubcommands,
    archive: outputs('archive'),
    'format-patch': outputs('patches'),
    bundle,
    difftool: (work) => [effect(work.call, 'run', { detail: 'helper' })],
    mergetool: (work) => [effect(work.call, 'run', { detail: 'helper' })],
    hook: (work) => [effect(work.call, 'run', { detail: 'git-hook' })],
    'hash-object': (work) =>
      orInert(
        work.call,
        options('t= w stdin path= no-filters')(work.args).operands.flatMap((path) =>
          read(work.call, within(work.folder, path)),
        ),
      ),
  }),
);

const readOnly = new Set(
  'status log diff show blame annotate grep shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev for-each-ref show-ref show-branch cherry merge-base whatchanged diff-tree diff-index diff-files range-diff count-objects fsck verify-commit verify-tag verify-pack check-ignore check-attr check-ref-format check-mailmap var version help bugreport diagnose get-tar-commit-id merge-tree merge-file patch-id column stripspace interpret-trailers request-pull mailinfo mailsplit fmt-merge-msg unpack-file write-tree commit-tree mktree mktag index-pack unpack-objects pack-objects show-index for-each-repo fast-export commit-graph multi-pack-index last-modified backfill refs gui gitk cola citool standup who who-am-i'.split(
    ' ',
  ),
);

const gitTool: Tool = (call) => {
  const given = globalOptions(call.args);
  const settings = [
    ...givenSettings(call, given),
    ...given
      .all('exec-path')
      .map((folder) => effect(call, 'run', { detail: 'git-helper', target: nameTarget(folder) })),
  ];
  const [verb, ...args] = given.operands;
  // A word such as `--` in the place of a subcommand is an option that it does not know.
  if (!verb || given.has('version', 'help') || beginningOf(verb).startsWith('-'))
    return orInert(call, settings);
  const name = textOf(verb);
  // Those who write its name twice have an alias for that.
  if (name === 'git') {
    const first = args.findIndex((argument) => textOf(argument) !== 'git');
    return [...settings, ...gitTool({ ...call, args: first === -1 ? [] : args.slice(first) })];
  }
  const folder = given.last('C', 'work-tree');
  if (name === null)
    return [...settings, effect(call, 'git', { detail: 'unknown', target: nameTarget(verb) })];
  const said = given
    .all('c')
    .findLast((setting) => /^clean\.requireforce(?:=|$)/i.test(beginningOf(setting)));
  const asksForForce = said !== undefined && /^[^=]*(?:$|=(?:true|yes|on|1)$)/i.test(textOf(said) ?? '=');
  const work: Work = { call, name, args, folder, asksForForce };
  if (args.length === 1 && /^(?:-h|--help)$/.test(textOf(args[0]) ?? '')) return orInert(call, settings);
  const subcommand = readOnly.has(name) ? reads : subcommands.get(name);
  const effects = subcommand
    ? subcommand(work)
    : [effect(call, 'git', { detail: 'unknown', target: nameTarget(verb) })];
  return [...settings, ...effects];
};

/** Git, what stands on it, and its like. */
export const gitTools: Tools = {
  git: gitTool,
  hub: gitTool,
  'git-lfs': (call) => lfs({ call, name: 'lfs', args: call.args, folder: undefined }),
  'git-filter-repo': (call) => [effect(call, 'git', { detail: 'rewrite', force: true, recursive: true })],
  bfg: (call) => [effect(call, 'git', { detail: 'rewrite', force: true, recursive: true })],
  tig: (call) => inert(call),
  gitk: (call) => inert(call),
  lazygit: (call) => inert(call),
  gitui: (call) => inert(call),
  'git-cliff': (call) => inert(call),
  gitleaks: (call) => inert(call),
  ...otherTools,
};
