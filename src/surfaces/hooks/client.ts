// The thin client that hosts call: a small script that pins every path, forgets the environment it was started in, asks
// the daemon, and denies in the host's own words before the host's patience ends, whatever else happens.

import { type Answer, type Host, type Reply, silence } from './host.ts';

/** How long a host is told to wait for its hook, in seconds; the largest of the three times. */
export const hostTimeout = 300;
/** How long the client waits for the daemon, in seconds. */
const clientTimeout = 290;
/** How long the daemon may take to say that it is there, in seconds. */
const aliveTimeout = 5;
/** How long the daemon waits for a person, in milliseconds; the smallest of the three times. */
export const hookWaitMs = 280_000;

/** Everything that is pinned when a host is wired in. */
export interface ClientParts {
  readonly host: Host;
  /** Where the script itself will stand. */
  readonly script: string;
  readonly socket: string;
  /** A file with the one header that holds the credential. */
  readonly header: string;
  /** What only the daemon that made the credential can say. */
  readonly proof: string;
  readonly env: string;
  readonly sh: string;
  /** What carries the request: curl where there is one, else a small client for this Node. */
  readonly carrier: { readonly curl: string } | { readonly node: string; readonly client: string };
  /** The command that starts the daemon where it is not running; null to deny instead. */
  readonly start: readonly string[] | null;
}

const unanswered: Answer = {
  does: 'deny',
  reason:
    "Sallyport: Blocked: the daemon did not answer, so nothing was checked. Start it with 'sallyport up'; 'sallyport doctor' says what is wrong.",
};

/** What the client says by itself at a moment, where the daemon says nothing that counts. */
export function unansweredReply(host: Host, event: string): Reply {
  return host.answer(event, unanswered);
}

const lost: Answer = {
  does: 'deny',
  reason:
    'Sallyport: Blocked: the client is missing or failed, so nothing was checked. Run sallyport doctor to see why.',
};

/** What the host hears at a moment where the client itself says nothing that counts. */
export function lostReply(host: Host, event: string): Reply {
  return host.answer(event, lost);
}

/**
 * The reply as the script reads it, a line each: proof and exit code, standard error, standard output, and a dot, for a
 * shell drops empty lines at the end.
 */
export function plainReply({ stdout, stderr, exit }: Reply, proof: string): string {
  return `${proof} ${exit}\n${stderr}\n${stdout}\n.`;
}

/** The script, whole. */
export function clientScript(parts: ClientParts): string {
  const { host, script, env, sh, proof, start } = parts;
  const [first = ''] = Object.keys(host.events);
  const cases = Object.keys(host.events).map((event) => {
    const pattern = event === first ? '*' : quote(event);
    return { pattern, lines: replyLines(unansweredReply(host, event)) };
  });
  // The first moment is the one before a tool runs; it also stands for whatever is not known, so it comes last.
  const branches = [...cases.slice(1), ...cases.slice(0, 1)]
    .map(({ pattern, lines }) => `  ${pattern})\n${lines.map((line) => `    ${line}\n`).join('')}    ;;`)
    .join('\n');
  return `#!/bin/sh
# Sallyport's client for ${host.title}. 'sallyport init ${host.name}' writes it, 'sallyport doctor' checks it.
# It ends with 0 or 2 and nothing else: many hosts take any other end for a yes.
event=\${1-}
unanswered() {
  case $event in
${branches}
  esac
}
case \${2-} in
pinned) ;;
*)
  ${quote(env)} -i ${quote(sh)} ${quote(script)} "$event" pinned
  code=$?
  case $code in 0 | 2) exit $code ;; esac
  unanswered
  ;;
esac
${start === null ? '' : `[ -S ${quote(parts.socket)} ] || ${start.map(quote).join(' ')} </dev/null >/dev/null 2>&1\n`}answer=$(${carry(parts)} 2>/dev/null) || unanswered
line='
'
case $answer in
"${proof} 0$line"*"$line.") code=0 ;;
"${proof} 2$line"*"$line.") code=2 ;;
*) unanswered ;;
esac
rest=\${answer#"${proof} $code$line"}
error=\${rest%%"$line"*}
output=\${rest#"$error"}
output=\${output#"$line"}
output=\${output%"$line."}
[ -z "$error" ] || printf '%s\\n' "$error" >&2
[ -z "$output" ] || printf '%s\\n' "$output"
exit $code
`;
}

/** The lines that print a reply and end. */
function replyLines({ stdout, stderr, exit }: Reply): readonly string[] {
  return [
    ...(stderr === silence.stderr ? [] : [`printf '%s\\n' ${quote(stderr)} >&2`]),
    ...(stdout === silence.stdout ? [] : [`printf '%s\\n' ${quote(stdout)}`]),
    `exit ${exit}`,
  ];
}

/** The command that takes the host's JSON to the daemon and prints what the daemon says. */
function carry({ host, socket, header, carrier }: ClientParts): string {
  const path = `/v1/hook/${host.name}`;
  if (!('curl' in carrier)) {
    const times = [aliveTimeout, clientTimeout].map((seconds) => String(seconds * 1000));
    return [carrier.node, carrier.client, socket, header, path, ...times]
      .map(quote)
      .concat('"$event"')
      .join(' ');
  }
  const common = ['--silent', '--fail', '--noproxy', '*', '--unix-socket', socket, '--max-time'];
  const alive = [...common, String(aliveTimeout), '--output', '/dev/null', 'http://localhost/livez'];
  const ask = [
    ...common,
    String(clientTimeout),
    ...['--header', `@${header}`, '--header', 'accept: text/plain', '--header', 'expect:'],
    ...['--header', 'content-type: application/json', '--data-binary', '@-'],
  ];
  // One start of curl for both: a daemon that hangs is found out soon, a person may take longer.
  const words = [carrier.curl, '-q', '--fail-early', ...alive, '--next', ...ask].map(quote);
  return `${words.join(' ')} "http://localhost${path}?event=$event"`;
}

/** A word that a shell takes as it is. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The carrier for machines without curl: a file of its own that needs nothing but the Node it is started with. */
export const nodeCarrier = `// Sallyport's client for machines without curl: carries standard input to the daemon and prints its answer.
'use strict';
const { readFileSync } = require('node:fs');
const { request } = require('node:http');
const [socketPath, header, path, alive, patience, event] = process.argv.slice(2);
const fail = () => process.exit(1);
const [name, ...value] = readFileSync(header, 'utf8').trim().split(': ');
const call = (options, timeout, body, done) => {
  const timer = setTimeout(fail, timeout);
  const sent = request({ socketPath, agent: false, ...options }, (answer) => {
    const pieces = [];
    answer.on('error', fail);
    answer.on('data', (piece) => pieces.push(piece));
    answer.on('end', () => {
      clearTimeout(timer);
      if (answer.statusCode !== 200 || !answer.complete) fail();
      done(Buffer.concat(pieces));
    });
  });
  sent.on('error', fail);
  sent.end(body);
};
const input = readFileSync(0);
call({ path: '/livez' }, Number(alive), '', () => {
  const headers = { host: 'localhost', [name]: value.join(': '), accept: 'text/plain', 'content-type': 'application/json' };
  const options = { path: path + '?event=' + encodeURIComponent(event), method: 'POST', headers };
  call(options, Number(patience), input, (answer) => process.stdout.write(answer));
});
`;
