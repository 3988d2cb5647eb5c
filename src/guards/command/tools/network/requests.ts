// Programs that ask a server for something: requests, downloads, load, and transfers to stores in the cloud.

import type { Effect, Value } from '../../effects.ts';
import {
  connect,
  fetchedInto,
  fetchedTo,
  methodOf,
  nameInUrl,
  originsOf,
  storeEffects,
  union,
} from '../../programs/network.ts';
import {
  after,
  beginningOf,
  effect,
  hostOf,
  inert,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  pathTarget,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  within,
  write,
} from '../tool.ts';

/** HTTPie and its kin: `http [METHOD] URL [item …]`. */
const httpieOptions = options(
  'j f/form multipart o/output= d/download c/continue p/print= s/style= a/auth= A/auth-type= session= session-read-only= proxy= timeout= verify= cert= cert-key= b/body h/headers v/verbose I F/follow raw= q pretty= max-redirects= check-status offline',
);
const httpie: Tool = (call) => {
  const given = httpieOptions(call.args);
  const [first, second] = given.operands;
  const named = first && /^[A-Z]+$/.test(beginningOf(first)) ? first : undefined;
  const url = named ? second : first;
  if (!url) return inert(call);
  const items = given.operands.slice(named ? 2 : 1);
  const files = items.filter((item) => /[@]|:=@|=@/.test(beginningOf(item)));
  const reads = files.flatMap((item) =>
    read(
      call,
      mapValue(item, (text) => text.slice(text.indexOf('@') + 1)),
    ),
  );
  const sends =
    items.some((item) => /=|@/.test(beginningOf(item)) && !/==/.test(beginningOf(item))) ||
    call.io.stdinOrigins.length > 0 ||
    given.has('raw');
  const method = methodOf(named, sends ? 'POST' : 'GET');
  return [
    ...reads,
    ...storeEffects(call, url, method),
    connect(
      call,
      beginningOf(url).startsWith(':') ? literal('localhost') : hostOf(url),
      method,
      union(originsOf(reads), call.io.stdinOrigins),
    ),
    ...(given.has('output')
      ? given.all('output').flatMap((file) => fetchedTo(call, file, 'overwrite'))
      : given.has('download')
        ? fetchedTo(call, nameInUrl(url), 'create')
        : []),
  ];
};

const benchmark: Tool = (call) => {
  const given = options(
    'p= u= T= n= c= t= d= s= H= A= X= C= P= r= i m= o= g= e= k v l w q L= a= z= b= f= body= body-file=',
  )(call.args);
  const url = given.operands.find((operand) => /:\/\//.test(beginningOf(operand))) ?? given.operands[0];
  const reads = given.all('p', 'u').flatMap((file) => read(call, file));
  return url
    ? [...reads, connect(call, hostOf(url), given.has('p', 'u') ? 'POST' : 'GET', originsOf(reads))]
    : inert(call);
};

const download: Tool = (call) => {
  const given = options(
    'o/output= d/dir= x/max-connection-per-server= s= P= n= a c q i/input-file= O/out= max-tries= header= user-agent= on-download-complete= on-download-error=',
  )(call.args);
  return [
    ...given.operands.map((url) => connect(call, hostOf(url), 'GET')),
    ...given.operands.flatMap((url) =>
      fetchedTo(call, within(given.last('dir'), given.last('output', 'O') ?? nameInUrl(url)), 'create'),
    ),
    ...(given.has('input-file') ? fetchedInto(call, given.last('dir') ?? literal('.')) : []),
    ...(given.has('on-download-complete', 'on-download-error')
      ? [
          effect(call, 'run', {
            detail: 'helper',
            target: nameTarget(given.last('on-download-complete', 'on-download-error')),
          }),
        ]
      : []),
  ];
};

const lwpDownload: Tool = (call) => {
  const [url, output] = options('a s')(call.args).operands;
  if (!url) return inert(call);
  const local = /^file:\/\//.test(beginningOf(url));
  return [
    ...(local ? read(call, after(url, 7)) : [connect(call, hostOf(url), 'GET')]),
    ...write(call, output ?? nameInUrl(url), { detail: 'create', origins: local ? [] : ['network'] }),
  ];
};

const lwpRequest: Tool = (call) => {
  const given = options('m= f b= t= i= c= a p= P H= C= u U s S e d v h x o=')(call.args);
  const [url] = given.operands;
  if (!url) return inert(call);
  if (/^file:\/\//.test(beginningOf(url)))
    return read(
      call,
      mapValue(url, (text) => text.slice(7)),
    );
  return [
    connect(
      call,
      hostOf(url),
      methodOf(given.last('m'), /POST|PUT|DELETE/.test(call.program) ? call.program : 'GET'),
      call.io.stdinOrigins,
    ),
  ];
};

/** Browsers of text: what they show may be sent to a file. Words without a dot may be the values of options. */
const browser: Tool = (call) => {
  const url = options('')(call.args).operands.find((operand) => /[.:]/.test(beginningOf(operand)));
  return url ? [connect(call, hostOf(url), 'GET')] : inert(call);
};

/** Clients, downloaders, load generators and transfers. */
export const requestTools: Tools = {
  http: httpie,
  https: httpie,
  xh: httpie,
  xhs: httpie,
  aria2c: download,
  axel: download,
  'lwp-download': lwpDownload,
  'lwp-request': lwpRequest,
  GET: lwpRequest,
  POST: lwpRequest,
  HEAD: lwpRequest,
  lynx: (call) => {
    const [url] = options('')(call.args).operands;
    return url ? [connect(call, hostOf(url), 'GET')] : inert(call);
  },
  links: browser,
  links2: browser,
  elinks: browser,
  fetch: (call) => {
    const given = options('o/output= a A F i= l m n N= p q r R s S= T= U v 1 4 6 w= B= h= f= c=')(call.args);
    return orInert(
      call,
      given.operands.flatMap((url) => [
        connect(call, hostOf(url), 'GET'),
        ...fetchedTo(call, given.last('output') ?? nameInUrl(url), 'overwrite'),
      ]),
    );
  },
  w3m: (call) => {
    const [url] = options('T= I= O= o=')(call.args).operands;
    return url
      ? /:\/\//.test(beginningOf(url))
        ? [connect(call, hostOf(url), 'GET')]
        : read(call, url)
      : inert(call);
  },
  'yt-dlp': download,
  'youtube-dl': download,
  ab: benchmark,
  wrk: benchmark,
  hey: benchmark,
  siege: benchmark,
  vegeta: benchmark,
  websocat: (call) => {
    const given = options('s= e E')(call.args);
    return given.has('s')
      ? [effect(call, 'listen', { detail: 'websocket', target: nameTarget(given.last('s')) })]
      : given.operands
          .slice(0, 1)
          .map((url) => connect(call, hostOf(url), 'websocket', call.io.stdinOrigins));
  },
  wscat: (call) => {
    const given = options('c/connect= l/listen= x= H= s= n p=')(call.args);
    return given.has('listen')
      ? [effect(call, 'listen', { detail: 'websocket' })]
      : given.all('connect').map((url) => connect(call, hostOf(url), 'websocket', call.io.stdinOrigins));
  },
  grpcurl: (call) => {
    const given = options(
      'd= H= plaintext proto= import-path= max-time= format= v emit-defaults cert= key= cacert=',
      { wholeWords: true },
    )(call.args);
    const [host, method] = given.operands;
    return host
      ? [
          connect(
            call,
            hostOf(host),
            method && !/^(?:list|describe)$/.test(beginningOf(method)) ? 'POST' : 'GET',
            call.io.stdinOrigins,
          ),
        ]
      : inert(call);
  },
  rclone: (call) => {
    const given = options(
      'v P n/dry-run config= transfers= checkers= exclude= include= filter= bwlimit= f/from=',
    )(call.args);
    const [verb, first, second] = given.operands;
    const text = textOf(verb ?? literal('version'));
    if (
      given.has('dry-run') ||
      (text !== null &&
        /^(?:ls|lsd|lsl|lsf|lsjson|size|check|cat|about|version|listremotes|tree|md5sum|sha1sum|hashsum|help|config|ncdu)$/.test(
          text,
        ))
    )
      return inert(call);
    const isRemote = (value: Value | undefined): boolean =>
      value !== undefined && /^[\w-]+:/.test(beginningOf(value));
    if (text !== null && /^(?:delete|purge|deletefile|rmdir|rmdirs|cleanup|dedupe)$/.test(text))
      return [
        isRemote(first)
          ? effect(call, 'cloud', { detail: 'delete', recursive: true, target: nameTarget(first) })
          : effect(call, 'delete', { recursive: true, target: pathTarget(first ?? unknownValue) }),
      ];
    const effects: Effect[] = [];
    if (first && !isRemote(first)) effects.push(...read(call, first, { recursive: true }));
    if (isRemote(first) || isRemote(second))
      effects.push(
        connect(
          call,
          isRemote(second) ? (second ?? unknownValue) : (first ?? unknownValue),
          isRemote(second) ? 'upload' : 'download',
          originsOf(effects),
        ),
      );
    if (second && !isRemote(second))
      effects.push(...write(call, second, { detail: 'copy', recursive: true, origins: ['network'] }));
    if (text === 'sync' && second)
      effects.push(
        isRemote(second)
          ? effect(call, 'cloud', { detail: 'delete', recursive: true, target: nameTarget(second) })
          : effect(call, 'delete', { detail: 'sync', recursive: true, target: pathTarget(second) }),
      );
    return effects;
  },
};
