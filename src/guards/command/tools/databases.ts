// Clients and tools of databases. `detail` of the effect: read, write, write-all, delete-all, drop, truncate, admin, session, unknown.

import type { Effect, Value } from '../effects.ts';
import { agent } from './agents.ts';
import { deedsOfSql } from './sql.ts';
import {
  afterOptions,
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  inert,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  type Reading,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from './tool.ts';

function database(call: Call, detail: string, name?: Value): Effect {
  return effect(call, 'database', { detail, target: nameTarget(name) });
}

/** The effects of a text of SQL; of one that is not wholly known, at least those of its beginning. */
function sqlEffects(call: Call, text: Value, name?: Value): readonly Effect[] {
  const known = beginningOf(text);
  const effects: Effect[] = text.kind === 'literal' ? [] : [database(call, 'unknown', name)];
  if (text.kind === 'choice') return text.texts.flatMap((one) => sqlEffects(call, literal(one), name));
  for (const deed of deedsOfSql(known)) {
    if (deed === 'run')
      effects.push(effect(call, 'run', { detail: 'database-shell', target: nameTarget(text) }));
    else if (deed === 'file') effects.push(...filesOf(call, known), database(call, 'admin', name));
    else effects.push(database(call, deed, name));
  }
  return effects;
}

/** Paths that statements such as `INTO OUTFILE '…'`, `.output …` or `\o …` name. */
function filesOf(call: Call, text: string): readonly Effect[] {
  const effects: Effect[] = [];
  for (const found of text.matchAll(
    /\b(?:into (?:out|dump)file|to|backup|save|vacuum into)\s+'([^']+)'|^[ \t]*[.\\](?:output|once|backup|save|o|w|log)\s+([^\s;]+)|\bwritefile\(\s*'([^']+)'/gim,
  ))
    effects.push(...write(call, literal(found[1] ?? found[2] ?? found[3] ?? ''), { detail: 'overwrite' }));
  for (const found of text.matchAll(
    /\b(?:load_file|readfile|pg_read_file|pg_read_binary_file)\(\s*'([^']+)'|\bfrom\s+'([^']+)'|\binfile\s+'([^']+)'|^[ \t]*[.\\](?:import|read|restore|i|open)\s+([^\s;]+)/gim,
  ))
    effects.push(...read(call, literal(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '')));
  return effects;
}

/** A client that takes SQL from options, operands, files or its standard input. */
function client(
  description: string,
  how: {
    readonly sql: readonly string[];
    readonly files: readonly string[];
    readonly host?: readonly string[];
    readonly outputs?: readonly string[];
    readonly operandSql?: number;
    readonly looks?: readonly string[];
    readonly init?: readonly string[];
  },
): Tool {
  return (call) => {
    const given = options(description)(call.args);
    if (how.looks && given.has(...how.looks)) return inert(call);
    const name = given.last('dbname', 'database', 'd', 'D') ?? given.operands[0];
    const texts = [
      ...given.all(...how.sql),
      ...(how.operandSql === undefined ? [] : given.operands.slice(how.operandSql)),
    ];
    const effects: Effect[] = hosts(call, given, how.host ?? []);
    for (const text of texts) effects.push(...sqlEffects(call, text, name));
    for (const file of [...given.all(...how.files), ...given.all(...(how.init ?? []))]) {
      if (textOf(file) === '-') continue;
      effects.push(...read(call, file), database(call, 'script', file));
    }
    for (const file of given.all(...(how.outputs ?? []))) {
      if (/^\|/.test(beginningOf(file)))
        effects.push(effect(call, 'run', { detail: 'helper', target: nameTarget(file) }));
      else effects.push(...write(call, file, { detail: 'overwrite' }));
    }
    if (texts.length === 0 && !given.has(...how.files)) effects.push(...fromStream(call, name));
    return effects.length > 0 ? effects : [database(call, 'session', name)];
  };
}

/** Something other than a person's typing comes in. */
function isFed({ io }: Call): boolean {
  return io.stdinFed ?? io.stdinOrigins.length > 0;
}

/** Statements piped into a client. */
function fromStream(call: Call, name: Value | undefined): readonly Effect[] {
  const { stdin } = call.io;
  if (stdin.kind === 'literal' && stdin.text !== '') return sqlEffects(call, stdin, name);
  if (stdin.kind === 'choice' || stdin.kind === 'prefix') return sqlEffects(call, stdin, name);
  return [database(call, isFed(call) ? 'unknown' : 'session', name)];
}

function hosts(call: Call, given: Reading, names: readonly string[]): Effect[] {
  const found = [
    ...given.all(...names),
    ...given.operands.filter((operand) => /^\w+:\/\//.test(beginningOf(operand))),
  ];
  return found
    .filter((host) => !/^(?:\/|localhost$|127\.0\.0\.1$|::1$)/.test(beginningOf(hostOf(host)) || '/'))
    .map((host) => effect(call, 'connect', { detail: 'database', target: hostTarget(hostOf(host)) }));
}

const psql = client(
  'c/command= f/file= d/dbname= h/host= p/port= U/username= o/output= L/log-file= v/set/variable= P/pset= F/field-separator= R/record-separator= T/table-attr= a/echo-all A/no-align b e E H l/list n q/quiet s S t/tuples-only w W x X/no-psqlrc 0 1/single-transaction V/version',
  {
    sql: ['command'],
    files: ['file'],
    host: ['host'],
    outputs: ['output', 'log-file'],
    looks: ['list', 'version'],
  },
);
const mysql = client(
  'e/execute= init-command= D/database= h/host= P/port= u/user= p/password? S/socket= tee= pager? ssl-ca= ssl-cert= ssl-key= default-character-set= defaults-file= defaults-extra-file= protocol= N s r B t H X v f/force C A b i V/version q n c no-beep',
  {
    sql: ['execute', 'init-command'],
    files: ['defaults-file', 'defaults-extra-file'],
    host: ['host'],
    outputs: ['tee'],
    looks: ['version'],
  },
);

const sqlite: Tool = (call) => {
  const given = options(
    'cmd= init= separator= newline= nullvalue= mmap= A readonly safe batch bail box column csv echo header html interactive json line list markdown quote table tabs version deserialize vfs= ascii bash',
    { wholeWords: true },
  )(call.args);
  if (given.has('version')) return inert(call);
  const [file, ...statements] = given.operands;
  const texts = [...given.all('cmd'), ...statements];
  // A database in the memory goes with the program; what could open another one is judged.
  const kept = texts.some((text) => /\battach\b|^\s*\./im.test(textOf(text) ?? 'attach'));
  if (file && textOf(file) === ':memory:' && texts.length > 0 && !kept) return inert(call);
  const effects = texts.flatMap((text) => sqlEffects(call, text, file));
  const files = given.all('init').flatMap((path) => read(call, path));
  const opened = file && textOf(file) !== ':memory:' ? read(call, file) : [];
  if (texts.length > 0) return [...files, ...opened, ...effects];
  const { stdin } = call.io;
  if (stdin.kind === 'literal' && stdin.text !== '')
    return [...files, ...opened, ...sqlEffects(call, stdin, file)];
  return [
    ...files,
    ...opened,
    database(call, isFed(call) || stdin.kind === 'prefix' ? 'unknown' : 'session', file),
  ];
};

/** MongoDB: JavaScript with methods whose names say enough. */
const mongoDeeds: readonly (readonly [RegExp, string])[] = [
  [
    /\.dropDatabase\(|\.drop\(|\.dropCollection\(|\bdropDatabase\b|\.dropIndex(?:es)?\(|["']drop(?:Database)?["']\s*:/,
    'drop',
  ],
  [/\.(?:deleteMany|remove)\(\s*(?:\{\s*\}\s*)?[,)]/, 'delete-all'],
  [/\.updateMany\(\s*\{\s*\}/, 'write-all'],
  [
    /\.(?:shutdownServer|createUser|dropUser|updateUser|grantRolesToUser|revokeRolesFromUser|createRole|dropRole|dropAllUsers|adminCommand|fsyncLock|killOp|setProfilingLevel)\(|\brs\.(?:initiate|remove|reconfig|stepDown)\(|\bsh\.\w+\(/,
    'admin',
  ],
  [
    /\.(?:insert|insertOne|insertMany|update|updateOne|updateMany|replaceOne|deleteOne|deleteMany|remove|save|bulkWrite|findAndModify|findOneAnd\w+|createCollection|createIndex|renameCollection|runCommand|copyTo|createView)\(|\$(?:out|merge)\b/,
    'write',
  ],
];
function mongoEffects(call: Call, text: Value): readonly Effect[] {
  const known = text.kind === 'choice' ? text.texts.join('\n') : beginningOf(text);
  const effects: Effect[] =
    text.kind === 'literal' || text.kind === 'choice' ? [] : [database(call, 'unknown')];
  for (const [pattern, deed] of mongoDeeds) if (pattern.test(known)) effects.push(database(call, deed));
  if (/\b(?:run|runProgram|child_process|require)\(/.test(known))
    effects.push(effect(call, 'run', { detail: 'database-shell', target: nameTarget(text) }));
  return effects.length > 0 ? effects : [database(call, 'read')];
}
const mongosh: Tool = (call) => {
  const given = options(
    'eval= f/file= h/host= p/password= port= u/username= authenticationDatabase= nodb quiet norc tls ssl shell version apiVersion= awsAccessKeyId= json?',
  )(call.args);
  if (given.has('version')) return inert(call);
  const effects: Effect[] = hosts(call, given, ['host']);
  for (const text of given.all('eval')) effects.push(...mongoEffects(call, text));
  for (const file of [
    ...given.all('file'),
    ...given.operands.filter((operand) => /\.m?js$/.test(beginningOf(operand))),
  ])
    effects.push(...read(call, file), database(call, 'script', file));
  if (given.has('eval')) return effects;
  const { stdin } = call.io;
  if (stdin.kind === 'literal' && stdin.text !== '') return [...effects, ...mongoEffects(call, stdin)];
  return [...effects, database(call, isFed(call) ? 'unknown' : 'session')];
};

/** Redis: the command is the first operand. */
function redisDeed(words: readonly string[]): string {
  const [command = '', second = ''] = words.map((word) => word.toLowerCase());
  if (command === '') return 'session';
  if (command === 'flushall' || command === 'flushdb') return 'truncate';
  if (
    /^(?:shutdown|config|debug|slaveof|replicaof|module|acl|cluster|failover|bgrewriteaof|client|migrate|script|function|save|bgsave|monitor|swapdb|restore)$/.test(
      command,
    )
  )
    return /^(?:get|list|info|nodes|slots|help|whoami|cat|users|getuser|getname|load|exists|slots|shards|count|id|dump)$/.test(
      second,
    )
      ? 'read'
      : /^(?:save|bgsave|monitor)$/.test(command)
        ? 'read'
        : 'admin';
  if (
    /^(?:get|mget|keys|scan|info|ping|dbsize|ttl|pttl|type|exists|hget|hgetall|hmget|hkeys|hvals|hlen|lrange|llen|lindex|smembers|scard|sismember|zrange|zcard|zscore|zrevrange|strlen|time|role|echo|memory|object|slowlog|latency|randomkey|dump|xrange|xlen|xinfo|hello|auth|select|command|lastsave|sscan|hscan|zscan|getrange|bitcount|subscribe|psubscribe|help|wait|publish-read|ft\.search|json\.get)$/.test(
      command,
    )
  )
    return 'read';
  return 'write';
}
const redis: Tool = (call) => {
  const given = options(
    'h= p= s= a= u= n= r= i= d= t= x X= c raw no-raw csv json tls cert= key= cacert= user= pass= eval= rdb= functions-rdb= pipe bigkeys memkeys hotkeys scan pattern= stat latency latency-history lru-test= ldb cluster= 2 3 e D= no-auth-warning askpass v/version help show-pushes= intrinsic-latency= verbose count= quoted-input quoted-pattern= insecure sni= cacertdir=',
    { stopAtOperand: true, wholeWords: true },
  )(call.args);
  if (
    given.has(
      'version',
      'help',
      'bigkeys',
      'memkeys',
      'hotkeys',
      'scan',
      'stat',
      'latency',
      'latency-history',
    )
  )
    return inert(call);
  const effects: Effect[] = hosts(call, given, ['h', 'u']);
  for (const file of given.all('rdb', 'functions-rdb'))
    effects.push(...write(call, file, { detail: 'overwrite' }));
  for (const file of given.all('eval')) effects.push(...read(call, file), database(call, 'script', file));
  if (given.has('rdb', 'functions-rdb', 'eval')) return effects;
  const [first] = given.operands;
  if (first) {
    const words = given.operands.map(beginningOf);
    return [
      ...effects,
      database(
        call,
        textOf(first) === null
          ? 'unknown'
          : redisDeed(words.length === 1 ? (words[0] ?? '').split(' ') : words),
      ),
    ];
  }
  const { stdin } = call.io;
  if (stdin.kind === 'literal' && stdin.text !== '') {
    const deeds = new Set(
      stdin.text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(0, 64)
        .map((line) => redisDeed(line.trim().split(/\s+/))),
    );
    return [...effects, ...[...deeds].map((deed) => database(call, deed))];
  }
  return [...effects, database(call, isFed(call) || given.has('pipe') ? 'unknown' : 'session')];
};

const dumpOptions = options(
  'f/file= r/result-file= o/out= d/db/dbname= h/host= p/port= U/username= u/user= F/format= t/table= n/schema= T/tab= s/schema-only a/data-only c/clean C/create v j/jobs= archive? gzip single-transaction all-databases A databases B uri= collection= c where= ignore-table= no-data routines events',
);
const dump: Tool = (call) => {
  const given = dumpOptions(call.args);
  const outputs = given
    .all('file', 'result-file', 'out', 'tab', 'archive')
    .flatMap((path) => write(call, path, { detail: 'overwrite' }));
  const name = given.last('dbname') ?? given.operands[0];
  return [...hosts(call, given, ['host', 'uri']), database(call, 'read', name), ...outputs];
};
const restore: Tool = (call) => {
  const given = options(
    'd/db/dbname= h/host= p/port= U/username= u= c/clean C/create drop j= l/list f= F= t= n= if-exists a s v x O e 1 uri= nsInclude= archive? gzip dir= collection= headerline type= file= mode= upsertFields=',
  )(call.args);
  if (given.has('list')) return inert(call);
  const inputs = [...given.operands, ...given.all('file', 'archive')]
    .filter((path) => /[./]/.test(beginningOf(path)) && !/:\/\//.test(beginningOf(path)))
    .flatMap((path) => read(call, path));
  return [
    ...inputs,
    ...hosts(call, given, ['host', 'uri']),
    database(call, given.has('clean', 'drop') ? 'drop' : 'write', given.last('dbname')),
  ];
};

const pgAdmin =
  (detail: string): Tool =>
  (call) => {
    const given = options(
      'h/host= p/port= U/username= e/echo i if-exists f/force O/owner= T/template= E/encoding= D/tablespace= l/locale= maintenance-db= w W s d r c= P g= L R N q V/version',
    )(call.args);
    return given.has('version')
      ? inert(call)
      : [
          ...hosts(call, given, ['host']),
          effect(call, 'database', {
            detail,
            target: nameTarget(given.operands[0]),
            force: given.has('force'),
          }),
        ];
  };

/** Fits nothing. */
const never = /(?!)/;

/** Migration tools of frameworks: a word that resets is a drop. */
function migration(drops: RegExp, writes: RegExp): Tool {
  return (call) => {
    const said = call.args.map(beginningOf).join(' ');
    // What is done is the first word behind the options of the program itself.
    const done = afterOptions(call.args).map(beginningOf).join(' ');
    const does = (pattern: RegExp): boolean => pattern.test(said) || pattern.test(done);
    const name = literal(done === '' ? said : done);
    if (does(drops)) return [database(call, 'drop', name)];
    return does(writes) ? [database(call, 'write', name)] : inert(call, 'project');
  };
}

const influxClient = client('execute= host= port= database= f/file= q=', {
  sql: ['execute', 'q'],
  files: ['file'],
  host: ['host'],
});
const influxVerbs = migration(/^(?:\w+ ){0,2}delete\b/, /^(?:write|restore|apply)\b/);

/** Before the second version it takes statements, behind options with one dash; since then words that name what is done. */
const influx: Tool = (call) => {
  const [first] = call.args;
  if (first !== undefined && !beginningOf(first).startsWith('-')) return influxVerbs(call);
  const dashed = (text: string) => text.replace(/^-(?=(?:execute|host|port|database)\b)/, '--');
  return influxClient({ ...call, args: call.args.map((argument) => mapValue(argument, dashed)) });
};

const mysqladmin: Tool = (call) => {
  const given = options('h/host= u/user= p/password? P/port= S/socket= f/force i= c= w? b E r s v V')(
    call.args,
  );
  const said = given.operands.map(beginningOf).join(' ');
  if (/\bdrop\b/.test(said))
    return [
      effect(call, 'database', {
        detail: 'drop',
        target: nameTarget(given.operands.at(-1)),
        force: given.has('force'),
      }),
    ];
  return /^(?:status|ping|version|processlist|proc|extended-status|ext|variables|var)/.test(said) ||
    said === ''
    ? inert(call)
    : [database(call, 'admin', given.operands.at(-1))];
};

const etcd: Tool = (call) => {
  const said = call.args.filter((argument) => !beginningOf(argument).startsWith('-')).map(beginningOf);
  const [verb = '', second = ''] = said;
  if (
    /^(?:get|watch|version|member|endpoint|check|alarm)$/.test(verb) &&
    !/^(?:remove|add|update|disarm)$/.test(second)
  )
    return [database(call, 'read')];
  return [
    database(
      call,
      verb === 'del' || second === 'remove' || second === 'delete' ? 'delete-all' : 'write',
      literal(said.slice(1, 2).join('')),
    ),
  ];
};

export const databaseTools: Tools = {
  psql,
  pgcli: psql,
  mysql,
  mariadb: mysql,
  mycli: mysql,
  sqlite3: sqlite,
  sqlite,
  litecli: sqlite,
  duckdb: sqlite,
  sqlcmd: client('Q= q= i= o= S= U= P= d= E C N b e h= s= w= l= t= v= V= W y= Y=', {
    sql: ['Q', 'q'],
    files: ['i'],
    host: ['S'],
    outputs: ['o'],
  }),
  mssql: client('q= s= u= p= d=', { sql: ['q'], files: [], host: ['s'] }),
  sqlplus: client('S L M= R=', { sql: [], files: [] }),
  isql: client('i= o= u= p= d=', { sql: [], files: ['i'], outputs: ['o'] }),
  cqlsh: client('e/execute= f/file= k= u= p= ssl debug', { sql: ['execute'], files: ['file'] }),
  'clickhouse-client': client(
    'q/query= h/host= port= u/user= password= d/database= queries-file= multiquery n format=',
    { sql: ['query'], files: ['queries-file'], host: ['host'] },
  ),
  'clickhouse-local': client('q/query= queries-file= format=', { sql: ['query'], files: ['queries-file'] }),
  clickhouse: client('q/query= host= queries-file=', {
    sql: ['query'],
    files: ['queries-file'],
    host: ['host'],
  }),
  cockroach: client('e/execute= f/file= url= host= insecure certs-dir= d/database=', {
    sql: ['execute'],
    files: ['file'],
    host: ['host', 'url'],
  }),
  trino: client('execute= f/file= server= catalog= schema= user=', {
    sql: ['execute'],
    files: ['file'],
    host: ['server'],
  }),
  presto: client('execute= f/file= server=', { sql: ['execute'], files: ['file'], host: ['server'] }),
  hive: client('e= f= i= S v', { sql: ['e'], files: ['f', 'i'] }),
  beeline: client('e= f= u= n= p= i=', { sql: ['e'], files: ['f', 'i'], host: ['u'] }),
  'spark-sql': client('e= f= master=', { sql: ['e'], files: ['f'] }),
  influx,
  mongosh,
  mongo: mongosh,
  'redis-cli': redis,
  'valkey-cli': redis,
  'keydb-cli': redis,
  pg_dump: dump,
  pg_dumpall: dump,
  mysqldump: dump,
  'mariadb-dump': dump,
  mongodump: dump,
  mongoexport: dump,
  pg_basebackup: (call) => {
    const given = options('D/pgdata= h/host= F= X= P R U=')(call.args);
    return [
      database(call, 'read'),
      ...given.all('pgdata').flatMap((path) => write(call, path, { detail: 'create', recursive: true })),
    ];
  },
  pg_restore: restore,
  mongorestore: restore,
  mongoimport: restore,
  mysqlimport: restore,
  dropdb: pgAdmin('drop'),
  dropuser: pgAdmin('admin'),
  createdb: pgAdmin('write'),
  createuser: pgAdmin('admin'),
  vacuumdb: pgAdmin('write'),
  reindexdb: pgAdmin('write'),
  clusterdb: pgAdmin('write'),
  initdb: (call) => {
    const given = options('D/pgdata= U= E= A= k n')(call.args);
    return write(call, given.last('pgdata') ?? unknownValue, { detail: 'create' });
  },
  pg_ctl: (call) => {
    const verb = beginningOf(options('D= l= m= o= t= w W s c p=')(call.args).operands[0] ?? literal(''));
    return verb === 'status'
      ? inert(call)
      : [effect(call, 'service', { detail: verb || 'unknown', target: nameTarget(literal('postgresql')) })];
  },
  pg_isready: (call) => inert(call),
  pg_dropcluster: pgAdmin('drop'),
  pg_resetwal: pgAdmin('drop'),
  pgbench: pgAdmin('write'),
  mysqladmin,
  'mariadb-admin': mysqladmin,
  mysqlcheck: (call) => [database(call, 'write')],
  mysqlshow: (call) => [database(call, 'read')],
  mysql_secure_installation: (call) => [database(call, 'admin')],
  mysqld: (call) => [effect(call, 'service', { detail: 'start', target: nameTarget(literal('mysqld')) })],
  mongod: (call) => [effect(call, 'service', { detail: 'start', target: nameTarget(literal('mongod')) })],
  'redis-server': (call) =>
    call.args.some((argument) => /^(?:-v|--version)$/.test(beginningOf(argument)))
      ? inert(call)
      : [effect(call, 'service', { detail: 'start', target: nameTarget(literal('redis')) })],
  etcdctl: etcd,
  prisma: migration(
    /migrate reset|db push.*--force-reset|db push.*--accept-data-loss/,
    /migrate (?:deploy|dev|resolve)|db (?:push|execute|seed)/,
  ),
  'drizzle-kit': migration(/\bdrop\b/, /\b(?:push|migrate)\b/),
  knex: migration(/migrate:rollback|migrate:down/, /migrate:(?:latest|up)|seed:run/),
  sequelize: migration(/db:drop|db:migrate:undo/, /db:(?:migrate(?!:status)|seed|create)/),
  'sequelize-cli': migration(/db:drop|db:migrate:undo/, /db:(?:migrate(?!:status)|seed|create)/),
  typeorm: migration(/schema:drop|migration:revert/, /migration:run|schema:sync/),
  rails: migration(
    /db:(?:drop|reset|purge|schema:load|setup|migrate:reset|rollback|truncate)/,
    /db:(?:migrate(?!:status)|seed|create|prepare)/,
  ),
  rake: migration(
    /db:(?:drop|reset|purge|schema:load|setup|migrate:reset|rollback|truncate)/,
    /db:(?:migrate(?!:status)|seed|create|prepare)/,
  ),
  'manage.py': migration(/^(?:flush|reset_db|sqlflush)\b/, /^(?:migrate|loaddata)\b/),
  'django-admin': migration(/^(?:flush|reset_db|sqlflush)\b/, /^(?:migrate|loaddata)\b/),
  console: migration(/doctrine:(?:database|schema):drop|doctrine:mongodb:schema:drop/, never),
  artisan: migration(/migrate:(?:fresh|refresh|reset|rollback)|db:wipe/, /migrate(?!:status)|db:seed/),
  alembic: migration(/\bdowngrade\b/, /\b(?:upgrade|stamp)\b/),
  flyway: migration(/\b(?:clean|undo)\b/, /\b(?:migrate|repair|baseline)\b/),
  liquibase: migration(/\b(?:drop-?all|rollback)/i, /\bupdate/),
  // Two programs have this name: one moves databases, the other is an agent.
  goose: (call) =>
    /^(?:run|session|s|web|acp|recipe|schedule|project|bench|term)$/.test(
      beginningOf(call.args[0] ?? literal('')),
    )
      ? agent(call)
      : migration(/\b(?:down|reset|down-to)\b/, /\b(?:up|redo)\b/)(call),
  migrate: migration(/\b(?:down|drop|force)\b/, /\bup\b/),
  dbmate: migration(/\b(?:drop|down|rollback)\b/, /\b(?:up|migrate|create|load)\b/),
  atlas: migration(/schema clean|migrate down/, /schema apply|migrate apply/),
  dbt: migration(/--full-refresh/, /^(?:run|build|seed|snapshot|run-operation)\b/),
  sqlx: migration(/database (?:drop|reset)|migrate revert/, /migrate run|database create/),
  diesel: migration(/database reset|migration (?:revert|redo)/, /migration run|database setup/),
  elasticdump: (call) => orInert(call, [database(call, 'write')]),
};
