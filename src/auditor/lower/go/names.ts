// The names of Go in the form that the roles of the auditor know: `client.Chat.Completions.New` is `client.chat.completions.new`.

/** A name with a small first letter; a word in capitals alone, such as `URL`, is small as a whole. */
export function plainName(name: string): string {
  if (/^[A-Z][A-Z\d]*$/.test(name)) return name.toLowerCase();
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (head) => head.toLowerCase());
}

/** What a package may be called that an import does not name: its folder, without versions, `go-` and `-go`. */
export function packageNames(path: string): readonly string[] {
  const segments = path.split('/').filter((segment) => !/^v\d+$/.test(segment));
  const base = (segments.at(-1) ?? path).replace(/\.v\d+$/, '');
  const bare = base.replace(/^go-/, '').replace(/(-sdk)?-go$/, '');
  return [...new Set([base, bare, ...base.split(/[-.]/)])].filter((name) => /^[a-z_]\w*$/i.test(name));
}

/** What holds an error or says whether something was there, by its name. */
export function isStatus(name: string): boolean {
  return /^(_|err|error|ok|found|exists|e|\w*Err|err[A-Z\d_]\w*)$/.test(name);
}
