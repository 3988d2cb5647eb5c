// Documents in YAML, read as JSON: everything else reads them that way.

import { SallyportError } from '../core/index.ts';
import { find } from './packages.ts';

/** The document as the text of JSON; throws where it is no YAML. */
export function jsonOfYaml(text: string): string {
  const { parse } = find<typeof import('yaml')>('yaml', {}).load();
  try {
    return JSON.stringify(parse(text, { maxAliasCount: 1000 }));
  } catch {
    throw new SallyportError('the schema of the source is not YAML that can be read');
  }
}
