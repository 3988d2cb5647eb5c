// Programs that tell what is there: files and folders, their sizes, the environment, the time.

import { inert, list, literal, options, type Tool, type Tools } from '../tool.ts';

const fd: Tool = (call) => {
  const given = options(
    't/type= e/extension= E/exclude= d/max-depth= min-depth= exact-depth= S/size= changed-within= changed-before= o/owner= j/threads= c/color= max-results= base-directory/C= search-path= x/exec= X/exec-batch= path-separator= format= ignore-file= H/hidden I/no-ignore u a L p g i s F l 0 1 q',
  )(call.args);
  const [, ...roots] = given.operands;
  return (roots.length > 0 ? roots : [given.last('base-directory') ?? literal('.')]).flatMap((root) =>
    list(call, root, { recursive: true }),
  );
};

/** ls and its kin. */
export const listerTools: Tools = {
  fd,
  fdfind: fd,
  ts: (call) => inert(call),
};
