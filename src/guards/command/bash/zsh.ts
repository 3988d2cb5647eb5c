// What zsh reads otherwise than bash: qualifiers behind patterns of names, words that stand for others anywhere, `=(…)`.

/** Longer scripts are hardly typed. */
const longest = 4096;

/** Qualifiers of a pattern that say which files are meant, and run nothing: `(N)`, `(.om[1,5])`. */
const harmless = String.raw`\((?:#q)?(?:[-.\/@=*%^,NDnFpsrwxRWXAIEtTMoOLamcdlu0-9]|\[-?\d+(?:,-?\d+)?\])+\)`;
const qualified = new RegExp(String.raw`(?<=[*?\]\w/])${harmless}(?=[\s;|&)]|$)`, 'g');

/** Qualifiers that run code for each name: `(e:'code':)`, and a command: `(+name)`. */
const running =
  /(?<=[*?\]\w/])\((?:#q)?[-./@^NDoOLn\d[\],]*(?:e(?:'((?:[^'])*)'|([:|#])(?:'([^']*)'|([^'"]*?))\2|\{([^}]*)\})|\+([\w./-]+))\)/g;

/** `alias -g NAME='text'`: from then on the name stands for the text wherever it is a word. */
const globalAlias = /(?:^|[;&|\n]\s*|\s)alias\s+-g\s+(\w+)=(?:'([^']*)'|"([^"]*)"|(\S+))/g;

/** Code that zsh would run of a script and that bash takes for patterns or plain words. */
export function codeOfZsh(source: string): readonly string[] {
  if (source.length > longest) return [];
  const found: string[] = [];
  if (/[*?\]\w/]\((?!\))/.test(source))
    for (const [, quoted, , inner, plain, braced, command] of source.matchAll(running)) {
      // The first and the last letter of a quoted one only enclose it.
      const code = quoted?.slice(1, -1) ?? inner ?? plain ?? braced ?? command;
      if (code !== undefined && code !== '') found.push(code);
    }
  if (source.includes('alias'))
    for (const [whole, name = '', ...texts] of source.matchAll(globalAlias)) {
      const text = texts.find((one) => one !== undefined) ?? '';
      const rest = source.slice(source.indexOf(whole) + whole.length).replace(/^\s*[;&\n]+/, '');
      const filled = rest.replaceAll(new RegExp(`(?<=\\s)${name}(?=[\\s;|&]|$)`, 'g'), () => text);
      if (filled !== rest) found.push(filled);
    }
  return found.slice(0, 8);
}

/** The script without qualifiers, and with the substitutions of zsh as those of bash. */
export function withoutQualifiers(source: string): string {
  return source.length > longest || !/[*?\]\w/]\(|=\(/.test(source)
    ? source
    : source.replaceAll(qualified, '').replaceAll(/(?<=\s)=\((?=\S)/g, '<(');
}
