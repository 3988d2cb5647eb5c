// What is taken from an MCP server at most; whatever goes beyond is left out, or the server is ended.

/** Bytes of one message, and of all that stands unread in a pipe to it. */
export const mostMessageBytes = 8 * 1024 * 1024;
/** Bytes, and lines, between two requests to a program; and bytes of one response over HTTP. */
export const mostBytes = 4 * mostMessageBytes;
export const mostLines = 10_000;
/** Of what a program says on standard error the end is kept, for the message that tells of its death. */
export const stderrLimit = 2000;

/** Pages of a list, and members of it. */
export const mostPages = 64;
export const mostMembers = 1000;
/** Characters of a description, and of a schema as JSON. */
export const longestDescription = 16_384;
export const longestSchema = 131_072;

/**
 * How long a list counts before it is asked for again: a server need not say that it has changed, and a definition that
 * has is asked about before it is used.
 */
export const listLifeMs = 1000;

/** The code of the error that ends a stream in which an answer is missing; a server has no use for it. */
export const lostCode = -32_099;
