// Reads the policies of a file: each must parse, fit the schema and be able to apply, or the file is refused.

import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import { ConfigError, type ConfigProblem, type PolicySource } from '../config/index.ts';
import { nearest, visible } from '../core/index.ts';
import { asksWhatIsIn, type ContextUse, contextUse } from './reads.ts';
import type { Entity } from './request.ts';
import { type Cedar, loadCedar, schemaText } from './schema.ts';
import { serverPrefix } from './server.ts';

// ── Finds the policies in a Cedar file: each ends with a semicolon outside of strings and comments.

interface Statement {
  readonly text: string;
  /** UTF-16 offset in the file. */
  readonly start: number;
}

/** Text between policies, or that may contain a semicolon; anything else is skipped one character at a time. */
const token = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|;|\s+|./gs;

/** The policies of a file, in their order; text after the last semicolon counts as one too. */
export function statementsOf(file: string): readonly Statement[] {
  const statements: Statement[] = [];
  let start: number | undefined;
  for (const { 0: found, index } of file.matchAll(token)) {
    const idle = found.startsWith('//') || found.trim() === '';
    if (start === undefined && !idle) start = index;
    if (found !== ';' || start === undefined) continue;
    statements.push({ text: file.slice(start, index + 1), start });
    start = undefined;
  }
  if (start !== undefined) statements.push({ text: file.slice(start), start });
  return statements;
}

const annotation = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|@\s*([A-Za-z_]\w*)|./gs;

/** The UTF-16 offset of an annotation in a policy; 0 where it is not found. */
function annotationAt(policy: string, name: string): number {
  for (const { 1: found, index } of policy.matchAll(annotation)) if (found === name) return index;
  return 0;
}

/** Line and column, from 1, of a UTF-16 offset. */
function placeOf(file: string, offset: number): { readonly line: number; readonly column: number } {
  const before = file.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** The UTF-16 offset of an offset in UTF-8 bytes, which is how the engine counts. */
function fromBytes(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString().length;
}

// ── the compiler

export interface CompiledPolicy {
  readonly id: string;
  /** Its author: built-in, the sources', or a user's own. */
  readonly level: 'baseline' | 'server' | 'custom';
  readonly text: string;
  readonly effect: 'permit' | 'forbid';
  /** The decision of a forbid that applies. */
  readonly decision: 'approve' | 'block';
  readonly message: string;
  readonly scope: Scope;
  /** The parts of the context that it reads; null: possibly all of it. */
  readonly reads: ContextUse | null;
  /** Whether it asks what something is in. */
  readonly climbs: boolean;
  /** The position of its begin in its file. */
  readonly line: number;
  readonly column: number;
}

export interface PolicyProblem extends ConfigProblem {
  /** The id of the policy, where it has got that far. */
  readonly policy: string | null;
}

/** The head of a policy in Cedar's JSON form, as far as slicing reads it. */
export interface Scope {
  readonly principal: EntityScope;
  readonly action: ActionScope;
  readonly resource: EntityScope;
}

type Uid = Entity | { readonly __entity: Entity };
export type InScope = { readonly entity: Uid } | { readonly slot: string };

export type EntityScope =
  | { readonly op: 'All' }
  | ({ readonly op: '==' } & InScope)
  | ({ readonly op: 'in' } & InScope)
  | { readonly op: 'is'; readonly entity_type: string; readonly in?: InScope };

export type ActionScope =
  | { readonly op: 'All' }
  | ({ readonly op: '==' } & InScope)
  | { readonly op: 'in'; readonly entity: Uid }
  | { readonly op: 'in'; readonly entities: readonly Uid[] };

/** The result for one file. */
export interface CompiledSource {
  readonly source: PolicySource;
  readonly policies: readonly CompiledPolicy[];
  readonly problems: readonly PolicyProblem[];
}

const mostPolicies = 5000;
const annotationNames = ['id', 'decision', 'reason'] as const;
const idPattern = /^[A-Za-z0-9][\w.:/-]{0,159}$/;
const longestReason = 500;

const compiled = new WeakMap<PolicySource, Promise<CompiledSource>>();

/** Reads a file once; its problems are in the result. */
export function compileSource(source: PolicySource): Promise<CompiledSource> {
  let found = compiled.get(source);
  if (found === undefined) {
    found = loadCedar().then((cedar) => compile(cedar, source));
    compiled.set(source, found);
    // An engine that could not be loaded may be there next time.
    found.catch(() => compiled.delete(source));
  }
  return found;
}

/** The policies of several files as one list; throws `ConfigError` with everything that is wrong with them. */
export async function compileAll(sources: readonly PolicySource[]): Promise<readonly CompiledPolicy[]> {
  const read = await Promise.all(sources.map(compileSource));
  const problems = [
    ...read.flatMap(({ source, problems }) => shownProblems(source, problems)),
    ...clashes(read),
  ];
  if (problems.length > 0)
    throw new ConfigError(problems.join('\n'), { hint: "run 'sallyport policy check'" });
  return read.flatMap(({ policies }) => policies);
}

function shownProblems({ name }: PolicySource, problems: readonly PolicyProblem[]): readonly string[] {
  return problems.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`);
}

/** Ids that occur in more than one file: a finding must identify the owner. */
export function clashes(read: readonly CompiledSource[]): readonly string[] {
  const owner = new Map<string, string>();
  return read.flatMap(({ source, policies }) =>
    policies.flatMap(({ id }) => {
      const before = owner.get(id);
      owner.set(id, source.name);
      return before === undefined || before === source.name
        ? []
        : [`${source.name}: the id "${id}" stands in ${before} too; give one of them an @id of its own`];
    }),
  );
}

function compile(cedar: Cedar, source: PolicySource): CompiledSource {
  const problems: PolicyProblem[] = [];
  const policies = new Map<string, { readonly policy: CompiledPolicy; readonly statement: Statement }>();
  const report = (statement: Statement, offset: number, message: string, policy: string | null = null) => {
    problems.push({ ...placeOf(source.text, statement.start + offset), message: visible(message), policy });
  };
  const statements = statementsOf(source.text);
  const [first] = statements;
  if (first === undefined)
    problems.push({ line: 1, column: 1, message: 'there is no policy in it', policy: null });
  else if (source.id !== undefined && statements[1] !== undefined) {
    report(statements[1], 0, 'each policy is kept by itself');
    return { source, policies: [], problems };
  } else if (statements.length > mostPolicies) {
    report(first, 0, `there are more than ${mostPolicies} policies in it`);
    return { source, policies: [], problems };
  }
  for (const statement of statements) {
    const read = readPolicy(cedar, source, statement, (offset, message) =>
      report(statement, offset, message),
    );
    if (read === null) continue;
    if (policies.has(read.id)) report(statement, 0, `the id "${read.id}" stands twice`, read.id);
    else policies.set(read.id, { policy: read, statement });
  }
  const texts = Object.fromEntries([...policies.values()].map(({ policy }) => [policy.id, policy.text]));
  for (const { policyId, error } of validationProblems(cedar, texts, source)) {
    const statement = policies.get(policyId)?.statement;
    if (statement !== undefined) report(statement, offsetOf(statement, error), messageOf(error), policyId);
  }
  return { source, policies: [...policies.values()].map(({ policy }) => policy), problems };
}

function readPolicy(
  cedar: Cedar,
  source: PolicySource,
  statement: Statement,
  report: (offset: number, message: string) => void,
): CompiledPolicy | null {
  const answer = cedar.policyToJson(statement.text);
  if (answer.type === 'failure') {
    for (const error of answer.errors) report(offsetOf(statement, error), messageOf(error));
    return null;
  }
  const { effect, annotations = {}, principal, action, resource, conditions } = answer.json;
  const problems = annotationProblems(annotations, effect, source);
  for (const { name, message } of problems) report(annotationAt(statement.text, name), message);
  if (problems.length > 0) return null;
  const { id, decision, reason } = annotations;
  const place = placeOf(source.text, statement.start);
  const named = source.id ?? id ?? `${visible(baseName(source.name), 100)}:${place.line}`;
  return {
    id: named,
    level: source.level ?? 'custom',
    text: statement.text,
    effect,
    decision: decision === 'approve' ? 'approve' : 'block',
    message: messageFor(source, named, reason),
    scope: { principal, action, resource },
    reads: contextUse(conditions),
    climbs: asksWhatIsIn({ principal, action, resource, conditions }),
    ...place,
  };
}

interface AnnotationProblem {
  readonly name: string;
  readonly message: string;
}

function unknownAnnotations(annotations: Readonly<Record<string, string>>): readonly AnnotationProblem[] {
  const unknown = Object.keys(annotations).filter((name) => !annotationNames.some((known) => known === name));
  return unknown.map((name) => {
    const near = nearest(name, annotationNames);
    const hint = near === undefined ? '' : `; did you mean @${near}?`;
    return { name, message: `unknown annotation @${name}${hint}` };
  });
}

/** The problems of the annotations of a policy, or of its effect in this place. */
function annotationProblems(
  annotations: Readonly<Record<string, string>>,
  effect: CompiledPolicy['effect'],
  source: PolicySource,
): readonly AnnotationProblem[] {
  const { id, decision, reason } = annotations;
  const problems = [...unknownAnnotations(annotations)];
  const refuse = (name: string, message: string) => problems.push({ name, message });
  if (id !== undefined && !idPattern.test(id)) refuse('id', 'an @id has letters, digits and _ . : / -');
  if (id !== undefined && source.id !== undefined && id !== source.id) {
    refuse('id', `it is kept as "${source.id}" and calls itself "${id}"`);
  }
  if (id?.startsWith(serverPrefix) && source.level !== 'server') {
    refuse('id', `an @id that begins with "${serverPrefix}" is of the sources of the configuration`);
  }
  if (decision !== undefined && decision !== 'approve' && decision !== 'block') {
    refuse('decision', '@decision is "approve" or "block"');
  }
  if (decision !== undefined && effect === 'permit') refuse('decision', '@decision belongs to a forbid');
  if (reason !== undefined && (reason === '' || reason.length > longestReason)) {
    refuse('reason', `a @reason has 1 to ${longestReason} characters`);
  }
  if (source.workspace && effect === 'permit') refuse('', "a workspace's own policy may only forbid");
  return problems;
}

/** The message for the user; words from a workspace, which agents can write, are marked as such. */
function messageFor({ workspace }: PolicySource, id: string, reason: string | undefined): string {
  if (workspace) {
    const policy = `the workspace's policy "${id}"`;
    return reason === undefined ? `${policy} forbids it` : `${policy} forbids it: ${visible(reason)}`;
  }
  return reason === undefined ? `the policy "${id}" forbids it` : visible(reason);
}

function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** A policy that cannot apply, or that looks like what it is not, counts as wrong: it would be silently off. */
function validationProblems(
  cedar: Cedar,
  policies: Readonly<Record<string, string>>,
  { level }: PolicySource,
) {
  const answer = cedar.validate({ schema: schemaText, policies: { staticPolicies: policies } });
  if (answer.type === 'failure') throw new ConfigError(answer.errors.map(messageOf).join('\n'));
  const { validationErrors, validationWarnings } = answer;
  // The same place is reported once, not once for every action; and an error often makes a policy impossible too.
  const places = new Set<string>();
  const wrong = validationErrors.filter(({ policyId, error }) => {
    const place = `${policyId} ${error.sourceLocations?.[0]?.start}`;
    return !places.has(place) && places.add(place);
  });
  // Names in the policies of sources are the user's own tables and fields, in whatever script.
  if (level === 'server') return wrong;
  const reported = new Set(wrong.map(({ policyId }) => policyId));
  return [
    ...wrong,
    ...validationWarnings.filter(({ policyId }) => !reported.has(policyId) && reported.add(policyId)),
  ];
}

function offsetOf({ text }: Statement, { sourceLocations }: DetailedError): number {
  return fromBytes(text, sourceLocations?.[0]?.start ?? 0);
}

function messageOf({ message, help, sourceLocations }: DetailedError): string {
  const plain = message
    .replace(/^for policy `[^`]*`, /, '')
    .replace(/^failed to parse policy from string: /, '')
    .replace(/ for Action::"[^"]*"/, '');
  const label = sourceLocations?.[0]?.label ?? null;
  return [plain, ...(label === null ? [] : [label]), ...(help === null ? [] : [help])].join('; ');
}
