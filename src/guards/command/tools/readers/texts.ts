// Programs that read texts: show, search, sort, compare, sum up, edit as they flow.

import type { Effect } from '../../effects.ts';
import {
  beginningOf,
  effect,
  hostOf,
  hostTarget,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
  write,
} from '../tool.ts';
import { reader } from './reader.ts';

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

/** cat, grep and their kin. */
export const textTools: Tools = {
  bat: reader(
    'l/language= m/map-syntax= r/line-range= H/highlight-line= theme= style= paging= pager= tabs= wrap= terminal-width= color= decorations= n p A',
  ),
  batcat: reader('l/language= r/line-range= theme= style= paging= pager= n p A'),
  less: reader('p= P= o= O= b= h= j= k= t= T= x= y= z= D= lesskey-src= N S R X F i I M m q n e E', {
    outputs: ['o', 'O'],
  }),
  more: reader('n= d f l p c s u'),
  most: reader(),
  delta: reader(),
  sort,
  gsort: sort,
  rg,
  ag: rg,
  ack: rg,
  'git-grep': rg,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  logsave: (call) =>
    orInert(
      call,
      call.args.slice(0, 1).flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ),
};
