// Programs that tell what is there: files and folders, their sizes, the environment, the time.

import {
  beginningOf,
  type Call,
  effect,
  inert,
  list,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  write,
} from '../tool.ts';
import { lister } from './reader.ts';

const fd: Tool = (call) => {
  const given = options(
    't/type= e/extension= E/exclude= d/max-depth= min-depth= exact-depth= S/size= changed-within= changed-before= o/owner= j/threads= c/color= max-results= base-directory/C= search-path= x/exec= X/exec-batch= path-separator= format= ignore-file= H/hidden I/no-ignore u a L p g i s F l 0 1 q',
  )(call.args);
  const [, ...roots] = given.operands;
  return (roots.length > 0 ? roots : [given.last('base-directory') ?? literal('.')]).flatMap((root) =>
    list(call, root, { recursive: true }),
  );
};

const printenv: Tool = (call) => {
  const names = call.args.filter((argument) => !beginningOf(argument).startsWith('-'));
  const secret = names.some((name) =>
    /(?:key|token|secret|passw(?:or)?d|credential|private)/i.test(beginningOf(name)),
  );
  return names.length === 0
    ? inert(call, 'environment')
    : secret
      ? [effect(call, 'secret', { detail: 'environment', target: nameTarget(names[0]) })]
      : inert(call);
};

const getent: Tool = (call: Call) =>
  /^g?shadow$/.test(beginningOf(call.args[0] ?? literal('')))
    ? [effect(call, 'secret', { detail: 'accounts' })]
    : inert(call);

const dateTool: Tool = (call) => {
  const given = options('d/date= f/file= r/reference= s/set= u/utc I? R rfc-3339= v= j iso-8601? n debug')(
    call.args,
  );
  if (given.has('set')) return [effect(call, 'setting', { detail: 'clock' })];
  if (given.operands.some((operand) => /^\d{8,}/.test(beginningOf(operand))) && !given.has('j', 'date'))
    return [effect(call, 'setting', { detail: 'clock' })];
  return orInert(
    call,
    given.all('file').flatMap((path) => read(call, path)),
  );
};

/** ls and its kin. */
export const listerTools: Tools = {
  dirname: (call) => inert(call),
  basename: (call) => inert(call),
  readlink: lister('f e m n q s v z'),
  realpath: lister('e m L P q s z relative-to= relative-base='),
  ls: lister(
    'a/all A/almost-all l h t r R/recursive S 1 d F G color? i s n o g p Q U X c u v k L H Z I/ignore= hide= w/width= T/tabsize= block-size= time= time-style= sort= format= indicator-style= quoting-style= group-directories-first full-time file-type m N C x',
  ),
  gls: lister('a l h t r R S 1 d'),
  dir: lister('a l'),
  vdir: lister('a l'),
  exa: lister('l a T L= I= s= level= sort= ignore-glob= git icons color= time= group-directories-first'),
  eza: lister('l a T L= I= s= level= sort= ignore-glob= git icons color= time= group-directories-first'),
  lsd: lister('l a depth= ignore-glob= sort='),
  tree: (call) => {
    const given = options(
      'L= I= P= o/output= H= T= a d f i p s h u g D F q N Q C n J X r t U v sort= filelimit= charset= timefmt= prune noreport dirsfirst matchdirs ignore-case gitignore fromfile info',
    )(call.args);
    return orInert(call, [
      ...given.operands.flatMap((path) => list(call, path, { recursive: true })),
      ...given.all('output').flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ]);
  },
  du: lister(
    'a h s c d/max-depth= x L exclude= X= t= B= b k m 0 S time? apparent-size block-size= files0-from= inodes',
  ),
  df: lister('h H T t= x= i a l P k m B= output? total'),
  dust: lister('d= n= X= r'),
  ncdu: (call) =>
    orInert(
      call,
      options('o= f= x q e 0 1 2 r X= exclude=')(call.args)
        .all('o')
        .flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ),
  stat: lister('c/format= f/file-system L t printf= x s n q'),
  test: (call) => inert(call),
  '[': (call) => inert(call),
  '[[': (call) => inert(call),
  locate: (call) => inert(call),
  mlocate: (call) => inert(call),
  plocate: (call) => inert(call),
  mdfind: (call) => inert(call),
  updatedb: (call) => inert(call),
  fd,
  fdfind: fd,
  printenv,
  getent,
  date: dateTool,
  gdate: dateTool,
  cancel: (call) => inert(call),
  lpstat: (call) => inert(call),
  ts: (call) => inert(call),
  blkid: (call) => inert(call),
  lsblk: (call) => inert(call),
};
