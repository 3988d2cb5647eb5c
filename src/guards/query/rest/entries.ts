// Operations of an API as entries of a schema.

import { isJsonObject, type JsonObject } from '../../../core/index.ts';
import { hiddenNames, isAllowed, type RuledSource } from '../allowed.ts';
import type { SchemaEntry, SchemaMember } from '../entry.ts';
import { isSensitive } from '../risk.ts';
import { apiFrom, listOf, type Operation, type Parameter, resolved } from './api.ts';
import { describedFields } from './described.ts';
import { actionOf } from './read.ts';

export function restEntries(text: string, source: RuledSource): readonly SchemaEntry[] {
  const { document, operations } = apiFrom(text);
  const hidden = hiddenNames(source.mode);
  const isHidden = (field: string) => hidden.has(field.slice(field.lastIndexOf('.') + 1).toLowerCase());
  return operations
    .filter(({ id, method, path }) => {
      const action = actionOf(method);
      const named = [{ name: id, action, verb: method }];
      return isAllowed(source, { action, relations: [path], operations: named });
    })
    .map((operation): SchemaEntry => {
      const { id, method, path, about, parameters, body, answers } = operation;
      const given = parameters.filter(({ name }) => !isHidden(name));
      const sent = body === null ? [] : describedFields(document, [body], id);
      const fields = describedFields(document, answers, id).filter((field) => !isHidden(field));
      const [first, ...more] = fields.slice(0, mostAnswered);
      const rest = fields.length > mostAnswered ? ` and ${fields.length - mostAnswered} more` : '';
      return {
        name: id,
        kind: 'operation',
        comment: about === '' ? null : about,
        type: `${method} ${path}`,
        members: [
          ...given.map((parameter) => parameterOf(document, parameter, source)),
          ...sent.filter((field) => !isHidden(field)).map((field) => bodyMember(field, source)),
        ],
        relations: first === undefined ? [] : [`It answers with ${[first, ...more].join(', ')}${rest}.`],
        example: exampleOf(operation),
      };
    });
}

const mostAnswered = 60;

function parameterOf(
  document: JsonObject,
  { name, in: place, schema, required }: Parameter,
  { mode }: RuledSource,
): SchemaMember {
  const found = resolved(document, schema);
  const { type, description, enum: values } = isJsonObject(found) ? found : {};
  return {
    name,
    type: `${typeof type === 'string' ? type : 'any'} in the ${place}`,
    comment: typeof description === 'string' ? description : null,
    marks: [
      ...(required ? (['required'] as const) : []),
      ...(isSensitive(name, mode) ? (['sensitive'] as const) : []),
    ],
    values: listOf(values).map(String),
  };
}

function bodyMember(field: string, { mode }: RuledSource): SchemaMember {
  return {
    name: field,
    type: 'in the body',
    comment: null,
    marks: isSensitive(field, mode) ? ['sensitive'] : [],
    values: [],
  };
}

/** A request with a placeholder for each value that it must have. */
function exampleOf({ method, path, parameters, bodyRequired }: Operation): string {
  const query = parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name }) => `${encodeURIComponent(name)}={${name}}`);
  const url = query.length === 0 ? path : `${path}?${query.join('&')}`;
  return JSON.stringify({ method, url, ...(bodyRequired ? { body: {} } : {}) });
}
