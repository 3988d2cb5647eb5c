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

/** Loads readers when they are first asked for; null where one is not installed. */
export interface Readers {
  python(): Promise<ParsePython | null>;
  javascript(): Promise<ParseJavascript | null>;
}

/** Code that is followed, and where it would run. */
export interface Code {
  readonly kind: 'shell' | 'python';
  readonly source: string;
  /** Absolute folder. */
  readonly cwd: string;
  readonly home: string | null;
}
