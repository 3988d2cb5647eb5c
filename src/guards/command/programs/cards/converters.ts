// Programs that show texts and make one file out of others, of which an option runs something on the side.

import { type Inner, shellCode } from '../../bash/executors/inner.ts';
import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  literal,
  nameTarget,
  read,
  textOf,
  write,
} from '../../tools/tool.ts';
import { type Card, type Fact, shellOptions } from '../card.ts';
import { plusCommands } from '../editors.ts';
import { markedTexts } from '../escapes.ts';
import { loaded, scriptStarts } from '../interpreters.ts';
import { fact } from '../phrases.ts';

/** Its operands are read, and what these options name is written. */
function converts(outputs: string, examples: Fact['examples']): Fact {
  const names = outputs.split(' ');
  return {
    what: 'reads files, and writes what it makes of them',
    effects: (call, given) => [
      ...given.operands.flatMap((path) => read(call, path)),
      ...given.all(...names).flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ],
    examples,
  };
}

const pagers: readonly Card[] = [
  {
    names: 'less',
    options:
      'p/pattern= P/prompt= o/log-file= O/LOG-FILE= b/buffers= h/max-back-scroll= j/jump-target= k/lesskey-file= t/tag= T/tag-file= x/tabs= y/max-forw-scroll= z/window= D/color= lesskey-src= wheel-lines= N S R X F i I M m q n e E r s',
    readings:
      'p pattern P prompt o log-file O LOG-FILE b buffers h max-back-scroll j jump-target k lesskey-file t tag T tag-file x tabs y max-forw-scroll z window D color lesskey-src wheel-lines; N S R X F i I M m q n e E r s',
    facts: [
      {
        what: 'runs the commands and the keys that it is given',
        starts: (_, given) => [
          ...plusCommands(given.operands),
          ...loaded(given.all('lesskey-file', 'lesskey-src'), false),
        ],
        examples: {
          hit: {
            "less '+!rm a' b": 'shell code: rm a',
            'less --lesskey-src=a b': 'other file: a',
            'less -k a b': 'other file: a',
          },
          miss: ['less a', 'less +G a'],
        },
      },
      converts('o O', {
        hit: { 'less -N a b': 'read a; read b', 'less -<o O> log a': 'read a; write log (overwrite)' },
        miss: ['less', 'less -p a'],
      }),
    ],
  },
  {
    names: 'more most',
    options: 'n/lines= d f l p c s u',
    readings: 'n lines; d f l p c s u',
    facts: [
      {
        what: 'runs the commands that it is given',
        starts: (_, given) => plusCommands(given.operands),
        examples: { hit: { "more '+!rm a' b": 'shell code: rm a' }, miss: ['more a'] },
      },
      fact({
        what: 'reads files',
        says: 'read <1..>',
        examples: { hit: { 'more -n 5 a b': 'read a; read b' }, miss: ['most'] },
      }),
    ],
  },
];

const makers: readonly Card[] = [
  {
    names: 'pandoc',
    options:
      'o/output= f/from/r/read= t/to/w/write= s/standalone template= V/variable= M/metadata= c/css= H= B= A= F/filter= L/lua-filter= pdf-engine= toc N bibliography= csl= resource-path= extract-media= wrap= columns= metadata-file= d/defaults= D/print-default-template= data-dir= log= shift-heading-level-by= indented-code-classes= default-image-extension= tab-stop= track-changes= abbreviations= print-default-data-file= eol= dpi= toc-depth= highlight-style= print-highlight-style= syntax-definition= include-in-header= include-before-body= include-after-body= request-header= reference-location= markdown-headings= top-level-division= number-offset= slide-level= email-obfuscation= id-prefix= T= title-prefix= reference-doc= epub-cover-image= epub-metadata= epub-embed-font= pdf-engine-opt= citation-abbreviations=',
    readings:
      'o output f from r read t to w write template V variable M metadata c css H B A F filter L lua-filter pdf-engine bibliography csl resource-path extract-media wrap columns metadata-file d defaults D print-default-template data-dir log shift-heading-level-by indented-code-classes default-image-extension tab-stop track-changes abbreviations print-default-data-file eol dpi toc-depth highlight-style print-highlight-style syntax-definition include-in-header include-before-body include-after-body request-header reference-location markdown-headings top-level-division number-offset slide-level email-obfuscation id-prefix T title-prefix reference-doc epub-cover-image epub-metadata epub-embed-font pdf-engine-opt citation-abbreviations; s standalone toc N',
    facts: [
      {
        what: 'runs filters and engines',
        starts: (_, given) => loaded(given.all('lua-filter', 'filter', 'pdf-engine', 'defaults'), false),
        examples: {
          hit: { 'pandoc -<L F d> a b': 'other file: a', 'pandoc --pdf-engine=a b': 'other file: a' },
          miss: ['pandoc a -o b'],
        },
      },
      converts('output', {
        hit: { 'pandoc a -o b -t html': 'read a; write b (overwrite)' },
        miss: ['pandoc --list-input-formats'],
      }),
    ],
  },
  {
    names: 'enscript',
    options: 'o/output= p= I/filter=',
    readings: 'o output p I filter',
    facts: [
      {
        what: 'hands files to a filter',
        starts: shellOptions('filter'),
        examples: {
          hit: {
            "enscript -I 'rm a' b": 'shell code: rm a',
            "enscript --filter='rm a' b": 'shell code: rm a',
          },
          miss: ['enscript a'],
        },
      },
      converts('output p', {
        hit: {
          'enscript -p a b': 'read b; write a (overwrite)',
          'enscript --output=a b': 'read b; write a (overwrite)',
        },
        miss: ['enscript'],
      }),
    ],
  },
  {
    names: 'exiftool',
    options: 'overwrite_original all= ext= o= r if=',
    readings: 'all ext o if; overwrite_original r',
    manner: { wholeWords: true },
    facts: [
      {
        what: 'runs a condition that is code',
        starts: (_, given) =>
          given.all('if').map((text): Inner => ({ kind: 'code', language: 'other', text })),
        examples: { hit: { "exiftool -if 'system(1)' a": 'other code: system(1)' }, miss: ['exiftool a'] },
      },
      converts('o', {
        hit: { 'exiftool -ext jpg -o b a': 'read a; write b (overwrite)' },
        miss: ['exiftool -ver'],
      }),
    ],
  },
  {
    names: 'gs',
    options: 'sOutputFile= o= dNOPAUSE dBATCH q sDEVICE=',
    readings: 'sOutputFile o sDEVICE; dNOPAUSE dBATCH q',
    manner: { wholeWords: true },
    facts: [
      {
        what: 'hands its output to a program',
        starts: ({ args }) => markedTexts(args, /%pipe%([^)]*)/, (text) => shellCode(text)),
        examples: { hit: { "gs -sOutputFile='%pipe%rm a' b": 'shell code: rm a' }, miss: ['gs -o a b'] },
      },
      converts('o sOutputFile', {
        hit: {
          'gs -sOutputFile=a b': 'read b; write a (overwrite)',
          'gs -o a b': 'read b; write a (overwrite)',
        },
        miss: ['gs'],
      }),
    ],
  },
];

// ── awk.

/** What a program of awk reads, writes and connects to by the texts in it. */
function programEffects(call: Call, program: Value): readonly Effect[] {
  const text = beginningOf(program);
  const found = (pattern: RegExp): readonly Value[] =>
    [...text.matchAll(pattern)].map(([, name = '']) => literal(name));
  return [
    ...found(/print[^;}\n]{0,200}?>>?\s*"([^"]+)"/g).flatMap((path) =>
      write(call, path, { detail: 'overwrite' }),
    ),
    ...found(/getline[^;}\n<]{0,200}<\s*"([^"]+)"/g).flatMap((path) => read(call, path)),
    ...found(/"\/inet[46]?\/(?:tcp|udp)\/[^/]*\/([^/"]+)/g).map((host) =>
      effect(call, 'connect', { detail: 'tcp', target: hostTarget(hostOf(host)) }),
    ),
  ];
}

const awkOptions =
  'F/field-separator= v/assign= f/file= e/source= E/exec= i/include= l/load= o? p? d? D? L? b c C g h I k M n N O P r S s t V';
const awkReadings =
  'F field-separator v assign f file e source E exec i include l load; b c C g h I k M n N O P r S s t V; o p d D L';

const awk: Card = {
  names: 'awk gawk mawk nawk original-awk',
  options: awkOptions,
  readings: awkReadings,
  manner: { stopAtOperand: true },
  facts: [
    {
      what: 'runs a program',
      starts: scriptStarts({
        names: '',
        readings: '',
        hit: {},
        options: awkOptions,
        language: 'awk',
        code: 'e',
        file: 'f E',
        first: true,
      }),
      examples: {
        hit: {
          "awk -F : 'BEGIN{system(1)}' a": 'awk code: BEGIN{system(1)}',
          'gawk -f a.awk b': 'awk file: a.awk',
          'gawk -E a.awk': 'awk file: a.awk',
          "gawk -e '{print}' a": 'awk code: {print}',
          "'a' | awk -f -": 'awk input',
        },
        miss: ['awk', 'awk -V'],
      },
    },
    {
      what: 'reads and writes what its program names, and its files',
      effects: (call, given) => {
        const named = given.has('file', 'source', 'exec');
        const programs = named ? given.all('source') : given.operands.slice(0, 1);
        const files = (named ? given.operands : given.operands.slice(1)).filter(
          (operand) => !/^[A-Za-z_]\w*=/.test(beginningOf(operand)),
        );
        const fromInput = given.all('file', 'exec').some((path) => textOf(path) === '-');
        const inPlace = given.all('include').some((library) => textOf(library) === 'inplace');
        return [
          ...given.all('file', 'exec', 'include').flatMap((path) => read(call, path)),
          ...programs.flatMap((program) => programEffects(call, program)),
          ...(fromInput ? [effect(call, 'run', { detail: 'stdin', origins: call.io.stdinOrigins })] : []),
          ...given
            .all('load')
            .map((library) => effect(call, 'run', { detail: 'library', target: nameTarget(library) })),
          ...files.flatMap((path) => [
            ...read(call, path),
            ...(inPlace ? write(call, path, { detail: 'edit' }) : []),
          ]),
        ];
      },
      examples: {
        hit: {
          "awk -v a=1 '{print}' a=2 b": 'read b',
          'awk \'{print > "a"}\' b': 'write a (overwrite); read b',
          'awk \'{getline x < "a"}\'': 'read a',
          'gawk \'BEGIN{"/inet/tcp/0/h.example/80"}\'': 'connect h.example (tcp)',
          'awk -f a.awk b': 'read a.awk; read b',
          "gawk -i inplace '{print}' a": 'read inplace; read a; write a (edit)',
          'gawk -l a.so -e x b': 'run a.so (library); read b',
          '$NETWORK | awk -f - a': 'run (stdin) from network; read a',
          'gawk -E a.awk': 'read a.awk',
        },
        miss: ["awk '{print}'", 'awk'],
      },
    },
  ],
};

export const cards: readonly Card[] = [...pagers, ...makers, awk];
