// The language that each kind of source is asked in.

import type { SourceKind } from '../../config/sources.ts';
import type { ActionOf } from '../../core/index.ts';

export const languages: Readonly<Record<SourceKind, ActionOf<'query'>['language']>> = {
  graphql: 'graphql',
  postgres: 'sql',
  mysql: 'sql',
  sqlite: 'sql',
  rest: 'rest',
};
