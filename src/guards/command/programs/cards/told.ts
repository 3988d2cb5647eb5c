// Programs that are told by a verb what to do. What they do besides telling is not known here: it is asked about.

import { beginningOf, effect, literal, nameTarget, textOf } from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';
import { look } from '../deeds.ts';
import { factFor } from '../examples.ts';
import { wordsOf } from '../tables.ts';

/** Verbs with which a program only tells, in the words that such programs have in common. */
const tellingVerbs =
  /^(?:help|version|list|ls|list-[\w-]+|ls-[\w-]+|show|show-[\w-]+|status|info|search|find|query|get|get-[\w-]+|describe|describe-[\w-]+|view|cat|print|dump|check|validate|verify|lint|test|doctor|diff|log|logs|logcat|history|whoami|which|where|inspect|stats?|top|ps|env|tree|depends|deps|outdated|devices|capabilities|balance|bal|register|reg|accounts|print-[\w-]+|who|whatprovides|provides|owner|files|completion|shell-completion|--list|--version|--help|-h|-V|-l)$/;

/** Words that are no verb, so that the verb follows. */
const nouns =
  /^(?:[a-z]+s|config|cache|remote|repo|image|volume|network|plugin|session|model|profile|env|context|node|key|user)$/;

/** What some of them do to the project, its emulator or its own process, by program. */
const ofProject: Readonly<Record<string, RegExp>> = {
  adb: /^(?:devices|logcat|install|reverse|forward|wait-for-device|start-server|kill-server|bugreport|exec-out screencap|shell (?:getprop|dumpsys|input|logcat|screencap|pm (?:list|path)|am (?:start|force-stop)|settings get|wm size)\b)/,
  pixi: /^(?:run|install|task|tree)\b/,
  quarto: /^(?:render|preview)\b/,
};

const fact: Fact = {
  what: 'does what its verb says, or only tells',
  effects: (call, given) => {
    const operands = wordsOf(given);
    const words = operands.map((value) => textOf(value) ?? '');
    const [first = '', second = ''] = words;
    const flag = textOf(call.args[0]) ?? '';
    const tells =
      call.args.length === 0 ||
      tellingVerbs.test(words.length === 0 ? flag : first) ||
      ofProject[call.program]?.test(words.join(' ')) === true ||
      // A noun and a verb alone: `volume ls`.
      (words.length === 2 && nouns.test(first) && /^(?:list|ls|show|status|info)$/.test(second));
    return tells
      ? operands.filter((value) => beginningOf(value).includes('/')).flatMap((path) => look(call, path, {}))
      : [
          effect(call, 'run', {
            detail: 'verb',
            target: nameTarget(literal(`${call.program} ${first}`.trim())),
          }),
        ];
  },
  examples: {
    hit: {
      '% apply x': "run '% apply' (verb)",
      '% --verbose': 'run % (verb)',
      '% hardware ls': "run '% hardware' (verb)",
      '% volume ls x': "run '% volume' (verb)",
      '% volume rm': "run '% volume' (verb)",
      '% show ./a': 'read ./a',
      '% show x https://h.example/a': 'connect h.example (GET)',
    },
    miss: [
      '%',
      '% <help version list ls list-users ls-remote show show-all status info search find query get get-value describe describe-topic view cat print dump check validate verify lint test doctor diff log logs logcat history whoami which where inspect stat stats top ps env tree depends deps outdated devices capabilities balance bal register reg accounts print-all who whatprovides provides owner files completion shell-completion>',
      '% -<-list -version -help h V l>',
      '% <volumes config cache remote repo image volume network plugin session model profile env context node key user> ls',
      '% volume <list show status info>',
    ],
  },
};

/** Calls of some of them that do something to the project alone. */
const ofProjectAlone: Readonly<Record<string, readonly string[]>> = {
  adb: [
    'adb <devices logcat install reverse forward wait-for-device start-server kill-server bugreport> a',
    'adb exec-out screencap',
    'adb shell <getprop dumpsys input logcat screencap> a',
    'adb shell <pm list | pm path | am start | am force-stop | settings get | wm size>',
  ],
  userdbctl: ['pixi <run install task tree> a', 'quarto <render preview> a'],
};

function card(given: Pick<Card, 'names'> & Partial<Card>): Card {
  const [name = ''] = given.names.split(' ');
  const shown = factFor(name, fact);
  const miss = [...shown.examples.miss, ...(ofProjectAlone[name] ?? [])];
  return {
    options: '',
    readings: {},
    ...given,
    facts: [{ ...shown, examples: { ...shown.examples, miss } }],
  };
}

export const cards: readonly Card[] = [
  card({
    names:
      'userdbctl apptainer singularity tlmgr pueue yadm vcsh fastboot koji dolt kaggle ykinfo pixi b4 tmt makoctl dunstctl swaync-client pkgctl nh gcrane eselect fossil bundletool fvm goenv plenv nodenv exenv jenv phpenv perlbrew ghcup kerl evm proto jbang cs ollama llm mods fabric aichat timew jrnl nb dnote buku todo.sh todo topydo todoist taskwarrior khal khard vdirsyncer notmuch mu offlineimap abook calibredb beet quarto marimo rpk pulsarctl rabbitmq-diagnostics rabbitmq-queues rabbitmq-streams rabbitmq-plugins birdc vtysh cephadm ceph gnmic promtool amtool logcli loki tempo-cli thanos k8sec kubetail kubie kompose vcluster talosctl fluxctl linkerd cmctl kn ko regctl oras rekor-cli snapper virt-xml pvesm pvesh pveum pveam pvecm lxc-top quickget quickemu waydroid lutris heroic protontricks winetricks fwupdmgr fwupdtool bluetoothctl iwctl mullvad protonvpn piactl mozillavpn ivpn warp-cli openvpn3 zerotier-cli headscale netbird kscreen-doctor xfconf-query gnome-extensions kreadconfig5 kreadconfig6 homectl portablectl networkctl updatectl sbctl mokutil bootc ostree abroot transactional-update copr-cli osc rpmdev-vercmp xbps-query eix equo guix home-manager raco haxelib nimble shards alr elm-json lux pkl cue sqsc p4 cvs gitlab gitea tea hut fj gh-dash gitmoji quilt stg topgit',
  }),
  card({
    names: 'adb',
    options: 's= t= H= P= L= a d e',
    optionsFirst: true,
    verbs: {
      'install | install-multiple | install-multi-package':
        'r d t g l p f s abi= instant fastdeploy no-streaming streaming',
      'reverse | forward': 'list remove= remove-all no-rebind',
    },
    readings: 's t H P L; a d e',
    verbReadings: {
      install: 'abi; r d t g l p f s instant fastdeploy no-streaming streaming',
      reverse: 'remove; list remove-all no-rebind',
    },
  }),
  card({
    names: 'ykman',
    options: 'd= device= r= reader= l= log-level= log-file=',
    readings: { valued: 'd device r reader l log-level log-file' },
  }),
  card({
    names: 'watson',
    options: 'from= to= tag= ignore-project= ignore-tag= f= t= project= p= T=',
    readings: { valued: 'from to tag ignore-project ignore-tag f t project p T' },
  }),
  card({
    names: 'kafkactl',
    options: 'config-file= C= output= o= topic= operation= pattern= t=',
    readings: { valued: 'config-file C output o topic operation pattern t' },
  }),
  card({
    names: 'zapier',
    options: 'format= status= type= user= limit= f= v= s= t= u=',
    readings: { valued: 'format status type user limit f v s t u' },
  }),
];
