// The files of one audit as modules that know each other, and what is known about them without following them.

import type { ModuleReader, ParseTree } from '../core/index.ts';
import { isTooDeep } from '../core/nesting.ts';
import { ParserMissing } from '../decide/packages.ts';
import type { Call, Callable, Counter, Expression, Module, Statement, Variable } from './ir.ts';
import { isTest, languageOf } from './languages.ts';
import { folderOf, type GoFile, lowerGo, packagePath } from './lower/go/index.ts';
import { lowerPython } from './lower/python/index.ts';
import { lowerTypescript } from './lower/typescript/index.ts';
import { sinkOf } from './roles/acts.ts';
import { type Kinds, kindsNamed } from './roles/guards.ts';
import { isOwner, namesTools } from './roles/names.ts';
import { type Effect, effectsOfName } from './roles/tools.ts';

export interface SourceFile {
  /** From the root of the audit, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Readers {
  go(): Promise<ParseTree>;
  python(): Promise<ParseTree>;
  modules(): Promise<Pick<ModuleReader, 'read'>>;
}

/** What may have to do with a model or with tools; other files are read only where one of these refers to them. */
export const hint =
  /openai|\bgenai\b|generativelanguage|anthropic|langchain|langgraph|@ai-sdk|from ['"]ai['"]|generateText|streamText|generateObject|chat\.completions|messages\.(create|stream)|responses\.create|generate_?content|litellm|ollama|bedrock|invoke_model|create_?message|\bllm\b|(call|ask|query|invoke|prompt)_?(model|llm)|language_?model|chat_?model|model\.(complete|generate|chat|invoke|ask|stream)|tool_?calls?\b|call_?tool\b|tool_use|v1\/(chat|messages)|sallyport_?middleware|guardrails|PromptInjectionDetector|SecretLeakDetector|ToolRegistry/i;

/** A module that uses the guards of this product. */
const guarded =
  /(from|import|require\()\s*['"]?sallyport|^\s*(import\s+)?(\w+\s+)?"([\w./-]+\/)?sallyport"$/m;

export class Program {
  readonly modules: readonly Module[];
  readonly #byPath: ReadonlyMap<string, Module>;
  readonly #tools = new Map<Module, boolean>();
  readonly #resolved = new Map<string, Module | null>();
  /** Names of tools that the program declares, and what they may do. */
  readonly toolEffects: ReadonlySet<Effect>;
  readonly toolNames: ReadonlySet<string>;
  /** Guards that are named somewhere, though perhaps nobody calls them. */
  readonly named: Kinds;

  constructor(modules: readonly Module[]) {
    this.modules = modules;
    this.#byPath = new Map(modules.map((module) => [module.path, module]));
    const names = new Set<string>();
    const effects = new Set<Effect>();
    let kinds = 0;
    for (const module of modules) {
      for (const { name } of module.imports) kinds |= kindsNamed(name);
      for (const { text } of module.comments) kinds |= kindsNamed(text);
      collectTools(module, names, effects);
    }
    for (const name of names) for (const effect of effectsOfName(name)) effects.add(effect);
    this.toolNames = names;
    this.toolEffects = effects;
    this.named = kinds;
  }

  /** Whether a module speaks of tools, other than in its comments. */
  hasTools(module: Module): boolean {
    const known = this.#tools.get(module);
    if (known !== undefined) return known;
    const code = module.comments.reduce((text, comment) => text.replace(comment.text, ''), module.source);
    const found = namesTools.test(code);
    this.#tools.set(module, found);
    return found;
  }

  /** The module that a specifier leads to, where it is part of the audit. */
  resolve(from: Module, specifier: string): Module | null {
    const key = `${from.path}\0${specifier}`;
    const known = this.#resolved.get(key);
    if (known !== undefined) return known;
    const found = candidates(from.path, specifier, from.language)
      .map((path) => this.#byPath.get(path))
      .find((module) => module !== undefined);
    this.#resolved.set(key, found ?? null);
    return found ?? null;
  }

  /** The variable of another module that a name of it stands for. */
  offered = (from: Module, specifier: string, name: string, depth = 0): Variable | undefined => {
    const target = this.resolve(from, specifier);
    const offer = target?.offers.get(name);
    if (target === null || depth > 8) return undefined;
    if (offer !== undefined && 'variable' in offer) return offer.variable;
    if (offer !== undefined && 'from' in offer)
      return this.offered(target, offer.from, offer.name, depth + 1);
    return target.stars
      .map((star) => this.offered(target, star, name, depth + 1))
      .find((variable) => variable !== undefined);
  };
}

/** Where a specifier may lead, from the root of the audit. */
function candidates(from: string, specifier: string, language: Module['language']): readonly string[] {
  const folder = from.split('/').slice(0, -1);
  if (language === 'python') {
    const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(specifier) ?? [];
    const parts = rest === '' ? [] : rest.split('.');
    const bases =
      dots === ''
        ? folder.map((_, index) => folder.slice(0, folder.length - index)).concat([[]])
        : [folder.slice(0, folder.length - (dots.length - 1))];
    return bases.flatMap((base) => {
      const path = [...base, ...parts].join('/');
      return [`${path}.py`, `${path}/__init__.py`];
    });
  }
  if (language === 'go') return goCandidates(folder, specifier);
  if (!specifier.startsWith('.')) return [];
  const parts = [...folder];
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const path = parts.join('/');
  const bare = path.replace(/\.[cm]?jsx?$/, '');
  const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];
  return [
    path,
    ...[bare, path].flatMap((base) => endings.flatMap((end) => [`${base}${end}`, `${base}/index${end}`])),
  ];
}

/** A file of the same folder, or a package: the folder that the end of its path names, the longest first. */
function goCandidates(folder: readonly string[], specifier: string): readonly string[] {
  if (specifier.startsWith('./')) return [[...folder, specifier.slice(2)].join('/')];
  if (othersPackages.test(specifier)) return [];
  const parts = specifier.split('/');
  // A host, an owner and a repository, or the name of a module alone; the rest are folders.
  const first = parts[0]?.includes('.') === true ? 3 : 1;
  const folders = parts.slice(first);
  return folders.map((_, index) => packagePath(folders.slice(index).join('/')));
}

/** Packages of the standard library, and of those whose libraries are known. */
const othersPackages =
  /^(archive|bufio|bytes|compress|container|context|crypto|database|encoding|errors|expvar|flag|fmt|go|hash|html|image|index|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|strings|sync|syscall|testing|text|time|unicode|unique|unsafe)(\/|$)|^(google\.golang|golang|gopkg)\.\w+\/|^github\.com\/(openai|anthropics|sashabaranov|tmc|ollama|google|aws|cohere-ai|mark3labs|modelcontextprotocol|gin-gonic|labstack|gofiber|go-chi|slack-go|stretchr|spf13|jackc|redis)\//;

const importLike =
  /(?:from|import|require)\s{0,64}\(?\s{0,64}['"](\.[^'"\n]+)['"]|^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import|^[ \t]*import[ \t]+([\w.]+)/gm;

/** The files that have to do with a model or tools, with all that they use and all that use them. */
export function concerned(files: readonly SourceFile[]): readonly SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const uses = new Map<string, string[]>();
  const usedBy = new Map<string, string[]>();
  const relate = (path: string, target: string) => {
    (uses.get(path) ?? uses.set(path, []).get(path))?.push(target);
    (usedBy.get(target) ?? usedBy.set(target, []).get(target))?.push(path);
  };
  relatePackages(files, relate);
  for (const { path, text } of files) {
    const language = languageOf(path);
    if (language === undefined || language === 'go') continue;
    for (const [, script, from, plain] of text.matchAll(importLike)) {
      const specifier = script ?? from ?? plain ?? '';
      if (specifier === '' || (language === 'python') === (script !== undefined)) continue;
      const target = candidates(path, specifier, language).find((candidate) => byPath.has(candidate));
      if (target === undefined) continue;
      relate(path, target);
    }
  }
  const seeds = files
    .filter(({ path, text }) => !isTest(path) && (hint.test(text) || guarded.test(text)))
    .map(({ path }) => path);
  const reach = (edges: ReadonlyMap<string, readonly string[]>, from: Iterable<string>): Set<string> => {
    const seen = new Set(from);
    const open = [...seen];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      for (const next of edges.get(path) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    return seen;
  };
  const users = [...reach(usedBy, seeds)].filter((path) => !isTest(path));
  const around = reach(uses, users);
  return files.filter(({ path }) => around.has(path));
}

/** Files of Go use those of their folder, and those of the packages that they import. */
function relatePackages(files: readonly SourceFile[], relate: (path: string, target: string) => void): void {
  const go = files.filter(({ path }) => languageOf(path) === 'go');
  const packages = Map.groupBy(go, ({ path }) => packagePath(folderOf(path)));
  for (const { path, text } of go) {
    const beside = packages.get(packagePath(folderOf(path))) ?? [];
    // A test may use all of its folder, and nothing there uses it.
    for (const other of beside) if (other.path !== path && !isTest(other.path)) relate(path, other.path);
    for (const [, specifier = ''] of text.matchAll(
      /^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w.@~/-]+)"\s*(?:\/\/.*)?$/gm,
    )) {
      const target = goCandidates([], specifier).find((candidate) => packages.has(candidate));
      for (const other of packages.get(target ?? '') ?? []) if (!isTest(other.path)) relate(path, other.path);
    }
  }
}

/** Reads files into modules, and reports each to `told`. */
export async function readProgram(
  files: readonly SourceFile[],
  readers: Readers,
  told: () => void = () => {},
): Promise<Program> {
  const counter: Counter = { next: 1 };
  const modules: Module[] = [];
  const go: GoFile[] = [];
  for (const { path, text } of files) {
    try {
      if (isTooDeep(text)) throw new RangeError('too deep');
      const language = languageOf(path);
      if (language === 'go') go.push({ path, source: text, root: (await readers.go())(text) });
      else
        modules.push(
          language === 'python'
            ? lowerPython(path, text, await readers.python(), counter)
            : lowerTypescript(path, text, await readers.modules(), counter),
        );
    } catch (error) {
      // Without its parser nothing is proved of any file, and an audit that proves nothing must not look like one.
      if (error instanceof ParserMissing) throw error;
      modules.push(unreadable(path, text, error));
    }
    told();
  }
  return new Program([...modules, ...lowerGo(go, counter)]);
}

function unreadable(path: string, source: string, error: unknown): Module {
  const message = error instanceof RangeError ? 'it is nested too deeply' : 'its parser failed';
  return {
    path,
    language: languageOf(path) ?? 'typescript',
    source,
    body: [],
    imports: [],
    offers: new Map(),
    names: new Map(),
    stars: [],
    callables: [],
    comments: [],
    broken: [{ message, at: 0 }],
  };
}

// ── looking through a tree

type Visit = (node: Expression) => void;

/** Calls `visit` for every expression of a block, those of functions inside included. */
export function eachExpression(block: readonly Statement[], visit: Visit): void {
  for (const statement of block) inStatement(statement, visit);
}

function inStatement(statement: Statement, visit: Visit): void {
  switch (statement.kind) {
    case 'do':
    case 'let':
    case 'return':
    case 'throw':
      if (statement.value !== null) inExpression(statement.value, visit);
      return;
    case 'branch':
      inExpression(statement.test, visit);
      eachExpression(statement.yes, visit);
      eachExpression(statement.no, visit);
      return;
    case 'switch':
      inExpression(statement.value, visit);
      for (const { test, body } of statement.arms) {
        if (test !== null) inExpression(test, visit);
        eachExpression(body, visit);
      }
      return;
    case 'while':
      inExpression(statement.test, visit);
      if (statement.update !== null) inExpression(statement.update, visit);
      eachExpression(statement.body, visit);
      return;
    case 'each':
      inExpression(statement.over, visit);
      eachExpression(statement.body, visit);
      return;
    case 'try':
      eachExpression(statement.body, visit);
      eachExpression(statement.handler ?? [], visit);
      eachExpression(statement.last, visit);
  }
}

export function inExpression(expression: Expression, visit: Visit): void {
  visit(expression);
  for (const part of partsOf(expression)) inExpression(part, visit);
  if (expression.kind === 'function') eachExpression(expression.function.body, visit);
  if (expression.kind === 'class') {
    for (const { body } of expression.class.methods.values()) eachExpression(body, visit);
    for (const { value } of expression.class.fields) if (value !== null) inExpression(value, visit);
  }
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'member':
      return expression.key === undefined ? [expression.object] : [expression.object, expression.key];
    case 'call':
      return [expression.callee, ...expression.arguments.map(({ value }) => value)];
    case 'await':
    case 'not':
    case 'yield':
      return [expression.value];
    case 'assign':
      return expression.target.kind === 'member' ? [expression.target, expression.value] : [expression.value];
    case 'object':
      return expression.entries.map(({ value }) => value);
    case 'list':
      return expression.items.map(({ value }) => value);
    case 'mix':
      return expression.parts;
    case 'logic':
    case 'compare':
      return [expression.left, expression.right];
    case 'choice':
      return [expression.test, expression.yes, expression.no];
    default:
      return [];
  }
}

/** How a callee is written, as `a.b.c`; empty where it is no name. */
export function written(expression: Expression): string {
  switch (expression.kind) {
    case 'variable':
    case 'global':
      return expression.name;
    case 'this':
      return 'this';
    case 'member': {
      const object = written(expression.object);
      return expression.property === null
        ? object
        : object === ''
          ? expression.property
          : `${object}.${expression.property}`;
    }
    case 'call': {
      const made = written(expression.callee);
      return made === '' ? '' : `${made}()`;
    }
    case 'await':
      return written(expression.value);
    default:
      return '';
  }
}

// ── tools

const besideName: ReadonlySet<string> = new Set([
  ...[
    'description',
    'parameters',
    'input_schema',
    'inputSchema',
    'schema',
    'handler',
    'execute',
    'run',
    'func',
    'fn',
  ],
  ...['function', 'effect', 'args_schema', 'callback', 'input'],
]);

/** Tools that a module declares: by a name beside a description, in a table of tools, by a decorator. */
function collectTools(module: Module, names: Set<string>, effects: Set<Effect>): void {
  const declare = (name: string, callable?: Callable) => {
    names.add(name);
    if (callable !== undefined) for (const effect of effectsOf(callable)) effects.add(effect);
  };
  const table = (expression: Expression) => {
    if (expression.kind !== 'object') return;
    for (const { key, value } of expression.entries) {
      if (key !== null) declare(key, value.kind === 'function' ? value.function : undefined);
    }
  };
  const look = (expression: Expression) => {
    if (expression.kind === 'object') {
      const keys = new Set(expression.entries.map(({ key }) => key));
      const named = expression.entries.find(({ key }) => key === 'name')?.value;
      const declared = [...keys].some((key) => key !== null && besideName.has(key));
      if (named?.kind === 'constant' && typeof named.value === 'string' && declared) declare(named.value);
      if (declared && [...keys].some((key) => key !== null && isOwner(key))) effects.add('owner');
      for (const { key, value } of expression.entries) if (key === 'tools') table(value);
      const properties = expression.entries.find(({ key }) => key === 'properties')?.value;
      if (
        properties?.kind === 'object' &&
        properties.entries.some(({ key }) => key !== null && isOwner(key))
      ) {
        effects.add('owner');
      }
    }
    if (expression.kind === 'call') toolCall(expression, declare);
  };
  for (const statement of module.body) {
    if (statement.kind === 'let' && statement.value !== null && statement.target.kind === 'variable') {
      if (/tool|handler|action|function/i.test(statement.target.name)) table(statement.value);
    }
    if (
      statement.kind === 'do' &&
      statement.value.kind === 'assign' &&
      statement.value.target.kind === 'variable'
    ) {
      if (/tool|handler|action|function/i.test(statement.value.target.name)) table(statement.value.value);
    }
  }
  eachExpression(module.body, look);
  for (const callable of module.callables) {
    const marked = callable.decorators.some((decorator) =>
      /(^|\.)(tool|function_tool|register\w*|action)(\(\))?$/.test(written(decorator)),
    );
    if (!marked) continue;
    declare(callable.name, callable);
    if (callable.parameters.some(({ name }) => isOwner(name))) effects.add('owner');
  }
}

/** `tools.register('name', …)`, `tool(…, { name })`. */
function toolCall(call: Call, declare: (name: string, callable?: Callable) => void): void {
  if (!/(^|\.)(register(_?tool)?|add_?tool|tool|define_?tool)$/i.test(written(call.callee))) return;
  const callables = call.arguments.flatMap(({ value }) =>
    value.kind === 'function' ? [value.function] : [],
  );
  for (const { value } of call.arguments) {
    if (value.kind === 'constant' && typeof value.value === 'string' && /^[\w.-]+$/.test(value.value)) {
      declare(value.value, callables[0]);
    }
  }
}

/** What the body of a tool does, as far as its calls tell by name. */
export function effectsOf(callable: Callable): ReadonlySet<Effect> {
  const found = new Set<Effect>(effectsOfName(callable.name));
  const imported = new Map(
    callable.module.imports.map(({ variable, from, name }) => [variable, `${from}:${name}`]),
  );
  eachExpression(callable.body, (expression) => {
    if (expression.kind !== 'call') return;
    const sink = sinkOf(staticPath(expression.callee, imported));
    if (sink === 'write' || sink === 'http') found.add(sink);
    if (sink === 'delete') found.add('write').add('delete');
    if (sink === 'message') found.add('message');
    if (sink === 'interpret') found.add('write').add('delete');
  });
  for (const { name } of callable.parameters) if (isOwner(name)) found.add('owner');
  return found;
}

function staticPath(expression: Expression, imported: ReadonlyMap<number, string>): string {
  switch (expression.kind) {
    case 'variable':
      return imported.get(expression.variable) ?? `:${expression.name}`;
    case 'global':
      return `:${expression.name}`;
    case 'member':
      return `${staticPath(expression.object, imported)}.${expression.property ?? '*'}`;
    case 'call':
      return `${staticPath(expression.callee, imported)}()`;
    case 'await':
      return staticPath(expression.value, imported);
    default:
      return ':';
  }
}
