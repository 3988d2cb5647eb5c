// Programs that ask a server for something: requests, downloads, load, and transfers to stores in the cloud.

import type { Effect, Origin, Value } from '../../effects.ts';
import {
  after,
  beginningOf,
  type Call,
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
import { connect, originsOf, union } from './connect.ts';

/** The file name that a download takes from its URL. */
function nameInUrl(url: Value): Value {
  const text = textOf(url);
  if (text === null) return unknownValue;
  const name = text
    .replace(/[?#].*$/, '')
    .split('/')
    .slice(3)
    .at(-1);
  return literal(name ? name : 'index.html');
}

/** What came from a host, under this name. */
function fetchedTo(call: Call, path: Value, detail: string): readonly Effect[] {
  return write(call, path, { detail, origins: ['network'] });
}

/** Everything that a host had, in this folder. */
function fetchedInto(call: Call, folder: Value): readonly Effect[] {
  return write(call, folder, { detail: 'create', recursive: true, origins: ['network'] });
}

/** Ports at which stores, searchers and gateways take orders: Elasticsearch, Meilisearch, Kong, CouchDB, InfluxDB, … */
const storePorts =
  /^(?:\w+:\/\/)?[^/]*:(?:9200|7700|8001|5984|8086|8983|6333|8108|2379|8500|15672|9090)(?:[/?]|$)/;
const storeOrders = /\/_(?:delete_by_query|close|all|cluster\/settings|shutdown|forcemerge)\b|\/delete\b/;

/** What a store is told to delete is gone, also where the store is near. */
function storeEffects(call: Call, url: Value, method: string): readonly Effect[] {
  const text = beginningOf(url);
  const deletes = method === 'DELETE' || (/^(?:POST|PUT)$/.test(method) && storeOrders.test(text));
  return deletes && storePorts.test(text)
    ? [effect(call, 'database', { detail: 'drop', target: nameTarget(url) })]
    : [];
}

const curlOptions = options(
  'X/request= d/data= data-raw= data-binary= data-ascii= data-urlencode= json= F/form= form-string= T/upload-file= G/get I/head o/output= O/remote-name remote-name-all output-dir= J/remote-header-name K/config= H/header= A/user-agent= u/user= x/proxy= proxy-user= preproxy= socks5= socks5-hostname= socks4= e/referer= b/cookie= c/cookie-jar= D/dump-header= E/cert= key= cacert= capath= pass= cert-type= key-type= m/max-time= connect-timeout= retry= retry-delay= retry-max-time= r/range= w/write-out= z/time-cond= C/continue-at= url= resolve= connect-to= interface= local-port= limit-rate= Y/speed-limit= y/speed-time= ciphers= tls-max= unix-socket= abstract-unix-socket= trace= trace-ascii= stderr= netrc-file= oauth2-bearer= aws-sigv4= libcurl= etag-save= etag-compare= hsts= P/ftp-port= Q/quote= mail-from= mail-rcpt= t/telnet-option= doh-url= dns-servers= proto= proto-default= max-redirs= max-filesize= keepalive-time= request-target= url-query= variable= expand-data= expand-url= parallel-max= create-file-mode= service-name= noproxy= pinnedpubkey= crlfile= engine= random-file= egd-file= happy-eyeballs-timeout-ms= expect100-timeout= ftp-account= ftp-method= krb= login-options= postquote= prequote= pubkey= sasl-authzid= hostpubmd5= hostpubsha256= rate= tls13-ciphers= tlsuser= tlspassword= curves= f/fail s/silent S/show-error L/location k/insecure v/verbose i/include n/netrc g/globoff N/no-buffer a/append l/list-only B/use-ascii j q/disable p/proxytunnel R/remote-time Z/parallel # 0 1 2 3 4 6 compressed fail-with-body create-dirs ssl-reqd tcp-nodelay http2 http1.1 post301 anyauth basic digest path-as-is raw styled-output',
);

const curl: Tool = (call) => {
  const given = curlOptions(call.args);
  const effects: Effect[] = [];
  let origins: readonly Origin[] = [];
  const sendFile = (path: Value): void => {
    if (textOf(path) === '-' || /^\/dev\/(?:stdin|fd\/0)$/.test(textOf(path) ?? ''))
      origins = union(origins, call.io.stdinOrigins);
    else {
      const reads = read(call, path);
      effects.push(...reads);
      origins = union(origins, originsOf(reads));
    }
  };
  for (const data of given.all('data', 'data-binary', 'data-ascii', 'json', 'expand-data'))
    if (beginningOf(data).startsWith('@')) sendFile(after(data, 1));
  for (const data of given.all('data-urlencode')) {
    const at = beginningOf(data).indexOf('@');
    if (at >= 0 && !beginningOf(data).slice(0, at).includes('=')) sendFile(after(data, at + 1));
  }
  for (const field of given.all('form')) {
    const file = /=[@<]/.exec(beginningOf(field));
    if (file) {
      const start = file.index + 2;
      sendFile(
        mapValue(field, (text) =>
          text
            .slice(start)
            .replace(/;(?:type|filename|headers)=.*$/, '')
            .replace(/^"|"$/g, ''),
        ),
      );
    }
  }
  for (const header of given.all('header', 'cookie', 'config', 'url-query'))
    if (beginningOf(header).startsWith('@')) sendFile(after(header, 1));
  for (const file of given.all('config', 'netrc-file')) effects.push(...read(call, file));
  for (const proxy of given.all('proxy', 'preproxy', 'socks5', 'socks5-hostname', 'socks4'))
    effects.push(connect(call, hostOf(proxy), 'GET'));
  for (const file of given.all('config'))
    if (textOf(file) !== '-')
      effects.push(effect(call, 'run', { detail: 'config', target: pathTarget(file) }));
  for (const file of given.all('cookie'))
    if (!beginningOf(file).includes('=') && !beginningOf(file).startsWith('@'))
      effects.push(...read(call, file));
  for (const file of given.all('upload-file')) sendFile(file);
  const sends = given.has(
    'data',
    'data-raw',
    'data-binary',
    'data-ascii',
    'data-urlencode',
    'json',
    'form',
    'form-string',
    'expand-data',
  );
  const method = methodOf(
    given.last('request'),
    given.has('head')
      ? 'HEAD'
      : given.has('upload-file')
        ? 'PUT'
        : sends && !given.has('get')
          ? 'POST'
          : 'GET',
  );
  const urls = [...given.operands, ...given.all('url')];
  const folder = given.last('output-dir');
  const readsConfiguration = given.has('config');
  if (urls.length === 0 && !readsConfiguration) return orInert(call, effects);
  for (const url of urls.length > 0 ? urls : [unknownValue]) {
    if (/^file:\/\//i.test(beginningOf(url)))
      effects.push(
        ...read(
          call,
          mapValue(url, (text) => text.replace(/^file:\/\/(?:localhost)?/i, '')),
        ),
      );
    else
      effects.push(
        ...storeEffects(call, url, method),
        connect(
          call,
          hostOf(url),
          /^(?:smtp|imap|pop3)s?:/i.test(beginningOf(url)) ? 'mail' : method,
          origins,
        ),
      );
    if (given.has('remote-name', 'remote-name-all'))
      effects.push(...fetchedTo(call, within(folder, nameInUrl(url)), 'overwrite'));
  }
  // `#1` is what stands in the first braces of the address.
  for (const file of given.all('output')) {
    const names = mapValue(file, (text) => text.replace(/#\d/g, '*'));
    if (!/^-?$/.test(textOf(file) ?? '?'))
      effects.push(...fetchedTo(call, within(folder, names), 'overwrite'));
  }
  for (const file of given.all(
    'cookie-jar',
    'dump-header',
    'trace',
    'trace-ascii',
    'stderr',
    'libcurl',
    'etag-save',
    'hsts',
  ))
    effects.push(...write(call, file, { detail: 'overwrite' }));
  if (given.has('mail-rcpt'))
    effects.push(effect(call, 'message', { detail: 'e-mail', target: nameTarget(given.last('mail-rcpt')) }));
  if (given.has('unix-socket')) {
    const socket = given.last('unix-socket') ?? unknownValue;
    effects.push(
      effect(call, method === 'GET' || method === 'HEAD' ? 'read' : 'write', {
        target: pathTarget(socket),
        detail: 'socket',
      }),
    );
  }
  return effects;
};

function methodOf(value: Value | undefined, otherwise: string): string {
  if (!value) return otherwise;
  const text = textOf(value);
  return text === null ? 'unknown' : text.toUpperCase();
}

const wgetOptions = options(
  'O/output-document= o/output-file= a/append-output= P/directory-prefix= i/input-file= U/user-agent= post-data= post-file= body-data= body-file= method= header= user= password= http-user= http-password= load-cookies= save-cookies= use-askpass= config= e/execute= t/tries= T/timeout= w/wait= Q/quota= l/level= A/accept= R/reject= D/domains= exclude-domains= I/include-directories= X/exclude-directories= B/base= referer= certificate= private-key= ca-certificate= limit-rate= bind-address= N/timestamping c/continue q/quiet v/verbose r/recursive m/mirror p/page-requisites k/convert-links K/backup-converted E/adjust-extension H/span-hosts L/relative np/no-parent nc/no-clobber nd/no-directories nv/no-verbose nH S/server-response spider b/background 4 6 no-check-certificate content-disposition delete-after warc-file= default-page= connect-timeout= read-timeout= dns-timeout= max-redirect= ignore-tags= follow-tags= cut-dirs= restrict-file-names= progress= waitretry= output-file=',
);
const wget: Tool = (call) => {
  // `-nv`, `-nc` and the like are one option in two letters.
  const given = wgetOptions(
    call.args.map((argument) =>
      /^-n[vcdpH]$/.test(textOf(argument) ?? '') ? literal(`--n${beginningOf(argument).slice(2)}`) : argument,
    ),
  );
  const effects: Effect[] = [];
  let origins: readonly Origin[] = [];
  for (const file of given.all('post-file', 'body-file')) {
    if (/^(?:-|\/dev\/stdin)$/.test(textOf(file) ?? '')) origins = union(origins, call.io.stdinOrigins);
    const reads = read(call, file);
    effects.push(...reads);
    origins = union(origins, originsOf(reads));
  }
  for (const file of given.all('input-file', 'load-cookies', 'config'))
    effects.push(
      ...(/^\w+:\/\//.test(beginningOf(file)) ? [connect(call, hostOf(file), 'GET')] : read(call, file)),
    );
  const method = methodOf(
    given.last('method'),
    given.has('post-data', 'post-file') ? 'POST' : given.has('spider') ? 'HEAD' : 'GET',
  );
  const urls = given.operands.length > 0 ? given.operands : given.has('input-file') ? [unknownValue] : [];
  for (const url of urls) {
    effects.push(connect(call, hostOf(url), method, origins));
    const document = given.last('output-document');
    const folder = given.last('directory-prefix');
    if (document) effects.push(...fetchedTo(call, document, 'overwrite'));
    else if (given.has('recursive', 'mirror', 'page-requisites') || url.kind === 'unknown')
      effects.push(
        ...(folder || url.kind !== 'unknown' ? [] : fetchedTo(call, unknownValue, 'create')),
        ...fetchedInto(call, folder ?? literal('.')),
      );
    else if (!given.has('spider')) effects.push(...fetchedTo(call, within(folder, nameInUrl(url)), 'create'));
  }
  for (const file of given.all('output-file', 'append-output', 'save-cookies'))
    effects.push(...write(call, file, { detail: 'overwrite' }));
  return orInert(call, effects);
};

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
  curl,
  wget,
  wget2: wget,
  http: httpie,
  https: httpie,
  xh: httpie,
  xhs: httpie,
  curlie: curl,
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
