// Services by subscription, queues and streams.

import { beginningOf, effect, inert, nameTarget, type Tool, type Tools } from '../tool.ts';
import { service } from './deeds.ts';

/** Kafka's scripts say it with options. */
const kafka: Tool = (call) => {
  const texts = call.args.map(beginningOf);
  const topic = nameTarget(
    call.args[texts.findIndex((text) => /^--(?:topic|group|entity-name)$/.test(text)) + 1],
  );
  if (texts.some((text) => /^--(?:delete|remove|delete-offsets|delete-config|reset-offsets)$/.test(text)))
    return [effect(call, 'cloud', { detail: 'delete', target: topic })];
  if (texts.some((text) => /^--(?:create|alter|add|add-config|execute)$/.test(text)))
    return [effect(call, 'cloud', { detail: 'change', target: topic })];
  return /producer|delete-records/.test(call.program)
    ? [effect(call, 'cloud', { detail: /delete/.test(call.program) ? 'delete' : 'change', target: topic })]
    : inert(call);
};

/** Services by subscription, queues and streams. */
export const serviceTools: Tools = {
  stripe: service({
    depth: 2,
    exceptions: [
      [/^(?:api_keys roll)|(?:^| )(?:delete|cancel|void|refund)/, 'delete'],
      [/^(?:listen|login|logs|status|version|help|open|samples|fixtures|config)/, 'read'],
      [/^(?:post|trigger|payouts|charges|refunds|transfers)/, 'change'],
      [/^get/, 'read'],
    ],
  }),
  square: service({ depth: 3 }),
  ldcli: service({ depth: 2 }),
  flipt: service({ depth: 2 }),
  unleash: service({ depth: 2 }),
  launchdarkly: service({ depth: 2 }),
  algolia: service({ depth: 2, exceptions: [[/(?: clear|delete|copy --replace)/, 'delete']] }),
  newrelic: service({ depth: 4 }),
  datadog: service({ depth: 3 }),
  'datadog-ci': service({ depth: 2, otherwise: 'change' }),
  splunk: service({ depth: 2 }),
  pd: service({ depth: 3 }),
  'sentry-cli': service({
    depth: 3,
    exceptions: [
      [/^(?:info|login|releases list|send-event)/, 'read'],
      [/^(?:sourcemaps|releases|upload|debug-files|deploys)/, 'deploy'],
    ],
  }),
  deck: service({
    depth: 2,
    exceptions: [
      [/^(?:gateway )?(?:reset|sync)/, 'delete'],
      [/^(?:gateway )?(?:diff|dump|ping|validate|version|file)/, 'read'],
    ],
  }),
  kong: service({
    depth: 2,
    exceptions: [
      [/^(?:stop|quit|migrations (?:reset|down))/, 'delete'],
      [/^(?:version|health|check|config)/, 'read'],
    ],
  }),
  apigeecli: service({ depth: 3 }),
  nats: service({
    depth: 3,
    exceptions: [
      [/^(?:pub|publish|request|reply)/, 'change'],
      [
        /^(?:sub|subscribe|server (?:ls|info|ping|report|check)|account info|stream (?:ls|info|view|report|get)|consumer (?:ls|info|report)|kv (?:get|ls|info|history|status))/,
        'read',
      ],
      [
        /^(?:kv|object|stream|consumer|server|account|service|auth|context) (?:rm|del|delete|purge|edit|unset|shutdown|cluster step-down)/,
        'delete',
      ],
    ],
  }),
  rabbitmqctl: service({
    depth: 1,
    exceptions: [
      [
        /^(?:forget_cluster_node|reset|force_reset|delete_|purge_|clear_|stop|stop_app|close_|remove_|rotate_|change_|shutdown|evict)/,
        'delete',
      ],
      [
        /^(?:list_|status|cluster_status|ping|environment|report|node_health|version|help|await|check)/,
        'read',
      ],
      [/./, 'change'],
    ],
  }),
  rabbitmqadmin: service({
    depth: 2,
    exceptions: [
      [/^(?:delete|purge|close)/, 'delete'],
      [/^(?:list|show|get|export|help)/, 'read'],
      [/./, 'change'],
    ],
  }),
  'kafka-topics': kafka,
  'kafka-topics.sh': kafka,
  'kafka-consumer-groups': kafka,
  'kafka-consumer-groups.sh': kafka,
  'kafka-configs': kafka,
  'kafka-configs.sh': kafka,
  'kafka-acls': kafka,
  'kafka-acls.sh': kafka,
  'kafka-console-producer': kafka,
  'kafka-console-consumer': (call) => inert(call),
  'kafka-delete-records': kafka,
  'kafka-delete-records.sh': kafka,
  kcat: (call) =>
    call.args.some((argument) => /^-[a-zA-Z]*P/.test(beginningOf(argument)))
      ? [effect(call, 'cloud', { detail: 'change' })]
      : inert(call),
  confluent: service({ depth: 4 }),
  snowsql: (call) => [effect(call, 'database', { detail: 'unknown', target: nameTarget(call.args.at(-1)) })],
  twilio: service({ depth: 4, exceptions: [[/messages:create|calls:create|email:send/, 'change']] }),
};
