// The query guard: what a query that a model wrote may ask of a source, whatever the language it is written in.

import type { Settings } from '../../config/settings.ts';
import type { Source } from '../../config/sources.ts';
import {
  type ActionOf,
  type Database,
  type DatabaseSchema,
  type Estimate,
  type Finding,
  type Guard,
  type GuardInput,
  type Judgement,
  type Mode,
  once,
} from '../../core/index.ts';
import type { QueryFacts, Reading } from './facts.ts';
import { languages } from './languages.ts';
import { explainQuery, riskOf, sensitiveFields } from './risk.ts';
import { approvalFindings, approvalRules } from './rules/approval.ts';
import { estimateFindings, limitFindings, limitRule, limitRules } from './rules/limits.ts';
import { nameFindings, nameRules } from './rules/names.ts';
import { natureFindings, natureRules } from './rules/nature.ts';
import { operationFindings, operationRules } from './rules/operations.ts';
import { found } from './rules/rule.ts';

type Input = GuardInput<Settings>;
type Query = ActionOf<'query'>;

/** Judges queries to the sources of the configuration. */
export const queryGuard: Guard<'query', Settings> = {
  name: 'query',
  kinds: ['query'],
  rules: [natureRules, operationRules, nameRules, limitRules, approvalRules].flatMap((rules) =>
    Object.values(rules),
  ),
  check,
};

async function check(action: Query, input: Input): Promise<Judgement<'query'>> {
  const refuse = (finding: Finding): Judgement<'query'> => ({
    facts: { target: action.target },
    findings: [finding],
    sideEffect: true,
  });
  const source = input.settings.sources.find(({ name }) => name === action.target);
  if (source === undefined || languages[source.kind] !== action.language) {
    return refuse({ ...found(natureRules.source_unknown, 'There is no such source.'), pointer: '/target' });
  }
  const { mode } = source;
  if (!mode.enabled) {
    return refuse({ ...found(natureRules.source_disabled, 'It takes no queries.'), pointer: '/target' });
  }
  if (action.text.length > mode.maxLength) {
    const message = `It has ${action.text.length} characters; ${mode.maxLength} are allowed.`;
    return refuse(found(natureRules.query_too_long, message));
  }
  input.budget.spend(100 + action.text.length);
  const { world } = input;
  const schema = source.schema === null ? null : (world.schemaText ?? world.readText)(source.schema);
  if (schema === null && source.schema !== null) {
    return refuse(found(natureRules.schema_missing, 'Its schema cannot be read.'));
  }
  const database = source.kind === 'postgres' ? (world.database?.(source) ?? null) : null;
  const live = (await database?.schema()) ?? null;
  const reading = await read(action, source, { schema, live: live?.text ?? null }, input);
  if ('unreadable' in reading) {
    const { rule, message, span } = reading.unreadable;
    return refuse(found(limitRule.get(rule) ?? natureRules.query_invalid, message, span));
  }
  return await judged(action, reading.facts, source, { database, live }, input.context.mode);
}

/** A database that is asked, and what it said of its tables. */
interface Asked {
  readonly database: Database | null;
  readonly live: DatabaseSchema | null;
}

async function judged(
  action: Query,
  facts: QueryFacts,
  source: Source,
  { database, live }: Asked,
  permission: Mode,
): Promise<Judgement<'query'>> {
  const refusals = refusalsOf(facts, source);
  // INVARIANT: only a statement whose every function is known reaches the planner, which runs some of them.
  const isPlanned = refusals.length === 0 && live !== null && hasPlan(facts);
  const estimate = isPlanned
    ? told((await database?.estimate(action.text, action.variables ?? {})) ?? null, source)
    : null;
  const more = estimateFindings(estimate, source.mode);
  const judgement = judgementOf(
    action,
    facts,
    source,
    { refusals: [...refusals, ...more], estimate },
    permission,
  );
  return live === null ? judgement : { ...judgement, facts: { ...judgement.facts, catalog: live.digest } };
}

/** An estimate as it may be shown: how many rows a table of many tenants has is not the business of one of them. */
function told(estimate: Estimate | null, { mode }: Source): Estimate | null {
  if (estimate === null || 'refused' in estimate || mode.sql.tenantColumn === null) return estimate;
  const { total: _, ...rest } = estimate;
  return rest;
}

/** Whether a statement has a plan. */
function hasPlan({ operations, flags }: QueryFacts): boolean {
  const verbs = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'];
  return operations.every(({ verb }) => verbs.includes(verb)) && !flags.has('schema_change');
}

function refusalsOf(facts: QueryFacts, { mode, name }: Source): readonly Finding[] {
  return [
    ...natureFindings(facts, mode, name),
    ...operationFindings(facts, mode),
    ...nameFindings(facts, mode),
    ...limitFindings(facts, mode),
  ];
}

function judgementOf(
  action: Query,
  facts: QueryFacts,
  { mode, name }: Source,
  { refusals, estimate }: { readonly refusals: readonly Finding[]; readonly estimate: Estimate | null },
  permission: Mode,
): Judgement<'query'> {
  const sensitive = sensitiveFields(facts, mode);
  const risk = riskOf(facts, mode, estimate, sensitive);
  const explanation = explainQuery(facts, estimate, sensitive);
  return {
    facts: {
      target: name,
      server: mode.serverId,
      language: facts.language,
      action: facts.action,
      risk,
      explanation,
      // With values, for who decides; it is not written down.
      detail: explainQuery(facts, estimate, sensitive, 'full'),
      operations: facts.operations.map((operation) => operation.name),
      verbs: [...new Set(facts.operations.map(({ verb }) => verb))],
      relations: facts.relations,
      fields: facts.fields,
      inputs: facts.inputs,
      functions: facts.functions,
      sensitive,
      depth: facts.depth,
      selections: facts.selections,
      aliases: facts.aliases,
      directives: facts.directives,
      cost: facts.cost,
      joins: facts.joins,
      ...(facts.rows === null ? {} : { rows: facts.rows }),
      ...(estimate === null || 'refused' in estimate ? {} : { estimate }),
      flags: [...facts.flags].sort(),
      canonical: facts.canonical,
    },
    findings: refusals.length > 0 ? refusals : approvalFindings(facts, risk, explanation, mode, permission),
    sideEffect: facts.action !== 'read',
    // Two spellings of one query are one question; its variables stay as they are given.
    binding: { ...action, text: facts.canonical },
  };
}

// The readers, each loaded with the first query of its language.
const loadGraphql = once(() => Promise.all([import('./graphql/schema.ts'), import('./graphql/read.ts')]));
const loadRest = once(() => import('./rest/read.ts'));
const loadSql = once(() => import('./sql/read.ts'));

async function read(
  { text, variables = {} }: Query,
  source: Source,
  { schema, live }: { readonly schema: string | null; readonly live: string | null },
  { budget, world, context }: Input,
): Promise<Reading> {
  const { mode, kind } = source;
  switch (kind) {
    case 'graphql': {
      const [{ schemaFrom }, { readGraphql }] = await loadGraphql();
      const { graphql, schema: built } = await schemaFrom(schema ?? '');
      return readGraphql(graphql, { text, variables, schema: built, mode, budget });
    }
    case 'rest': {
      const { readRest } = await loadRest();
      return readRest({ text, schema: schema ?? '', url: source.url, schemas: world.schemas, mode, budget });
    }
    default: {
      const { readSql } = await loadSql();
      const { readers } = world;
      return readSql(kind, { text, schema, live, mode, budget, readers, tenant: context.tenant });
    }
  }
}
