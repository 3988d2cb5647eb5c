// What a screen shows: records hold no secrets, and what waits for approval may; a screen is one more place that must
// show none, whatever is behind it.

import type { Config } from '../../config/index.ts';
import { boundText, type Finding, isJsonObject, type JsonObject, type World } from '../../core/index.ts';
import type { TextEgress } from '../../decide/egress.ts';
import { createEgress, egressRules } from '../../guards/egress/index.ts';
import { digestOf, type Entry, type Question, questionText } from '../../ledger/index.ts';

export interface ScreenOptions {
  readonly config: Pick<Config, 'settingsFor'>;
  readonly world: Pick<World, 'readText' | 'isolation'>;
}

export class Screen {
  readonly #options: ScreenOptions;
  readonly #rules = egressRules();

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** A text of the configuration: of secrets nothing is shown, of paths all. */
  text(text: string): string {
    const { value } = createEgress({ workspace: '/', ruleset: this.#rules }).value({ text });
    return String(value['text']);
  }

  /** An entry of the log. Of paths it shows those of its own workspace. */
  entry(entry: Entry): Entry {
    const { user, agent, details } = entry;
    const { workspace } = details;
    const place = typeof workspace === 'string' ? workspace : '';
    const { value } = createEgress({ workspace: place, ruleset: this.#rules }).value({
      user,
      agent,
      details,
    });
    return {
      ...entry,
      user: String(value['user']),
      agent: String(value['agent']),
      details: isJsonObject(value['details']) ? value['details'] : {},
    };
  }

  /**
   * A question without secrets, the user's own kinds of them included, but with every path: where something would
   * happen is what a person decides by. Null where the user's kinds are not known now.
   */
  async question({ action, context, findings }: Question): Promise<Question | null> {
    const egress = await this.#secretsFor(context);
    if (egress === null) return null;
    const { value, redactions } = await egress.value({
      action: action as unknown as JsonObject,
      findings: spanless(findings),
    });
    if (Object.keys(redactions).length === 0) return { action, context, findings };
    // Places in a text that is not shown as it is would point to something else.
    return { context, ...(value as unknown as Pick<Question, 'action' | 'findings'>) };
  }

  /** A question as it is shown, and the text from which a client shows it and whose digest its signature covers. */
  async asked(
    id: string,
    question: Question | null,
  ): Promise<{ readonly seen: Question | null; readonly text: string | null }> {
    const seen = question === null ? null : await this.question(question);
    if (question === null || seen === null) return { seen: null, text: null };
    return { seen, text: questionText(id, seen, digestOf(boundText(question))) };
  }

  async #secretsFor(context: Question['context']): Promise<TextEgress | null> {
    const { config, world } = this.#options;
    const { egressIn } = await import('../../decide/egress.ts');
    try {
      return await egressIn(await config.settingsFor(context), world, { workspace: '', part: 'secrets' });
    } catch {
      return null;
    }
  }
}

function spanless(findings: readonly Finding[]): JsonObject[] {
  return findings.map(({ span: _, ...finding }) => ({ ...finding }));
}
