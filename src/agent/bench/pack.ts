// Packs: files of presets in YAML, JSON or JSON Lines, read strictly; a case that is not understood is an error.

import { basename, extname } from 'node:path';
import {
  InputError,
  isJsonObject,
  type JsonValue,
  messageOf,
  nearest,
  parseJson,
  visible,
} from '../../core/index.ts';
import { list, object, optional, readShape, record, text } from '../../core/shape.ts';
import { type BenchCase, caseFields, caseShape, type Preset } from './case.ts';
import { nameShape } from './result.ts';
import { readNamed } from './store.ts';

const description = text({ max: 10_000 });
const packShape = object({
  presets: record(object({ description: optional(description), cases: list(caseShape) })),
});
/** A line that is one case, of the preset that it names or of the one that the file is called after. */
const lineShape = object({ preset: optional(nameShape), ...caseFields });

/** Reads the presets of a pack; throws `InputError` with the file and the place in it. */
export async function readPack(file: string): Promise<readonly Preset[]> {
  const source = readNamed(file);
  try {
    return checkedPresets(await presetsOf(source, file));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${visible(file)}: ${error.message}`, { cause: error });
  }
}

/** The preset of a name; throws `InputError`. */
export function presetNamed(presets: readonly Preset[], wanted: string): Preset {
  const found = presets.find((preset) => preset.name === wanted);
  if (found !== undefined) return found;
  const names = presets.map((preset) => preset.name);
  const near = nearest(wanted, names);
  throw new InputError(
    `there is no preset "${visible(wanted, 60)}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
    { hint: `there are: ${names.join(', ')}` },
  );
}

async function presetsOf(source: string, file: string): Promise<readonly Preset[]> {
  const form = extname(file).toLowerCase();
  if (form === '.json') return presetsIn(parseJson(source));
  if (form === '.yaml' || form === '.yml') return presetsIn(await readYaml(source));
  if (form === '.jsonl') return presetsInLines(source, basename(file, extname(file)));
  throw new InputError('a pack is a file in .yaml, .json or .jsonl');
}

function presetsIn(value: unknown): readonly Preset[] {
  const { presets } = readShape(packShape, value);
  return Object.entries(presets).map(([preset, { description: about = '', cases }]) => {
    readShape(nameShape, preset);
    return { name: preset, description: about, cases };
  });
}

/** Each line is a whole pack, or one case; what is said of one preset adds up. */
function presetsInLines(source: string, fallback: string): readonly Preset[] {
  const found = new Map<string, { description: string; cases: BenchCase[] }>();
  const add = (preset: string, about: string, cases: readonly BenchCase[]): void => {
    const known = found.get(preset) ?? { description: '', cases: [] };
    found.set(preset, {
      description: known.description === '' ? about : known.description,
      cases: [...known.cases, ...cases],
    });
  };
  for (const [index, line] of source.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const value = parseJson(line);
      if (isJsonObject(value) && Object.hasOwn(value, 'presets')) {
        for (const { name: preset, description: about, cases } of presetsIn(value)) add(preset, about, cases);
      } else {
        const { preset = fallback, ...one } = readShape(lineShape, value);
        add(preset, '', [readShape(caseShape, one)]);
      }
    } catch (error) {
      throw new InputError(`line ${index + 1}: ${messageOf(error)}`, { cause: error });
    }
  }
  return [...found].map(([preset, rest]) => ({ name: preset, ...rest }));
}

/** YAML, in the part of it that says the same to every reader: no key twice, no merging, few aliases. */
async function readYaml(source: string): Promise<JsonValue> {
  const { parse } = await loadYaml();
  try {
    const options = {
      schema: 'core',
      strict: true,
      uniqueKeys: true,
      maxAliasCount: 100,
      logLevel: 'error',
    } as const;
    return parse(source, options) as JsonValue;
  } catch (error) {
    throw new InputError(`it is no YAML that can be read: ${messageOf(error)}`, { cause: error });
  }
}

async function loadYaml(): Promise<typeof import('yaml')> {
  try {
    return await import('yaml');
  } catch (error) {
    throw new InputError('what reads YAML (the package yaml) is not installed', {
      hint: 'run npm install yaml, or write the pack as JSON',
      cause: error,
    });
  }
}

/** What is wrong beyond the shape: a preset without cases, or two of one id. */
function checkedPresets(presets: readonly Preset[]): readonly Preset[] {
  if (presets.length === 0) throw new InputError('it has no preset');
  for (const { name: preset, cases } of presets) {
    if (cases.length === 0) throw new InputError(`the preset "${preset}" has no cases`);
    const ids = cases.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) throw new InputError(`the preset "${preset}" has the case "${twice}" twice`);
  }
  return presets;
}
