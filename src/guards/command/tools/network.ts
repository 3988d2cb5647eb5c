// Requests, transfers, listeners, routes and firewalls.

import type { Effect, Origin, Value } from '../effects.ts';
import { hostOf, read, write } from './access.ts';
import { options } from './options.ts';
import {
  after,
  beginningOf,
  type Call,
  effect,
  hostTarget,
  inert,
  literal,
  mapValue,
  nameTarget,
  orInert,
  pathTarget,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
} from './tool.ts';

function union(...lists: readonly (readonly Origin[])[]): readonly Origin[] {
  return [...new Set(lists.flat())];
}

function connect(call: Call, host: Value, detail: string, origins: readonly Origin[] = []): Effect {
  return effect(call, 'connect', {
    target: hostTarget(host),
    detail,
    origins: union(origins, call.io.argumentOrigins ?? []),
  });
}

/** The origin that a set of reads gives to what is sent on. */
function originsOf(effects: readonly Effect[]): readonly Origin[] {
  return effects.some(({ kind }) => kind === 'secret') ? ['secret'] : [];
}

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
    const folder = given.last('output-dir');
    if (given.has('remote-name', 'remote-name-all'))
      effects.push(
        ...write(
          call,
          folder ? mapValue(folder, (text) => `${text}/${beginningOf(nameInUrl(url))}`) : nameInUrl(url),
          { detail: 'overwrite', origins: ['network'] },
        ),
      );
  }
  for (const file of given.all('output'))
    effects.push(...write(call, file, { detail: 'overwrite', origins: ['network'] }));
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
    if (document) effects.push(...write(call, document, { detail: 'overwrite', origins: ['network'] }));
    else if (!given.has('spider')) {
      const name = beginningOf(nameInUrl(url));
      effects.push(
        ...write(call, folder ? mapValue(folder, (text) => `${text}/${name}`) : nameInUrl(url), {
          detail: 'create',
          origins: ['network'],
        }),
      );
    }
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
    ...given
      .all('output')
      .flatMap((file) => write(call, file, { detail: 'overwrite', origins: ['network'] })),
  ];
};

const ncOptions = options(
  'l/listen p/source-port= e/exec= c/sh-exec= g= G= s/source= w/wait= q= i/interval= o/output= x/hex-dump= X= T= P= I= O= m/max-conns= k/keep-open n u/udp v z C N U/unixsock d D r t 4 6 b S h ssl ssl-cert= ssl-key= proxy= proxy-type= proxy-auth= allow= allowfile= deny= lua-exec= send-only recv-only broker chat V=',
);
const nc: Tool = (call) => {
  const given = ncOptions(call.args);
  const effects: Effect[] = [];
  const runs = given.last('exec', 'sh-exec', 'lua-exec');
  if (given.has('listen'))
    effects.push(
      effect(call, 'listen', {
        target: nameTarget(
          given.last('source') ??
            (given.operands.length > 1
              ? given.operands[0]
              : (given.last('source-port') ?? given.operands.at(-1))),
        ),
        detail: given.has('udp') ? 'udp' : 'tcp',
        origins: call.io.stdinOrigins,
      }),
    );
  else if (given.operands[0])
    effects.push(
      connect(
        call,
        given.operands[0],
        given.has('z') ? 'probe' : call.io.stdinFed ? 'send' : given.has('udp') ? 'udp' : 'tcp',
        call.io.stdinOrigins,
      ),
    );
  if (runs)
    effects.push(
      effect(call, 'run', { detail: 'remote-shell', origins: ['network'], target: nameTarget(runs) }),
    );
  for (const file of given.all('output', 'hex-dump'))
    effects.push(...write(call, file, { detail: 'overwrite' }));
  return orInert(call, effects);
};

const socatOptions = options('d v x u U T= t= b= L= W= s D h V ly? lf= lm? ls g 4 6', { wholeWords: true });
const socat: Tool = (call) => {
  const effects: Effect[] = [];
  let network = false;
  for (const address of socatOptions(call.args).operands) {
    const text = beginningOf(address);
    const [kind = '', rest = ''] = [text.split(/[:,]/, 1)[0] ?? '', text.slice(text.indexOf(':') + 1)];
    const place = rest.split(',', 1)[0] ?? '';
    if (/^(?:tcp|udp|sctp|openssl|ssl|unix|abstract|vsock)\w*-?l(?:isten)?$|^udp\d?-recv/i.test(kind)) {
      effects.push(
        effect(call, 'listen', {
          target: nameTarget(literal(/\bbind=([^,]+)/.exec(text)?.[1] ?? place)),
          detail: /^(?:unix|abstract)/i.test(kind) ? 'forward' : kind.toLowerCase(),
        }),
      );
      network = true;
    } else if (/^(?:tcp|udp|sctp|openssl|ssl|socks|proxy|vsock)/i.test(kind)) {
      effects.push(connect(call, hostOf(literal(place)), kind.toLowerCase(), call.io.stdinOrigins));
      network = true;
    } else if (/^(?:exec|system|shell)$/i.test(kind))
      effects.push(
        effect(call, 'run', {
          detail: 'remote-shell',
          origins: ['network'],
          target: nameTarget(literal(rest)),
        }),
      );
    else if (/^(?:open|file|create|gopen|pipe)$/i.test(kind))
      effects.push(...write(call, literal(place), { detail: 'overwrite' }));
    else if (/^(?:unix|unix-connect|unix-client)$/i.test(kind))
      effects.push(effect(call, 'write', { detail: 'socket', target: pathTarget(literal(place)) }));
    else if (address.kind === 'unknown') effects.push(connect(call, unknownValue, 'unknown'));
    else if (/^[/.]/.test(text))
      effects.push(
        ...(/\.sock$|^\/(?:var\/)?run\//.test(place || text)
          ? [
              effect(call, 'write', {
                detail: 'socket',
                target: pathTarget(literal(text.split(',', 1)[0] ?? text)),
              }),
            ]
          : write(call, literal(text.split(',', 1)[0] ?? text), { detail: 'overwrite' })),
      );
  }
  return orInert(
    call,
    network ? effects : effects.map((one) => (one.detail === 'remote-shell' ? { ...one, origins: [] } : one)),
  );
};

const sshOptions = options(
  'b= c= D= E= e= F= I= i= J= L= l= m= O= o= p= Q= R= S= W= w= B= P= 4 6 A a C f G g K k M N n q s T t V v X x Y y',
  { stopAtOperand: true },
);
const ssh: Tool = (call) => {
  const given = sshOptions(call.args);
  if (given.has('V', 'Q', 'G')) return inert(call);
  const [host, ...command] = given.operands;
  const effects: Effect[] = [];
  if (host) effects.push(connect(call, sshHost(host), 'ssh', call.io.stdinOrigins));
  if (given.has('R', 'D', 'L', 'w'))
    effects.push(
      effect(call, 'listen', {
        detail: given.has('R') ? 'remote-forward' : 'forward',
        target: nameTarget(given.last('R', 'D', 'L', 'w')),
      }),
    );
  for (const setting of given.all('o'))
    if (
      /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|PermitLocalCommand)\b/i.test(beginningOf(setting))
    )
      effects.push(effect(call, 'run', { detail: 'ssh-option', target: nameTarget(setting) }));
  for (const file of given.all('F')) effects.push(...read(call, file));
  for (const file of given.all('E')) effects.push(...write(call, file, { detail: 'append' }));
  if (command.length > 0 && host)
    effects.push(effect(call, 'run', { detail: 'remote-command', target: hostTarget(sshHost(host)) }));
  return orInert(call, effects);
};

function sshHost(value: Value): Value {
  return mapValue(value, (text) => {
    const plain = text.replace(/^ssh:\/\//, '').split(/[:/]/, 1)[0] ?? '';
    return plain.slice(plain.lastIndexOf('@') + 1);
  });
}

const remoteName = /^(?:[\w.+-]+@)?[\w.-]+:|^(?:scp|sftp):\/\/|^\[/;
const scpOptions = options('c= D= F= i= J= l= o= P= S= X= B C p q r R T v 3 4 6 A O s');
const scp: Tool = (call) => {
  const given = scpOptions(call.args);
  const destination = given.operands.at(-1);
  const sources = given.operands.slice(0, -1);
  if (!destination) return inert(call);
  const recursive = given.has('r');
  const isRemote = (value: Value): boolean => remoteName.test(beginningOf(value)) || value.kind === 'unknown';
  const effects: Effect[] = sources
    .filter((source) => !isRemote(source))
    .flatMap((source) => read(call, source, { recursive }));
  const origins = originsOf(effects);
  for (const source of sources.filter(isRemote)) effects.push(connect(call, sshHost(source), 'download'));
  if (isRemote(destination)) {
    effects.push(connect(call, sshHost(destination), 'upload', origins));
    const place = beginningOf(destination).slice(beginningOf(destination).indexOf(':') + 1);
    effects.push(
      effect(call, 'write', {
        detail: 'remote',
        target: { kind: 'name', name: place === '' ? destination : literal(place) },
      }),
    );
  } else effects.push(...write(call, destination, { detail: 'copy', recursive, origins: ['network'] }));
  for (const setting of given.all('o'))
    if (/^\s*ProxyCommand\b/i.test(beginningOf(setting)))
      effects.push(effect(call, 'run', { detail: 'ssh-option', target: nameTarget(setting) }));
  if (given.has('S'))
    effects.push(effect(call, 'run', { detail: 'ssh-option', target: nameTarget(given.last('S')) }));
  return effects;
};

/** ftp, sftp, telnet, …: a session with the first operand. */
const sessionOptions = options('P= p= b= c= i= o= l= u= e= U= F= W= m= r= n a v q h s E L 8 k');
const session =
  (detail: string): Tool =>
  (call) => {
    const given = sessionOptions(call.args);
    const [host] = given.operands;
    if (!host) return inert(call);
    const batch = detail === 'sftp' ? given.all('b') : [];
    return [
      ...batch.flatMap((file) => read(call, file)),
      connect(
        call,
        sshHost(mapValue(host, (text) => text.replace(/^\w+:\/\//, ''))),
        detail,
        call.io.stdinOrigins,
      ),
    ];
  };

/** Lookups: they send a name to a resolver, which can carry data out. */
const lookupOptions = options(
  't= x c= p= q= b= k= y= f= W= R= N= D= m= h= 4 6 a i v r s T w C d l n type= port= class= querytype= retry= timeout=',
);
const lookup =
  (detail: string): Tool =>
  (call) => {
    const operands = lookupOptions(call.args).operands.filter(
      (operand) => !/^[@+]/.test(beginningOf(operand)),
    );
    const [name] = operands;
    const transfers = operands.some((operand) => /^[ai]xfr/i.test(beginningOf(operand)));
    return name
      ? [
          connect(
            call,
            transfers ? (operands.at(-1) ?? name) : name,
            transfers ? 'zone-transfer' : detail,
            call.io.stdinOrigins,
          ),
        ]
      : inert(call);
  };

const pingOptions = options(
  'c= i= I= w= W= s= t= l= p= Q= M= m= S= T= f n q v a A b B d D L O r R U V 4 6 h= P= N= z=',
);
const ping: Tool = (call) => {
  const given = pingOptions(call.args);
  const [host] = given.operands;
  if (!host) return inert(call);
  const effects: Effect[] = [connect(call, host, 'probe')];
  if (given.has('p') && call.program === 'ping')
    effects.splice(0, 1, connect(call, host, 'probe', call.io.argumentOrigins ?? []));
  if (given.has('f') && call.program.startsWith('ping'))
    effects.push(effect(call, 'bomb', { detail: 'network', target: hostTarget(host) }));
  return effects;
};

const scanOptions = options(
  'p= o= i= I= e= g= S= D= T= A= P= oN= oX= oG= oA= iL= script= script-args= rate= c= n v s x u r F sS sV sC Pn top-ports= max-rate= min-rate=',
  { wholeWords: true },
);
const scan: Tool = (call) => {
  const given = scanOptions(call.args);
  const code =
    call.program === 'sqlmap'
      ? call.args.find((argument) => /^--(?:eval|os-cmd|os-shell|sql-shell)/.test(beginningOf(argument)))
      : undefined;
  if (code) return [effect(call, 'run', { detail: 'inline', target: nameTarget(code) })];
  return orInert(call, [
    ...given.operands.map((host) => connect(call, hostOf(host), 'scan')),
    ...given.all('oN', 'oX', 'oG', 'oA').flatMap((file) => write(call, file, { detail: 'overwrite' })),
  ]);
};

/** The words of a call in a row, as far as a subcommand may reach. */
function saidBy({ args }: Call): string {
  return args.slice(0, 64).map(beginningOf).join(' ').slice(0, 1024);
}

const firewallReads =
  /^(?:-t \w+ )?(?:-[46nvwx]+ )*(?:-[a-zA-Z]*[LSCVh]|--(?:list|list-rules|check|version|help|numeric))/;
const iptables: Tool = (call) => {
  const said = saidBy(call);
  if (
    call.args.length === 0 ||
    firewallReads.test(said) ||
    (/(?:^| )-[a-zA-Z]*[LSC](?: |$)|--list/.test(said) && !/(?:^| )-[FXADIRPNZE](?: |$)/.test(said))
  )
    return inert(call);
  const detail = /(?:^| )(?:-F|--flush|-X|--delete-chain)(?: |$)/.test(said)
    ? 'flush'
    : /(?:^| )(?:-D|--delete)(?: |$)/.test(said)
      ? 'remove'
      : /(?:^| )(?:-P|--policy)(?: |$)/.test(said)
        ? 'policy'
        : 'change';
  return [effect(call, 'firewall', { detail })];
};

const firewall =
  (reads: RegExp, flush: RegExp): Tool =>
  (call) => {
    const said = saidBy(call);
    if (call.args.length === 0 || reads.test(said)) return inert(call);
    return [
      effect(call, 'firewall', {
        detail: flush.test(said) ? 'flush' : /\bdelete|remove\b/.test(said) ? 'remove' : 'change',
      }),
    ];
  };

const ip: Tool = (call) => {
  const words = call.args.filter((argument) => !beginningOf(argument).startsWith('-')).map(beginningOf);
  const [object = '', verb = 'show'] = words;
  const batch = call.args.findIndex((argument) => /^-b(?:atch)?$/.test(beginningOf(argument)));
  if (batch !== -1)
    return [
      ...read(call, call.args[batch + 1] ?? unknownValue),
      effect(call, 'service', { detail: 'network-change' }),
    ];
  if (
    object === '' ||
    /^(?:show|list|ls|s|sh|l|get|help|monitor|stats|showdump|save)$/.test(verb) ||
    /^monitor/.test(object)
  )
    return inert(call);
  if (/^(?:netns|vrf)$/.test(object) && /^(?:exec|identify|pids|list-id)$/.test(verb)) return inert(call);
  const down = words.includes('down') || /^(?:flush|del|delete|f|d)$/.test(verb);
  return [
    effect(call, 'service', {
      detail: down ? 'network-down' : 'network-change',
      target: nameTarget(literal(words.slice(2, 4).join(' '))),
    }),
  ];
};

const ifconfig: Tool = (call) => {
  const words = call.args.map(beginningOf);
  if (words.length < 2 || words.every((word) => word.startsWith('-'))) return inert(call);
  return [
    effect(call, 'service', {
      detail: words.includes('down') || words.includes('delete') ? 'network-down' : 'network-change',
      target: nameTarget(call.args[0]),
    }),
  ];
};

const networkChange =
  (looks: RegExp, down: RegExp): Tool =>
  (call) => {
    const said = saidBy(call);
    if (call.args.length === 0 || looks.test(said)) return inert(call);
    return [
      effect(call, 'service', {
        detail: down.test(said) ? 'network-down' : 'network-change',
        target: nameTarget(call.args.at(-1)),
      }),
    ];
  };

const capture: Tool = (call) => {
  const given = options('w= r= i= c= s= G= z= Z= W= C= F= f= Y= b= T= e= o= n v V A X D l L p q S U D K')(
    call.args,
  );
  return [
    ...given.all('r').flatMap((file) => read(call, file)),
    ...given.all('w').flatMap((file) => write(call, file, { detail: 'overwrite' })),
    ...(given.has('r', 'D', 'V') ? [] : [effect(call, 'privilege', { detail: 'capture' })]),
    ...(given.has('z')
      ? [effect(call, 'run', { detail: 'helper', target: nameTarget(given.last('z')) })]
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

const listener =
  (detail: string): Tool =>
  (call) => [
    effect(call, 'listen', {
      detail,
      target: nameTarget(call.args.find((argument) => /^\d+$/.test(beginningOf(argument)))),
    }),
  ];

const download: Tool = (call) => {
  const given = options(
    'o/output= d/dir= x/max-connection-per-server= s= P= n= a c q i/input-file= O/out= max-tries= header= user-agent= on-download-complete= on-download-error=',
  )(call.args);
  return [
    ...given.operands.map((url) => connect(call, hostOf(url), 'GET')),
    ...(given.operands.length > 0
      ? write(
          call,
          given.last('output', 'O') ?? given.last('dir') ?? nameInUrl(given.operands[0] ?? unknownValue),
          { detail: 'create', origins: ['network'] },
        )
      : []),
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

export const networkTools: Tools = {
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
  nc,
  ncat: nc,
  netcat: nc,
  'nc.openbsd': nc,
  'nc.traditional': nc,
  socat,
  ssh,
  autossh: ssh,
  mosh: session('ssh'),
  slogin: ssh,
  scp,
  sftp: session('sftp'),
  ftp: session('ftp'),
  lftp: session('ftp'),
  ncftp: session('ftp'),
  tnftp: session('ftp'),
  tftp: session('ftp'),
  ftps: session('ftp'),
  telnet: session('telnet'),
  rlogin: session('send'),
  rsh: session('telnet'),
  smbclient: (call) => {
    const given = options('c/command= U/user= p/port= I= W= A= D/directory= N L=')(call.args);
    const [share] = given.operands;
    const commands = given.all('command').map(beginningOf).join(';');
    const files = [...commands.matchAll(/\bput\s+(\S+)/g)].flatMap((found) =>
      read(call, literal(found[1] ?? '')),
    );
    const gets = [...commands.matchAll(/\bget\s+(\S+)(?:\s+([^\s;]+))?/g)].flatMap((found) =>
      write(call, literal(found[2] ?? found[1]?.split(/[\\/]/).at(-1) ?? ''), {
        detail: 'create',
        origins: ['network'],
      }),
    );
    const detail = /\bm?put\b/.test(commands) ? 'upload' : 'smb';
    return share
      ? [
          ...files,
          ...gets,
          connect(
            call,
            mapValue(share, (text) => text.replace(/^[\\/]+/, '').split(/[\\/]/, 1)[0] ?? ''),
            detail,
            originsOf(files),
          ),
        ]
      : inert(call);
  },
  'ssh-copy-id': (call) => [
    ...session('ssh')({ ...call, args: call.args }),
    effect(call, 'persist', { detail: 'authorized-keys', target: nameTarget(call.args.at(-1)) }),
  ],
  'ssh-keyscan': lookup('probe'),
  finger: (call) => {
    const [who] = lookupOptions(call.args).operands;
    const text = beginningOf(who ?? literal(''));
    return text.includes('@')
      ? [connect(call, hostOf(literal(text.slice(text.lastIndexOf('@') + 1))), 'send')]
      : inert(call);
  },
  whois: (call) => {
    const given = lookupOptions(call.args);
    const server = given.last('h');
    return server ? [connect(call, server, 'send')] : lookup('lookup')(call);
  },
  dig: lookup('lookup'),
  drill: lookup('lookup'),
  host: lookup('lookup'),
  nslookup: lookup('lookup'),
  delv: lookup('lookup'),
  dog: lookup('lookup'),
  resolvectl: networkChange(/^(?:query|status|statistics|dns$|domain$|service|show|monitor)/, /revert|flush/),
  'systemd-resolve': networkChange(/^(?!--set|--revert|--flush)/, /--revert/),
  nsupdate: (call) => [
    effect(call, 'cloud', {
      detail: /\bdelete\b/i.test(beginningOf(call.io.stdin)) ? 'delete' : 'change',
      target: nameTarget(literal('dns')),
    }),
  ],
  ping,
  ping6: ping,
  fping: ping,
  arping: ping,
  traceroute: ping,
  traceroute6: ping,
  tracepath: ping,
  mtr: ping,
  hping3: (call) => {
    const given = options(
      'p= i= c= d= a= s= t= E= I= 9= e= S F A R P U f flood faster fast 1 2 8 V q n spoof= file= listen= sign= data= icmp udp',
    )(call.args);
    const reads = given.all('file', 'E').flatMap((file) => read(call, file));
    return [
      ...reads,
      ...given.operands.map((host) =>
        connect(call, host, reads.length > 0 ? 'send' : 'scan', originsOf(reads)),
      ),
      ...(given.has('flood') ? [effect(call, 'bomb', { detail: 'network' })] : []),
      ...(given.has('listen', '9') ? [effect(call, 'listen', { detail: 'raw' })] : []),
    ];
  },
  nmap: scan,
  masscan: scan,
  zmap: scan,
  rustscan: scan,
  nikto: scan,
  sqlmap: scan,
  gobuster: scan,
  ffuf: scan,
  hydra: scan,
  'arp-scan': scan,
  iptables,
  ip6tables: iptables,
  'iptables-legacy': iptables,
  'iptables-nft': iptables,
  ebtables: iptables,
  arptables: iptables,
  'iptables-save': (call) => inert(call),
  'ip6tables-save': (call) => inert(call),
  'iptables-restore': (call) => [effect(call, 'firewall', { detail: 'change' })],
  'ip6tables-restore': (call) => [effect(call, 'firewall', { detail: 'change' })],
  ipset: firewall(/^(?:list|save|test|-L)/, /^(?:flush|destroy|-F|-X)/),
  nft: firewall(/^(?:-[ajsncy]+ )*(?:list|describe|monitor|--version|-v)/, /flush|destroy|delete table/),
  ufw: firewall(/^(?:status|show|version|--version|app (?:list|info)|--dry-run)/, /\b(?:disable|reset)\b/),
  'firewall-cmd': firewall(
    /^(?:--(?:permanent|zone=\S+) )*--(?:state|list|get|query|info|check|version|help)/,
    /--(?:panic-on|complete-reload|delete|reset)/,
  ),
  pfctl: firewall(/^-(?:s|v|n|g)/, /-[a-zA-Z]*[Fd]/),
  ipfw: firewall(/^(?:list|show|-a|-h)/, /flush/),
  netsh: firewall(/\bshow\b/, /\boff\b|\breset\b/),
  'fail2ban-client': firewall(
    /^(?:status|ping|get|version|--version|-V|banned|-d|--dp)/,
    /\b(?:stop|unban|restart)\b/,
  ),
  ip,
  ifconfig,
  ifup: networkChange(/^--(?:help|no-act)/, /^$/),
  ifdown: networkChange(/^--(?:help|no-act)/, /./),
  route: networkChange(/^(?:-[neC46v]+ ?)*$|^(?:-n )?(?:get|monitor)/, /\b(?:del|delete|flush)\b/),
  arp: (call) => {
    const given = options('f= i= H= d= s= a e n v D A')(call.args);
    return given.has('f')
      ? given.all('f').flatMap((file) => read(call, file))
      : given.has('d', 's')
        ? [effect(call, 'service', { detail: 'network-change' })]
        : inert(call);
  },
  nmcli: networkChange(
    /^(?:-[a-z]+ \S+ )*(?:-t |-p |-g \S+ )*(?:g(?:eneral)?(?: status)?$|d(?:ev(?:ice)?)?(?: (?:status|show|wifi(?: list)?))?|c(?:on(?:nection)?)?(?: show.*)?|radio(?: wifi)?|monitor|--version)(?:$| (?:show|status|list|wifi list).*)$/,
    /\b(?:down|off|delete|disconnect)\b/,
  ),
  netplan: networkChange(/^(?:get|info|status|generate)/, /^$/),
  brctl: networkChange(/^(?:show|showmacs|showstp)/, /del/),
  tc: networkChange(/(?:^| )(?:show|list|ls)\b|^-s/, /\bdel\b/),
  ethtool: networkChange(/^(?:-[igaklSTcmxnd]|--show|--driver)?\s*[\w.-]*$/, /--reset/),
  iwconfig: ifconfig,
  iw: networkChange(/(?:list|info|link|scan|dump|get)/, /\bdel\b/),
  rfkill: networkChange(/^list/, /block/),
  networksetup: networkChange(/^-(?:get|list|show|is|print)/, /off/),
  wpa_cli: networkChange(/^(?:status|scan|scan_results|list_networks)/, /disconnect|terminate/),
  tcpdump: capture,
  tshark: capture,
  wireshark: capture,
  dumpcap: capture,
  ngrok: listener('tunnel'),
  cloudflared: (call) =>
    /^(?:version|--version|update)/.test(call.args.map(beginningOf).join(' '))
      ? inert(call)
      : listener('tunnel')(call),
  localtunnel: listener('tunnel'),
  lt: listener('tunnel'),
  chisel: listener('tunnel'),
  'http-server': listener('http'),
  serve: listener('http'),
  'live-server': listener('http'),
  tailscale: networkChange(/^(?:status|ip|version|ping|netcheck|whois)/, /^(?:down|logout)/),
  wg: networkChange(/^(?:show|showconf|genkey|pubkey|genpsk)/, /^$/),
  'wg-quick': networkChange(/^(?:save|strip)/, /^down/),
  openvpn: (call) => [effect(call, 'service', { detail: 'network-change' })],
  sshuttle: (call) => [effect(call, 'service', { detail: 'network-change' })],
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
