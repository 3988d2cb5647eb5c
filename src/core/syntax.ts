// Syntax trees of other languages, as far as guards need them, and the readers that make them.

export interface PythonNode {
  readonly type: string;
  readonly text: string;
  /** UTF-16 offsets in the source. */
  readonly start: number;
  readonly end: number;
  /** All children, tokens too. */
  readonly children: readonly PythonNode[];
  field(name: string): PythonNode | null;
}

/** Reads a source; a piece that cannot be read is a node of type `ERROR`. */
export type ParsePython = (source: string) => PythonNode;

/** A node of ESTree; what it holds beside its type is looked at with care. */
export interface JavascriptNode {
  readonly type: string;
  /** UTF-16 offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Reads a source; its errors are told, the tree is as good as it got. */
export type ParseJavascript = (source: string) => {
  readonly program: JavascriptNode;
  readonly errors: readonly string[];
};

/** A module of JavaScript or TypeScript as it was read; the tree is made when it is first asked for. */
export interface ReadModule {
  readonly program: JavascriptNode;
  readonly module: {
    readonly hasModuleSyntax: boolean;
    readonly staticImports: readonly StaticImport[];
    readonly staticExports: readonly { readonly entries: readonly StaticExport[] }[];
  };
  readonly errors: readonly unknown[];
  readonly comments: readonly { readonly value: string; readonly start: number; readonly end: number }[];
}

/** A name in a module's record; `name` is null where the kind says it all. */
export interface RecordName {
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

export interface StaticImport {
  readonly start: number;
  readonly end: number;
  readonly moduleRequest: Placed;
  readonly entries: readonly {
    readonly importName: RecordName;
    readonly localName: Placed;
    readonly isType: boolean;
  }[];
}

export interface StaticExport {
  readonly start: number;
  readonly moduleRequest: Placed | null;
  readonly importName: RecordName;
  readonly exportName: RecordName;
}

/** Reads a module; its name tells the dialect. */
export type ParseModule = (source: string, name: string) => ReadModule;

/** Reads SQL; `tree` is as the parser gives it, and is looked at with care. */
export type ParseSql = (
  text: string,
) => { readonly tree: unknown } | { readonly error: string; readonly position?: number };

/** Loads readers when they are first asked for; null where one is not installed. */
export interface Readers {
  python(): Promise<ParsePython | null>;
  javascript(): Promise<ParseJavascript | null>;
  modules?(): Promise<ParseModule | null>;
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
