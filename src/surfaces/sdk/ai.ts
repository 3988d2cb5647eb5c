// For the AI SDK 7: the guard of a model, tools that run only what passed, and the approval function that says so before.

import { asSchema, type ToolApprovalStatus, type ToolSet } from 'ai';
import { canonicalJson, type JsonObject, type MaybePromise } from '../../core/index.ts';
import type { CallContext, Sallyport, ToolDefinition, Validation } from './index.ts';

export { type MiddlewareOptions, sallyportMiddleware } from './middleware.ts';

/** Who guards a set of tools, for whom, and what each of them does. */
export interface GuardOptions<TOOLS extends ToolSet> {
  readonly guard: Sallyport;
  readonly context: CallContext | (() => MaybePromise<CallContext>);
  /** What each tool does. One that is not named here is taken for destructive, and asks each time. */
  readonly effects?: {
    readonly [NAME in keyof TOOLS]?: Partial<Omit<ToolDefinition, 'name' | 'schema'>> &
      Pick<ToolDefinition, 'effect'>;
  };
}

/** Tools that run only what passed, and the function that says so before. */
export interface GuardedTools<TOOLS extends ToolSet> {
  readonly tools: TOOLS;
  readonly toolApproval: (options: {
    readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  }) => Promise<ToolApprovalStatus>;
}

/** Most calls that may stand between their approval and their execution. */
const mostPassed = 1000;

/**
 * Guards a set of tools. Each alone is enough to keep a call from running; together they also tell the model why.
 * Tools that a provider runs on its own side pass neither.
 *
 * @example const guarded = await guardTools(tools, { guard, context: { userId } });
 *          await generateText({ model, prompt, ...guarded });
 */
export async function guardTools<TOOLS extends ToolSet>(
  tools: TOOLS,
  { guard, context, effects = {} }: GuardOptions<TOOLS>,
): Promise<GuardedTools<TOOLS>> {
  const definitions = await Promise.all(
    Object.entries(tools).map(async ([name, tool]): Promise<ToolDefinition> => {
      const { description } = tool;
      return {
        effect: 'destructive',
        ...(typeof description === 'string' ? { description } : {}),
        ...(effects as Readonly<Record<string, Partial<ToolDefinition>>>)[name],
        name,
        schema: (await asSchema(tool.inputSchema).jsonSchema) as JsonObject,
      };
    }),
  );
  const judge = guard.withTools(definitions);
  /** Calls that passed and have not run: a yes is good for one of the two questions only. */
  const passed = new Map<string, { readonly call: string; readonly validation: Validation }>();

  async function validate(toolName: string, input: unknown): Promise<Validation> {
    const who = typeof context === 'function' ? await context() : context;
    return await judge.tool.validate({ toolCall: { toolName, input }, context: who });
  }

  const toolApproval: GuardedTools<TOOLS>['toolApproval'] = async ({ toolCall }) => {
    const { toolName, toolCallId, input } = toolCall;
    const validation = await validate(toolName, input);
    if (!mayRun(validation)) return { type: 'denied', reason: validation.toUserError().message };
    if (passed.size >= mostPassed) passed.clear();
    passed.set(toolCallId, { call: canonicalJson([toolName, input]), validation });
    return undefined;
  };

  /** The validation of a call that is about to run: the one that it passed, if it is still the same call. */
  async function validationFor(name: string, toolCallId: string, input: unknown): Promise<Validation> {
    const before = passed.get(toolCallId);
    passed.delete(toolCallId);
    return before?.call === canonicalJson([name, input]) ? before.validation : await validate(name, input);
  }

  const guarded = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const { execute } = tool;
      if (execute === undefined) return [name, tool];
      const allowed = async (input: unknown, toolCallId: string): Promise<JsonObject> => {
        const validation = await validationFor(name, toolCallId, input);
        if (!mayRun(validation)) throw validation.toUserError();
        return validation.arguments;
      };
      const run: typeof execute = streams(execute)
        ? async function* (input, options) {
            yield* await execute(await allowed(input, options.toolCallId), options);
          }
        : async (input, options) => await execute(await allowed(input, options.toolCallId), options);
      return [name, { ...tool, execute: run }];
    }),
  );
  return { tools: guarded as TOOLS, toolApproval };
}

/** Whether a tool gives its result piece by piece; the SDK looks at what `execute` gives at once. */
function streams(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
}

function mayRun({ blocked, needsApproval }: Validation): boolean {
  return !blocked && !needsApproval;
}
