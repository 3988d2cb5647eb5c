// Programs that make one file out of others: editors, compilers, converters of documents, pictures and sound.

import {
  after,
  beginningOf,
  effect,
  hostOf,
  hostTarget,
  inert,
  literal,
  mapValue,
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
import { filter, lister, reader } from './reader.ts';

/** Editors: the file is opened to be changed. */
const editor: Tool = (call) => {
  const given = options(
    'c= u= s= S= w= W= T= i= r? t= U= o? O? p? d R M n Z m b l L N e E v y nw wait w g/goto= a/add= x h H q? f= batch eval= l= load= script= Q',
  )(call.args);
  const readOnly = given.has('R', 'M') || call.program === 'view';
  const logs = call.args.flatMap((argument) => {
    const path = /^-V\d*([/~.].*)$/.exec(beginningOf(argument))?.[1];
    return path === undefined ? [] : [literal(path)];
  });
  return orInert(call, [
    ...logs.flatMap((path) => write(call, path, { detail: 'append' })),
    ...given.operands
      .filter((operand) => !beginningOf(operand).startsWith('+'))
      .flatMap((path) => [...read(call, path), ...(readOnly ? [] : write(call, path, { detail: 'edit' }))]),
    ...given
      .all('w', 'W')
      .flatMap((path) =>
        /^vim?$|^nvim$/.test(call.program) ? write(call, path, { detail: 'overwrite' }) : [],
      ),
  ]);
};

/** Names as lists: `@file` is a list of arguments for the tools of compilers. */
const compiler: Tool = (call) => {
  const given = options(
    'o= I= L= l= D= U= x= include= isystem= MF= MT= MQ= std= march= target= arch= framework= Xlinker= T= e= z= F= B= wrapper= fplugin= specs= c S E g O? W? f? m? pthread shared static w v M MM MD MP s',
    { wholeWords: true },
  )(
    call.args.map((argument) =>
      /^-[oILlDU]./.test(beginningOf(argument))
        ? mapValue(argument, (text) => `-${text.charAt(1)}=${text.slice(2)}`)
        : argument,
    ),
  );
  return orInert(call, [
    ...given.operands.flatMap((path) =>
      beginningOf(path).startsWith('@') ? read(call, after(path, 1)) : read(call, path),
    ),
    ...given.all('o', 'MF').flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ...(given.has('o', 'c', 'S', 'E', 'M', 'MM') || given.operands.length === 0
      ? []
      : write(call, literal('a.out'), { detail: 'overwrite' })),
    ...call.args.flatMap((argument, index) => {
      const [, prefix, linker] = /^(?:-B(.+)|(?:-C)?linker=(.+))$/.exec(beginningOf(argument)) ?? [];
      const plugin =
        textOf(call.args[index - 1] ?? unknownValue) === '-plugin' ? beginningOf(argument) : undefined;
      const path = prefix ?? linker ?? plugin;
      return path?.includes('/') === true
        ? [effect(call, 'run', { detail: 'helper', target: { kind: 'path', path: literal(path) } })]
        : [];
    }),
    ...given
      .all('wrapper', 'fplugin', 'specs')
      .map((helper) => effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })),
  ]);
};

const converter = (description: string, outputs: readonly string[]): Tool => reader(description, { outputs });

/** ffmpeg, convert: the last operand is what is written. */
const lastIsWritten = (description: string): Tool => {
  const parse = options(description, { wholeWords: true });
  return (call) => {
    const given = parse(call.args);
    const output = given.operands.at(-1);
    const inputs = [...given.all('i'), ...given.operands.slice(0, -1)];
    return orInert(call, [
      ...inputs.flatMap((path) =>
        /^\w+:\/\//.test(beginningOf(path))
          ? [effect(call, 'connect', { detail: 'GET', target: hostTarget(hostOf(path)) })]
          : read(call, path),
      ),
      ...(output && textOf(output) !== '-' ? write(call, output, { detail: 'overwrite' }) : []),
    ]);
  };
};

/** Editors, compilers and converters. */
export const makerTools: Tools = {
  vimdiff: editor,
  vi: editor,
  vim: editor,
  nvim: editor,
  view: editor,
  ex: editor,
  nano: editor,
  pico: editor,
  emacs: editor,
  emacsclient: editor,
  micro: editor,
  hx: editor,
  ed: editor,
  red: editor,
  joe: editor,
  jed: editor,
  gedit: editor,
  kate: editor,
  code: editor,
  cursor: editor,
  subl: editor,
  mate: editor,
  gcc: compiler,
  'g++': compiler,
  cc: compiler,
  'c++': compiler,
  clang: compiler,
  'clang++': compiler,
  tcc: compiler,
  as: compiler,
  ld: compiler,
  gfortran: compiler,
  rustc: compiler,
  cpp: compiler,
  nvcc: compiler,
  nm: reader('a g u C D n p r S f= t= l'),
  objdump: reader('d D S s x h t T r R p f a C j= M= m= b= l'),
  readelf: reader('a h l S s d r n V W e x= p='),
  // With one file alone it is changed in place.
  objcopy: (call) => {
    const [input, output] = options(
      'O/output-target= I/input-target= F/target= j/only-section= R/remove-section= S/strip-all g/strip-debug add-section= update-section= dump-section=',
    )(call.args).operands;
    return input ? [...read(call, input), ...write(call, output ?? input, { detail: 'edit' })] : inert(call);
  },
  strip: (call) =>
    orInert(
      call,
      options('o= s g d S x R= K= N= strip-unneeded strip-all')(call.args).operands.flatMap((path) =>
        write(call, path, { detail: 'edit' }),
      ),
    ),
  ldd: lister('v u d r'),
  otool: reader('L l t h V'),
  lipo: reader('output= create info archs thin=', { outputs: ['output'], wholeWords: true }),
  codesign: (call) => inert(call, 'project'),
  size: reader('A B d o x'),
  addr2line: reader('e= f C p a i', { files: ['e'], skip: 99 }),
  'c++filt': (call) => inert(call),
  xgettext: converter('o/output= L= k= d= p= f= j', ['o']),
  msgfmt: converter('o= c v', ['o']),
  pandoc: converter(
    'o/output= f/from/r/read= t/to/w/write= s/standalone template= V/variable= M/metadata= c/css= H= B= A= F/filter= L/lua-filter= pdf-engine= toc N bibliography= csl= resource-path= extract-media= wrap= columns= metadata-file= defaults=',
    ['output'],
  ),
  enscript: converter('o/output= p=', ['output', 'p']),
  a2ps: converter('o=', ['o']),
  ffmpeg: lastIsWritten(
    'i= f= c= codec= vcodec= acodec= b= r= s= t= ss= to= vf= af= filter_complex= map= preset= crf= pix_fmt= loglevel= ab= ar= ac= aspect= qscale= q= vn an y n hide_banner metadata= threads= movflags= profile= level= g= bufsize= maxrate= shortest',
  ),
  ffprobe: reader('v= show_entries= of= select_streams= print_format= loglevel= i=', {
    wholeWords: true,
    files: ['i'],
  }),
  convert: lastIsWritten(
    'resize= quality= density= rotate= crop= gravity= background= extent= fill= pointsize= draw= annotate= font= colorspace= depth= geometry= alpha= flatten strip auto-orient trim border= bordercolor= append define= layers= delay= loop= fuzz= transparent= size= threshold= compress= page= interlace= sharpen= blur= thumbnail=',
  ),
  magick: lastIsWritten('resize= quality= density= rotate= crop= gravity='),
  mogrify: (call) =>
    orInert(
      call,
      options('resize= quality= format= path= rotate= crop= density=', { wholeWords: true })(
        call.args,
      ).operands.flatMap((path) => write(call, path, { detail: 'edit' })),
    ),
  identify: reader('format= verbose', { wholeWords: true }),
  sox: lastIsWritten('r= c= b= e= t= v='),
  exiftool: reader('overwrite_original all= ext= o= r', { wholeWords: true, outputs: ['o'] }),
  pdftotext: filter('f= l= r= x= y= W= H= layout raw enc= eol= nopgbrk'),
  pdfinfo: reader(),
  ps2pdf: filter(''),
  pdf2ps: filter(''),
  qpdf: filter('pages encrypt= decrypt password='),
  gs: reader('sOutputFile= o= dNOPAUSE dBATCH q sDEVICE=', {
    outputs: ['o', 'sOutputFile'],
    wholeWords: true,
  }),
  dot: converter('T= o= K= G= N= E= O v', ['o']),
  plantuml: reader('t= o='),
  mmdc: converter('i/input= o/output= t= b= w= H= c=', ['output']),
  wkhtmltopdf: filter('page-size= margin-top= q'),
  vidir: editor,
  openscad: converter('o= D=', ['o']),
  tesseract: filter('l= psm= oem= c='),
};
