// A permission on the wire.

import { coverings, type Permission } from './permission.ts';
import { choice, count, milliseconds, named, nullable, reply, type Shape, texts, words } from './shape.ts';

export const permissionShape: Shape<Permission> = named(
  'Permission',
  reply({
    ...texts('id', 'effect', 'says', 'user', 'tenant', 'agent', 'workspace'),
    covers: choice(coverings),
    session: nullable(words),
    uses: nullable(count),
    createdAt: milliseconds,
    expiresAt: milliseconds,
  }),
);
