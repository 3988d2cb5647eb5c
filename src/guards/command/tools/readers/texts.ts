// Programs that read texts: show, search, sort, compare, sum up, edit as they flow.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  effect,
  fromInput,
  hostOf,
  hostTarget,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';
import { filter, reader } from './reader.ts';

const grepOptions = options(
  'e/regexp= f/file= A/after-context= B/before-context= C/context= m/max-count= color? colour? include= exclude= exclude-dir= exclude-from= label= d/directories= D/devices= binary-files= r/recursive R/dereference-recursive i/ignore-case y v/invert-match c/count l/files-with-matches L/files-without-match n/line-number o/only-matching q/quiet/silent s/no-messages w/word-regexp x/line-regexp E/extended-regexp F/fixed-strings G/basic-regexp P/perl-regexp H/with-filename h/no-filename a/text b/byte-offset z/null-data Z/null T/initial-tab U/binary I line-buffered u',
);
const grep: Tool = (call) => {
  const given = grepOptions(call.args);
  const files = given.has('regexp', 'file') ? given.operands : given.operands.slice(1);
  const recursive = given.has('recursive', 'dereference-recursive') || call.program === 'rgrep';
  const quiet = given.has('quiet', 'count', 'files-with-matches', 'files-without-match');
  return orInert(call, [
    ...given.all('file', 'exclude-from').flatMap((path) => read(call, path)),
    ...files.flatMap((path) => {
      const effects = read(call, path, { recursive });
      return quiet ? effects.filter(({ kind }) => kind !== 'secret') : effects;
    }),
  ]);
};

const rgOptions = options(
  'e/regexp= f/file= A/after-context= B/before-context= C/context= m/max-count= g/glob= iglob= t/type= T/type-not= type-add= j/threads= M/max-columns= max-depth/d= max-filesize= color= colors= sort= sortr= r/replace= E/encoding= engine= pre= pre-glob= hostname-bin= ignore-file= path-separator= dfa-size-limit= regex-size-limit= context-separator= field-match-separator= i/ignore-case S/smart-case s v w x F/fixed-strings P/pcre2 U/multiline l/files-with-matches L/follow c/count n N o q u/unrestricted z/search-zip a/text H I p/pretty 0/null hidden no-ignore files json stats heading no-heading vimgrep column type-list version passthru trim debug',
);
const rg: Tool = (call) => {
  const given = rgOptions(call.args);
  const files = given.has('regexp', 'file', 'files', 'type-list', 'version')
    ? given.operands
    : given.operands.slice(1);
  const runs = [...given.all('pre'), ...given.all('hostname-bin')]
    .filter((program) => beginningOf(program) !== '')
    .map((program) => effect(call, 'run', { detail: 'helper', target: nameTarget(program) }));
  return orInert(call, [
    ...runs,
    ...given.all('file').flatMap((path) => read(call, path)),
    ...files.flatMap((path) => read(call, path, { recursive: true })),
  ]);
};

const awkOptions = options(
  'F/field-separator= v/assign= f/file= e/source= E/exec= i/include= l/load= o? p? d? D? L? b c C g h I k M n N O P r S s t V',
);
const awk: Tool = (call) => {
  const given = awkOptions(call.args);
  const named = given.has('file', 'source', 'exec');
  const scripts = named ? given.all('source') : given.operands.slice(0, 1);
  const files = (named ? given.operands : given.operands.slice(1)).filter(
    (operand) => !/^[A-Za-z_]\w*=/.test(beginningOf(operand)),
  );
  const effects: Effect[] = given.all('file', 'exec', 'include').flatMap((path) => read(call, path));
  for (const script of scripts) {
    const text = beginningOf(script);
    for (const found of text.matchAll(/print[^;}\n]{0,200}?>>?\s*"([^"]+)"/g))
      effects.push(...write(call, literal(found[1] ?? ''), { detail: 'overwrite' }));
    for (const found of text.matchAll(/getline[^;}\n<]{0,200}<\s*"([^"]+)"/g))
      effects.push(...read(call, literal(found[1] ?? '')));
    for (const found of text.matchAll(/"\/inet[46]?\/(?:tcp|udp)\/[^/]*\/([^/"]+)/g))
      effects.push(
        effect(call, 'connect', { detail: 'tcp', target: hostTarget(hostOf(literal(found[1] ?? ''))) }),
      );
  }
  if (given.all('file', 'exec').some((path) => textOf(path) === '-'))
    effects.push(effect(call, 'run', { detail: 'stdin', origins: call.io.stdinOrigins }));
  if (given.has('load'))
    effects.push(effect(call, 'run', { detail: 'library', target: nameTarget(given.last('load')) }));
  const inPlace = given.all('include').some((library) => textOf(library) === 'inplace');
  return orInert(call, [
    ...effects,
    ...files.flatMap((path) => [
      ...read(call, path),
      ...(inPlace ? write(call, path, { detail: 'edit' }) : []),
    ]),
  ]);
};

const sortOptions = options(
  'o/output= k/key= t/field-separator= S/buffer-size= T/temporary-directory= files0-from= batch-size= compress-program= parallel= random-source= sort= n r u f b d g h i M R V c? C m s z head-count=',
);
const sort: Tool = (call) => {
  const given = sortOptions(call.args);
  return orInert(call, [
    ...given.operands.flatMap((path) => read(call, path)),
    ...given.all('files0-from').flatMap((path) => read(call, path)),
    ...given.all('output').flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ...given
      .all('compress-program')
      .map((program) => effect(call, 'run', { detail: 'helper', target: nameTarget(program) })),
  ]);
};

const shufOptions = options('o/output= n/head-count= i/input-range= e/echo r/repeat random-source= z');
const shuf: Tool = (call) => {
  const given = shufOptions(call.args);
  return orInert(call, [
    ...(given.has('echo') ? [] : given.operands.flatMap((path) => read(call, path))),
    ...given.all('output').flatMap((path) => write(call, path, { detail: 'overwrite' })),
  ]);
};

const xxd: Tool = (call) => {
  const given = options('c= g= l= s= o= n= R= r p/ps/plain b e E i u a C d', {})(call.args);
  const [input, output] = given.operands;
  return orInert(call, [
    ...(input ? read(call, input) : []),
    ...(output ? write(call, output, { detail: 'overwrite' }) : []),
  ]);
};

const yqOptions = options(
  'i/inplace/in-place I/indent= o/output-format= p/input-format= from-file= arg= argjson= slurpfile= rawfile= indent= y r n e c s P N C M j S a tab seq stream f args jsonargs v w Y t split-exp= L= unwrapScalar? prettyPrint null-input',
);
const jq: Tool = (call) => {
  // `--arg name value` takes two words.
  const args: Value[] = [];
  const files: Value[] = [];
  for (let at = 0; at < call.args.length; at += 1) {
    const argument = call.args[at] ?? unknownValue;
    const text = textOf(argument);
    if (text === '--arg' || text === '--argjson') at += 2;
    else if (text === '--slurpfile' || text === '--rawfile') {
      files.push(call.args[at + 2] ?? unknownValue);
      at += 2;
    } else args.push(argument);
  }
  const given = yqOptions(args);
  const operands = given.has('from-file', 'args', 'jsonargs') ? given.operands : given.operands.slice(1);
  const subcommand =
    call.program === 'yq' && /^(?:eval|e|eval-all|ea)$/.test(textOf(given.operands[0] ?? unknownValue) ?? '');
  const shown = (subcommand ? operands.slice(1) : operands).flatMap((path) => [
    ...read(call, path),
    ...(given.has('inplace') ? write(call, path, { detail: 'edit' }) : []),
  ]);
  return orInert(call, [
    ...files.flatMap((path) => read(call, path)),
    ...given.all('from-file').flatMap((path) => read(call, path)),
    ...shown,
  ]);
};

const uudecode: Tool = (call) => {
  const given = options('o= m c i p s r')(call.args);
  return orInert(call, [
    ...given.operands.flatMap((path) => read(call, path)),
    ...given.all('o').flatMap((path) => write(call, path, { detail: 'overwrite' })),
  ]);
};

/** Boxes on the terminal; those of texts show a file. */
const box: Tool = (call) => {
  const shows = call.args.some((argument) => /^--(?:text|tail|edit)box/.test(beginningOf(argument)));
  const files = call.args.filter((argument) => /^[/~.]/.test(beginningOf(argument)));
  return orInert(call, shows ? files.flatMap((path) => read(call, path)) : []);
};

const clipboard: Tool = (call) => inert(call, 'clipboard');

const hashes = reader(
  'c/check b/binary t/text tag z a/algorithm= l/length= w/warn quiet status strict ignore-missing r p q s=',
);
const plain = reader('o= c= w= t= i= l= n= s= f= C= N= T= d= r= e= g= u v q a b k x z');

/** cat, grep and their kin. */
export const textTools: Tools = {
  cat: reader('A/show-all b e E n s t T u v'),
  gcat: reader('A b e E n s t T u v'),
  tac: reader('b r s/separator='),
  bat: reader(
    'l/language= m/map-syntax= r/line-range= H/highlight-line= theme= style= paging= pager= tabs= wrap= terminal-width= color= decorations= n p A',
  ),
  batcat: reader('l/language= r/line-range= theme= style= paging= pager= n p A'),
  nl: reader('b= d= f= h= i= l= n= s= v= w= p'),
  less: reader('p= P= o= O= b= h= j= k= t= T= x= y= z= D= lesskey-src= N S R X F i I M m q n e E', {
    outputs: ['o', 'O'],
  }),
  more: reader('n= d f l p c s u'),
  most: reader(),
  pg: reader(),
  head: reader('n/lines= c/bytes= q/quiet v/verbose z 1 2 3 4 5 6 7 8 9 0'),
  tail: reader(
    'n/lines= c/bytes= pid= s/sleep-interval= max-unchanged-stats= f/follow? F q v z retry r 1 2 3 4 5 6 7 8 9 0',
  ),
  wc: reader('c/bytes m/chars l/lines w/words L files0-from= total=', { files: ['files0-from'] }),
  od: reader('A= t= N= j= w? S= a b c d f h i l o s x v'),
  hexdump: reader('C b c d o x v e= f= n= s=', { files: ['f'] }),
  hd: reader('n= s='),
  hexyl: reader('n/length= c= s/skip= border= color='),
  xxd,
  strings: reader('a f n/bytes= t/radix= e/encoding= o w s= T= min-len= 4 8'),
  base64: reader('d/decode D i= o= w/wrap= ignore-garbage b=', { files: ['i'], outputs: ['o'] }),
  base32: reader('d/decode i w/wrap='),
  basenc: reader('d/decode i w/wrap= base64 base64url base32 base16 z85'),
  ascii85: plain,
  basez: plain,
  uuencode: reader('m'),
  uudecode,
  md5sum: hashes,
  md5: hashes,
  sha1sum: hashes,
  sha224sum: hashes,
  sha256sum: hashes,
  sha384sum: hashes,
  sha512sum: hashes,
  shasum: hashes,
  b2sum: hashes,
  b3sum: hashes,
  xxhsum: hashes,
  cksum: hashes,
  sum: hashes,
  crc32: hashes,
  rev: reader(),
  fold: reader('w/width= b s'),
  fmt: reader('w/width= p/prefix= g/goal= c s t u'),
  pr: reader('h/header= l/length= w/width= o/indent= s? S? n? e? i? N= D= a d f J m r t T v'),
  ul: reader('t= i'),
  expand: reader('t/tabs= i'),
  unexpand: reader('t/tabs= a first-only'),
  column: reader(
    't/table s/separator= o/output-separator= c/output-width= N/table-columns= R= H= l= J n= r= i= p= T= E= O= W= x e d L',
  ),
  colrm: plain,
  col: plain,
  cut: reader('b/bytes= c/characters= d/delimiter= f/fields= output-delimiter= s n z complement'),
  paste: reader('d/delimiters= s z'),
  join: reader('1= 2= a= e= i j= o= t= v= z check-order header nocheck-order'),
  comm: reader('1 2 3 i output-delimiter= z total'),
  diff: reader(
    'r q s u U= c C= e n y W= i w b B a N x= X= I= L= label= F= to-file= from-file= exclude= color? brief unified? context? width= strip-trailing-cr p d T l',
    { files: ['from-file', 'to-file'] },
  ),
  colordiff: reader('u U= r y W='),
  diff3: reader('A e E x X m i a T L= 3'),
  sdiff: reader('o/output= w= s l b i W B E a t', { outputs: ['o'] }),
  cmp: reader('b i= l n= s'),
  delta: reader(),
  difft: reader('display= color= context='),
  diffstat: reader('p='),
  wdiff: reader('1 2 3 n w= x= y= z='),
  uniq: filter('c d D? u i f/skip-fields= s/skip-chars= w/check-chars= z group? all-repeated?'),
  sort,
  gsort: sort,
  shuf,
  gshuf: shuf,
  tsort: reader(),
  iconv: reader('f/from-code= t/to-code= o/output= l c s', { outputs: ['o'] }),
  recode: plain,
  uconv: reader('f= t= x= o=', { outputs: ['o'] }),
  grep,
  ggrep: grep,
  egrep: grep,
  fgrep: grep,
  rgrep: grep,
  zgrep: grep,
  zegrep: grep,
  zfgrep: grep,
  bzgrep: grep,
  xzgrep: grep,
  pcregrep: grep,
  pcre2grep: grep,
  agrep: grep,
  ugrep: grep,
  rg,
  ag: rg,
  ack: rg,
  'git-grep': rg,
  'ast-grep': reader('p/pattern= l/lang= r/rewrite= U/update-all json? i', {}),
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  jq,
  yq: jq,
  gojq: jq,
  jaq: jq,
  fx: reader(),
  dasel: reader('f/file= r/read= w/write= p= s=', { files: ['file'] }),
  xmllint: reader('output= xpath= schema= format noout encode= o= noent html recover', {
    outputs: ['output', 'o'],
  }),
  xmlstarlet: reader('t m= v= n= e= o= c='),
  xsltproc: reader('o/output= param= stringparam=', { outputs: ['o'] }),
  tidy: reader('i m q o= f= config=', { outputs: ['o'] }),
  csvcut: plain,
  csvlook: plain,
  csvstat: plain,
  mlr: reader('icsv ojson f= n=', { skip: 1 }),
  xsv: reader('d= o=', { skip: 1, outputs: ['o'] }),
  tr: (call) => inert(call),
  file: reader('b i m/magic-file= f/files-from= F= k L h z s 0 e= P= mime mime-type mime-encoding brief', {
    files: ['f', 'm'],
  }),
  look: reader('d f a t=', { skip: 1 }),
  zdiff: plain,
  zcmp: plain,
  hdfs: (call) =>
    /-rm|-expunge|-delete|-deleteSnapshot|namenode -format/.test(call.args.map(beginningOf).join(' '))
      ? [effect(call, 'cloud', { detail: 'delete', target: nameTarget(call.args.at(-1)), recursive: true })]
      : /-(?:put|copyFromLocal|moveFromLocal|mkdir|mv|cp|chmod|chown|touchz|setrep|appendToFile)/.test(
            call.args.map(beginningOf).join(' '),
          )
        ? [effect(call, 'cloud', { detail: 'change', target: nameTarget(call.args.at(-1)) })]
        : inert(call),
  soelim: reader(),
  zsoelim: reader(),
  nroff: reader('m= T='),
  troff: reader('m= T='),
  groff: reader('m= T= K='),
  eqn: reader(),
  tbl: reader(),
  pic: reader(),
  msgconv: plain,
  msgcat: plain,
  msguniq: plain,
  msgmerge: plain,
  msgattrib: plain,
  aspell: reader('c/check? d/dict= l/lang= p='),
  hunspell: reader('d= p= l a'),
  dialog: box,
  whiptail: box,
  pbcopy: clipboard,
  pbpaste: clipboard,
  xclip: (call) =>
    orInert(
      call,
      options('selection= sel= i o t= d=', { wholeWords: true })(call.args).operands.flatMap((path) =>
        read(call, path),
      ),
    ),
  xsel: clipboard,
  'wl-copy': clipboard,
  'wl-paste': clipboard,
  lp: reader('d= n= o= t= h='),
  lpr: reader('P= #= o= T='),
  source: (call) =>
    orInert(
      call,
      call.args
        .slice(0, 1)
        .map((path) => effect(call, 'run', { detail: 'script', target: { kind: 'path', path } })),
    ),
  '.': (call) =>
    orInert(
      call,
      call.args
        .slice(0, 1)
        .map((path) => effect(call, 'run', { detail: 'script', target: { kind: 'path', path } })),
    ),
  pv: reader('s= L= N= i= w= H= R= B= l p t e r b a q c n f'),
  sponge: (call) =>
    orInert(
      call,
      options('a')(call.args).operands.flatMap((path) =>
        write(call, path, { detail: 'overwrite', origins: call.io.stdinOrigins, content: fromInput }),
      ),
    ),
  logsave: (call) =>
    orInert(
      call,
      call.args.slice(0, 1).flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ),
  gpgtar: plain,
  sqldiff: reader(),
};
