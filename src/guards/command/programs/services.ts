// Services, and signals: what programs that run and stop them have in common.

import type { Effect, Value } from '../effects.ts';
import { beginningOf, type Call, effect, nameTarget } from '../tools/tool.ts';

const signalNumbers =
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT STOP CONT STOP';

/** The name of a signal as the effect shows it: KILL, TERM, 0, … */
export function signalName(text: string): string {
  const name = text.toUpperCase().replace(/^SIG/, '');
  return (/^\d+$/.test(name) ? signalNumbers.split(' ')[Number(name) - 1] : undefined) ?? name;
}

export const isGuardProcess = (value: Value): boolean => /sallyport/i.test(beginningOf(value));

/** A signal to a process, or to what a name stands for. */
export function signalEffects(
  call: Call,
  who: Value,
  detail: string,
  more: { readonly recursive?: boolean } = {},
): readonly Effect[] {
  const target = nameTarget(who);
  return [
    effect(call, 'signal', { target, detail, force: detail === 'KILL', ...more }),
    ...(detail !== '0' && isGuardProcess(who) ? [effect(call, 'tamper', { target, detail: 'signal' })] : []),
  ];
}
