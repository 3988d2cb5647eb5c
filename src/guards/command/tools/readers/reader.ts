// Programs of which nothing is to be known but their options: which of them name files that are read or written.

import { options, orInert, read, type Tool, write } from '../tool.ts';

/** A tool whose operands are files that it reads. */
export function reader(
  description = '',
  more: {
    readonly skip?: number;
    readonly files?: readonly string[];
    readonly outputs?: readonly string[];
    readonly wholeWords?: boolean;
  } = {},
): Tool {
  const parse = options(description, more.wholeWords ? { wholeWords: true } : {});
  return (call) => {
    const given = parse(call.args);
    return orInert(call, [
      ...given.operands.slice(more.skip ?? 0).flatMap((path) => read(call, path)),
      ...given.all(...(more.files ?? [])).flatMap((path) => read(call, path)),
      ...given.all(...(more.outputs ?? [])).flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ]);
  };
}
