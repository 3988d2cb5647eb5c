// Tools that install: hooks that their settings name.

import { singleText } from '../values.ts';
import { bySuffix, combined } from './shapes.ts';

/** Settings of apt that are commands, and files of settings, which may hold such. */
export const aptExecutor = combined(
  bySuffix(/^(?:-o)?(?:APT|DPkg)::[\w:-]*Invoke[\w:-]*=(.*)$/is),
  ({ args }) =>
    args.some((arg) => /^(?:-c|--config-file)/.test(singleText(arg))) ? [{ kind: 'unknown' }] : [],
);
