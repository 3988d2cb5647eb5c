// What a server of the bench consists of: tools, each with what a model and the registry know of it.

import type { ArgumentRole, JsonObject, JsonValue, ToolEffect } from '../../../core/index.ts';
import { type Infer, readShape, type Shape } from '../../../core/shape.ts';

export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** What an operator says of it in the configuration. */
  readonly effect: ToolEffect;
  /** What its arguments are, by JSON Pointer. */
  readonly roles: Readonly<Record<string, ArgumentRole>>;
  /** What it does to the world in a folder; what it throws is reported to the caller. */
  call(folder: string, args: unknown): JsonValue;
}

interface ToolDescription<S extends Shape<unknown>> {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly effect: ToolEffect;
  readonly roles?: Readonly<Record<string, ArgumentRole>>;
  readonly call: (folder: string, args: Infer<S>) => JsonValue;
}

/** A tool whose arguments are read by their shape before anything else. */
export function tool<S extends Shape<unknown>>({
  input,
  roles = {},
  call,
  ...rest
}: ToolDescription<S>): ServerTool {
  return {
    ...rest,
    roles,
    inputSchema: input.schema(),
    call: (folder, args) => call(folder, readShape(input, args) as Infer<S>),
  };
}
