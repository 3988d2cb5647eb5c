// The contents of a workspace that the reference check needs: files, manifests, and the names that modules export.

import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { ModuleReader } from './syntax.ts';

/** The names that one module offers. */
export interface ModuleTable {
  readonly names: readonly string[];
  /** Modules all of whose names are names of this one too, as it writes them. */
  readonly stars: readonly string[];
  /** Whether it may offer names that its text does not show. */
  readonly opaque: boolean;
  /** Whether there may be modules below it without a visible file. */
  readonly open?: boolean;
  /** Those of the names that are modules below it, and nothing else. */
  readonly submodules?: readonly string[];
  /** Names that every file may use because of it. */
  readonly globals?: readonly string[];
  /** Modules that it describes by name. */
  readonly declares?: Readonly<Record<string, ModuleTable>>;
  /** Names that it puts on other modules while it runs. */
  readonly sets?: readonly string[];
  /** The package that a Go file belongs to. */
  readonly package?: string;
  /** Whether the file was generated, or states that a program generates others. */
  readonly made?: 'generated' | 'generates';
}

/** The facts about a workspace as a whole. */
export interface Overview {
  /** The workspace's own packages: from name to folder. */
  readonly packages: ReadonlyMap<string, string>;
  /** Top-level imports of a Python program: from name to the folders that contain it. */
  readonly roots: ReadonlyMap<string, readonly string[]>;
  /** Names that every file may use. */
  readonly globals: ReadonlySet<string>;
  /** Modules that are described by name; they may hold a `*`. */
  readonly declared: ReadonlySet<string>;
  /** Names that files put on modules other than themselves. */
  readonly added: ReadonlySet<string>;
}

/** A workspace that references are looked up in. Paths are absolute. */
export interface SourceTree {
  readonly overview: Overview;
  kind(path: string): 'file' | 'folder' | null;
  /** The names in a folder; none if it cannot be read. */
  list(folder: string): readonly string[];
  /** A text of moderate size, such as a manifest; null if there is none. */
  text(path: string): string | null;
  /** The table of a source file; null if it cannot be read. */
  table(path: string): ModuleTable | null;
  /** The folder in which the Go tool keeps modules that it downloaded; absent where it is not known. */
  readonly goModules?: string;
}

/** Gives trees of workspaces. */
export interface Symbols {
  /** The tree of a workspace; null if it is not known without a long wait. Without the reader, modules are unknown. */
  of(workspace: string, reader: ModuleReader | null): Promise<SourceTree | null>;
  /** Whether one of these names is on a line of its own in a file; null if the file cannot be read. */
  lists(file: string, names: readonly string[]): Promise<boolean | null>;
}

/** Why the references of a written file were not looked up. */
export const uncheckedReasons = [
  'index',
  'parser',
  'language',
  'content',
  'aside',
  'command',
  'unknown',
] as const;
export type UncheckedReason = (typeof uncheckedReasons)[number];

/** The same in words, for people. */
export const uncheckedWords: Readonly<Record<UncheckedReason, string>> = {
  index: "the workspace has no symbol index yet; 'sallyport symbols index' builds it",
  parser: 'the parser of its language is not installed',
  language: 'its language has no symbol index',
  content: 'its text is too long, incomplete, or does not parse',
  aside: 'it is a fixture, a template or a copy of foreign code',
  command: 'a command wrote it',
  unknown: 'nothing is known about any module that it refers to',
};

/** A written file whose references were not looked up. */
export type Unchecked = {
  readonly path: string;
  readonly why: UncheckedReason;
};

/** A reference to a name that does not exist. */
export interface MissingName {
  readonly path: string;
  readonly name: string;
  readonly line: number;
  /** Existing names that may have been intended. */
  readonly near: readonly string[];
}

/** The result of looking up the references of a write. A file without references is on neither list. */
export interface SymbolCheck {
  /** Files whose references were looked up. */
  readonly files: readonly string[];
  readonly unchecked: readonly Unchecked[];
  /** How many references were looked up, and about how many of them nothing is known. */
  readonly checked: number;
  readonly unknown: number;
  readonly missing: readonly MissingName[];
}

/** The check as facts, which records, receipts and policies read. */
export function symbolFacts({ files, unchecked, checked, unknown, missing }: SymbolCheck): JsonObject {
  return {
    symbols: unchecked.length === 0 ? 'checked' : 'unchecked',
    symbols_checked: checked,
    symbols_unknown: unknown,
    symbols_files: files,
    unchecked: unchecked.map(({ path, why }) => ({ path, why })),
    missing_references: missing.map(({ path, name, line, near }) => ({ path, name, line, near })),
  };
}

/** The checks in facts, merged; facts of older records may contain fewer. */
export function symbolCheckOf(facts: readonly JsonObject[]): SymbolCheck {
  const items = (name: string) =>
    facts.flatMap(({ [name]: value }) => (Array.isArray(value) ? (value as readonly JsonValue[]) : []));
  const sum = (name: string) =>
    facts.reduce((total, { [name]: value }) => total + (typeof value === 'number' ? value : 0), 0);
  return {
    files: items('symbols_files').filter((path) => typeof path === 'string'),
    unchecked: items('unchecked')
      .filter(isJsonObject)
      .map(({ path, why }) => ({ path: String(path), why: reasonFrom(why) })),
    checked: sum('symbols_checked'),
    unknown: sum('symbols_unknown'),
    missing: items('missing_references')
      .filter(isJsonObject)
      .map(({ path, name, line, near }) => ({
        path: String(path),
        name: String(name),
        line: Number(line),
        near: (Array.isArray(near) ? near : []).map(String),
      })),
  };
}

/** A reason by a later version is treated as unknown. */
function reasonFrom(value: JsonValue | undefined): UncheckedReason {
  return uncheckedReasons.find((reason) => reason === value) ?? 'unknown';
}

// ── Which files have references to look up: sources of the indexed languages, prose and data, and everything else.

/** Sources of the indexed languages, for code that must not load the languages themselves. */
export const indexedSource = /\.(?:(?:c|m)?(?:j|t)sx?|pyi?|go)$/;

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Prose, data, settings and media: nothing in them is a name that must exist elsewhere. */
const inertEndings = words(`
  txt md mdx markdown rst adoc org tex csv tsv json json5 jsonc jsonl ndjson geojson yaml yml toml ini cfg conf in
  properties xml lock sum mod work log diff patch map snap po pot srt vtt typed
  svg png jpg jpeg gif webp avif ico bmp tif tiff pdf woff woff2 ttf otf eot mp3 mp4 ogg wav webm
  zip gz tgz bz2 xz zst 7z pem crt key pub sig asc
`);
const inertNames = words(`
  license licence copying notice readme changelog changes authors contributors codeowners version
  .gitignore .gitattributes .gitkeep .gitmodules .dockerignore .npmignore .prettierignore .eslintignore
  .editorconfig .npmrc .nvmrc .node-version .python-version .env
`);

/** Whether a file of this name can refer to something, so that it passes only if that was looked up. */
export function hasReferences(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (inertNames.has(name) || name.startsWith('.env.')) return false;
  const dot = name.lastIndexOf('.');
  return dot <= 0 || !inertEndings.has(name.slice(dot + 1));
}
