// Rust: cargo and rustup.

import { shellCode } from '../../bash/executors/inner.ts';
import { concat, knownText } from '../../bash/values.ts';
import { beginningOf, effect, nameTarget } from '../../tools/tool.ts';
import { runsElsewhere } from '../builds.ts';
import type { Card } from '../card.ts';
import { fact } from '../phrases.ts';
import { installs, removes, tries } from '../project-managers.ts';
import { each } from '../service.ts';
import { table } from '../tables.ts';

/** Settings by which cargo starts a program. */
const helper = /(?:^|\.)(?:runner|rustc|rustc-wrapper|linker|credential-provider|rustdoc)\b/;

const cargo: Card = table({
  names: 'cargo',
  manner: { plusWords: true },
  options:
    'p/package= manifest-path= features/F= target= target-dir= bin= example= test= bench= profile= j/jobs= color= config= Z= C= git= branch= tag= rev= path= root= version/vers= registry= index= token= dry-run/n message-format= out-dir= artifact-dir= add= remove= exclude= recipe-path= explain= vcs= name= rename= f/force',
  readings:
    'p package manifest-path features F target target-dir bin example test bench profile j jobs color config Z C git branch tag rev path root version vers registry index token message-format out-dir artifact-dir add remove exclude recipe-path explain vcs name rename; dry-run n f force',
  verbs: {
    init: 'edition=',
    new: 'edition=',
    owner: 'a/add= r/remove=',
    watch: '+ x/exec= s/shell= w/watch= i/ignore= d/delay= B= L= env= use-shell= features=',
  },
  verbReadings: {
    init: 'edition',
    'new': 'edition',
    owner: 'a add r remove',
    watch: 'x exec s shell w watch i ignore d delay B L env use-shell features',
  },
  does: [
    tries('--dry-run'),
    ['deploy <next> (publish)', 'publish'],
    ['deploy <next> (unpublish)', 'yank'],
    ['deploy <next> (registry-change)', 'owner'],
    ['package <next..> (install) reversible force', 'install --force | binstall --force'],
    ['package <--path> (install) reversible', 'install --path'],
    ['package <--git> (install) reversible', 'install --git'],
    installs('install | binstall'),
    // Unlike `remove`, it takes a program away that was installed for the person.
    ['package <next..> (remove)', 'uninstall'],
    ['write <2> (create)', 'init * | new *'],
    ['write . (create)', 'init | new'],
    installs('add'),
    ['package (install) reversible', 'update | fetch | vendor | generate-lockfile'],
    removes('remove | rm'),
    ['delete <--target-dir> recursive reversible', 'clean --target-dir'],
    ['delete target recursive reversible', 'clean'],
    ['write ~/.cargo/credentials.toml (edit)', 'login | logout'],
  ],
  rest: 'inert (project)',
  alone: 'inert (project)',
  examples: {
    'cargo install --dry-run a': 'inert (dry-run)',
    'cargo publish a': 'deploy a (publish)',
    'cargo publish': 'deploy (publish)',
    'cargo yank a': 'deploy a (unpublish)',
    'cargo yank': 'deploy (unpublish)',
    'cargo owner a': 'deploy a (registry-change)',
    'cargo owner': 'deploy (registry-change)',
    'cargo <install --force | binstall --force> a': 'package a (install) force reversible',
    'cargo install --path b': 'package b (install) reversible',
    'cargo install --git https://h.example/a':
      'package https://h.example/a (install) reversible; connect h.example (download)',
    'cargo <install binstall add> a': 'package a (install) reversible',
    'cargo <install binstall add update fetch vendor generate-lockfile>': 'package (install) reversible',
    'cargo <update fetch vendor generate-lockfile> a': 'package (install) reversible',
    'cargo uninstall a': 'package a (remove)',
    'cargo uninstall': 'package (remove)',
    'cargo <init x | new x> a': 'write x (create)',
    'cargo <init new> a': 'write a (create)',
    'cargo <init new>': '',
    'cargo <remove rm> a': 'package a (remove) reversible',
    'cargo <remove rm>': 'package (remove) reversible',
    'cargo clean --target-dir b': 'delete b recursive reversible',
    'cargo clean a': 'delete target recursive reversible',
    'cargo clean': 'delete target recursive reversible',
    'cargo <login logout> a': 'write ~/.cargo/credentials.toml (edit)',
    'cargo <login logout>': 'write ~/.cargo/credentials.toml (edit)',
    'cargo test': 'inert (project)',
    cargo: 'inert (project)',
  },
  facts: [
    {
      what: 'starts programs that its settings name',
      effects: (call, given) =>
        given
          .all('config')
          .filter((setting) => helper.test(beginningOf(setting)))
          .map((setting) => effect(call, 'run', { detail: 'helper', target: nameTarget(setting) })),
      examples: {
        hit: {
          ...each(
            'cargo --config * build',
            'build.rustc=a | build.rustc-wrapper=a | build.rustdoc=a',
            'run * (helper)',
          ),
          ...each(
            'cargo run --config=*',
            'target.x.runner=a | target.x.linker=a | registry.credential-provider=a',
            'run * (helper)',
          ),
        },
        miss: ['cargo build', 'cargo build --config net.offline=true'],
      },
    },
    {
      what: 'runs code from elsewhere',
      effects: runsElsewhere,
      examples: { hit: { 'cargo script /tmp/a.rs': 'run /tmp/a.rs (script)' }, miss: ['cargo run'] },
    },
    {
      what: 'runs a subcommand whenever a file changes',
      verbs: ['watch'],
      starts: (_, given) => given.all('exec').map((words) => shellCode(concat(knownText('cargo '), words))),
      examples: {
        hit: { 'cargo watch -x publish': 'shell code: cargo publish' },
        miss: ['cargo watch', 'cargo build'],
      },
    },
    fact({
      what: 'runs a command whenever a file changes',
      verbs: ['watch'],
      says: 'shell code: <--shell>; program: <1..>',
      examples: {
        hit: {
          "cargo watch -s 'rm -rf /'": 'shell code: rm -rf /',
          'cargo watch -w src -- rm -rf /': 'program: rm -rf /',
        },
        miss: ['cargo watch', 'cargo watch -x test', 'cargo build'],
      },
    }),
    fact({
      what: 'builds with a program of the project',
      says: 'other file: build.rs of the project',
      always: true,
      examples: { hit: { 'cargo build': 'other file: build.rs of the project' }, miss: [] },
    }),
  ],
  advice: [
    {
      rule: 'deployment',
      details: ['publish'],
      text: 'Try it without publishing: `cargo publish --dry-run`.',
    },
  ],
});

const rustup: Card = table({
  names: 'rustup',
  manner: { plusWords: true },
  options: 'toolchain= target= component= profile=',
  readings: 'toolchain target component profile',
  verbs: { 'toolchain install | toolchain add | install': 't= c=', 'toolchain link': '', run: '+ install' },
  verbReadings: {
    'toolchain install': 't c',
    run: '; install',
  },
  does: [
    removes(
      'uninstall | self uninstall | toolchain uninstall | toolchain remove | target remove | component remove',
    ),
    installs(
      'install | update | default | self | override | toolchain install | toolchain add | target add | component add',
    ),
  ],
  examples: {
    'rustup <uninstall | self uninstall | toolchain uninstall | toolchain remove | target remove | component remove> a':
      'package a (remove) reversible',
    'rustup <uninstall | self uninstall | toolchain uninstall | toolchain remove | target remove | component remove>':
      'package (remove) reversible',
    'rustup <install | update | default | self | override | toolchain install | toolchain add | target add | component add> a':
      'package a (install) reversible',
    'rustup <install | update | default | self | override | toolchain install | toolchain add | target add | component add>':
      'package (install) reversible',
    'rustup test': '',
    rustup: '',
  },
  facts: [
    fact({
      what: 'starts a program of a toolchain',
      verbs: ['run'],
      says: 'program: <2..>',
      examples: {
        hit: { 'rustup run nightly rm -rf /': 'program: rm -rf /' },
        miss: ['rustup show', 'rustup run nightly'],
      },
    }),
    fact({
      what: 'takes the programs of a folder for a toolchain',
      verbs: ['toolchain link'],
      says: 'other file: <2>',
      examples: {
        hit: { 'rustup toolchain link a /tmp/b': 'other file: /tmp/b' },
        miss: ['rustup toolchain list'],
      },
    }),
  ],
});

export const cards = [cargo, rustup];
