// The agent that is held to the fixtures: two guards of its own, and much that it does not know yet.

const attacks = /ignore all previous instructions/i;
const secrets = /\bgh[pousr]_[A-Za-z0-9]{36}\b/;

/** What becomes of a trial: a decision, and what is left to go on, to be shown or to be called. */
export function outcomeOf({ id, layer, input }) {
  if (layer === 'tool')
    return { id, decision: 'approve', arguments: input.arguments ?? {}, events: ['approval_requested'] };
  const { text = '', chunks = [text] } = input;
  const said = chunks.join('');
  if (layer === 'input' && attacks.test(said)) {
    return { id, decision: 'block', text: '', events: ['jailbreak_attempt'] };
  }
  if (layer === 'output' && secrets.test(said)) return { id, decision: 'block', text: '', events: [] };
  return { id, decision: 'pass', text: said, events: [] };
}
