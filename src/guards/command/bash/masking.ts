// Programs that print of a file of variables no more than its names, its sizes or its sums, so that no value is shown.

import { singleText, type Text } from './values.ts';

const sums = /^(?:wc|cksum|sum|md5|md5sum|b2sum|shasum|sha(?:1|224|256|384|512)sum)$/;

/** The words of a call as one text: options with their values, then the rest. */
const lineOf = (args: readonly Text[]): string => args.map((arg) => singleText(arg)).join(' ');

/** A pattern that ends before a value begins: names at the start of a line. */
const nameAlone =
  /^(?:\^(?:\[\^=\]|\[[\w\\-]+\]|\\w|\w)(?:[*+]|\\\+|\{[\d,]+\})?(?:\[[\w\\-]+\][*+]?)*=?|[A-Z_]+)$/;

/** `s/=.+/x/`: what stands behind the sign is replaced by a text of its own. */
const blanking = /^s([/|#,@])(?:\(?\^?\(?\[\^=\][*+]\)?)?=(?:\.[*+]|\.\\\+)\$?\1[^&\\]*\1[gp]*$/;

type Masks = (args: readonly Text[]) => boolean;

const masking: Readonly<Record<string, Masks>> = {
  cut: (args) => {
    const line = lineOf(args);
    return (
      /(?:^| )(?:-d ?=|--delimiter==)(?: |$)/.test(line) && /(?:^| )(?:-f ?1|--fields=1)(?: |$)/.test(line)
    );
  },
  sed: (args) => {
    const words = args.map((arg) => singleText(arg));
    const scripts = words.filter((word) => /^s[/|#,@]/.test(word));
    return scripts.length === 1 && scripts.every((script) => blanking.test(script)) && !words.includes('-e');
  },
  awk: (args) => {
    const line = lineOf(args);
    return (
      /(?:^| )-F ?=(?: |$)/.test(line) && /(?:^| )(?:\/[^/]*\/ ?|NF ?)?\{ ?print \$1;? ?\}(?: |$)/.test(line)
    );
  },
  grep: (args) => {
    const words = args.map((arg) => singleText(arg));
    if (
      words.some((word) =>
        /^(?:-[a-zA-Z]*[cqlL][a-zA-Z]*|--(?:count|quiet|silent|files-with\w*))$/.test(word),
      )
    )
      return true;
    const [pattern = ''] = words.filter((word) => !word.startsWith('-'));
    return words.some((word) => /^-[a-zA-Z]*o/.test(word)) && nameAlone.test(pattern);
  },
};

const kin: Readonly<Record<string, string>> = {
  gsed: 'sed',
  gawk: 'awk',
  mawk: 'awk',
  egrep: 'grep',
  rg: 'grep',
};

/** Whether a program shows no value of what it reads. */
export function masksValues(program: string, args: readonly Text[]): boolean {
  if (sums.test(program)) return !lineOf(args).includes('files0-from');
  const name = Object.hasOwn(kin, program) ? (kin[program] ?? program) : program;
  return Object.hasOwn(masking, name) && masking[name]?.(args) === true;
}

/** Words in the name of a variable or in a search that ask for a secret. */
const asksForSecret = /key|token|secret|pass|pwd|cred|auth|cookie|dsn|private|^\^?$|=|\./i;

/** Whether a search of the variables of the environment asks for some by a name that is none of a secret. */
export function namesOthers(program: string, args: readonly Text[]): boolean {
  if (!/^(?:[ef]?grep|rg)$/.test(program)) return false;
  const words = args.map((arg) => singleText(arg));
  if (words.some((word) => /^-[a-zA-Z]*[vef]|^--(?:invert|file|regexp)/.test(word.replace(/^-[iEwc]*$/, ''))))
    return false;
  const [pattern = '', ...files] = words.filter((word) => !word.startsWith('-'));
  const names = pattern.replaceAll(/(?<=\w)=/g, '');
  return files.length === 0 && /^[\w^|()\\ -]+$/.test(names) && !asksForSecret.test(names);
}

/** Programs that print what they read, whole or in part, and do nothing else. */
const passing =
  /^(?:cat|head|tail|sort|uniq|grep|egrep|fgrep|rg|sed|awk|tr|cut|nl|tac|bat|less|more|echo|printf|printenv|env|export|declare|typeset|set|column|fold|rev|jq|base64|xxd|od|hexdump|strings|tee|paste|xargs|sudo|command|builtin|ruby|perl|php|lua|luajit|R|Rscript|julia)$/;

/** Programs that start another elsewhere, and print what it prints. */
const starting = /^(?:docker|podman|nerdctl|docker-compose|kubectl|oc|fly|flyctl|heroku|ssh)$/;

/** Whether what a program prints is what it was given or read. */
export function passesOn(program: string, fed: boolean): boolean {
  return passing.test(program) || (!fed && starting.test(program));
}
