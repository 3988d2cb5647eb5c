// Makes values with check digits for the examples of rules. Not part of the product.

import type { Generators } from '../examples.ts';
import { piiGenerators } from './pii-generators.ts';
import { secretGenerators } from './secret-generators.ts';

export const generators: Generators = { ...secretGenerators, ...piiGenerators };
