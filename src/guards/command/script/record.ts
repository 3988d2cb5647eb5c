// Collects what a script does: effects, invocations and what could not be followed, each once.

import { classify } from '../../../detect/path.ts';
import { Once } from '../bash/shell/analysis.ts';
import type {
  AnalysisEnvironment,
  Effect,
  EffectKind,
  Facts,
  Invocation,
  Origin,
  Target,
} from '../effects.ts';
import type { Span } from './program.ts';
import { asValue, type Thing, textsOf } from './things.ts';

/** What an effect has beside its kind and target. */
export interface Detail {
  readonly program: string;
  readonly span: Span;
  readonly detail?: string | undefined;
  readonly recursive?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly reversible?: boolean | undefined;
  readonly origins?: readonly Origin[] | undefined;
  readonly addresses?: readonly string[] | undefined;
  readonly through?: readonly string[] | undefined;
}

/** More than this is noted as an unknown: nobody reads on. */
const mostEffects = 1000;

export class Record {
  around: AnalysisEnvironment;
  /** The folder was changed to one that is not known. */
  lost = false;
  /** The folder was changed, so relative paths are written in full. */
  moved = false;
  #held: Span | null = null;
  readonly #effects: Effect[] = [];
  readonly #invocations: Invocation[] = [];
  readonly #once = new Once();
  readonly #unknowns = new Map<string, Facts['unknowns'][number]>();
  readonly #errors = new Set<string>();
  readonly #secrets = new Map<string, boolean>();

  constructor(around: AnalysisEnvironment) {
    this.around = around;
  }

  facts(): Facts {
    return {
      effects: this.#effects,
      invocations: this.#invocations,
      unknowns: [...this.#unknowns.values()],
      errors: [...this.#errors],
    };
  }

  /** Whether a file was written before, by the code itself. */
  wrote(path: Thing): boolean {
    const target = JSON.stringify(this.path(path));
    return this.#effects.some(
      (effect) =>
        effect.kind === 'write' && effect.detail !== 'download' && JSON.stringify(effect.target) === target,
    );
  }

  /** Whether a secret is shown already. */
  get showsSecret(): boolean {
    return this.#effects.some(({ kind }) => kind === 'secret');
  }

  /** Until the answer is called everything stands at this place: inner code has no place of its own. */
  hold(span: Span): () => void {
    const outer = this.#held;
    this.#held = outer ?? span;
    return () => {
      this.#held = outer;
    };
  }

  effect(kind: EffectKind, target: Target, detail: Detail): void {
    const program = spoken(detail.program);
    const at = this.#held ?? detail.span;
    const rest = defined(detail);
    if (!this.#once.isNew(`${kind} ${program} ${at[0]} ${at[1]}`, [target, rest])) return;
    if (this.#effects.length >= mostEffects) this.unknown('more effects than are listed', at);
    else this.#effects.push({ ...rest, kind, target, program, through: detail.through ?? [], span: at });
  }

  /** Whether a call does this for the first time: loops and calls come by the same place again and again. */
  first(call: string, span: Span, ...parts: readonly unknown[]): boolean {
    return this.#once.isNew(`${call} ${span[0]} ${span[1]}`, [parts, this.around.cwd, this.#held]);
  }

  /** Whether the name of a path says that it holds secrets. */
  isSecret(path: string): boolean {
    const { cwd, home } = this.around;
    const key = `${cwd} ${path}`;
    const known = this.#secrets.get(key);
    if (known !== undefined) return known;
    const secret = classify(path, { cwd, home }).secret !== null;
    this.#secrets.set(key, secret);
    return secret;
  }

  invocation(invocation: Invocation): void {
    const span = this.#held ?? invocation.span;
    const held = { ...invocation, span };
    if (this.#invocations.length < mostEffects && this.#once.isNew(`invocation ${span[0]} ${span[1]}`, held))
      this.#invocations.push(held);
  }

  unknown(what: string, span: Span): void {
    const at = this.#held ?? span;
    if (this.#unknowns.size < 100) this.#unknowns.set(`${what} ${at[0]}`, { what, span: at });
  }

  error(error: string): void {
    if (this.#errors.size < 20) this.#errors.add(error);
  }

  /** Later paths and commands start from this folder. */
  move(path: Thing | undefined): void {
    const [only, ...others] = this.full(path);
    if (
      only === undefined ||
      others.length > 0 ||
      !only.startsWith('/') ||
      asValue([only]).kind !== 'literal'
    ) {
      this.lost = true;
      return;
    }
    this.lost = false;
    this.moved = true;
    this.around = { ...this.around, cwd: only };
  }

  /** The alternatives of a path, from the folder of the command. */
  full(path: Thing | undefined): readonly string[] {
    return textsOf(path).map((alternative) => {
      if (/^[/~\uE000]/.test(alternative)) return alternative;
      if (this.lost) return '\uE000';
      return this.moved ? `${this.around.cwd.replace(/\/$/, '')}/${alternative}` : alternative;
    });
  }

  path(path: Thing | undefined): Target {
    const many = path?.kind === 'text' && path.many;
    return { kind: 'path', path: asValue(this.full(path)), ...(many ? { glob: true } : {}) };
  }
}

/** The name of a function as a person would write it. */
export function spoken(name: string): string {
  if (name.startsWith('builtins.')) return name.slice('builtins.'.length);
  if (!name.startsWith('<')) return name;
  return name.replace(/^<(?:any|unknown)>\./, '').replace(/^<(\w+)>\./, '$1.');
}

type Rest = Omit<Detail, 'program' | 'span' | 'through'>;

function defined({ detail, recursive, force, reversible, origins, addresses }: Rest): Partial<Effect> {
  return {
    ...(detail === undefined ? {} : { detail }),
    ...(recursive === undefined ? {} : { recursive }),
    ...(force === undefined ? {} : { force }),
    ...(reversible === undefined ? {} : { reversible }),
    ...(origins === undefined || origins.length === 0 ? {} : { origins }),
    ...(addresses === undefined ? {} : { addresses }),
  };
}
