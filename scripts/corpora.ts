// Where the public texts lie that evaluations read: beside the project, or where SALLYPORT_CORPORA says.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const corpora = process.env['SALLYPORT_CORPORA'] ?? join(root, '..', 'shared', 'corpora');
