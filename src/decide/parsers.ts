// Loads the parser of JavaScript on first use; without it the code is only known to be code.

import type {
  JavascriptNode,
  ModuleOffers,
  ModuleReader,
  ModuleVisitors,
  ReadCode,
  ReadModule,
} from '../core/index.ts';
import type { ParseJavascript } from '../guards/command/javascript/tree.ts';
import { find, ParserMissing, type ParserOptions } from './packages.ts';

/** The part of oxc-parser that is used here. */
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

/** A module whose tree is not built. */
interface LazyModule {
  readonly errors: readonly unknown[];
  readonly module: {
    readonly hasModuleSyntax: boolean;
    readonly staticExports: readonly {
      readonly entries: readonly {
        /** An entry without a text is that of `default`. */
        readonly exportName: string | { readonly value?: string };
        readonly importName: string | object;
        readonly moduleRequest: { readonly value: string } | null;
      }[];
    }[];
  };
  /** Frees the memory; it must not be read afterwards. */
  dispose(): void;
}

/** Creates the reader of JavaScript and TypeScript. */
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

/** Creates the reader of code that runs as a script. */
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

/** Creates the reader of modules. */
export function loadModules(options: ParserOptions = {}): ModuleReader {
  const parser = loadOxc(options);
  // Modules are then passed from the parser as memory: neither they nor their trees are converted to text in between.
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
