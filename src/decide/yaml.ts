// Converts YAML documents to JSON: all other code reads only that.

import { SallyportError } from '../core/index.ts';
import { find } from './packages.ts';

/** The document as JSON text; throws if it is not valid YAML. */
export function jsonOfYaml(text: string): string {
  const { parse } = find<typeof import('yaml')>('yaml', {}).load();
  try {
    return JSON.stringify(parse(text, { maxAliasCount: 1000 }));
  } catch {
    throw new SallyportError('the schema of the source is not YAML that can be read');
  }
}
