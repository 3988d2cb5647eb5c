// Databases: clients that take no SQL, backups and restores.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  literal,
  nameTarget,
  read,
  textOf,
  write,
} from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';
import { database, fromStream, hostsOf, sqlEffects } from '../databases.ts';

/** MongoDB: JavaScript with methods whose names say enough. */
const mongoDeeds: readonly (readonly [RegExp, string])[] = [
  [/\.drop(?:Database|Collection|Index|Indexes)?\(|\bdropDatabase\b|["']drop(?:Database)?["']\s*:/, 'drop'],
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
  const effects = [
    ...(text.kind === 'literal' || text.kind === 'choice' ? [] : [database(call, 'unknown')]),
    ...mongoDeeds.flatMap(([pattern, deed]) => (pattern.test(known) ? [database(call, deed)] : [])),
    ...(/\b(?:run|runProgram|child_process|require)\(/.test(known)
      ? [effect(call, 'run', { detail: 'database-shell', target: nameTarget(text) })]
      : []),
  ];
  return effects.length > 0 ? effects : [database(call, 'read')];
}

const mongosh: Card = {
  names: 'mongosh mongo',
  options:
    'eval= f/file= h/host= p/password= port= u/username= authenticationDatabase= nodb quiet norc tls ssl shell version apiVersion= awsAccessKeyId= gssapiHostName= gssapiServiceName= authenticationMechanism= tlsDisabledProtocols= tlsCAFile= tlsCRLFile= tlsCertificateKeyFile= json?',
  readings: {
    valued:
      'eval f file h host p password port u username authenticationDatabase apiVersion awsAccessKeyId gssapiHostName gssapiServiceName authenticationMechanism tlsDisabledProtocols tlsCAFile tlsCRLFile tlsCertificateKeyFile',
    flags: 'nodb quiet norc tls ssl shell version',
    attached: 'json',
  },
  facts: [
    {
      what: 'does what its scripts say',
      effects: (call, given): readonly Effect[] => {
        if (given.has('version')) return [];
        const scripts = given.operands.filter((operand) => /\.m?js$/.test(beginningOf(operand)));
        return [
          ...hostsOf(call, given, 'host'),
          ...given.all('eval').flatMap((text) => mongoEffects(call, text)),
          ...[...given.all('file'), ...scripts].flatMap((file) => [
            ...read(call, file),
            database(call, 'script', file),
          ]),
          ...(given.has('eval') ? [] : fromStream(call, undefined, mongoEffects)),
        ];
      },
      examples: {
        hit: {
          "mongosh --eval '<db.dropDatabase() | db.a.drop() | db.dropCollection(1) | db.a.dropIndex(1) | db.a.dropIndexes() | dropDatabase>'":
            'database (drop)',
          'mongosh --eval \'{"drop": 1}\'': 'database (drop)',
          'mongosh --eval \'{"dropDatabase": 1}\'': 'database (drop)',
          "mongosh --eval '<db.a.deleteMany() | db.a.remove({}) | db.a.deleteMany( {} , b)>'":
            'database (delete-all); database (write)',
          "mongosh --eval 'db.a.updateMany({}, b)'": 'database (write-all); database (write)',
          "mongosh --eval 'db.<shutdownServer createUser dropUser updateUser grantRolesToUser revokeRolesFromUser createRole dropRole dropAllUsers adminCommand fsyncLock killOp setProfilingLevel>(1)'":
            'database (admin)',
          "mongosh --eval '<rs.initiate(1) | rs.reconfig(1) | rs.stepDown(1) | sh.x(1)>'": 'database (admin)',
          "mongosh --eval 'rs.remove()'": 'database (delete-all); database (admin); database (write)',
          "mongosh --eval 'db.a.<insert insertOne insertMany update updateOne updateMany replaceOne deleteOne deleteMany remove save bulkWrite findAndModify findOneAndDelete createCollection createIndex renameCollection runCommand copyTo createView>(a)'":
            'database (write)',
          "mongosh --eval 'db.a.aggregate({$<out merge>: 1})'": 'database (write)',
          "mongosh --eval '<run(1) | runProgram(1) | child_process(1) | require(1)>'":
            'run <> (database-shell)',
          "mongosh --eval 'db.a.find()'": 'database (read)',
          'mongosh --eval $X': 'database (unknown)',
          'mongosh -h db.example a.js':
            'connect db.example (database); read a.js; database a.js (script); database (session)',
          'mongo mongodb://db.example/a -f b':
            'connect db.example (database); read b; database b (script); database (session)',
          'mongosh a.mjs --eval 1': 'database (read); read a.mjs; database a.mjs (script)',
          mongosh: 'database (session)',
          "'db.dropDatabase()' | mongosh": 'database (drop)',
          '$X | mongosh': 'database (unknown)',
        },
        miss: ['mongosh --version'],
      },
    },
  ],
};

const redisLooks =
  /^(?:get|list|info|nodes|slots|help|whoami|cat|users|getuser|getname|load|exists|shards|count|id|dump)$/;
const redisAdmin =
  /^(?:shutdown|config|debug|slaveof|replicaof|module|acl|cluster|failover|bgrewriteaof|client|migrate|script|function|swapdb|restore)$/;
const redisReads =
  /^(?:save|bgsave|monitor|get|mget|keys|scan|info|ping|dbsize|ttl|pttl|type|exists|hget|hgetall|hmget|hkeys|hvals|hlen|lrange|llen|lindex|smembers|scard|sismember|zrange|zcard|zscore|zrevrange|strlen|time|role|echo|memory|object|slowlog|latency|randomkey|dump|xrange|xlen|xinfo|hello|auth|select|command|lastsave|sscan|hscan|zscan|getrange|bitcount|subscribe|psubscribe|help|wait|publish-read|ft\.search|json\.get)$/;

/** What a command of Redis does. */
function redisDeed(line: string): string {
  const [command = '', second = ''] = line.trim().toLowerCase().split(/\s+/);
  if (command === '') return 'session';
  if (/^flush(?:all|db)$/.test(command)) return 'truncate';
  if (redisAdmin.test(command)) return redisLooks.test(second) ? 'read' : 'admin';
  return redisReads.test(command) ? 'read' : 'write';
}

/** Commands that come in, of which so many are looked at. */
const mostCommands = 64;

const redis: Card = {
  names: 'redis-cli valkey-cli keydb-cli',
  options:
    'h= p= s= a= u= n= r= i= d= t= x X= c raw no-raw csv json tls cert= key= cacert= user= pass= eval= rdb= functions-rdb= pipe bigkeys memkeys hotkeys scan pattern= stat latency latency-history lru-test= ldb cluster= 2 3 e D= no-auth-warning askpass v/version help show-pushes= intrinsic-latency= verbose count= quoted-input quoted-pattern= insecure sni= cacertdir=',
  manner: { stopAtOperand: true, wholeWords: true },
  readings: {
    valued:
      'h p s a u n r i d t X cert key cacert user pass eval rdb functions-rdb pattern lru-test cluster D show-pushes intrinsic-latency count quoted-pattern sni cacertdir',
    flags:
      'x c raw no-raw csv json tls pipe bigkeys memkeys hotkeys scan stat latency latency-history ldb 2 3 e no-auth-warning askpass v version help verbose quoted-input insecure',
  },
  facts: [
    {
      what: 'does what its commands say',
      effects: (call, given): readonly Effect[] => {
        const looks = 'version help bigkeys memkeys hotkeys scan stat latency latency-history';
        if (given.has(...looks.split(' '))) return [];
        const hosts = hostsOf(call, given, 'h u');
        if (given.has('rdb', 'functions-rdb', 'eval'))
          return [
            ...hosts,
            ...given
              .all('rdb', 'functions-rdb')
              .flatMap((file) => write(call, file, { detail: 'overwrite' })),
            ...given.all('eval').flatMap((file) => [...read(call, file), database(call, 'script', file)]),
          ];
        const [first] = given.operands;
        if (first !== undefined)
          return [
            ...hosts,
            database(
              call,
              textOf(first) === null ? 'unknown' : redisDeed(given.operands.map(beginningOf).join(' ')),
            ),
          ];
        const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
        return [
          ...hosts,
          ...(given.has('pipe') && call.io.stdin.kind === 'unknown'
            ? [database(call, 'unknown')]
            : fromStream(call, undefined, (_, text) =>
                text.kind === 'literal'
                  ? [...new Set(lines(text.text).slice(0, mostCommands).map(redisDeed))].map((deed) =>
                      database(call, deed),
                    )
                  : [database(call, 'unknown')],
              )),
        ];
      },
      examples: {
        hit: {
          'redis-cli <FLUSHALL flushdb>': 'database (truncate)',
          "redis-cli 'flushall async'": 'database (truncate)',
          'redis-cli <shutdown config debug slaveof replicaof module acl cluster failover bgrewriteaof client migrate script function swapdb restore> set':
            'database (admin)',
          'redis-cli config <get list info nodes slots help whoami cat users getuser getname load exists shards count id dump>':
            'database (read)',
          'redis-cli <save bgsave monitor get mget keys scan info ping dbsize ttl pttl type exists hget hgetall hmget hkeys hvals hlen lrange llen lindex smembers scard sismember zrange zcard zscore zrevrange strlen time role echo memory object slowlog latency randomkey dump xrange xlen xinfo hello auth select command lastsave sscan hscan zscan getrange bitcount subscribe psubscribe help wait publish-read ft.search json.get> a':
            'database (read)',
          'redis-cli <set del hset> a': 'database (write)',
          'redis-cli -h db.example -n 1 get a': 'connect db.example (database); database (read)',
          'valkey-cli -u redis://db.example get a': 'connect db.example (database); database (read)',
          'redis-cli --rdb out': 'write out (overwrite)',
          'redis-cli --functions-rdb out': 'write out (overwrite)',
          'redis-cli --eval a': 'read a; database a (script)',
          'redis-cli $X': 'database (unknown)',
          'redis-cli': 'database (session)',
          "'flushall' | redis-cli": 'database (truncate)',
          "'get a' | redis-cli --pipe": 'database (read)',
          'redis-cli --pipe': 'database (unknown)',
          '$X | redis-cli': 'database (unknown)',
          'get$X | redis-cli': 'database (unknown)',
        },
        miss: [
          'redis-cli <--version --help --bigkeys --memkeys --hotkeys --scan --stat --latency --latency-history>',
        ],
      },
    },
  ],
  advice: ['database_drop', 'database_write'].map((rule) => ({
    rule,
    programs: ['redis-cli'],
    text: 'Read first: `redis-cli DBSIZE`.',
  })),
};

const dump: Card = {
  names: 'pg_dump pg_dumpall mysqldump mariadb-dump mongodump mongoexport',
  options:
    'f/file= r/result-file= o/out= d/db/dbname= h/host= p/port= U/username= u/user= F/format= t/table= n/schema= T/tab= s/schema-only a/data-only c/clean C/create v j/jobs= archive? gzip single-transaction all-databases A databases B uri= collection= where= ignore-table= no-data routines events compress= Z= lock-wait-timeout= extension= e= encoding= E= exclude-schema= N= superuser= S= exclude-table= exclude-table-data= extra-float-digits= include-foreign-data= rows-per-insert= section= snapshot= role=',
  readings: {
    valued:
      'f file r result-file o out d db dbname h host p port U username u user F format t table n schema T tab j jobs uri collection where ignore-table compress Z lock-wait-timeout extension e encoding E exclude-schema N superuser S exclude-table exclude-table-data extra-float-digits include-foreign-data rows-per-insert section snapshot role',
    flags:
      's schema-only a data-only c clean C create v gzip single-transaction all-databases A databases B no-data routines events',
    attached: 'archive',
  },
  facts: [
    {
      what: 'saves what a database holds',
      always: true,
      effects: (call, given) => [
        ...hostsOf(call, given, 'host uri'),
        database(call, 'read', given.last('dbname') ?? given.operands[0]),
        ...given
          .all('file', 'result-file', 'out', 'tab', 'archive')
          .flatMap((path) => write(call, path, { detail: 'overwrite' })),
      ],
      examples: {
        hit: {
          'pg_dump shop': 'database shop (read)',
          'pg_dump -d shop -f out': 'database shop (read); write out (overwrite)',
          'pg_dump -h db.example shop': 'connect db.example (database); database shop (read)',
          'mongodump --uri mongodb://db.example/a': 'connect db.example (database); database (read)',
          'mysqldump <-r --out --tab> out shop': 'database shop (read); write out (overwrite)',
          'mongodump --archive=out': 'database (read); write out (overwrite)',
        },
        miss: [],
      },
    },
  ],
};

const restoring = (
  names: string,
  options: string,
  readings: Card['readings'],
  examples: Fact['examples'],
): Card => ({
  names,
  options,
  readings,
  facts: [
    {
      what: 'writes a backup into a database',
      effects: (call, given) =>
        given.has('list')
          ? []
          : [
              ...[...given.operands, ...given.all('file', 'archive')]
                .filter((path) => /[./]/.test(beginningOf(path)) && !/:\/\//.test(beginningOf(path)))
                .flatMap((path) => read(call, path)),
              ...hostsOf(call, given, 'host uri'),
              database(call, given.has('clean', 'drop') ? 'drop' : 'write', given.last('dbname')),
            ],
      examples,
    },
  ],
});

const pgRestore = restoring(
  'pg_restore',
  'd/dbname= h/host= p/port= U/username= c/clean C/create j/jobs= l/list f/file= F/format= t/table= n/schema= if-exists a s v x O e 1',
  {
    valued: 'd dbname h host p port U username j jobs f file F format t table n schema',
    flags: 'c clean C create l list if-exists a s v x O e 1',
  },
  {
    hit: {
      'pg_restore -d shop a.dump': 'read a.dump; database shop (write)',
      'pg_restore <-c --clean> -d shop a.dump': 'read a.dump; database shop (drop)',
      'pg_restore -h db.example ./a': 'read ./a; connect db.example (database); database (write)',
    },
    miss: ['pg_restore <-l --list> a.dump'],
  },
);

const mongoRestore = restoring(
  'mongorestore mongoimport mysqlimport',
  'd/db/dbname= h/host= p/password= P/port= u/username= c/collection= drop j= uri= nsInclude= archive? gzip dir= headerline type= file= mode= upsertFields= config= sslCAFile= sslPEMKeyFile= sslPEMKeyPassword= sslCRLFile= awsSessionToken= authenticationDatabase= authenticationMechanism= gssapiServiceName= gssapiHostName= f/fields= fieldFile= numInsertionWorkers= writeConcern= parseGrace= list',
  {
    valued:
      'd db dbname h host p password P port u username c collection j uri nsInclude dir type file mode upsertFields config sslCAFile sslPEMKeyFile sslPEMKeyPassword sslCRLFile awsSessionToken authenticationDatabase authenticationMechanism gssapiServiceName gssapiHostName f fields fieldFile numInsertionWorkers writeConcern parseGrace',
    flags: 'drop gzip headerline list',
    attached: 'archive',
  },
  {
    hit: {
      'mongorestore --drop ./dump': 'read ./dump; database (drop)',
      'mongoimport --file a.json --host db.example':
        'read a.json; connect db.example (database); database (write)',
      'mongoimport --uri mongodb_uri -c a --file b.json':
        'read b.json; connect mongodb_uri (database); database (write)',
      'mongorestore --archive=a.gz --uri mongodb://db.example/a':
        'read a.gz; connect db.example (database); database (write)',
      'mysqlimport shop': 'database (write)',
    },
    miss: ['mongorestore --list a'],
  },
);

const influx: Card = {
  names: 'influx',
  options:
    '-execute/execute= -host/host= -port/port= -database/database= f/file= q/query= o/org= t/token= b/bucket=',
  readings: {
    valued: '-execute execute -host host -port port -database database f file q query o org t token b bucket',
  },
  facts: [
    {
      what: 'does what its statements or its words say',
      effects: (call, given): readonly Effect[] => {
        const texts = given.all('execute', 'q');
        const words = given.operands.map(beginningOf).join(' ');
        const hosts = hostsOf(call, given, 'host');
        if (given.operands.length > 0 && texts.length === 0 && !given.has('file')) {
          if (/^(?:\w+ ){0,2}delete\b/.test(words)) return [...hosts, database(call, 'drop', literal(words))];
          if (/^(?:write|restore|apply)\b/.test(words))
            return [...hosts, database(call, 'write', literal(words))];
          return [];
        }
        return [
          ...hosts,
          ...texts.flatMap((text) => sqlEffects(call, text)),
          ...given.all('file').flatMap((file) => [...read(call, file), database(call, 'script', file)]),
          ...(texts.length === 0 && !given.has('file') ? fromStream(call, undefined) : []),
        ];
      },
      examples: {
        hit: {
          "influx -execute 'drop database a'": 'database (drop)',
          "influx --execute='drop database a'": 'database (drop)',
          "influx -q 'select 1'": 'database (read)',
          'influx -host db.example': 'connect db.example (database); database (session)',
          'influx -q a b': 'database (write)',
          'influx -f a': 'read a; database a (script)',
          'influx delete --bucket a': 'database delete (drop)',
          'influx <bucket delete | a b delete> --bucket a': "database '<>' (drop)",
          'influx write a': "database 'write a' (write)",
          'influx <restore apply> a': "database '<> a' (write)",
          influx: 'database (session)',
        },
        miss: ['influx bucket list', 'influx query a', 'influx setup'],
      },
    },
  ],
};

export const cards: readonly Card[] = [mongosh, redis, dump, pgRestore, mongoRestore, influx];
