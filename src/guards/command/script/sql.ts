// What a statement of SQL does, by its first word: for clients that are called with a literal.

/** What a statement of SQL does, by its text. */
export function statementKind(sql: string): 'read' | 'write' | 'drop' | 'truncate' | 'admin' | null {
  const bare = sql.slice(0, 4096).replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  let worst: ReturnType<typeof statementKind> = null;
  for (const statement of bare.split(';')) {
    const [verb = ''] = statement.trim().split(/\s+/, 1);
    const kind = kindOf(verb.toLowerCase(), statement);
    if (kind !== null && (worst === null || order.indexOf(kind) > order.indexOf(worst))) worst = kind;
  }
  return worst;
}

const order = ['read', 'write', 'admin', 'truncate', 'drop'] as const;

function kindOf(verb: string, statement: string): ReturnType<typeof statementKind> {
  switch (verb) {
    case 'drop':
      return 'drop';
    case 'truncate':
      return 'truncate';
    case 'delete':
      return /\bwhere\b/i.test(statement) ? 'write' : 'truncate';
    case 'alter':
      return /\bdrop\b/i.test(statement) ? 'drop' : 'admin';
    case 'insert':
    case 'update':
    case 'replace':
    case 'merge':
    case 'create':
    case 'copy':
      return 'write';
    case 'grant':
    case 'revoke':
    case 'shutdown':
    case 'set':
      return 'admin';
    case 'select':
    case 'show':
    case 'pragma':
    case 'explain':
    case 'with':
      return 'read';
    default:
      return null;
  }
}
