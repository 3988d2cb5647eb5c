// Package managers of systems that are told by options what to do, and those of a whole system or a person.

import { type Inner, shellCode } from '../../bash/executors/inner.ts';
import { knownText, singleText } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import { beginningOf, type Call, effect, literal, nameTarget, textOf, write } from '../../tools/tool.ts';
import { building } from '../builds.ts';
import type { Card, Examples, Fact, Given } from '../card.ts';
import { rpmMacros } from '../escapes.ts';
import { packages } from '../package-effects.ts';

type Change = (call: Call, given: Given<Value>) => readonly Effect[];

/** The fact that it changes what is installed. */
function changes(effects: Change, examples: Examples): Fact {
  return { what: 'installs, removes and updates packages', effects, examples };
}

const reversible = { reversible: true } as const;

const dpkg: Card = {
  names: 'dpkg dpkg-deb',
  options:
    'i/install r/remove P/purge unpack= configure= a l/list L/listfiles= S/search= s/status= p/print-avail= I/info= c/contents= x/extract= X= e/control= W/show= f/field= b/build= get-selections set-selections add-architecture= remove-architecture= print-architecture force-all force-depends force-remove-essential version audit C compare-versions',
  readings:
    'unpack configure L listfiles S search s status p print-avail I info c contents x extract X e control W show f field b build add-architecture remove-architecture; i install r remove P purge a l list get-selections set-selections print-architecture force-all force-depends force-remove-essential version audit C compare-versions',
  facts: [
    changes(
      (call, given) => {
        const force = call.args.some((argument) => /^--force-/.test(beginningOf(argument)));
        if (given.has('remove', 'purge'))
          return packages(call, 'remove', given.operands, { force, recursive: given.has('purge') });
        if (given.has('install', 'unpack', 'configure'))
          return packages(call, 'install', [...given.operands, ...given.all('unpack', 'configure')], {
            force,
          });
        if (given.has('set-selections', 'add-architecture', 'remove-architecture'))
          return packages(call, 'sources', []);
        return given.has('extract', 'X', 'control')
          ? write(call, given.operands.at(-1) ?? literal('.'), { detail: 'unpack' })
          : [];
      },
      {
        hit: {
          'dpkg -i a.deb': 'package a.deb (install); run a.deb (package-file) from unknown',
          'dpkg --unpack a.deb': 'package a.deb (install); run a.deb (package-file) from unknown',
          'dpkg --configure a': 'package a (install)',
          'dpkg --force-all -r a': 'package a (remove) force',
          'dpkg -P a': 'package a (remove) recursive',
          'dpkg --set-selections': 'package (sources)',
          'dpkg --<add-architecture remove-architecture> i386': 'package (sources)',
          'dpkg-deb -x a.deb b': 'write b (unpack)',
          'dpkg-deb -X a.deb': 'write . (unpack)',
          'dpkg-deb --control a.deb b': 'write b (unpack)',
        },
        miss: [
          'dpkg -l',
          'dpkg -L a',
          'dpkg -S a',
          'dpkg -<s p I c W f b> a',
          'dpkg --get-selections',
          'dpkg --audit',
        ],
      },
    ),
  ],
};

const rpm: Card = {
  names: 'rpm',
  options:
    'i/install U/upgrade F/freshen e/erase q/query V/verify K/checksig import= rebuilddb initdb a l f p R h v test nodeps force root= eval= E= pipe= allmatches d c s g dbpath= qf/queryformat=',
  readings:
    'import root eval E pipe dbpath qf queryformat; i install U upgrade F freshen e erase q query V verify K checksig rebuilddb initdb a l f p R h v test nodeps force allmatches d c s g',
  facts: [
    {
      what: 'runs macros and a helper that are commands',
      starts: ({ args }, given) => [...rpmMacros(args), ...given.all('pipe').map((text) => shellCode(text))],
      examples: {
        hit: {
          "rpm -E '%(rm a)'": 'shell code: rm a',
          "rpm --eval '%{lua:os.execute(1)}'": 'other code: os.execute(1)',
          "rpm -qa --pipe 'rm a'": 'shell code: rm a',
        },
        miss: ['rpm -qa', 'rpm -i a.rpm'],
      },
    },
    changes(
      (call, given) => {
        const helper = given.last('pipe');
        const runs = helper ? [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })] : [];
        if (given.has('query', 'verify', 'checksig', 'eval', 'E', 'test')) return runs;
        const force = given.has('nodeps', 'force');
        if (given.has('erase')) return packages(call, 'remove', given.operands, { force });
        if (given.has('install', 'upgrade', 'freshen'))
          return packages(call, 'install', given.operands, { force });
        return given.has('import', 'rebuilddb', 'initdb') ? packages(call, 'sources', given.operands) : runs;
      },
      {
        hit: {
          'rpm -i a.rpm': 'package a.rpm (install); run a.rpm (package-file) from unknown',
          'rpm -<Uvh Fvh> a.rpm': 'package a.rpm (install); run a.rpm (package-file) from unknown',
          'rpm -e --nodeps a': 'package a (remove) force',
          'rpm --force -e a': 'package a (remove) force',
          'rpm --import a': 'package (sources)',
          'rpm --<rebuilddb initdb>': 'package (sources)',
          "rpm -qa --pipe 'rm a'": "run 'rm a' (helper)",
        },
        miss: ['rpm -qa', 'rpm -V a', 'rpm -K a', 'rpm -E a', 'rpm --eval a', 'rpm -i --test a.rpm'],
      },
    ),
  ],
};

const pacman: Card = {
  names: 'pacman yay paru',
  options:
    'S/sync R/remove U/upgrade Q/query F/files D/database T/deptest y/refresh u/sysupgrade s/search/recursive i/info l/list c/clean n/nosave d/nodeps p/print q g noconfirm needed overwrite= w/downloadonly k o r/root= b/dbpath= config= cachedir= a V asdeps asexplicit',
  readings:
    'overwrite r root b dbpath config cachedir; S sync R remove U upgrade Q query F files D database T deptest y refresh u sysupgrade s search recursive i info l list c clean n nosave d nodeps p print q g noconfirm needed w downloadonly k o a V asdeps asexplicit',
  facts: [
    changes(
      (call, given) => {
        if (call.args.length === 0 || given.has('query', 'files', 'deptest', 'print', 'V')) return [];
        if (given.has('remove'))
          return packages(call, 'remove', given.operands, {
            force: given.has('nodeps'),
            recursive: given.has('s'),
          });
        if (given.has('upgrade')) return packages(call, 'install', given.operands);
        if (!given.has('sync')) return packages(call, 'update', given.operands);
        if (given.has('search', 'info', 'list', 'g')) return [];
        if (given.has('clean')) return packages(call, 'clean', [], reversible);
        return packages(call, given.operands.length > 0 ? 'install' : 'update', given.operands);
      },
      {
        hit: {
          'pacman -S a': 'package a (install)',
          'pacman -Syu': 'package (update)',
          'pacman -Rs a': 'package a (remove) recursive',
          'pacman -Rdd a': 'package a (remove) force',
          'pacman -U a.pkg.tar': 'package a.pkg.tar (install)',
          'pacman -Sc': 'package (clean) reversible',
          'pacman -D --asdeps a': 'package a (update)',
          'yay a': 'package a (update)',
        },
        miss: ['pacman', 'pacman -<Qi F T Sp V Ss Si Sl Sg> a'],
      },
    ),
  ],
};

const emerge: Card = {
  names: 'emerge',
  options: 'p/pretend a/ask v q u/update D N C/unmerge c/depclean P/prune s/search S sync 1 e',
  readings: '; p pretend a ask v q u update D N C unmerge c depclean P prune s search S sync 1 e',
  facts: [
    changes(
      (call, given) =>
        given.has('pretend', 'search', 'S')
          ? []
          : packages(call, given.has('unmerge', 'depclean', 'prune') ? 'remove' : 'install', given.operands),
      {
        hit: {
          'emerge a': 'package a (install)',
          'emerge -<C c P> a': 'package a (remove)',
          'emerge -uDN @world': 'package @world (install)',
        },
        miss: ['emerge -<p s S> a'],
      },
    ),
  ],
};

const alternatives: Card = {
  names: 'update-alternatives',
  options: '',
  readings: '',
  facts: [
    changes(
      (call) =>
        call.args.some((argument) => /^--(?:display|list|query|get-selections)/.test(beginningOf(argument)))
          ? []
          : [
              ...packages(call, 'update', call.args.slice(1, 2)),
              ...call.args.flatMap((argument, at) =>
                textOf(argument) === '--install'
                  ? write(call, call.args[at + 1] ?? literal('.'), { detail: 'link' })
                  : [],
              ),
            ],
      {
        hit: {
          'update-alternatives --install /usr/bin/a a /b 1':
            'package /usr/bin/a (update); write /usr/bin/a (link)',
          'update-alternatives --set a /b': 'package a (update)',
        },
        miss: ['update-alternatives --<display list query get-selections> a'],
      },
    ),
  ],
};

const brew: Card = {
  names: 'brew',
  options:
    'cask formula f/force q v n/dry-run zap s HEAD g/greedy ignore-dependencies prune= file= global cc= appdir= colorpickerdir= prefpanedir= qlplugindir= mdimporterdir= dictionarydir= fontdir= servicedir= input-methoddir= internet-plugindir= audio-unit-plugindir= vst-plugindir= vst3-plugindir= screen-saverdir=',
  readings:
    'prune file cc appdir colorpickerdir prefpanedir qlplugindir mdimporterdir dictionarydir fontdir servicedir input-methoddir internet-plugindir audio-unit-plugindir vst-plugindir vst3-plugindir screen-saverdir; cask formula f force q v n dry-run zap s HEAD g greedy ignore-dependencies global',
  facts: [
    changes(
      (call, given) => {
        const [verb, ...names] = given.operands;
        const text = textOf(verb ?? literal('help'));
        if (given.has('dry-run')) return [];
        if (text === null || /^(?:install|reinstall|link|pin|unpin|bundle)$/.test(text))
          return packages(call, 'install', names);
        if (/^(?:uninstall|remove|rm|autoremove|unlink)$/.test(text))
          return packages(call, 'remove', names, { force: given.has('force') });
        if (/^(?:update|upgrade)$/.test(text)) return packages(call, 'update', names);
        if (text === 'untap') return packages(call, 'sources', names, { force: given.has('force') });
        if (text === 'tap') return names.length > 0 ? packages(call, 'sources', names) : [];
        return text === 'cleanup' ? packages(call, 'clean', names, reversible) : [];
      },
      {
        hit: {
          'brew <install reinstall link pin unpin bundle> a': 'package a (install)',
          'brew --appdir b install a': 'package a (install)',
          'brew $VERB a': 'package a (install)',
          'brew <uninstall remove rm autoremove unlink> -f a': 'package a (remove) force',
          'brew <update upgrade>': 'package (update)',
          'brew <tap untap> a': 'package a (sources)',
          'brew cleanup': 'package (clean) reversible',
        },
        miss: ['brew', 'brew list', 'brew tap', 'brew install -n a', 'brew services list'],
      },
    ),
    {
      what: 'starts and stops services',
      effects: (call, { operands: [group, action, name] }) => {
        if (textOf(group) !== 'services') return [];
        const how = textOf(action ?? literal('list')) ?? 'unknown';
        if (/^(?:list|info|ls)$/.test(how)) return [];
        const target = nameTarget(name);
        const lasts = /^(?:start|restart)$/.test(how);
        return [
          effect(call, 'service', { detail: how, target, reversible: true }),
          ...(lasts ? [effect(call, 'persist', { detail: 'service', target })] : []),
        ];
      },
      examples: {
        hit: {
          'brew services <start restart> a': 'service a (<>) reversible; persist a (service)',
          'brew services stop a': 'service a (stop) reversible',
        },
        miss: ['brew services', 'brew services <list info ls>', 'brew list'],
      },
    },
  ],
};

/** `nix run flake#name -- words`. */
function flakeProgram(
  given: Given<unknown>,
  args: Parameters<NonNullable<Fact['starts']>>[0]['args'],
): readonly Inner[] {
  const names = args.map(singleText).filter((text) => /^[^-].*#/.test(text));
  const name = names
    .map((text) => text.slice(Math.max(text.lastIndexOf('#'), text.lastIndexOf('.')) + 1))
    .find((last) => /^[\w-]+$/.test(last));
  const dashes = args.findIndex((arg) => singleText(arg) === '--');
  const runs = given.verb === 'run' && name !== undefined && dashes >= 0;
  return runs ? [{ kind: 'argv', argv: [knownText(name), ...args.slice(dashes + 1)] }] : [];
}

const nix: Card = {
  names: 'nix',
  options: 'c/command=+',
  readings: 'c command',
  verbs: { run: '' },
  facts: [
    {
      what: 'starts a program of a package, or a command beside it',
      starts: ({ args }, given): readonly Inner[] => {
        const [command] = given.all('command');
        const at = command === undefined ? -1 : args.indexOf(command);
        return [
          ...(at < 0 ? [] : [{ kind: 'argv', argv: args.slice(at) } as const]),
          ...flakeProgram(given, args),
        ];
      },
      examples: {
        hit: {
          'nix develop -c rm a': 'program: rm a',
          'nix shell a --command rm b': 'program: rm b',
          'nix run a#rm -- -rf b': 'program: rm -rf b',
        },
        miss: ['nix build', 'nix run a', 'nix run a#b', 'nix shell a#b -- c'],
      },
    },
    changes(
      (call) => {
        const said = call.args.map(beginningOf).join(' ');
        if (!/^(?:profile (?:install|remove|upgrade|add)|store (?:gc|delete)|upgrade-nix)/.test(said))
          return [];
        return packages(
          call,
          /remove|gc|delete/.test(said) ? 'remove' : 'install',
          call.args.slice(2),
          reversible,
        );
      },
      {
        hit: {
          'nix profile <install upgrade add> a': 'package a (install) reversible',
          'nix profile remove a': 'package a (remove) reversible',
          'nix store <gc delete>': 'package (remove) reversible',
          'nix upgrade-nix': 'package (install) reversible',
        },
        miss: ['nix profile list', 'nix store ping', 'nix build'],
      },
    ),
    building('nix'),
  ],
};

const nixEnvironment: Card = {
  names: 'nix-env',
  options: 'i/install= e/uninstall= u/upgrade? q/query A/attr= f= p=',
  readings: 'i install e uninstall A attr f p; q query; u upgrade',
  facts: [
    changes(
      (call, given) =>
        given.has('query')
          ? []
          : packages(
              call,
              given.has('uninstall') ? 'remove' : 'install',
              given.all('install', 'uninstall'),
              reversible,
            ),
      {
        hit: {
          'nix-env -i a': 'package a (install) reversible',
          'nix-env -e a': 'package a (remove) reversible',
          'nix-env -u': 'package (install) reversible',
        },
        miss: ['nix-env -q'],
      },
    ),
  ],
};

/** A manager of which each call, or each with some option, does one thing. */
function always(names: string, detail: string, only: RegExp | null, examples: Examples): Card {
  const fact = changes(
    (call) =>
      only === null || call.args.some((argument) => only.test(beginningOf(argument)))
        ? packages(call, detail, only === null ? [] : call.args.slice(1).filter(() => detail === 'remove'))
        : [],
    examples,
  );
  return {
    names,
    options: '',
    readings: '',
    facts: [{ ...fact, ...(only === null ? { always: true } : {}) }],
  };
}

export const cards: readonly Card[] = [
  dpkg,
  rpm,
  pacman,
  emerge,
  alternatives,
  brew,
  nix,
  nixEnvironment,
  always('nix-collect-garbage', 'clean', null, {
    hit: { 'nix-collect-garbage': 'package (clean)', 'nix-collect-garbage -d': 'package (clean)' },
    miss: [],
  }),
  always('nixos-rebuild', 'update', null, { hit: { 'nixos-rebuild switch': 'package (update)' }, miss: [] }),
  always('pkgutil', 'remove', /^--forget/, {
    hit: { 'pkgutil --forget a': 'package a (remove)' },
    miss: ['pkgutil --pkgs'],
  }),
  always('softwareupdate', 'update', /^(?:-i|--install|-d)/, {
    hit: { 'softwareupdate <-i --install -d> a': 'package (update)' },
    miss: ['softwareupdate -l'],
  }),
  { names: 'makepkg nix-build', options: '', readings: '', facts: [building('makepkg')] },
];
