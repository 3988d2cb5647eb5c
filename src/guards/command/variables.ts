// What variables of the environment hold that mean the same file or folder wherever they are set.

const temporary: ReadonlySet<string> = new Set(['TMPDIR', 'TMP', 'TEMP', 'RUNNER_TEMP']);
/** Files that a runner makes anew for every step. */
const ofStep: ReadonlySet<string> = new Set([
  ...['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'],
]);
const checkouts: ReadonlySet<string> = new Set(['GITHUB_WORKSPACE', 'CI_PROJECT_DIR']);

/** The path that a variable holds, by its name; null where the name does not tell. */
export function usualPath(name: string, start: string): string | null {
  if (temporary.has(name)) return '/tmp';
  if (ofStep.has(name)) return `/tmp/step/${name}`;
  return checkouts.has(name) ? start : null;
}
