// What the command lines of stores leave here of what they fetch.

import type { Effect } from '../../effects.ts';
import { beginningOf, type Call, literal, options, type Tool, within, write } from '../tool.ts';

/** How one of them is told to fetch. */
interface Download {
  /** The words that it begins with. */
  readonly verb: RegExp;
  readonly description: string;
  /** Options that name the file, or the folder; without them the last word does. */
  readonly file?: string;
  readonly folder?: string;
  /** The option that names which files are fetched into the folder. */
  readonly pattern?: string;
}

const downloads: Readonly<Record<string, readonly Download[]>> = {
  gh: [
    {
      verb: /^(?:release|run) download$/,
      description: 'R/repo= p/pattern= D/dir= O/output= n/name= A/archive= clobber skip-existing',
      file: 'O',
      folder: 'D',
      pattern: 'p',
    },
  ],
  glab: [
    { verb: /^release download$/, description: 'R/repo= n/asset-name= D/dir=', folder: 'D', pattern: 'n' },
  ],
};

/** The files that a call fetches. */
function fetchedBy(call: Call): readonly Effect[] {
  const words = call.args.map(beginningOf).filter((text) => !text.startsWith('-'));
  for (const { verb, description, file, folder, pattern } of downloads[call.program] ?? []) {
    const length = [3, 2, 1].find((count) => verb.test(words.slice(0, count).join(' ')));
    if (length === undefined) continue;
    const given = options(description)(call.args);
    const named = file === undefined ? undefined : given.last(file);
    if (named) return write(call, named, { detail: 'overwrite', origins: ['network'] });
    const into = folder === undefined ? undefined : given.last(folder);
    if (folder !== undefined) {
      const patterns = pattern === undefined ? [] : given.all(pattern);
      const places =
        patterns.length > 0 ? patterns.map((name) => within(into, name)) : [into ?? literal('.')];
      const many = patterns.length === 0;
      return places.flatMap((place) =>
        write(call, place, { detail: 'create', recursive: many, origins: ['network'] }),
      );
    }
  }
  return [];
}

/** A command line of a store, with what it leaves here. */
export function downloading(tool: Tool): Tool {
  return (call) => {
    const fetched = fetchedBy(call);
    return fetched.length === 0 ? tool(call) : [...tool(call), ...fetched];
  };
}
