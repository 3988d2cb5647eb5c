// Programs that save what they fetch.

import type { Value } from '../../effects.ts';
import {
  beginningOf,
  effect,
  hostOf,
  literal,
  mapValue,
  nameTarget,
  read,
  within,
  write,
} from '../../tools/tool.ts';
import { type Card, type Fact, shellOptions } from '../card.ts';
import { connect, fetchedInto, fetchedTo, nameInUrl } from '../network.ts';

const localPath = (value: Value): Value => mapValue(value, (text) => text.replace(/^file:\/\//, ''));
const isLocal = (value: Value): boolean => /^file:\/\//.test(beginningOf(value));

const completed = ['on-download-complete', 'on-download-error'];

const saves: Fact = {
  what: 'saves what it fetches, and runs a program at the end',
  effects: (call, given) => {
    const helper = given.last(...completed);
    return [
      ...given.operands.map((url) => connect(call, hostOf(url), 'GET')),
      ...given.operands.flatMap((url) =>
        fetchedTo(call, within(given.last('dir'), given.last('output', 'O') ?? nameInUrl(url)), 'create'),
      ),
      ...(given.has('input-file') ? fetchedInto(call, given.last('dir') ?? literal('.')) : []),
      ...(helper ? [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })] : []),
    ];
  },
  examples: {
    hit: {
      'aria2c https://h.example/a.sh': 'connect h.example (GET); write a.sh (create) from network',
      'aria2c -d out -o b https://h.example/a.sh':
        'connect h.example (GET); write out/b (create) from network',
      'aria2c --out b https://h.example/a.sh': 'connect h.example (GET); write b (create) from network',
      'aria2c -i list': 'write . (create) recursive from network',
      'aria2c -i list -d out': 'write out (create) recursive from network',
      'aria2c <--on-download-complete --on-download-error> ./a https://h.example/b':
        'connect h.example (GET); write b (create) from network; run ./a (helper)',
    },
    miss: ['aria2c -v'],
  },
};

const aria: Card = {
  names: 'aria2c axel',
  options:
    'o/output= O/out= d/dir= x/max-connection-per-server= s= P= n= a c q i/input-file= max-tries= header= user-agent= on-download-complete= on-download-error=',
  readings: {
    valued:
      'o output O out d dir x max-connection-per-server s P n i input-file max-tries header user-agent on-download-complete on-download-error',
    flags: 'a c q',
  },
  facts: [saves],
};

const youtube: Card = {
  names: 'yt-dlp youtube-dl',
  options:
    'o/output= P/paths= a= add-header= user-agent= exec= exec-before-download= downloader/external-downloader= default-search= proxy= socket-timeout= source-address= geo-verification-proxy= geo-bypass-ip-block= playlist-start= playlist-end= playlist-items= match-title= reject-title= max-downloads= min-filesize= max-filesize= date= datebefore= dateafter= min-views= max-views= match-filter= age-limit= download-archive= r/limit-rate= R/retries= fragment-retries= buffer-size= external-downloader-args= batch-file= output-na-placeholder= autonumber-start= load-info-json= encoding= referer= sleep-interval= max-sleep-interval= f/format= merge-output-format= sub-format= sub-lang= u/username= p/password= 2/twofactor= video-password= ap-mso= ap-username= ap-password= audio-format= recode-video= postprocessor-args= metadata-from-title= fixup= ffmpeg-location= config-location= geo-bypass-country= http-chunk-size= cookies= cache-dir= audio-quality= convert-subs=',
  readings: {
    valued:
      'o output P paths a add-header user-agent exec exec-before-download downloader external-downloader default-search proxy socket-timeout source-address geo-verification-proxy geo-bypass-ip-block playlist-start playlist-end playlist-items match-title reject-title max-downloads min-filesize max-filesize date datebefore dateafter min-views max-views match-filter age-limit download-archive r limit-rate R retries fragment-retries buffer-size external-downloader-args batch-file output-na-placeholder autonumber-start load-info-json encoding referer sleep-interval max-sleep-interval f format merge-output-format sub-format sub-lang u username p password 2 twofactor video-password ap-mso ap-username ap-password audio-format recode-video postprocessor-args metadata-from-title fixup ffmpeg-location config-location geo-bypass-country http-chunk-size cookies cache-dir audio-quality convert-subs',
  },
  facts: [
    {
      what: 'saves what it fetches',
      effects: (call, given) =>
        given.operands.flatMap((url) => [
          connect(call, hostOf(url), 'GET'),
          ...fetchedTo(call, within(given.last('paths'), given.last('output') ?? nameInUrl(url)), 'create'),
        ]),
      examples: {
        hit: {
          'yt-dlp https://h.example/a': 'connect h.example (GET); write a (create) from network',
          'yt-dlp -x -i -s -n https://h.example/a': 'connect h.example (GET); write a (create) from network',
          'youtube-dl -o b https://h.example/a': 'connect h.example (GET); write b (create) from network',
          'yt-dlp -P out https://h.example/a': 'connect h.example (GET); write out/a (create) from network',
        },
        miss: ['yt-dlp --version'],
      },
    },
    {
      what: 'hands a text to a shell',
      starts: shellOptions('exec exec-before-download downloader'),
      examples: {
        hit: {
          "yt-dlp <--exec --exec-before-download --downloader --external-downloader> 'rm -rf /' https://h.example/a":
            'shell code: rm -rf /',
          'youtube-dl --exec=id https://h.example/a': 'shell code: id',
        },
        miss: ['yt-dlp https://h.example/a'],
      },
    },
  ],
};

const lwpDownload: Card = {
  names: 'lwp-download',
  options: 'a s',
  readings: { flags: 'a s' },
  facts: [
    {
      what: 'saves what it fetches',
      effects: (call, { operands: [url, output] }) =>
        url
          ? [
              ...(isLocal(url) ? read(call, localPath(url)) : [connect(call, hostOf(url), 'GET')]),
              ...write(call, output ?? nameInUrl(url), {
                detail: 'create',
                origins: isLocal(url) ? [] : ['network'],
              }),
            ]
          : [],
      examples: {
        hit: {
          'lwp-download https://h.example/a.sh': 'connect h.example (GET); write a.sh (create) from network',
          'lwp-download -a https://h.example/a.sh b':
            'connect h.example (GET); write b (create) from network',
          'lwp-download file:///etc/passwd b': 'read /etc/passwd; write b (create)',
        },
        miss: ['lwp-download'],
      },
    },
  ],
};

const fetchCard: Card = {
  names: 'fetch',
  options: 'o/output= a A F i= l m n N= p q r R s S= T= U v 1 4 6 w= B= h= f= c=',
  readings: { valued: 'o output i N S T w B h f c', flags: 'a A F l m n p q r R s U v 1 4 6' },
  facts: [
    {
      what: 'saves what it fetches',
      effects: (call, given) =>
        given.operands.flatMap((url) => [
          connect(call, hostOf(url), 'GET'),
          ...fetchedTo(call, given.last('output') ?? nameInUrl(url), 'overwrite'),
        ]),
      examples: {
        hit: {
          'fetch https://h.example/a': 'connect h.example (GET); write a (overwrite) from network',
          'fetch -o b https://h.example/a': 'connect h.example (GET); write b (overwrite) from network',
        },
        miss: ['fetch'],
      },
    },
  ],
};

export const cards: readonly Card[] = [aria, youtube, lwpDownload, fetchCard];
