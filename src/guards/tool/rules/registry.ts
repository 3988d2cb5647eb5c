// Law: a call names a tool of the registry, its arguments fit, and the definition is one that a person has seen.

import {
  type Finding,
  nearest,
  type Rule,
  type SchemaProblem,
  type ToolSpec,
  visible,
} from '../../../core/index.ts';
import { call, having, hit } from './finding.ts';

const contract = 'AG-TOOL-1';

const sum: ToolSpec = {
  name: 'sum',
  effect: 'read',
  schema: { properties: { numbers: { type: 'array' } }, required: ['numbers'] },
};
const remote: ToolSpec = { name: 'search', server: 'docs', effect: 'read', definition: 'a1b2' };

const unknownTool: Rule = {
  id: 'unknown_tool',
  guard: 'tool',
  decision: 'block',
  reason: 'A tool that is in no registry is not called: nobody knows what it does.',
  suggestion: 'Call a tool that is registered; a person registers others under [tools.NAME].',
  contract,
  examples: {
    hit: [call('Frobnicate'), call('sum', {}, having({ ...sum, server: 'math' }))],
    miss: [call('Bash', { command: 'ls' }), call('sum', { numbers: [1] }, having(sum))],
  },
};

const invalidArguments: Rule = {
  id: 'invalid_arguments',
  guard: 'tool',
  decision: 'block',
  reason: 'Arguments that do not fit the tool are not handed to it.',
  suggestion: 'Call the tool again with that argument as it is expected.',
  contract,
  examples: {
    hit: [
      call('Bash', { comand: 'ls' }),
      call('Bash', { command: 'ls', timeout: 'soon' }),
      call('sum', { numbers: 'one' }, having(sum)),
      call('apply_patch', { input: 'not a patch' }),
    ],
    miss: [
      call('Bash', { command: 'ls', timeout: 1000 }),
      call('sum', { numbers: [1, 2] }, having(sum)),
      call('apply_patch', { input: '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch' }),
    ],
  },
};

const schemaUnusable: Rule = {
  id: 'schema_unusable',
  guard: 'tool',
  decision: 'block',
  reason: 'Arguments that cannot be checked against their schema are not handed on.',
  suggestion: 'A person mends the schema of the tool: no references elsewhere, no patterns that explode.',
  contract,
  examples: {
    hit: [
      call('sum', {}, having({ ...sum, schema: { $ref: 'https://example.com/schema.json' } })),
      call('sum', {}, having({ ...sum, schema: { properties: { a: { pattern: '^(a+)+$' } } } })),
    ],
    miss: [
      call('sum', { numbers: [1] }, having(sum)),
      call('sum', {}, having({ name: 'sum', effect: 'read' })),
    ],
  },
};

const newDefinition: Rule = {
  id: 'new_definition',
  guard: 'tool',
  decision: 'approve',
  reason: 'What a server says about its tool counts once a person has seen it, and a change is seen again.',
  contract,
  examples: {
    hit: [call('search', {}, having(remote), { server: 'docs' })],
    miss: [call('sum', { numbers: [1] }, having(sum)), call('Read', { file_path: 'a.txt' })],
  },
};

/** The rules on the registry. */
export const registryRules: readonly Rule[] = [unknownTool, invalidArguments, schemaUnusable, newDefinition];

/** The name of a tool for people. */
export function shown(name: string): string {
  return visible(name, 80);
}

export function unknownFinding(name: string, known: readonly string[]): Finding {
  // The name that was just refused is no advice.
  const near = nearest(
    name,
    known.filter((one) => one !== name),
  );
  const place = near === undefined ? {} : { suggestion: `Call "${shown(near)}", if that is meant.` };
  return hit(unknownTool, `There is no tool "${shown(name)}" in the registry.`, {
    pointer: '/tool',
    ...place,
  });
}

export function argumentsFinding(tool: ToolSpec, { pointer, message }: SchemaProblem): Finding {
  const where = pointer === '' ? 'its arguments' : `the argument ${visible(pointer, 200)}`;
  return hit(invalidArguments, `The call of "${shown(tool.name)}" does not fit: ${where}: ${message}.`, {
    pointer: `/arguments${pointer}`,
  });
}

export function schemaFinding(tool: ToolSpec, why: string): Finding {
  return hit(schemaUnusable, `The schema of "${shown(tool.name)}" cannot be used: ${why}.`);
}

/** So much of a description is shown to the person who decides. */
const longestWords = 300;

/** The question about a definition that a server told. */
export function definitionFindings({ name, server, description, definition }: ToolSpec): readonly Finding[] {
  if (definition === undefined) return [];
  const whose = server === undefined ? '' : ` of the server "${shown(server)}"`;
  const words = (description ?? '') === '' ? '.' : `: ${visible(description ?? '', longestWords)}`;
  return [
    hit(newDefinition, `The tool "${shown(name)}"${whose} is as a server describes it${words}`, {
      // The hash stands first, so that no name can push it out.
      grant: `tool definition ${definition} ${server ?? ''}/${name}`.slice(0, 256),
    }),
  ];
}
