// Code in languages that nothing here reads: what it does is not known, unless it only prints.

const programs =
  /^(?:elixir|iex|mix|raku|perl6|ocaml|swift|groovy|scala|scala-cli|kotlin|kotlinc|ghc|ghci|runghc|tclsh|wish|sbcl|clisp|guile|racket|ecl|clojure|clj|erl|escript|jshell|cmake|osascript|nim|crystal|slsh)$/;

const literalText = `(?:"[^"\\\\#$]*"|'[^']*'|[\\d\\s+*/().,-]+|[\\w.]*[vV]ersion[\\w.]*(?:\\(\\))?)`;

/** A call that prints a text, a number or a version, and a name alone. */
const onlyPrints = new RegExp(
  `^\\s*(?:import\\s+Foundation\\s*;?\\s*)?(?:\\w*|(?:IO\\.(?:puts|inspect)|println!?|print(?:_string|_endline|_int|ln)?|puts|say|printf|display|putStrLn|System\\.out\\.println|message)\\s*\\(?\\s*${literalText}\\s*\\)?)\\s*;*\\s*$`,
);

/** What scripts of macOS do that nobody minds. */
const harmlessOnMac =
  /^\s*(?:(?:display (?:notification|dialog|alert)|say) "[^"]*"[^\n]*|beep(?: \d+)?|set volume [^\n]*|(?:get )?(?:volume settings|current date|clipboard info|system version)|tell app(?:lication)? "[^"]+" to (?:activate|launch|get [^\n]*))\s*$/;

/** Whether code of a program cannot be known beforehand. */
export function isUnread(program: string, source: string): boolean {
  if (!programs.test(program) || source.length > 2048) return programs.test(program);
  if (program === 'osascript' && !/do shell script|path to|POSIX|delete/i.test(source))
    return !harmlessOnMac.test(source);
  return !onlyPrints.test(source);
}
