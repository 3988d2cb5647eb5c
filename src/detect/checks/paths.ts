// Whether a path lies outside the folder that may be spoken of.

import type { Check } from './check.ts';

export const pathChecks: Readonly<Record<string, Check>> = {
  'outside-workspace': (path, _left, { workspace = '', folders = [] } = {}) => {
    const given = folded(path);
    const isIn = (root: string) => root !== '' && (given === root || given.startsWith(`${root}/`));
    return ![workspace, ...folders].some((folder) => isIn(folded(folder)));
  },
};

/** One spelling for a path: one kind of slash, no empty, `.` or `..` steps, the letter of a drive in lower case. */
function folded(path: string): string {
  const steps: string[] = [];
  for (const step of path.replace(/\\+/g, '/').split('/')) {
    if (step === '' || step === '.') continue;
    if (step === '..') steps.pop();
    else steps.push(/^[A-Za-z]:$/.test(step) ? step.toLowerCase() : step);
  }
  return steps.join('/');
}
