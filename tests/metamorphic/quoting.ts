// How a word is written so that bash reads it back as it is.

/** In single quotes, whatever it holds. */
export function single(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** In double quotes, with what those would expand kept as it is. */
export function double(word: string): string {
  return `"${word.replace(/[\\"$`]/g, '\\$&')}"`;
}

/** Whether a word can stand without quotes. */
export function isBare(word: string): boolean {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word);
}

/** As a person would write it: quoted only where that is needed. */
export function plain(word: string): string {
  return isBare(word) ? word : single(word);
}

export function join(words: readonly string[]): string {
  return words.map(plain).join(' ');
}

/** Every character as an escape inside `$'…'`. */
export function escaped(word: string, spell: (code: number) => string): string {
  return `$'${[...word].map((character) => spell(character.codePointAt(0) ?? 0)).join('')}'`;
}

export function hex(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}

export function octal(code: number): string {
  return `\\${code.toString(8).padStart(3, '0')}`;
}

export function unicode(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

export function hexText(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex');
}

/** What stands between the words of a compound command: lines where the script has lines, or goes on in the background. */
export function body(script: string): string {
  return /\n|&\s*$|#/.test(script) ? `\n${script}\n` : ` ${script}; `;
}

/** The script inside backquotes. */
export function backquoted(script: string): string {
  return `\`${script.replace(/[\\`$]/g, '\\$&')}\``;
}

/** The script inside `$( )`. */
export function substituted(script: string): string {
  return /\n|#/.test(script) || script.startsWith('(') ? `$(\n${script}\n)` : `$(${script})`;
}

/** A mark for the end of a here-document that the text does not hold. */
export function mark(text: string): string {
  let name = 'END';
  while (text.split('\n').includes(name)) name += 'X';
  return name;
}
