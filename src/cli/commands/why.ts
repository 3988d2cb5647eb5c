// sallyport why: one decision with everything that is recorded of it.

import { exitCodes, isJsonObject, SallyportError, visible } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { decisionWord } from '../show.ts';

/** No decision has this id. */
export class UnknownDecision extends SallyportError {}

export const command: Command = {
  usage: ['why DECISION_ID'],
  about: 'Explains one decision: what was found, by which rule, and what happened to it since.',
  options: {},
  async run(call) {
    const [id] = onlyWords(call, ['DECISION_ID']);
    const entries = await withLedger(
      call,
      (ledger) => ledger.audit.list({ decisionId: id, limit: 100 }),
      'show',
    );
    if (entries.length === 0) {
      throw new UnknownDecision(`there is no decision ${visible(id, 60)}`, { hint: "see 'sallyport log'" });
    }
    const ordered = [...entries].reverse();
    if (call.flag('json')) {
      call.io.json(ordered);
      return exitCodes.pass;
    }
    for (const { seq, time, event_type: type, decision, user, tenant, agent, details } of ordered) {
      const word = decision === undefined ? '' : ` ${decisionWord(call.io, decision as 'pass')}`;
      call.io.print(`${new Date(time).toISOString()}  ${type}${word}  (entry ${seq})`);
      call.io.print(`  who        ${visible(user)} of ${visible(tenant)}, agent ${visible(agent)}`);
      const { findings, ...rest } = details;
      for (const finding of Array.isArray(findings) ? findings : []) {
        if (!isJsonObject(finding)) continue;
        const { guard, rule, message, suggestion } = finding;
        call.io.print(`  ${finding['decision']} ${guard}/${rule}: ${visible(String(message))}`);
        if (suggestion !== undefined) call.io.print(`    instead: ${visible(String(suggestion))}`);
      }
      for (const [key, value] of Object.entries(rest)) {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        call.io.print(`  ${key.padEnd(10)} ${visible(text, 1000)}`);
      }
    }
    return exitCodes.pass;
  },
};
