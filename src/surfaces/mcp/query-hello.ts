// What the server of sources says of itself before anything is asked of it. It needs nothing of the rest, so that a
// client that starts the server has this answer at once, while the rest is loaded.

/** The name of the server of one source, or of all. */
export function serverName(source: string | null): string {
  return source === null ? 'sallyport-queries' : `sallyport-${source}`;
}

/** How a model works with it. */
export function instructions(source: string | null): string {
  return [
    source === null
      ? 'You write queries to several sources, and name one in each call. The tools say which there are, and in which language each is asked.'
      : `You write queries to ${source}, in the language that validate_query names.`,
    'Find out what there is with search_schema, and have the tables, types or operations that you need told by describe; do not guess names.',
    'Have each query judged by validate_query first. If it is not valid, its violations say what to leave out.',
    'Show the explanation to the user and get their yes before you execute anything, reads of low risk included.',
    'Where the answer holds an approval and no token, a person has to answer it first: show them how, and validate again.',
    'Then run execute_query with the same query, the same variables and the token. A token counts once.',
    'A long result comes in pages: while it has a next_page, call execute_query again in the same way, with that as page.',
  ].join('\n');
}

/** Revisions of the protocol that begin with `initialize`. */
const revisions: readonly unknown[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/**
 * The answer to the first line that a client sends, where that asks for nothing but who is there; null where the server
 * itself has to answer. INVARIANT: the server gives the same answer.
 */
export function helloTo(
  line: string,
  source: string | null,
  version: string,
): { readonly id: string | number; readonly text: string } | null {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return null;
  }
  const { jsonrpc, id, method, params } = objectOf(message);
  const { protocolVersion } = objectOf(params);
  const isId = typeof id === 'string' || Number.isSafeInteger(id);
  if (jsonrpc !== '2.0' || method !== 'initialize' || !isId || !revisions.includes(protocolVersion))
    return null;
  const listed = { listChanged: true };
  const result = {
    protocolVersion,
    capabilities: { resources: listed, prompts: listed, tools: listed },
    serverInfo: { name: serverName(source), version },
    instructions: instructions(source),
  };
  return { id: id as string | number, text: JSON.stringify({ result, jsonrpc: '2.0', id }) };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
