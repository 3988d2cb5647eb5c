// What a text of SQL would do, coarsely: by the words at the start of each statement.

export type SqlDeed =
  | 'read'
  | 'write'
  | 'write-all' // UPDATE without WHERE
  | 'delete-all' // DELETE without WHERE
  | 'drop'
  | 'truncate'
  | 'admin'
  | 'file' // reads or writes files of the server
  | 'run'; // runs a program

/** The text without comments, except those that a server executes (they begin with `/*!`); strings become empty. */
function bare(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '-' && text.charAt(at + 1) === '-') {
      const end = text.indexOf('\n', at);
      if (end < 0) break;
      at = end;
      result += ' ';
    } else if (letter === '/' && text.charAt(at + 1) === '*') {
      if (text.charAt(at + 2) === '!') {
        at += 2;
        while (/\d/.test(text.charAt(at + 1))) at += 1;
        result += ' ';
        continue;
      }
      const end = text.indexOf('*/', at + 2);
      if (end < 0) break;
      at = end + 1;
      result += ' ';
    } else if (letter === '*' && text.charAt(at + 1) === '/') {
      at += 1;
      result += ' ';
    } else if (letter === "'") {
      let end = at + 1;
      while (end < text.length && text.charAt(end) !== "'") end += text.charAt(end) === '\\' ? 2 : 1;
      at = end;
      result += "''";
    } else result += letter;
  }
  return result;
}

/** What statements do, by their words; the first that fits counts, and any other writes. */
const statements: readonly (readonly [SqlDeed, RegExp])[] = [
  [
    'run',
    /^\\!|^\.(?:shell|system)\b|^system\b|^\\(?:copy|o|g|w)\b.*(?:\bprogram\b|\|)|^copy\b.*\b(?:to|from) program\b|\bxp_cmdshell\b|\bsys_exec\b|\bload_extension\(|^\.load\b/,
  ],
  [
    'file',
    /\binto (?:out|dump)file\b|\bload_file\(|^load data\b|^copy\b.*\b(?:to|from) '|\blo_(?:import|export)\(|\bpg_(?:read_file|ls_dir|read_binary_file)\(|^\.(?:output|once|import|backup|restore|save|dump|read|open|log|excel|archive)\b|^\\(?:o|w|copy|i)\b|\bwritefile\(|\breadfile\(|^attach\b|^\\(?:source|\.)\s|^source\b|^tee\b|^vacuum into\b/,
  ],
  ['drop', /^drop\b|^alter\b.*\bdrop\b(?! (?:not null|default|constraint|identity))|^dropdb\b/],
  ['truncate', /^truncate\b/],
  ['delete-all', /^delete\b|^with\b.*\bdelete from\b/],
  ['write-all', /^update\b/],
  [
    'admin',
    /^(?:grant|revoke|create (?:or replace )?(?:user|role|login)|alter (?:user|role|login|system|server)|set (?:global|password|persist)|kill|shutdown|flush|reset (?:master|slave|replica)|purge|install|uninstall|create extension|reassign|security label|change (?:master|replication))\b|\bpg_(?:terminate|cancel)_backend\(/,
  ],
  [
    'write',
    /^with\b.*\b(?:insert into|update|merge into)\b|^explain\b.*\banalyze\b.*\b(?:delete|update|insert)\b|^select\b.*\binto\b(?! ?@)|^pragma \w+ ?=/,
  ],
  [
    'read',
    /^(?:with|explain|select|show|describe|desc|values|table|use|help|pragma|analyze|set|begin|commit|rollback|start transaction|end|declare|fetch|print|list|exit|quit|status|check|go)\b|^[\\.?]/,
  ],
];

/** Rows are named, and not by what is always true. */
const namesRows = /\bwhere\b(?! (?:1 ?= ?1|true)\b)/;

/** What one statement does. */
function deedOf(statement: string): SqlDeed | null {
  const text = statement.trim().replace(/\s+/g, ' ').toLowerCase();
  if (text === '') return null;
  const [deed] = statements.find(([, pattern]) => pattern.test(text)) ?? ['write' as const];
  return /-all$/.test(deed) && namesRows.test(text) ? 'write' : deed;
}

/** What the statements of a text do, each once. */
export function deedsOfSql(text: string): readonly SqlDeed[] {
  const found = new Set<SqlDeed>();
  // A dot or a backslash at the start of a line is a command of the client, which a line break ends.
  const lines = bare(text).replace(/^[ \t]*([.\\].*)$/gm, ';$1;');
  for (const statement of lines.split(/;|\\g\b|\\G\b/)) {
    const deed = deedOf(statement);
    if (deed) found.add(deed);
  }
  return [...found];
}
