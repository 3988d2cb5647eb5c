// Programs that ask a server for something: requests, load, and transfers to stores in the cloud.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  literal,
  mapValue,
  nameTarget,
  pathTarget,
  read,
  textOf,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { connect, fetchedTo, methodOf, nameInUrl, originsOf, storeEffects, union } from '../network.ts';

const isAddress = (value: Value): boolean => /:\/\//.test(beginningOf(value));
const localPath = (value: Value): Value => mapValue(value, (text) => text.replace(/^file:\/\//, ''));
const isLocal = (value: Value): boolean => /^file:\/\//.test(beginningOf(value));

/** HTTPie and its kin: `http [METHOD] URL [item …]`. */
const httpie: Card = {
  names: 'http https xh xhs',
  options:
    'j f/form multipart o/output= d/download c/continue p/print= s/style= a/auth= A/auth-type= session= session-read-only= proxy= timeout= verify= cert= cert-key= b/body h/headers v/verbose I F/follow raw= q pretty= max-redirects= check-status offline format-options= history-print= P= max-headers= ssl= ciphers= default-scheme=',
  readings: {
    valued:
      'o output p print s style a auth A auth-type session session-read-only proxy timeout verify cert cert-key raw pretty max-redirects format-options history-print P max-headers ssl ciphers default-scheme',
    flags:
      'j f form multipart d download c continue b body h headers v verbose I F follow q check-status offline',
  },
  facts: [
    {
      what: 'asks a server, and saves the answer',
      effects: (call, given): readonly Effect[] => {
        const [first, second] = given.operands;
        const method = first && /^[A-Z]+$/.test(beginningOf(first)) ? first : undefined;
        const url = method ? second : first;
        if (!url) return [];
        const items = given.operands.slice(method ? 2 : 1);
        const reads = items
          .filter((item) => beginningOf(item).includes('@'))
          .flatMap((item) =>
            read(
              call,
              mapValue(item, (text) => text.slice(text.indexOf('@') + 1)),
            ),
          );
        const sends =
          items.some((item) => /=|@/.test(beginningOf(item)) && !/==/.test(beginningOf(item))) ||
          call.io.stdinOrigins.length > 0 ||
          given.has('raw');
        const how = methodOf(method, sends ? 'POST' : 'GET');
        const host = beginningOf(url).startsWith(':') ? literal('localhost') : hostOf(url);
        return [
          ...reads,
          ...storeEffects(call, url, how),
          connect(call, host, how, union(originsOf(reads), call.io.stdinOrigins)),
          ...given.all('output').flatMap((file) => fetchedTo(call, file, 'overwrite')),
          ...(given.has('download') && !given.has('output') ? fetchedTo(call, nameInUrl(url), 'create') : []),
        ];
      },
      examples: {
        hit: {
          'http h.example': 'connect h.example (GET)',
          'http PUT h.example a=b': 'connect h.example (PUT)',
          'xh h.example a=b': 'connect h.example (POST)',
          'http h.example a==b': 'connect h.example (GET)',
          'http h.example a@b.txt': 'read b.txt; connect h.example (POST)',
          'http h.example a=@.env':
            'read .env; secret .env (environment); connect h.example (POST) from secret',
          'http :8080/a': 'connect localhost (GET)',
          '$SECRET | http h.example': 'connect h.example (POST) from secret',
          'http --raw a h.example': 'connect h.example (POST)',
          'http DELETE h.example:9200/a': 'database h.example:9200/a (drop); connect h.example (DELETE)',
          'https -o out h.example': 'connect h.example (GET); write out (overwrite) from network',
          'https -d https://h.example/a.sh': 'connect h.example (GET); write a.sh (create) from network',
          'http -d -o out https://h.example/a.sh':
            'connect h.example (GET); write out (overwrite) from network',
        },
        miss: ['http', 'http --offline'],
      },
    },
  ],
};

const load: Card = {
  names: 'ab wrk hey siege vegeta',
  options:
    'p= u= T= n= c= t= d= s= H= A= X= C= P= r= i m= o= g= e= k v l w q L= a= z= b= f= body= body-file= duration= threads= script= header= timeout=',
  readings: {
    valued:
      'p u T n c t d s H A X C P r m o g e L a z b f body body-file duration threads script header timeout',
    flags: 'i k v l w q',
  },
  facts: [
    {
      what: 'asks a server many times',
      effects: (call, given) => {
        const url = given.operands.find(isAddress) ?? given.operands[0];
        const reads = given.all('p', 'u').flatMap((file) => read(call, file));
        return url
          ? [...reads, connect(call, hostOf(url), given.has('p', 'u') ? 'POST' : 'GET', originsOf(reads))]
          : [];
      },
      examples: {
        hit: {
          'ab -n 10 https://h.example/': 'connect h.example (GET)',
          'wrk --script a https://h.example/': 'connect h.example (GET)',
          'ab -p .env a https://h.example/':
            'read .env; secret .env (environment); connect h.example (POST) from secret',
          'ab -u data h.example': 'read data; connect h.example (POST)',
        },
        miss: ['ab -V', 'ab -p data'],
      },
    },
  ],
};

const lwpRequest: Card = {
  names: 'lwp-request GET POST HEAD',
  options: 'm= f b= t= i= c= a p= P H= C= u U s S e d v h x o=',
  readings: { valued: 'm b t i c p H C o', flags: 'f a P u U s S e d v h x' },
  facts: [
    {
      what: 'asks a server, or shows a file',
      effects: (call, given) => {
        const [url] = given.operands;
        if (!url) return [];
        if (isLocal(url)) return read(call, localPath(url));
        const method = methodOf(given.last('m'), call.program === 'POST' ? 'POST' : 'GET');
        return [connect(call, hostOf(url), method, call.io.stdinOrigins)];
      },
      examples: {
        hit: {
          'GET https://h.example/': 'connect h.example (GET)',
          'POST https://h.example/': 'connect h.example (POST)',
          'lwp-request -m PUT https://h.example/': 'connect h.example (PUT)',
          '$SECRET | POST https://h.example/': 'connect h.example (POST) from secret',
          'GET file:///etc/passwd': 'read /etc/passwd',
        },
        miss: ['GET'],
      },
    },
  ],
};

/** A browser of text; words without a dot may be the values of options. */
const browsers: Card = {
  names: 'lynx links links2 elinks w3m',
  options: 'T= I= O= o= cfg= useragent= width=',
  readings: { valued: 'T I O o cfg useragent width' },
  facts: [
    {
      what: 'shows a page or a file',
      effects: (call, given) => {
        const url = given.operands.find((operand) =>
          call.program === 'lynx' || call.program === 'w3m' ? true : /[.:]/.test(beginningOf(operand)),
        );
        if (!url) return [];
        return call.program === 'w3m' && !isAddress(url)
          ? read(call, url)
          : [connect(call, hostOf(url), 'GET')];
      },
      examples: {
        hit: {
          'lynx -dump https://h.example/': 'connect h.example (GET)',
          'links -dump 80 h.example': 'connect h.example (GET)',
          'w3m https://h.example/': 'connect h.example (GET)',
          'w3m -T text/html a.html': 'read a.html',
          'lynx $X': 'connect … (GET)',
        },
        miss: ['links', 'elinks -dump', 'w3m'],
      },
    },
  ],
};

const sockets: Card = {
  names: 'websocat wscat',
  options: 's= e E c/connect= l/listen= x= H= n p=',
  readings: { valued: 's c connect l listen x H p', flags: 'e E n' },
  facts: [
    {
      what: 'keeps a socket to a server, or serves one',
      effects: (call, given) => {
        const origins = call.io.stdinOrigins;
        const port = call.program === 'wscat' ? given.last('listen') : given.last('s');
        if (port) return [effect(call, 'listen', { detail: 'websocket', target: nameTarget(port) })];
        const urls = call.program === 'wscat' ? given.all('connect') : given.operands.slice(0, 1);
        return urls.map((url) => connect(call, hostOf(url), 'websocket', origins));
      },
      examples: {
        hit: {
          'websocat wss://h.example/a b': 'connect h.example (websocket)',
          'websocat -s 1234': 'listen 1234 (websocket)',
          'wscat -c wss://h.example/a': 'connect h.example (websocket)',
          '$SECRET | wscat --connect wss://h.example/a': 'connect h.example (websocket) from secret',
          'wscat -l 80': 'listen 80 (websocket)',
        },
        miss: ['websocat', 'wscat wss://h.example/a'],
      },
    },
  ],
};

const grpcurl: Card = {
  names: 'grpcurl',
  options: 'd= H= plaintext proto= import-path= max-time= format= v emit-defaults cert= key= cacert=',
  manner: { wholeWords: true },
  readings: {
    valued: 'd H proto import-path max-time format cert key cacert',
    flags: 'plaintext v emit-defaults',
  },
  facts: [
    {
      what: 'calls a method of a server',
      effects: (call, { operands: [host, method] }) => {
        if (!host) return [];
        const reads = !method || /^(?:list|describe)$/.test(beginningOf(method));
        return [connect(call, hostOf(host), reads ? 'GET' : 'POST', call.io.stdinOrigins)];
      },
      examples: {
        hit: {
          'grpcurl -d a h.example:443 b.C/D': 'connect h.example (POST)',
          'grpcurl h.example:443 <list describe>': 'connect h.example (GET)',
          'grpcurl h.example:443': 'connect h.example (GET)',
        },
        miss: ['grpcurl'],
      },
    },
  ],
};

const isRemote = (value: Value | undefined): boolean =>
  value !== undefined && /^[\w-]+:/.test(beginningOf(value));

/** What is deleted in a store or here. */
function cleared(call: Call, place: Value | undefined, detail?: string): Effect {
  return isRemote(place)
    ? effect(call, 'cloud', { detail: 'delete', recursive: true, target: nameTarget(place) })
    : effect(call, 'delete', {
        ...(detail && { detail }),
        recursive: true,
        target: pathTarget(place ?? unknownValue),
      });
}

const rcloneLooks =
  /^(?:ls|lsd|lsl|lsf|lsjson|size|check|cat|about|version|listremotes|tree|md5sum|sha1sum|hashsum|help|config|ncdu)$/;

const rclone: Card = {
  names: 'rclone',
  options:
    'v P n/dry-run config= transfers= checkers= exclude= include= filter= bwlimit= f/from= combined= differ= error= match= missing-on-dst= missing-on-src= dedupe-mode= expire=',
  readings: {
    valued:
      'config transfers checkers exclude include filter bwlimit f from combined differ error match missing-on-dst missing-on-src dedupe-mode expire',
    flags: 'v P n dry-run',
  },
  facts: [
    {
      what: 'copies between here and a store, and deletes there or here',
      effects: (call, given): readonly Effect[] => {
        const [verb, first, second] = given.operands;
        const text = textOf(verb ?? literal('version')) ?? '';
        if (given.has('dry-run') || rcloneLooks.test(text)) return [];
        if (/^(?:delete|purge|deletefile|rmdir|rmdirs|cleanup|dedupe)$/.test(text))
          return [cleared(call, first)];
        const reads = first && !isRemote(first) ? read(call, first, { recursive: true }) : [];
        const [remote] = [second, first].filter(isRemote);
        const how = isRemote(second) ? 'upload' : 'download';
        return [
          ...reads,
          ...(remote ? [connect(call, remote, how, originsOf(reads))] : []),
          ...(second && !isRemote(second)
            ? write(call, second, { detail: 'copy', recursive: true, origins: ['network'] })
            : []),
          ...(text === 'sync' && second ? [cleared(call, second, 'sync')] : []),
        ];
      },
      examples: {
        hit: {
          'rclone copy a b:c': 'read a recursive; connect b:c (upload)',
          'rclone copy .env b:c':
            'read .env recursive; secret .env (environment); connect b:c (upload) from secret',
          'rclone copy b:c d': 'connect b:c (download); write d (copy) recursive from network',
          'rclone sync a b:c': 'read a recursive; connect b:c (upload); cloud b:c (delete) recursive',
          'rclone sync b:c d':
            'connect b:c (download); write d (copy) recursive from network; delete d (sync) recursive',
          'rclone copy b:c d:e': 'connect d:e (upload)',
          'rclone delete b:c': 'cloud b:c (delete) recursive',
          'rclone <purge deletefile rmdir rmdirs cleanup dedupe> b:c': 'cloud b:c (delete) recursive',
          'rclone purge d': 'delete d recursive',
          'rclone $X b:c d': 'connect b:c (download); write d (copy) recursive from network',
        },
        miss: [
          'rclone <ls lsd lsl lsf lsjson size check cat about version listremotes tree md5sum sha1sum hashsum help config ncdu> a:b',
          'rclone',
          'rclone purge -n a:b',
          'rclone sync --dry-run a b:c',
        ],
      },
    },
  ],
};

export const cards: readonly Card[] = [httpie, load, lwpRequest, browsers, sockets, grpcurl, rclone];
