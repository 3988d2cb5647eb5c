// Parts of a file.

import { effect, literal, nameTarget, options, read, type Tool, type Tools, textOf, write } from './tool.ts';

const splitOptions = options(
  'a/suffix-length= additional-suffix= b/bytes= C/line-bytes= d numeric-suffixes? x hex-suffixes? e/elide-empty-files filter= l/lines= n/number= t/separator= u verbose',
);
const split: Tool = (call) => {
  const given = splitOptions(call.args);
  const [input, second, name] = given.operands;
  // A service has a command line of the same name.
  if (second && textOf(second) === 'delete')
    return [effect(call, 'cloud', { detail: 'delete', target: nameTarget(name) })];
  return [...(input ? read(call, input) : []), ...write(call, second ?? literal('x'), { detail: 'split' })];
};

export const fileTools: Tools = {
  split,
};
