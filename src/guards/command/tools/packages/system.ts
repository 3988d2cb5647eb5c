// Package managers of systems: what they install is there for every user of the machine.

import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';
import { packages } from './effects.ts';

const pacman: Tool = (call) => {
  const given = options(
    'S/sync R/remove U/upgrade Q/query F/files D/database T/deptest y/refresh u/sysupgrade s/search/recursive i/info l/list c/clean n/nosave d/nodeps p/print q g noconfirm needed overwrite= w/downloadonly k o r/root= b/dbpath= config= cachedir= a V asdeps asexplicit',
  )(call.args);
  if (given.has('query', 'files', 'deptest', 'print', 'V')) return inert(call);
  if (given.has('remove'))
    return packages(call, 'remove', given.operands, {
      force: given.has('nodeps'),
      recursive: given.has('s'),
    });
  if (given.has('upgrade')) return packages(call, 'install', given.operands);
  if (given.has('sync')) {
    if (given.has('search', 'info', 'list', 'g')) return inert(call);
    if (given.has('clean')) return packages(call, 'clean', [], { reversible: true });
    return packages(call, given.operands.length > 0 ? 'install' : 'update', given.operands);
  }
  return call.args.length === 0 ? inert(call) : packages(call, 'update', given.operands);
};

const rpm: Tool = (call) => {
  const given = options(
    'i/install U/upgrade F/freshen e/erase q/query V/verify K/checksig import= rebuilddb initdb a l f p R h v test nodeps force root= eval= E= pipe= allmatches d c s g dbpath= qf/queryformat=',
  )(call.args);
  const runs = given.has('pipe')
    ? [effect(call, 'run', { detail: 'helper', target: nameTarget(given.last('pipe')) })]
    : [];
  if (given.has('query', 'verify', 'checksig', 'eval', 'E', 'test')) return orInert(call, runs);
  const force = given.has('nodeps', 'force');
  if (given.has('erase')) return packages(call, 'remove', given.operands, { force });
  if (given.has('install', 'upgrade', 'freshen')) return packages(call, 'install', given.operands, { force });
  return given.has('import', 'rebuilddb', 'initdb')
    ? packages(call, 'sources', given.operands)
    : orInert(call, runs);
};

const dpkg: Tool = (call) => {
  const given = options(
    'i/install r/remove P/purge unpack= configure= a l/list L/listfiles= S/search= s/status= p/print-avail= I/info= c/contents= x/extract= X= e/control= W/show= f/field= b/build= get-selections set-selections add-architecture= remove-architecture= print-architecture force-all force-depends force-remove-essential version audit C compare-versions',
  )(call.args);
  const force = call.args.some((argument) => /^--force-/.test(beginningOf(argument)));
  if (given.has('remove', 'purge'))
    return packages(call, 'remove', given.operands, { force, recursive: given.has('purge') });
  if (given.has('install', 'unpack', 'configure'))
    return packages(call, 'install', [...given.operands, ...given.all('unpack', 'configure')], { force });
  if (given.has('set-selections', 'add-architecture', 'remove-architecture'))
    return packages(call, 'sources', []);
  if (given.has('extract', 'X', 'control'))
    return write(call, given.operands.at(-1) ?? literal('.'), { detail: 'unpack' });
  return inert(call);
};

const brew: Tool = (call) => {
  const given = options(
    'cask formula f/force q v n/dry-run zap s HEAD g/greedy ignore-dependencies prune= file= global',
  )(call.args);
  const [verb, ...names] = given.operands;
  const text = textOf(verb ?? literal('help'));
  if (given.has('dry-run')) return inert(call, 'dry-run');
  if (text === null || /^(?:install|reinstall|link|pin|unpin|bundle)$/.test(text))
    return packages(call, 'install', names);
  if (/^(?:uninstall|remove|rm|autoremove|unlink|untap)$/.test(text))
    return packages(call, text === 'untap' ? 'sources' : 'remove', names, { force: given.has('force') });
  if (/^(?:update|upgrade)$/.test(text)) return packages(call, 'update', names);
  if (text === 'tap') return names.length > 0 ? packages(call, 'sources', names) : inert(call);
  if (text === 'cleanup') return packages(call, 'clean', names, { reversible: true });
  if (text === 'services') {
    const action = textOf(names[0] ?? literal('list')) ?? 'unknown';
    if (/^(?:list|info|ls)$/.test(action)) return inert(call);
    const effects = [
      effect(call, 'service', { detail: action, target: nameTarget(names[1]), reversible: true }),
    ];
    return action === 'start' || action === 'restart'
      ? [...effects, effect(call, 'persist', { detail: 'service', target: nameTarget(names[1]) })]
      : effects;
  }
  return inert(call);
};

/** apt and its kin. */
export const systemTools: Tools = {
  dpkg,
  'dpkg-deb': dpkg,
  'update-alternatives': (call) =>
    call.args.some((argument) => /^--(?:display|list|query|get-selections)/.test(beginningOf(argument)))
      ? inert(call)
      : [
          ...packages(call, 'update', call.args.slice(1, 2)),
          ...call.args.flatMap((argument, at) =>
            textOf(argument) === '--install'
              ? write(call, call.args[at + 1] ?? unknownValue, { detail: 'link' })
              : [],
          ),
        ],
  rpm,
  pacman,
  yay: pacman,
  paru: pacman,
  makepkg: (call) => inert(call, 'project'),
  emerge: (call) => {
    const given = options(
      'p/pretend a/ask v q u/update D N C/unmerge c/depclean P/prune s/search S sync 1 e',
    )(call.args);
    return given.has('pretend', 'search', 'S')
      ? inert(call)
      : packages(call, given.has('unmerge', 'depclean', 'prune') ? 'remove' : 'install', given.operands);
  },
  pkgutil: (call) =>
    call.args.some((argument) => /^--forget/.test(beginningOf(argument)))
      ? packages(call, 'remove', call.args.slice(1))
      : inert(call),
  softwareupdate: (call) =>
    call.args.some((argument) => /^(?:-i|--install|-d)/.test(beginningOf(argument)))
      ? packages(call, 'update', [])
      : inert(call),
  brew,
  nix: (call) =>
    /^(?:profile (?:install|remove|upgrade|add)|store (?:gc|delete)|upgrade-nix)/.test(
      call.args.map(beginningOf).join(' '),
    )
      ? packages(
          call,
          /remove|gc|delete/.test(call.args.map(beginningOf).join(' ')) ? 'remove' : 'install',
          call.args.slice(2),
          { reversible: true },
        )
      : inert(call, 'project'),
  'nix-env': (call) => {
    const given = options('i/install= e/uninstall= u/upgrade? q/query A/attr= f= p=')(call.args);
    return given.has('query')
      ? inert(call)
      : packages(call, given.has('uninstall') ? 'remove' : 'install', given.all('install', 'uninstall'), {
          reversible: true,
        });
  },
  'nix-build': (call) => inert(call, 'project'),
  'nix-collect-garbage': (call) => packages(call, 'clean', []),
  'nixos-rebuild': (call) => packages(call, 'update', []),
};
