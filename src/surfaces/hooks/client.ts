// The thin client that hosts call: a small script that pins every path, forgets the environment it was started in, asks
// the daemon, and denies in the host's own words before the host's patience ends, whatever else happens.

import { type Answer, type Host, type HostName, type Reply, silence } from './host.ts';

/** How long a host waits for its hook by its settings, in seconds; the largest of the three times. */
const hostTimeout = 300;
/** Hosts that stop waiting sooner whatever their settings say, and run the tool then, in seconds. */
const shortTimeouts: Readonly<Partial<Record<HostName, number>>> = { qwen: 60 };
/** How much sooner than the host the client gives up waiting for the daemon, in seconds. */
const clientMargin = 10;
/** How much sooner than the host the daemon gives up waiting for a person, in seconds. */
const personMargin = 20;
/** How long the daemon may take to say that it is there, in seconds; less where a host waits for less than minutes. */
const aliveTimeout = 20;
const shortAliveTimeout = 5;
/** How long the daemon may take to start, in seconds. */
const startTimeout = 30;
/** Moments to which a host gives less time than a hook otherwise has, in seconds. */
const shortMoments: Readonly<Partial<Record<HostName, Readonly<Record<string, number>>>>> = {
  codex: { SessionEnd: 3 },
  qwen: { PostToolBatch: 15 },
};

/** How long a host waits for a hook, in seconds. */
function patienceOf({ name }: Pick<Host, 'name'>): number {
  return shortTimeouts[name] ?? hostTimeout;
}

/** How long the daemon may take to say to the client of a host that it is there, in seconds. */
function aliveTimeoutOf({ name }: Pick<Host, 'name'>): number {
  return name in shortTimeouts ? shortAliveTimeout : aliveTimeout;
}

/** How long the daemon waits for approval, in milliseconds; the smallest of the three times. */
export function hookWaitMs(host: Pick<Host, 'name'>): number {
  return (patienceOf(host) - personMargin) * 1000;
}

/** The hook timeout that is written into the host's settings for an event, in seconds. */
export function hookTimeout(host: Host, event: string): number {
  return shortMoments[host.name]?.[event] ?? patienceOf(host);
}

/** What starts the daemon again, and what tells whether that is needed and wanted. */
export interface DaemonStart {
  readonly command: readonly string[];
  /** The file that a daemon leaves while it runs; it begins with the process id. */
  readonly daemon: string;
  /** There while a person wants the daemon stopped. */
  readonly stopped: string;
}

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
  readonly carrier:
    | { readonly perl: string }
    | { readonly curl: string }
    | { readonly node: string; readonly client: string };
  /** What starts the daemon where it is not running; null to deny instead. */
  readonly start: DaemonStart | null;
  /** Writes bytes as text; null where this machine has none, or no host starts commands through the client. */
  readonly base64: string | null;
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
# It ends with 0 or 2 and nothing else: many hosts take any other exit code as allowed.
event=\${1-}
shell=0
unanswered() {
  case $event in
${branches}
  esac
}
${shellLines(parts)}case \${2-} in
pinned) ;;
*)
  ${quote(env)} -i ${quote(sh)} ${quote(script)} "$event" pinned "$PPID" $shell
  code=$?
  case $code in 0 | 2) exit $code ;; esac
  unanswered
  ;;
esac
${limits(host)}${carryFunction(parts)}${start === null ? '' : startLines(start, parts)}answer=$(${carry(parts)} 2>/dev/null) || ${start === null ? 'unanswered' : refusedLines}
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
[ -z "$output" ] || printf '%s\\n' "$output" || exit 2
exit $code
`;
}

/** Where the settings of the machine name the client of the account that runs an agent. */
const machineClient = '/etc/sallyport/bin/';

/**
 * The lines for a host that starts all its programs through the client, each as one text. Its own hooks are answered as
 * ever, and so is a word like the name of a moment. About any other text the daemon is asked: it runs as it is, on an overlay, or not at all. What is no command of an
 * agent runs without an answer too. INVARIANT: the environment is the host's, so that no program is found by it, and what
 * the daemon says is believed by its proof alone.
 */
function shellLines(parts: ClientParts): string {
  const { host, script, sh, base64 } = parts;
  if (base64 === null) return '';
  const own = [script, `${machineClient}${host.name}`]
    .map((path) => `${quote(`${quote(path)} `)}*`)
    .join(' | ');
  const missing =
    'sallyport: the command was not run: the daemon did not answer. Run sallyport doctor to see why.';
  const lost =
    "sallyport: the daemon did not answer when the command ended: what it changed was kept as a whole or not at all; 'sallyport snapshots' tells.";
  return `${askLines(parts, base64)}through_shell() {
  ask ShellStart '%s\\0%s\\0%s' "$(pwd -P)" "\${CLAUDE_CODE_SESSION_ID-}" "$event"
  case $said in
  'plain '*)
    eval "set -- \${said#* }"
    [ -z "$1" ] || printf '%s\\n' "$1" >&2
    exec "$2" -c "$event"
    ;;
  'aside '*)
    eval "set -- \${said#* }"
    id=$1
    status=$2
    shift 2
    "$@" -c "$event" 3>"$status"
    code=$?
    ask ShellEnd %s "$id"
    case $said in
    'kept '*) ;;
    *)
      [ $code -ne 0 ] || code=1
      case $said in 'lost '*) ;; *) said=${quote(`lost ${quote(lost)}`)} ;; esac
      ;;
    esac
    eval "set -- \${said#* }"
    [ -z "$1" ] || printf '%s\\n' "$1" >&2
    exit $code
    ;;
  'deny '*)
    eval "set -- \${said#* }"
    printf '%s\\n' "$1" >&2
    exit 126
    ;;
  esac
  case $event in
  *' && pwd -P >| '*)
    printf '%s\\n' ${quote(missing)} >&2
    exit 126
    ;;
  esac
  exec ${quote(sh)} -c "$event"
}
case \${2-} in
pinned) ;;
*)
  case $event in
  ${own})
    event=\${event##* }
    shell=1
    ;;
  *[!A-Za-z]* | [!A-Z]*) through_shell ;;
  esac
  ;;
esac
`;
}

/**
 * The function that asks the daemon about a command and sets what it said; empty where it said nothing that counts. The
 * script can ask as for a hook, which starts a daemon where none runs; where Perl carries, it is asked directly first, for
 * that starts two programs and not four.
 */
function askLines(parts: ClientParts, base64: string): string {
  const { host, script, env, sh, proof, socket, header, carrier } = parts;
  const again = `  said=$(printf '{"call":"%s"}' "$(printf "$@" | ${quote(base64)} -w0)" | ${quote(env)} -i ${quote(sh)} ${quote(script)} "$moment" pinned $$ 2>/dev/null) || said=
`;
  const start = 'ask() {\n  moment=$1\n  shift\n';
  if (!('perl' in carrier)) return `${start}${again}}\n`;
  const times = `${aliveTimeoutOf(host)} ${patienceOf(host) - clientMargin}`;
  const words = [socket, header].map(quote).join(' ');
  return `${start}  answer=$(printf "$@" | ${quote(env)} -i ${quote(carrier.perl)} -e '${perlCarrier}' ${words} ${times} "/v1/hook/${host.name}?event=$moment&parent=$$&shell=0" call 2>/dev/null) || answer=
  case $answer in
  "${proof} 0
"*"
.")
    said=\${answer#*
*
}
    said=\${said%
.}
    return
    ;;
  esac
${again}}
`;
}

/** How long the client waits, by the moment: the answer must be there before the host gives up. */
function limits(host: Host): string {
  const patience = patienceOf(host);
  const short = Object.keys(host.events).filter((event) => hookTimeout(host, event) < patience);
  const longest = aliveTimeoutOf(host);
  const usual = `alive=${longest}\nwait=${patience - clientMargin}\n`;
  const cases = short.map((event) => {
    const seconds = hookTimeout(host, event) - 1;
    const alive = Math.min(seconds, longest);
    return `  ${quote(event)}) alive=${alive} wait=${Math.max(alive, seconds - clientMargin)} ;;\n`;
  });
  return cases.length === 0 ? usual : `${usual}case $event in\n${cases.join('')}esac\n`;
}

/**
 * The lines that start the daemon where none runs. A process that is gone and a socket that stayed are a crash: the file
 * names the process, and asking whether it is there costs no other program; one that ended and that nobody waited for is
 * not there. Where it is not seen, which happens inside a container, the daemon itself is asked. The end of a session
 * starts nothing, and no moment with less time than a start may take does.
 */
function startLines(
  { command, daemon, stopped }: DaemonStart,
  { host, socket, carrier }: ClientParts,
): string {
  const patience = patienceOf(host);
  const ends = Object.keys(host.events).filter(
    (event) => host.events[event] === 'session_end' || hookTimeout(host, event) < patience,
  );
  const skip = ends.length === 0 ? '' : `  ${ends.map(quote).join(' | ')}) start() { :; } ;;\n`;
  const isThere = aliveCommand(carrier, socket);
  return `case $event in
${skip}  *)
    start() {
      [ -e ${quote(stopped)} ] || (cd / && ${command.map(quote).join(' ')}) </dev/null >/dev/null 2>&1
    }
    process=
    { read -r process <${quote(daemon)}; } 2>/dev/null
    process=\${process#*'"pid":'}
    process=\${process%%[!0-9]*}
    state=
    { read -r state </proc/$process/stat; } 2>/dev/null
    case $state in *') Z '*) process= ;; esac
    [ -n "$process" ] && kill -0 "$process" 2>/dev/null || ${isThere} || {
      start
      wait=$((wait - ${startTimeout + 2 * aliveTimeoutOf(host)}))
    }
    ;;
esac
`;
}

/**
 * What happens if no answer comes. Seven is a connection that was refused: the daemon died a moment ago, or another
 * process has its number. What the host said is spent by then, so this call is denied, and the next one finds a daemon.
 */
const refusedLines = '{ [ $? -ne 7 ] || start; unanswered; }';

/** The lines that print a reply and end. */
function replyLines({ stdout, stderr, exit }: Reply): readonly string[] {
  return [
    ...(stderr === silence.stderr ? [] : [`printf '%s\\n' ${quote(stderr)} >&2`]),
    ...(stdout === silence.stdout ? [] : [`printf '%s\\n' ${quote(stdout)} || exit 2`]),
    `exit ${exit}`,
  ];
}

/** The command that takes the host's JSON to the daemon and prints what the daemon says. */
function carry({ host, socket, header, carrier }: ClientParts): string {
  const path = `/v1/hook/${host.name}`;
  // The process that called us says which processes are the host's: what they do not do is not the agent's work.
  const query = `event=$event&parent=\${3-0}&shell=\${4-0}`;
  if ('perl' in carrier) return `carry $alive $wait "${path}?${query}"`;
  if ('node' in carrier) {
    const words = [carrier.node, carrier.client, socket, header, path].map(quote);
    return `${words.join(' ')} "\${alive}000" "\${wait}000" "$event" "\${3-0}" "\${4-0}"`;
  }
  const ask = [
    ...['--silent', '--fail', '--noproxy', '*', '--unix-socket', socket],
    ...['--header', `@${header}`, '--header', 'accept: text/plain', '--header', 'expect:'],
    ...['--header', 'content-type: application/json', '--data-binary', '@-'],
  ];
  // One start of curl for both: a daemon that hangs is found out soon, a person may take longer.
  const first = [carrier.curl, '-q', '--fail-early', ...aliveWords(socket)].map(quote);
  const second = ask.map(quote).join(' ');
  return `${first.join(' ')} --max-time $alive --next ${second} --max-time $wait "http://localhost${path}?${query}"`;
}

/** The command that asks whether the daemon is there. */
function aliveCommand(carrier: ClientParts['carrier'], socket: string): string {
  if ('perl' in carrier) return 'carry $alive >/dev/null 2>&1';
  if ('node' in carrier) return 'false';
  const words = [carrier.curl, '-q', ...aliveWords(socket)].map(quote).join(' ');
  return `${words} --max-time $alive >/dev/null 2>&1`;
}

/**
 * The carrier for machines with Perl, which starts in a third of the time of curl. It needs no module, so that nothing is
 * loaded. INVARIANT: it holds no single quote, since it stands between two in the script.
 */
const perlCarrier = `
my ($path, $header, $alive, $wait, $url, $call) = @ARGV;
$SIG{ALRM} = sub { exit 1 };
alarm $alive;
my $name = "$path\\0";
socket(my $socket, 1, 1, 0) or exit 1;
connect($socket, $^O eq "linux" ? pack("Sa*", 1, $name) : pack("CCa*", 2 + length $name, 1, $name)) or exit 7;
sub ask {
  my ($text) = @_;
  my $sent = 0;
  while ($sent < length $text) { $sent += syswrite($socket, $text, length($text) - $sent, $sent) || exit 1 }
  my $in = "";
  until ($in =~ /\\r\\n\\r\\n/) { sysread($socket, $in, 65536, length $in) || exit 1 }
  my ($head, $rest) = split /\\r\\n\\r\\n/, $in, 2;
  my ($size) = $head =~ /^content-length: *(\\d+)/mi;
  exit 1 unless $head =~ m{^HTTP/1[.]1 200 } && defined $size;
  while (length $rest < $size) { sysread($socket, $rest, 65536, length $rest) || exit 1 }
  return substr $rest, 0, $size;
}
ask("GET /livez HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n");
exit 0 unless defined $url;
alarm $wait;
open(my $file, "<", $header) or exit 1;
chomp(my $credential = <$file>);
my $body = do { local $/; <STDIN> } // "";
if ($call) {
  my $more = (3 - length($body) % 3) % 3;
  $body = pack "u", $body;
  $body =~ s/^.//mg;
  $body =~ s/\\n//g;
  $body =~ tr{\` -_}{AA-Za-z0-9+/};
  substr($body, -$more) = "=" x $more if $more;
  $body = "{\\"call\\":\\"$body\\"}";
}
my @head = ("POST $url HTTP/1.1", "host: localhost", $credential, "accept: text/plain", "connection: close");
push @head, "content-type: application/json", "content-length: " . length $body;
print ask(join("\\r\\n", @head, "", $body));
`.trim();

/** The function of the script that starts Perl; nothing for other carriers. */
function carryFunction({ carrier, socket, header }: ClientParts): string {
  if (!('perl' in carrier)) return '';
  const words = [socket, header].map(quote).join(' ');
  return `carry() {\n${quote(carrier.perl)} -e '${perlCarrier}' ${words} "$@"\n}\n`;
}

/** The arguments with which curl asks whether the daemon is there. */
function aliveWords(socket: string): readonly string[] {
  return [
    ...['--silent', '--fail', '--noproxy', '*', '--unix-socket', socket],
    ...['--output', '/dev/null', 'http://localhost/livez'],
  ];
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
const [socketPath, header, path, alive, patience, event, parent, shell] = process.argv.slice(2);
const fail = (error) => process.exit(/^(?:ECONNREFUSED|ENOENT)$/.test(error?.code) ? 7 : 1);
const [name, ...value] = readFileSync(header, 'utf8').trim().split(': ');
const call = (options, timeout, body, done) => {
  const timer = setTimeout(() => fail(), timeout);
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
  const query = '?event=' + encodeURIComponent(event) + '&parent=' + encodeURIComponent(parent) + '&shell=' + encodeURIComponent(shell);
  const options = { path: path + query, method: 'POST', headers };
  call(options, Number(patience), input, (answer) => process.stdout.write(answer));
});
`;
