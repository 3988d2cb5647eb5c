// Programs that make one file out of others: editors, compilers, converters of documents, pictures and sound.

import { beginningOf, literal, options, orInert, read, type Tool, type Tools, write } from '../tool.ts';
import { reader } from './reader.ts';

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

const converter = (description: string, outputs: readonly string[]): Tool => reader(description, { outputs });

/** Editors, compilers and converters. */
export const makerTools: Tools = {
  vimdiff: editor,
  vi: editor,
  vim: editor,
  nvim: editor,
  view: editor,
  ex: editor,
  emacs: editor,
  emacsclient: editor,
  ed: editor,
  red: editor,
  // With one file alone it is changed in place.
  pandoc: converter(
    'o/output= f/from/r/read= t/to/w/write= s/standalone template= V/variable= M/metadata= c/css= H= B= A= F/filter= L/lua-filter= pdf-engine= toc N bibliography= csl= resource-path= extract-media= wrap= columns= metadata-file= defaults=',
    ['output'],
  ),
  enscript: converter('o/output= p=', ['output', 'p']),
  exiftool: reader('overwrite_original all= ext= o= r', { wholeWords: true, outputs: ['o'] }),
  gs: reader('sOutputFile= o= dNOPAUSE dBATCH q sDEVICE=', {
    outputs: ['o', 'sOutputFile'],
    wholeWords: true,
  }),
};
