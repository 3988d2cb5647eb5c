// Package managers of systems: what they install is there for every user of the machine.

import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';
import { packages, type Verbs } from './effects.ts';

/** A manager with a verb as its first operand. */
function byVerb(description: string, verbs: Verbs): Tool {
  return (call) => {
    const given = options(description)(call.args);
    const [verb, ...names] = given.operands;
    const text = textOf(verb ?? literal('help'));
    if (given.has('dry-run', 'simulate', 'just-print', 'download-only')) return inert(call, 'dry-run');
    const force = given.has('force', 'f', 'allow-unauthenticated', 'force-yes', 'nodeps');
    const more = force ? { force } : {};
    const helpers = given
      .all('o', 'option', 'setopt')
      .filter(
        (setting) =>
          /(?:Pre-|Post-)?Invoke|Dpkg::|APT::(?:Update|NeverAutoRemove)/i.test(beginningOf(setting)) &&
          /Invoke/i.test(beginningOf(setting)),
      )
      .map((setting) => effect(call, 'run', { detail: 'package-hook', target: nameTarget(setting) }));
    if (text === null) return [...helpers, ...packages(call, 'install', names, more)];
    if (verbs.remove?.test(text))
      return [
        ...helpers,
        ...packages(call, 'remove', names, { ...more, recursive: /purge|autoremove/.test(text) }),
      ];
    if (verbs.install?.test(text))
      return [
        ...helpers,
        ...packages(call, 'install', names, more),
        ...names
          .filter((name) => /^[./~]|^https?:/.test(beginningOf(name)))
          .flatMap((name) => read(call, name)),
      ];
    if (verbs.update?.test(text)) return [...helpers, ...packages(call, 'update', names, more)];
    if (verbs.sources?.test(text)) return [...helpers, ...packages(call, 'sources', names, more)];
    return orInert(call, helpers);
  };
}

const aptDescription =
  'y/yes/assume-yes q? f/fix-broken s/simulate/just-print/dry-run/recon/no-act d/download-only o/option= c/config-file= t/target-release= a= reinstall purge force-yes allow-unauthenticated no-install-recommends allow-downgrades allow-remove-essential only-upgrade m u V';
const apt = byVerb(aptDescription, {
  install: /^(?:install|reinstall|build-dep)$/,
  remove: /^(?:remove|purge|autoremove|autopurge|dselect-upgrade)$/,
  update: /^(?:update|upgrade|dist-upgrade|full-upgrade|safe-upgrade|mark|hold|unhold)$/,
  sources: /^(?:edit-sources|add-repository)$/,
});
const dnf = byVerb(
  'y/assumeyes q v C/cacheonly b/best downloadonly/download-only setopt= enablerepo= disablerepo= repo= x/exclude= releasever= installroot= c/config= allowerasing nogpgcheck skip-broken assumeno/dry-run',
  {
    install: /^(?:install|reinstall|localinstall|groupinstall|group|module|builddep|swap|downgrade|in|copr)$/,
    remove: /^(?:remove|erase|autoremove|rm|groupremove)$/,
    update: /^(?:update|upgrade|distro-sync|system-upgrade|makecache|upgrade-minimal|update-minimal|mark)$/,
    sources: /^config-manager$/,
  },
);

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
  apt,
  'apt-get': apt,
  aptitude: apt,
  nala: apt,
  'apt-cache': (call) => inert(call),
  'apt-config': (call) => inert(call),
  'apt-file': (call) => inert(call),
  'apt-mark': (call) =>
    /^show/.test(beginningOf(call.args[0] ?? literal('')))
      ? inert(call)
      : packages(call, 'update', call.args.slice(1)),
  'apt-key': (call) =>
    /^(?:list|finger|export)/.test(beginningOf(call.args[0] ?? literal('')))
      ? inert(call)
      : packages(call, 'sources', call.args.slice(1)),
  'add-apt-repository': (call) => packages(call, 'sources', call.args),
  dpkg,
  'dpkg-query': (call) => inert(call),
  'dpkg-deb': dpkg,
  'dpkg-reconfigure': (call) => packages(call, 'install', call.args),
  debconf: (call) => inert(call),
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
  dnf,
  dnf5: dnf,
  yum: dnf,
  microdnf: dnf,
  tdnf: dnf,
  'rpm-ostree': dnf,
  'yum-config-manager': (call) => packages(call, 'sources', call.args),
  rpm,
  zypper: byVerb('n/non-interactive y q no-gpg-checks dry-run/D download-only R/root= f/force t= r/repo=', {
    install: /^(?:install|in|source-install|si|addlock|al)$/,
    remove: /^(?:remove|rm|purge-kernels)$/,
    update: /^(?:update|up|dist-upgrade|dup|patch|refresh|ref)$/,
    sources: /^(?:addrepo|ar|removerepo|rr|modifyrepo|mr)$/,
  }),
  pacman,
  yay: pacman,
  paru: pacman,
  makepkg: (call) => inert(call, 'project'),
  apk: byVerb('X/repository= U t/virtual= q v f/force s/simulate p/root= no-cache allow-untrusted purge', {
    install: /^(?:add|fix)$/,
    remove: /^del$/,
    update: /^(?:update|upgrade)$/,
  }),
  emerge: (call) => {
    const given = options(
      'p/pretend a/ask v q u/update D N C/unmerge c/depclean P/prune s/search S sync 1 e',
    )(call.args);
    return given.has('pretend', 'search', 'S')
      ? inert(call)
      : packages(call, given.has('unmerge', 'depclean', 'prune') ? 'remove' : 'install', given.operands);
  },
  xbps: (call) => inert(call),
  'xbps-install': (call) => packages(call, 'install', call.args),
  'xbps-remove': (call) => packages(call, 'remove', call.args),
  opkg: byVerb('f= force-removal-of-dependent-packages', {
    install: /^(?:install|configure)$/,
    remove: /^remove$/,
    update: /^(?:update|upgrade)$/,
  }),
  eopkg: byVerb('y', {
    install: /^(?:install|it)$/,
    remove: /^(?:remove|rm|autoremove)$/,
    update: /^(?:upgrade|up)$/,
  }),
  pkg: byVerb('y f/force n/dry-run', {
    install: /^(?:install|add)$/,
    remove: /^(?:delete|remove|autoremove)$/,
    update: /^(?:update|upgrade)$/,
  }),
  pkgutil: (call) =>
    call.args.some((argument) => /^--forget/.test(beginningOf(argument)))
      ? packages(call, 'remove', call.args.slice(1))
      : inert(call),
  port: byVerb('f/force u v', {
    install: /^(?:install|activate)$/,
    remove: /^(?:uninstall|deactivate|reclaim)$/,
    update: /^(?:selfupdate|upgrade|sync)$/,
  }),
  installer: (call) => packages(call, 'install', call.args),
  softwareupdate: (call) =>
    call.args.some((argument) => /^(?:-i|--install|-d)/.test(beginningOf(argument)))
      ? packages(call, 'update', [])
      : inert(call),
  snap: byVerb('channel= classic devmode dangerous revision= purge', {
    install: /^(?:install|alias|connect|enable|set)$/,
    remove: /^(?:remove|disable|disconnect|unalias)$/,
    update: /^(?:refresh|revert)$/,
  }),
  flatpak: byVerb('y/assumeyes user system app= arch= branch= delete-data', {
    install: /^install$/,
    remove: /^(?:uninstall|remove|repair)$/,
    update: /^update$/,
    sources: /^(?:remote-add|remote-delete|override)$/,
  }),
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
  choco: byVerb('y f/force source=', {
    install: /^install$/,
    remove: /^uninstall$/,
    update: /^upgrade$/,
    sources: /^source$/,
  }),
  scoop: byVerb('g/global', {
    install: /^install$/,
    remove: /^uninstall$/,
    update: /^update$/,
    sources: /^bucket$/,
  }),
  winget: byVerb('id= e h', {
    install: /^install$/,
    remove: /^uninstall$/,
    update: /^upgrade$/,
    sources: /^source$/,
  }),
};
