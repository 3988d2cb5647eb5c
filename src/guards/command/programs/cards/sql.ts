// Clients of databases that take SQL.

import { singleText } from '../../bash/values.ts';
import type { Effect } from '../../effects.ts';
import { read, textOf } from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { client, database, escapes, fromStream, isFed, sqlEffects } from '../databases.ts';

const readFirst = (text: string) =>
  ['database_drop', 'database_write'].map((rule) => ({ rule, text: `Read first: \`${text}\`.` }));

const psql = client({
  names: 'psql',
  options:
    'c/command= f/file= d/dbname= h/host= p/port= U/username= o/output= L/log-file= v/set/variable= P/pset= F/field-separator= R/record-separator= T/table-attr= a/echo-all A/no-align b e E H l/list n q/quiet s S t/tuples-only w W x X/no-psqlrc 0 1/single-transaction V/version',
  readings: {
    valued:
      'c command f file d dbname h host p port U username o output L log-file v set variable P pset F field-separator R record-separator T table-attr',
    flags:
      'a echo-all A no-align b e E H l list n q quiet s S t tuples-only w W x X no-psqlrc 0 1 single-transaction V version',
  },
  sql: 'command',
  files: 'file',
  hosts: 'host',
  outputs: 'output log-file',
  looks: 'list version',
  examples: {
    "psql shop -c 'select 1'": 'database shop (read)',
    "psql -d shop --command='drop table x'": 'database shop (drop)',
    'psql -f a.sql': 'read a.sql; database a.sql (script)',
    'psql -f - shop': 'database shop (session)',
    'psql -h db.example': 'connect db.example (database); database (session)',
    'psql <-hlocalhost -h/run -h127.0.0.1 -h::1>': 'database (session)',
    'psql postgres://a@db.example/shop':
      'connect db.example (database); database postgres://a@db.example/shop (session)',
    'psql -o out shop': 'write out (overwrite); database shop (session)',
    'psql --log-file out': 'write out (overwrite); database (session)',
    "'drop table a' | psql -f -": 'database (drop)',
    "psql -o '|sh'": 'run |sh (helper); database (session)',
    'psql <-l --version>': '',
    'psql shop': 'database shop (session)',
    "'drop table x' | psql shop": 'database shop (drop)',
    '$X | psql shop': 'database shop (unknown)',
    'psql -c $X': 'database (unknown)',
    "psql -c 'drop table '$X": 'database (unknown); database (drop)',
    // Statements.
    "psql -c '<\\! id | \\copy a from program b | \\o |b | \\w |b>'": "run '<>' (database-shell)",
    "psql -c '<system id | exec xp_cmdshell b | select sys_exec(b) | select load_extension(b)>'":
      "run '<>' (database-shell)",
    "psql -c 'copy a to program \\'b\\''": "run 'copy a to program \\b'' (database-shell)",
    "psql -c 'copy a from program \\'b\\''": "run 'copy a from program \\b'' (database-shell)",
    "psql -c '\\g |b'": 'database (write)',
    "psql -c '<lo_import(1) | select lo_export(1) | select pg_ls_dir(1) | source a | attach a | load data x | tee x>'":
      'database (admin)',
    "psql -c \"<select 1 into outfile 'a' | select 1 into dumpfile 'a' | copy a to 'a' | vacuum into 'a' | select writefile('a')>\"":
      'write a (overwrite); database (admin)',
    "psql -c \"backup 'a' to 'a'\"": 'database (write)',
    "psql -c \"<select load_file('a') | select readfile('a') | select pg_read_file('a') | select pg_read_binary_file('a') | copy x from 'a' | load data infile 'a'>\"":
      'read a; database (admin)',
    "psql -c '<\\o a | \\w a>'": 'write a (overwrite); database (admin)',
    "psql -c '\\i a'": 'read a; database (admin)',
    "psql -c '<\\copy a from b | \\source a | \\. a>'": 'database (admin)',
    "psql -c '<.output a | .once a | .backup a | .save a | .log a>'": 'write a (overwrite); database (admin)',
    "psql -c '<.import a | .read a | .restore a | .open a>'": 'read a; database (admin)',
    "psql -c '<.dump a | .excel a | .archive a>'": 'database (admin)',
    "psql -c '<.shell a | .system a | .load a>'": "run '<>' (database-shell)",
    "psql -c '<drop table a | alter table a drop b | dropdb a>'": 'database (drop)',
    "psql -c '<alter table a alter b drop not null | alter table a alter b drop default | alter table a drop constraint b | alter table a alter b drop identity>'":
      'database (write)',
    "psql -c 'truncate a'": 'database (truncate)',
    "psql -c '<delete from a | delete from a where 1=1 | delete from a where true | with b as (delete from a) select 1>'":
      'database (delete-all)',
    "psql -c '<update a set b = 1 | update a set b = 1 where 1 = 1>'": 'database (write-all)',
    "psql -c '<delete from a where b = 1 | update a set b = 1 where c = 2 | insert into a values (1) | create table a (b) | merge into a | with b as (select 1) insert into a select 1 | with b as (select 1) merge into a | with b as (update a set c = 1) select 1 | explain analyze delete from a | explain analyze update a | explain analyze insert into a | select 1 into a | pragma a = 1 | call a>'":
      'database (write)',
    "psql -c '<grant a | revoke a | create user a | create or replace role a | create role a | create login a | alter user a | alter role a | alter login a | alter system a | alter server a | set global a | set password a | set persist a | kill 1 | shutdown | flush a | reset master | reset slave | reset replica | purge a | install a | uninstall a | create extension a | reassign a | security label a | change master a | change replication a | select pg_terminate_backend(1) | select pg_cancel_backend(1)>'":
      'database (admin)',
    "psql -c '<with b as (select 1) select 2 | explain select 1 | select 1 | show a | describe a | desc a | values (1) | table a | use a | help | pragma a | analyze a | set a | begin | commit | rollback | start transaction | end | declare a | fetch a | print a | list | exit | quit | status | check a | go | \\d | .tables | ?>'":
      'database (read)',
  },
  facts: [
    escapes({
      hit: {
        "psql -c '\\! rm -rf /'": 'shell code: rm -rf /',
        "'\\! id' | psql": 'shell code: id',
        'psql -c "copy a from program \'id\'"': 'shell code: id',
        'psql -c "copy a to program \'id\'"': 'shell code: id',
      },
      miss: ["psql -c 'select 1'", 'psql -c "copy a from \'b\'"', "'select 1' | psql"],
    }),
  ],
  advice: readFirst("psql -c 'SELECT 1'"),
});

const pgcli = client({
  names: 'pgcli',
  options:
    'd/dbname= h/host= p/port= U/u/username= D/dsn= pgclirc= row-limit= prompt= prompt-dsn= warn= ssh-tunnel= l/list v/version W/password w/no-password',
  readings: {
    valued: 'd dbname h host p port U u username D dsn pgclirc row-limit prompt prompt-dsn warn ssh-tunnel',
    flags: 'l list v version W password w no-password',
  },
  hosts: 'host',
  looks: 'list version',
  examples: {
    'pgcli shop': 'database shop (session)',
    'pgcli -h db.example -d a': 'connect db.example (database); database a (session)',
    'pgcli <-l -v>': '',
    "'drop table x' | pgcli": 'database (drop)',
  },
  facts: [escapes({ hit: { "'\\! id' | pgcli": 'shell code: id' }, miss: ['pgcli'] })],
});

const mysqlCard = (names: string, first: string): Card =>
  client({
    names,
    options:
      'e/execute= init-command= D/database= h/host= P/port= u/user= p/password? S/socket= tee= pager? ssl-ca= ssl-cert= ssl-key= default-character-set= defaults-file= defaults-extra-file= protocol= bind-address= character-sets-dir= compression-algorithms= connect-timeout= defaults-group-suffix= delimiter= dns-srv-name= load-data-local-dir= login-path= max-allowed-packet= max-join-size= net-buffer-length= network-namespace= prompt= select-limit= server-public-key-path= shared-memory-base-name= ssl-capath= ssl-crl= ssl-crlpath= ssl-fips-mode= tls-ciphersuites= tls-version= zstd-compression-level= default-auth= plugin-dir= N s r B t H X v f/force C/compress A b i V/version q n c no-beep',
    readings: {
      valued:
        'e execute init-command D database h host P port u user S socket tee ssl-ca ssl-cert ssl-key default-character-set defaults-file defaults-extra-file protocol bind-address character-sets-dir compression-algorithms connect-timeout defaults-group-suffix delimiter dns-srv-name load-data-local-dir login-path max-allowed-packet max-join-size net-buffer-length network-namespace prompt select-limit server-public-key-path shared-memory-base-name ssl-capath ssl-crl ssl-crlpath ssl-fips-mode tls-ciphersuites tls-version zstd-compression-level default-auth plugin-dir',
      flags: 'N s r B t H X v f force C compress A b i V version q n c no-beep',
      attached: 'p password pager',
    },
    sql: 'execute init-command',
    files: 'defaults-file defaults-extra-file',
    hosts: 'host',
    outputs: 'tee',
    looks: 'version',
    examples: {
      [`${first} -e 'drop table x' shop`]: 'database shop (drop)',
      [`${first} --execute='select 1'`]: 'database (read)',
      [`${first} --init-command 'drop table x' -D shop`]: 'database shop (drop)',
      [`${first} <--defaults-file --defaults-extra-file> a`]: 'read a; database a (script)',
      [`${first} -hdb.example -psecret`]: 'connect db.example (database); database (session)',
      [`${first} -p secret`]: 'database secret (session)',
      [`${first} --tee out`]: 'write out (overwrite); database (session)',
      [`${first} <-V --version>`]: '',
      [`'drop table x' | ${first} shop`]: 'database shop (drop)',
    },
    facts: [
      escapes({
        hit: {
          [`${first} -e 'system rm -rf /'`]: 'shell code: rm -rf /',
          [`'\\! id' | ${first}`]: 'shell code: id',
        },
        miss: [`${first} -e 'select 1'`],
      }),
      {
        what: 'loads modules',
        starts: (_, given) =>
          [...given.all('default-auth'), ...given.all('plugin-dir')]
            .filter((path) => singleText(path) !== '')
            .map((path) => ({ kind: 'file', language: 'other', path })),
        examples: {
          hit: {
            [`${first} --default-auth=a`]: 'other file: a',
            [`${first} --plugin-dir a`]: 'other file: a',
          },
          miss: [first],
        },
      },
    ],
    advice: readFirst(`${first} -e 'SHOW TABLES'`),
  });

const mycli = client({
  names: 'mycli',
  options: 'e/execute= init-command= D/database= h/host= P/port= u/user= p/password? S/socket= V/version',
  readings: {
    valued: 'e execute init-command D database h host P port u user S socket',
    flags: 'V version',
    attached: 'p password',
  },
  sql: 'execute init-command',
  hosts: 'host',
  looks: 'version',
  examples: {
    "mycli -e 'drop table x' -D shop": 'database shop (drop)',
    "mycli --init-command 'drop table x'": 'database (drop)',
    'mycli -h db.example shop': 'connect db.example (database); database shop (session)',
    'mycli -V': '',
  },
  facts: [escapes({ hit: { "mycli -e '\\! id'": 'shell code: id' }, miss: ["mycli -e 'select 1'"] })],
});

/** A database in the memory goes with the program; what could open another one is judged. */
const opensOthers = /\battach\b|^\s*\./im;

const sqlite: Card = {
  names: 'sqlite3 sqlite litecli duckdb',
  options:
    'cmd= c= init= separator= newline= nullvalue= mmap= lookaside= pagecache= A readonly safe batch bail box column csv echo header html interactive json line list markdown quote table tabs version deserialize vfs= ascii',
  manner: { wholeWords: true },
  readings: {
    valued: 'cmd c init separator newline nullvalue mmap lookaside pagecache vfs',
    flags:
      'A readonly safe batch bail box column csv echo header html interactive json line list markdown quote table tabs version deserialize ascii',
  },
  facts: [
    {
      what: 'does to a file what its statements say',
      effects: (call, given): readonly Effect[] => {
        if (given.has('version')) return [];
        const [file, ...statements] = given.operands;
        const texts = [...given.all('cmd', 'c'), ...statements];
        const memory = textOf(file) === ':memory:';
        const kept = texts.some((text) => opensOthers.test(textOf(text) ?? 'attach'));
        if (memory && texts.length > 0 && !kept) return [];
        return [
          ...given.all('init').flatMap((path) => read(call, path)),
          ...(file && !memory ? read(call, file) : []),
          ...(texts.length > 0
            ? texts.flatMap((text) => sqlEffects(call, text, file))
            : call.io.stdin.kind === 'literal' && call.io.stdin.text !== ''
              ? fromStream(call, file)
              : [
                  database(
                    call,
                    isFed(call) || call.io.stdin.kind === 'prefix' ? 'unknown' : 'session',
                    file,
                  ),
                ]),
        ];
      },
      examples: {
        hit: {
          "sqlite3 a.db 'drop table x'": 'read a.db; database a.db (drop)',
          "sqlite3 a.db 'select 1' 'delete from x'":
            'read a.db; database a.db (read); database a.db (delete-all)',
          "sqlite3 -cmd 'drop table x' a.db": 'read a.db; database a.db (drop)',
          "duckdb -c 'drop table x'": 'database (drop)',
          "sqlite3 -init a b.db 'select 1'": 'read a; read b.db; database b.db (read)',
          'sqlite3 :memory: $X': 'database :memory: (unknown)',
          "sqlite3 :memory: '.open a'": 'read a; database :memory: (admin)',
          "sqlite3 :memory: 'attach a'": 'database :memory: (admin)',
          'sqlite3 :memory:': 'database :memory: (session)',
          'sqlite3 a.db': 'read a.db; database a.db (session)',
          "'drop table x' | sqlite3 a.db": 'read a.db; database a.db (drop)',
          '$X | sqlite3 a.db': 'read a.db; database a.db (unknown)',
          'drop$X | sqlite3 a.db': 'read a.db; database a.db (unknown)',
        },
        miss: ['sqlite3 -version', "sqlite3 :memory: 'drop table x'"],
      },
    },
    escapes({
      hit: {
        "sqlite3 a.db '.shell rm -rf /'": 'shell code: rm -rf /',
        "duckdb a.db '.system id'": 'shell code: id',
        "'.shell id' | sqlite3": 'shell code: id',
      },
      miss: ["sqlite3 a.db 'select 1'", 'sqlite3 a.db .tables'],
    }),
  ],
  advice: readFirst("sqlite3 dev.db '.tables'").map((entry) => ({ ...entry, programs: ['sqlite3'] })),
};

export const cards: readonly Card[] = [
  psql,
  pgcli,
  mysqlCard('mysql', 'mysql'),
  mysqlCard('mariadb', 'mariadb'),
  mycli,
  sqlite,
  client({
    names: 'sqlcmd',
    options: 'Q= q= i= o= S= U= P= d= E C N b e h= s= w= l= t= v= V= W y= Y=',
    readings: { valued: 'Q q i o S U P d h s w l t v V y Y', flags: 'E C N b e W' },
    sql: 'Q q',
    files: 'i',
    hosts: 'S',
    outputs: 'o',
    examples: {
      "sqlcmd <-Q -q> 'drop table x' -d shop": 'database shop (drop)',
      'sqlcmd -S db.example -i a -o b':
        'connect db.example (database); read a; database a (script); write b (overwrite)',
      'sqlcmd -S localhost': 'database (session)',
    },
  }),
  client({
    names: 'mssql',
    options: 'q= s= u= p= d=',
    readings: { valued: 'q s u p d' },
    sql: 'q',
    hosts: 's',
    examples: {
      "mssql -q 'drop table x' -d shop": 'database shop (drop)',
      'mssql -s db.example': 'connect db.example (database); database (session)',
    },
  }),
  client({
    names: 'sqlplus',
    options: 'S L M= R=',
    readings: { valued: 'M R', flags: 'S L' },
    examples: { 'sqlplus a': 'database a (session)', "'drop table x' | sqlplus -S a": 'database a (drop)' },
  }),
  client({
    names: 'isql',
    options: 'i= o= u= p= d=',
    readings: { valued: 'i o u p d' },
    files: 'i',
    outputs: 'o',
    examples: {
      'isql -i a -o b': 'read a; database a (script); write b (overwrite)',
      'isql a': 'database a (session)',
    },
  }),
  client({
    names: 'cqlsh',
    options: 'e/execute= f/file= k= u= p= ssl debug',
    readings: { valued: 'e execute f file k u p', flags: 'ssl debug' },
    sql: 'execute',
    files: 'file',
    examples: {
      "cqlsh -e 'drop table x'": 'database (drop)',
      'cqlsh -f a': 'read a; database a (script)',
      'cqlsh db': 'database db (session)',
    },
  }),
  client({
    names: 'clickhouse-client clickhouse-local clickhouse',
    options: 'q/query= h/host= port= u/user= password= d/database= queries-file= multiquery n format=',
    readings: {
      valued: 'q query h host port u user password d database queries-file format',
      flags: 'multiquery n',
    },
    sql: 'query',
    files: 'queries-file',
    hosts: 'host',
    examples: {
      "clickhouse-client -q 'drop table x' -d a": 'database a (drop)',
      "clickhouse client --query 'drop table x'": 'database client (drop)',
      'clickhouse-local --queries-file a': 'read a; database a (script)',
      'clickhouse-client -h db.example': 'connect db.example (database); database (session)',
    },
  }),
  client({
    names: 'cockroach',
    options: 'e/execute= f/file= url= host= insecure certs-dir= d/database=',
    readings: { valued: 'e execute f file url host certs-dir d database', flags: 'insecure' },
    sql: 'execute',
    files: 'file',
    hosts: 'host url',
    examples: {
      "cockroach sql -e 'drop table x' -d a": 'database a (drop)',
      'cockroach sql -f a': 'read a; database a (script)',
      'cockroach sql --host db.example': 'connect db.example (database); database sql (session)',
      'cockroach sql --url postgres://a@db.example/a':
        'connect db.example (database); database sql (session)',
    },
  }),
  client({
    names: 'trino presto',
    options: 'execute= f/file= server= catalog= schema= user=',
    readings: { valued: 'execute f file server catalog schema user' },
    sql: 'execute',
    files: 'file',
    hosts: 'server',
    examples: {
      "trino --execute 'drop table x'": 'database (drop)',
      'presto --server https://db.example -f a': 'connect db.example (database); read a; database a (script)',
      "presto --execute='select 1'": 'database (read)',
    },
  }),
  client({
    names: 'hive spark-sql',
    options: 'e= f= i= S v master=',
    readings: { valued: 'e f i master', flags: 'S v' },
    sql: 'e',
    files: 'f i',
    examples: {
      "hive -e 'drop table x'": 'database (drop)',
      'hive -f a -i b': 'read a; database a (script); read b; database b (script)',
      "spark-sql --master a -e 'select 1'": 'database (read)',
    },
  }),
  client({
    names: 'beeline',
    options: 'e= f= u= n= p= i=',
    readings: { valued: 'e f u n p i' },
    sql: 'e',
    files: 'f i',
    hosts: 'u',
    examples: {
      "beeline -u jdbc:hive2://db.example/a -e 'drop table x'": 'connect jdbc (database); database (drop)',
      'beeline -f a -i b': 'read a; database a (script); read b; database b (script)',
    },
  }),
];
