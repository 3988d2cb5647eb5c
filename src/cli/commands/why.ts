// sallyport why: one decision with everything that is recorded of it.

import { exitCodes, isJsonObject, visible } from '../../core/index.ts';
import { plainSentence } from '../../guards/command/error.ts';
import { type Ledger, UnknownApproval } from '../../ledger/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { localTime } from '../entries.ts';
import { withLedger } from '../ledger.ts';
import { decisionWord } from '../show.ts';

export const command: Command = {
  usage: ['why ID'],
  about:
    'Explains one decision: findings, rules, and what happened since. ID is the id of the decision, a unique prefix of it, or the\n' +
    'id of its approval.',
  examples: ['why 01a1e98d'],
  options: {},
  async run(call) {
    const [id] = onlyWords(call, ['ID']);
    const entries = await withLedger(
      call,
      async (ledger) => {
        const decisionId = await decisionOf(ledger, id);
        return await ledger.audit.list({ decisionId, limit: 100 });
      },
      'show',
    );
    const ordered = [...entries].reverse();
    if (call.flag('json')) {
      call.io.json(ordered);
      return exitCodes.pass;
    }
    for (const { seq, time, event_type: type, decision, user, tenant, agent, details } of ordered) {
      const word = decision === undefined ? '' : ` ${decisionWord(call.io, decision as 'pass')}`;
      call.io.print(`${localTime(time)}  ${type.replaceAll('_', ' ')}${word}  (entry ${seq})`);
      call.io.print(`  who        ${visible(user)} of ${visible(tenant)}, agent ${visible(agent)}`);
      const { findings, ...rest } = details;
      for (const finding of Array.isArray(findings) ? findings : []) {
        if (!isJsonObject(finding)) continue;
        const { guard, rule, message, suggestion } = finding;
        call.io.print(
          `  ${finding['decision']} ${guard}/${rule}: ${visible(plainSentence(String(message)))}`,
        );
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

async function decisionOf(ledger: Ledger, id: string): Promise<string> {
  try {
    return (await ledger.approvals.show(id, {}, Date.now())).decisionId;
  } catch (error) {
    if (error instanceof UnknownApproval) return await ledger.audit.decisionId(id);
    throw error;
  }
}
