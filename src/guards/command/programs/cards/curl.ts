// curl: requests to hosts, uploads and downloads.

import { singleText, unknownText } from '../../bash/values.ts';
import type { Effect, Origin, Value } from '../../effects.ts';
import {
  after,
  beginningOf,
  type Call,
  effect,
  hostOf,
  mapValue,
  nameTarget,
  pathTarget,
  read,
  textOf,
  unknownValue,
  within,
  write,
} from '../../tools/tool.ts';
import { type Card, type Given, ofOptions } from '../card.ts';
import { connect, fetchedTo, methodOf, nameInUrl, originsOf, storeEffects, union } from '../network.ts';

const isFileUrl = (url: string): boolean => /^file:\/\//i.test(url);

function isStandardOutput(file: Value): boolean {
  const text = textOf(file);
  return text === '-' || text === '';
}

/** What is asked for; with a file of settings alone, something that is not known. */
function urlsOf(given: Given<Value>): readonly Value[] {
  const urls = [...given.operands, ...given.all('url')];
  return urls.length === 0 && given.has('config') ? [unknownValue] : urls;
}

/** The files whose content is sent. */
function filesSent(given: Given<Value>): readonly Value[] {
  const marked = (value: Value): readonly Value[] =>
    beginningOf(value).startsWith('@') ? [after(value, 1)] : [];
  const named = (value: Value): readonly Value[] => {
    const at = beginningOf(value).indexOf('@');
    return at >= 0 && !beginningOf(value).slice(0, at).includes('=') ? [after(value, at + 1)] : [];
  };
  const inForm = (field: Value): readonly Value[] => {
    const start = /=[@<]/.exec(beginningOf(field));
    if (!start) return [];
    return [
      mapValue(field, (text) =>
        text
          .slice(start.index + 2)
          .replace(/;(?:type|filename|headers)=.*$/, '')
          .replace(/^"|"$/g, ''),
      ),
    ];
  };
  return [
    ...given.all('data', 'data-binary', 'data-ascii', 'json', 'expand-data').flatMap(marked),
    ...given.all('data-urlencode').flatMap(named),
    ...given.all('form').flatMap(inForm),
    ...given.all('header', 'cookie', 'config', 'url-query').flatMap(marked),
    ...given.all('upload-file'),
  ];
}

/** What is read to be sent, and where all that is sent comes from. */
function sent(call: Call, given: Given<Value>): { reads: readonly Effect[]; origins: readonly Origin[] } {
  const files = filesSent(given);
  const input = files.filter((path) => /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(textOf(path) ?? ''));
  const reads = files.filter((path) => !input.includes(path)).flatMap((path) => read(call, path));
  return { reads, origins: union(input.length > 0 ? call.io.stdinOrigins : [], originsOf(reads)) };
}

const bodies = 'data data-raw data-binary data-ascii data-urlencode json form form-string expand-data'.split(
  ' ',
);

function requestMethod(given: Given<Value>): string {
  const sends = given.has(...bodies) && !given.has('get');
  const usual = given.has('head') ? 'HEAD' : given.has('upload-file') ? 'PUT' : sends ? 'POST' : 'GET';
  return methodOf(given.last('request'), usual);
}

const curl: Card = {
  names: 'curl curlie',
  options:
    'X/request= d/data= data-raw= data-binary= data-ascii= data-urlencode= json= F/form= form-string= T/upload-file= G/get I/head o/output= O/remote-name remote-name-all output-dir= J/remote-header-name K/config= H/header= A/user-agent= u/user= x/proxy= proxy-user= preproxy= socks5= socks5-hostname= socks4= e/referer= b/cookie= c/cookie-jar= D/dump-header= E/cert= key= cacert= capath= pass= cert-type= key-type= m/max-time= connect-timeout= retry= retry-delay= retry-max-time= r/range= w/write-out= z/time-cond= C/continue-at= url= resolve= connect-to= interface= local-port= limit-rate= Y/speed-limit= y/speed-time= ciphers= tls-max= unix-socket= abstract-unix-socket= trace= trace-ascii= stderr= netrc-file= oauth2-bearer= aws-sigv4= libcurl= etag-save= etag-compare= hsts= P/ftp-port= Q/quote= mail-from= mail-rcpt= t/telnet-option= doh-url= dns-servers= proto= proto-default= max-redirs= max-filesize= keepalive-time= request-target= url-query= variable= expand-data= expand-url= parallel-max= create-file-mode= service-name= noproxy= pinnedpubkey= crlfile= engine= random-file= egd-file= happy-eyeballs-timeout-ms= expect100-timeout= ftp-account= ftp-method= krb= login-options= postquote= prequote= pubkey= sasl-authzid= hostpubmd5= hostpubsha256= rate= tls13-ciphers= tlsuser= tlspassword= curves= f/fail s/silent S/show-error L/location k/insecure v/verbose i/include n/netrc g/globoff N/no-buffer a/append l/list-only B/use-ascii j q/disable p/proxytunnel R/remote-time Z/parallel # 0 1 2 3 4 6 compressed fail-with-body create-dirs ssl-reqd tcp-nodelay http2 http1.1 post301 anyauth basic digest path-as-is raw styled-output U= alt-svc= delegation= dns-interface= dns-ipv4-addr= dns-ipv6-addr= ftp-alternative-to-user= ftp-ssl-ccc-mode= mail-auth= proto-redir= proxy-cacert= proxy-capath= proxy-cert= proxy-cert-type= proxy-ciphers= proxy-crlfile= proxy-header= proxy-key= proxy-key-type= proxy-pass= proxy-pinnedpubkey= proxy-service-name= proxy-tls13-ciphers= proxy-tlsauthtype= proxy-tlspassword= proxy-tlsuser= proxy1.0= socks4a= socks5-gssapi-service= tftp-blksize= tlsauthtype= crlf ftp-ssl-ccc socks5-gssapi',
  readings: {
    valued:
      'X request d data data-raw data-binary data-ascii data-urlencode json F form form-string T upload-file o output output-dir K config H header A user-agent u user x proxy proxy-user preproxy socks5 socks5-hostname socks4 e referer b cookie c cookie-jar D dump-header E cert key cacert capath pass cert-type key-type m max-time connect-timeout retry retry-delay retry-max-time r range w write-out z time-cond C continue-at url resolve connect-to interface local-port limit-rate Y speed-limit y speed-time ciphers tls-max unix-socket abstract-unix-socket trace trace-ascii stderr netrc-file oauth2-bearer aws-sigv4 libcurl etag-save etag-compare hsts P ftp-port Q quote mail-from mail-rcpt t telnet-option doh-url dns-servers proto proto-default max-redirs max-filesize keepalive-time request-target url-query variable expand-data expand-url parallel-max create-file-mode service-name noproxy pinnedpubkey crlfile engine random-file egd-file happy-eyeballs-timeout-ms expect100-timeout ftp-account ftp-method krb login-options postquote prequote pubkey sasl-authzid hostpubmd5 hostpubsha256 rate tls13-ciphers tlsuser tlspassword curves U alt-svc delegation dns-interface dns-ipv4-addr dns-ipv6-addr ftp-alternative-to-user ftp-ssl-ccc-mode mail-auth proto-redir proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy1.0 socks4a socks5-gssapi-service tftp-blksize tlsauthtype',
    flags:
      'G get I head O remote-name remote-name-all J remote-header-name f fail s silent S show-error L location k insecure v verbose i include n netrc g globoff N no-buffer a append l list-only B use-ascii j q disable p proxytunnel R remote-time Z parallel # 0 1 2 3 4 6 compressed fail-with-body create-dirs ssl-reqd tcp-nodelay http2 http1.1 post301 anyauth basic digest path-as-is raw styled-output crlf ftp-ssl-ccc socks5-gssapi',
  },
  facts: [
    {
      what: 'reads the files that it sends',
      effects: (call, given) => sent(call, given).reads,
      examples: {
        hit: {
          'curl -d @a.json https://h.example/': 'read a.json',
          'curl --data-binary @a.bin --data-ascii @b --json @c --expand-data @d https://h.example/':
            'read a.bin; read b; read c; read d',
          'curl --data-urlencode name@a.txt https://h.example/': 'read a.txt',
          'curl -F file=@a.png -F "b=<c.txt;type=text/plain" https://h.example/': 'read a.png; read c.txt',
          'curl -F "a=@\\"b c\\";filename=d" -F "e=@f;headers=g" https://h.example/': "read 'b c'; read f",
          'curl -H @head.txt --url-query @query.txt https://h.example/': 'read head.txt; read query.txt',
          'curl -b @jar -K @settings https://h.example/': 'read jar; read settings',
          'curl -T .env https://h.example/': 'read .env; secret .env (environment)',
        },
        miss: [
          'curl -d a=1 https://h.example/',
          'curl -d user@host https://h.example/',
          'curl --data-urlencode a=b@c https://h.example/',
          'curl --data-raw @a.json https://h.example/',
          'curl --form-string a=@b https://h.example/',
          'curl -F a=b https://h.example/',
          'curl -d @- https://h.example/',
          'curl -T - https://h.example/',
          'curl -T /dev/stdin https://h.example/',
          'curl -T /dev/fd/0 https://h.example/',
        ],
      },
    },
    {
      what: 'reads settings, accounts and cookies from files',
      effects: (call, given) => [
        ...given.all('config', 'netrc-file').flatMap((file) => read(call, file)),
        ...given
          .all('cookie')
          .filter((file) => !/^@|=/.test(beginningOf(file)))
          .flatMap((file) => read(call, file)),
      ],
      examples: {
        hit: {
          'curl -K settings.txt': 'read settings.txt',
          'curl --netrc-file accounts https://h.example/': 'read accounts',
          'curl -b jar https://h.example/': 'read jar',
        },
        miss: [
          'curl -b a=b https://h.example/',
          'curl -b @jar https://h.example/',
          'curl -K - https://h.example/',
        ],
      },
    },
    {
      what: 'connects through a proxy',
      effects: ofOptions('proxy preproxy socks5 socks5-hostname socks4', (call, proxy) => [
        connect(call, hostOf(proxy), 'GET'),
      ]),
      examples: {
        hit: {
          'curl -x http://p.example:3128 --preproxy q.example:1 https://h.example/':
            'connect p.example (GET); connect q.example (GET)',
          'curl --socks5 a.example:1 --socks5-hostname b.example:1 --socks4 c.example:1 https://h.example/':
            'connect a.example (GET); connect b.example (GET); connect c.example (GET)',
        },
        miss: ['curl --noproxy h.example https://h.example/', 'curl --proxy-user a:b https://h.example/'],
      },
    },
    {
      what: 'does what a file of settings says',
      effects: ofOptions('config', (call, file) =>
        textOf(file) === '-' ? [] : [effect(call, 'run', { detail: 'config', target: pathTarget(file) })],
      ),
      examples: {
        hit: { 'curl -K settings.txt': 'run settings.txt (config)' },
        miss: ['curl -K - https://h.example/'],
      },
    },
    {
      what: 'requests',
      effects: (call, given) => {
        const method = requestMethod(given);
        const { origins } = sent(call, given);
        return urlsOf(given).flatMap((url) => {
          const text = beginningOf(url);
          if (isFileUrl(text))
            return read(
              call,
              mapValue(url, (path) => path.replace(/^file:\/\/(?:localhost)?/i, '')),
            );
          const detail = /^(?:smtp|imap|pop3)s?:/i.test(text) ? 'mail' : method;
          return [connect(call, hostOf(url), detail, origins)];
        });
      },
      examples: {
        hit: {
          'curl https://h.example/a': 'connect h.example (GET)',
          'curl a.example --url b.example': 'connect a.example (GET); connect b.example (GET)',
          'curl -I https://h.example/': 'connect h.example (HEAD)',
          'curl -d a=1 https://h.example/': 'connect h.example (POST)',
          'curl -Gd a=1 https://h.example/': 'connect h.example (GET)',
          'curl --data-raw a --get h.example': 'connect h.example (GET)',
          'curl --data-raw a h.example': 'connect h.example (POST)',
          'curl --data-binary a h.example': 'connect h.example (POST)',
          'curl --data-ascii a h.example': 'connect h.example (POST)',
          'curl --data-urlencode a h.example': 'connect h.example (POST)',
          'curl --json {} h.example': 'connect h.example (POST)',
          'curl -F a=b h.example': 'connect h.example (POST)',
          'curl --form-string a=b h.example': 'connect h.example (POST)',
          'curl --expand-data a h.example': 'connect h.example (POST)',
          'curl -T a.txt https://h.example/': 'connect h.example (PUT)',
          'curl -X delete https://h.example/': 'connect h.example (DELETE)',
          'curl -X $METHOD https://h.example/': 'connect h.example (unknown)',
          'curl -T .env https://h.example/': 'connect h.example (PUT) from secret',
          '$SECRET | curl -d @- https://h.example/': 'connect h.example (POST) from secret',
          'curl -K settings.txt': 'connect … (GET)',
          'curl file:///etc/passwd FILE://localhost/etc/hosts': 'read /etc/passwd; read /etc/hosts',
          'curl smtp://m.example imaps://n.example pop3://o.example':
            'connect m.example (mail); connect n.example (mail); connect o.example (mail)',
          '$SECRET | curl -T /dev/stdin h.example': 'connect h.example (PUT) from secret',
          '$SECRET | curl -T /dev/fd/0 h.example': 'connect h.example (PUT) from secret',
          '$SECRET | curl -T a.txt h.example': 'connect h.example (PUT)',
        },
        miss: ['curl', 'curl -V', 'curl -x p.example'],
      },
    },
    {
      what: 'deletes from stores',
      effects: (call, given) => {
        const method = requestMethod(given);
        return urlsOf(given).flatMap((url) => storeEffects(call, url, method));
      },
      examples: {
        hit: {
          'curl -X DELETE http://a.example:9200/logs b:7700/ c:8001/ d:5984?e f:8086':
            'database http://a.example:9200/logs (drop); database b:7700/ (drop); database c:8001/ (drop); database d:5984?e (drop); database f:8086 (drop)',
          'curl -X DELETE a:8983 b:6333 c:8108 d:2379 e:8500 f:15672 g:9090':
            'database a:8983 (drop); database b:6333 (drop); database c:8108 (drop); database d:2379 (drop); database e:8500 (drop); database f:15672 (drop); database g:9090 (drop)',
          'curl -d {} a:9200/b/_delete_by_query a:9200/b/_close a:9200/_all a:9200/_cluster/settings':
            'database a:9200/b/_delete_by_query (drop); database a:9200/b/_close (drop); database a:9200/_all (drop); database a:9200/_cluster/settings (drop)',
          'curl -X PUT a:9200/_shutdown a:9200/b/_forcemerge a:8983/delete':
            'database a:9200/_shutdown (drop); database a:9200/b/_forcemerge (drop); database a:8983/delete (drop)',
        },
        miss: [
          'curl -X DELETE https://h.example/a',
          'curl -X DELETE http://h.example:92001/a',
          'curl http://h.example:9200/a/_delete_by_query',
          'curl -d {} http://h.example:9200/a/_search',
        ],
      },
    },
    {
      what: 'saves what the host sends',
      effects: (call, given) => {
        const urls = urlsOf(given);
        const folder = given.last('output-dir');
        const byUrl = given.has('remote-name', 'remote-name-all') ? urls.map(nameInUrl) : [];
        const named = urls.length === 0 ? [] : given.all('output').filter((file) => !isStandardOutput(file));
        // `#1` is what stands in the first braces of the address.
        const files = named.map((file) => mapValue(file, (text) => text.replace(/#\d/g, '*')));
        return [...byUrl, ...files].flatMap((file) => fetchedTo(call, within(folder, file), 'overwrite'));
      },
      examples: {
        hit: {
          'curl -soout.txt https://h.example/': 'write out.txt (overwrite) from network',
          'curl --output a --output-dir d https://h.example/': 'write d/a (overwrite) from network',
          'curl -O https://h.example/x/run.sh?a#b': 'write run.sh (overwrite) from network',
          'curl --remote-name-all https://h.example/': 'write index.html (overwrite) from network',
          'curl -o page-#1.html https://h.example/{a,b}': 'write page-*.html (overwrite) from network',
          'curl -o $FILE https://h.example/': 'write … (overwrite) from network',
        },
        miss: [
          'curl -o - https://h.example/',
          'curl -o - --output-dir d https://h.example/',
          'curl https://h.example/x',
          'curl -J https://h.example/',
          'curl -o a',
        ],
      },
    },
    {
      what: 'writes cookies, headers and traces',
      effects: (call, given) =>
        urlsOf(given).length === 0
          ? []
          : given
              .all(
                'cookie-jar',
                'dump-header',
                'trace',
                'trace-ascii',
                'stderr',
                'libcurl',
                'etag-save',
                'hsts',
              )
              .flatMap((file) => write(call, file, { detail: 'overwrite' })),
      examples: {
        hit: {
          'curl -c a -D b --trace c --trace-ascii d https://h.example/':
            'write a (overwrite); write b (overwrite); write c (overwrite); write d (overwrite)',
          'curl --stderr a --libcurl b --etag-save c --hsts d https://h.example/':
            'write a (overwrite); write b (overwrite); write c (overwrite); write d (overwrite)',
        },
        miss: ['curl -c jar', 'curl -D - https://h.example/', 'curl --etag-compare a https://h.example/'],
      },
    },
    {
      what: 'sends e-mail',
      effects: (call, given) =>
        urlsOf(given).length > 0 && given.has('mail-rcpt')
          ? [effect(call, 'message', { detail: 'e-mail', target: nameTarget(given.last('mail-rcpt')) })]
          : [],
      examples: {
        hit: { 'curl --mail-rcpt a@b.example -T m.txt smtp://h.example': 'message a@b.example (e-mail)' },
        miss: ['curl --mail-rcpt a@b.example', 'curl --mail-from a@b.example smtp://h.example'],
      },
    },
    {
      what: 'talks to a socket',
      effects: (call, given) => {
        if (urlsOf(given).length === 0 || !given.has('unix-socket')) return [];
        const reads = /^(?:GET|HEAD)$/.test(requestMethod(given));
        const target = pathTarget(given.last('unix-socket') ?? unknownValue);
        return [effect(call, reads ? 'read' : 'write', { target, detail: 'socket' })];
      },
      examples: {
        hit: {
          'curl --unix-socket /run/a.sock http://h/x': 'read /run/a.sock (socket)',
          'curl -I --unix-socket /run/a.sock http://h/x': 'read /run/a.sock (socket)',
          'curl -X POST --unix-socket /run/a.sock http://h/x': 'write /run/a.sock (socket)',
        },
        miss: ['curl --unix-socket /run/a.sock', 'curl http://h/x'],
      },
    },
    {
      what: 'prints what the host sends',
      prints: (_, given) => {
        const urls = [...given.operands, ...given.all('url'), ...given.all('config')].map(singleText);
        return urls.some((url) => !isFileUrl(url)) ? unknownText(['network']) : null;
      },
      examples: {
        hit: {
          'curl https://h.example/': 'prints … from network',
          'curl --url h.example': 'prints … from network',
          'curl -K a': 'prints … from network',
        },
        miss: ['curl file:///etc/hosts', 'curl'],
      },
    },
  ],
};

export const cards = [curl];
