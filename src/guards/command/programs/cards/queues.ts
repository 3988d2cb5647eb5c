// Queues and streams.

import type { Value } from '../../effects.ts';
import { effect, nameTarget } from '../../tools/tool.ts';
import type { Card, Given } from '../card.ts';
import { each, service } from '../service.ts';

const nats = service({
  names: 'nats',
  look: 'stream ls',
  depth: 3,
  deeds: [
    ['change', 'pub | publish | request | reply'],
    ['read', 'sub | subscribe | server report | stream report | consumer report'],
    [
      'delete',
      'kv rm | kv del* | kv purge | kv edit | kv unset | object rm | object del* | object purge | object edit | object unset | stream rm | stream del* | stream purge | stream edit | stream unset | consumer rm | consumer del* | consumer purge | consumer edit | consumer unset | server rm | server del* | server purge | server edit | server unset | server shutdown | server cluster step-down | account rm | account del* | account purge | account edit | account unset | service rm | service del* | service purge | service edit | service unset | auth rm | auth del* | auth purge | auth edit | auth unset | context rm | context del* | context purge | context edit | context unset',
    ],
  ],
  examples: {
    ...each('nats *', 'pub a | publish a | request a | reply a', "cloud '*' (change)"),
    'nats sub a': '',
    'nats subscribe a': '',
    'nats server ls a': '',
    'nats server info a': '',
    'nats server ping a': '',
    'nats server report a': '',
    'nats server check a': '',
    'nats account info a': '',
    'nats stream ls a': '',
    'nats stream info a': '',
    'nats stream view a': '',
    'nats stream report a': '',
    'nats stream get a': '',
    'nats consumer ls a': '',
    'nats consumer info a': '',
    'nats consumer report a': '',
    'nats kv get a': '',
    'nats kv ls a': '',
    'nats kv info a': '',
    'nats kv history a': '',
    'nats kv status a': '',
    nats: '',
    'nats things list': '',
    ...each(
      'nats *',
      'kv rm a | kv delx a | kv purge a | kv edit a | kv unset a | object rm a | object delx a | object purge a | object edit a | object unset a | stream rm a | stream delx a | stream purge a | stream edit a | stream unset a | consumer rm a | consumer delx a | consumer purge a | consumer edit a | consumer unset a | server rm a | server delx a | server purge a | server edit a | server unset a | server shutdown a | account rm a | account delx a | account purge a | account edit a | account unset a | service rm a | service delx a | service purge a | service edit a | service unset a | auth rm a | auth delx a | auth purge a | auth edit a | auth unset a | context rm a | context delx a | context purge a | context edit a | context unset a',
      "cloud '*' (delete)",
    ),
    'nats server cluster step-down a': "cloud 'server cluster step-down' (delete)",
    'nats things delete a': 'cloud a (delete)',
    ...each('nats *', 'things create a | stream add a', 'cloud a (change)'),
    'nats things deploy a': 'deploy a (things deploy)',
    'nats things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'nats $X': 'cloud … (unknown)',
  },
});

const rabbitmqctl = service({
  names: 'rabbitmqctl',
  look: 'list_queues',
  depth: 1,
  deeds: [
    [
      'delete',
      'forget_cluster_node | reset | force_reset | delete_* | purge_* | clear_* | stop | stop_app | close_* | remove_* | rotate_* | change_* | shutdown | evict*',
    ],
    [
      'read',
      'list_* | status | cluster_status | ping | environment | report | node_health* | version | help | await* | check*',
    ],
  ],
  rest: 'change',
  examples: {
    'rabbitmqctl forget_cluster_node a': 'cloud forget_cluster_node (delete)',
    'rabbitmqctl reset a': 'cloud reset (delete)',
    'rabbitmqctl force_reset a': 'cloud force_reset (delete)',
    'rabbitmqctl delete_x a': 'cloud delete_x (delete)',
    'rabbitmqctl purge_x a': 'cloud purge_x (delete)',
    'rabbitmqctl clear_x a': 'cloud clear_x (delete)',
    'rabbitmqctl stop a': 'cloud stop (delete)',
    'rabbitmqctl stop_app a': 'cloud stop_app (delete)',
    'rabbitmqctl close_x a': 'cloud close_x (delete)',
    'rabbitmqctl remove_x a': 'cloud remove_x (delete)',
    'rabbitmqctl rotate_x a': 'cloud rotate_x (delete)',
    'rabbitmqctl change_x a': 'cloud change_x (delete)',
    'rabbitmqctl shutdown a': 'cloud shutdown (delete)',
    'rabbitmqctl evictx a': 'cloud evictx (delete)',
    'rabbitmqctl list_x a': '',
    'rabbitmqctl status a': '',
    'rabbitmqctl cluster_status a': '',
    'rabbitmqctl ping a': '',
    'rabbitmqctl environment a': '',
    'rabbitmqctl report a': '',
    'rabbitmqctl node_healthx a': '',
    'rabbitmqctl version a': '',
    'rabbitmqctl help a': '',
    'rabbitmqctl awaitx a': '',
    'rabbitmqctl checkx a': '',
    rabbitmqctl: '',
    'rabbitmqctl delete a': 'cloud delete (change)',
    'rabbitmqctl create a': 'cloud create (change)',
    'rabbitmqctl deploy a': 'cloud deploy (change)',
    'rabbitmqctl list': 'cloud list (change)',
    'rabbitmqctl frobnicate a': 'cloud frobnicate (change)',
    'rabbitmqctl $X': 'cloud … (unknown)',
  },
});

const rabbitmqadmin = service({
  names: 'rabbitmqadmin',
  depth: 2,
  deeds: [
    ['delete', 'delete | purge | close'],
    ['read', 'list | show | get | export | help'],
  ],
  rest: 'change',
  examples: {
    ...each('rabbitmqadmin *', 'delete a | purge a | close a', "cloud '*' (delete)"),
    'rabbitmqadmin list a': '',
    'rabbitmqadmin show a': '',
    'rabbitmqadmin get a': '',
    'rabbitmqadmin export a': '',
    'rabbitmqadmin help a': '',
    rabbitmqadmin: '',
    'rabbitmqadmin things delete a': "cloud 'things delete' (change)",
    'rabbitmqadmin things create a': "cloud 'things create' (change)",
    'rabbitmqadmin things deploy a': "cloud 'things deploy' (change)",
    'rabbitmqadmin things list': "cloud 'things list' (change)",
    'rabbitmqadmin things frobnicate a': "cloud 'things frobnicate' (change)",
    'rabbitmqadmin $X': 'cloud … (unknown)',
  },
});

const kafkaDeletes = ['delete', 'remove', 'delete-offsets', 'delete-config', 'reset-offsets'];
const kafkaChanges = ['create', 'alter', 'add', 'add-config', 'execute'];

const kafkaTarget = (given: Given<Value>) => nameTarget(given.last('topic', 'group', 'entity-name'));

const kafka: Card = {
  names:
    'kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs kafka-configs.sh kafka-acls kafka-acls.sh kafka-console-producer kafka-console-consumer kafka-delete-records kafka-delete-records.sh',
  options:
    'topic= group= entity-name= entity-type= bootstrap-server= command-config= partitions= replication-factor= config= add-config= delete-config= producer= consumer= offset-json-file= delete remove delete-offsets reset-offsets create alter add execute list describe',
  readings: {
    valued:
      'topic group entity-name entity-type bootstrap-server command-config partitions replication-factor config add-config delete-config producer consumer offset-json-file',
    flags: 'delete remove delete-offsets reset-offsets create alter add execute list describe',
  },
  facts: [
    {
      what: 'deletes topics, groups, rights or records',
      effects: (call, given) =>
        given.has(...kafkaDeletes) || call.program.startsWith('kafka-delete-records')
          ? [effect(call, 'cloud', { detail: 'delete', target: kafkaTarget(given) })]
          : [],
      examples: {
        hit: {
          ...each(
            'kafka-topics --* --topic a',
            'delete | remove | delete-offsets | reset-offsets | delete-config x',
            'cloud a (delete)',
          ),
          'kafka-configs.sh --alter --delete-config x --entity-name a': 'cloud a (delete)',
          'kafka-consumer-groups --bootstrap-server h:1 --delete --group a': 'cloud a (delete)',
          'kafka-delete-records --offset-json-file a': 'cloud (delete)',
          'kafka-delete-records.sh --offset-json-file a': 'cloud (delete)',
        },
        miss: ['kafka-topics --list', 'kafka-topics --create --topic delete', 'kafka-acls --add'],
      },
    },
    {
      what: 'makes or changes topics, groups or rights, or sends records',
      effects: (call, given) => {
        if (given.has(...kafkaDeletes)) return [];
        const changes = given.has(...kafkaChanges) || call.program.startsWith('kafka-console-producer');
        return changes ? [effect(call, 'cloud', { detail: 'change', target: kafkaTarget(given) })] : [];
      },
      examples: {
        hit: {
          ...each(
            'kafka-topics --* --topic a',
            'create | alter | add | execute | add-config x',
            'cloud a (change)',
          ),
          'kafka-console-producer --topic a': 'cloud a (change)',
        },
        miss: [
          'kafka-topics --describe --topic a',
          'kafka-console-consumer --topic a',
          'kafka-configs --alter --delete-config x',
          'kafka-delete-records --offset-json-file a',
        ],
      },
    },
  ],
};

const kcat: Card = {
  names: 'kcat',
  options: 'P C L Q b= t= p= G= o= c= X= F= K= D= k= f= l e q u z=',
  readings: { valued: 'b t p G o c X F K D k f z', flags: 'P C L Q l e q u' },
  facts: [
    {
      what: 'sends records',
      effects: (call, given) => (given.has('P') ? [effect(call, 'cloud', { detail: 'change' })] : []),
      examples: {
        hit: { 'kcat -b h -t a -P': 'cloud (change)', 'kcat -qPb h': 'cloud (change)' },
        miss: ['kcat -b h -t a -C', 'kcat -L', 'kcat -t P'],
      },
    },
  ],
};

export const cards = [nats, rabbitmqctl, rabbitmqadmin, kafka, kcat];
