// What zsh reads otherwise than bash: qualifiers behind patterns of names, words that stand for others anywhere, `=(…)`.

/** Longer scripts are hardly typed. */
const longest = 4096;

/** Qualifiers of a pattern that say which files are meant, and run nothing: `(N)`, `(.om[1,5])`. */
const harmless = String.raw`\((?:#q)?(?:[-.\/@=*%^,NDnFpsrwxRWXAIEtTMoOLamcdlu0-9]|\[-?\d+(?:,-?\d+)?\])+\)`;
const qualified = new RegExp(String.raw`(?<=[*?][^\s'"()|;&]{0,64})${harmless}(?=[\s;|&)]|$)`, 'g');

/** Qualifiers that run code for each name: `(e:'code':)`, and a command: `(+name)`. */
const running =
  /(?<=[*?][^\s'"()|;&]{0,64})\((?:#q)?[-./@^NDoOLn\d[\],]*(?:e(?:'((?:[^'])*)'|([:|#])(?:'([^']*)'|([^'"]*?))\2|\{([^}]*)\})|\+([\w./-]+))\)/g;

/** `alias -g NAME='text'`: from then on the name stands for the text wherever it is a word. */
const globalAlias = /(?:^|[;&|\n]\s*|\s)alias\s+-g\s+(\w+)=(?:'([^']*)'|"([^"]*)"|(\S+))/g;

/** Code that zsh would run of a script and that bash takes for patterns or plain words. */
export function codeOfZsh(source: string): readonly string[] {
  if (source.length > longest) return [];
  const codes: string[] = [];
  if (/[*?][^\s'"()|;&]{0,64}\(/.test(source))
    for (const found of source.matchAll(running)) {
      if (isQuoted(source, found.index)) continue;
      const [, quoted, , inner, plain, braced, command] = found;
      // The first and the last letter of a quoted one only enclose it.
      const code = quoted?.slice(1, -1) ?? inner ?? plain ?? braced ?? command;
      if (code !== undefined && code !== '') codes.push(code);
    }
  if (source.includes('alias'))
    for (const { index, 0: whole, 1: name = '', 2: single, 3: double, 4: bare } of source.matchAll(
      globalAlias,
    )) {
      const texts = [single, double, bare];
      const text = texts.find((one) => one !== undefined) ?? '';
      const rest = source.slice(source.indexOf(whole) + whole.length).replace(/^\s*[;&\n]+/, '');
      const filled = rest.replaceAll(new RegExp(`(?<=\\s)${name}(?=[\\s;|&]|$)`, 'g'), () => text);
      if (filled !== rest && !isQuoted(source, index)) codes.push(filled);
    }
  return codes.slice(0, 8);
}

const quotes = /'[^']*'|"(?:[^"\\]|\\.)*"/gs;

/** Whether a place of a script lies in quotes, or in a script with a text of its own, where a bracket is none of the shell. */
function isQuoted(source: string, place: number): boolean {
  if (source.includes('<<')) return true;
  return [...source.matchAll(quotes)].some(
    ({ index, 0: text }) => index < place && place < index + text.length,
  );
}

/** The script without qualifiers, and with the substitutions of zsh as those of bash. */
export function withoutQualifiers(source: string): string {
  if (source.length > longest || !/[*?][^\s'"()|;&]{0,64}\(|=\(/.test(source)) return source;
  return source
    .replaceAll(qualified, (found, index: number) => (isQuoted(source, index) ? found : ''))
    .replaceAll(/(?<=\s)=\((?=\S)/g, (found, index: number, text: string) =>
      isQuoted(text, index) ? found : '<(',
    );
}
