// Limits for the data of an MCP server; data beyond them is omitted, or the server is terminated.

/** Bytes of one message, and of all unread data in a pipe to it. */
export const mostMessageBytes = 8 * 1024 * 1024;
/** Bytes, and lines, between two requests to a program; and bytes of one response over HTTP. */
export const mostBytes = 4 * mostMessageBytes;
export const mostLines = 10_000;
/** The end of a program's standard error is stored, for the message that reports its exit. */
export const stderrLimit = 2000;

/** Pages of a list, and members of it. */
export const mostPages = 64;
export const mostMembers = 1000;
/** Characters of a description, and of a schema as JSON. */
export const longestDescription = 16_384;
export const longestSchema = 131_072;

/**
 * How long a list is cached: a server need not report a change, and a changed definition is asked about before it is
 * used.
 */
export const listLifeMs = 1000;

/** The code of the error that ends a stream without an expected answer; servers do not use it. */
export const lostCode = -32_099;
