// Reads a script of sed far enough to know whether it does more than print: runs a command, or reads or writes a file.

/** Whether every command of a script only edits the text that flows through; what is not understood does not. */
export function onlyEdits(script: string): boolean {
  let at = 0;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0] ?? '';
    at += found.length;
    return found;
  };
  /** Goes behind the next delimiter; false where there is none. */
  const pass = (delimiter: string): boolean => {
    for (let bracket = false; at < script.length; at++) {
      const character = script[at];
      if (character === '\\') at++;
      else if (character === '[' && delimiter !== '[') bracket = true;
      else if (character === ']') bracket = false;
      else if (character === delimiter && !bracket) {
        at++;
        return true;
      }
    }
    return false;
  };
  const address = (): boolean => {
    if (skip(/[0-9]+(?:~[0-9]+)?|\$|[+~][0-9]+/y) !== '') return true;
    const opening = script[at];
    if (opening !== '/' && opening !== '\\') return false;
    at += opening === '/' ? 1 : 2;
    const closed = pass(opening === '/' ? '/' : (script[at - 1] ?? '/'));
    skip(/[IM]*/y);
    return closed;
  };
  for (;;) {
    skip(/[\s;{}]*/y);
    if (at >= script.length) return true;
    if (address()) {
      skip(/\s*/y);
      if (skip(/,\s*/y) !== '' && !address()) return false;
      skip(/[\s!]*/y);
    }
    const command = script[at++] ?? '';
    if (command === 's' || command === 'y') {
      const delimiter = script[at++] ?? '';
      if (delimiter === '' || !pass(delimiter) || !pass(delimiter)) return false;
      if (command === 's' && /[^gpiIMm0-9]/.test(skip(/[A-Za-z0-9]*/y))) return false;
    } else if (/[aic#]/.test(command)) skip(/(?:[^\\\n]|\\[\s\S])*/y);
    else if (/[:btT]/.test(command)) skip(/[^;\n}]*/y);
    else if (/[qQlL]/.test(command)) skip(/\s*[0-9]*/y);
    else if (!/[=dDgGhHnNpPxzF{}]/.test(command) || command === '') return false;
  }
}
