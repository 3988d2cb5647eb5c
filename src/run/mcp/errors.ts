// The reasons why a call to an MCP server ended without a result.

import { SallyportError } from '../../core/index.ts';

/** The configuration does not allow this call to that server. */
export class BlockedByMcpPolicy extends SallyportError {
  constructor(server: string, tool: string, why: string) {
    super(`MCP tool 'mcp:${server}:${tool}' blocked by MCP policy (${why}).`, {
      hint: 'a person allows it under [servers.NAME] of the configuration',
    });
  }
}

/** The server is unreachable, exited, or was terminated. */
export class UpstreamGone extends SallyportError {}

/** The server did not answer in time. */
export class UpstreamTimedOut extends SallyportError {}

/** The server answered with an error, or with an unacceptable message. */
export class UpstreamFailed extends SallyportError {
  /** The code of the error that the server answered with. */
  readonly code: number | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly code?: number } = {}) {
    super(message, options);
    this.code = options.code;
  }
}

/**
 * The server requires a login that does not exist, or is no longer valid. INVARIANT: none of its words are the
 * server's.
 */
export class NotLoggedIn extends SallyportError {
  constructor(server: string, options: { readonly cause?: unknown } = {}) {
    super(
      `the MCP server "${server}" wants a login; a person logs in with: sallyport mcp login ${server}`,
      options,
    );
  }
}

/** The caller aborted. */
export class UpstreamAborted extends SallyportError {}
