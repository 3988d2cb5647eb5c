// Syntax trees of other languages, as far as guards need them, and the readers that make them.

/** A node as tree-sitter makes it. */
export interface TreeNode {
  readonly type: string;
  readonly text: string;
  /** UTF-16 offsets in the source. */
  readonly start: number;
  readonly end: number;
  /** All children, tokens too. */
  readonly children: readonly TreeNode[];
  field(name: string): TreeNode | null;
}

/** Reads a source; a piece that cannot be read is a node of type `ERROR`. */
export type ParseTree = (source: string) => TreeNode;

export type PythonNode = TreeNode;
export type ParsePython = ParseTree;

/** A node of ESTree; its members beside its type are read with care. */
export interface JavascriptNode {
  readonly type: string;
  /** UTF-16 offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Reads a source and reports its errors; the tree is as good as it got. */
export type ParseJavascript = (source: string) => {
  readonly program: JavascriptNode;
  readonly errors: readonly string[];
};

/** Reads code in one language, parentheses and all; the tree is as good as it got. */
export type ReadCode = (
  source: string,
  language: 'js' | 'ts',
) => {
  readonly program: JavascriptNode;
  /** The problem, and its position. */
  readonly errors: readonly { readonly message: string; readonly start: number; readonly end: number }[];
};

/** The exports of a JavaScript or TypeScript module, as far as they are known without its tree. */
export interface ModuleOffers {
  /** Whether it imports or exports at all. */
  readonly isModule: boolean;
  readonly names: readonly string[];
  /** Modules all of whose names it offers too. */
  readonly stars: readonly string[];
}

/** A module of JavaScript or TypeScript as it was read. */
export interface ReadModule {
  readonly program: JavascriptNode;
  readonly module: {
    readonly hasModuleSyntax: boolean;
    readonly staticImports: readonly StaticImport[];
    readonly staticExports: readonly { readonly entries: readonly StaticExport[] }[];
  };
  readonly errors: readonly unknown[];
  readonly comments: readonly { readonly value: string; readonly start: number; readonly end: number }[];
  /** Traverses the tree; throws if it is too deep. */
  visit(visitors: ModuleVisitors): void;
}

/** The visitor of a node type on entry or, with the suffix `:exit`, on exit. */
export type ModuleVisitors = Readonly<Record<string, (node: JavascriptNode) => void>>;

/** A name in a module's record; `name` is null if the kind is sufficient. */
interface RecordName {
  readonly kind: string;
  readonly name: string | null;
  readonly start: number | null;
  readonly end: number | null;
}

interface Placed {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

interface StaticImport {
  readonly start: number;
  readonly end: number;
  readonly moduleRequest: Placed;
  readonly entries: readonly {
    readonly importName: RecordName;
    readonly localName: Placed;
    readonly isType: boolean;
  }[];
}

interface StaticExport {
  readonly start: number;
  readonly moduleRequest: Placed | null;
  readonly importName: RecordName;
  readonly exportName: RecordName;
}

/** Reads modules; a module's name determines its dialect. */
export interface ModuleReader {
  /** Takes a tenth of the time of the tree; null if the module cannot be read. */
  offers(source: string, name: string): ModuleOffers | null;
  read(source: string, name: string): ReadModule;
}

/** Reads SQL; `tree` is as the parser gives it, and is looked at with care. */
export type ParseSql = (
  text: string,
) => { readonly tree: unknown } | { readonly error: string; readonly position?: number };

/** Loads readers when they are first asked for; null if one is not installed. */
export interface Readers {
  python(): Promise<ParsePython | null>;
  javascript(): Promise<ParseJavascript | null>;
  modules?(): Promise<ModuleReader | null>;
  code?(): Promise<ReadCode | null>;
  postgres?(): Promise<ParseSql | null>;
  mysql?(): Promise<ParseSql | null>;
  sqlite?(): Promise<ParseSql | null>;
}

/** Code that is followed, and where it would run. */
export interface Code {
  readonly kind: 'shell' | 'python';
  readonly source: string;
  /** Absolute folder. */
  readonly cwd: string;
  readonly home: string | null;
}
