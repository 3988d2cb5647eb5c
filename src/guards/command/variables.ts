// What variables of the environment hold that mean the same file or folder wherever they are set.

const temporary: ReadonlySet<string> = new Set(['TMPDIR', 'TMP', 'TEMP', 'RUNNER_TEMP']);
/** Files that a runner makes anew for every step. */
const ofStep: ReadonlySet<string> = new Set([
  ...['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'],
]);
const checkouts: ReadonlySet<string> = new Set(['GITHUB_WORKSPACE', 'CI_PROJECT_DIR']);

/** Folders of the home that tools name so, and that hold their settings and keys. */
const ofHome: ReadonlyMap<string, string> = new Map([
  ['XDG_CONFIG_HOME', '.config'],
  ['CODEX_HOME', '.codex'],
  ['CLAUDE_CONFIG_DIR', '.claude'],
  ['SALLYPORT_HOME', '.sallyport'],
  ['GNUPGHOME', '.gnupg'],
  ['DOCKER_CONFIG', '.docker'],
  ['KUBECONFIG', '.kube/config'],
  ['CARGO_HOME', '.cargo'],
]);

/** The home of an unknown user. */
export const someHome = '/home/~';

/** The path that a variable holds, by its name; null where the name does not tell. */
export function usualPath(name: string, start: string, home: string | null): string | null {
  const below = ofHome.get(name);
  if (below !== undefined) return `${home ?? someHome}/${below}`;
  if (temporary.has(name)) return '/tmp';
  if (ofStep.has(name)) return `/tmp/step/${name}`;
  return checkouts.has(name) ? start : null;
}

/** Words in the name of a variable, a setting or an output that holds a secret, and addresses that have a password inside. */
const secretWords =
  /key|token|secret|passw(?:or)?d|credential|private|(?:^|_)auth$|(?:database|db|redis|mongo(?:db)?|postgres(?:ql)?|mysql|amqp|broker)_(?:url|uri|dsn)/i;

/** Whether a name says that a secret is behind it. */
export function namesSecret(name: string): boolean {
  return secretWords.test(name);
}
