// Package managers of systems: what they install is there for every user of the machine.

import { beginningOf, literal } from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';
import { hooks, type Manager, manages } from '../managers.ts';
import { packages } from '../package-effects.ts';

const removing = (name: string, words: string): Readonly<Record<string, string>> => ({
  [`${name} <${words}> a`]: 'package a (remove)',
});

const apt = manages({
  names: 'apt apt-get aptitude nala',
  options:
    'y/yes/assume-yes q? force/f/fix-broken s/simulate/just-print/dry-run/recon/no-act d/download-only o/option= c/config-file= t/target-release= a/host-architecture= reinstall purge force-yes allow-unauthenticated no-install-recommends allow-downgrades allow-remove-essential only-upgrade m u V',
  readings:
    'o option c config-file t target-release a host-architecture; y yes assume-yes force f fix-broken s simulate just-print dry-run recon no-act d download-only reinstall purge force-yes allow-unauthenticated no-install-recommends allow-downgrades allow-remove-essential only-upgrade m u V; q',
  install: 'install reinstall build-dep',
  remove: 'remove purge autoremove autopurge dselect-upgrade',
  update: 'update upgrade dist-upgrade full-upgrade safe-upgrade mark hold unhold',
  sources: 'edit-sources add-repository',
  hit: {
    'apt <install reinstall build-dep> a': 'package a (install)',
    'apt-get -y install a b': 'package a (install); package b (install)',
    'apt install ./a.deb': 'package ./a.deb (install); run ./a.deb (package-file) from unknown; read ./a.deb',
    'apt install $NAME': 'package … (install)',
    'apt $VERB a': 'package a (install)',
    'apt remove a': 'package a (remove)',
    'apt <purge autoremove> a': 'package a (remove) recursive',
    'apt autopurge a': 'package a (remove) recursive',
    'apt dselect-upgrade a': 'package a (remove)',
    'apt <update upgrade dist-upgrade full-upgrade safe-upgrade>': 'package (update)',
    'apt <mark hold unhold> a': 'package a (update)',
    'apt <edit-sources add-repository> a': 'package a (sources)',
    'apt -s install a': 'inert (dry-run)',
    'apt --dry-run remove a': 'inert (dry-run)',
    'apt -d install a': 'inert (dry-run)',
    'apt install --allow-unauthenticated a': 'package a (install) force',
    'apt install --force-yes a': 'package a (install) force',
    'apt -f install a': 'package a (install) force',
  },
  facts: hooks('apt'),
});

const dnf = manages({
  names: 'dnf dnf5 yum microdnf tdnf rpm-ostree',
  options:
    'y/assumeyes q v C/cacheonly b/best download-only/downloadonly option/setopt= enablerepo= disablerepo= repo= x/exclude= releasever= installroot= c/config= allowerasing nogpgcheck skip-broken dry-run/assumeno force',
  readings:
    'option setopt enablerepo disablerepo repo x exclude releasever installroot c config; y assumeyes q v C cacheonly b best download-only downloadonly allowerasing nogpgcheck skip-broken dry-run assumeno force',
  install: 'install reinstall localinstall groupinstall group module builddep swap downgrade in copr',
  remove: 'remove erase autoremove rm groupremove',
  update: 'update upgrade distro-sync system-upgrade makecache upgrade-minimal update-minimal mark',
  sources: 'config-manager',
  hit: {
    'dnf <install reinstall localinstall groupinstall group module builddep swap downgrade in copr> a':
      'package a (install)',
    'dnf <remove erase rm groupremove> a': 'package a (remove)',
    'dnf autoremove': 'package (remove) recursive',
    'dnf <update upgrade distro-sync system-upgrade makecache upgrade-minimal update-minimal mark> a':
      'package a (update)',
    'dnf config-manager a': 'package a (sources)',
    'yum -y --assumeno install a': 'inert (dry-run)',
    'dnf install --downloadonly a': 'inert (dry-run)',
    'dnf install https://h.example/a.rpm':
      'package https://h.example/a.rpm (install); connect h.example (download); read https://h.example/a.rpm',
  },
});

/** One whose words are short. */
const small = (more: Pick<Manager, 'names' | 'hit'> & Partial<Manager>): Card =>
  manages({ options: 'y force/f dry-run/n', readings: '; y force f dry-run n', ...more });

const others: readonly Card[] = [
  small({
    names: 'zypper',
    options: 'n/non-interactive y q no-gpg-checks dry-run/D download-only R/root= force/f t= r/repo=',
    readings: 'R root t r repo; n non-interactive y q no-gpg-checks dry-run D download-only force f',
    install: 'install in source-install si addlock al',
    remove: 'remove rm purge-kernels',
    update: 'update up dist-upgrade dup patch refresh ref',
    sources: 'addrepo ar removerepo rr modifyrepo mr',
    hit: {
      'zypper <install in source-install si addlock al> a': 'package a (install)',
      ...removing('zypper', 'remove rm'),
      'zypper purge-kernels': 'package (remove) recursive',
      'zypper <update up dist-upgrade dup patch refresh ref>': 'package (update)',
      'zypper <addrepo ar removerepo rr modifyrepo mr> a': 'package a (sources)',
    },
  }),
  small({
    names: 'apk',
    options:
      'X/repository= U t/virtual= q v force/f s/simulate/dry-run p/root= no-cache allow-untrusted purge',
    readings:
      'X repository t virtual p root; U q v force f s simulate dry-run no-cache allow-untrusted purge',
    install: 'add fix',
    remove: 'del',
    update: 'update upgrade',
    hit: {
      'apk <add fix> a': 'package a (install)',
      ...removing('apk', 'del'),
      'apk <update upgrade>': 'package (update)',
      'apk -s add a': 'inert (dry-run)',
    },
  }),
  small({
    names: 'opkg',
    options: 'f= force/force-removal-of-dependent-packages',
    readings: 'f; force force-removal-of-dependent-packages',
    install: 'install configure',
    remove: 'remove',
    update: 'update upgrade',
    hit: {
      'opkg <install configure> a': 'package a (install)',
      ...removing('opkg', 'remove'),
      'opkg <update upgrade>': 'package (update)',
    },
  }),
  small({
    names: 'eopkg',
    install: 'install it',
    remove: 'remove rm',
    update: 'upgrade up',
    hit: {
      'eopkg <install it> a': 'package a (install)',
      ...removing('eopkg', 'remove rm'),
      'eopkg <upgrade up>': 'package (update)',
    },
  }),
  small({
    names: 'pkg',
    install: 'install add',
    remove: 'delete remove autoremove',
    update: 'update upgrade',
    hit: {
      'pkg <install add> a': 'package a (install)',
      ...removing('pkg', 'delete remove'),
      'pkg autoremove': 'package (remove) recursive',
      'pkg <update upgrade>': 'package (update)',
      'pkg -n install a': 'inert (dry-run)',
    },
  }),
  small({
    names: 'port',
    options: 'force/f u v',
    readings: '; force f u v',
    install: 'install activate',
    remove: 'uninstall deactivate reclaim',
    update: 'selfupdate upgrade sync',
    hit: {
      'port <install activate> a': 'package a (install)',
      ...removing('port', 'uninstall deactivate reclaim'),
      'port <selfupdate upgrade sync>': 'package (update)',
    },
  }),
  small({
    names: 'snap',
    options: 'channel= classic devmode dangerous revision= purge',
    readings: 'channel revision; classic devmode dangerous purge',
    install: 'install alias connect enable set',
    remove: 'remove disable disconnect unalias',
    update: 'refresh revert',
    hit: {
      'snap <install alias connect enable set> a': 'package a (install)',
      ...removing('snap', 'remove disable disconnect unalias'),
      'snap <refresh revert> a': 'package a (update)',
    },
  }),
  small({
    names: 'flatpak',
    options: 'y/assumeyes user system app= arch= branch= delete-data',
    readings: 'app arch branch; y assumeyes user system delete-data',
    install: 'install',
    remove: 'uninstall remove repair',
    update: 'update',
    sources: 'remote-add remote-delete override',
    hit: {
      ...removing('flatpak', 'uninstall remove repair'),
      'flatpak install --user a b': 'package a (install); package b (install)',
      'flatpak update': 'package (update)',
      'flatpak <remote-add remote-delete override> a': 'package a (sources)',
    },
  }),
  small({
    names: 'choco scoop winget',
    options: 'y force/f source= g/global id= e h',
    readings: 'source id; y force f g global e h',
    install: 'install',
    remove: 'uninstall',
    update: 'upgrade update',
    sources: 'source bucket',
    hit: {
      'choco install a -y': 'package a (install)',
      ...removing('scoop', 'uninstall'),
      'winget upgrade --id a': 'package (update)',
      'scoop update a': 'package a (update)',
      'choco <source bucket> a': 'package a (sources)',
    },
  }),
];

/** Programs that only look. */
const lookers: readonly Card[] = ['apt-cache', 'apt-config', 'apt-file', 'dpkg-query', 'debconf', 'xbps'].map(
  (names) => ({ names, options: '', readings: '', facts: [] }),
);

/** Whatever their words are, they change packages, or where they come from. */
function always(names: string, detail: string): Card {
  const [name = ''] = names.split(' ');
  const fact: Fact = {
    what: detail === 'sources' ? 'changes where packages come from' : 'changes packages',
    always: true,
    effects: (call) => packages(call, detail, call.args),
    examples: { hit: { [`${name} a`]: `package a (${detail})` }, miss: [] },
  };
  return { names, options: '', readings: '', facts: [fact] };
}

/** The first word says whether it only looks. */
function unlessLooking(names: string, looks: RegExp, detail: string, examples: Fact['examples']): Card {
  return {
    names,
    options: '',
    readings: '',
    facts: [
      {
        what: 'changes packages, or where they come from',
        effects: (call) =>
          looks.test(beginningOf(call.args[0] ?? literal('')))
            ? []
            : packages(call, detail, call.args.slice(1)),
        examples,
      },
    ],
  };
}

export const cards: readonly Card[] = [
  apt,
  dnf,
  ...others,
  ...lookers,
  always('add-apt-repository', 'sources'),
  always('yum-config-manager', 'sources'),
  always('dpkg-reconfigure', 'install'),
  always('xbps-install', 'install'),
  always('xbps-remove', 'remove'),
  always('installer', 'install'),
  unlessLooking('apt-mark', /^show/, 'update', {
    hit: { 'apt-mark hold a': 'package a (update)' },
    miss: ['apt-mark showhold'],
  }),
  unlessLooking('apt-key', /^(?:list|finger|export)/, 'sources', {
    hit: { 'apt-key add a': 'package a (sources)' },
    miss: ['apt-key <list finger export exportall>'],
  }),
];
