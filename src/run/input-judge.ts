// Queries the user's own judge of input: a program, or an address, such as a local classifier behind it. Its answer may
// be `{"score": 0.98, "label": "…"}` or the format of text classification servers: a list of labels with their scores.

import { createHash } from 'node:crypto';
import { worksForAnother } from '../config/index.ts';
import {
  decodeUtf8,
  type InputQuestion,
  isJsonObject,
  type JsonValue,
  type Opinion,
  parseJson,
  SallyportError,
} from '../core/index.ts';
import { runProgram } from '../decide/hooks.ts';

/** The judge gave no valid answer. */
class OpinionFailed extends SallyportError {}

/** Maximum number of cached answers: tools return the same texts repeatedly. */
const mostRemembered = 1000;
const longestAnswer = 65_536;

/** Labels of classifiers for a text that is not an attack; Prompt Guard numbers its labels. */
const harmless =
  /^(?:benign|safe|legit(?:imate)?|negative|none|no|ok|clean|normal|not[ _-]?injection|label_0)$/i;

/** Creates the query function of the judge; its answers are cached, its failures are not. */
export function inputJudge(): (question: InputQuestion) => Promise<Opinion> {
  const remembered = new Map<string, Opinion>();
  return async (question) => {
    const { text, origin, name = '', judge } = question;
    const key = createHash('sha256')
      .update(JSON.stringify([judge.command, judge.url, origin, name, text]))
      .digest('base64');
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const opinion = opinionIn(parseJson(await answerOf(question)));
    if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value ?? '');
    remembered.set(key, opinion);
    return opinion;
  };
}

async function answerOf({ text, origin, name, judge }: InputQuestion): Promise<string> {
  // Classifier servers read `inputs`.
  const body = { text, inputs: text, origin, ...(name === undefined ? {} : { name }) };
  const { command, url = '', timeout_ms: timeoutMs } = judge;
  if (command !== undefined) {
    // INVARIANT: a system daemon starts no program of a configuration: it would have the daemon's rights.
    if (worksForAnother()) throw new OpinionFailed('a system daemon starts no programs');
    const { status, stdout } = await runProgram({ command, timeoutMs }, body);
    if (status !== 0) throw new OpinionFailed(`the judge ended with status ${status}`);
    return stdout;
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (!answer.ok || bytes.length > longestAnswer)
    throw new OpinionFailed(`the judge answered ${answer.status}`);
  return decodeUtf8(bytes);
}

/** The label of an attack with the highest score; a harmless label counts with its complement. */
export function opinionIn(answer: JsonValue): Opinion {
  const all = [answer].flat(2).filter(isJsonObject);
  const opinions = all.flatMap(({ score, label }): Opinion[] => {
    if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return [];
    const said = typeof label === 'string' ? label : 'injection';
    return [{ score: harmless.test(said) ? 1 - score : score, label: said }];
  });
  const [first, ...others] = opinions;
  if (first === undefined || opinions.length < all.length)
    throw new OpinionFailed('the judge gave no answer that counts');
  return others.reduce((surest, one) => (one.score > surest.score ? one : surest), first);
}
