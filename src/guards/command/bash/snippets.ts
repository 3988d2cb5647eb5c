// What small pieces of code in languages without a parser here would start: perl, ruby, php, lua, awk, sed, vim, make.

import { isScripted, type Scripted, withoutMentions } from './mentions.ts';
import { hole } from './values.ts';

/** Something that a piece of code starts. */
export type Snippet =
  | { readonly kind: 'shell'; readonly text: string }
  | { readonly kind: 'argv'; readonly argv: readonly string[] }
  | { readonly kind: 'python'; readonly text: string }
  /** A call that runs something which stands nowhere in the code. */
  | { readonly kind: 'unknown' }
  /** A connection is opened by the code itself. */
  | { readonly kind: 'socket'; readonly host: string };

/** Longest code that is searched by expressions; longer code is only asked whether it could run something. */
const maxCode = 2048;

/** The code with long runs of spaces cut short: expressions in which several parts take spaces try every way to share them. */
function squeezed(code: string): string {
  return code.replace(
    /\s{9,}/g,
    (run) => `${run.slice(0, 4)}${run.includes('\n') ? '\n' : ''}${run.slice(-4)}`,
  );
}

/** What is said of code that is too long to be searched. */
function tooLong(code: string): readonly Snippet[] {
  return /system|exec|popen|spawn|getline|shell|`|\bqx\b|Socket|sockopen|unlink|rmtree/.test(code)
    ? [{ kind: 'unknown' }]
    : [];
}

const stringLiteral = `"(?:[^"\\\\]|\\\\[\\s\\S])*"|'(?:[^'\\\\]|\\\\[\\s\\S])*'`;
const literalList = `(?:${stringLiteral})(?:\\s*,\\s*(?:${stringLiteral}))*`;

const runners =
  'system|exec|execute|popen|popen2|popen3|shell_exec|passthru|proc_open|spawn|capture2e?|capture3|pty_spawn|shell|cmd|' +
  'callCommand|callProcess|readProcess|rawSystem|spawnCommand|executeFile|run-program|run-shell-command|shell_cmd|unix|pcntl_exec|system2|Cmd|sh';
const callWithLiterals = new RegExp(
  `\\b(${runners})\\b\\s*\\(?\\s*\\*?\\[?\\s*(${literalList}(?:\\s*,\\s*(?:args\\s*=\\s*)?c\\(\\s*${literalList}\\s*\\))?)`,
  'g',
);
const callWithout =
  /\b(?:system|popen|shell_exec|passthru|proc_open|os\.execute)\s*\(\s*[$@\w[*]|(?:(?<![\w.>:$]|\b(?:def|sub|function)\s)|\b(?:Kernel|Process)\.)(?:exec|spawn)\s*\(\s*[$@\w[*]|\b(?:system|exec)\s+[$@]\w/;
/** In perl and ruby a call needs no brackets, so that any name behind a runner is what it is given. */
const callWithName =
  /(?<![\w.$@:>/-]|\b(?:def|sub)\s)(?:system|exec|spawn)\s+\*?(?!(?:q[qwx]?|if|unless|and|or|do)\b)[A-Za-z_]\w*/;
const quotedCommand =
  /`([^`]*)`|(?:\bqx|%x)\s*(?:\(([^)]*)\)|\{([^}]*)\}|\[([^\]]*)\]|<([^>]*)>|([^\w\s({[<])([\s\S]*?)\6)|\bdo shell script\s+"((?:[^"\\]|\\.)*)"/g;
const removal = new RegExp(
  `\\b(?:unlink|rmtree|remove_tree|rm_rf|rm_r|rmdir|remove_dir|remove_entry_secure|os\\.remove|file\\.remove|deleteDir|(?<!\\b[a-z_]\\w*\\.)(?:rm|delete|remove))\\b!?\\s*\\(?\\s*(${stringLiteral})`,
  'g',
);
/** The words before the path: a handle, a function, and how it is opened. */
const before = `(?:[^"';\\n]{0,60},\\s*)?(?:["']\\s*([<>+rwab]+)[:\\w()-]*["']\\s*,\\s*)?`;
const opening = new RegExp(
  `\\b(?:open|sysopen|fopen|readlines|foreach|readfile|file_get_contents|slurp|file|include|require|lines|binread|read)\\b\\s*\\(?\\s*${before}(${stringLiteral})(?:\\s*,\\s*(?:"([^"]*)"|'([^']*)'|(O_\\w+(?:\\s*\\|\\s*O_\\w+)*)))?`,
  'g',
);
const writing = new RegExp(
  `\\b(?:write|file_put_contents|binwrite|truncate|mkdir|touch|chmod|writefile)\\b\\s*\\(\\s*(${stringLiteral})`,
  'g',
);
/** What is written stands behind what it is made from. */
const copying = new RegExp(
  `\\b(?:copy|cp|cp_r|mv|move|rename|link|symlink|ln_s|install|download|download_file|getstore|mirror|download\\.file|writeLines|write\\.csv|saveRDS)\\b\\s*\\(?\\s*(?:${stringLiteral}|[\\w$@.]+)\\s*,\\s*(${stringLiteral})`,
  'g',
);
/** Calls that fetch what an address stands for. */
const fetching = new RegExp(
  `\\b(?:open|fopen|file|file_get_contents|readfile|copy|read|readLines|get|get_response|getstore|getprint|mirror|request|download|download\\.file|url|curl_init|urlread|slurp|source)\\b!?\\s*\\(?\\s*(?:URI(?:\\.parse)?\\(\\s*)?(${stringLiteral})`,
  'g',
);
const nested = new RegExp(
  `\\b(?:eval|load|loadstring|instance_eval|class_eval|assert)\\b\\s*\\(?\\s*(${stringLiteral})`,
  'g',
);
const sent = new RegExp(`\\bsend\\s*\\(\\s*:(\\w+)\\s*,\\s*(${stringLiteral})`, 'g');
const methodOfText = new RegExp(`(${stringLiteral})\\s*\\.(?:execute\\(|!)`, 'g');
const sockets = new RegExp(
  `(?:\\b(?:IO::Socket|TCPSocket|UDPSocket|TCPServer|fsockopen|socket\\.tcp|socket\\.connect|socket\\.bind|sockaddr_in|Net::HTTP|LWP::|open-uri|download)|[:.](?:connect|bind)\\()[^"';\\n]{0,60}(${stringLiteral})?`,
  'g',
);

function unquote(literal: string): string {
  const plain = literal
    .slice(1, -1)
    .replace(/\\(?:x([0-9a-fA-F]{2})|([0-7]{3})|([\s\S]))/g, (_, hexadecimal, octal, character) => {
      if (hexadecimal !== undefined) return String.fromCharCode(Number.parseInt(String(hexadecimal), 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(String(octal), 8));
      return character === 'n' ? '\n' : character === 't' ? '\t' : String(character);
    })
    .replace(/\$ENV\{['"]?HOME['"]?\}|#\{(?:ENV\[['"]HOME['"]\]|Dir\.home)\}/g, '~');
  // An interpolated variable is not known.
  return literal.startsWith('"') ? plain.replace(/#\{[^}]*\}|\$\w+|@\w+/g, hole) : plain;
}

/** Libraries that are loaded as code, and a server of all files. */
const loadsLibrary = /\b(?:dlopen|loadlib|LoadLibrary|dyn\.load|ffi\.load|dl_load_file)\b|^\s*httpd\s*$/;
/** Tcl takes the words of a command as they are. */
const bareExec = /(?:^|[;[{\n])\s*exec\s+(?:--\s+)?((?!["'$(])[^\n;\]}]+)/g;
const endlessForks =
  /\bfork\b(?:\s*\(\s*\))?\s*(?:;\s*)?while\b|\b(?:while|loop|for)\b[^;{]{0,40}\{\s*(?:Process\.)?(?:pcntl_)?fork\b/;

/** A text or an element that is called; what a cast makes is none. */
const calledText = /(?:["'\]]|(?<!\((?:int|integer|string|float|bool|boolean|array|object)\s*)\))[ \t]*\(/;
/** Names of calls, and texts that become code, which are made while the code runs; a runner that is handed on. */
const computed =
  /(?<![.:\w])(?:eval|loadstring|load|assert|\w+_eval)\b\s*\(?\s*[^"'{();\s]|&\s*[${]|->\s*\$|\bget(?:field|property)\b|@eval\b|\bcall_user_func|\bdo\.call\b|\b(?:send|public_send|__send__)\b\s*\(?\s*["'$@\w]|\bmethod\s*\(?\s*[:"']|\b(?:os\.execute|io\.popen)\b(?!\s*[("'[])/;
/** A variable that is called, which php and perl have; a function that stands in the code is no name. */
const calledVariable = { php: /\$\w+\s*\(/, perl: /\$\w+\s*->\s*\(/ };
/** Functions of php that are given others by their names. */
const takesFunctions = /\b(?:array_\w+|u\w*sort|register_\w+|set_\w+_handler|iterator_apply|ob_start)\s*\(/;
const runnerName = new RegExp(`^(?:${runners}|unlink|rmdir|eval|assert)$`);
const ownFunction = /\b(?:sub|fn|function)\b/;

/** Whether code of a known language calls what only its run tells; `sure` is whether its texts are known as such. */
function callsComputed(code: string, language: Scripted, sure: boolean): boolean {
  if (computed.test(code) || (sure && calledText.test(code))) return true;
  if (language !== 'php' && language !== 'perl') return false;
  const texts = [...code.matchAll(new RegExp(stringLiteral, 'g'))].map(([literal]) => unquote(literal));
  if (takesFunctions.test(code) && texts.some((text) => runnerName.test(text))) return true;
  return calledVariable[language].test(code) && !ownFunction.test(code);
}

/** Calls that delete what stands in no text beside them, and those among them that delete whole trees. */
const removalElsewhere = new RegExp(
  `\\b(?:(unlink|rmdir|rm_f|os\\.remove|file\\.remove|(?:File|Dir|Pathname)\\.(?:delete|unlink))|rmtree|remove_tree|rm_rf?|remove_(?:dir|entry\\w*)|FileUtils\\.rm\\w*)\\b(?!\\s*\\(?\\s*(?:${stringLiteral}))`,
);
/** In julia the name is as short as a variable's, and a function that is handed on is called. */
const removalInJulia = new RegExp(`(?<![\\w.$])rm(?=\\s*[,(])(?!\\s*\\(\\s*(?:${stringLiteral}))`);

/** What such a call deletes: the places that the code names, or what only its run tells. */
function removedElsewhere(code: string, language: Scripted): readonly Snippet[] {
  const [call, single] = removalElsewhere.exec(code) ?? [];
  if (call === undefined && !(language === 'julia' && removalInJulia.test(code))) return [];
  const texts = [...code.matchAll(new RegExp(stringLiteral, 'g'))].map(([literal]) => unquote(literal));
  const places = texts.filter((text) => /^(?:\/|~|\.\.?\/)|^[^\s:]+\/|^[*]$/.test(text));
  const how = single === undefined ? '-rf' : '-f';
  return (places.length === 0 ? [hole] : places).map((place) => ({ kind: 'argv', argv: ['rm', how, place] }));
}

const killing = new RegExp(
  `(?<![\\w.])(?:Process\\.|posix_)?kill\\b\\s*\\(?\\s*(\\$?\\w+|:\\w+|${stringLiteral})\\s*(?:,|=>)\\s*(-?\\w*)`,
  'g',
);

/** Signals that end a process whatever it says. */
function killed(code: string): readonly Snippet[] {
  return [...code.matchAll(killing)].flatMap(([, first = '', second = '']): readonly Snippet[] => {
    const plain = /^["']/.test(first) ? unquote(first) : first;
    const forced = [plain, second].some((word) => /^:?(?:SIG)?KILL$|^-?9$/.test(word));
    const whom = /^-?\d+$/.test(second) ? second : hole;
    return forced ? [{ kind: 'argv', argv: ['kill', '-9', whom] }] : [];
  });
}

/** The request by which a program types at a terminal. */
const typing = /\b(?:ioctl|syscall)\b[^;\n]{0,200}?(?:TIOCSTI|0x5412|\b21522\b)/i;

/** Code in code in code. */
const unread: Snippet = { kind: 'unknown' };

/** What code of a language without a parser here starts, by the calls that such languages have in common. */
export function snippetsOf(written: string, language = 'other', depth = 0): readonly Snippet[] {
  if (written.length > maxCode) return tooLong(written);
  const scripted = isScripted(language) ? language : null;
  const short = squeezed(written);
  const read = scripted === null ? null : withoutMentions(short, scripted);
  const code = read ?? short;
  const found: Snippet[] = [];
  if (scripted !== null) {
    if (callsComputed(code, scripted, read !== null)) found.push(unread);
    found.push(...removedElsewhere(code, scripted), ...killed(code));
  }
  if (typing.test(code)) found.push({ kind: 'argv', argv: ['ttyecho'] });
  for (const match of code.matchAll(callWithLiterals)) {
    const literals = [...(match[2] ?? '').matchAll(new RegExp(stringLiteral, 'g'))].map(([literal]) =>
      unquote(literal),
    );
    const [first] = literals;
    if (first === undefined) continue;
    found.push(
      literals.length === 1 || match[1] === 'popen'
        ? { kind: 'shell', text: first }
        : { kind: 'argv', argv: literals },
    );
  }
  for (const match of code.matchAll(quotedCommand)) {
    const [, ticked, round, curly, square, angled, , other, told] = match;
    const text = ticked ?? round ?? curly ?? square ?? angled ?? other ?? told;
    // A variable there is one of the language, and not of the shell.
    if (text !== undefined && text.trim() !== '')
      found.push({ kind: 'shell', text: text.replace(/#\{[^}]*\}|\$\w+|@\w+/g, hole) });
  }
  if ((scripted === 'perl' || scripted === 'ruby') && callWithName.test(code)) found.push(unread);
  if (callWithout.test(code) || endlessForks.test(code) || loadsLibrary.test(code)) found.push(unread);
  for (const [, command = ''] of code.matchAll(bareExec)) {
    found.push({ kind: 'shell', text: command.replace(/[<>]{1,2}@\S+|\d>@\S+/g, '') });
  }
  for (const [, literal] of code.matchAll(removal)) {
    if (literal !== undefined) found.push({ kind: 'argv', argv: ['rm', '-rf', unquote(literal)] });
  }
  for (const [, how = '', literal, second, third, flags = ''] of code.matchAll(opening)) {
    const path = literal === undefined ? '' : unquote(literal);
    const piped = /^\s*\|(.*)$|^(.*)\|\s*$/.exec(path);
    const mode = how || (second ?? third ?? '');
    const writes = /^[rb]*[wa+>x]|\+/.test(mode) || /WR|TRUNC|CREAT/.test(flags) || path.startsWith('>');
    if (piped !== null) found.push({ kind: 'shell', text: piped[1] ?? piped[2] ?? '' });
    else if (path !== '' && !/^(?:https?|ftp):\/\//i.test(path))
      found.push({ kind: 'argv', argv: [writes ? 'tee' : 'cat', path.replace(/^[<>+ ]+/, '')] });
  }
  for (const pattern of [writing, copying]) {
    for (const [, literal] of code.matchAll(pattern)) {
      if (literal !== undefined) found.push({ kind: 'argv', argv: ['tee', unquote(literal)] });
    }
  }
  for (const [, name = '', literal] of code.matchAll(sent)) {
    if (literal !== undefined)
      found.push(...(depth < 2 ? snippetsOf(`${name}(${literal})`, language, depth + 1) : [unread]));
  }
  for (const [, literal] of code.matchAll(nested)) {
    if (literal !== undefined)
      found.push(...(depth < 2 ? snippetsOf(unquote(literal), language, depth + 1) : [unread]));
  }
  for (const [, literal] of code.matchAll(methodOfText)) {
    if (literal !== undefined) found.push({ kind: 'shell', text: unquote(literal) });
  }
  for (const [, literal = ''] of code.matchAll(fetching)) {
    const [scheme = '', , host = hole] = unquote(literal).split('/');
    if (/^(?:https?|ftp):$/i.test(scheme)) found.push({ kind: 'socket', host });
  }
  for (const [, literal] of code.matchAll(sockets)) {
    found.push({ kind: 'socket', host: literal === undefined ? hole : unquote(literal) });
  }
  return found;
}

/** A bar in a text pipes nothing, unless a pattern between slashes holds a quote, so that it is not clear what is a text. */
function awkPipes(code: string): readonly { text: string; index: number; reads: boolean }[] {
  const unclear = /\/[^/\n]*"[^/\n]*\//.test(code);
  const pipes = unclear
    ? /("(?:[^"\\]|\\[\s\S])*")(\s*\|&?\s*getline)|\|&?\s*("(?:[^"\\]|\\[\s\S])*")/g
    : /("(?:[^"\\]|\\[\s\S])*")(\s*\|&?\s*getline)?|\|&?\s*("(?:[^"\\]|\\[\s\S])*")/g;
  const found: { text: string; index: number; reads: boolean }[] = [];
  for (const { 1: from, 2: getline, 3: into, index } of code.matchAll(pipes)) {
    if (into !== undefined) found.push({ text: unquote(into), index, reads: true });
    else if (getline !== undefined) found.push({ text: unquote(from ?? '""'), index, reads: false });
  }
  return found;
}

/** What an awk program starts. */
export function awkSnippets(written: string): readonly Snippet[] {
  if (written.length > maxCode) return tooLong(written);
  const code = squeezed(written);
  // A command that is not known is piped into or from.
  const found: Snippet[] = /\uE000[^;{}"]*\|&?\s*getline|\|&?\s*\uE000/.test(code)
    ? [{ kind: 'unknown' }]
    : [];
  for (const match of code.matchAll(/\bsystem\s*\(\s*("(?:[^"\\]|\\[\s\S])*")?([^)]*)/g)) {
    const literal = match[1];
    if (literal === undefined) found.push({ kind: 'unknown' });
    else found.push({ kind: 'shell', text: unquote(literal) + ((match[2] ?? '').trim() === '' ? '' : hole) });
  }
  for (const { text, index, reads } of awkPipes(code)) {
    if (text.startsWith('/inet')) continue;
    found.push({ kind: 'shell', text });
    if (!reads) continue;
    // What is printed into a command is what the command reads.
    const before = code.slice(0, index);
    const printed =
      /\bprintf?\b((?:[^;{}\n"]|"(?:[^"\\]|\\[\s\S])*")*)$/.exec(before.slice(-512))?.[1]?.trim() ?? '';
    const literals = [...printed.matchAll(new RegExp(stringLiteral, 'g'))].map(([literal]) =>
      unquote(literal),
    );
    const rest = printed.replace(new RegExp(stringLiteral, 'g'), '').replace(/[\s(),]/g, '');
    if (rest === '' && literals.length > 0) {
      const data = literals.join('').replaceAll("'", "'\\''");
      found.push({ kind: 'shell', text: `printf '%s\\n' '${data}' | ${text}` });
    } else if (rest !== '' && rest !== '$0' && /^\s*(?:\S*\/)?(?:ba|da|z|k|a)?sh\b/.test(text)) {
      found.push({ kind: 'unknown' });
    }
  }
  const inet = /\/inet\d?\/(?:tcp|udp)\/[^/"]*\/([^/"]*)/.exec(code);
  // What the connection says is run, where a variable is taken for a command.
  if (inet !== null && /\b[A-Za-z_]\w*\s*\|&?\s*getline/.test(code)) found.push({ kind: 'unknown' });
  if (inet !== null) found.push({ kind: 'socket', host: inet[1] === '' ? hole : (inet[1] ?? hole) });
  for (const match of code.matchAll(/getline\s+\w*\s*<\s*("(?:[^"\\]|\\[\s\S])*")/g)) {
    found.push({ kind: 'argv', argv: ['cat', unquote(match[1] ?? '""')] });
  }
  for (const match of code.matchAll(/\bprintf?\b[^;}|]*>>?\s*("(?:[^"\\]|\\[\s\S])*")/g)) {
    const path = unquote(match[1] ?? '""');
    if (path.includes('/') || path.includes('.')) found.push({ kind: 'argv', argv: ['tee', path] });
  }
  return found;
}

/** What a sed script starts: the command `e`, and the flag `e` of a substitution, which runs the line itself. */
export function sedSnippets(written: string): readonly (Snippet | { readonly kind: 'line' })[] {
  if (written.length > maxCode) return [{ kind: 'unknown' }];
  const script = squeezed(written);
  const found: (Snippet | { readonly kind: 'line' })[] = [];
  for (const match of script.matchAll(
    /(?:^|[;{\n])\s*(?:\d+|\$|\/(?:[^/\\]|\\.)*\/)?(?:,\S+)?\s*!?e(?:\s+([^\n]*))?(?=$|[\n;}])/g,
  )) {
    const text = (match[1] ?? '').trim();
    found.push(text === '' ? { kind: 'line' } : { kind: 'shell', text });
  }
  for (const { replacement, flags } of substitutionsIn(script)) {
    if (!flags.includes('e')) continue;
    found.push({ kind: 'line' });
    const command = replacement.replace(/\\([^\d])/g, '$1').replace(/&|\\\d/g, hole);
    if (command.trim() !== '') found.push({ kind: 'shell', text: command });
  }
  return found;
}

/** The substitutions of a sed script, wherever one may begin: behind a separator or an address. */
function* substitutionsIn(
  script: string,
): Generator<{ readonly replacement: string; readonly flags: string }> {
  const begins = /(?<=(?:^|[;{\n\d$/])\s*)s([^\w\s\\])/g;
  // INVARIANT: none begins behind a backslash, so that all read the same escapes, and a mark that was missed once is missed by all.
  const missed = new Set<string>();
  for (let start = begins.exec(script); start !== null; start = begins.exec(script)) {
    const mark = start[1] ?? '';
    if (missed.has(mark)) continue;
    const middle = markAt(script, mark, begins.lastIndex);
    const end = middle < 0 ? -1 : markAt(script, mark, middle + 1);
    if (end < 0) {
      missed.add(mark);
      continue;
    }
    const flags = /[a-zA-Z0-9]*/y;
    flags.lastIndex = end + 1;
    yield { replacement: script.slice(middle + 1, end), flags: flags.exec(script)?.[0] ?? '' };
    begins.lastIndex = flags.lastIndex;
  }
}

/** Where a mark stands that nothing escapes; -1 where it does not. */
function markAt(script: string, mark: string, from: number): number {
  for (let at = from; at < script.length; at++) {
    if (script[at] === '\\') at++;
    else if (script[at] === mark) return at;
  }
  return -1;
}

/** Words of vim that stand before a command and run it. */
const viModifiers =
  /^(?:(?:sil(?:ent)?|exe(?:cute)?|norm(?:al)?|bel(?:owright)?|bo(?:tright)?|abo(?:veleft)?|to(?:pleft)?|vert(?:ical)?|tab|keepalt|keepj(?:umps)?|keepmarks|lockmarks|noa(?:utocmd)?|uns(?:ilent)?|verb(?:ose)?|conf(?:irm)?|hide|sandbox|(?:arg|buf|win|tab|c|l|cf|lf)do|g(?:lobal)?\/(?:[^/\\]|\\.)*\/|v(?:global)?\/(?:[^/\\]|\\.)*\/|[%\d.$,'<>+-]+(?=[a-z]))!?\s*|au(?:tocmd)?!?\s+\S+\s+\S+\s+(?:\+\+\w+\s+)*)/;

/** What a command of vim, ex or gdb starts. A bar ends a command of vim, but not one for the shell. */
export function editorSnippets(command: string): readonly Snippet[] {
  if (command.length > maxCode) return tooLong(command);
  const whole = oneEditorCommand(command);
  if (whole.some(({ kind }) => kind === 'shell') || !command.includes('|')) return whole;
  const [first = '', ...others] = command.split('|');
  return [...whole, ...oneEditorCommand(first), ...editorSnippets(others.join('|'))];
}

function oneEditorCommand(command: string): readonly Snippet[] {
  let bare = squeezed(command).trim().replace(/^:+/, '').trim();
  for (let modifier = viModifiers.exec(bare); modifier !== null && modifier[0] !== ''; ) {
    bare = bare.slice(modifier[0].length).replace(/^["':]+/, '');
    modifier = viModifiers.exec(bare);
  }
  const shell =
    /^[%\d.$,]*(?:w|r|read|write)?\s*!\s*(.+?)["']?$/s.exec(bare) ??
    /^(?:shell|term(?:inal)?)\s+(.+)$/s.exec(bare);
  if (shell !== null) return [{ kind: 'shell', text: shell[1] ?? '' }];
  if (/^(?:shell|sh|term(?:inal)?)$/.test(bare)) return [{ kind: 'argv', argv: ['sh'] }];
  const opened = /^(?:e|edit|r|read|sp|split|vs|vsplit|tabe|view)\s+([~/.][^\s|]*)$/.exec(bare);
  if (opened !== null) return [{ kind: 'argv', argv: ['cat', opened[1] ?? ''] }];
  const written = /^(?:w|write|wq|sav|saveas|x)!?\s+([~/.][^\s|]*)$/.exec(bare);
  if (written !== null) return [{ kind: 'argv', argv: ['tee', written[1] ?? ''] }];
  const python = /^(?:py|py3|python|python3|pyx)\s+(.+)$/s.exec(bare);
  if (python !== null) return [{ kind: 'python', text: python[1] ?? '' }];
  const setting = /\bset\s+shell=([^\s|]+)/.exec(bare);
  const more = snippetsOf(bare);
  return setting === null
    ? more
    : [...more, { kind: 'argv', argv: [(setting[1] ?? '').replaceAll('\\', '')] }];
}

/** The lines of a makefile that a shell would run, as one script. */
export function recipesOf(makefile: string): string {
  const commands: string[] = [];
  if (makefile.length > 8 * maxCode) return hole;
  for (const match of makefile.matchAll(/\$\(shell\s+([^)]*)\)/g)) commands.push(match[1] ?? '');
  for (const match of makefile.matchAll(/^[\w.-]+\s*!=\s*(.*)$/gm)) commands.push(match[1] ?? '');
  for (const match of makefile.matchAll(/\$\(file\s*(<|>>?)\s*([^,)\s]+)/g))
    commands.push(`${match[1] === '<' ? 'cat' : 'tee'} '${(match[2] ?? '').replaceAll("'", '')}'`);
  const joined = makefile.replaceAll('\\\n', ' ');
  for (const line of joined.split('\n')) {
    const recipe =
      /^\t[ \t]*[@+-]*(.*)$/.exec(line) ?? /^[^\s#:=][^:=]*:(?!=)[^;]*;[ \t]*[@+-]*(.*)$/.exec(line);
    if (recipe !== null) commands.push(recipe[1] ?? '');
  }
  return commands
    .map((command) =>
      command
        .replace(/\$\$/g, '\u0001')
        .replace(/\$(?:\([^)]*\)|\{[^}]*\}|[@<^*?%+])/g, hole)
        .replaceAll('\u0001', '$'),
    )
    .join('\n');
}

/** The commands in the scripts of a package.json or composer.json. */
export function scriptsOf(text: string): readonly string[] {
  const section =
    /"scripts"\s*:\s*\{((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}/.exec(text.slice(0, 8 * maxCode))?.[1] ?? '';
  const strings = [...section.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g)];
  // What a colon follows is the name of a script.
  return strings
    .filter(([, , colon]) => colon === undefined)
    .map(([, script = '']) => script.replace(/\\(["\\/])/g, '$1'));
}

/** The commands of a crontab, as one script. */
export function cronCommands(table: string): string {
  const commands = table.split('\n').map((line) => {
    if (line.length > maxCode) return hole;
    const entry = /^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.+)$/.exec(line);
    return entry === null || /^\s*#/.test(line) ? '' : (entry[1] ?? '');
  });
  return commands.filter((command) => command !== '').join('\n');
}
