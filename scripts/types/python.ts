// Types in Python from an OpenAPI document. They are read by checkers; Python 3.9 must be able to load them.

import type { JsonObject } from '../../src/core/index.ts';
import { type Member, type Named, namedTypes, type Type } from './schema.ts';

const head = `# Made by "npm run contract" from the OpenAPI document; do not edit.
"""What goes over the wire."""

from typing import Any, Dict, List, Literal, Optional, Tuple, TypedDict, Union

`;

/** The module that holds the types. */
export function pythonTypes(document: JsonObject): string {
  const parts: string[] = [];
  for (const named of namedTypes(document)) parts.push(definition(named, parts));
  return `${head}${parts.join('\n\n').trimEnd()}\n`;
}

/** The definition of a type; records inside it go to the parts before it. */
function definition({ name, type, hostWords }: Named, parts: string[]): string {
  if (type.is === 'record') return recordText(name, type.members, parts);
  const lines = [`${name} = ${typeText(type, name, parts)}\n`];
  if (type.is === 'words') {
    const words = type.words.map((word) => JSON.stringify(word));
    lines.push(`${constant(name)}S: Tuple[${name}, ...] = (${words.join(', ')})\n`);
  }
  if (hostWords !== null) {
    const rows = Object.entries(hostWords).map(
      ([word, meant]) => `    ${JSON.stringify(word)}: ${JSON.stringify(meant)},`,
    );
    lines.push(`HOST_${constant(name)}S: Dict[str, ${name}] = {\n${rows.join('\n')}\n}\n`);
  }
  return lines.join('\n');
}

function recordText(name: string, members: readonly Member[], parts: string[]): string {
  const fields = members.map(({ name: key, type, required }) => ({
    required,
    line: `    ${key}: ${typeText(type, `${name}${capital(key)}`, parts)}`,
  }));
  const lines = (required: boolean) =>
    fields.filter((field) => field.required === required).map(({ line }) => line);
  const [needed, others] = [lines(true), lines(false)];
  const body = (some: readonly string[]) => (some.length === 0 ? '    pass' : some.join('\n'));
  // Python 3.9 cannot say of one member that it may be absent, only of all members of a class.
  if (others.length === 0) return `class ${name}(TypedDict):\n${body(needed)}\n`;
  if (needed.length === 0) return `class ${name}(TypedDict, total=False):\n${body(others)}\n`;
  return `class _${name}(TypedDict):\n${body(needed)}\n\n\nclass ${name}(_${name}, total=False):\n${body(others)}\n`;
}

function typeText(type: Type, place: string, parts: string[]): string {
  switch (type.is) {
    case 'any':
      return 'Any';
    case 'text':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'flag':
      return 'bool';
    case 'words':
      return `Literal[${type.words.map((word) => JSON.stringify(word)).join(', ')}]`;
    case 'list':
      return `List[${typeText(type.of, place, parts)}]`;
    case 'table':
      return `Dict[str, ${typeText(type.of, place, parts)}]`;
    case 'nullable':
      return `Optional[${typeText(type.of, place, parts)}]`;
    case 'union':
      return `Union[${type.of.map((one, index) => typeText(one, `${place}${index + 1}`, parts)).join(', ')}]`;
    case 'name':
      return type.name;
    case 'record':
      parts.push(recordText(place, type.members, parts));
      return place;
  }
}

function capital(word: string): string {
  return word.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function constant(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
