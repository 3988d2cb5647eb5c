// What git sends to remotes and takes from them.

import { type Inner, shellCode } from '../../../bash/executors/inner.ts';
import { knownText, singleText, type Text } from '../../../bash/values.ts';
import type { Effect, Value } from '../../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  inert,
  literal,
  mapValue,
  nameTarget,
  pathTarget,
  textOf,
  unknownValue,
  write,
} from '../../../tools/tool.ts';
import { type Given, shellOptions } from '../../card.ts';
import { forAll, same } from '../../examples.ts';
import { git, type Part, placeOf, runs } from './part.ts';
import { runBySettings, startedBy } from './settings.ts';

/** A remote that is a URL is a host; one through `ext::` is a command. */
export function contact(call: Call, remote: Value, detail: string): readonly Effect[] {
  const text = beginningOf(remote);
  if (/^ext::/.test(text)) return [runs(call, 'git-helper', remote)];
  if (/^file:\/\//.test(text)) return [];
  if (!/:\/\/|^[\w.-]+@[\w.-]+:/.test(text)) return [];
  const address = /:\/\//.test(text)
    ? remote
    : mapValue(remote, (whole) => `ssh://${whole.replace(':', '/')}`);
  return [effect(call, 'connect', { target: hostTarget(hostOf(address)), detail: `git-${detail}` })];
}

/** Commands that stand in the place of an address. */
function commandsIn(given: Given<Text>): readonly Inner[] {
  return given.operands
    .map(singleText)
    .filter((text) => text.startsWith('ext::'))
    .map((text) => shellCode(knownText(text.slice('ext::'.length))));
}

/** What a template holds becomes hooks of the repository. */
export function hooksFrom(call: Call, path: Value): Effect {
  return effect(call, 'run', { detail: 'git-helper', target: pathTarget(path) });
}

function pushOf(call: Call, given: Given<Value>, ref: Value | undefined, remote: Value | undefined): Effect {
  const text = ref ? beginningOf(ref) : '';
  const target = nameTarget(ref ?? remote);
  if (given.has('delete') || /^\+?:./.test(text)) return git(call, 'push-delete', { target, force: true });
  if (given.has('mirror')) return git(call, 'force-push', { target, force: true, recursive: true });
  if (given.has('force') || text.startsWith('+')) return git(call, 'force-push', { target, force: true });
  if (given.has('force-with-lease')) return git(call, 'force-push-lease', { target, force: true });
  if (given.has('prune')) return git(call, 'push-delete', { target, force: true, recursive: true });
  return git(call, 'push', { target });
}

/** The folder that a clone is put into: as it is named, or by the address. */
function cloned(given: Given<Value>): Value {
  const [remote, folder] = given.operands;
  const name = textOf(remote)
    ?.replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .at(-1);
  return placeOf(given, folder ?? (name ? literal(name) : unknownValue));
}

const fetchOptions =
  'upload-pack/u= o/origin= b/branch= depth= reference= reference-if-able= separate-git-dir= template= c/config= j/jobs= shallow-since= shallow-exclude= filter= server-option= f/force p/prune P/prune-tags t/tags a/append all n/no-tags q v k 4 6 recurse-submodules? bare mirror l/local shared no-checkout single-branch no-hardlinks rebase? r? ff-only no-rebase no-ff ff squash autostash X/strategy-option= s/strategy= dry-run set-upstream unshallow update-head-ok revision= bundle-uri= no-edit commit no-commit allow-unrelated-histories h heads get-url exit-code symref refs sort= refmap= negotiation-tip= deepen=';
const fetching = ['fetch', 'pull', 'clone', 'ls-remote'];

export const remotes: Part = {
  verbs: {
    'push | send-pack':
      'f/force force-with-lease? force-if-includes mirror delete/d prune all/branches tags follow-tags n/dry-run u/set-upstream o/push-option= repo= receive-pack/exec= no-verify atomic q v porcelain progress signed? recurse-submodules= thin no-force-with-lease 4 6',
    'fetch | fetch-pack': fetchOptions,
    pull: fetchOptions,
    clone: fetchOptions,
    'ls-remote': fetchOptions,
    'send-email': 'dry-run',
    'imap-send': '',
    daemon: '',
    'instaweb | http-backend': '',
  },
  verbReadings: {
    push: {
      valued: 'o push-option repo receive-pack exec recurse-submodules',
      flags:
        'f force force-if-includes mirror delete d prune all branches tags follow-tags n dry-run u set-upstream no-verify atomic q v porcelain progress thin no-force-with-lease 4 6',
      attached: 'force-with-lease signed',
    },
    ...forAll(['fetch', 'pull', 'clone', 'ls-remote'], {
      valued:
        'upload-pack u o origin b branch depth reference reference-if-able separate-git-dir template c config j jobs shallow-since shallow-exclude filter server-option X strategy-option s strategy revision bundle-uri sort refmap negotiation-tip deepen',
      flags:
        'f force p prune P prune-tags t tags a append all n no-tags q v k 4 6 bare mirror l local shared no-checkout single-branch no-hardlinks ff-only no-rebase no-ff ff squash autostash dry-run set-upstream unshallow update-head-ok no-edit commit no-commit allow-unrelated-histories h heads get-url exit-code symref refs',
      attached: 'recurse-submodules rebase r',
    }),
    'send-email': { flags: 'dry-run' },
  },
  facts: [
    {
      what: 'pushes commits to a remote',
      verbs: ['push'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const [remote, ...refs] = [...given.all('repo').slice(-1), ...given.operands];
        return [
          ...(remote ? contact(call, remote, 'push') : []),
          ...given
            .all('receive-pack')
            .slice(-1)
            .map((helper) => runs(call, 'git-helper', helper)),
          ...(refs.length > 0 ? refs : [undefined]).map((ref) => pushOf(call, given, ref, remote)),
        ];
      },
      starts: (call, given) => [...shellOptions('receive-pack')(call, given), ...commandsIn(given)],
      examples: {
        hit: {
          'git push': 'git (push)',
          'git push origin': 'git origin (push)',
          'git send-pack origin main': 'git main (push)',
          'git push --repo https://h.example/a main': 'connect h.example (git-push); git main (push)',
          'git push https://h.example/a main': 'connect h.example (git-push); git main (push)',
          ...same('git main (force-push) force', 'git push -f origin main', 'git push --force origin main'),
          'git push origin +main a': 'git +main (force-push) force; git a (push)',
          ...same(
            'git (force-push-lease) force',
            'git push --force-with-lease',
            'git push --force-with-lease=a:b',
          ),
          ...same('git a (push-delete) force', 'git push -d origin a', 'git push origin --delete a'),
          'git push origin :a +:b': 'git :a (push-delete) force; git +:b (push-delete) force',
          'git push --mirror': 'git (force-push) recursive force',
          'git push --prune origin': 'git origin (push-delete) recursive force',
          'git push -o ci.skip origin $REF': 'git … (push)',
          ...same(
            'run x (git-helper); git o (push); shell code: x',
            'git push --receive-pack=x o',
            'git push --exec x o',
          ),
          "git push 'ext::sh -c ls'":
            "run 'ext::sh -c ls' (git-helper); git 'ext::sh -c ls' (push); shell code: sh -c ls",
          ...same('inert (dry-run)', 'git push -n -f', 'git push --dry-run origin main'),
        },
        miss: ['git fetch', 'git push -h'],
      },
    },
    {
      what: 'fetches commits from a remote',
      verbs: fetching,
      effects: (call, given) => {
        const [remote] = given.operands;
        const helpers = given.verb === 'pull' ? [] : given.all('upload-pack').slice(-1);
        const detail = given.verb === 'pull' ? 'pull' : 'fetch';
        return [
          ...(remote ? contact(call, remote, 'fetch') : []),
          ...helpers.map((helper) => runs(call, 'git-helper', helper)),
          ...(given.verb === 'clone' ? clonedEffects(call, given) : []),
          ...(given.verb === 'ls-remote'
            ? inert(call)
            : [git(call, detail, { target: nameTarget(remote), reversible: true })]),
        ];
      },
      starts: (call, given) => [
        ...shellOptions('upload-pack')(call, given),
        ...commandsIn(given),
        ...startedBy(given.all('config')),
      ],
      examples: {
        hit: {
          ...same('git (fetch) reversible', 'git fetch', 'git fetch --all', 'git fetch-pack'),
          'git fetch -j 4 origin a': 'git origin (fetch) reversible',
          'git pull': 'git (pull) reversible',
          'git pull origin a': 'git origin (pull) reversible',
          'git pull --upload-pack=ls o': 'git o (pull) reversible; shell code: ls',
          ...same(
            'run ls (git-helper); git o (fetch) reversible; shell code: ls',
            'git fetch --upload-pack=ls o',
            'git fetch -u ls o',
          ),
          'git ls-remote origin': 'inert',
          'git ls-remote https://h.example/a': 'connect h.example (git-fetch); inert',
          'git fetch $WHERE': 'git … (fetch) reversible',
          'git fetch a.b@h.example:c/d':
            'connect h.example (git-fetch); git a.b@h.example:c/d (fetch) reversible',
          'git fetch git@h.example:$PATH':
            'connect h.example (git-fetch); git git@h.example:… (fetch) reversible',
          'git fetch ssh://h.example:22/a':
            'connect h.example (git-fetch); git ssh://h.example:22/a (fetch) reversible',
          'git fetch file:///a': 'git file:///a (fetch) reversible',
          'git clone https://h.example/a/b.git':
            'connect h.example (git-fetch); write b (create) from network; git https://h.example/a/b.git (fetch) reversible',
          'git clone git@h.example:b/':
            'connect h.example (git-fetch); write b (create) from network; git git@h.example:b/ (fetch) reversible',
          'git -C d clone ../a b': 'write d/b (create) from network; git ../a (fetch) reversible',
          'git clone $WHAT': 'write … (create) from network; git … (fetch) reversible',
          'git clone --template=t a b':
            'run t (git-helper); write b (create) from network; git a (fetch) reversible',
          'git clone -c core.pager=ls a b':
            'run core.pager=ls (git-config); write b (create) from network; git a (fetch) reversible; shell code: ls',
          'git clone --config user.name=x a b': 'write b (create) from network; git a (fetch) reversible',
          "git clone 'ext::sh -c x' y":
            "run 'ext::sh -c x' (git-helper); write y (create) from network; git 'ext::sh -c x' (fetch) reversible; shell code: sh -c x",
        },
        miss: ['git remote -v', 'git fetch -h'],
      },
    },
    {
      what: 'sends e-mail',
      verbs: ['send-email', 'imap-send'],
      effects: (call, given) =>
        given.has('dry-run') ? inert(call, 'dry-run') : [effect(call, 'message', { detail: 'e-mail' })],
      examples: {
        hit: {
          ...same('message (e-mail)', 'git send-email --to a@b.example c.patch', 'git imap-send'),
          'git send-email --dry-run c.patch': 'inert (dry-run)',
        },
        miss: ['git format-patch a'],
      },
    },
    {
      what: 'serves repositories',
      verbs: ['daemon', 'instaweb'],
      effects: (call, given) => [
        effect(call, 'listen', { detail: given.verb === 'daemon' ? 'git' : 'http' }),
      ],
      examples: {
        hit: {
          'git daemon --export-all': 'listen (git)',
          ...same('listen (http)', 'git instaweb', 'git http-backend'),
        },
        miss: ['git log'],
      },
    },
  ],
};

/** What a clone makes, and what it runs beyond the helper of the remote. */
function clonedEffects(call: Call, given: Given<Value>): readonly Effect[] {
  return [
    ...given.all('template').map((path) => hooksFrom(call, path)),
    ...runBySettings(
      call,
      given.all('config').filter((setting) => beginningOf(setting).includes('=')),
    ),
    ...write(call, cloned(given), { detail: 'create', origins: ['network'] }),
  ];
}
