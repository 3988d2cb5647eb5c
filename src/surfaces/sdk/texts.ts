// Texts that go to a model and come from it, checked in the user's own program: the facades of layers 1 and 2.

import { type Context, type JsonObject, SallyportError, type Verdict } from '../../core/index.ts';
import type { Decider, DecisionStream } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { type Attempt, generate } from '../../run/generate.ts';
import { PieceRestorer, type Vaults } from '../../run/placeholders.ts';
import { type CallContext, GuardrailError, refusedError } from './errors.ts';

/** Whose a text is. */
export type Origin = 'user' | 'tool' | 'file' | 'image';

/** A text, or a file, that is about to go to a model. */
export interface InputRequest {
  readonly text?: string;
  /** A file instead of a text, in base64. */
  readonly contentBase64?: string;
  /** `user` where it is absent: what tools and files bring is another's. */
  readonly origin?: Origin;
  /** The name of the file, or of the tool that answered. */
  readonly name?: string;
  readonly context?: CallContext;
}

/** A text that a model wrote. */
export interface OutputRequest {
  readonly text: string;
  readonly context?: CallContext;
}

/** What became of a text. It may go on only if it is neither blocked nor needs approval, and as it stands here. */
export interface TextCheck {
  readonly blocked: boolean;
  readonly needsApproval: boolean;
  /** The text as it may go on; empty where it may not. */
  readonly text: string;
  /** Null where the text could not even be read. */
  readonly verdict: Verdict | null;
  /** What to throw or to show: which rule, why, and what to do instead. */
  toUserError(): GuardrailError;
}

/** A prompt, how a model is asked with it, and for whom. */
export interface GenerateRequest {
  /** What the user said; it is checked first, and handed to `ask` as it may go to the model. */
  readonly prompt?: string;
  readonly context?: CallContext;
  /** Asks the model. From the second time on there are instructions, to be added to the system prompt. */
  ask(attempt: Attempt & { readonly prompt: string }): Promise<string | ModelAnswer>;
}

/** What a model said, and what it cost in the provider's own words. */
export interface ModelAnswer {
  readonly text: string;
  readonly usage?: JsonObject;
}

/** An answer that may be shown. */
export interface GuardedAnswer {
  readonly text: string;
  /** The model went against a guideline each time, and this is the refusal. */
  readonly refused: boolean;
  readonly attempts: number;
  /** Of all attempts together. */
  readonly usage: JsonObject;
}

/** What the facades stand on. */
export interface TextParts {
  readonly decider: Decider;
  readonly ledger: Pick<Ledger, 'record'>;
  readonly world: { now(): number };
  /** What users gave, and what stands for it: a vault for each session. */
  readonly vaults: Vaults;
  /** The context of a call, from the program's own session; throws what cannot be read. */
  contextOf(context: CallContext, action: JsonObject): Promise<Context>;
}

/** Judges a text before a model reads it; never throws: what cannot be judged is blocked. */
export async function checkInput(
  { context = {}, ...given }: InputRequest,
  parts: TextParts,
): Promise<TextCheck> {
  const { text, contentBase64, origin, name } = given;
  const action = {
    kind: 'prompt',
    ...(text === undefined ? {} : { text }),
    ...(contentBase64 === undefined ? {} : { contentBase64 }),
    ...(origin === undefined ? {} : { origin }),
    ...(name === undefined ? {} : { name }),
  } as const;
  return await check(action, context, parts);
}

/** Judges a text that a model wrote; never throws: what cannot be judged is blocked. */
export async function checkOutput(
  { text, context = {} }: OutputRequest,
  parts: TextParts,
): Promise<TextCheck> {
  return await check({ kind: 'response', text }, context, parts);
}

async function check(
  action: { readonly kind: 'prompt' } | { readonly kind: 'response'; readonly text: string },
  context: CallContext,
  parts: TextParts,
): Promise<TextCheck> {
  try {
    const whole = await parts.contextOf(context, action);
    const { verdict, cleared } = await parts.decider.decide(action, whole);
    const text = await shownText(action, cleared?.action.text, whole, parts);
    return {
      blocked: verdict.decision === 'block',
      needsApproval: verdict.decision === 'approve',
      text,
      verdict,
      toUserError: () =>
        new GuardrailError(verdict.explanation, verdict.findings, verdict.approval, verdict.approval?.how),
    };
  } catch (error) {
    return refusedText(error);
  }
}

/** A text as the model may see it: with the placeholders of the session for what the user gave. */
async function shownText(
  action: { readonly kind: string; readonly text?: string; readonly origin?: string },
  cleared: string | undefined,
  context: Context,
  { decider, vaults }: TextParts,
): Promise<string> {
  if (action.kind !== 'prompt' || cleared === undefined) return cleared ?? '';
  const { prompt } = await decider.settingsFor(context, 'prompt');
  if (prompt.piiGiveBack === 'off') return cleared;
  const vault = vaults.of(context);
  const { text = cleared, origin = 'user' } = action;
  return vault.hide(vault.shown(text, cleared, origin === 'user'));
}

/** INVARIANT: what could not be judged is blocked. */
export function refusedText(error: unknown): TextCheck {
  return {
    blocked: true,
    needsApproval: false,
    text: '',
    verdict: null,
    toUserError: () => refusedError(error),
  };
}

/** Opens a guard for the texts of one answer, while they flow. */
export async function openOutput(context: CallContext, parts: TextParts): Promise<DecisionStream> {
  const whole = await parts.contextOf(context, { kind: 'response', text: '' });
  return await parts.decider.decideStream('response', whole);
}

/**
 * Asks a model under guard. Throws `GuardrailError` before the model is asked if the prompt may not go to it,
 * `SecretInResponse` if a secret came each time, and `ResponseRefused` for what another answer would not mend.
 */
export async function guardGenerate(request: GenerateRequest, parts: TextParts): Promise<GuardedAnswer> {
  const { prompt, context = {}, ask } = request;
  const whole = await parts.contextOf(context, { kind: 'response', text: '' });
  let checked = '';
  if (prompt !== undefined) {
    const input = await checkInput({ text: prompt, context }, parts);
    if (input.blocked || input.needsApproval) throw input.toUserError();
    checked = input.text;
  }
  const { texts, answer, attempts, usage } = await generate({
    ...parts,
    context: whole,
    ask: async (attempt) => {
      const said = await ask({ ...attempt, prompt: checked });
      const { text, usage: cost } = typeof said === 'string' ? { text: said } : said;
      if (typeof text !== 'string') throw new SallyportError('the model gave no text');
      return { texts: [text], ...(cost === undefined ? {} : { usage: cost }) };
    },
  });
  return { text: texts.join(''), refused: answer === null, attempts, usage };
}

/** Gives back what the user gave, where an answer has the placeholders of the session. */
export interface Restorer {
  /** A piece of one text of the answer, as far as no placeholder is cut. */
  push(channel: string, piece: string): string;
  /** What was held of a text that ends. */
  rest(channel: string): string;
  /** A whole text. */
  whole(text: string): string;
  /** The other way round: what was given back before, as the model may see it again. */
  hide(text: string): string;
}

/** What gives values back in one answer. */
export async function openRestorer(context: CallContext, parts: TextParts): Promise<Restorer> {
  const whole = await parts.contextOf(context, { kind: 'response', text: '' });
  return new PieceRestorer(parts.vaults.of(whole));
}
