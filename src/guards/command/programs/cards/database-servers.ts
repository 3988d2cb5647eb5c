// Servers of databases, and what administers them.

import type { Card } from '../card.ts';
import { database, hostsOf } from '../databases.ts';
import { quiet, table } from '../tables.ts';

const pgOptions =
  'h/host= p/port= U/username= e/echo i if-exists f/force O/owner= T/template= E/encoding= D/tablespace= l/locale= maintenance-db= w W s d r c= P g= L R N q V/version';

/** A program of PostgreSQL that does one thing to what it names. */
const pgAdmin = (names: string, detail: string): Card => {
  const [first = ''] = names.split(' ');
  return {
    names,
    options: pgOptions,
    readings: {
      valued:
        'h host p port U username O owner T template E encoding D tablespace l locale maintenance-db c g',
      flags: 'e echo i if-exists f force w W s d r P L R N q V version',
    },
    facts: [
      {
        what: 'does one thing to what it names',
        effects: (call, given) =>
          given.has('version')
            ? []
            : [
                ...hostsOf(call, given, 'host'),
                database(call, detail, given.operands[0], given.has('force')),
              ],
        examples: {
          hit: {
            [`${first} a`]: `database a (${detail})`,
            [`${first} -f a`]: `database a (${detail}) force`,
            [`${first} -h db.example a`]: `connect db.example (database); database a (${detail})`,
          },
          miss: [`${first} --version`],
        },
      },
    ],
  };
};

const mysqladmin = table({
  names: 'mysqladmin mariadb-admin',
  options: 'h/host= u/user= p/password? P/port= S/socket= f/force i= c= w? b E r s v V',
  readings: {
    valued: 'h host u user P port S socket i c',
    flags: 'f force b E r s v V',
    attached: 'p password w',
  },
  does: [
    ['database <last> (drop) force?', '… drop'],
    ['', 'status | ping | version | processlist | proc* | extended-status | ext* | variables | var*'],
  ],
  rest: 'database <last> (admin)',
  examples: {
    'mysqladmin drop shop': 'database shop (drop)',
    'mysqladmin -u a -pb -f drop shop': 'database shop (drop) force',
    'mysqladmin create a drop shop': 'database shop (drop)',
    'mysqladmin <status ping version processlist proc extended-status ext variables var>': '',
    'mariadb-admin <shutdown create> a': 'database a (admin)',
    mysqladmin: '',
  },
});

const server = (names: string, service: string, version: string): Card =>
  table({
    names,
    options: version,
    readings: { flags: version.replace('/', ' ') },
    looks: 'version',
    always: `service ${service} (start)`,
    examples: {
      [names]: `service ${service} (start)`,
      [`${names} a.conf`]: `service ${service} (start)`,
      ...Object.fromEntries(
        version.split('/').map((name) => [`${names} ${/../.test(name) ? '--' : '-'}${name}`, '']),
      ),
    },
  });

export const cards: readonly Card[] = [
  pgAdmin('dropdb pg_dropcluster pg_resetwal', 'drop'),
  pgAdmin('dropuser createuser', 'admin'),
  pgAdmin('createdb vacuumdb reindexdb clusterdb pgbench', 'write'),
  mysqladmin,
  server('mysqld', 'mysqld', 'V/version'),
  server('mongod', 'mongod', 'version'),
  server('redis-server', 'redis', 'v/version'),
  table({
    names: 'pg_basebackup',
    options: 'D/pgdata= h/host= F= X= P R U=',
    readings: { valued: 'D pgdata h host F X U', flags: 'P R' },
    always: 'database (read); write <-pgdata> (create) recursive',
    examples: {
      'pg_basebackup -D out -h a': 'database (read); write out (create) recursive',
      'pg_basebackup --pgdata=out': 'database (read); write out (create) recursive',
      pg_basebackup: 'database (read)',
    },
  }),
  table({
    names: 'initdb',
    options: 'D/pgdata= U= E= A= k n',
    readings: { valued: 'D pgdata U E A', flags: 'k n' },
    does: [['write <-pgdata> (create)', '--pgdata']],
    rest: 'write <1> (create)',
    alone: 'write <?> (create)',
    examples: {
      'initdb -D out': 'write out (create)',
      'initdb --pgdata=out -U a': 'write out (create)',
      'initdb out': 'write out (create)',
      initdb: 'write … (create)',
    },
  }),
  table({
    names: 'pg_ctl',
    options: 'D/pgdata= l= m= o= t= w W s c p=',
    readings: { valued: 'D pgdata l m o t p', flags: 'w W s c' },
    does: [['', 'status']],
    rest: 'service postgresql (<1>)',
    alone: 'service postgresql (unknown)',
    examples: {
      'pg_ctl -D a status': '',
      'pg_ctl -D a -l b -m fast <stop start restart reload>': 'service postgresql (<>)',
      'pg_ctl $X': 'service postgresql (unknown)',
      pg_ctl: 'service postgresql (unknown)',
    },
  }),
  { names: 'pg_isready', ...quiet },
  table({
    names: 'mysqlcheck elasticdump',
    always: 'database (write)',
    examples: { 'mysqlcheck a': 'database (write)', 'elasticdump --input=a': 'database (write)' },
  }),
  table({
    names: 'mysqlshow',
    always: 'database (read)',
    examples: { 'mysqlshow a': 'database (read)', mysqlshow: 'database (read)' },
  }),
  table({
    names: 'mysql_secure_installation',
    always: 'database (admin)',
    examples: {
      mysql_secure_installation: 'database (admin)',
      'mysql_secure_installation a': 'database (admin)',
    },
  }),
  table({
    names: 'etcdctl',
    options:
      'endpoints= cacert= cert= key= user= password= command-timeout= dial-timeout= w/write-out= prefix keys-only from-key',
    readings: {
      valued: 'endpoints cacert cert key user password command-timeout dial-timeout w write-out',
      flags: 'prefix keys-only from-key',
    },
    does: [
      ['database <2> (delete-all)', 'del | * remove | * delete'],
      ['database <2> (write)', '* add | * update | alarm disarm'],
      ['database (read)', 'get | watch | version | member | endpoint | check | alarm'],
    ],
    rest: 'database <2> (write)',
    alone: 'database (read)',
    examples: {
      'etcdctl --endpoints a del b': 'database b (delete-all)',
      'etcdctl <member role> remove a': 'database remove (delete-all)',
      'etcdctl user delete a': 'database delete (delete-all)',
      'etcdctl member <add update> a': 'database <> (write)',
      'etcdctl alarm disarm': 'database disarm (write)',
      'etcdctl <get a | watch a | version | member list | endpoint status | check perf | alarm list>':
        'database (read)',
      'etcdctl put a b': 'database a (write)',
      etcdctl: 'database (read)',
    },
  }),
];
