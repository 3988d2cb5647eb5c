// Queries: GraphQL, SQL of three databases, and requests to an API, by the examples that the rules carry.

import { constants, DatabaseSync } from 'node:sqlite';
import { parse as parseGraphql } from 'graphql';
import type { ActionOf, Facts } from '../../../src/core/index.ts';
import { realWorld } from '../../../src/decide/index.ts';
import { api, graphqlSchema, tables } from '../../../src/guards/query/rules/examples.ts';
import { context, deciderOf, exampleActions, invariant, type Target, verdictText } from '../target.ts';

type Query = ActionOf<'query'>;

const examples = (await exampleActions('query')).flatMap((action) =>
  action.kind === 'query' ? [action] : [],
);

function textsIn(language: Query['language']): readonly string[] {
  return [...new Set(examples.filter((action) => action.language === language).map(({ text }) => text))];
}

interface Judged {
  readonly said: string;
  readonly passes: boolean;
  readonly facts: Facts;
}

function queryJudge(kind: string, language: Query['language'], schema: string) {
  const file = '/workspace/schema';
  const decider = deciderOf(['query'], {
    sources: { shop: { kind, schema: file, code_mode: {} } },
    files: { [file]: schema },
  });
  return async (text: string): Promise<Judged> => {
    const { verdict, facts } = await decider.decide(
      { kind: 'query', target: 'shop', language, text },
      context,
    );
    return {
      said: `${verdictText(verdict)} ${facts['canonical'] ?? ''}`,
      passes: verdict.decision === 'pass',
      facts,
    };
  };
}

const graphql: Target = {
  name: 'graphql',
  invariant: 'what passes can be parsed, and its canonical form passes with the same canonical form',
  words:
    'query mutation subscription fragment on { } ( ) : ! [ ] ... @include(if: @skip(if: @defer $id true false null """ # __schema __typename orders customers ssn first: 100 9007199254740993 \\u{1F4A3}'.split(
      ' ',
    ),
  seeds: textsIn('graphql'),
  cost: 550,
  open: () => {
    const judge = queryJudge('graphql', 'graphql', graphqlSchema);
    return async (text) => {
      const { said, passes, facts } = await judge(text);
      if (passes) {
        parseGraphql(text);
        const again = await judge(String(facts['canonical']));
        invariant(again.passes, 'its canonical form does not pass');
        invariant(again.facts['canonical'] === facts['canonical'], 'its canonical form has another');
      }
      return said;
    };
  },
};

const sqlWords =
  "SELECT INSERT UPDATE DELETE FROM WHERE WITH RECURSIVE AS ( ) , ; -- /* */ ' \" ` [ ] $$ $1 :id ? @v UNION ALL INTERSECT JOIN ON USING GROUP BY HAVING ORDER LIMIT 10 OFFSET INTO OUTFILE RETURNING FOR UPDATE VALUES SET CREATE DROP ALTER TRUNCATE GRANT COPY ATTACH PRAGMA EXPLAIN ANALYZE CALL DO EXECUTE PREPARE LOAD_FILE( pg_read_file( pg_sleep(1) load_extension( CASE WHEN END EXISTS IN NOT NULL IS :: E'\\x27' U&'' x'00' N'' /*! */ /*+ */ orders customers ssn tenant_id".split(
    ' ',
  );

const { readers } = realWorld();

function sqlTarget(kind: 'postgres' | 'mysql', cost: number): Target {
  return {
    name: kind,
    invariant: 'what passes can be parsed, and is the same with blanks around it',
    words: sqlWords,
    seeds: textsIn('sql'),
    cost,
    limit: 100,
    open: async () => {
      const judge = queryJudge(kind, 'sql', tables);
      const parse = await readers?.[kind]?.();
      if (parse === null || parse === undefined) throw new Error(`the grammar of ${kind} is not installed`);
      return async (text) => {
        const { said, passes, facts } = await judge(text);
        if (passes) {
          invariant('tree' in parse(text), 'it passes, and the grammar does not read it');
          await isSettled(judge, text, facts);
        }
        return said;
      };
    },
  };
}

/** Blanks around a statement change nothing. */
async function isSettled(
  judge: (text: string) => Promise<Judged>,
  text: string,
  facts: Facts,
): Promise<void> {
  const again = await judge(` ${text}\n`);
  invariant(again.passes, 'with blanks around it does not pass');
  invariant(again.facts['canonical'] === facts['canonical'], 'with blanks around it is another');
}

/** What SQLite itself may do for a statement that reads. */
const reading = new Set([
  constants.SQLITE_READ,
  constants.SQLITE_SELECT,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]);

const sqlite: Target = {
  name: 'sqlite',
  invariant: 'what passes as a read, SQLite itself prepares for reading alone, or does not understand',
  words: sqlWords,
  seeds: textsIn('sql'),
  cost: 800,
  limit: 100,
  open: () => {
    const judge = queryJudge('sqlite', 'sql', tables);
    const database = new DatabaseSync(':memory:');
    database.exec(tables);
    let asked: number[] = [];
    // Nothing is ever stepped: what a statement would do is asked when it is prepared.
    database.setAuthorizer((action) => {
      asked.push(action);
      return constants.SQLITE_OK;
    });
    return async (text) => {
      const { said, passes, facts } = await judge(text);
      if (passes && facts['action'] === 'read') {
        asked = [];
        let understood = true;
        try {
          database.prepare(text);
        } catch {
          understood = false;
        }
        const writes = asked.filter((action) => !reading.has(action));
        invariant(!understood || writes.length === 0, `SQLite would do ${writes}`);
        await isSettled(judge, text, facts);
      }
      return said;
    };
  },
};

const rest: Target = {
  name: 'rest',
  invariant: 'what passes is one JSON object with a method and an address of the API',
  words:
    '{ } " : , "method" "url" "headers" "body" "GET" "POST" "DELETE" "/orders" "/orders/1" /../ %2e%2e %2f ? & = # // \\\\ https://api.shop.example/v1 @ :443 ; limit=1'.split(
      ' ',
    ),
  seeds: textsIn('rest'),
  cost: 500,
  open: () => {
    const judge = queryJudge('rest', 'rest', api);
    return async (text) => {
      const { said, passes } = await judge(text);
      if (passes) {
        const { method = 'GET', url } = JSON.parse(text);
        const address = URL.parse(url, 'https://api.shop.example/v1/');
        invariant(address?.origin === 'https://api.shop.example', 'it passes, and goes elsewhere');
        invariant(/^(?:GET|HEAD)$/i.test(method), 'it passes without a question, and changes something');
        invariant(
          /^\/(?:v1\/)?orders(?:\/|$)/.test(address?.pathname ?? ''),
          'it passes, and is no operation',
        );
      }
      return said;
    };
  },
};

export const queryTargets: readonly Target[] = [
  graphql,
  sqlTarget('postgres', 750),
  sqlTarget('mysql', 700),
  sqlite,
  rest,
];
