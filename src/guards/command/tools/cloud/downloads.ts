// What the command lines of stores leave here of what they fetch.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  landingPlace,
  literal,
  options,
  type Tool,
  textOf,
  within,
  write,
} from '../tool.ts';

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
  /** What is named is a folder in any case. */
  readonly recursive?: true;
}

const transferOptions =
  'r/R/recursive q/quiet f/force n m n/no-clobber exclude= include= profile= region= endpoint-url=';

const downloads: Readonly<Record<string, readonly Download[]>> = {
  gcloud: [{ verb: /^storage (?:cp|mv|rsync)$/, description: `${transferOptions} project=` }],
  az: [
    {
      verb: /^storage (?:blob|file|fs) download$/,
      description: 'f/file/dest/destination= c/container-name= n/name= p/path= s/share-name= account-name=',
      file: 'f',
    },
    {
      verb: /^storage (?:blob|file) download-batch$/,
      description: 'd/destination= s/source= pattern= account-name=',
      folder: 'd',
      recursive: true,
    },
  ],
  azcopy: [{ verb: /^(?:copy|cp|c|sync)$/, description: transferOptions, recursive: true }],
  s3cmd: [{ verb: /^(?:get|sync)$/, description: transferOptions }],
  s5cmd: [{ verb: /^(?:cp|mv|sync)$/, description: transferOptions }],
  mc: [{ verb: /^(?:cp|get|mv|mirror)$/, description: transferOptions }],
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
  for (const { verb, description, file, folder, pattern, recursive } of downloads[call.program] ?? []) {
    const length = [3, 2, 1].find((count) => verb.test(words.slice(0, count).join(' ')));
    if (length === undefined) continue;
    const given = options(description)(call.args);
    const operands = given.operands.slice(length);
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
    return copiedHere(call, operands, recursive === true || given.has('recursive'));
  }
  return [];
}

/** The last word is a place here, unless it is one of a store. */
function copiedHere(call: Call, operands: readonly Value[], recursive: boolean): readonly Effect[] {
  const sources = operands.slice(0, -1);
  const destination = operands.at(-1);
  // Named alone, it is fetched into this folder.
  if (destination && operands.length === 1 && isOfStore(destination) && call.program === 's3cmd')
    return write(call, landingPlace(call, destination, literal('.'), true), {
      detail: 'copy',
      recursive,
      origins: ['network'],
    });
  if (!destination || isOfStore(destination)) return [];
  if (sources.length === 0 || textOf(destination) === '-') return [];
  return sources
    .filter((source) => isOfStore(source) || call.program === 'mc')
    .flatMap((source) =>
      write(call, landingPlace(call, source, destination, sources.length > 1), {
        detail: 'copy',
        recursive,
        origins: ['network'],
      }),
    );
}

function isOfStore(value: Value): boolean {
  return /^[a-z\d]+:\/\//i.test(beginningOf(value));
}

/** A command line of a store, with what it leaves here. */
export function downloading(tool: Tool): Tool {
  return (call) => {
    const fetched = fetchedBy(call);
    return fetched.length === 0 ? tool(call) : [...tool(call), ...fetched];
  };
}
