// The MCP servers that calls are handed on to, with what of them is offered and to whom.

import { Badge, Nothing, Problem, Shown, useAsked } from '../parts.tsx';

export function Servers() {
  const { data, error } = useAsked('GET /v1/servers');
  const servers = data?.servers ?? [];
  return (
    <>
      <Problem text={error} />
      {data !== undefined && servers.length === 0 && (
        <Nothing title="There is no MCP server behind the gateway.">
          Add one at a terminal: <code>sallyport mcp add NAME ADDRESS</code>
        </Nothing>
      )}
      <div className="stack">
        {servers.map(({ name, kind, place, tools, agents }) => (
          <article key={name} className="card" aria-label={name}>
            <div className="row">
              <h3>
                <Shown text={name} limit={80} />
              </h3>
              <Badge decision="" word={kind === 'http' ? 'HTTP' : 'local program'} />
            </div>
            <pre className="rest">
              <Shown text={place} limit={2000} />
            </pre>
            <dl className="pairs">
              <dt>Tools</dt>
              <dd>
                <Shown text={tools === null ? 'all that it offers' : tools.join(', ')} />
              </dd>
              <dt>Agents</dt>
              <dd>
                <Shown text={agents === null ? 'all' : agents.join(', ')} />
              </dd>
              <dt>Check</dt>
              <dd>
                <code>sallyport mcp status {name}</code>
              </dd>
            </dl>
          </article>
        ))}
      </div>
    </>
  );
}
