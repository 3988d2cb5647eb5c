// sallyport log: what was decided, newest first; log verify walks the whole chain.

import { decisions, exitCodes, nearest, UsageError, visible } from '../../core/index.ts';
import { eventTypes } from '../../ledger/index.ts';
import { type Call, type Command, onlyWords, wholeNumber } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openHome } from '../open.ts';
import { decisionWord } from '../show.ts';

export const command: Command = {
  usage: ['log [--limit N] [--decision D] [--agent NAME] [--type EVENT] [--before SEQ]', 'log verify'],
  about:
    'Shows the audit log, newest first. verify checks that no entry was changed, dropped, moved or slipped in.',
  options: {
    limit: { value: 'N', help: 'how many entries; default 20' },
    decision: { value: 'D', help: 'only pass, redact, approve or block' },
    agent: { value: 'NAME', help: 'only this agent' },
    type: { value: 'EVENT', help: 'only this type of event' },
    before: { value: 'SEQ', help: 'only entries before this one' },
  },
  async run(call) {
    const { home } = openHome(call);
    if (call.words[0] === 'verify') return await verify(call, home);
    if (call.words.length > 0)
      throw new UsageError(`unknown word "${call.words[0]}"`, "see 'sallyport log --help'");
    const before = wholeNumber(call, 'before', 1, Number.MAX_SAFE_INTEGER);
    const decision = call.value('decision');
    const agent = call.value('agent');
    const eventType = call.value('type');
    checkWord('decision', decision, decisions);
    checkWord('type', eventType, eventTypes);
    const filtered = [before, decision, agent, eventType].some((given) => given !== undefined);
    const entries = await withLedger(home, (ledger) =>
      ledger.audit.list({
        limit: wholeNumber(call, 'limit', 1, 10_000) ?? 20,
        ...(before === undefined ? {} : { before }),
        ...(decision === undefined ? {} : { decision }),
        ...(agent === undefined ? {} : { agent }),
        ...(eventType === undefined ? {} : { eventType }),
      }),
    );
    for (const entry of entries) {
      if (call.flag('json')) {
        call.io.json(entry);
        continue;
      }
      const { seq, time, event_type: type, agent: who, decision_id: id, decision: what, details } = entry;
      const word = what === undefined ? type : decisionWord(call.io, what as 'pass');
      const pad = ' '.repeat(Math.max(0, 18 - (what ?? type).length));
      const kind = typeof details['kind'] === 'string' ? details['kind'] : '';
      call.io.print(
        `${String(seq).padStart(6)}  ${new Date(time).toISOString()}  ${word}${pad}  ${kind.padEnd(8)}  ${visible(who)}  ${id ?? ''}`,
      );
    }
    if (entries.length === 0 && !call.flag('json')) {
      call.io.print(filtered ? 'Nothing matches.' : 'Nothing is recorded yet.');
    }
    return exitCodes.pass;
  },
};

function checkWord(option: string, word: string | undefined, known: readonly string[]): void {
  if (word === undefined || known.includes(word)) return;
  const near = nearest(word, known);
  throw new UsageError(
    `--${option} is one of ${known.join(', ')}${near === undefined ? '' : `; did you mean "${near}"?`}`,
  );
}

async function verify(call: Call, home: string) {
  onlyWords(call, ['verify']);
  const result = await withLedger(home, (ledger) =>
    ledger.audit.verify((entries) => call.io.progress(`${entries} entries …`)),
  );
  call.io.progress('');
  const clean = result.problems.length === 0;
  if (call.flag('json')) {
    call.io.json({ clean, ...result });
  } else {
    for (const { seq, problem } of result.problems) call.io.print(`entry ${seq}: ${problem}`);
    for (const { seq, note } of result.notes) call.io.print(`note, entry ${seq}: ${note}`);
    const count = `${result.entries} ${result.entries === 1 ? 'entry' : 'entries'}`;
    call.io.print(
      clean
        ? `${call.io.paint('green', 'clean')}: ${count}, head ${result.head.slice(0, 16)}`
        : `${call.io.paint('red', 'damaged')}: ${count}, ${result.problems.length} found`,
    );
  }
  return clean ? exitCodes.pass : exitCodes.failed;
}
