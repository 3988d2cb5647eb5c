// Takes a tool's schema in whichever form its author has it.

import { InputError, isJsonObject, type JsonObject, parseJson } from '../../core/index.ts';

/** A schema of any library that follows the Standard Schema and can say itself as JSON Schema. */
export interface StandardSchema {
  readonly '~standard': {
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => unknown };
  };
}

/** JSON Schema, or a Standard Schema that can say itself as one. */
export type AnySchema = JsonObject | StandardSchema;

/** The JSON Schema of any of them; throws `InputError` where there is none. */
export function jsonSchemaOf(schema: AnySchema): JsonObject {
  const standard = isStandard(schema) ? schema['~standard'].jsonSchema : undefined;
  if (isStandard(schema) && standard === undefined) {
    throw new InputError('the schema cannot say itself as JSON Schema', {
      hint: 'give a JSON Schema, or a newer version of the library that made this one',
    });
  }
  // What a library gives may be any object; the strict reader takes it as the JSON that it stands for.
  const plain = parseJson(JSON.stringify(standard?.input({ target: 'draft-2020-12' }) ?? schema));
  if (!isJsonObject(plain)) throw new InputError('a schema is a JSON object');
  return plain;
}

function isStandard(schema: AnySchema): schema is StandardSchema {
  return (
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
  );
}
