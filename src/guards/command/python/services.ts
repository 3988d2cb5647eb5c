// Python's libraries for databases, clouds, containers, repositories and schedules.

import { after, connects, effects, queryEffects, reads, starts, writes } from '../script/actions.ts';
import type { Call, Operation } from '../script/machine.ts';
import { statementKind } from '../script/sql.ts';
import {
  asValue,
  handle,
  list,
  literal,
  merge,
  none,
  originsOf,
  type Thing,
  text,
  textsOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';

const executes: Operation = (call) => {
  queryEffects(call, call.args[0]);
  return handle('cursor', { items: list([unknown], false) });
};
/** On a connection of a database even a statement that is not known does something. */
const executesKnown: Operation = (call) => {
  const known = textsOf(call.args[0]).every((sql) => statementKind(sql) !== null);
  if (!known) effects(call, 'database', { detail: 'write' });
  return executes(call);
};
const database =
  (detail: string): Operation =>
  (call) =>
    after(effects(call, 'database', { detail, ...named(call) }), unknown);

function named(call: Call): {
  readonly target?: { readonly kind: 'name'; readonly name: ReturnType<typeof asValue> };
} {
  const [first] = call.args;
  return first?.kind === 'text' ? { target: { kind: 'name', name: asValue(first.texts) } } : {};
}

const remoteDatabase: Operation = (call) => {
  const host = call.keywords.get('host') ?? call.args[0];
  if (host) connects(call, host, 'database');
  return handle('database');
};

/** What a method of a cloud's client does, by its name. */
function cloudKind(method: string): 'delete' | 'change' | 'read' {
  if (
    /^(?:delete|terminate|remove|destroy|purge|deregister|revoke|drop|empty|cancel|schedule_key_deletion|disable)/.test(
      method,
    )
  )
    return 'delete';
  if (
    /^(?:get|list|describe|head|scan|query|search|lookup|batch_get|generate_presigned|paginate|waiter|can_)/.test(
      method,
    )
  )
    return 'read';
  return 'change';
}

const deletesCloud =
  (detail: string): Operation =>
  (call) =>
    after(effects(call, 'cloud', { detail, ...named(call) }), unknown);
const uploads: Operation = (call) => {
  const content = reads(call, call.at(0, 'Filename'));
  const origins = merge(originsOf(content), originsOf(call.args[0]));
  effects(call, 'cloud', { detail: 'change', ...(origins.length > 0 ? { origins } : {}) });
  connects(call, text('amazonaws.com'), 'PUT', [content]);
  return unknown;
};
const isInMemory = (file: Thing): boolean => /^(?::memory:|file::memory:.*)$/.test(literal(file) ?? '');

/** A container that has the rights of this machine, or its files. */
const runsContainer: Operation = (call) => {
  const { keywords } = call;
  const volumes = keywords.get('volumes');
  const mounts =
    volumes?.kind === 'map'
      ? [...volumes.entries.keys()]
      : textsOf(volumes).map((one) => one.split(':')[0] ?? '');
  const privileged =
    literal(keywords.get('privileged')) === 'True' ||
    (keywords.get('privileged')?.kind === 'truth' && isTrue(keywords.get('privileged'))) ||
    mounts.some((path) => /^\/(?:$|etc|root|home|var\/run\/docker\.sock)/.test(path)) ||
    [keywords.get('pid_mode'), keywords.get('network_mode')].some((mode) => literal(mode) === 'host');
  if (privileged) effects(call, 'container', { detail: 'privileged', ...named(call) });
  return container('run')(call);
};

const isTrue = (thing: Thing | undefined): boolean => thing?.kind === 'truth' && thing.value === true;

const container =
  (detail: string): Operation =>
  (call) =>
    after(effects(call, 'container', { detail, ...named(call) }), unknown);
const git: Operation = (call) => {
  const verb = call.name.replace(/^<git>\./, '').replaceAll('_', '-');
  starts(call, list([text('git'), text(verb), ...call.args]));
  return unknown;
};
const gitVerbs =
  'reset clean checkout push rm branch stash rebase commit add config filter_branch update_ref reflog gc restore switch tag merge pull fetch'.split(
    ' ',
  );

export const serviceOperations: Record<string, Operation> = {
  '<any>.execute': executes,
  '<any>.executemany': executes,
  '<any>.executescript': executes,
  '<instance>.execute': executes,
  '<database>.execute': executesKnown,
  '<database>.executemany': executesKnown,
  '<database>.executescript': executesKnown,
  '<database>.cursor': () => handle('database'),
  '<database>.commit': () => none,
  '<database>.close': () => none,
  '<database>.connect': () => handle('database'),
  '<database>.begin': () => handle('database'),
  'sqlite3.connect': (call) => {
    const file = call.at(0, 'database');
    // What is only in memory is gone with the process.
    if (file && isInMemory(file)) return handle('memory');
    if (file) writes(call, file, undefined, { detail: 'edit' });
    return handle('database');
  },
  '<memory>.cursor': () => handle('memory'),
  '<memory>.execute': () => handle('memory'),
  '<memory>.executemany': () => handle('memory'),
  '<memory>.executescript': () => handle('memory'),
  '<memory>.fetchall': () => list([unknown], false),
  '<memory>.fetchone': () => unknown,
  '<memory>.commit': () => none,
  '<memory>.close': () => none,
  'psycopg.connect': remoteDatabase,
  'pymysql.connect': remoteDatabase,
  'MySQLdb.connect': remoteDatabase,
  'mysql.connector.connect': remoteDatabase,
  'pyodbc.connect': remoteDatabase,
  'cx_Oracle.connect': remoteDatabase,
  'asyncpg.connect': remoteDatabase,
  'sqlalchemy.create_engine': (call) => {
    const url = call.at(0, 'url');
    if (!textsOf(url).every((given) => given.startsWith('sqlite'))) connects(call, url, 'database');
    return handle('database');
  },
  'sqlalchemy.text': ({ args: [given = unknown] }) => given,
  'pymongo.MongoClient': (call) => {
    connects(call, call.at(0, 'host') ?? text('localhost'), 'database');
    return handle('mongo');
  },
  '<mongo>.drop': database('drop'),
  '<any>.drop_database': database('drop'),
  '<any>.drop_collection': database('drop'),
  '<any>.drop_all': database('drop'),
  '<any>.drop_table': database('drop'),
  '<any>.delete_many': database('truncate'),
  '<any>.flushall': database('drop'),
  '<any>.flushdb': database('drop'),
  'redis.Redis': (call) =>
    after(connects(call, call.at(0, 'host') ?? text('localhost'), 'database'), handle('redis')),
  'redis.StrictRedis': (call) =>
    after(connects(call, call.at(0, 'host') ?? text('localhost'), 'database'), handle('redis')),
  '<redis>.flushall': database('drop'),
  '<redis>.flushdb': database('drop'),

  'boto3.client': (call) => handle('cloud', { service: call.at(0, 'service_name') ?? unknown }),
  'boto3.resource': (call) => handle('cloud', { service: call.at(0, 'service_name') ?? unknown }),
  'boto3.Session': () => handle('aws'),
  'boto3.session.Session': () => handle('aws'),
  '<aws>.client': (call) => handle('cloud', { service: call.at(0, 'service_name') ?? unknown }),
  '<aws>.resource': (call) => handle('cloud', { service: call.at(0, 'service_name') ?? unknown }),
  '<cloud>.upload_file': uploads,
  '<cloud>.upload_fileobj': (call) => {
    effects(call, 'cloud', { detail: 'change', origins: originsOf(call.args[0]) });
    connects(call, text('amazonaws.com'), 'PUT', [call.args[0]]);
    return unknown;
  },
  '<cloud>.download_file': (call) =>
    after(writes(call, call.at(2, 'Filename'), unknownFrom(['network']), { detail: 'download' }), unknown),
  'google.cloud.storage.Client': () => handle('cloud'),
  'google.cloud.compute_v1.InstancesClient': () => handle('cloud'),
  'azure.storage.blob.BlobServiceClient': () => handle('cloud'),

  'docker.from_env': () => handle('docker'),
  'docker.DockerClient': () => handle('docker'),
  '<docker>.run': runsContainer,
  '<docker>.create': runsContainer,
  '<docker>.prune': container('prune'),
  '<docker>.remove': container('delete'),
  '<docker>.kill': container('delete'),
  '<docker>.stop': container('delete'),
  '<docker>.exec_run': container('exec'),
  '<docker>.list': () => list([handle('docker')], false),
  '<docker>.get': () => handle('docker'),
  'kubernetes.client.CoreV1Api': () => handle('kubernetes'),
  'kubernetes.client.AppsV1Api': () => handle('kubernetes'),
  'kubernetes.client.BatchV1Api': () => handle('kubernetes'),

  'git.Repo': () => handle('repository', { git: handle('git') }),
  'crontab.CronTab': () => handle('crontab'),
  '<crontab>.new': () => handle('crontab'),
  '<crontab>.write': (call) => after(effects(call, 'persist', { detail: 'cron' }), none),
  'winreg.SetValueEx': (call) => after(effects(call, 'persist', { detail: 'autostart' }), none),
  'winreg.DeleteKey': (call) => after(effects(call, 'delete', named(call)), none),
  'pyautogui.write': () => none,
  'keyring.get_password': (call) =>
    after(effects(call, 'secret', { detail: 'credentials', ...named(call) }), unknownFrom(['secret'])),
  'getpass.getpass': () => unknownFrom(['secret']),
  'pwd.getpwall': () => unknown,
  'spwd.getspall': (call) => after(effects(call, 'secret', { detail: 'accounts' }), unknownFrom(['secret'])),
  'spwd.getspnam': (call) => after(effects(call, 'secret', { detail: 'accounts' }), unknownFrom(['secret'])),
};

for (const verb of gitVerbs) serviceOperations[`<git>.${verb}`] = git;

/** Methods of clients that are known by their names: `delete_bucket`, `delete_namespaced_pod`. */
export function serviceMethod(receiver: Thing, name: string): Operation | null {
  if (receiver.kind !== 'handle') return null;
  if (receiver.type === 'cloud') {
    if (
      /^get_(?:secret_value|parameters?(?:_by_path)?)$|^access_secret_version$|^get_secret$|^decrypt$/.test(
        name,
      )
    )
      return (call) => after(effects(call, 'secret', { detail: 'credentials' }), unknownFrom(['secret']));
    if (
      /^[A-Z]/.test(name) ||
      /^(?:get_paginator|get_bucket|bucket|all|filter|objects|get_waiter)$/.test(name)
    )
      return ({ receiver: same }) => same;
    return deletesCloud(cloudKind(name));
  }
  if (receiver.type === 'kubernetes') {
    if (/^delete/.test(name)) return container('delete');
    return /^(?:read|list|get)/.test(name) ? () => unknown : deploys;
  }
  return null;
}

const deploys: Operation = (call) => after(effects(call, 'deploy', { detail: 'kubernetes' }), unknown);
