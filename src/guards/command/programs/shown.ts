// Words with which programs print secrets that they keep: variables of an environment, decrypted files, settings with keys.

import { namesSecret } from '../variables.ts';

const phrases: readonly (readonly [programs: RegExp, words: RegExp])[] = [
  [/^systemctl$/, /^(?:--user )?show-environment\b/],
  [/^launchctl$/, /^(?:export|print-env)\b/],
  [/^tmux$/, /^show-?env(?:ironment)?\b/],
  [/^cmake$/, /^-E environment\b/],
  [/^(?:gpg2?|age|rage)$/, /(?:^| )(?:-d|--decrypt)(?: |$)/],
  [/^glab$/, /^auth status .*(?:-t\b|--show-token)/],
  [/^(?:netlify|ntl)$/, /^env:(?:list|get)\b/],
  [/^firebase$/, /^functions:(?:config:get|secrets:access)\b/],
  [/^eb$/, /^printenv\b/],
  [/^dotnet$/, /^user-secrets list\b/],
  [/^rails$/, /^(?:credentials|encrypted|secrets):show\b/],
  [/^symfony$/, /\bdebug:dotenv\b/],
  [/^(?:terraform|tofu)$/, /^show (?:-no-color )?-json$/],
  [/^git$/, /^archive .*(?<= )(?:\S*\/)?\.env(?: |$)/],
];

/** Words behind which a name says whether its value is a secret. */
const named: readonly (readonly [programs: RegExp, words: RegExp])[] = [
  [/^launchctl$/, /^getenv (\S+)/],
  [/^pulumi$/, /^config get (\S+)/],
];

/** Whether a call prints secrets, by its words. */
export function showsSecrets(program: string, words: readonly string[]): boolean {
  if (![...phrases, ...named].some(([programs]) => programs.test(program))) return false;
  const line = words.slice(0, 16).join(' ');
  return (
    phrases.some(([programs, said]) => programs.test(program) && said.test(line)) ||
    named.some(([programs, said]) => programs.test(program) && namesSecret(said.exec(line)?.[1] ?? ''))
  );
}
