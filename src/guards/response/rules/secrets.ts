// Law (AG-OUT-1): no secret is in a response, whether it stands there plainly, is taken apart by markup or line ends,
// or is written in escapes, base64 or hex.

import type { Rule } from '../../../core/index.ts';
import { response } from './finding.ts';

/** Looks like a secret and is none. */
const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
const head = token.slice(0, 12);
const tail = token.slice(12);

export const secretInResponse: Rule = {
  id: 'secret_in_response',
  guard: 'response',
  decision: 'block',
  reason: 'A secret that was shown is no secret any more: screens, logs and other models keep it.',
  suggestion: 'Answer without it, and say where it is kept instead, such as the name of a variable.',
  contract: 'AG-OUT-1',
  examples: {
    hit: [
      response(`Use ${token} for the request.`),
      response(`The token is \`${head}\`**${tail}**.`),
      response(`It begins with\n> ${head}\n> ${tail}`),
      response(`const token = "${head}" + "${tail}";`),
      response(JSON.stringify({ note: `a\n${token}` })),
      response(`ghp\\_${token.slice(4)}`),
      response(`In base64: ${btoa(token)}`),
      response(`${[...token].map((letter) => letter.charCodeAt(0).toString(16)).join('')} is hex`),
    ],
    miss: [
      response('Use the token in $GITHUB_TOKEN for the request.'),
      response('A GitHub token begins with ghp_ and has 36 letters and digits behind that.'),
      response('const token = process.env.GITHUB_TOKEN;'),
      response(`In base64: ${btoa('the quick brown fox jumps over the lazy dog')}`),
      response('[REDACTED:api-key]'),
    ],
  },
};
