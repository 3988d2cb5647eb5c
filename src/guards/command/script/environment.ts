// The variables of the environment, as a script finds them.

import { someHome, usualPath } from '../variables.ts';
import type { Call } from './machine.ts';
import { hole, joinAll, literal, literals, type Thing, text } from './things.ts';

/** Variables of the environment whose names tell that they hold secrets. */
const secretNames =
  /(?:^|_)(?:KEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|PWD|CREDENTIALS?|AUTH|COOKIE|DSN)(?:_|$)|API_?KEY|ACCESS_?KEY|DATABASE_URL/i;

/** Stands among the variables for all that a script finds there. */
const everything = 'all';

/** The prelude that gives a shell the variables that the script set. */
export function settingsOf(variables: ReadonlyMap<string, Thing>): string {
  if (variables.size === 0) return '';
  return [...variables]
    .flatMap(([name, value]) => {
      const known = name === everything || !/^[A-Za-z_]\w*$/.test(name) ? null : literal(value);
      return known === null ? [] : [`${name}='${known.replaceAll("'", `'\\''`)}'; `];
    })
    .join('');
}

/** What a variable of the environment holds. */
export function variable(call: Pick<Call, 'machine'>, name: Thing | undefined, fallback?: Thing): Thing {
  const { home, cwd } = call.machine.record.around;
  const names = literals(name);
  if (!names) return text(hole, { origins: ['secret'] });
  const held = names.map((given): Thing => {
    const set = given === everything ? undefined : call.machine.environ.fields.get(given);
    if (set) return set;
    if (given === 'HOME' || given === 'USERPROFILE') return text(home ?? someHome);
    if (given === 'PWD') return text(cwd);
    const path = usualPath(given, cwd, home);
    if (path !== null) return text(path);
    return text(hole, secretNames.test(given) && given !== 'PWD' ? { origins: ['secret'] } : {});
  });
  return joinAll(fallback && fallback.kind !== 'none' ? [...held, fallback] : held);
}
