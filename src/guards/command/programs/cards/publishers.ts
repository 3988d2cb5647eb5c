// Tools of projects of which a few verbs reach others: they publish what was built, or delete what is elsewhere.

import type { Effect } from '../../effects.ts';
import { beginningOf, effect, nameTarget, textOf, within, write } from '../../tools/tool.ts';
import { building, loadingOptions } from '../builds.ts';
import type { Card, Examples, Fact } from '../card.ts';
import { type Table, table } from '../tables.ts';

interface Publisher extends Pick<Table, 'names' | 'options' | 'readings' | 'verbs' | 'examples' | 'facts'> {
  /** The commands that publish something, or delete it elsewhere. */
  readonly publishes?: string;
  readonly deletes?: string;
}

/** The card of a tool that builds a project, and publishes what it built. */
function publisher({ publishes, deletes, facts = [], ...card }: Publisher): Card {
  const [name = ''] = card.names.split(' ');
  return {
    ...table({
      ...card,
      examples: {
        ...card.examples,
        [name]: '',
        [`${name} build`]: '',
        [`${Object.keys(card.examples)[0]} --dry-run`]: '',
      },
      looks: 'dry-run dryrun dryRun dry',
      does: [
        ...(deletes === undefined ? [] : [['cloud <words> (delete)', deletes] as const]),
        ...(publishes === undefined ? [] : [['deploy <words> (publish)', publishes] as const]),
      ],
      facts: [...facts, building(name)],
    }),
    idle: true,
  };
}

const publishers: readonly Card[] = [
  publisher({
    names: 'xcrun',
    options: 'sdk= toolchain= upload-app upload-package',
    readings: 'sdk toolchain; upload-app upload-package',
    verbs: { 'simctl delete': '', 'simctl erase': '' },
    publishes: 'altool --upload-app | altool --upload-package | notarytool submit',
    examples: {
      'xcrun altool --upload-app -f a.ipa': "deploy 'altool a.ipa' (publish)",
      'xcrun altool --upload-package a': "deploy 'altool a' (publish)",
      'xcrun notarytool submit a': "deploy 'notarytool submit a' (publish)",
      'xcrun altool --validate-app -f a': '',
    },
    facts: [
      {
        what: 'deletes or empties simulators',
        verbs: ['simctl delete', 'simctl erase'],
        // Those that no installed system can start hold nothing that is used.
        effects: (call, given) =>
          given.operands
            .filter((name) => textOf(name) !== 'unavailable')
            .map((name) => effect(call, 'delete', { detail: 'data', target: nameTarget(name) })),
        examples: {
          hit: { 'xcrun simctl <delete erase> all': 'delete all (data)' },
          miss: ['xcrun simctl list', 'xcrun simctl delete unavailable'],
        },
      },
      loadingOptions('xcrun'),
    ],
  }),
  publisher({
    names: 'k6',
    options:
      'o/out= u/vus= d/duration= i/iterations= s/stage= e/env= config/c= summary-export= tag= a/address= log-format= log-output= batch= batch-per-host= execution-segment= execution-segment-sequence= max-redirects= rps= user-agent= http-debug= min-iteration-duration= blacklist-ip= block-hostnames= summary-trend-stats= summary-time-unit= system-tags= console-output= local-ips= dns= compatibility-mode= t/type= m/max=',
    readings:
      'o out u vus d duration i iterations s stage e env config c summary-export tag a address log-format log-output batch batch-per-host execution-segment execution-segment-sequence max-redirects rps user-agent http-debug min-iteration-duration blacklist-ip block-hostnames summary-trend-stats summary-time-unit system-tags console-output local-ips dns compatibility-mode t type m max',
    publishes: 'cloud upload',
    examples: { 'k6 cloud upload a.js': "deploy 'cloud upload a.js' (publish)" },
    facts: [
      {
        what: 'runs a test from an address',
        effects: (call, given) =>
          given.operands
            .filter((word) => /^https?:\/\//.test(beginningOf(word)))
            .map((word) =>
              effect(call, 'run', { detail: 'script', origins: ['network'], target: nameTarget(word) }),
            ),
        examples: {
          hit: { 'k6 run https://h.example/a.js': 'run https://h.example/a.js (script) from network' },
          miss: ['k6 run a.js'],
        },
      },
    ],
  }),
  publisher({
    names: 'docusaurus ng ember fermyon gradio',
    publishes: 'deploy',
    examples: {
      'docusaurus deploy': 'deploy deploy (publish)',
    },
  }),
  publisher({
    names: 'hugo',
    options:
      'b= baseURL= cacheDir= c= contentDir= d= destination= disableKinds= l= layoutDir= poll= t= theme= trace= config= configDir= e= environment= ignoreVendorPaths= logFile= s= source= themesDir= maxDeletes= target=',
    readings: {
      valued:
        'b baseURL cacheDir c contentDir d destination disableKinds l layoutDir poll t theme trace config configDir e environment ignoreVendorPaths logFile s source themesDir maxDeletes target',
    },
    publishes: 'deploy',
    examples: {
      'hugo deploy': 'deploy deploy (publish)',
    },
  }),
  publisher({
    names: 'mkdocs',
    options: 'f= config-file= t= theme= m= message= b= remote-branch= r= remote-name=',
    readings: { valued: 'f config-file t theme m message b remote-branch r remote-name' },
    publishes: 'gh-deploy',
    examples: {
      'mkdocs gh-deploy': 'deploy gh-deploy (publish)',
    },
  }),
  publisher({
    names: 'ionic',
    options:
      'app-id= channel-name= update-method= max-store= min-background-duration= environment= channel= commit=',
    readings: {
      valued:
        'app-id channel-name update-method max-store min-background-duration environment channel commit',
    },
    publishes: 'deploy',
    examples: {
      'ionic deploy': 'deploy deploy (publish)',
    },
  }),
  publisher({
    names: 'hexo',
    options: 'config= cwd= d/deploy',
    readings: { valued: 'config cwd', flags: 'd deploy' },
    publishes: 'deploy | d | generate -d | g --deploy',
    examples: {
      'hexo deploy': 'deploy deploy (publish)',
      'hexo d': 'deploy d (publish)',
      'hexo generate -d': 'deploy generate (publish)',
      'hexo g --deploy': 'deploy g (publish)',
    },
  }),
  publisher({
    names: 'quasar elm spago',
    publishes: 'publish',
    examples: {
      'quasar publish': 'deploy publish (publish)',
    },
  }),
  publisher({
    names: 'rush',
    options:
      'b= target-branch= r= registry= n= npm-auth-token= t= tag= set-access-level= release-folder= version-policy= prerelease-name= suffix= c= commit=',
    readings: {
      valued:
        'b target-branch r registry n npm-auth-token t tag set-access-level release-folder version-policy prerelease-name suffix c commit',
    },
    publishes: 'publish',
    examples: {
      'rush publish': 'deploy publish (publish)',
    },
  }),
  publisher({
    names: 'wasm-pack',
    options: 'log-level= l=',
    readings: { valued: 'log-level l' },
    publishes: 'publish',
    examples: {
      'wasm-pack publish': 'deploy publish (publish)',
    },
  }),
  publisher({
    names: 'buf',
    publishes: 'push | registry … create*',
    deletes: 'registry … delete | beta registry … delete',
    examples: {
      'buf push': 'deploy push (publish)',
      'buf registry a createx': "deploy 'registry a createx' (publish)",
      'buf registry a delete': "cloud 'registry a delete' (delete)",
      'buf beta registry a delete': "cloud 'beta registry a delete' (delete)",
    },
  }),
  publisher({
    names: 'redocly',
    publishes: 'push*',
    examples: {
      'redocly pushx': 'deploy pushx (publish)',
    },
  }),
  publisher({
    names: 'gleam',
    publishes: 'publish | hex publish',
    deletes: 'hex retire | hex revert',
    examples: {
      'gleam publish': 'deploy publish (publish)',
      'gleam hex publish': "deploy 'hex publish' (publish)",
      'gleam hex retire': "cloud 'hex retire' (delete)",
      'gleam hex revert': "cloud 'hex revert' (delete)",
    },
  }),
  publisher({
    names: 'pio platformio',
    publishes: 'package publish | pkg publish',
    deletes: 'package unpublish | pkg unpublish',
    examples: {
      'pio package publish': "deploy 'package publish' (publish)",
      'pio pkg publish': "deploy 'pkg publish' (publish)",
      'pio package unpublish': "cloud 'package unpublish' (delete)",
      'pio pkg unpublish': "cloud 'pkg unpublish' (delete)",
    },
  }),
  publisher({
    names: 'spin',
    publishes: 'deploy | cloud deploy | aka deploy | registry push',
    deletes: 'cloud … delete',
    examples: {
      'spin deploy': 'deploy deploy (publish)',
      'spin cloud deploy': "deploy 'cloud deploy' (publish)",
      'spin aka deploy': "deploy 'aka deploy' (publish)",
      'spin registry push': "deploy 'registry push' (publish)",
      'spin cloud a delete': "cloud 'cloud a delete' (delete)",
    },
  }),
  publisher({
    names: 'prefect',
    publishes: 'deploy | deployment run | deployment apply',
    deletes: '… delete',
    examples: {
      'prefect deploy': 'deploy deploy (publish)',
      'prefect deployment run': "deploy 'deployment run' (publish)",
      'prefect deployment apply': "deploy 'deployment apply' (publish)",
      'prefect a delete': "cloud 'a delete' (delete)",
    },
  }),
  publisher({
    names: 'wandb',
    publishes: 'sync | artifact put | launch',
    deletes: '… rm | … delete',
    examples: {
      'wandb sync': 'deploy sync (publish)',
      'wandb artifact put': "deploy 'artifact put' (publish)",
      'wandb launch': 'deploy launch (publish)',
      'wandb a rm': "cloud 'a rm' (delete)",
      'wandb a delete': "cloud 'a delete' (delete)",
    },
  }),
  publisher({
    names: 'mlflow',
    publishes: 'deployments create | deployments update',
    deletes: '… delete | … gc',
    examples: {
      'mlflow deployments create': "deploy 'deployments create' (publish)",
      'mlflow deployments update': "deploy 'deployments update' (publish)",
      'mlflow a delete': "cloud 'a delete' (delete)",
      'mlflow a gc': "cloud 'a gc' (delete)",
    },
  }),
  publisher({
    names: 'tkn',
    options:
      'context= c= kubeconfig= k= namespace= n= inputresource= i= labels= l= output= outputresource= o= param= p= pod-template= prefix-name= serviceaccount= s= timeout= use-taskrun= workspace= w= filename= finally-timeout= pipeline-timeout= resource= r= task-serviceaccount= tasks-timeout= use-pipelinerun= grace=',
    readings: {
      valued:
        'context c kubeconfig k namespace n inputresource i labels l output outputresource o param p pod-template prefix-name serviceaccount s timeout use-taskrun workspace w filename finally-timeout pipeline-timeout resource r task-serviceaccount tasks-timeout use-pipelinerun grace',
    },
    publishes: '… start',
    deletes: '… delete | … cancel',
    examples: {
      'tkn a start': "deploy 'a start' (publish)",
      'tkn a delete': "cloud 'a delete' (delete)",
      'tkn a cancel': "cloud 'a cancel' (delete)",
    },
  }),
  publisher({
    names: 'celery',
    deletes: '… purge',
    examples: {
      'celery a purge': "cloud 'a purge' (delete)",
    },
  }),
  publisher({
    names: 'rq',
    deletes: 'empty',
    examples: {
      'rq empty': 'cloud empty (delete)',
    },
  }),
  publisher({
    names: 'drone',
    publishes: 'build promote',
    deletes: '… rm | … disable',
    examples: {
      'drone build promote': "deploy 'build promote' (publish)",
      'drone a rm': "cloud 'a rm' (delete)",
      'drone a disable': "cloud 'a disable' (delete)",
    },
  }),
  publisher({
    names: 'woodpecker-cli',
    publishes: 'deploy | pipeline deploy',
    deletes: '… rm | … purge',
    examples: {
      'woodpecker-cli deploy': 'deploy deploy (publish)',
      'woodpecker-cli pipeline deploy': "deploy 'pipeline deploy' (publish)",
      'woodpecker-cli a rm': "cloud 'a rm' (delete)",
      'woodpecker-cli a purge': "cloud 'a purge' (delete)",
    },
  }),
  publisher({
    names: 'cast',
    publishes: 'send | publish',
    examples: {
      'cast send': 'deploy send (publish)',
      'cast publish': 'deploy publish (publish)',
    },
  }),
];

/** Files of others that are put into a folder, where one is named. */
const downloads: Fact = {
  what: 'puts files of others into a folder',
  effects: (call, given): readonly Effect[] => {
    const folder = given.last('local-dir');
    const [verb, , ...files] = given.operands;
    if (folder === undefined || textOf(verb) !== 'download') return [];
    const more = { detail: 'create', origins: ['network'] } as const;
    return files.length === 0
      ? write(call, folder, { ...more, recursive: true })
      : files.flatMap((file) => write(call, within(folder, file), more));
  },
  examples: {
    hit: {
      'hf download a --local-dir b': 'write b (create) recursive from network',
      'hf download a c.py --local-dir=b': 'write b/c.py (create) from network',
    },
    miss: ['hf download a', 'hf upload a --local-dir b', 'hf'],
  },
};

/** Models and data on a hub. */
const hub = publisher({
  names: 'hf huggingface-cli',
  options: 'local-dir= repo-type= revision= include= exclude= cache-dir= token=',
  readings: { valued: 'local-dir repo-type revision include exclude cache-dir token' },
  publishes: 'upload*',
  deletes: 'repo delete | repos delete | repo-files delete',
  examples: {
    'hf upload a b': "deploy 'upload a b' (publish)",
    'hf <repo repos repo-files> delete a': "cloud '<> delete a' (delete)",
  },
  facts: [downloads],
});

/** A chain that is not on this machine. */
const otherChain = /^(?!localhost$|hardhat$|development$|develop$|test$|anvil$|ganache$|local$).+/;

/** The card of a tool that puts contracts on a chain. */
function ofChain(name: string, deploys: RegExp, examples: Examples): Card {
  return {
    names: name,
    options: 'network=',
    readings: { valued: 'network' },
    idle: true,
    facts: [
      {
        what: 'puts contracts on a chain that others see',
        effects: (call, given) => {
          const words = given.operands.map(beginningOf).join(' ');
          return given
            .all('network')
            .filter((network) => otherChain.test(beginningOf(network)) && deploys.test(words))
            .map((network) => effect(call, 'deploy', { detail: 'chain', target: nameTarget(network) }));
        },
        examples,
      },
      building(name),
    ],
  };
}

export const cards: readonly Card[] = [
  ...publishers,
  hub,
  ofChain('hardhat', /\b(?:run|deploy|ignition)\b/, {
    hit: {
      'hardhat <run deploy ignition> a --network mainnet': 'deploy mainnet (chain)',
      'hardhat run a --network=sepolia': 'deploy sepolia (chain)',
    },
    miss: [
      'hardhat run a --network <localhost hardhat development develop test anvil ganache local>',
      'hardhat run a',
      'hardhat test --network mainnet',
    ],
  }),
  ofChain('truffle', /\b(?:migrate|deploy|exec)\b/, {
    hit: { 'truffle <migrate deploy exec> --network mainnet': 'deploy mainnet (chain)' },
    miss: ['truffle migrate', 'truffle test --network mainnet'],
  }),
];
