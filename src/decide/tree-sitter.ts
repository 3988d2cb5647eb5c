// Reads Python and Go with tree-sitter, loaded on first use; without it the code is only recognized as code.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BudgetExceeded, type ParseTree, type TreeNode } from '../core/index.ts';
import { find, ParserMissing, type ParserOptions } from './packages.ts';

/** The part of web-tree-sitter that is used here. */
interface TreeSitter {
  readonly Parser: {
    /** The given object becomes the runtime itself. */
    init(options: Pick<Runtime, 'wasmBinary'>): Promise<void>;
    new (): Parser;
  };
  readonly Language: { load(wasm: Uint8Array): Promise<Language> };
}
interface Language {
  /** The names of nodes and of fields, by number. */
  readonly types: readonly string[];
  readonly fields: readonly (string | null)[];
}
interface Parser {
  setLanguage(language: Language): void;
  /** The parser's address in the runtime's memory, and the address of its input buffer. */
  readonly 0: number;
  readonly 1: number;
}

/**
 * The runtime. Its classes create objects for every tree and cursor, and copy the cursor in and out at every step,
 * which takes longer than the steps; so its functions are called in the way those classes call them.
 */
interface Runtime extends Readonly<Record<Step, (tree: number) => number>> {
  readonly wasmBinary: Uint8Array;
  currentParseCallback: ((index: number) => string) | null;
  /** Called every hundred steps, with the number of bytes read; if it returns true, the parse yields no tree. */
  currentProgressCallback: ((progress: { readonly currentOffset: number }) => boolean) | null;
  _ts_parser_reset(parser: number): void;
  _ts_parser_parse_wasm(parser: number, input: number, old: number, ranges: number, count: number): number;
}

/** Functions that take a tree, and leave the cursor at an address from which the next of them reads it. */
const steps = [
  '_ts_tree_root_node_wasm',
  '_ts_tree_cursor_new_wasm',
  '_ts_tree_cursor_goto_first_child_wasm',
  '_ts_tree_cursor_goto_next_sibling_wasm',
  '_ts_tree_cursor_goto_parent_wasm',
  '_ts_tree_cursor_start_index_wasm',
  '_ts_tree_cursor_end_index_wasm',
  '_ts_tree_cursor_current_node_is_missing_wasm',
  '_ts_tree_cursor_current_node_type_id_wasm',
  '_ts_tree_cursor_current_field_id_wasm',
  '_ts_tree_cursor_delete_wasm',
  '_ts_tree_delete',
] as const;
type Step = (typeof steps)[number];

/** Default for how long a parse may take beyond the estimate for its length, in milliseconds. */
const usualPatience = 2000;
/** The time for an expensive character, in milliseconds: average code takes a sixth of it. */
const perCharacter = 0.006;
/** A language, the package of its grammar, and code in it. */
interface Grammar {
  readonly language: string;
  readonly package: string;
  /** Read when the parser is loaded, which compiles it: how long that takes measures the speed of the machine. */
  readonly sample: string;
}

const python: Grammar = {
  language: 'Python',
  package: 'tree-sitter-python',
  sample: `import os, sys as system
from pathlib import Path

@cached
class Door(Base):
    """A door."""
    def open(self, name: str, *rest, **more) -> bool:
        for part in [each for each in rest if each is not None]:
            try:
                with open(f"{name}/{part!r}", 'w') as file:
                    file.write(b'\\x00' + more.get('a', lambda x: x ** 2)(1)[0:2])
            except (OSError, ValueError) as error:
                raise SystemExit(1) from error
        return not self.closed and {'a': 1, **more} != {1, 2}

if __name__ == '__main__':
    print(Door().open(*sys.argv))
`,
};

const go: Grammar = {
  language: 'Go',
  package: 'tree-sitter-go',
  sample: `package door

import (
	"context"
	"fmt"
)

type Door[T any] struct {
	*Base
	name string
	rest map[string][]T
}

func (d *Door[T]) Open(ctx context.Context, rest ...T) (text string, err error) {
	defer d.mu.Unlock()
	for index, part := range rest {
		switch value := any(part).(type) {
		case string, []byte:
			text += fmt.Sprintf("%s/%v", d.name, value)
		default:
			go func(one T) { d.done <- one }(part)
		}
		if index > 1<<4 && !d.closed || err != nil {
			return "", &Error{Name: d.name, Code: 0x1f}
		}
	}
	select {
	case <-ctx.Done():
	case text = <-d.texts:
	}
	return text[1:], nil
}
`,
};
/** The compile time on a fast machine, in milliseconds. */
const usualSample = 8;

export interface ReadingOptions extends ParserOptions {
  /**
   * How long a parse may take beyond the estimate for its length, in milliseconds of a processor of the usual speed. In
   * broken code, the parser tries ways to recover, each of which may take longer the more it has read, so that no
   * number of its steps is a bound.
   */
  readonly patience?: number;
}

/** Creates the reader of Python. Takes some 50 ms; call it once and reuse the result. */
export async function loadPython(options: ReadingOptions = {}): Promise<ParseTree> {
  return await load(python, options);
}

/** Creates the reader of Go. */
export async function loadGo(options: ReadingOptions = {}): Promise<ParseTree> {
  return await load(go, options);
}

async function load(grammar: Grammar, options: ReadingOptions): Promise<ParseTree> {
  const library = find<TreeSitter>('web-tree-sitter', options);
  const { folder } = find<unknown>(grammar.package, options);
  try {
    // The library has one runtime, which is reachable only through its initialization.
    const { Parser, Language } = library.loadOwn();
    const given = { wasmBinary: readFileSync(join(library.folder, 'web-tree-sitter.wasm')) };
    await Parser.init(given);
    const runtime = runtimeIn(given);
    const parser = new Parser();
    const language = await Language.load(readFileSync(join(folder, `${grammar.package}.wasm`)));
    parser.setLanguage(language);
    const read = (allowed: Allowed) => reader(runtime, parser, language, allowed);
    const before = process.threadCpuUsage();
    read(() => Number.POSITIVE_INFINITY)(grammar.sample);
    const slower = Math.max(1, spentSince(before) / usualSample);
    const { patience = usualPatience } = options;
    return read((characters) => slower * (patience + characters * perCharacter));
  } catch (error) {
    if (error instanceof ParserMissing) throw error;
    throw new ParserMissing(`The parser of ${grammar.language} does not start`, { cause: error });
  }
}

/** The runtime, if it has every function that is called; throws `ParserMissing`. */
export function runtimeIn(given: Partial<Runtime>): Runtime {
  for (const name of [...steps, '_ts_parser_parse_wasm', '_ts_parser_reset'] as const)
    if (typeof given[name] !== 'function')
      throw new ParserMissing(`tree-sitter is of a version without ${name}, so it is not used`);
  // INVARIANT: every function that is called exists.
  return given as Runtime;
}

/** The time limit for this many characters, in milliseconds of the processor. */
type Allowed = (characters: number) => number;

function spentSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function reader(runtime: Runtime, parser: Parser, language: Language, allowed: Allowed): ParseTree {
  const types = language.types.map(interned);
  const fields = language.fields.map((name) => (name === null ? null : interned(name)));

  return (source) => {
    const before = process.threadCpuUsage();
    let gaveUp = false;
    runtime.currentParseCallback = (index) => source.slice(index);
    runtime.currentProgressCallback = ({ currentOffset }) => {
      // A character is two bytes here.
      gaveUp = spentSince(before) > allowed(currentOffset / 2);
      return gaveUp;
    };
    const tree = runtime._ts_parser_parse_wasm(parser[0], parser[1], 0, 0, 0);
    runtime.currentParseCallback = null;
    runtime.currentProgressCallback = null;
    if (tree === 0 && gaveUp) {
      // Otherwise it would continue with this source when it is given another.
      runtime._ts_parser_reset(parser[0]);
      throw new BudgetExceeded('the code takes too long to be read');
    }
    if (tree === 0) throw new ParserMissing('tree-sitter gave no tree');
    runtime._ts_tree_root_node_wasm(tree);
    runtime._ts_tree_cursor_new_wasm(tree);
    try {
      return copy(tree, source);
    } finally {
      runtime._ts_tree_cursor_delete_wasm(tree);
      runtime._ts_tree_delete(tree);
    }
  };

  /** Copies a tree out of the runtime's memory, without recursion: a tree may be very deep. */
  function copy(tree: number, source: string): TreeNode {
    const root = nodeAt(tree, source);
    const path: Node[] = [];
    for (let node = root; ; node = nodeAt(tree, source)) {
      path.at(-1)?.children.push(node);
      if (runtime._ts_tree_cursor_goto_first_child_wasm(tree) === 1) {
        path.push(node);
        continue;
      }
      while (path.length > 0 && runtime._ts_tree_cursor_goto_next_sibling_wasm(tree) !== 1) {
        runtime._ts_tree_cursor_goto_parent_wasm(tree);
        path.pop();
      }
      if (path.length === 0) return root;
    }
  }

  function nodeAt(tree: number, source: string): Node {
    const start = runtime._ts_tree_cursor_start_index_wasm(tree);
    const end = runtime._ts_tree_cursor_end_index_wasm(tree);
    // A missing node, which the parser inserted, has no length.
    const isMissing = start === end && runtime._ts_tree_cursor_current_node_is_missing_wasm(tree) === 1;
    const type = types[runtime._ts_tree_cursor_current_node_type_id_wasm(tree)];
    const field = fields[runtime._ts_tree_cursor_current_field_id_wasm(tree)];
    return new Node(isMissing || !type ? 'ERROR' : type, start, end, field ?? null, source);
  }
}

/** The same text as an interned string: two of those are compared without reading their characters. */
function interned(name: string): string {
  return Object.keys({ [name]: true })[0] ?? name;
}

class Node implements TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly children: Node[] = [];
  readonly #source: string;
  readonly #field: string | null;

  constructor(type: string, start: number, end: number, field: string | null, source: string) {
    this.type = type;
    this.start = start;
    this.end = end;
    this.#field = field;
    this.#source = source;
  }

  get text(): string {
    return this.#source.slice(this.start, this.end);
  }

  field(name: string): TreeNode | null {
    return this.children.find((child) => child.#field === name) ?? null;
  }
}
