// The engine: Cedar as WebAssembly, with our schema read once. Loaded with the first question.

import { once, SallyportError } from '../core/index.ts';
import { schemaText } from './schema.ts';

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

/** The name under which the engine keeps our schema. */
export const schemaName = 'sallyport';

/** The engine is not installed or does not work; whatever needs a policy is refused. */
class PolicyEngineUnavailable extends SallyportError {}

/** Loads the engine; throws `PolicyEngineUnavailable`, and tries again when asked again. */
export const loadCedar = once(async (): Promise<Cedar> => {
  let cedar: Cedar;
  try {
    cedar = await import('@cedar-policy/cedar-wasm/nodejs');
  } catch (error) {
    throw new PolicyEngineUnavailable('the policy engine is not installed', {
      cause: error,
      hint: 'install @cedar-policy/cedar-wasm beside Sallyport',
    });
  }
  const read = cedar.preparseSchema(schemaName, schemaText);
  if (read.type === 'failure') {
    throw new PolicyEngineUnavailable(`the schema cannot be read: ${read.errors[0]?.message ?? ''}`);
  }
  return cedar;
});
