// Loads the parsers of Python and JavaScript on first use; without them their code is only known to be code.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  JavascriptNode,
  ModuleOffers,
  ModuleReader,
  ModuleVisitors,
  ReadCode,
  ReadModule,
} from '../core/index.ts';
import type { ParseJavascript } from '../guards/command/javascript/tree.ts';
import type { ParsePython, PythonNode } from '../guards/command/python/tree.ts';
import { find, ParserMissing, type ParserOptions } from './packages.ts';

/** What of web-tree-sitter is used here. */
interface TreeSitter {
  readonly Parser: {
    /** What is given becomes the runtime itself. */
    init(options: TreeSitterRuntime): Promise<void>;
    new (): TreeSitterParser;
  };
  readonly Language: { load(wasm: Uint8Array): Promise<unknown> };
}
interface TreeSitterRuntime {
  readonly wasmBinary: Uint8Array;
  readonly HEAP_DATA_VIEW?: DataView;
  getValue?(at: number, type: string): number;
  setValue?(at: number, value: number, type: string): void;
}
interface TreeSitterParser {
  setLanguage(language: unknown): void;
  parse(source: string): TreeSitterTree | null;
}
interface TreeSitterTree {
  walk(): TreeSitterCursor;
  delete(): void;
}
interface TreeSitterCursor {
  readonly nodeType: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly nodeIsMissing: boolean;
  readonly currentFieldName: string | null;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
  delete(): void;
}

/** What of oxc-parser is used here. */
interface Oxc {
  rawTransferSupported(): boolean;
  parseSync(
    name: string,
    source: string,
    options: OxcOptions & { readonly experimentalLazy: true },
  ): LazyModule;
  parseSync(name: string, source: string, options: OxcOptions): OxcModule;
  readonly Visitor: new (
    visitors: ModuleVisitors,
  ) => {
    visit(program: JavascriptNode): void;
  };
}

interface OxcOptions {
  readonly lang: string;
  readonly sourceType: string;
  readonly preserveParens: boolean;
  readonly experimentalRawTransfer?: boolean;
}

interface OxcModule extends Omit<ReadModule, 'visit'> {
  readonly errors: readonly {
    readonly message: string;
    readonly labels: readonly { readonly start: number; readonly end: number }[];
  }[];
}

/** A module whose tree is not made. */
interface LazyModule {
  readonly errors: readonly unknown[];
  readonly module: {
    readonly hasModuleSyntax: boolean;
    readonly staticExports: readonly {
      readonly entries: readonly {
        /** A place without a text is that of `default`. */
        readonly exportName: string | { readonly value?: string };
        readonly importName: string | object;
        readonly moduleRequest: { readonly value: string } | null;
      }[];
    }[];
  };
  /** Gives the memory back; nothing may be read of it afterwards. */
  dispose(): void;
}

/** Makes the reader of Python. Takes some 50 ms; call it once and keep the answer. */
export async function loadPython(options: ParserOptions = {}): Promise<ParsePython> {
  const runtime = find<TreeSitter>('web-tree-sitter', options);
  const grammar = find<unknown>('tree-sitter-python', options);
  try {
    const { Parser, Language } = runtime.load();
    const memory: TreeSitterRuntime = {
      wasmBinary: readFileSync(join(runtime.folder, 'web-tree-sitter.wasm')),
    };
    await Parser.init(memory);
    quicken(memory);
    const parser = new Parser();
    parser.setLanguage(await Language.load(readFileSync(join(grammar.folder, 'tree-sitter-python.wasm'))));
    return (source) => {
      const tree = parser.parse(source);
      if (!tree) throw new ParserMissing('The parser of Python gave no tree');
      const cursor = tree.walk();
      try {
        return copy(cursor, source);
      } finally {
        cursor.delete();
        tree.delete();
      }
    };
  } catch (error) {
    if (error instanceof ParserMissing) throw error;
    throw new ParserMissing('The parser of Python does not start', { cause: error });
  }
}

/**
 * Every step of a cursor writes four numbers into the parser's memory and reads four, each with a look at the name of
 * their type that costs more than the step. What is not such a number, and a runtime without this, stay as they are.
 */
function quicken(runtime: TreeSitterRuntime): void {
  const { getValue, setValue } = runtime;
  if (runtime.HEAP_DATA_VIEW === undefined || getValue === undefined || setValue === undefined) return;
  runtime.getValue = (at, type) =>
    type === 'i32' ? (runtime.HEAP_DATA_VIEW?.getInt32(at, true) ?? 0) : getValue(at, type);
  runtime.setValue = (at, value, type) => {
    if (type === 'i32') runtime.HEAP_DATA_VIEW?.setInt32(at, value, true);
    else setValue(at, value, type);
  };
}

/** Copies a tree out of the parser's memory, without descending by calls: a tree may be very deep. */
function copy(cursor: TreeSitterCursor, source: string): PythonNode {
  const root = new Copied(cursor, source);
  const path: Copied[] = [root];
  if (!cursor.gotoFirstChild()) return root;
  for (;;) {
    const node = new Copied(cursor, source);
    path.at(-1)?.children.push(node);
    if (cursor.gotoFirstChild()) {
      path.push(node);
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      cursor.gotoParent();
      path.pop();
      if (path.length === 0) return root;
    }
  }
}

class Copied implements PythonNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly children: Copied[] = [];
  readonly #source: string;
  readonly #field: string | null;

  constructor(cursor: TreeSitterCursor, source: string) {
    this.#field = cursor.currentFieldName;
    this.start = cursor.startIndex;
    this.end = cursor.endIndex;
    // What the parser missed has no length.
    this.type = this.start === this.end && cursor.nodeIsMissing ? 'ERROR' : cursor.nodeType;
    this.#source = source;
  }

  get text(): string {
    return this.#source.slice(this.start, this.end);
  }

  field(name: string): PythonNode | null {
    return this.children.find((child) => child.#field === name) ?? null;
  }
}

/** Makes the reader of JavaScript and TypeScript. */
export function loadJavascript(options: ParserOptions = {}): ParseJavascript {
  const parser = loadOxc(options);
  return (source) => {
    const read = (lang: string, sourceType: string): OxcModule =>
      parser.parseSync(`code.${lang}`, source, { lang, sourceType, preserveParens: false });
    const first = read('js', 'unambiguous');
    const result =
      first.errors.length === 0 ? first : better(first, read('js', 'commonjs'), read('ts', 'unambiguous'));
    return { program: result.program, errors: result.errors.map(({ message }) => message) };
  };
}

/** The reading with the fewest errors. */
function better<Reading extends { readonly errors: readonly unknown[] }>(
  first: Reading,
  ...others: readonly Reading[]
): Reading {
  return others.reduce((best, other) => (other.errors.length < best.errors.length ? other : best), first);
}

function loadOxc(options: ParserOptions): Oxc {
  const { load } = find<Oxc>('oxc-parser', options);
  try {
    return load();
  } catch (error) {
    throw new ParserMissing('The parser of JavaScript does not start', { cause: error });
  }
}

/** Makes the reader of code that is to run as a script. */
export function loadCode(options: ParserOptions = {}): ReadCode {
  const parser = loadOxc(options);
  const experimentalRawTransfer = parser.rawTransferSupported();
  return (source, lang) => {
    const read = parser.parseSync(`code.${lang}`, source, {
      lang,
      sourceType: 'script',
      preserveParens: true,
      experimentalRawTransfer,
    });
    const errors = read.errors.map(({ message, labels: [at = { start: 0, end: 0 }] }) => {
      return { message, start: at.start, end: at.end };
    });
    return { program: read.program, errors };
  };
}

/** Makes the reader of modules. */
export function loadModules(options: ParserOptions = {}): ModuleReader {
  const parser = loadOxc(options);
  // Modules then cross from the parser as memory: neither they nor their trees become text in between.
  if (!parser.rawTransferSupported())
    throw new ParserMissing('The parser of JavaScript cannot read modules on this kind of machine');
  return {
    offers: (source, name) => {
      const read = parser.parseSync(name, source, { ...dialectOf(name), experimentalLazy: true });
      try {
        return read.errors.length > 0 ? null : offersOf(read);
      } finally {
        read.dispose();
      }
    },
    read: (source, name) => {
      const options = { ...dialectOf(name), experimentalRawTransfer: true };
      const { program, module, errors, comments } = parser.parseSync(name, source, options);
      const visit = (visitors: ModuleVisitors) => new parser.Visitor(visitors).visit(program);
      return { program, module, errors, comments, visit };
    },
  };
}

function offersOf({ module: { hasModuleSyntax, staticExports } }: LazyModule): ModuleOffers {
  const names = new Set<string>();
  const stars: string[] = [];
  for (const { entries } of staticExports) {
    for (const { exportName, importName, moduleRequest } of entries) {
      if (typeof exportName === 'object') names.add(exportName.value ?? 'default');
      else if (importName === 'allButDefault' && moduleRequest !== null) stars.push(moduleRequest.value);
    }
  }
  return { isModule: hasModuleSyntax, names: [...names], stars };
}

function dialectOf(name: string): OxcOptions {
  const [, declares, kind = '', dialect = '', x] = dialects.exec(name) ?? [];
  const lang = declares !== undefined ? 'dts' : dialect === 't' ? (x === 'x' ? 'tsx' : 'ts') : 'jsx';
  const sourceType = kind === 'c' ? 'commonjs' : dialect === 't' || kind === 'm' ? 'module' : 'unambiguous';
  return { lang, sourceType, preserveParens: false };
}

const dialects = /(\.d)?\.(c|m)?(j|t)s(x)?$/;
