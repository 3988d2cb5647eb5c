// A model that says what a file tells it to, turn by turn: for tests, demos and benches, without a network.

import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { InputError, messageOf, parseJson, visible, type World } from '../core/index.ts';
import { type Infer, integer, json, list, object, optional, readShape, record, text } from '../core/shape.ts';
import { type Model, ModelFailed, type Turn } from './model.ts';

const turnShape = object({
  text: optional(text()),
  reasoning: optional(text()),
  calls: optional(list(object({ tool: text({ min: 1, max: 256 }), arguments: optional(record(json())) }))),
  usage: optional(object({ input_tokens: integer(0, 1e12), output_tokens: integer(0, 1e12) })),
  /** How long the model thinks. */
  pause_ms: optional(integer(0, 600_000)),
});

type ScriptedTurn = Infer<typeof turnShape>;

/** What a script says, turn by turn. */
export const turnsShape = list(turnShape);

/** Reads a script: a JSON list of turns, or one turn in each line. Throws `InputError` with the place. */
export function readScript(source: string): readonly ScriptedTurn[] {
  const turns = source.trimStart().startsWith('[')
    ? parseJson(source)
    : source.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parsedLine(line, index)]));
  return readShape(turnsShape, turns);
}

function parsedLine(line: string, index: number) {
  try {
    return parseJson(line);
  } catch (error) {
    throw new InputError(`line ${index + 1}: ${messageOf(error)}`, { cause: error });
  }
}

/** The model of a file; throws `InputError` where it cannot be read. */
export function openScript(file: string, world: Pick<World, 'readText'>): Model {
  const source = world.readText(file);
  if (source === null) throw new InputError(`there is no script ${visible(file, 200)}`);
  return scriptedModel(readScript(source), `script:${basename(file)}`);
}

/** A model that says these turns, one each time that it is asked. */
export function scriptedModel(turns: readonly ScriptedTurn[], name = 'script'): Model {
  let next = 0;
  return {
    name,
    async turn({ signal }): Promise<Turn> {
      const number = next++;
      const turn = turns[number];
      if (turn === undefined) throw new ModelFailed(`the script has no turn ${number + 1}`);
      signal.throwIfAborted();
      if (turn.pause_ms !== undefined) await pause(turn.pause_ms, undefined, { signal });
      const { text: said = '', reasoning = '', calls = [], usage } = turn;
      return {
        text: said,
        reasoning,
        calls: calls.map(({ tool, arguments: given = {} }, index) => ({
          id: `call_${number + 1}_${index + 1}`,
          tool,
          arguments: given,
        })),
        usage: { inputTokens: usage?.input_tokens ?? 0, outputTokens: usage?.output_tokens ?? 0 },
      };
    },
    close: async () => {},
  };
}
