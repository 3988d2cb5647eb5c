// Services of developers that are told by their verbs what to do: databases, functions, models and machines elsewhere.

import type { Card } from '../card.ts';
import { type Service, service } from '../service.ts';

/** The card of one: its own commands first, with examples, then what every verb says. */
function said({ examples, ...more }: Omit<Service, 'depth' | 'alone'>): Card {
  const [name = ''] = more.names.split(' ');
  return service({
    ...more,
    depth: 3,
    alone: 'read',
    examples: {
      ...examples,
      [name]: '',
      [`${name} things list`]: '',
      [`${name} things delete a`]: 'cloud a (delete)',
      [`${name} things create a`]: 'cloud a (change)',
      [`${name} things deploy a`]: 'deploy a (things deploy)',
      [`${name} things frobnicate a`]: "cloud 'things frobnicate a' (unknown)",
    },
  });
}

export const cards: readonly Card[] = [
  said({
    names: 'turso',
    look: 'db list',
    deeds: [
      ['secret', 'db tokens create | group tokens create | auth token | auth api-tokens mint'],
      ['delete', 'db tokens invalidate | group tokens invalidate'],
      ['change', 'db shell'],
      ['read', 'develop | init | login | logout | codegen | generate | docs | schema'],
    ],
    examples: {
      'turso <db tokens create | group tokens create | auth token | auth api-tokens mint>':
        "secret '<>' (credentials)",
      'turso <db tokens invalidate | group tokens invalidate>': "cloud '<>' (delete)",
      'turso db shell': "cloud 'db shell' (change)",
      'turso <develop init login logout codegen generate docs schema>': '',
    },
  }),
  said({
    names: 'neonctl neon',
    look: 'branches list',
    options: 'project-id= org-id= branch= role-name= database-name= parent=',
    readings: { valued: 'project-id org-id branch role-name database-name parent' },
    deeds: [
      ['secret', 'connection-string | cs'],
      ['delete', 'branches restore | branch restore'],
      ['read', 'me | set-context | auth'],
    ],
    examples: {
      'neonctl <connection-string cs>': 'secret <> (credentials)',
      'neonctl <branches restore | branch restore>': "cloud '<>' (delete)",
      'neonctl <me set-context auth>': '',
    },
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
      ['change', 'shell | branch promote | branch safe-migrations'],
      ['delete', 'deploy-request revert'],
      ['read', 'auth | branch schema'],
    ],
    examples: {
      'pscale <password create | service-token create>': "secret '<>' (credentials)",
      'pscale <branch promote | branch safe-migrations>': "cloud '<>' (change)",
      'pscale shell': 'cloud shell (change)',
      'pscale deploy-request revert': "cloud 'deploy-request revert' (delete)",
      'pscale branch schema': '',
      'pscale auth': '',
    },
  }),
  said({ names: 'upstash', examples: {} }),
  said({
    names: 'convex',
    deeds: [
      ['secret', 'env get | env list'],
      ['read', 'develop | init | login | logout | codegen | generate | docs | schema | data | function-spec'],
    ],
    examples: {
      'convex <env get | env list>': "secret '<>' (credentials)",
      'convex <develop init login logout codegen generate docs schema data function-spec>': '',
    },
  }),
  said({
    names: 'modal',
    look: 'app list',
    deeds: [
      ['delete', 'app rollback'],
      ['change', 'shell'],
      ['read', 'setup | token | profile | config'],
    ],
    examples: {
      'modal app rollback': "cloud 'app rollback' (delete)",
      'modal shell': 'cloud shell (change)',
      'modal <setup token profile config>': '',
    },
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
      ['delete', 'db drop-archived'],
      [
        'secret',
        'connections get | connections export | variables get | variables export | config get-value',
      ],
      ['change', 'dags backfill | dags unpause'],
      [
        'read',
        'standalone | webserver | api-server | scheduler | triggerer | celery worker | cheat-sheet | dags report',
      ],
    ],
    examples: {
      'airflow db drop-archived': "cloud 'db drop-archived' (delete)",
      'airflow <connections get | connections export | variables get | variables export | config get-value>':
        "secret '<>' (credentials)",
      'airflow <dags backfill | dags unpause>': "cloud '<>' (change)",
      'airflow <celery worker | dags report>': '',
      'airflow <standalone webserver api-server scheduler triggerer cheat-sheet>': '',
    },
  }),
  said({
    names: 'dagster dg',
    deeds: [
      ['delete', 'asset wipe-partitions-status-cache'],
      ['change', 'job launch | job backfill | asset materialize | launch'],
      ['read', 'develop | init | login | logout | codegen | generate | docs | schema | project | scaffold'],
    ],
    examples: {
      'dagster asset wipe-partitions-status-cache': "cloud 'asset wipe-partitions-status-cache' (delete)",
      'dagster <job launch | job backfill | asset materialize>': "cloud '<>' (change)",
      'dagster launch': 'cloud launch (change)',
      'dagster <develop init login logout codegen generate docs schema project scaffold>': '',
    },
  }),
  said({
    names: 'appcenter',
    deeds: [['deploy', 'distribute release | codepush release*']],
    examples: {
      'appcenter <distribute release | codepush releasex>': "deploy '<>' (<>)",
    },
  }),
  said({
    names: 'auth0',
    deeds: [['change', 'api']],
    examples: {
      'auth0 api': 'cloud api (change)',
    },
  }),
  said({
    names: 'okta',
    options: 'app f',
    readings: { flags: 'app f' },
    deeds: [['read', 'login']],
    examples: {
      'okta login': '',
    },
  }),
  said({
    names: 'rover',
    options: 'schema= routing-url= profile= config=',
    readings: { valued: 'schema routing-url profile config' },
    deeds: [['read', 'supergraph compose | subgraph fetch | subgraph introspect']],
    examples: {
      'rover <supergraph compose | subgraph fetch | subgraph introspect>': '',
    },
  }),
  said({
    names: 'sanity',
    options: 'extensions= attach= offset= visibility= dataset= tag= generation= range= role=',
    readings: { valued: 'extensions attach offset visibility dataset tag generation range role' },

    deeds: [['read', 'develop | init | login | logout | codegen | generate | docs | schema | start | debug']],
    examples: {
      'sanity <develop init login logout codegen generate docs schema start debug>': '',
    },
  }),
  said({
    names: 'contentful',
    deeds: [
      ['change', 'space migration'],
      ['read', 'login'],
    ],
    examples: {
      'contentful space migration': "cloud 'space migration' (change)",
      'contentful login': '',
    },
  }),
  said({
    names: 'strapi',
    deeds: [
      ['change', 'admin:reset-user-password'],
      [
        'read',
        'develop | init | login | logout | codegen | generate | docs | schema | start | ts:generate-types',
      ],
    ],
    examples: {
      'strapi admin:reset-user-password': 'cloud admin:reset-user-password (change)',
      'strapi <develop init login logout codegen generate docs schema start ts:generate-types>': '',
    },
  }),
  said({
    names: 'hasura',
    options:
      'envfile= log-level= admin-secret= certificate-authority= derive-from= framework= output-dir= metadata-dir= database-name= from-table=',
    readings: {
      valued:
        'envfile log-level admin-secret certificate-authority derive-from framework output-dir metadata-dir database-name from-table',
    },

    deeds: [['read', 'metadata inconsistency | migrate squash | init']],
    examples: {
      'hasura <metadata inconsistency | migrate squash>': '',
      'hasura init': '',
    },
  }),
  said({
    names: 'replicate',
    deeds: [
      ['change', 'train | scaffold'],
      ['read', 'model schema'],
    ],
    examples: {
      'replicate <train scaffold>': 'cloud <> (change)',
      'replicate model schema': '',
    },
  }),
  said({
    names: 'runpodctl',
    deeds: [
      ['delete', 'remove pod | remove pods | stop pod'],
      ['change', 'ssh add-key'],
      ['read', 'config | receive'],
    ],
    examples: {
      'runpodctl <remove pod | remove pods | stop pod>': "cloud '<>' (delete)",
      'runpodctl ssh add-key': "cloud 'ssh add-key' (change)",
      'runpodctl <config receive>': '',
    },
  }),
  said({
    names: 'vastai',
    deeds: [
      ['delete', 'destroy instance | destroy instances | stop instance | label instance'],
      ['read', 'ssh-url'],
    ],
    examples: {
      'vastai <destroy instance | destroy instances | stop instance | label instance>': "cloud '<>' (delete)",
      'vastai ssh-url': '',
    },
  }),
  said({
    names: 'sky',
    look: 'status',
    deeds: [
      ['delete', 'down | autostop | serve down'],
      ['change', 'launch | jobs launch | serve up'],
      ['read', 'queue | cost-report | jobs queue'],
    ],
    examples: {
      'sky serve down': "cloud 'serve down' (delete)",
      'sky <down autostop>': 'cloud <> (delete)',
      'sky <jobs launch | serve up>': "cloud '<>' (change)",
      'sky launch': 'cloud launch (change)',
      'sky jobs queue': '',
      'sky <queue cost-report>': '',
    },
  }),
  said({
    names: 'rancher',
    look: 'ps',
    options: 'answers= values/v= set= set-string= helm-timeout= branch= helm-version=',
    readings: { valued: 'answers values v set set-string helm-timeout branch helm-version' },

    deeds: [
      ['change', 'kubectl'],
      ['read', 'login | context switch | ps'],
    ],
    examples: {
      'rancher kubectl': 'cloud kubectl (change)',
      'rancher context switch': '',
      'rancher <login ps>': '',
    },
  }),
  said({
    names: 'cilium',
    deeds: [
      ['change', 'connectivity test'],
      ['read', 'config view | sysdump'],
    ],
    examples: {
      'cilium connectivity test': "cloud 'connectivity test' (change)",
      'cilium config view': '',
      'cilium sysdump': '',
    },
  }),
  said({
    names: 'boundary',
    deeds: [
      ['secret', 'credentials read'],
      ['read', 'authenticate'],
    ],
    examples: {
      'boundary credentials read': "secret 'credentials read' (credentials)",
      'boundary authenticate': '',
    },
  }),
  said({
    names: 'govc',
    look: 'ls',
    deeds: [
      [
        'delete',
        '*.destroy | *.remove | *.rm | *.delete | *.unregister | vm.power | host.shutdown | snapshot.revert',
      ],
      ['read', 'about | env | tasks | *.info | *.ls | metric.sample'],
      [
        'change',
        '*.create | *.add | *.change | *.clone | vm.migrate | datastore.upload | guest.run | guest.start',
      ],
    ],
    examples: {
      'govc <x.destroy x.remove x.rm x.delete x.unregister vm.power host.shutdown snapshot.revert>':
        'cloud <> (delete)',
      'govc <about env tasks x.info x.ls metric.sample>': '',
      'govc <x.create x.add x.change x.clone vm.migrate datastore.upload guest.run guest.start>':
        'cloud <> (change)',
    },
  }),
  said({
    names: 'docker-machine',
    look: 'ls',
    deeds: [
      ['delete', 'kill'],
      ['read', 'active | env | ip | url | config'],
    ],
    examples: {
      'docker-machine kill': 'cloud kill (delete)',
      'docker-machine <active env ip url config>': '',
    },
  }),
  said({
    names: 'databricks',
    look: 'clusters list',
    deeds: [
      ['secret', 'auth token | secrets get-secret | tokens create'],
      ['change', 'api post | fs mkdir | jobs submit'],
      ['read', 'auth login | auth profiles'],
    ],
    examples: {
      'databricks <auth token | secrets get-secret | tokens create>': "secret '<>' (credentials)",
      'databricks <api post | fs mkdir | jobs submit>': "cloud '<>' (change)",
      'databricks <auth login | auth profiles>': '',
    },
  }),
  said({
    names: 'snow',
    deeds: [
      ['change', 'sql'],
      ['read', 'init'],
    ],
    examples: {
      'snow sql': 'cloud sql (change)',
      'snow init': '',
    },
  }),
  said({
    names: 'pulsar-admin',
    deeds: [
      ['delete', 'topics unload | topics skip-all | topics expire-messages | namespaces clear-backlog'],
      ['read', 'topics stats | topics peek-messages'],
    ],
    examples: {
      'pulsar-admin <topics unload | topics skip-all | topics expire-messages | namespaces clear-backlog>':
        "cloud '<>' (delete)",
      'pulsar-admin <topics stats | topics peek-messages>': '',
    },
  }),
];
