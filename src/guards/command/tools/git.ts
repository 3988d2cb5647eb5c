// Git: what each subcommand does to work, history and remotes. `detail` of the effect names it.

import type { Effect, Value } from '../effects.ts';
import { hostOf, read, remove, within, write } from './access.ts';
import { options, type Reading } from './options.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostTarget,
  inert,
  literal,
  type More,
  mapValue,
  nameTarget,
  orInert,
  pathTarget,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
} from './tool.ts';

const globalOptions = options(
  'C= c= exec-path? html-path man-path info-path p/paginate P/no-pager no-replace-objects bare git-dir= work-tree= namespace= super-prefix= config-env= attr-source= literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks list-cmds= v/version h/help no-lazy-fetch no-advice',
  { stopAtOperand: true },
);

/** One subcommand with the folder that git works in. */
interface Work {
  readonly call: Call;
  readonly name: string;
  readonly args: readonly Value[];
  readonly folder: Value | undefined;
  /** Whether this call itself says that deleting needs to be forced. */
  readonly asksForForce?: boolean;
}

type Subcommand = (work: Work) => readonly Effect[];

function git(work: Work, detail: string, more: More = {}): Effect {
  return effect(work.call, 'git', { detail, ...more });
}

/** The paths that a subcommand names, in the folder it works in; none are the whole tree. */
function places(work: Work, paths: readonly Value[]): readonly More['target'][] {
  const named = paths.length > 0 ? paths : [literal('.')];
  return named.map((path) => pathTarget(within(work.folder, path)));
}

function onPaths(work: Work, detail: string, paths: readonly Value[], more: More = {}): readonly Effect[] {
  return places(work, paths).map((target) => git(work, detail, { ...more, ...(target ? { target } : {}) }));
}

/** Settings whose value git runs, or loads other settings from. */
const runningSettings =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|alternaterefscommand)|sequence\.editor|alias\..*|pager\..*|diff\.external|diff\..*\.(?:command|textconv)|(?:diff|merge)tool\..*\.(?:cmd|path)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand|uploadpack\.packobjectshook|protocol\.(?:.*\.)?allow|include(?:if\..*)?\.path|remote\..*\.(?:uploadpack|receivepack|vcs|proxy)|(?:browser|man)\..*\.(?:cmd|path)|interactive\.difffilter|init\.templatedir|trailer\..*\.(?:command|cmd)|sendemail\..*cmd|submodule\..*\.update|ssh\.variant|http\..*\.?proxy|receive\.procreceiverefs|imap\.tunnel|help\.browser|web\.browser|instaweb\..*|guitool\..*\.cmd|url\..*\.insteadof)$/i;
/** Values that run nothing of note. */
const harmlessValues =
  /^(?:|true|false|cat|less(?: -\S+)*|more|delta|diff-so-fancy.*|bat(?: .*)?|vim?|nvim|nano|emacs(?:client)?(?: -\S+)*|ed|code(?: --?\w+)*|subl(?: -\S+)*|:|store|cache(?: --timeout[= ]\d+)?|osxkeychain|manager(?:-core)?|wincred|libsecret|!gh auth git-credential|!aws codecommit credential-helper \$@|gpg2?|never|always|user|ssh(?: -(?:[iplF] ?\S+|[vqTCAnx46]+|o ?(?!\w*Command)\S+))*|git-lfs (?:clean|smudge)(?: --skip)? -- %f|git-lfs filter-process(?: --skip)?|\.husky(?:\/_)?|\.githooks)$/;

function settingRuns(key: string, value: Value | undefined): boolean {
  if (!runningSettings.test(key)) return false;
  const text = value ? textOf(value) : '';
  if (/^alias\./i.test(key)) return text === null || text.startsWith('!');
  if (/^protocol\.(?:.*\.)?allow$/i.test(key)) return text === null || text === 'always' || text === 'user';
  if (/insteadof$/i.test(key)) return false;
  return text === null || !harmlessValues.test(text);
}

/** Settings given on the command line, as `-c key=value` or `--config-env=key=VARIABLE`. */
function givenSettings(call: Call, reading: Reading): readonly Effect[] {
  return reading.all('c', 'config-env').flatMap((setting) => {
    const text = beginningOf(setting);
    const equals = text.indexOf('=');
    const key = equals < 0 ? text : text.slice(0, equals);
    const value = equals < 0 ? literal('true') : mapValue(setting, (whole) => whole.slice(equals + 1));
    const unknown = setting.kind === 'unknown';
    const fromEnvironment = reading.all('config-env').includes(setting);
    if (!unknown && !settingRuns(key, fromEnvironment ? unknownValue : value)) return [];
    return [effect(call, 'run', { detail: 'git-config', target: nameTarget(setting) })];
  });
}

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

const simple =
  (detail: string, more: More = {}): Subcommand =>
  (work) => [git(work, detail, more)];

const commitOptions = options(
  'a/all p/patch amend no-verify/n allow-empty m/message= F/file= C/reuse-message= c/reedit-message= fixup= squash= author= date= cleanup= t/template= e/edit S/gpg-sign? s/signoff dry-run pathspec-from-file= trailer= u? i/include o/only q v reset-author no-edit no-gpg-sign short porcelain z',
);
const commit: Subcommand = (work) => {
  const given = commitOptions(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  const message = given.all('file', 'template').flatMap((path) => read(work.call, path));
  const force = given.has('no-verify');
  return [
    ...message,
    git(work, given.has('amend') ? 'amend' : 'commit', { reversible: true, ...(force ? { force } : {}) }),
  ];
};

const pushOptions = options(
  'f/force force-with-lease? force-if-includes mirror delete/d prune all/branches tags follow-tags n/dry-run u/set-upstream o/push-option= repo= receive-pack/exec= no-verify atomic q v porcelain progress signed? recurse-submodules= thin no-force-with-lease 4 6',
);
const push: Subcommand = (work) => {
  const given = pushOptions(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  const [remote, ...refs] = given.has('repo') ? [given.last('repo'), ...given.operands] : given.operands;
  const effects: Effect[] = [];
  if (remote) effects.push(...contact(work, remote, 'push'));
  if (given.has('receive-pack'))
    effects.push(
      effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(given.last('receive-pack')) }),
    );
  const named = refs.length > 0 ? refs : [undefined];
  for (const ref of named) {
    const text = ref ? beginningOf(ref) : '';
    const target = nameTarget(ref ?? remote);
    if (given.has('delete') || /^\+?:./.test(text))
      effects.push(git(work, 'push-delete', { target, force: true }));
    else if (given.has('mirror'))
      effects.push(git(work, 'force-push', { target, force: true, recursive: true }));
    else if (given.has('force') || text.startsWith('+'))
      effects.push(git(work, 'force-push', { target, force: true }));
    else if (given.has('force-with-lease'))
      effects.push(git(work, 'force-push-lease', { target, force: true }));
    else if (given.has('prune'))
      effects.push(git(work, 'push-delete', { target, force: true, recursive: true }));
    else effects.push(git(work, 'push', { target }));
  }
  return effects;
};

/** What a template holds becomes hooks of the repository. */
function hooksFrom(work: Work, path: Value): Effect {
  return effect(work.call, 'run', { detail: 'git-helper', target: pathTarget(path) });
}

/** A remote that is a URL is a host; one through `ext::` is a command. */
function contact(work: Work, remote: Value, detail: string): readonly Effect[] {
  const text = beginningOf(remote);
  if (/^ext::/.test(text))
    return [effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(remote) })];
  if (/^file:\/\//.test(text)) return [];
  if (/:\/\//.test(text) || /^[\w.-]+@[\w.-]+:/.test(text)) {
    const address = /:\/\//.test(text)
      ? remote
      : mapValue(remote, (whole) => `ssh://${whole.replace(':', '/')}`);
    return [effect(work.call, 'connect', { target: hostTarget(hostOf(address)), detail: `git-${detail}` })];
  }
  return [];
}

const fetchOptions = options(
  'upload-pack/u= o/origin= b/branch= depth= reference= separate-git-dir= template= c/config= j/jobs= shallow-since= shallow-exclude= filter= server-option= f/force p/prune P/prune-tags t/tags a/append all n/no-tags q v k 4 6 recurse-submodules? bare mirror l/local s/shared no-checkout single-branch no-hardlinks rebase? r? ff-only no-rebase no-ff ff squash autostash X/strategy-option= s/strategy= dry-run set-upstream unshallow update-head-ok revision= bundle-uri= no-edit commit no-commit allow-unrelated-histories h heads get-url exit-code symref refs sort= refmap= negotiation-tip= deepen=',
);
const obtain: Subcommand = (work) => {
  const given = fetchOptions(work.args);
  const [remote, second] = given.operands;
  const effects: Effect[] = remote ? [...contact(work, remote, 'fetch')] : [];
  if (given.has('upload-pack') && work.name !== 'pull')
    effects.push(
      effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(given.last('upload-pack')) }),
    );
  if (work.name === 'clone') {
    effects.push(...given.all('template').map((path) => hooksFrom(work, path)));
    for (const setting of given.all('config')) {
      const text = beginningOf(setting);
      const equals = text.indexOf('=');
      if (
        equals > 0 &&
        settingRuns(
          text.slice(0, equals),
          mapValue(setting, (whole) => whole.slice(equals + 1)),
        )
      )
        effects.push(effect(work.call, 'run', { detail: 'git-config', target: nameTarget(setting) }));
    }
    const name = textOf(remote ?? unknownValue)
      ?.replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1);
    const folder = second ?? (name ? literal(name) : unknownValue);
    effects.push(
      ...write(work.call, within(work.folder, folder), { detail: 'create', origins: ['network'] }),
    );
  }
  effects.push(
    git(work, work.name === 'pull' ? 'pull' : 'fetch', {
      ...(remote ? { target: nameTarget(remote) } : {}),
      reversible: true,
    }),
  );
  return effects;
};

const resetOptions = options(
  'hard soft mixed merge keep N q U/unified= inter-hunk-context= p/patch pathspec-from-file= recurse-submodules no-refresh refresh',
);
const reset: Subcommand = (work) => {
  const given = resetOptions(work.args);
  const [commitish, ...paths] = given.operands;
  if (given.has('hard', 'merge'))
    return [
      git(work, 'discard', {
        target: nameTarget(commitish ?? literal('HEAD')),
        recursive: true,
        force: given.has('hard'),
      }),
    ];
  if (given.has('keep', 'soft', 'mixed') || (commitish && paths.length === 0)) {
    const moves =
      commitish !== undefined &&
      !/^(?:HEAD|@)$/.test(beginningOf(commitish)) &&
      (given.has('keep', 'soft', 'mixed') || /^(?:HEAD|@|origin\/|upstream\/)/.test(beginningOf(commitish)));
    return [git(work, moves ? 'reset' : 'unstage', { target: nameTarget(commitish), reversible: true })];
  }
  return [git(work, 'unstage', { reversible: true })];
};

/** A word that can only be a path, not the name of a branch or a commit. */
function looksLikePath(text: string): boolean {
  if (/^(?:HEAD|@)(?:[~^@].*)?$/.test(text)) return false;
  return (
    /^\.{1,2}(?:\/|$)|^[/~:]|[*?]|\/$|^\*/.test(text) ||
    (/\.[A-Za-z][A-Za-z0-9]{0,6}$/.test(text) &&
      !/^(?:v?\d+\.|release|origin|hotfix|feature|[\w-]+\/[\w.-]*\d)/.test(text))
  );
}

const checkoutOptions = options(
  'b= B= f/force t/track? d/detach orphan= m/merge conflict= p/patch ours/2 theirs/3 q l no-track overwrite-ignore ignore-other-worktrees pathspec-from-file= guess no-guess recurse-submodules overlay no-overlay pathspec-file-nul ignore-skip-worktree-bits progress U/unified= inter-hunk-context=',
);
const checkout: Subcommand = (work) => {
  const separator = work.args.findIndex((argument) => textOf(argument) === '--');
  const given = checkoutOptions(separator >= 0 ? work.args.slice(0, separator) : work.args);
  const afterSeparator = separator >= 0 ? work.args.slice(separator + 1) : [];
  const force = given.has('force');
  const lost = force ? [git(work, 'discard', { recursive: true, force })] : [];
  // To follow a branch it makes one, and refuses paths.
  if (given.has('b', 'orphan', 'track'))
    return [
      ...lost,
      git(work, 'branch', { target: nameTarget(given.last('b', 'orphan')), reversible: true }),
    ];
  if (given.has('B'))
    return [
      ...lost,
      git(work, 'branch-reset', { target: nameTarget(given.last('B')), reversible: true, force: true }),
    ];
  if (separator >= 0 && afterSeparator.length > 0) return onPaths(work, 'discard', afterSeparator, { force });
  if (given.has('pathspec-from-file')) return onPaths(work, 'discard', [unknownValue], { force });
  const [first, ...others] = given.operands;
  if (given.has('ours', 'theirs', 'patch')) return onPaths(work, 'discard', given.operands, { force });
  if (others.length > 0)
    return onPaths(
      work,
      'discard',
      looksLikePath(beginningOf(first ?? unknownValue)) ? given.operands : others,
      { force },
    );
  if (force) return [git(work, 'discard', { target: nameTarget(first), recursive: true, force })];
  if (first && !given.has('detach') && looksLikePath(beginningOf(first)))
    return onPaths(work, 'discard', [first]);
  return first ? [git(work, 'switch', { target: nameTarget(first), reversible: true })] : inert(work.call);
};

const switchOptions = options(
  'c/create= C/force-create= d/detach f/force/discard-changes m/merge orphan= t/track? guess no-guess q ignore-other-worktrees recurse-submodules conflict= no-track progress',
);
const switchBranch: Subcommand = (work) => {
  const given = switchOptions(work.args);
  if (given.has('force'))
    return [git(work, 'discard', { target: nameTarget(given.operands[0]), recursive: true, force: true })];
  if (given.has('force-create'))
    return [
      git(work, 'branch-reset', {
        target: nameTarget(given.last('force-create')),
        reversible: true,
        force: true,
      }),
    ];
  return [
    git(work, given.has('create', 'orphan') ? 'branch' : 'switch', {
      target: nameTarget(given.last('create', 'orphan') ?? given.operands[0]),
      reversible: true,
    }),
  ];
};

const restoreOptions = options(
  's/source= S/staged W/worktree U/unified= inter-hunk-context= p/patch ours theirs m/merge conflict= q pathspec-from-file= ignore-unmerged overlay no-overlay recurse-submodules progress',
);
const restore: Subcommand = (work) => {
  const given = restoreOptions(work.args);
  // Without a path it only says that it wants one.
  if (given.operands.length === 0 && !given.has('pathspec-from-file', 'patch')) return inert(work.call);
  if (given.has('staged') && !given.has('worktree'))
    return onPaths(work, 'unstage', given.operands, { reversible: true });
  return onPaths(work, 'discard', given.operands);
};

const cleanOptions = options('d f/force i/interactive n/dry-run q e/exclude= x X');
const clean: Subcommand = (work) => {
  const given = cleanOptions(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  const force = lastOf(work.args, /^(?:-[a-zA-Z]*f[a-zA-Z]*|--force)$/, /^--no-force$/);
  // Without force it refuses, unless a setting that is not seen here says otherwise.
  if (!force && !given.has('interactive') && work.asksForForce) return inert(work.call);
  return onPaths(work, given.has('x', 'X') ? 'clean-ignored' : 'clean', given.operands, {
    recursive: given.has('d') || given.has('x'),
    force,
  });
};

/** Whether the last of the words that say yes or no says yes. */
function lastOf(args: readonly Value[], yes: RegExp, no: RegExp): boolean {
  const last = args.findLast((argument) => yes.test(beginningOf(argument)) || no.test(beginningOf(argument)));
  return last !== undefined && yes.test(beginningOf(last));
}

const stash: Subcommand = (work) => {
  const [first, second] = work.args.filter((argument) => !beginningOf(argument).startsWith('-'));
  const verb = first === undefined ? 'push' : textOf(first);
  switch (verb) {
    case 'list':
    case 'show':
      return inert(work.call);
    case 'drop':
    case 'clear':
      return [git(work, 'stash-drop', { target: nameTarget(second), recursive: verb === 'clear' })];
    case 'pop':
      return [git(work, 'stash-pop', { target: nameTarget(second), reversible: true })];
    case 'apply':
    case 'branch':
      return [git(work, 'stash-apply', { reversible: true })];
    case null:
      return [git(work, 'stash-drop', { target: nameTarget(first) })];
    default:
      return [git(work, 'stash', { reversible: true })];
  }
};

const branchOptions = options(
  'd/delete D m/move M c/copy C f/force l/list a/all r/remotes v vv show-current edit-description u/set-upstream-to= unset-upstream t/track? no-track contains? no-contains? merged? no-merged? sort= points-at= format= q column? i abbrev? color? create-reflog recurse-submodules',
);
const branch: Subcommand = (work) => {
  const given = branchOptions(work.args);
  const force = given.has('force', 'D', 'M', 'C');
  const targets = given.operands.length > 0 ? given.operands : [unknownValue];
  if (given.has('delete', 'D'))
    return targets.map((name) =>
      git(work, 'branch-delete', { target: nameTarget(name), force, reversible: !force }),
    );
  if (given.has('move', 'M', 'copy', 'C'))
    return [git(work, 'branch-rename', { target: nameTarget(given.operands[0]), reversible: true, force })];
  if (given.has('set-upstream-to', 'unset-upstream', 'edit-description'))
    return [git(work, 'config', { reversible: true })];
  if (
    given.has('list', 'show-current', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at') ||
    given.operands.length === 0
  )
    return inert(work.call);
  return [
    git(work, force ? 'branch-reset' : 'branch', {
      target: nameTarget(given.operands[0]),
      reversible: true,
      force,
    }),
  ];
};

const tagOptions = options(
  'd/delete f/force a/annotate s/sign u/local-user= m/message= F/file= l/list n? v/verify contains? no-contains? merged? no-merged? sort= points-at= format= e i column? cleanup= color? create-reflog trailer= no-sign',
);
const tag: Subcommand = (work) => {
  const given = tagOptions(work.args);
  if (given.has('delete'))
    return given.operands.map((name) => git(work, 'tag-delete', { target: nameTarget(name) }));
  if (given.has('list', 'verify', 'contains', 'points-at', 'merged', 'n') || given.operands.length === 0)
    return inert(work.call);
  return [
    git(work, given.has('force') ? 'tag-force' : 'tag', {
      target: nameTarget(given.operands[0]),
      force: given.has('force'),
      reversible: true,
    }),
  ];
};

const sequence =
  (detail: string): Subcommand =>
  (work) => {
    const given = options(
      'abort quit continue skip i/interactive x/exec= onto= n/no-commit m/mainline= s/strategy= X/strategy-option= f e edit S/gpg-sign? squash no-ff ff-only ff F/file= root autosquash autostash update-refs r/rebase-merges? q v edit-todo show-current-patch? keep-base',
    )(work.args);
    const runs = given.has('exec')
      ? [effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(given.last('exec')) })]
      : [];
    if (given.has('abort')) return [git(work, 'abort')];
    if (given.has('quit', 'show-current-patch')) return inert(work.call);
    return [...runs, git(work, detail, { target: nameTarget(given.operands[0]), reversible: true })];
  };

const updateRef: Subcommand = (work) => {
  const given = options('d m= no-deref stdin z create-reflog 0')(work.args);
  if (given.has('stdin')) return [git(work, 'rewrite', { force: true })];
  return [
    git(work, given.has('d') ? 'ref-delete' : 'rewrite', {
      target: nameTarget(given.operands[0]),
      force: true,
    }),
  ];
};

const reflog: Subcommand = (work) => {
  const verb = textOf(work.args[0] ?? literal('show'));
  if (work.args.some((argument) => /^(?:-n|--dry-run)$/.test(textOf(argument) ?? '')))
    return inert(work.call, 'dry-run');
  return verb === 'expire' || verb === 'delete' || verb === 'drop' || verb === null
    ? [git(work, 'reflog-expire', { recursive: work.args.some((argument) => textOf(argument) === '--all') })]
    : inert(work.call);
};

const gc: Subcommand = (work) => {
  const given = options(
    'prune? no-prune auto aggressive q force keep-largest-pack cruft expire= n/dry-run v',
  )(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  const setting = globalOptions(work.call.args)
    .all('c')
    .find((one) => !given.has('no-prune') && /^gc\.pruneexpire=/i.test(beginningOf(one)));
  const when = textOf(
    given.last('prune', 'expire') ??
      (setting ? mapValue(setting, (text) => text.slice(text.indexOf('=') + 1)) : undefined) ??
      literal(work.name === 'prune' ? 'now' : ''),
  );
  return [
    git(
      work,
      work.name === 'prune' || when === null || /^(?:now|all|0)/.test(when) ? 'prune' : 'gc',
      when === '' ? { reversible: true } : {},
    ),
  ];
};

const worktree: Subcommand = (work) => {
  const given = options(
    'f/force b= B= d/detach lock reason= n/dry-run v expire= porcelain orphan checkout no-checkout q z',
  )(work.args);
  const [verb, first, second] = given.operands;
  const force = given.has('force');
  switch (textOf(verb ?? literal('list'))) {
    case 'add':
      return [
        git(work, 'worktree-add', { reversible: true }),
        ...(first ? write(work.call, within(work.folder, first), { detail: 'create' }) : []),
      ];
    case 'remove':
      return [
        git(work, 'worktree-remove', {
          target: pathTarget(within(work.folder, first ?? unknownValue)),
          force,
          reversible: !force,
        }),
      ];
    case 'move':
      return [
        git(work, 'worktree-move', { reversible: true }),
        ...(second ? write(work.call, within(work.folder, second), { detail: 'move' }) : []),
      ];
    case 'prune':
      return [git(work, 'worktree-prune', { reversible: true })];
    default:
      return inert(work.call);
  }
};

const submodule: Subcommand = (work) => {
  const given = options(
    'f/force all init recursive remote b/branch= name= depth= reference= q cached files j/jobs= merge rebase checkout',
  )(work.args);
  const [verb, ...rest] = given.operands;
  switch (textOf(verb ?? literal('status'))) {
    case 'deinit':
      return [
        git(work, 'submodule-deinit', {
          target: nameTarget(rest[0]),
          force: given.has('force'),
          recursive: given.has('all'),
        }),
      ];
    case 'update':
    case 'init':
    case 'sync':
    case 'absorbgitdirs':
      return [git(work, 'fetch', { reversible: true, force: given.has('force') })];
    case 'add':
      return [...(rest[0] ? contact(work, rest[0], 'fetch') : []), git(work, 'fetch', { reversible: true })];
    case 'foreach':
      return [
        git(work, 'foreach'),
        effect(work.call, 'run', { detail: 'git-foreach', target: nameTarget(rest[0]) }),
      ];
    case 'set-url':
    case 'set-branch':
      return [git(work, 'config', { reversible: true })];
    default:
      return inert(work.call);
  }
};

const configOptions = options(
  'global system local worktree f/file= blob= get get-all get-regexp get-urlmatch= get-color get-colorbool replace-all add unset unset-all rename-section remove-section l/list type= bool int bool-or-int path z name-only includes no-includes show-origin show-scope default= e/edit t= comment= value= fixed-value all',
);
const config: Subcommand = (work) => {
  const given = configOptions(work.args);
  const verb = textOf(given.operands[0] ?? literal('list'));
  const modern = verb !== null && /^(?:list|get|set|unset|rename-section|remove-section|edit)$/.test(verb);
  const rest = modern ? given.operands.slice(1) : given.operands;
  const [key, value] = rest;
  const scope = given.has('global', 'system') ? 'config-global' : 'config';
  const file = given.last('file');
  if (given.has('edit') || verb === 'edit') return [git(work, scope)];
  if (
    given.has('get', 'get-all', 'get-regexp', 'get-urlmatch', 'list', 'get-color', 'get-colorbool') ||
    (modern && (verb === 'get' || verb === 'list')) ||
    (!modern &&
      !given.has('unset', 'unset-all', 'add', 'replace-all', 'rename-section', 'remove-section') &&
      value === undefined)
  )
    return orInert(work.call, file ? read(work.call, file) : []);
  const target = nameTarget(key);
  const effects: Effect[] = [
    git(work, scope, { target, reversible: true }),
    ...(file ? write(work.call, file, { detail: 'edit' }) : []),
  ];
  const removes =
    given.has('unset', 'unset-all', 'remove-section') || verb === 'unset' || verb === 'remove-section';
  if (!removes && (key === undefined || key.kind !== 'literal' || settingRuns(key.text, value)))
    effects.push(
      effect(work.call, 'run', { detail: 'git-config', target }),
      effect(work.call, 'persist', { detail: 'git-hook', target }),
    );
  return effects;
};

const remote: Subcommand = (work) => {
  const given = options('v/verbose n p/prune f m= t= mirror? tags push add delete all')(work.args);
  const [verb, name, url] = given.operands;
  switch (textOf(verb ?? literal('show'))) {
    case 'show':
    case 'get-url':
      return inert(work.call);
    case 'add':
    case 'set-url':
      return [
        ...(url && /^ext::/.test(beginningOf(url)) ? contact(work, url, 'fetch') : []),
        git(work, textOf(verb ?? unknownValue) === 'add' ? 'remote-add' : 'remote-set-url', {
          target: nameTarget(url ?? name),
          reversible: true,
        }),
      ];
    case 'remove':
    case 'rm':
      return [git(work, 'remote-remove', { target: nameTarget(name), reversible: true })];
    case 'update':
    case 'prune':
      return [git(work, 'fetch', { reversible: true })];
    default:
      return [git(work, 'config', { reversible: true })];
  }
};

const rm: Subcommand = (work) => {
  const given = options('f/force n/dry-run r cached ignore-unmatch sparse q pathspec-from-file=')(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  if (given.has('cached')) return onPaths(work, 'unstage', given.operands, { reversible: true });
  const force = given.has('force');
  return given.operands.flatMap((path) => [
    git(work, 'rm', {
      target: pathTarget(within(work.folder, path)),
      recursive: given.has('r'),
      force,
      reversible: !force,
    }),
    ...remove(work.call, within(work.folder, path), { recursive: given.has('r'), force, reversible: !force }),
  ]);
};

const mv: Subcommand = (work) => {
  const { operands } = options('f/force k n/dry-run v')(work.args);
  const destination = operands.at(-1);
  return destination
    ? [
        git(work, 'mv', { reversible: true }),
        ...write(work.call, within(work.folder, destination), { detail: 'move' }),
      ]
    : inert(work.call);
};

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

const apply: Subcommand = (work) => {
  const given = options(
    'stat numstat summary check index cached 3/3way R/reverse p= exclude= include= directory= whitespace= v reject unidiff-zero C= intent-to-add N apply allow-empty',
  )(work.args);
  const inputs = given.operands.flatMap((path) => read(work.call, path));
  if (given.has('check') || (given.has('stat', 'numstat', 'summary') && !given.has('apply')))
    return orInert(work.call, inputs);
  return [
    ...inputs,
    ...given.all('directory').flatMap((path) => write(work.call, path, { detail: 'edit' })),
    git(work, 'apply', { reversible: true, ...(given.has('reverse') ? { force: true } : {}) }),
  ];
};

const readTree: Subcommand = (work) => {
  const given = options(
    'm u i reset n/dry-run empty prefix= exclude-per-directory= v index-output= no-sparse-checkout',
  )(work.args);
  if (given.has('reset') && given.has('u')) return [git(work, 'discard', { recursive: true, force: true })];
  return [git(work, 'stage', { reversible: true })];
};

const checkoutIndex: Subcommand = (work) => {
  const given = options('f/force a/all u q n prefix= stage= temp stdin z')(work.args);
  if (given.has('prefix'))
    return write(work.call, given.last('prefix') ?? unknownValue, { detail: 'create' });
  return given.has('force')
    ? onPaths(work, 'discard', given.operands, { force: true })
    : [git(work, 'switch', { reversible: true })];
};

const symbolicRef: Subcommand = (work) => {
  const given = options('d/delete q m= short recurse')(work.args);
  if (given.has('delete'))
    return [git(work, 'ref-delete', { target: nameTarget(given.operands[0]), force: true })];
  return given.operands.length > 1
    ? [git(work, 'ref-change', { target: nameTarget(given.operands[0]), reversible: true })]
    : inert(work.call);
};

const bisect: Subcommand = (work) => {
  const verb = textOf(work.args[0] ?? literal('help'));
  if (verb !== null && /^(?:log|visualize|view|help|terms)$/.test(verb)) return inert(work.call);
  const runs =
    verb === 'run'
      ? [effect(work.call, 'run', { detail: 'git-bisect', target: nameTarget(work.args[1]) })]
      : [];
  return [git(work, 'switch', { reversible: true }), ...runs];
};

const lfs: Subcommand = (work) => {
  const verb = textOf(work.args[0] ?? literal('env')) ?? 'unknown';
  if (/^(?:env|ls-files|status|logs|version|pointer|locks|track|untrack|fsck)$/.test(verb))
    return verb === 'track' || verb === 'untrack'
      ? write(work.call, literal('.gitattributes'), { detail: 'edit' })
      : inert(work.call);
  if (verb === 'push') return [git(work, 'push', { target: nameTarget(work.args[1]) })];
  if (verb === 'migrate') return [git(work, 'rewrite', { force: true })];
  if (verb === 'prune') return [git(work, 'prune', { reversible: true })];
  return [git(work, verb === 'install' || verb === 'uninstall' ? 'config' : 'fetch', { reversible: true })];
};

const notes: Subcommand = (work) => {
  const verb = textOf(work.args[0] ?? literal('list'));
  return verb === 'list' || verb === 'show' || verb === 'get-ref'
    ? inert(work.call)
    : [git(work, verb === 'remove' || verb === 'prune' ? 'notes-remove' : 'notes', { reversible: true })];
};

const subtree: Subcommand = (work) => {
  const verb = textOf(options('P/prefix= squash m= b=')(work.args).operands[0] ?? literal(''));
  return [
    git(
      work,
      verb === 'push' ? 'push' : verb === 'split' ? 'branch' : 'pull',
      verb === 'push' ? {} : { reversible: true },
    ),
  ];
};

const credential: Subcommand = (work) =>
  textOf(work.args[0] ?? unknownValue) === 'fill' || /^credential-/.test(work.name)
    ? [effect(work.call, 'secret', { detail: 'credentials' })]
    : [git(work, 'config')];

/** One row a subcommand; what is only ever read stands in one list below. */
const subcommands: ReadonlyMap<string, Subcommand> = new Map(
  Object.entries<Subcommand>({
    add: (work) =>
      work.args.some((argument) => /^(?:-n|--dry-run)$/.test(textOf(argument) ?? ''))
        ? inert(work.call, 'dry-run')
        : [git(work, 'stage', { reversible: true })],
    stage: simple('stage', { reversible: true }),
    commit,
    push,
    'send-pack': push,
    fetch: obtain,
    clone: obtain,
    pull: obtain,
    'fetch-pack': obtain,
    'ls-remote': (work) =>
      obtain(work)
        .filter(({ kind, detail }) => kind !== 'git' || detail !== 'fetch')
        .concat(inert(work.call)),
    reset,
    checkout,
    switch: switchBranch,
    restore,
    clean,
    stash,
    branch,
    tag,
    merge: sequence('merge'),
    rebase: sequence('rebase'),
    'cherry-pick': sequence('commit'),
    revert: sequence('commit'),
    am: sequence('commit'),
    'filter-branch': (work) => [
      git(work, 'rewrite', { force: true, recursive: true }),
      effect(work.call, 'run', { detail: 'git-filter' }),
    ],
    'filter-repo': simple('rewrite', { force: true, recursive: true }),
    'fast-import': simple('rewrite', { force: true }),
    replace: (work) =>
      work.args.some((argument) => /^-(?:l|-list)/.test(beginningOf(argument))) || work.args.length === 0
        ? inert(work.call)
        : [git(work, 'rewrite')],
    'update-ref': updateRef,
    'symbolic-ref': symbolicRef,
    reflog,
    gc,
    prune: gc,
    repack: simple('gc', { reversible: true }),
    'prune-packed': simple('gc', { reversible: true }),
    'pack-refs': simple('gc', { reversible: true }),
    maintenance: (work) =>
      textOf(work.args[0] ?? unknownValue) === 'start'
        ? [git(work, 'config-global'), effect(work.call, 'persist', { detail: 'cron' })]
        : [git(work, 'gc', { reversible: true })],
    worktree,
    submodule,
    config,
    remote,
    init: (work) => {
      const given = options(
        'q/quiet bare template= separate-git-dir= object-format= ref-format= b/initial-branch= shared?',
      )(work.args);
      const [folder] = given.operands;
      return [
        git(work, 'init', { reversible: true }),
        ...(folder ? write(work.call, within(work.folder, folder), { detail: 'create' }) : []),
        ...given.all('template').map((path) => hooksFrom(work, path)),
      ];
    },
    rm,
    mv,
    archive: outputs('archive'),
    'format-patch': outputs('patches'),
    bundle,
    apply,
    'read-tree': readTree,
    'checkout-index': checkoutIndex,
    'update-index': simple('stage', { reversible: true }),
    'sparse-checkout': (work) =>
      textOf(work.args[0] ?? literal('list')) === 'list'
        ? inert(work.call)
        : [git(work, 'sparse', { reversible: true })],
    bisect,
    notes,
    subtree,
    lfs,
    svn: (work) =>
      /^(?:dcommit|set-tree)$/.test(beginningOf(work.args[0] ?? unknownValue))
        ? [git(work, 'push')]
        : [git(work, 'fetch', { reversible: true })],
    p4: (work) =>
      textOf(work.args[0] ?? unknownValue) === 'submit'
        ? [git(work, 'push')]
        : [git(work, 'fetch', { reversible: true })],
    'send-email': (work) =>
      work.args.some((argument) => textOf(argument) === '--dry-run')
        ? inert(work.call, 'dry-run')
        : [effect(work.call, 'message', { detail: 'e-mail' })],
    'imap-send': (work) => [effect(work.call, 'message', { detail: 'e-mail' })],
    daemon: (work) => [effect(work.call, 'listen', { detail: 'git' })],
    instaweb: (work) => [effect(work.call, 'listen', { detail: 'http' })],
    'http-backend': (work) => [effect(work.call, 'listen', { detail: 'http' })],
    credential,
    'credential-store': credential,
    'credential-cache': credential,
    difftool: (work) => [effect(work.call, 'run', { detail: 'helper' })],
    mergetool: (work) => [effect(work.call, 'run', { detail: 'helper' })],
    hook: (work) => [effect(work.call, 'run', { detail: 'git-hook' })],
    rerere: (work) =>
      /^(?:clear|forget|gc)$/.test(beginningOf(work.args[0] ?? unknownValue))
        ? [git(work, 'rerere', { reversible: true })]
        : inert(work.call),
    'hash-object': (work) =>
      orInert(
        work.call,
        options('t= w stdin path= no-filters')(work.args).operands.flatMap((path) =>
          read(work.call, within(work.folder, path)),
        ),
      ),
    flow: simple('branch', { reversible: true }),
    absorb: simple('amend', { reversible: true }),
    undo: simple('reset', { reversible: true }),
  }),
);

const readOnly = new Set(
  'status log diff show blame annotate grep shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev for-each-ref show-ref show-branch cherry merge-base whatchanged diff-tree diff-index diff-files range-diff count-objects fsck verify-commit verify-tag verify-pack check-ignore check-attr check-ref-format check-mailmap var version help bugreport diagnose get-tar-commit-id merge-tree merge-file patch-id column stripspace interpret-trailers request-pull mailinfo mailsplit fmt-merge-msg unpack-file write-tree commit-tree mktree mktag index-pack unpack-objects pack-objects show-index for-each-repo fast-export commit-graph multi-pack-index last-modified backfill refs gui gitk cola citool standup who who-am-i'.split(
    ' ',
  ),
);

const gitTool: Tool = (call) => {
  const given = globalOptions(call.args);
  const settings = givenSettings(call, given);
  if (given.has('exec-path') && given.last('exec-path'))
    return [
      ...settings,
      effect(call, 'run', { detail: 'git-helper', target: nameTarget(given.last('exec-path')) }),
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
  svn: (call) => {
    const verb =
      textOf(call.args.find((argument) => !beginningOf(argument).startsWith('-')) ?? literal('help')) ??
      'unknown';
    if (/^(?:st|stat|status|log|diff|di|info|ls|list|cat|blame|help|proplist|propget|pg|pl)$/.test(verb))
      return inert(call);
    if (/^(?:revert|cleanup)$/.test(verb))
      return [
        effect(call, 'git', {
          detail: 'discard',
          recursive: call.args.some((argument) =>
            /^(?:-R|--recursive|--remove-unversioned)/.test(beginningOf(argument)),
          ),
        }),
      ];
    return [
      effect(call, 'git', {
        detail: /^(?:ci|commit|import|copy|cp|mkdir|delete|del|rm|remove|move|mv|lock|unlock)$/.test(verb)
          ? 'push'
          : 'fetch',
      }),
    ];
  },
  hg: (call) => {
    const given = options('R= config= cwd= y v q debug', { stopAtOperand: true })(call.args);
    const verb = textOf(given.operands[0] ?? literal('help')) ?? 'unknown';
    const forced = given.operands.some((argument) =>
      /^(?:-C|--clean|-f|--force|--all|-a)$/.test(textOf(argument) ?? ''),
    );
    const runs = given
      .all('config')
      .filter((setting) =>
        /^(?:alias|hooks|extensions|ui\.(?:editor|ssh|merge)|merge-tools|pager)/.test(beginningOf(setting)),
      )
      .map((setting) => effect(call, 'run', { detail: 'git-config', target: nameTarget(setting) }));
    if (
      /^(?:st|status|log|diff|id|identify|heads|tip|branches|tags|cat|annotate|blame|summary|sum|paths|help|version|root|manifest|files|grep|parents|incoming|outgoing|in|out|bookmarks|verify|showconfig|config)$/.test(
        verb,
      )
    )
      return orInert(call, runs);
    const detail =
      verb === 'push'
        ? forced
          ? 'force-push'
          : 'push'
        : /^(?:revert|purge|clean|up|update|co|checkout)$/.test(verb)
          ? forced || verb === 'purge' || verb === 'clean'
            ? 'discard'
            : 'switch'
          : /^(?:strip|rollback|histedit|rebase|prune)$/.test(verb)
            ? 'rewrite'
            : /^(?:pull|clone|fetch)$/.test(verb)
              ? 'fetch'
              : 'commit';
    return [...runs, effect(call, 'git', { detail })];
  },
  jj: (call) => {
    const words = call.args.map(beginningOf);
    if (/^(?:st|status|log|diff|show|version|help|config|root|files|op|operation)$/.test(words[0] ?? 'log'))
      return inert(call);
    return [
      effect(call, 'git', {
        detail:
          words[0] === 'git' && words[1] === 'push'
            ? 'push'
            : words[0] === 'abandon' || words[0] === 'restore'
              ? 'discard'
              : 'commit',
        reversible: words[1] !== 'push',
      }),
    ];
  },
};
