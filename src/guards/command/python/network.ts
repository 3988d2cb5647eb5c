// Python's libraries that reach other hosts, or let others reach this one.

import { after, connects, effects, reads, shells, writes } from '../script/actions.ts';
import type { Call, Operation } from '../script/machine.ts';
import { itemsOf } from '../script/objects.ts';
import {
  asValue,
  handle,
  list,
  literal,
  map,
  merge,
  none,
  originsOf,
  type Thing,
  tainted,
  text,
  textsOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';

const fromNetwork = unknownFrom(['network']);

/** An answer of a host: everything in it came from there. */
function answer(): Thing {
  return handle('response', { content: fromNetwork, text: fromNetwork, items: list([fromNetwork], false) });
}

/** The headers that carry what proves who asks: sending them to their service is their purpose. */
const proofs =
  /^(?:authorization|proxy-authorization|x-api-key|api-key|apikey|x-auth-token|private-token|x-access-token)$/i;

function headersSent(headers: Thing | undefined): Thing | undefined {
  if (headers?.kind !== 'map') return headers;
  return map([...headers.entries].filter(([name]) => !proofs.test(name)));
}

/** What a request carries beside its address. */
function sent({ keywords }: Call): readonly (Thing | undefined)[] {
  return [
    ...['data', 'json', 'files', 'params', 'content', 'body', 'cookies', 'fields', 'form'].map((name) =>
      keywords.get(name),
    ),
    headersSent(keywords.get('headers')),
  ];
}

/** A session may have a base for its addresses. */
function address({ receiver }: Call, given: Thing | undefined): Thing | undefined {
  const base = receiver.kind === 'handle' ? receiver.fields.get('base') : undefined;
  if (!base || textsOf(given).some((url) => /^[a-z]+:\/\//i.test(url))) return given;
  return tainted(base, originsOf(given));
}

const asks =
  (method: string): Operation =>
  (call) => {
    const body = method === 'GET' || method === 'HEAD' ? [call.args[1]] : call.args.slice(1);
    connects(call, address(call, call.at(0, 'url')), method, [...body, ...sent(call)]);
    return answer();
  };
const asksWith: Operation = (call) => {
  const method = (literal(call.at(0, 'method')) ?? 'unknown').toUpperCase();
  connects(call, address(call, call.at(1, 'url')), method, [...call.args.slice(2), ...sent(call)]);
  return answer();
};

const client =
  (type: string): Operation =>
  (call) => {
    const base = call.keywords.get('base_url');
    return handle(type, base ? { base } : {});
  };

/** The request that an object stands for, or the plain address. */
function opened(call: Call): Thing {
  const given = call.at(0, 'url');
  const request = given?.kind === 'handle' && given.type === 'request' ? given.fields : null;
  const url = request ? request.get('url') : given;
  const data = call.at(1, 'data') ?? request?.get('data');
  const carries = data !== undefined && data.kind !== 'none';
  const method = literal(request?.get('method')) ?? (carries ? 'POST' : 'GET');
  connects(call, url, method.toUpperCase(), [data, headersSent(request?.get('headers'))]);
  return answer();
}

/** The host of `(host, port)`, or of a plain text. */
function hostOfAddress(call: Call, given: Thing | undefined): Thing {
  if (given?.kind === 'list') return itemsOf(call.machine, given).items[0] ?? unknown;
  return given ?? unknown;
}

const socketFields = (receiver: Thing) => (receiver.kind === 'handle' ? receiver.fields : null);

const connectsSocket: Operation = (call) => {
  const host = hostOfAddress(call, call.args[0]);
  connects(call, host, 'tcp');
  const fields = socketFields(call.receiver);
  if (fields) call.machine.set(fields, 'host', host);
  return none;
};
const sends: Operation = (call) => {
  const host = socketFields(call.receiver)?.get('host');
  if (originsOf(call.args[0]).length > 0) connects(call, host ?? unknown, 'tcp', [call.args[0]]);
  return unknown;
};
const sendsTo: Operation = (call) => {
  connects(call, hostOfAddress(call, call.args.at(-1)), 'udp', [call.args[0]]);
  return unknown;
};
const listens: Operation = (call) => {
  const given = call.args[0];
  const items =
    given?.kind === 'list'
      ? itemsOf(call.machine, given).items
      : [given ?? call.keywords.get('host') ?? unknown];
  effects(call, 'listen', {
    target: { kind: 'host', host: asValue(textsOf(items[0])) },
    ...(items[1]?.kind === 'number' ? { detail: String(items[1].value) } : {}),
  });
  return handle('server');
};
const socket = (): Thing => handle('socket', { from: fromNetwork });

const reaches =
  (method: string, type: string): Operation =>
  (call) => {
    const host =
      call.args[0] ??
      call.keywords.get('host') ??
      call.keywords.get('hostname') ??
      call.keywords.get('url') ??
      call.keywords.get('uri');
    if (host) connects(call, host, method, call.args.slice(2));
    return handle(type, { host: host ?? unknown, from: fromNetwork });
  };
/** A method of a connection that carries something to its host. */
const carries =
  (method: string, reading = false): Operation =>
  (call) => {
    const host = socketFields(call.receiver)?.get('host') ?? unknown;
    const given = reading ? [reads(call, call.args[0])] : [...call.args, ...call.keywords.values()];
    connects(call, host, method, given);
    return fromNetwork;
  };
const downloads =
  (index: number): Operation =>
  (call) => {
    writes(call, call.args[index], fromNetwork, { detail: 'download', origins: ['network'] });
    return fromNetwork;
  };
const messages: Operation = (call) => {
  const origins = merge(...[...call.args, ...call.keywords.values()].map((thing) => originsOf(thing)));
  const host = socketFields(call.receiver)?.get('host');
  effects(call, 'message', {
    target: host ? { kind: 'host', host: asValue(textsOf(host)) } : { kind: 'none' },
    ...(origins.length > 0 ? { origins } : {}),
  });
  return unknown;
};
const remote: Operation = (call) => {
  shells(call, call.at(0, 'command'));
  const host = socketFields(call.receiver)?.get('host') ?? unknown;
  effects(call, 'run', {
    target: { kind: 'host', host: asValue(textsOf(host)) },
    detail: 'remote',
    origins: ['unknown'],
  });
  return list([
    handle('file', { content: fromNetwork }),
    handle('file', { content: fromNetwork }),
    handle('file', { content: fromNetwork }),
  ]);
};

export const networkOperations: Record<string, Operation> = {
  'urllib.request.urlopen': opened,
  'urllib.request.Request': (call) =>
    handle('request', {
      url: call.at(0, 'url') ?? unknown,
      ...(call.at(1, 'data') ? { data: call.at(1, 'data') ?? none } : {}),
      ...(call.at(2, 'headers') ? { headers: call.at(2, 'headers') ?? none } : {}),
      ...(call.keywords.get('method') ? { method: call.keywords.get('method') ?? none } : {}),
    }),
  '<request>.add_header': () => none,
  'urllib.request.urlretrieve': (call) => {
    connects(call, call.at(0, 'url'), 'GET');
    const file = call.at(1, 'filename');
    if (file) writes(call, file, fromNetwork, { detail: 'download' });
    return list([file ?? text('/tmp/download'), unknown]);
  },
  'urllib.request.build_opener': () => handle('opener'),
  '<opener>.open': opened,
  'wget.download': (call) => {
    connects(call, call.at(0, 'url'), 'GET');
    writes(call, call.at(1, 'out') ?? text('.'), fromNetwork, { detail: 'download' });
    return unknown;
  },
  'requests.request': asksWith,
  'httpx.request': asksWith,
  'httpx.stream': asksWith,
  'urllib3.request': asksWith,
  'requests.Session': client('session'),
  'requests.session': client('session'),
  'httpx.Client': client('session'),
  'httpx.AsyncClient': client('session'),
  'aiohttp.ClientSession': client('session'),
  'aiohttp.request': asksWith,
  'urllib3.PoolManager': client('session'),
  'urllib3.HTTPConnectionPool': reaches('GET', 'session'),
  '<session>.request': asksWith,
  '<session>.urlopen': asksWith,
  '<session>.stream': asksWith,
  '<session>.ws_connect': asks('GET'),
  '<response>.json': () => fromNetwork,
  '<response>.read': () => fromNetwork,
  '<response>.text': () => fromNetwork,
  '<response>.iter_content': () => list([fromNetwork], false),
  '<response>.iter_lines': () => list([fromNetwork], false),
  '<response>.raise_for_status': () => none,
  'http.client.HTTPConnection': (call) => handle('connection', { host: call.at(0, 'host') ?? unknown }),
  'http.client.HTTPSConnection': (call) => handle('connection', { host: call.at(0, 'host') ?? unknown }),
  '<connection>.request': (call) => {
    const host = socketFields(call.receiver)?.get('host');
    connects(call, host, (literal(call.at(0, 'method')) ?? 'unknown').toUpperCase(), [
      call.at(1, 'url'),
      call.at(2, 'body'),
      headersSent(call.at(3, 'headers')),
    ]);
    return none;
  },
  '<connection>.getresponse': () => answer(),

  'socket.socket': socket,
  'socket.create_connection': (call) => {
    const host = hostOfAddress(call, call.at(0, 'address'));
    connects(call, host, 'tcp');
    return handle('socket', { host, from: fromNetwork });
  },
  'socket.create_server': listens,
  'socket.gethostbyname': (call) => after(connects(call, call.args[0], 'dns'), unknown),
  'socket.getaddrinfo': (call) => after(connects(call, call.args[0], 'dns'), unknown),
  'dns.resolver.resolve': (call) => after(connects(call, call.args[0], 'dns'), fromNetwork),
  'dns.resolver.query': (call) => after(connects(call, call.args[0], 'dns'), fromNetwork),
  '<socket>.connect': connectsSocket,
  '<socket>.connect_ex': connectsSocket,
  '<socket>.send': sends,
  '<socket>.sendall': sends,
  '<socket>.sendfile': sends,
  '<socket>.sendto': sendsTo,
  '<socket>.bind': (call) => after(listens(call), none),
  '<socket>.recv': () => fromNetwork,
  '<socket>.recvfrom': () => list([fromNetwork, unknown]),
  '<socket>.accept': () => list([socket(), unknown]),
  '<socket>.makefile': () => handle('file', { content: fromNetwork, path: none }),
  '<socket>.fileno': () => fromNetwork,
  'ssl.wrap_socket': ({ args: [given = unknown] }) => given,
  'ssl.create_default_context': () => handle('tls'),
  '<tls>.wrap_socket': ({ args: [given = unknown] }) => given,
  'asyncio.open_connection': (call) => {
    const host = call.at(0, 'host');
    connects(call, host, 'tcp');
    const socketHandle = handle('socket', { host: host ?? unknown, from: fromNetwork });
    return list([socketHandle, socketHandle]);
  },
  'asyncio.start_server': (call) => listens({ ...call, args: call.args.slice(1) }),
  '<socket>.write': sends,
  '<socket>.read': () => fromNetwork,
  '<socket>.readline': () => fromNetwork,

  'http.server.HTTPServer': listens,
  'http.server.ThreadingHTTPServer': listens,
  'http.server.test': listens,
  'socketserver.TCPServer': listens,
  'socketserver.ThreadingTCPServer': listens,
  'socketserver.UDPServer': listens,
  'uvicorn.run': (call) => listens({ ...call, args: [] }),
  'flask.Flask': () => handle('application'),
  '<application>.run': (call) => listens({ ...call, args: [] }),
  'aiohttp.web.run_app': (call) => listens({ ...call, args: [] }),

  'ftplib.FTP': reaches('ftp', 'ftp'),
  'ftplib.FTP_TLS': reaches('ftp', 'ftp'),
  '<ftp>.connect': reaches('ftp', 'ftp'),
  '<ftp>.storbinary': carries('PUT'),
  '<ftp>.storlines': carries('PUT'),
  '<ftp>.delete': carries('DELETE'),
  '<ftp>.rmd': carries('DELETE'),
  'telnetlib.Telnet': reaches('telnet', 'telnet'),
  '<telnet>.write': carries('telnet'),
  'telnetlib.Telnet.open': reaches('telnet', 'telnet'),
  'smtplib.SMTP': reaches('smtp', 'smtp'),
  'smtplib.SMTP_SSL': reaches('smtp', 'smtp'),
  '<smtp>.connect': reaches('smtp', 'smtp'),
  '<smtp>.sendmail': messages,
  '<smtp>.send_message': messages,
  '<any>.sendmail': messages,
  'yagmail.SMTP': () => handle('smtp'),
  '<smtp>.send': messages,
  'imaplib.IMAP4_SSL': reaches('imap', 'imap'),
  'poplib.POP3_SSL': reaches('pop3', 'imap'),
  'slack_sdk.WebClient': () => handle('chat'),
  'slack.WebClient': () => handle('chat'),
  'telegram.Bot': () => handle('chat'),
  'telebot.TeleBot': () => handle('chat'),
  'twilio.rest.Client': () => handle('twilio', { messages: handle('chat') }),
  'sendgrid.SendGridAPIClient': () => handle('chat'),
  '<chat>.chat_postMessage': messages,
  '<chat>.files_upload': messages,
  '<chat>.files_upload_v2': messages,
  '<chat>.send_message': messages,
  '<chat>.send_document': messages,
  '<chat>.send_photo': messages,
  '<chat>.create': messages,
  '<chat>.send': messages,

  'paramiko.SSHClient': () => handle('ssh', { from: fromNetwork }),
  'paramiko.Transport': reaches('ssh', 'ssh'),
  'asyncssh.connect': reaches('ssh', 'ssh'),
  'fabric.Connection': reaches('ssh', 'ssh'),
  'fabric.api.run': remote,
  'fabric.api.sudo': remote,
  'paramiko.SFTPClient.from_transport': () => handle('sftp', { host: unknown }),
  '<ssh>.connect': (call) => {
    const host = call.at(0, 'hostname');
    connects(call, host, 'ssh');
    const fields = socketFields(call.receiver);
    if (fields && host) call.machine.set(fields, 'host', host);
    return none;
  },
  '<ssh>.exec_command': remote,
  '<ssh>.run': remote,
  '<ssh>.sudo': remote,
  '<any>.exec_command': remote,
  '<ssh>.invoke_shell': () => handle('ssh', { from: fromNetwork }),
  '<ssh>.send': remote,
  '<ssh>.open_sftp': ({ receiver }) =>
    handle('sftp', { host: socketFields(receiver)?.get('host') ?? unknown }),
  '<ssh>.put': carries('PUT', true),
  '<sftp>.put': carries('PUT', true),
  '<sftp>.get': downloads(1),
  '<sftp>.remove': carries('DELETE'),
  '<sftp>.rmdir': carries('DELETE'),
  'scp.SCPClient': () => handle('sftp', { host: unknown }),

  'webbrowser.open': asks('GET'),
  'webbrowser.open_new': asks('GET'),
  'webbrowser.open_new_tab': asks('GET'),
  'websocket.create_connection': reaches('websocket', 'socket'),
  'websocket.WebSocketApp': reaches('websocket', 'socket'),
  'websockets.connect': reaches('websocket', 'socket'),
  'xmlrpc.client.ServerProxy': reaches('POST', 'rpc'),
  'pycurl.Curl': () => handle('curl'),
  '<curl>.setopt': (call) => {
    const [option, value] = call.args;
    if (option?.kind === 'member' && /URL$/.test(option.name)) connects(call, value, 'unknown');
    return none;
  },
};

for (const method of ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']) {
  for (const library of ['requests.', 'httpx.', '<session>.'])
    networkOperations[library + method] = asks(method.toUpperCase());
}
