// Services of developers that are told by their verbs what to do: databases, functions, models and machines elsewhere.

import type { Card } from '../card.ts';
import { type Service, service } from '../service.ts';

interface Said extends Pick<Service, 'names' | 'options' | 'readings' | 'look'> {
  readonly deeds?: readonly (readonly ['delete' | 'change' | 'read' | 'deploy' | 'secret', string])[];
}

/** The card of one: its own commands first, then what every verb says. */
function said({ names, deeds = [], ...more }: Said): Card {
  const [name = ''] = names.split(' ');
  const result = { delete: 'cloud', change: 'cloud', read: '', deploy: 'deploy', secret: 'secret' } as const;
  const own = deeds.flatMap(([deed, commands]) =>
    commands.split(' | ').map((command) => {
      const words = command.replaceAll('*', 'x');
      const detail = deed === 'deploy' ? words : deed === 'secret' ? 'credentials' : deed;
      const target = words.includes(' ') ? `'${words}'` : words;
      return [`${name} ${words}`, result[deed] === '' ? '' : `${result[deed]} ${target} (${detail})`];
    }),
  );
  return service({
    names,
    ...more,
    depth: 3,
    alone: 'read',
    deeds,
    examples: {
      ...Object.fromEntries(own),
      [name]: '',
      [`${name} things list`]: '',
      [`${name} things delete a`]: 'cloud a (delete)',
      [`${name} things create a`]: 'cloud a (change)',
      [`${name} things deploy a`]: 'deploy a (things deploy)',
      [`${name} things frobnicate a`]: "cloud 'things frobnicate a' (unknown)",
    },
  });
}

const local = 'dev | develop | init | login | logout | codegen | generate | completion | docs | schema';

export const cards: readonly Card[] = [
  said({
    names: 'turso',
    look: 'db list',
    deeds: [
      ['secret', 'db tokens create | group tokens create | auth token | auth api-tokens mint'],
      ['delete', 'db tokens invalidate | group tokens invalidate'],
      ['change', 'db shell'],
      ['read', local],
    ],
  }),
  said({
    names: 'neonctl neon',
    look: 'branches list',
    options: 'project-id= org-id= branch= role-name= database-name= parent=',
    readings: { valued: 'project-id org-id branch role-name database-name parent' },
    deeds: [
      ['secret', 'connection-string | cs'],
      ['delete', 'branches reset | branch reset | branches restore | branch restore'],
      ['read', 'me | set-context | auth | projects list'],
    ],
  }),
  said({
    names: 'pscale planetscale',
    options:
      'api-token= api-url= service-token= service-token-name= database= parent-branch= execute= execute-env-url= execute-protocol= port= remote-addr= notes= local-addr= deploy-to= comment= save-config=',
    readings: {
      valued:
        'api-token api-url service-token service-token-name database parent-branch execute execute-env-url execute-protocol port remote-addr notes local-addr deploy-to comment save-config',
    },

    deeds: [
      ['secret', 'password create | service-token create'],
      ['change', 'shell | branch promote | branch safe-migrations | database restore-dump'],
      ['deploy', 'deploy-request deploy | deploy-request apply'],
      ['delete', 'deploy-request revert'],
      ['read', 'auth | database dump | deploy-request diff | branch schema | branch diff'],
    ],
  }),
  said({ names: 'upstash', deeds: [['delete', 'redis reset-password']] }),
  said({
    names: 'convex',
    deeds: [
      ['secret', 'env get | env list'],
      ['change', 'import | run | env set'],
      ['read', `${local} | data | function-spec | export`],
    ],
  }),
  said({
    names: 'modal',
    look: 'app list',
    deeds: [
      ['delete', 'app stop | container stop | app rollback'],
      ['change', 'run | shell | container exec | volume put'],
      ['deploy', 'deploy'],
      ['read', 'serve | setup | token | profile | config | environment list'],
    ],
  }),
  said({
    names: 'airflow',
    look: 'dags list',
    options:
      'A/basic-auth= broker-api= flower-conf= H/hostname= l= port= stderr= stdout= u= url-prefix= conn-description= conn-extra= conn-host= conn-json= conn-login= conn-password= conn-port= conn-schema= conn-type= conn-uri= file-format= serialization-format= num-runs= S/subdir= delay-on-limit= end-date= pool= start-date= task-regex= num-executions= exec-date= r/run-id= clean-before-timestamp= tables= from-revision= from-version= to-revision= to-version= min-pending-minutes= output-path= map-index= cfg-path= j/job-id= pickle= email= role= username= firstname= lastname= password= d/default= p n s f',
    readings: {
      valued:
        'A basic-auth broker-api flower-conf H hostname l port stderr stdout u url-prefix conn-description conn-extra conn-host conn-json conn-login conn-password conn-port conn-schema conn-type conn-uri file-format serialization-format num-runs S subdir delay-on-limit end-date pool start-date task-regex num-executions exec-date r run-id clean-before-timestamp tables from-revision from-version to-revision to-version min-pending-minutes output-path map-index cfg-path j job-id pickle email role username firstname lastname password d default',
      flags: 'p n s f',
    },

    deeds: [
      ['delete', 'db reset | db clean | tasks clear | dags delete | db drop-archived'],
      [
        'secret',
        'connections get | connections export | variables get | variables export | config get-value',
      ],
      [
        'change',
        'dags trigger | dags backfill | backfill create | dags unpause | db migrate | db upgrade | db init',
      ],
      [
        'read',
        'standalone | webserver | api-server | scheduler | triggerer | celery worker | dags test | tasks test | cheat-sheet | dags report',
      ],
    ],
  }),
  said({
    names: 'dagster dg',
    deeds: [
      ['delete', 'asset wipe | run wipe | asset wipe-partitions-status-cache'],
      [
        'change',
        'job launch | job backfill | job execute | asset materialize | launch | schedule start | sensor start',
      ],
      ['read', `${local} | definitions validate | project | scaffold`],
    ],
  }),
  said({ names: 'appcenter', deeds: [['deploy', 'distribute release | codepush release*']] }),
  said({
    names: 'auth0',
    deeds: [
      ['change', 'api'],
      ['read', 'test login | quickstarts list'],
    ],
  }),
  said({ names: 'okta', options: 'app f', readings: { flags: 'app f' }, deeds: [['read', 'login']] }),
  said({
    names: 'rover',
    options: 'schema= routing-url= profile= config=',
    readings: { valued: 'schema routing-url profile config' },
    deeds: [
      [
        'read',
        'supergraph compose | subgraph fetch | graph fetch | subgraph introspect | graph introspect | dev | persisted-queries list',
      ],
    ],
  }),
  said({
    names: 'sanity',
    options: 'extensions= attach= offset= visibility= dataset= tag= generation= range= role=',
    readings: { valued: 'extensions attach offset visibility dataset tag generation range role' },

    deeds: [
      ['change', 'dataset import | migration run | exec'],
      ['deploy', 'graphql deploy | deploy'],
      ['read', `${local} | dataset export | start | preview | debug`],
    ],
  }),
  said({
    names: 'contentful',
    deeds: [
      ['change', 'space import | space migration'],
      ['read', 'space export | login'],
    ],
  }),
  said({
    names: 'strapi',
    deeds: [
      ['change', 'import | transfer | admin:reset-user-password | admin:create-user | configuration:restore'],
      ['read', `${local} | start | console | export | ts:generate-types | routes:list | configuration:dump`],
    ],
  }),
  said({
    names: 'hasura',
    options:
      'envfile= log-level= admin-secret= certificate-authority= derive-from= framework= output-dir= metadata-dir= database-name= from-table=',
    readings: {
      valued:
        'envfile log-level admin-secret certificate-authority derive-from framework output-dir metadata-dir database-name from-table',
    },

    deeds: [
      ['delete', 'metadata clear | metadata drop'],
      ['read', 'console | metadata export | metadata diff | metadata inconsistency | migrate squash | init'],
    ],
  }),
  said({
    names: 'replicate',
    deeds: [
      ['change', 'run | train | scaffold'],
      ['read', 'model schema'],
    ],
  }),
  said({
    names: 'runpodctl',
    deeds: [
      ['delete', 'remove pod | remove pods | stop pod'],
      ['change', 'exec | send | ssh add-key'],
      ['read', 'config | receive'],
    ],
  }),
  said({
    names: 'vastai',
    deeds: [
      ['delete', 'destroy instance | destroy instances | stop instance | label instance'],
      ['read', 'search offers | show instances | logs | ssh-url'],
    ],
  }),
  said({
    names: 'sky',
    look: 'status',
    deeds: [
      ['delete', 'down | stop | autostop | cancel | jobs cancel | serve down | storage delete'],
      ['change', 'launch | exec | jobs launch | serve up'],
      ['read', 'status | queue | logs | show-gpus | cost-report | check | api info | jobs queue'],
    ],
  }),
  said({
    names: 'rancher',
    look: 'ps',
    options: 'answers= values/v= set= set-string= helm-timeout= branch= helm-version=',
    readings: { valued: 'answers values v set set-string helm-timeout branch helm-version' },

    deeds: [
      ['change', 'kubectl | ssh'],
      ['read', 'login | context switch | ps'],
    ],
  }),
  said({
    names: 'cilium',
    deeds: [
      ['change', 'install | upgrade | connectivity test'],
      ['read', 'status | config view | version | sysdump'],
    ],
  }),
  said({
    names: 'boundary',
    deeds: [
      ['secret', 'credentials read'],
      ['read', 'authenticate | dev'],
    ],
  }),
  said({
    names: 'govc',
    look: 'ls',
    deeds: [
      [
        'delete',
        '*.destroy | *.remove | *.rm | *.delete | *.unregister | vm.power | host.shutdown | snapshot.revert',
      ],
      ['read', 'ls | find | about | tree | events | version | env | tasks | *.info | *.ls | metric.sample'],
      [
        'change',
        '*.create | *.add | *.change | *.clone | vm.migrate | datastore.upload | guest.run | guest.start',
      ],
    ],
  }),
  said({
    names: 'docker-machine',
    look: 'ls',
    deeds: [
      ['delete', 'rm | kill'],
      ['read', 'active | env | ip | url | config'],
    ],
  }),
  said({
    names: 'databricks',
    look: 'clusters list',
    deeds: [
      ['secret', 'auth token | secrets get-secret | tokens create'],
      ['change', 'api post | api put | api patch | fs cp | fs mkdir | jobs run-now | jobs submit'],
      ['delete', 'api delete | fs rm'],
      ['read', 'api get | fs ls | fs cat | bundle validate | auth login | auth profiles'],
    ],
  }),
  said({
    names: 'snow',
    deeds: [
      ['change', 'sql | stage copy | notebook execute | procedure execute | function execute'],
      ['read', 'connection test | connection list | object list | init'],
    ],
  }),
  said({
    names: 'pulsar-admin',
    deeds: [
      ['delete', 'topics unload | topics skip-all | topics expire-messages | namespaces clear-backlog'],
      ['read', 'topics stats | topics peek-messages'],
    ],
  }),
];
