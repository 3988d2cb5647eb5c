// What changes the tables of databases for a project: migrations, seeds and resets.

import { knownText, singleText } from '../../bash/values.ts';
import { beginningOf, literal, read } from '../../tools/tool.ts';
import { agent } from '../agents.ts';
import type { Card } from '../card.ts';
import { database, fromStream } from '../databases.ts';
import { isOneOf, type Table, table } from '../tables.ts';

type Migration = Omit<Table, 'does'> & {
  readonly drops: string;
  /** Commands that write only to what a developer has. */
  readonly develops?: string;
  readonly writes?: string;
};

/** A program that drops what a database holds, or writes to it, by its words; an interpreter starts it as a file too. */
function migration({ drops, develops, writes, ...rest }: Migration): Card {
  return {
    ...table({
      does: [
        ['database <words> (drop)', drops],
        ...(develops === undefined ? [] : [['inert (project)', develops] as const]),
        ...(writes === undefined ? [] : [['database <words> (write)', writes] as const]),
      ],
      ...rest,
    }),
    script: true,
  };
}

const look = (text: string) =>
  ['database_drop', 'database_write'].map((rule) => ({
    rule,
    text: `Look at the migrations first: ${text}.`,
  }));

const dbtCommands = ['run', 'build', 'seed', 'snapshot'];
const developing = ['dev', 'development', 'local', 'test', 'ci'];

const rakeDrops =
  '… db:drop* | … db:reset* | … db:purge* | … db:schema:load* | … db:setup* | … db:migrate:reset* | … db:rollback* | … db:truncate*';
const rakeWrites =
  '… db:migrate | … db:migrate:up | … db:migrate:redo | … db:seed* | … db:create* | … db:prepare*';
const rakeExamples = (name: string) => ({
  [`${name} db:migrate:status`]: '',
  [`${name} <db:drop db:drop:all db:reset db:purge db:schema:load db:setup db:migrate:reset db:rollback db:truncate_all>`]:
    'database <> (drop)',
  [`${name} <db:migrate db:migrate:up db:migrate:redo db:seed db:seed:replant db:create db:prepare>`]:
    'database <> (write)',
});

const rails = migration({
  names: 'rails',
  options: 'e/environment=',
  readings: { valued: 'e environment' },
  verbs: { 'console | c': '', 'runner | r': '' },
  drops: rakeDrops,
  writes: rakeWrites,
  examples: {
    ...rakeExamples('rails'),
    'rails -e test db:drop': 'database db:drop (drop)',
    'rails <server console routes test>': '',
  },
  facts: [
    {
      what: 'runs the code that it is given',
      verbs: ['runner'],
      starts: (_, { operands: [code] }) =>
        code === undefined || /^[\w./-]+\.rb$/.test(singleText(code))
          ? []
          : [{ kind: 'code', language: 'ruby', text: code }],
      examples: {
        hit: {
          "rails runner 'User.delete_all'": 'ruby code: User.delete_all',
          'rails r x': 'ruby code: x',
          'rails runner -e test x': 'ruby code: x',
        },
        miss: ['rails runner a.rb', 'rails runner', 'rails server x'],
      },
    },
    {
      what: 'runs the code that comes in',
      verbs: ['console'],
      starts: ({ fed }) => (fed ? [{ kind: 'input', language: 'ruby' }] : []),
      examples: {
        hit: { 'x | rails console': 'ruby input', 'x | rails c': 'ruby input' },
        miss: ['rails console', 'x | rails server'],
      },
    },
  ],
});

const rake = migration({
  names: 'rake',
  options:
    'p= e/execute= E/execute-continue= f/rakefile= r/require= R/rakelib= I/libdir= C/directory= T? W? D?',
  readings: {
    valued: 'p e execute E execute-continue f rakefile r require R rakelib I libdir C directory',
    attached: 'T W D',
  },
  drops: rakeDrops,
  writes: rakeWrites,
  examples: { ...rakeExamples('rake'), 'rake <test build>': '' },
  facts: [
    {
      what: 'runs code and files',
      starts: (_, given) => [
        ...given.all('p', 'e', 'E').map((text) => ({ kind: 'code', language: 'other', text }) as const),
        ...given.all('f').map((path) => ({ kind: 'file', language: 'other', path }) as const),
      ],
      examples: {
        hit: {
          'rake <-p -e -E> x': 'other code: x',
          'rake -f a build': 'other file: a',
          'rake --execute=x': 'other code: x',
        },
        miss: ['rake build'],
      },
    },
    {
      what: 'runs the file of the project',
      always: true,
      starts: () => [{ kind: 'file', language: 'other', path: knownText('Rakefile'), ofProject: true }],
      examples: { hit: { 'rake build': 'other file: Rakefile of the project' }, miss: [] },
    },
  ],
});

const django = migration({
  names: 'django-admin manage.py',
  options: 'settings= pythonpath= v/verbosity= database= app= e= exclude= format=',
  readings: { valued: 'settings pythonpath v verbosity database app e exclude format' },
  verbs: { 'shell | console': 'c/command= i/interface=' },
  verbReadings: { shell: { valued: 'c command i interface' } },
  drops: 'flush | reset_db | sqlflush',
  writes: 'migrate | loaddata',
  examples: {
    'django-admin <flush reset_db sqlflush>': 'database <> (drop)',
    'manage.py <migrate loaddata>': 'database <> (write)',
    'manage.py --settings a flush': 'database flush (drop)',
    'django-admin <runserver makemigrations test>': '',
  },
  facts: [
    {
      what: 'runs the code that it is given, or that comes in',
      verbs: ['shell'],
      starts: ({ fed }, given) => {
        const texts = given.all('command');
        if (texts.length === 0) return fed ? [{ kind: 'input', language: 'python' }] : [];
        return texts.map((text) => ({ kind: 'code', language: 'python', text }));
      },
      examples: {
        hit: {
          'django-admin shell -c x': 'python code: x',
          'django-admin console --command=x': 'python code: x',
          'x | django-admin shell -i bpython': 'python input',
        },
        miss: ['django-admin shell', 'x | django-admin migrate', 'django-admin flush -c x'],
      },
    },
  ],
});

const gooseAgent = /^(?:run|session|s|web|acp|recipe|schedule|project|bench|term)$/;

const executes = isOneOf('… db execute');
const statements = literal('db execute');

const prisma = migration({
  names: 'prisma',
  options:
    'schema= force-reset accept-data-loss applied= rolled-back= url= file= config= shadow-database-url= stdin',
  readings: {
    valued: 'schema applied rolled-back url file config shadow-database-url',
    flags: 'force-reset accept-data-loss stdin',
  },
  drops: '… migrate reset | … db push --force-reset | … db push --accept-data-loss',
  writes: '… migrate deploy | … migrate dev | … migrate resolve | … db push | … db seed',
  examples: {
    'prisma migrate reset': "database 'migrate reset' (drop)",
    'prisma db push <--force-reset --accept-data-loss>': "database 'db push' (drop)",
    'prisma --schema a migrate reset': "database 'migrate reset' (drop)",
    'prisma <migrate deploy | migrate dev | migrate resolve | db push | db seed>': "database '<>' (write)",
    'prisma x migrate reset': "database 'x migrate reset' (drop)",
    'prisma x <migrate deploy | migrate dev | migrate resolve | db push | db seed>':
      "database 'x <>' (write)",
    'prisma x db push <--force-reset --accept-data-loss>': "database 'x db push' (drop)",
    'prisma <migrate status | generate | db pull>': '',
  },
  advice: look('`prisma migrate status`'),
  facts: [
    {
      what: 'does what its statements say',
      effects: (call, given) => {
        if (!executes(given)) return [];
        const files = given.all('file');
        return files.length === 0
          ? fromStream(call, statements)
          : files.flatMap((file) => [...read(call, file), database(call, 'script', file)]);
      },
      examples: {
        hit: {
          'prisma db execute --file a.sql': 'read a.sql; database a.sql (script)',
          "'drop table a' | prisma db execute --stdin": "database 'db execute' (drop)",
          "'select 1' | prisma --schema a db execute --stdin": "database 'db execute' (read)",
          '$X | prisma db execute --stdin': "database 'db execute' (unknown)",
          'prisma db execute': "database 'db execute' (session)",
        },
        miss: ['prisma db pull --file a', "'drop table a' | prisma generate"],
      },
    },
  ],
});

export const cards: readonly Card[] = [
  prisma,
  migration({
    names: 'drizzle-kit',
    drops: '… drop',
    writes: '… push* | … migrate',
    examples: {
      'drizzle-kit drop': 'database drop (drop)',
      'drizzle-kit <push push:pg migrate>': 'database <> (write)',
      'drizzle-kit x drop': "database 'x drop' (drop)",
      'drizzle-kit x <push migrate>': "database 'x <>' (write)",
      'drizzle-kit <generate studio>': '',
    },
  }),
  migration({
    names: 'knex',
    options:
      'knexfile= knexpath= cwd= client= connection= migrations-directory= migrations-table-name= env= specific=',
    readings: {
      valued:
        'knexfile knexpath cwd client connection migrations-directory migrations-table-name env specific',
    },
    drops: '… migrate:rollback | … migrate:down',
    writes: '… migrate:latest | … migrate:up | … seed:run',
    examples: {
      'knex <migrate:rollback migrate:down>': 'database <> (drop)',
      'knex --knexfile a <migrate:latest migrate:up seed:run>': 'database <> (write)',
      'knex x <migrate:rollback migrate:down>': "database 'x <>' (drop)",
      'knex x <migrate:latest migrate:up seed:run>': "database 'x <>' (write)",
      'knex <migrate:list migrate:make>': '',
    },
  }),
  migration({
    names: 'sequelize sequelize-cli',
    options:
      'to= from= env= config= options-path= migrations-path= seeders-path= models-path= url= name= seed= charset= collate= encoding= ctype= template=',
    readings: {
      valued:
        'to from env config options-path migrations-path seeders-path models-path url name seed charset collate encoding ctype template',
    },
    drops: '… db:drop | … db:migrate:undo*',
    writes: '… db:migrate | … db:seed* | … db:create',
    examples: {
      'sequelize <db:drop db:migrate:undo db:migrate:undo:all>': 'database <> (drop)',
      'sequelize-cli <db:migrate db:seed db:seed:all db:create>': 'database <> (write)',
      'sequelize x <db:drop db:migrate:undo>': "database 'x <>' (drop)",
      'sequelize x <db:migrate db:seed db:create>': "database 'x <>' (write)",
      'sequelize <db:migrate:status model:generate>': '',
    },
  }),
  migration({
    names: 'typeorm',
    options: 'c= connection= f= config=',
    readings: { valued: 'c connection f config' },
    drops: '… schema:drop | … migration:revert',
    writes: '… migration:run | … schema:sync',
    examples: {
      'typeorm <schema:drop migration:revert>': 'database <> (drop)',
      'typeorm <migration:run schema:sync>': 'database <> (write)',
      'typeorm x <schema:drop migration:revert>': "database 'x <>' (drop)",
      'typeorm x <migration:run schema:sync>': "database 'x <>' (write)",
      'typeorm <migration:show migration:generate>': '',
    },
  }),
  rails,
  rake,
  django,
  migration({
    names: 'console symfony',
    drops: '… doctrine:database:drop | … doctrine:schema:drop | … doctrine:mongodb:schema:drop',
    examples: {
      'console <doctrine:database:drop doctrine:schema:drop doctrine:mongodb:schema:drop>':
        'database <> (drop)',
      'console x <doctrine:database:drop doctrine:schema:drop doctrine:mongodb:schema:drop>':
        "database 'x <>' (drop)",
      'console <doctrine:schema:validate cache:clear>': '',
      'symfony console doctrine:database:drop': "database 'console doctrine:database:drop' (drop)",
      'symfony server:start': '',
    },
  }),
  migration({
    names: 'artisan',
    options: 'env=',
    readings: { valued: 'env' },
    drops: '… migrate:fresh | … migrate:refresh | … migrate:reset | … migrate:rollback | … db:wipe',
    writes: '… migrate | … db:seed',
    examples: {
      'artisan <migrate:fresh migrate:refresh migrate:reset migrate:rollback db:wipe>': 'database <> (drop)',
      'artisan <migrate db:seed>': 'database <> (write)',
      'artisan --env a migrate': 'database migrate (write)',
      'artisan x <migrate:fresh migrate:refresh migrate:reset migrate:rollback db:wipe>':
        "database 'x <>' (drop)",
      'artisan x <migrate db:seed>': "database 'x <>' (write)",
      'artisan <migrate:status tinker>': '',
    },
  }),
  migration({
    names: 'alembic',
    options: 'c/config= n/name= x=',
    readings: { valued: 'c config n name x' },
    drops: '… downgrade',
    writes: '… upgrade | … stamp',
    examples: {
      'alembic downgrade base': "database 'downgrade base' (drop)",
      'alembic <-c -n -x> a upgrade head': "database 'upgrade head' (write)",
      'alembic stamp head': "database 'stamp head' (write)",
      'alembic y downgrade': "database 'y downgrade' (drop)",
      'alembic y <upgrade stamp>': "database 'y <>' (write)",
      'alembic <history current revision>': '',
    },
    advice: look('`alembic history`'),
  }),
  migration({
    names: 'flyway',
    manner: { wholeWords: true },
    drops: '… clean | … undo',
    writes: '… migrate | … repair | … baseline',
    examples: {
      'flyway -url=a <clean undo>': 'database <> (drop)',
      'flyway <migrate repair baseline>': 'database <> (write)',
      'flyway x <clean undo>': "database 'x <>' (drop)",
      'flyway x <migrate repair baseline>': "database 'x <>' (write)",
      'flyway <info validate>': '',
    },
  }),
  migration({
    names: 'liquibase',
    drops: '… drop-all | … dropAll | … rollback*',
    writes: '… update*',
    examples: {
      'liquibase --changelog-file=a <drop-all dropAll rollback rollback-count>': 'database <> (drop)',
      'liquibase <update update-count>': 'database <> (write)',
      'liquibase x <drop-all dropAll rollback>': "database 'x <>' (drop)",
      'liquibase x update': "database 'x update' (write)",
      'liquibase <status diff>': '',
    },
  }),
  {
    ...migration({
      names: 'goose',
      manner: { wholeWords: true },
      options: 'dir= table= env=',
      readings: { valued: 'dir table env' },
      drops: '… down | … reset | … down-to',
      writes: '… up | … up-* | … redo',
      examples: {
        'goose -dir a <down reset down-to>': 'database <> (drop)',
        'goose postgres c <down reset down-to>': "database 'postgres c <>' (drop)",
        'goose postgres c <up up-to up-by-one redo>': "database 'postgres c <>' (write)",
        'goose <up up-to redo>': 'database <> (write)',
        'goose <status version create run session>': '',
      },
      facts: [
        {
          what: 'is also the name of an agent',
          effects: (call) => (gooseAgent.test(beginningOf(call.args[0] ?? literal(''))) ? agent(call) : []),
          examples: {
            hit: {
              'goose run a': 'run (agent)',
              'goose <session s web acp recipe schedule project bench term> a': 'run (agent)',
            },
            miss: ['goose up', 'goose', 'goose status run'],
          },
        },
      ],
    }),
  },
  migration({
    names: 'migrate',
    options: 'path= source= database=',
    readings: { valued: 'path source database' },
    manner: { wholeWords: true },
    drops: '… down | … drop | … force',
    writes: '… up',
    examples: {
      'migrate -path a -database b <down force>': 'database <> (drop)',
      'migrate -path a -database b drop': 'database drop (drop)',
      'migrate -source a up': 'database up (write)',
      'migrate x <down force>': "database 'x <>' (drop)",
      'migrate x drop': "database 'x drop' (drop)",
      'migrate x up': "database 'x up' (write)",
      'migrate <version create>': '',
    },
  }),
  migration({
    names: 'dbmate',
    options: 'u/url= e/env= d/migrations-dir= s/schema-file=',
    readings: { valued: 'u url e env d migrations-dir s schema-file' },
    drops: '… drop | … down | … rollback',
    writes: '… up | … migrate | … create | … load',
    examples: {
      'dbmate drop': 'database drop (drop)',
      'dbmate <down rollback>': 'database <> (drop)',
      'dbmate -u a -e b -d c -s d <up migrate create load>': 'database <> (write)',
      'dbmate x drop': "database 'x drop' (drop)",
      'dbmate x <down rollback>': "database 'x <>' (drop)",
      'dbmate x <up migrate create load>': "database 'x <>' (write)",
      'dbmate <status new dump>': '',
    },
  }),
  migration({
    names: 'atlas',
    options: 'env= c/config=',
    readings: { valued: 'env c config' },
    drops: '… schema clean | … migrate down',
    writes: '… schema apply | … migrate apply',
    examples: {
      'atlas <schema clean | migrate down>': "database '<>' (drop)",
      'atlas --env a -c b <schema apply | migrate apply>': "database '<>' (write)",
      'atlas x <schema clean | migrate down>': "database 'x <>' (drop)",
      'atlas x <schema apply | migrate apply>': "database 'x <>' (write)",
      'atlas <schema inspect | migrate diff | migrate status>': '',
    },
  }),
  migration({
    names: 'dbt',
    options:
      'r/record-timing-info= log-format= profiles-dir= project-dir= profile= t/target= log-level= log-path= vars= full-refresh threads= s= select= exclude= selector= args=',
    readings: {
      valued:
        'r record-timing-info log-format profiles-dir project-dir profile t target log-level log-path vars threads s select exclude selector args',
      flags: 'full-refresh',
    },
    drops: '--full-refresh',
    // Without a target it builds what the profile names, by habit the schema of the developer.
    develops: dbtCommands.flatMap((verb) => developing.map((name) => `${verb} --target=${name}`)).join(' | '),
    writes: `run-operation | ${dbtCommands.map((verb) => `${verb} --target`).join(' | ')}`,
    rest: 'inert (project)',
    examples: {
      'dbt run --full-refresh': 'database run (drop)',
      'dbt --profiles-dir a run-operation b': "database 'run-operation b' (write)",
      'dbt <run build seed snapshot> --target prod': 'database <> (write)',
      'dbt build -t $TARGET': 'database build (write)',
      'dbt <run build seed snapshot> -t dev': 'inert (project)',
      'dbt run -t <dev development local test ci>': 'inert (project)',
      'dbt <run build seed snapshot compile test debug docs>': 'inert (project)',
      'dbt --target run': '',
    },
  }),
  migration({
    names: 'sqlx',
    options: 'D/database-url= source=',
    readings: { valued: 'D database-url source' },
    drops: '… database drop | … database reset | … migrate revert',
    writes: '… migrate run | … database create',
    examples: {
      'sqlx <database drop | database reset | migrate revert>': "database '<>' (drop)",
      'sqlx -D a --source b <migrate run | database create>': "database '<>' (write)",
      'sqlx x <database drop | database reset | migrate revert>': "database 'x <>' (drop)",
      'sqlx x <migrate run | database create>': "database 'x <>' (write)",
      'sqlx <migrate info | migrate add>': '',
    },
  }),
  migration({
    names: 'diesel',
    options: 'database-url= config-file= migration-dir=',
    readings: { valued: 'database-url config-file migration-dir' },
    drops: '… database reset | … migration revert | … migration redo',
    writes: '… migration run | … database setup',
    examples: {
      'diesel <database reset | migration revert | migration redo>': "database '<>' (drop)",
      'diesel --database-url a <migration run | database setup>': "database '<>' (write)",
      'diesel x <database reset | migration revert | migration redo>': "database 'x <>' (drop)",
      'diesel x <migration run | database setup>': "database 'x <>' (write)",
      'diesel <migration list | print-schema>': '',
    },
  }),
];
