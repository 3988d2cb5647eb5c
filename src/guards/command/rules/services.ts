// Rule: what leaves this machine for a database, a cloud, a cluster, a registry or a person is not to be taken back,
// so a person decides each time.

import type { Effect } from '../effects.ts';
import { locate } from '../where.ts';
import { type CommandRule, hit, type Judge, nameOf, python, type RuleInput, shell } from './rule.ts';

const outward = 'AG-TOOL-3';
const destructive = 'AG-TOOL-4';

const databaseDrop: CommandRule = {
  id: 'database_drop',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Tables, databases or all of their rows would be deleted.',
  suggestion: 'Read from the database first, and show the user what would change.',
  contract: destructive,
  examples: {
    hit: [
      shell("psql -c 'DROP TABLE users'"),
      shell('dropdb shop'),
      shell('redis-cli FLUSHALL'),
      shell("mysql -e 'TRUNCATE TABLE orders'"),
    ],
    miss: [shell("psql -c 'SELECT 1'"), shell("grep 'DROP TABLE' migrations/1.sql")],
  },
};

const databaseWrite: CommandRule = {
  id: 'database_write',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'A database would change; no snapshot of the workspace restores it.',
  suggestion: 'Read from the database first, and show the user what would change.',
  contract: outward,
  examples: {
    hit: [shell("psql -c 'DELETE FROM users WHERE id = 1'"), shell("mysql -e 'UPDATE users SET admin = 1'")],
    miss: [shell("psql -c 'SELECT 1'"), shell("sqlite3 dev.db '.tables'")],
  },
};

const cloudDeletion: CommandRule = {
  id: 'cloud_deletion',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Something in a cloud or remote account would be deleted.',
  suggestion: 'Look at it first with a command that only reads.',
  contract: destructive,
  examples: {
    hit: [
      shell('aws s3 rm s3://bucket --recursive'),
      shell('gcloud projects delete shop'),
      shell('terraform destroy -auto-approve'),
      shell('gh repo delete owner/name --yes'),
    ],
    miss: [shell('terraform plan'), shell('aws s3 ls'), shell('gh pr list')],
  },
};

const cloudChange: CommandRule = {
  id: 'cloud_change',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Something in a cloud or remote account would change, and may cost money.',
  suggestion: 'Look at it first with a command that only reads.',
  contract: outward,
  examples: {
    hit: [shell('aws ec2 run-instances --image-id ami-1'), shell('gcloud compute instances create web')],
    miss: [shell('aws ec2 describe-instances'), shell('terraform plan')],
  },
};

const containerDeletion: CommandRule = {
  id: 'container_deletion',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Containers, volumes, images or cluster objects would be deleted.',
  suggestion: 'Look first at what would be deleted.',
  contract: destructive,
  examples: {
    hit: [
      shell('docker rm -f web'),
      shell('docker system prune -af'),
      shell('kubectl delete namespace prod'),
    ],
    miss: [shell('docker ps -a'), shell('docker compose up -d'), shell('kubectl get pods')],
  },
};

const containerStop: CommandRule = {
  id: 'container_stop',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: "Others' containers would be stopped, or one would be killed without saving its work.",
  suggestion: 'Stop one container by name.',
  examples: {
    hit: [shell('docker stop $(docker ps -aq)'), shell('docker kill web')],
    miss: [shell('docker stop web'), shell('docker ps -aq')],
  },
};

const containerPrivileged: CommandRule = {
  id: 'container_privileged',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'The container would have the rights of this machine.',
  suggestion: 'Give the container the workspace only.',
  examples: {
    hit: [shell('docker run --privileged alpine sh'), shell('docker run -v /:/host alpine ls')],
    miss: [shell('docker build -t app .'), shell('docker run --rm -v "$PWD:/work" alpine ls /work')],
  },
};

const deployment: CommandRule = {
  id: 'deployment',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'A release would go out to others.',
  suggestion: 'Check first what is released, and what would change.',
  contract: outward,
  examples: {
    hit: [
      shell('npm publish'),
      shell('kubectl apply -f deploy.yaml'),
      shell('terraform apply -auto-approve'),
    ],
    miss: [shell('npm publish --dry-run'), shell('npm run build'), shell('terraform plan')],
  },
};

const externalMessage: CommandRule = {
  id: 'external_message',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: "A message would be sent in the user's name.",
  suggestion: 'Write the text to a file of the workspace first.',
  contract: outward,
  examples: {
    hit: [
      shell('mail -s hello a@example.com < text'),
      python(
        'import smtplib\nsmtplib.SMTP("mail.example.com").sendmail("a@example.com", "b@example.com", "hi")',
      ),
    ],
    miss: [shell('echo hello'), shell('tee message.txt < text')],
  },
};

/** The rules on services elsewhere. */
export const serviceRules: readonly CommandRule[] = [
  databaseDrop,
  databaseWrite,
  cloudDeletion,
  cloudChange,
  containerDeletion,
  containerStop,
  containerPrivileged,
  deployment,
  externalMessage,
];

/** A judge of one kind of effect by its detail; details that are not named are as `otherwise` says, else pass. */
function byDetail(
  rules: Readonly<Record<string, readonly [CommandRule, string]>>,
  otherwise?: readonly [CommandRule, string],
): Judge {
  return ({ detail = '', span, target }, ruleInput) => {
    const found = Object.hasOwn(rules, detail) ? rules[detail] : otherwise;
    if (found === undefined || harmless.has(detail)) return [];
    const [rule, does] = found;
    const name = nameOf(target);
    return [hit(ruleInput, rule, { span, why: `it ${does}${name === '' ? '' : `: ${name}`}` })];
  };
}

const harmless: ReadonlySet<string> = new Set(['read', 'list', 'status', 'session', 'dry-run']);

/** Tools that bring the tables of a project's own database up to date. */
const migrators =
  /^(?:createdb|rails|rake|manage\.py|django-admin|alembic|flask|artisan|php|prisma|drizzle-kit|knex|sequelize|sequelize-cli|typeorm|mikro-orm|dotnet|mix|diesel|sqlx|dbmate|goose|migrate|phinx|doctrine|console|bin\/console)$/;

/** Words that say that a database is not the one of development. */
const elsewhere =
  /prod|staging|\blive\b|(?:^|\s)(?:-h|--host)[ =]?(?!localhost|127)\S|--force\b|\bdeploy\b|remote|--url\b|:\/\/(?!(?:[^@\s/]*@)?(?:localhost|127\.0\.0\.1|\[::1\]|db|postgres|mysql)[:/])/i;

/** Files in which a project says where its database is. */
const settingsFiles = ['.env', '.env.local', '.env.development', 'prisma/.env'];

/** An address of a database, or a host of one, in such a file. */
const databaseAddress =
  /^\s*(?:export\s+)?\w*(?:DATABASE|DB|POSTGRES|MYSQL|PG)\w*\s*=\s*["']?(\S+:\/\/[^\s"']+)|^\s*(?:export\s+)?\w*(?:DB|PG|POSTGRES|MYSQL)_?HOST\s*=\s*["']?([^\s"']+)/gim;
const ownHost = /^(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal|[\w-]+)$/;

/** Commands of these tools that run any statements. */
const statements = /\bexecute\b/;

/** Whether a migration changes the database of development on this machine, as far as its words and the settings tell. */
function isLocalMigration({ program, detail, target }: Effect, ruleInput: RuleInput): boolean {
  if (ruleInput.profile !== 'developer' || detail !== 'write' || !migrators.test(program)) return false;
  if (statements.test(nameOf(target))) return false;
  if (elsewhere.test(ruleInput.source)) return false;
  return settingsFiles.every((name) => {
    const text = ruleInput.read(name) ?? '';
    return [...text.matchAll(databaseAddress)].every(
      ([, address, host]) =>
        ownHost.test(host ?? /:\/\/(?:[^@/]*@)?([^:/?]*)/.exec(address ?? '')?.[1] ?? '') ||
        /^(?:sqlite|file)/.test(address ?? ''),
    );
  });
}

/** Whether a database is a file that is temporary, that this session made, or whose change can be taken back. */
function isOwnFile({ program, target, detail }: Effect, ruleInput: RuleInput): boolean {
  const isTakenBack = detail === 'write' && ruleInput.mode === 'auto' && ruleInput.restorable();
  if (!/^(?:sqlite3?|duckdb)$/.test(program) || target.kind !== 'name') return false;
  const places = locate(ruleInput.pathScope, { kind: 'path', path: target.name }, { follow: true });
  return (
    places.length > 0 &&
    places.every(
      ({ path, open, zone }) =>
        path !== null &&
        !open &&
        (zone === 'temporary' || ruleInput.isMade(path) || (zone === 'workspace' && isTakenBack)),
    )
  );
}

/** Judges what database clients do. */
export const judgeDatabase: Judge = (effect, ruleInput) =>
  isLocalMigration(effect, ruleInput) || isOwnFile(effect, ruleInput)
    ? []
    : judgeStatements(effect, ruleInput);

const judgeStatements = byDetail(
  {
    drop: [databaseDrop, 'drops tables or databases'],
    truncate: [databaseDrop, 'deletes all rows'],
    'delete-all': [databaseDrop, 'deletes all rows'],
    admin: [databaseWrite, 'changes the rights or the setup of a database'],
    unknown: [databaseWrite, 'may change a database'],
  },
  [databaseWrite, 'changes a database'],
);

/** Judges what happens in clouds. */
export const judgeCloud = byDetail(
  {
    delete: [cloudDeletion, 'deletes something elsewhere'],
    unknown: [cloudChange, 'may change something elsewhere'],
  },
  [cloudChange, 'changes something elsewhere'],
);

/** Judges what happens to containers. */
export const judgeContainer = byDetail({
  delete: [containerDeletion, 'deletes containers or what they keep'],
  'volume-delete': [containerDeletion, 'deletes volumes'],
  'image-delete': [containerDeletion, 'deletes images'],
  'network-delete': [containerDeletion, 'deletes networks'],
  drain: [containerDeletion, 'drives everything off a machine'],
  'stop-all': [containerStop, 'stops every container'],
  kill: [containerStop, 'kills a container at once'],
  prune: [containerDeletion, 'deletes all containers, images or volumes that are not in use'],
  privileged: [containerPrivileged, 'gives a container the rights of this machine'],
  unknown: [containerDeletion, 'may change containers'],
});

/** Judges releases. */
export const judgeDeploy: Judge = ({ span, target }, ruleInput) => {
  const name = nameOf(target);
  return [
    hit(ruleInput, deployment, { span, why: `it releases ${name === '' ? 'something' : name} to others` }),
  ];
};

/** Judges messages. */
export const judgeMessage: Judge = ({ span }, ruleInput) => [
  hit(ruleInput, externalMessage, { span, why: 'it sends a message' }),
];
