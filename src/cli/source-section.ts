// The section of sallyport.toml that a new source gets: where it is, and what its schema suggests to block.

import type { SourceKind } from '../config/sources.ts';
import { visible } from '../core/index.ts';
import type { NamedFields } from '../guards/query/fields.ts';
import type { SortedFunctions } from '../guards/query/sql/postgres/own-functions.ts';

/** What a section is made of. */
export interface NewSource {
  readonly name: string;
  readonly kind: SourceKind;
  /** As the configuration has it, with the names of variables in place of secrets; null where it has no place. */
  readonly url: string | null;
  readonly schemaFrom: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The path of the schema file, as the configuration has it. */
  readonly schema: string;
  /** Variables of the environment that its address and headers name. */
  readonly variables: readonly string[];
  readonly fields: NamedFields;
  readonly functions: SortedFunctions;
}

const blockedKey: Readonly<Record<SourceKind, string>> = {
  postgres: 'sql_blocked_columns',
  mysql: 'sql_blocked_columns',
  sqlite: 'sql_blocked_columns',
  graphql: 'blocked_fields',
  rest: 'openapi_output_blocked_fields',
};

/** As many names as a list of the configuration takes. */
const mostNames = 1000;

export function sectionText(source: NewSource): string {
  const { name, kind, url, schemaFrom, headers, schema, variables } = source;
  const lines = [
    '# Added by `sallyport sources add`.',
    `[sources.${name}]`,
    `kind = ${text(kind)}`,
    ...(variables.length === 0
      ? []
      : [`# From the environment, so that no credential is in this file: ${variables.join(', ')}`]),
    ...(url === null ? [] : [`url = ${text(url)}`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers = ${inlineTable(headers)}`]),
    `# \`sallyport sources refresh ${name}\` writes this file again.`,
    `schema = ${text(schema)}`,
    ...(schemaFrom === null ? [] : [`schema_from = ${text(schemaFrom)}`]),
    '',
    `[sources.${name}.code_mode]`,
    ...blockLines(source),
    ...functionLines(source.functions),
    ...tenantLines(source.fields),
    ...changeLines[kind],
  ];
  return `${lines.join('\n')}\n`;
}

function blockLines({ kind, fields: { byMeaning } }: NewSource): readonly string[] {
  const blocked = [...byMeaning.secret, ...byMeaning.identity].toSorted();
  return [
    ...(blocked.length === 0
      ? ['# No name looks like a secret or like personal data that must not be read.']
      : ['# Names that look like secrets or sensitive personal data: never read.']),
    `${blocked.length === 0 ? '# ' : ''}${blockedKey[kind]} = ${listText(blocked)}`,
    ...(byMeaning.contact.length === 0
      ? []
      : [
          '# Names that look like data about a person: a query that reads one requires approval.',
          `sensitive_fields = ${listText(byMeaning.contact.toSorted())}`,
          '# To take personal data out of results instead, remove sensitive_fields and set:',
          '# redact_personal_data = true',
        ]),
  ];
}

function functionLines({ computing, other }: SortedFunctions): readonly string[] {
  const isShort = computing.length <= mostNames;
  return [
    ...(computing.length === 0 ? [] : ['# Functions that only compute from their arguments.']),
    ...(computing.length === 0
      ? []
      : [`${isShort ? '' : '# '}sql_allowed_functions = ${listText(computing)}`]),
    ...(other.length === 0
      ? []
      : [
          '# Functions that may read or change anything. Add one to sql_allowed_functions if you know what it does:',
        ]),
    ...other.map(({ name, about }) => `#   ${oneLine(name)}: ${oneLine(about)}`),
  ];
}

function tenantLines({ tenant }: NamedFields): readonly string[] {
  if (tenant === null) return [];
  return [
    `# ${oneLine(tenant.column)} is a column of ${tenant.tables.length} of ${tenant.of} tables. To restrict every query to the tenant of its user:`,
    `# tenant_column = ${text(tenant.column)}`,
    `# tenant_tables = ${listText(tenant.tables).replaceAll('\n', '\n# ')}`,
  ];
}

const sqlChanges = [
  '# Queries only read. To allow changes, each of which requires approval:',
  '# sql_allow_writes = true',
  '# sql_allow_deletes = true',
];
const changeLines: Readonly<Record<SourceKind, readonly string[]>> = {
  postgres: sqlChanges,
  sqlite: sqlChanges,
  mysql: ['# A MySQL source is judged, not run.'],
  graphql: [
    '# Queries only read. To allow mutations, each of which requires approval:',
    '# allow_mutations = true',
  ],
  rest: [
    '# Requests only read. To allow changes, each of which requires approval:',
    '# openapi_allow_writes = true',
    '# openapi_allow_deletes = true',
  ],
};

/** One name a line, where they do not fit in one. */
function listText(names: readonly string[]): string {
  // A name alone stands for itself in every table.
  const short =
    names.length <= mostNames
      ? names
      : [...new Set(names.map((name) => name.slice(name.lastIndexOf('.') + 1)))];
  const line = `[${short.map(text).join(', ')}]`;
  return line.length <= 100 ? line : `[\n${short.map((name) => `  ${text(name)},\n`).join('')}]`;
}

function inlineTable(headers: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(headers)
    .map(([key, value]) => `${text(key)} = ${text(value)}`)
    .join(', ')} }`;
}

/** Texts of TOML are those of JSON. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

function oneLine(value: string): string {
  return visible(value, 200).replace(/[\r\n]/g, ' ');
}

/** An address without credentials, each replaced by the name of a variable, and the values of those. */
export function withoutCredentials(
  url: string,
  name: string,
): { readonly text: string; readonly variables: Readonly<Record<string, string>> } {
  const variables: Record<string, string> = {};
  const prefix = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_');
  const borrow = (part: string, value: string): string => {
    const variable = `${prefix}_${part.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
    variables[variable] = value;
    return `\${${variable}}`;
  };
  const literal = (part: string) => part.replaceAll('${', () => '$${');
  const [, scheme = '', authority = '', rest = url] =
    /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)(.*)$/is.exec(url) ?? [];
  // As addresses are read, the last @ ends the account, and the first : its name.
  const at = authority.lastIndexOf('@');
  const [user, password] = splitAt(authority.slice(0, Math.max(at, 0)), ':');
  const secret = password === undefined || password === '' ? '' : `:${borrow('password', password)}`;
  const account = at < 0 ? '' : `${literal(user)}${secret}@`;
  const [place, query] = splitAt(rest, '?');
  const pairs = query?.split('&').map((pair) => {
    const [key, value] = splitAt(pair, '=');
    const isSecret = value !== undefined && value !== '' && secretParameter.test(key);
    return isSecret ? `${literal(key)}=${borrow(key, value)}` : literal(pair);
  });
  const after = pairs === undefined ? '' : `?${pairs.join('&')}`;
  return { text: `${scheme}${account}${authority.slice(at + 1)}${literal(place)}${after}`, variables };
}

/** Parameters of an address that are credentials, or may be. */
const secretParameter = /pass|pwd|secret|token|api.?key|access.?key|auth|credential|signature|^(?:sig|key)$/i;

function splitAt(value: string, sign: string): readonly [string, string?] {
  const at = value.indexOf(sign);
  return at < 0 ? [value] : [value.slice(0, at), value.slice(at + 1)];
}
