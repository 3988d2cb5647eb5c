// sallyport sources ask: a query to a source from the command line, judged and run as one that a model wrote.

import { readApprover } from '../config/index.ts';
import {
  consoleOrigin,
  type ExitCode,
  exitCodes,
  InputError,
  isJsonObject,
  type JsonObject,
  parseJson,
  UsageError,
  visible,
} from '../core/index.ts';
import { createDecider, readContext } from '../decide/index.ts';
import { createQueryPipeline, type QueryAnswer, type QueryResult } from '../run/query/index.ts';
import { type Call, onlyWords } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker, openConfig } from './open.ts';
import { readDaemonFile } from './running.ts';

export async function askSource(call: Call): Promise<ExitCode> {
  const [, target, text] = onlyWords(call, ['ask', 'the name of a source', 'the query']);
  const { config, world, paths, home } = await openConfig(call);
  const folder = call.io.folder();
  const agent = call.value('agent');
  const context = await readContext(
    { workspace: call.value('workspace') ?? folder, ...(agent === undefined ? {} : { agent }) },
    { asker: localAsker(), folder, config, world },
  );
  const { sources } = await config.settingsFor(context);
  const source = sources.find(({ name }) => name === target);
  if (source === undefined) {
    const names = sources.map(({ name }) => name).join(', ');
    const hint = names === '' ? "add one: see 'sallyport sources --help'" : `there are: ${names}`;
    throw new UsageError(`there is no source "${visible(target)}"`, hint);
  }
  const query = { target, text, variables: variablesOf(call) };
  const once = () =>
    withLedger(call, async (ledger) => {
      const pipeline = createQueryPipeline({
        decider: createDecider({ config, ledger, world }),
        ledger,
        world,
        approvalUrl: (id) => {
          const running = readDaemonFile(paths.daemon);
          return running === null ? null : `${consoleOrigin(running.port)}/console/#/approvals/${id}`;
        },
      });
      const answer = await pipeline.validate(query, context);
      const token = answer.approval_token;
      const results: QueryResult[] = [];
      if (token === null) return { answer, results };
      results.push(await pipeline.execute(query, token, context));
      // A person reads all of it.
      for (let next = results[0]?.next_page; next !== undefined; next = results.at(-1)?.next_page)
        results.push(await pipeline.nextPage(query, token, next, context));
      return { answer, results };
    });
  let ran = await once();
  if (!call.flag('json')) showAnswer(call, ran.answer);
  const { approval } = ran.answer;
  if (approval !== undefined && !call.flag('json')) {
    // With four eyes, who asks and who approves are two.
    const isHere = process.stdin.isTTY === true && readApprover(home) !== null && !source.mode.fourEyes;
    if (!isHere) showWaiting(call, approval);
    else if (await isApproved(call, approval.id)) ran = await once();
  }
  const { answer, results } = ran;
  if (call.flag('json')) call.io.json({ ...answer, approval_token: null, results });
  else for (const result of results) showResult(call, result);
  if (results.length > 0) return exitCodes.pass;
  return answer.valid && answer.approval !== undefined ? exitCodes.waiting : exitCodes.failed;
}

/** Lets the person at the terminal approve, as `sallyport approve` does. */
async function isApproved(call: Call, id: string): Promise<boolean> {
  const { command } = await import('./commands/approve.ts');
  const value = (name: string) => (name === 'config' ? call.value(name) : undefined);
  return (await command.run({ ...call, words: [id], value }, {})) === exitCodes.pass;
}

function showWaiting(call: Call, { how, url }: NonNullable<QueryAnswer['approval']>): void {
  call.io.print(`${call.io.paint('yellow', 'WAITS')} for approval. Approve it, then ask again:`);
  call.io.print(`  ${how}`);
  if (url !== null) call.io.print(`  ${url}`);
}

function variablesOf(call: Call): JsonObject {
  const given = call.value('variables');
  if (given === undefined) return {};
  const value = parseJson(given);
  if (!isJsonObject(value)) throw new InputError('--variables is an object of JSON, such as {"1": 7}');
  return value;
}

function showAnswer(call: Call, { explanation, risk_level: risk, violations, warnings }: QueryAnswer): void {
  call.io.print(`${visible(explanation, 2000)} Risk: ${risk}.`);
  for (const { rule, message, suggestion } of violations) {
    const more = suggestion === null ? '' : ` ${suggestion}`;
    call.io.print(`${call.io.paint('red', 'BLOCK')} ${rule}: ${visible(`${message}${more}`, 500)}`);
  }
  for (const warning of warnings)
    call.io.warn(`${call.io.paint('yellow', 'note')}: ${visible(warning, 500)}`);
}

/** Rows as JSON, one a line; any other answer as one value. */
function showResult(call: Call, { data, rows, warnings, redactions, next_page: next }: QueryResult): void {
  const lines = Array.isArray(data) ? data : [data];
  call.io.pass('stdout', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  if (next !== undefined) return;
  if (rows !== null) call.io.print(`${rows} ${rows === 1 ? 'row' : 'rows'}`);
  const taken = Object.entries(redactions).map(([kind, count]) => `${count} ${kind}`);
  if (taken.length > 0) call.io.warn(`sallyport: redacted in the result: ${taken.join(', ')}`);
  for (const warning of warnings)
    call.io.warn(`${call.io.paint('yellow', 'note')}: ${visible(warning, 500)}`);
}
