import { knownText, singleText } from '../../../bash/values.ts';
import { beginningOf, effect, hostOf, hostTarget, textOf } from '../../../tools/tool.ts';
import type { Card } from '../../card.ts';
import { container } from '../../containers.ts';
import { each, same } from '../../examples.ts';
import { composeOptions, composePart } from './compose.ts';
import { images } from './images.ts';
import { groups, type Part } from './part.ts';
import { options } from './readings.ts';
import { removal } from './removal.ts';
import { running } from './running.ts';

const { readings } = options;

/** Subcommands, alone or in a group, that only show something. */
const looks =
  /^(?:ps|images|logs|top|stats|port|diff|history|events|info|version|search|df|wait|imagetools|du|platforms|healthcheck|tree|exists|(?:ls|list|inspect|show|help).*)$/;

/** Formats that show the variables of a container, or all that is known of it. */
const showsVariables = /\.Env\b|\{\{ *json +\.(?:Config)? *\}\}|^json$/;

const engine: Part = {
  verbs: {
    ...Object.fromEntries(each('%', groups).map((group) => [group, ''])),
    buildx: 'builder=',
  },
  verbReadings: { buildx: { valued: 'builder' } },
  facts: [
    {
      what: 'talks to an engine elsewhere',
      effects: (call, { before }) =>
        before
          .all('host', 'url')
          .filter((host) => /^(?:tcp|ssh|https?):/.test(beginningOf(host)))
          .map((host) => effect(call, 'connect', { detail: 'engine', target: hostTarget(hostOf(host)) })),
      examples: {
        hit: {
          ...same(
            'connect h.example (engine)',
            ...each('docker -H %://h.example:1 ps', 'tcp ssh http https'),
          ),
          'podman --url ssh://h.example/a ps': 'connect h.example (engine)',
        },
        miss: ['docker -H unix:///a.sock ps', 'docker ps', 'docker run -h tcp://a b'],
      },
    },
    {
      what: 'names the containers that a filter lets through',
      prints: ({ args }) => {
        const words = args.map((word) => singleText(word));
        const filters = words.flatMap((word, at) =>
          /^(?:-f|--filter)$/.test(words[at - 1] ?? '') ? [word] : (/^--filter=(.*)$/.exec(word)?.[1] ?? []),
        );
        const named = filters.find((filter) =>
          /^(?:name|label|ancestor|id|network|publish)=[\w./:=@-]+$/.test(filter),
        );
        const ids = words.some((word) => /^(?:-\w*q\w*|--quiet)$/.test(word));
        return words.includes('ps') && ids && named !== undefined ? knownText(`${named}\n`) : null;
      },
      examples: {
        hit: {
          'docker ps -q --filter name=web': 'prints name=web\\n',
          'podman container ps -aq -f label=a --filter=status=exited': 'prints label=a\\n',
        },
        miss: ['docker ps -q', 'docker ps --filter name=web', 'docker ps -aq --filter status=exited'],
      },
    },
    {
      what: 'shows the environment of a container',
      effects: (call) => {
        const words = call.args.map(beginningOf);
        const formats = words.filter(
          (word, at) => /\{\{/.test(word) || /^(?:-f|--format)$/.test(words[at - 1] ?? ''),
        );
        return words.includes('inspect') && formats.some((format) => showsVariables.test(format))
          ? [effect(call, 'secret', { detail: 'environment' })]
          : [];
      },
      examples: {
        hit: same(
          'secret (environment)',
          'docker inspect a -f {{.Config.Env}}',
          "docker inspect --format='{{json .Config}}' a",
          "podman container inspect --format '{{json .}}' a",
        ),
        miss: ['docker inspect a', "docker inspect -f '{{json .State}}' a", 'docker ps --format {{.Names}}'],
      },
    },
    {
      what: 'does something that is not known',
      effects: (call, { verb, operands }) => {
        const [first] = operands;
        const isGroup = verb === null || each('%', groups).includes(verb);
        if (!isGroup || first === undefined || verb === 'buildx') return [];
        const name = textOf(first);
        if (name === null) return container(call, 'unknown');
        return looks.test(name) ? [] : container(call, 'unknown', [first]);
      },
      examples: {
        hit: {
          ...same('container (unknown)', 'docker $WHAT', 'docker volume $WHAT'),
          'docker frobnicate': 'container frobnicate (unknown)',
          ...same(
            'container frob (unknown)',
            'podman volume frob',
            'nerdctl frob',
            'finch frob',
            'buildah frob',
            ...each(
              'docker % frob',
              'container image network system builder context plugin node service stack swarm secret config trust manifest checkpoint pod machine scout generate play kube artifact farm',
            ),
          ),
        },
        miss: [
          'docker',
          'docker volume',
          'docker buildx frob',
          'docker buildx --builder frob ls',
          'docker compose frob',
          'docker -H a ps',
          ...each(
            'docker %',
            'ps images logs top stats port diff history events info version search df wait imagetools du platforms healthcheck tree exists ls list inspect show help listing',
          ),
        ],
      },
    },
  ],
};

const parts: readonly Part[] = [
  engine,
  removal,
  running,
  images,
  composePart('docker compose', { compose: composeOptions }),
];

const docker: Card = {
  names: 'docker podman nerdctl finch buildah',
  options:
    'H/host= c/context= config= D/debug l/log-level= tls tlscacert= tlscert= tlskey= tlsverify v/version url= identity= connection= root= runroot= storage-driver= n/namespace= address= remote r',
  optionsFirst: true,
  verbs: Object.assign({}, ...parts.map(({ verbs }) => verbs)),
  readings: {
    valued:
      'H host c context config l log-level tlscacert tlscert tlskey url identity connection root runroot storage-driver n namespace address',
    flags: 'D debug tls tlsverify v version remote r',
  },
  verbReadings: Object.assign({}, ...parts.map(({ verbReadings }) => verbReadings)),
  facts: parts.flatMap(({ facts }) => facts),
};

const compose: Card = {
  names: 'docker-compose podman-compose',
  options: composeOptions,
  optionsFirst: true,
  readings: readings.compose,
  ...composePart('docker-compose'),
};

export const cards: readonly Card[] = [docker, compose];
