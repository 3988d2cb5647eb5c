// Walks a script as a shell would, without running anything: what it starts, what flows where, and what cannot be known.

import {
  type AndOr,
  type Assignment,
  type Command,
  type CommandNode,
  type CompoundList,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type Statement,
  type TestExpression,
  type Word,
} from 'unbash';
import type { Effect, Facts, Origin, Surroundings, Target, Value } from '../effects.ts';
import { refuseSource } from './bounds.ts';
import { runBuiltin } from './builtins.ts';
import { outputOf } from './decode.ts';
import {
  arrayOf,
  type Descriptor,
  Environment,
  Input,
  keptItems,
  maxVariableLength,
  surroundingOrigins,
} from './environment.ts';
import { innersOf, innersOfCode } from './executors/index.ts';
import type { Inner, Language } from './executors/inner.ts';
import {
  evaluateArithmetic,
  expandAgain,
  expandHereDoc,
  expandPattern,
  expandText,
  expandWord,
  expandWords,
  inText,
  numberOf,
} from './expand.ts';
import type { Expander, Field } from './fields.ts';
import { FactsFound, type Span, TooManySteps } from './findings.ts';
import { foundBy, pathsListedBy } from './listing.ts';
import { resolvePath } from './paths.ts';
import {
  baseName,
  builtins,
  codeVariables,
  commandVariables,
  loadedBy,
  loaderVariables,
  looksLikeCommand,
  looksLikeScript,
  printsSettings,
  printsState,
  programsMatching,
} from './programs.ts';
import { splitQuoted } from './snippets.ts';
import { linksMadeBy, namesMadeBy, tracesOf } from './traces.ts';
import {
  concat,
  concatAll,
  either,
  emptyText,
  hole,
  isHoleOnly,
  knownText,
  mapWithHoles,
  mergeOrigins,
  oneOf,
  onlyText,
  singleText,
  type Text,
  toValue,
  unknownText,
  withOrigins,
} from './values.ts';

/** What each known program does; null where the program is not known. */
export type EffectsOf = (
  program: string,
  args: readonly Value[],
  io: { readonly stdin: Value; readonly stdinOrigins: readonly Origin[]; readonly stdinFed: boolean },
  at: {
    readonly span: readonly [number, number];
    readonly through: readonly string[];
    readonly cwd: string;
    readonly home: string | null;
  },
) => readonly Effect[] | null;

/** Code in each language, as facts; null where the language's parser is not loaded. */
export interface Languages {
  readonly shell: (text: string, surroundings: Surroundings) => Facts;
  readonly python: (text: string, surroundings: Surroundings) => Facts | null;
  readonly javascript: (text: string, surroundings: Surroundings) => Facts | null;
}

/** Deepest nesting of executors. */
const maxNesting = 16;
/** Deepest nesting of functions and compound commands. */
const maxWalkDepth = 200;
/** Most steps of one analysis, so that its time is bounded whatever the budget of the caller. */
const maxSteps = 6000;
/** Most arguments that the table of tools gets; what is behind them is one that is not known. */
const maxArguments = 512;
/** Where the walk stands. */
interface Frame {
  readonly environment: Environment;
  /** The text that positions are in. */
  readonly source: string;
  /** The segment of the action's own source, where this is code inside it. */
  readonly span: Span | null;
  readonly through: readonly string[];
  readonly nesting: number;
  readonly depth: number;
  readonly loops: number;
  readonly input: Input;
  /** Where the code came from. */
  readonly origins: readonly Origin[];
  /** In a pipeline or in the background. */
  readonly forked: boolean;
  readonly aliases: readonly string[];
  /** Files of code that are being run: a shell reads on while it runs, so what is added to one runs too. */
  readonly running: readonly string[];
}

interface File {
  readonly text: Text;
  /** A substitution of the shell rather than a file. */
  readonly substitution: boolean;
}

interface Sink {
  readonly script: ParsedScript;
  readonly frame: Frame;
  fed: boolean;
}

/** How a command's redirections change what it reads and where it writes. */
interface Wiring {
  readonly input: Input;
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  readonly appends: boolean;
}

const none: readonly never[] = [];
const unwired: Wiring['descriptors'] = new Map();

const declarations: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly']);
/** Programs whose output says next to nothing of what they read. */
const reducing: ReadonlySet<string> = new Set(
  'wc test [ true false : rm mkdir touch chmod chown cmp diff md5sum sha1sum sha256sum sha512sum sum cksum sleep kill wait ls stat file du df'.split(
    ' ',
  ),
);

/** Builtins that print what nobody has seen: what was typed before, names, and the state of the shell. */
const telling: ReadonlySet<string> = new Set('history fc compgen help type dirs caller'.split(' '));

/** One analysis of a script and of all code inside it. */
export class Evaluation {
  readonly #surroundings: Surroundings;
  readonly #languages: Languages;
  readonly #effectsOf: EffectsOf;
  readonly #found: FactsFound;
  readonly #files = new Map<string, File>();
  readonly #sinks = new Map<string, Sink>();
  /** Paths at which the script put programs, and the programs. */
  readonly #names = new Map<string, string>();
  /** Links that this script made, by where they lead. */
  readonly #links = new Map<string, string>();
  readonly #running: string[] = [];
  readonly #traps: { text: Text; frame: Frame; span: Span }[] = [];
  #branches = 0;
  #steps = 0;
  #counter = 0;
  readonly #spendSteps = (steps: number): void => this.#spend(steps);

  constructor(surroundings: Surroundings, languages: Languages, effectsOf: EffectsOf) {
    this.#surroundings = surroundings;
    this.#found = new FactsFound(surroundings.cwd);
    this.#languages = languages;
    this.#effectsOf = effectsOf;
  }

  get facts(): Facts {
    return this.#found.facts;
  }

  /** Walks the action's own source. */
  walk(source: string): void {
    const { cwd, home } = this.#surroundings;
    const frame: Frame = {
      environment: new Environment({ cwd, home }),
      source,
      span: null,
      through: [],
      nesting: 0,
      depth: 0,
      loops: 0,
      input: new Input(unknownText(), false),
      origins: [],
      forked: false,
      aliases: [],
      running: [],
    };
    this.#walkSource(source, frame, [0, source.length]);
    // Traps run late, with the variables as the script left them.
    for (let index = 0; index < this.#traps.length; index++) {
      const trap = this.#traps[index];
      if (trap !== undefined) this.#walkText(trap.text, trap.frame, trap.span);
    }
  }

  /** Notes something that could not be followed. */
  noteUnknown(what: string, span: Span): void {
    this.#found.noteUnknown(what, span);
  }

  #spend(steps: number): void {
    this.#steps += steps;
    this.#surroundings.spend(steps);
    if (this.#steps > maxSteps) throw new TooManySteps('the command has too many parts to be followed');
  }

  #emit(effect: Effect, frame: Frame, given: readonly Origin[] = []): void {
    this.#found.addEffect(effect, frame.environment.cwd, given);
  }

  #invoke(
    program: string | null,
    given: string,
    args: readonly Value[],
    frame: Frame,
    span: Span,
    builtin: boolean,
  ): void {
    const { through } = frame;
    this.#found.addInvocation({
      program,
      given: toValue(knownText(given)),
      args,
      through,
      span,
      builtin,
    });
  }

  #runEffect(program: string, target: Target, origins: readonly Origin[], frame: Frame, span: Span): void {
    this.#emit({ kind: 'run', target, origins, program, through: frame.through, span }, frame);
  }

  // Scripts

  #walkSource(source: string, frame: Frame, span: Span): Text {
    const refused = refuseSource(source);
    if (refused !== null) {
      this.noteUnknown(refused, span);
      return unknownText(frame.origins);
    }
    this.#spend(6 + Math.ceil(source.length / 256));
    if (source.endsWith(hole) && source.length >= maxVariableLength)
      this.noteUnknown('the command is too long to be followed', span);
    const script = this.#parse(source, span);
    if (script === null) return unknownText(frame.origins);
    for (const { message } of script.errors ?? []) this.#found.addError(message);
    return this.#walkStatements(script.commands, frame);
  }

  #parse(source: string, span: Span): ParsedScript | null {
    try {
      return parse(source);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.noteUnknown('the command is nested too deeply to be followed', span);
      return null;
    }
  }

  /** Code of the shell that stands in a text. */
  #walkText(text: Text, frame: Frame, span: Span): Text {
    if (frame.nesting >= maxNesting) {
      this.noteUnknown('too many commands inside one another', span);
      return unknownText();
    }
    if (text.alternatives.some(hasUnknownCode)) this.noteUnknown('a part of the code that it runs', span);
    const several = text.alternatives.length > 1;
    const outputs = text.alternatives.map((source) => {
      const environment = several ? frame.environment.child() : frame.environment;
      const inner: Frame = {
        ...frame,
        environment,
        source,
        span,
        nesting: frame.nesting + 1,
        origins: mergeOrigins(frame.origins, text.origins),
      };
      return { environment, output: this.#walkSource(source, inner, span) };
    });
    if (several)
      frame.environment.joinBranches(
        outputs.map(({ environment }) => environment),
        false,
      );
    return outputs.map(({ output }) => output).reduce(either);
  }

  #walkStatements(statements: readonly Statement[], frame: Frame): Text {
    let output = emptyText;
    for (const { command, background } of statements) {
      const inner =
        background === true ? { ...frame, environment: frame.environment.child(), forked: true } : frame;
      output = concat(output, this.#walkNode(command, inner));
    }
    return output;
  }

  #walkList(list: CompoundList, frame: Frame): Text {
    return this.#walkStatements(list.commands, frame);
  }

  #walkNode(node: CommandNode | Pipeline | AndOr | CompoundList, given: Frame): Text {
    this.#spend(1);
    if (given.depth > maxWalkDepth) {
      this.noteUnknown('the command is nested too deeply to be followed', given.span ?? [node.pos, node.end]);
      return unknownText();
    }
    const frame: Frame = { ...given, depth: given.depth + 1 };
    const { environment } = frame;
    switch (node.type) {
      case 'Command':
        return this.#walkCommand(node, frame);
      case 'Pipeline':
        return this.#walkPipeline(node, frame);
      case 'AndOr':
        return this.#walkAndOr(node, frame);
      case 'CompoundList':
        return this.#walkList(node, frame);
      case 'Subshell':
        return this.#walkList(node.body, { ...frame, environment: environment.child() });
      case 'BraceGroup':
        return this.#walkList(node.body, frame);
      case 'Redirected': {
        const span = frame.span ?? [node.pos, node.end];
        const wiring = this.#wire(node.redirects, frame, span, 'shell');
        const output = this.#walkNode(node.command, { ...frame, input: wiring.input });
        return this.#deliver(output, wiring, frame, span, 'shell');
      }
      case 'If': {
        this.#walkList(node.clause, frame);
        const bodies = [node.then];
        for (const { clause, then } of node.elif) {
          this.#walkList(clause, frame);
          bodies.push(then);
        }
        if (node.else !== undefined) bodies.push(node.else);
        return this.#walkBranches(bodies, frame, node.else === undefined);
      }
      case 'Case': {
        const expander = this.#expander(frame, frame.span ?? [node.pos, node.end]);
        expandText(node.word, expander);
        for (const { pattern } of node.items) for (const word of pattern) expandPattern(word, expander);
        return this.#walkBranches(
          node.items.map(({ body }) => body),
          frame,
          true,
        );
      }
      case 'For':
      case 'Select':
        return this.#walkFor(node.name.value, node.wordlist, node.body, frame, node);
      case 'ArithmeticFor': {
        const expander = this.#expander(frame, frame.span ?? [node.pos, node.end]);
        for (const expression of [node.initialize, node.test, node.update])
          if (expression !== undefined) evaluateArithmetic(expression, expander);
        for (const [name] of environment.variables.written) {
          if (
            node.update !== undefined &&
            frame.source.slice(node.update.pos, node.update.end).includes(name)
          )
            environment.setText(name, unknownText());
        }
        return this.#walkBranches([node.body], { ...frame, loops: frame.loops + 1 }, true);
      }
      case 'While':
        return this.#walkWhile(node.clause, node.body, frame, node);
      case 'TestCommand':
        this.#walkTest(node.expression, this.#expander(frame, frame.span ?? [node.pos, node.end]));
        return emptyText;
      case 'ArithmeticCommand':
        if (node.expression !== undefined)
          evaluateArithmetic(node.expression, this.#expander(frame, frame.span ?? [node.pos, node.end]));
        return emptyText;
      case 'Function':
        environment.functions.set(node.name.value, {
          body: node.body,
          source: frame.source,
          span: frame.span,
        });
        if (node.name.value === 'command_not_found_handle')
          this.#walkNode(node.body, { ...frame, environment: environment.child() });
        return emptyText;
      case 'Coproc':
        return this.#walkNode(node.body, {
          ...frame,
          environment: environment.child(),
          forked: true,
          input: new Input(unknownText(), false),
        });
    }
  }

  #walkTest(expression: TestExpression, expander: Expander): void {
    switch (expression.type) {
      case 'TestUnary':
        if (expression.operator === '-v') numberOf(expandText(expression.operand, expander), expander, 0);
        else expandText(expression.operand, expander);
        break;
      case 'TestBinary':
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)) {
          numberOf(expandText(expression.left, expander), expander, 0);
          numberOf(expandText(expression.right, expander), expander, 0);
          break;
        }
        expandText(expression.left, expander);
        expandPattern(expression.right, expander);
        break;
      case 'TestLogical':
        for (const operand of expression.operands) this.#walkTest(operand, expander);
        break;
      case 'TestNot':
        this.#walkTest(expression.operand, expander);
        break;
      case 'TestGroup':
        this.#walkTest(expression.expression, expander);
        break;
    }
  }

  #walkPipeline(node: Pipeline, frame: Frame): Text {
    const [only] = node.commands;
    if (node.commands.length === 1 && only !== undefined) return this.#walkNode(only, frame);
    let { input } = frame;
    let output = emptyText;
    for (const command of node.commands) {
      output = this.#walkNode(command, {
        ...frame,
        environment: frame.environment.child(),
        input,
        forked: true,
      });
      input = new Input(output, true);
    }
    return output;
  }

  #walkAndOr(node: AndOr, frame: Frame): Text {
    let output = emptyText;
    for (const [index, command] of node.commands.entries()) {
      if (node.operators[index - 1] !== '||') {
        output = concat(output, this.#walkNode(command, frame));
        continue;
      }
      const environment = frame.environment.child();
      const more = this.#inBranch(() => this.#walkNode(command, { ...frame, environment }));
      // What an alternative prints comes instead of what failed, or not at all.
      output = output.alternatives.every((text) => text === '') ? more : either(output, concat(output, more));
      frame.environment.joinBranches([environment], true);
    }
    return output;
  }

  #inBranch<Result>(walk: () => Result): Result {
    this.#branches += 1;
    try {
      return walk();
    } finally {
      this.#branches -= 1;
    }
  }

  #walkBranches(bodies: readonly CompoundList[], frame: Frame, mayBeNone: boolean): Text {
    const branches: Environment[] = [];
    let output: Text | null = mayBeNone ? emptyText : null;
    for (const body of bodies) {
      const environment = frame.environment.child();
      const printed = this.#inBranch(() => this.#walkList(body, { ...frame, environment }));
      output = output === null ? printed : either(output, printed);
      branches.push(environment);
    }
    if (branches.length > 0) frame.environment.joinBranches(branches, mayBeNone);
    return output ?? emptyText;
  }

  #walkFor(
    name: string,
    words: readonly Word[] | undefined,
    body: CompoundList,
    frame: Frame,
    node: { pos: number; end: number },
  ): Text {
    const { environment } = frame;
    const expander = this.#expander(frame, frame.span ?? [node.pos, node.end]);
    const items =
      words === undefined
        ? environment.positional
        : expandWords(words, expander).flatMap((fields) => fields.map(({ text }) => text));
    const groups = grouped(items, passesIn(frame.loops));
    let output = emptyText;
    for (const group of groups) {
      environment.setText(name, group.reduce(either));
      output = concat(output, this.#walkList(body, { ...frame, loops: frame.loops + 1 }));
    }
    return output;
  }

  #walkWhile(
    clause: CompoundList,
    body: CompoundList,
    frame: Frame,
    node: { pos: number; end: number },
  ): Text {
    const span = frame.span ?? [node.pos, node.end];
    const source = frame.source.slice(clause.pos, clause.end);
    if (
      source.length < 64 &&
      /^\s*(?:true|:|\(\(\s*1\s*\)\)|\[\s+1\s+\])\s*;?\s*$/.test(source) &&
      body.commands.some(({ background }) => background === true)
    ) {
      const loop = body.commands
        .filter(({ background }) => background !== true)
        .map(({ pos, end }) => frame.source.slice(pos, end))
        .join('\n');
      // What was let go is not waited for.
      const ends = /\bdisown\b/.test(loop)
        ? /\b(?:sleep|read|break|exit)\b/
        : /\b(?:wait|sleep|read|break|exit|select)\b/;
      if (!ends.test(loop)) {
        this.#emit(
          {
            kind: 'bomb',
            target: { kind: 'none' },
            detail: 'loop',
            program: 'shell',
            through: frame.through,
            span,
          },
          frame,
        );
      }
    }
    const { input, environment } = frame;
    let inputs = [input];
    if (input.fed && /\bread\b/.test(source)) {
      const lines = input.text.alternatives.flatMap((text) => text.split('\n').filter((line) => line !== ''));
      inputs = grouped(
        lines.map((line) => knownText(`${line}\n`, input.text.origins)),
        passesIn(frame.loops),
      ).map((group) => new Input(group.reduce(either), true));
    }
    let output = emptyText;
    const pass = (given: Input): boolean => {
      const inner = environment.child();
      this.#inBranch(() => {
        const nested: Frame = { ...frame, environment: inner, input: given, loops: frame.loops + 1 };
        this.#walkList(clause, nested);
        output = concat(output, this.#walkList(body, nested));
      });
      const changed = [...inner.variables.written].some(
        ([name, variable]) =>
          environment.variables.get(name) !== null && environment.variables.get(name) !== variable,
      );
      environment.joinBranches([inner], true);
      return changed;
    };
    for (const given of inputs) {
      const changed = pass(given);
      // A second round sees what the first one left behind.
      if (changed && inputs.length === 1 && frame.loops === 0) pass(given);
    }
    return output;
  }

  // Expansion

  #expander(frame: Frame, span: Span): Expander {
    return {
      environment: frame.environment,
      spend: this.#spendSteps,
      noteLost: () => this.noteUnknown('a text that is too long to be followed', span),
      capture: (script) => this.#walkStatements(script.commands, this.#inside(script, frame, span)),
      substitute: (script, operator) => this.#substitute(script, operator, frame, span),
    };
  }

  #inside(script: ParsedScript, frame: Frame, span: Span): Frame {
    const own = script.source !== undefined;
    if (frame.depth > maxWalkDepth) throw new TooManySteps('the command is nested too deeply to be followed');
    return {
      ...frame,
      environment: frame.environment.child(),
      source: script.source ?? frame.source,
      span: frame.span ?? (own ? span : null),
      depth: frame.depth + 1,
    };
  }

  #substitute(script: ParsedScript, operator: '<' | '>', frame: Frame, span: Span): string {
    this.#counter += 1;
    const path = `/dev/fd/${1000 - this.#counter}`;
    const inner = this.#inside(script, frame, span);
    if (operator === '>') this.#sinks.set(path, { script, frame: inner, fed: false });
    else this.#files.set(path, { text: this.#walkStatements(script.commands, inner), substitution: true });
    return path;
  }

  #feedSink(sink: Sink, text: Text): void {
    sink.fed = true;
    this.#walkStatements(sink.script.commands, { ...sink.frame, input: new Input(text, true) });
  }

  // Files

  #readFile(path: string, frame: Frame): Text | null {
    if (/^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(path)) return frame.input.text;
    if (path === '/dev/null') return emptyText;
    const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1];
    if (descriptor !== undefined) {
      const open = frame.environment.descriptors.get(descriptor);
      if (open?.kind === 'text') return open.text;
    }
    return this.#files.get(resolvePath(frame.environment.cwd, path))?.text ?? null;
  }

  #writeFile(path: Text, text: Text, appends: boolean, frame: Frame): void {
    for (const one of path.alternatives) {
      if (one.includes(hole)) continue;
      const place = resolvePath(frame.environment.cwd, one);
      const sink = this.#sinks.get(place);
      if (sink !== undefined) {
        this.#feedSink(sink, text);
        continue;
      }
      if (/^\/dev\//.test(place) && !/^\/dev\/shm\//.test(place)) continue;
      if (frame.running.includes(place)) {
        this.noteUnknown('a script that changes itself while it runs', frame.span ?? [0, 0]);
      }
      const before = this.#files.get(place)?.text;
      let content = appends && before !== undefined ? concat(before, text) : text;
      if (before !== undefined && !appends && this.#branches > 0) content = either(before, text);
      this.#spend(costOf(content));
      this.#files.set(place, { text: content, substitution: false });
    }
  }

  /** The origins of files of this script that words name. */
  #originsOfFiles(args: readonly Text[], frame: Frame): readonly Origin[] {
    if (this.#files.size === 0) return [];
    this.#spend(Math.ceil(args.length / 8));
    const found: (readonly Origin[])[] = [];
    for (const arg of args) {
      for (const text of arg.alternatives) {
        for (const start of new Set([0, text.lastIndexOf('@') + 1, text.indexOf('=') + 1])) {
          const path = text.slice(start);
          if (path === '' || path.length > 1024) continue;
          const file = this.#files.get(resolvePath(frame.environment.cwd, path));
          if (file !== undefined) found.push(file.text.origins);
        }
      }
    }
    return mergeOrigins(...found);
  }

  // Redirections

  #wire(redirects: readonly Redirection[], frame: Frame, span: Span, program: string): Wiring {
    if (redirects.length === 0) return { input: frame.input, descriptors: unwired, appends: false };
    let { input } = frame;
    let appends = false;
    const descriptors = new Map<number, Descriptor>();
    const { environment } = frame;
    const look = (number: number): Descriptor | null =>
      descriptors.get(number) ?? environment.descriptors.get(String(number));
    const expander = this.#expander(frame, span);
    const open = (number: number, descriptor: Descriptor, reads: boolean): void => {
      descriptors.set(number, descriptor);
      if (!reads || number !== 0) return;
      const terminal = descriptor.kind === 'file' && singleText(descriptor.path) === '/dev/tty';
      input = new Input(this.#descriptorText(descriptor, frame), !terminal);
    };
    for (const redirect of redirects) {
      this.#spend(4);
      const named = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : undefined;
      const unnamed = redirect.descriptor?.type === 'FileDescriptorVariable' ? 10 : undefined;
      if (redirect.type === 'HereDoc') {
        open(named ?? 0, { kind: 'text', text: expandHereDoc(redirect.body, expander) }, true);
        continue;
      }
      const { target } = redirect;
      if (target === undefined) continue;
      const text = expandText(target, expander);
      if (redirect.type === 'HereString') {
        open(named ?? 0, { kind: 'text', text: concat(text, knownText('\n')) }, true);
        continue;
      }
      const { operator } = redirect;
      const reads = operator.startsWith('<');
      const number = named ?? unnamed ?? (reads ? 0 : 1);
      const duplicate = /^(\d+)-?$/.exec(singleText(text))?.[1];
      if (operator === '<&' || operator === '>&') {
        if (singleText(text) === '-') continue;
        if (duplicate !== undefined) {
          const other = look(Number(duplicate));
          if (other !== null) open(number, other, number === 0);
          else if (number === 1) descriptors.delete(1);
          continue;
        }
      }
      const socket = /^\/dev\/(?:tcp|udp)\/([^/]*)(?:\/|$)/.exec(singleText(text));
      if (socket !== null) {
        const host = knownText(socket[1] ?? '');
        const descriptor: Descriptor = { kind: 'network', host };
        open(number, descriptor, true);
        if (/&/.test(operator)) descriptors.set(2, descriptor);
        this.#connect(host, [], frame, span, program);
        continue;
      }
      const descriptor: Descriptor = { kind: 'file', path: text };
      if (!reads || operator === '<>')
        this.#writeEffects(text, operator.includes('>>'), frame, span, program);
      if (reads) this.#readEffects(text, frame, span, program);
      open(number, descriptor, reads);
      if (operator === '&>' || operator === '&>>') descriptors.set(1, descriptor);
      if (operator.includes('>>')) appends = true;
    }
    return { input, descriptors, appends };
  }

  #descriptorText(descriptor: Descriptor, frame: Frame): Text {
    switch (descriptor.kind) {
      case 'text':
        return descriptor.text;
      case 'network':
        return unknownText(['network']);
      case 'file': {
        const texts = descriptor.path.alternatives.map((path) => {
          const known = path.includes(hole) ? null : this.#readFile(path, frame);
          return known ?? unknownText(this.#secretOrigins(path, frame));
        });
        return texts.reduce(either);
      }
    }
  }

  /** Whether the table of tools takes a file for a secret, as an origin. */
  #secretOrigins(path: string, frame: Frame): readonly Origin[] {
    const effects = this.#ask('cat', [knownText(path)], emptyText, frame, [0, 0]) ?? [];
    return effects.some(({ kind }) => kind === 'secret') ? ['secret'] : [];
  }

  #connect(host: Text, origins: readonly Origin[], frame: Frame, span: Span, program: string): void {
    this.#emit(
      {
        kind: 'connect',
        target: { kind: 'host', host: toValue(host) },
        detail: 'tcp',
        origins,
        program,
        through: frame.through,
        span,
      },
      frame,
    );
  }

  #writeEffects(given: Text, appends: boolean, frame: Frame, span: Span, program: string): void {
    const path = this.#throughLinks(given, frame, false);
    const harmless = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|stdin|full)$|^\/proc\/self\/fd\/\d+$/;
    if (path.alternatives.every((one) => harmless.test(one))) return;
    const device = path.alternatives.some((one) =>
      /^\/dev\/(?!shm\/|pts\/|tty|null|fd\/|std)/.test(resolvePath(frame.environment.cwd, one)),
    );
    this.#emit(
      {
        kind: device ? 'device' : 'write',
        target: { kind: 'path', path: toValue(path) },
        detail: appends ? 'append' : 'truncate',
        program,
        through: frame.through,
        span,
      },
      frame,
    );
    // The table of tools knows which files are more than files.
    for (const effect of this.#ask('tee', [path], emptyText, frame, span) ?? []) {
      if (effect.kind !== 'write' && effect.kind !== 'read' && effect.kind !== 'inert')
        this.#emit({ ...effect, program }, frame);
    }
  }

  #readEffects(given: Text, frame: Frame, span: Span, program: string): void {
    const path = this.#throughLinks(given, frame, false);
    if (path.alternatives.every((one) => /^\/dev\/(?:null|stdin|tty|fd\/\d+|zero|u?random)$/.test(one)))
      return;
    this.#emit(
      { kind: 'read', target: { kind: 'path', path: toValue(path) }, program, through: frame.through, span },
      frame,
    );
    for (const effect of this.#ask('cat', [path], emptyText, frame, span) ?? []) {
      if (effect.kind !== 'read' && effect.kind !== 'inert') this.#emit({ ...effect, program }, frame);
    }
  }

  /** Sends what a command prints to where its redirections lead. */
  #deliver(output: Text, wiring: Wiring, frame: Frame, span: Span, program: string): Text {
    const target = wiring.descriptors.get(1);
    if (target === undefined) {
      // `exec > file` sends everything there; what is captured all the same is a guess on the safe side.
      const standing = frame.environment.descriptors.get('1');
      if (standing?.kind === 'file') this.#writeFile(standing.path, output, true, frame);
      else if (standing?.kind === 'network')
        this.#connect(standing.host, output.origins, frame, span, program);
      return output;
    }
    if (target.kind === 'network') {
      this.#connect(target.host, output.origins, frame, span, program);
      return emptyText;
    }
    if (target.kind === 'text') return output;
    if (target.path.alternatives.every((path) => /^\/dev\/(?:stdout|tty|fd\/1)$/.test(path))) return output;
    this.#writeFile(target.path, output, wiring.appends, frame);
    return emptyText;
  }

  // Commands

  #walkCommand(node: Command, frame: Frame): Text {
    this.#spend(3);
    const span: Span = frame.span ?? [node.pos, node.end];
    const expander = this.#expander(frame, span);
    const { environment } = frame;
    const { name } = node;
    const assignments =
      node.prefix.length === 0 ? none : node.prefix.filter((item) => item.type === 'Assignment');
    const sinksBefore = this.#sinks.size;
    if (name === undefined) {
      for (const assignment of assignments) this.#assign(assignment, environment, expander, frame, span);
      const wiring = this.#wire(node.redirects, frame, span, 'shell');
      const output = wiring.input === frame.input ? emptyText : wiring.input.text;
      const printed = this.#deliver(output, wiring, frame, span, 'shell');
      this.#feedRest(sinksBefore);
      return printed;
    }
    let local = environment;
    if (assignments.length > 0) {
      local = environment.child();
      for (const assignment of assignments) this.#assign(assignment, local, expander, frame, span);
    }
    const alias =
      name.parts === undefined && name.text === name.value ? environment.aliases.get(name.value) : null;
    if (alias !== null && !frame.aliases.includes(name.value)) {
      const wiring = this.#wire(node.redirects, frame, span, name.value);
      const rest = node.args.map((arg) => frame.source.slice(arg.pos, arg.end)).join(' ');
      const inner: Frame = {
        ...frame,
        environment: local,
        input: wiring.input,
        aliases: [...frame.aliases, name.value],
      };
      const output = this.#walkText(knownText(`${alias} ${rest}`), inner, span);
      return this.#deliver(output, wiring, frame, span, name.value);
    }
    const declares = name.parts === undefined && declarations.has(name.value);
    const words = declares ? node.args.filter((arg) => arg.type === 'Word') : node.args;
    const lists = expandWords([name, ...words], expander);
    const program = baseName(singleText(lists[0]?.[0]?.text));
    const label = program === '' || program.includes(hole) ? 'shell' : program;
    const inner: Frame = { ...frame, environment: local };
    const wiring = this.#wire(node.redirects, inner, span, label);
    if (declares) {
      this.#declare(
        name.value,
        (lists[0] ?? []).slice(1).map(({ text }) => text),
        node.args.filter((arg) => arg.type === 'Assignment'),
        frame,
        span,
        expander,
      );
    }
    if (label === 'exec' && lists.length === 1 && lists[0]?.length === 1) {
      for (const [number, descriptor] of wiring.descriptors)
        environment.descriptors.set(String(number), descriptor);
      if (wiring.input !== frame.input) frame.input.text = wiring.input.text;
      return emptyText;
    }
    if (mayBeEndless.test(label) && isEndless(label, lists[0] ?? none, node.redirects.length > 0, wiring))
      this.#emit(
        {
          kind: 'bomb',
          target: { kind: 'none' },
          detail: 'disk',
          program: label,
          through: frame.through,
          span,
        },
        frame,
      );
    const outputs: Text[] = [];
    for (const fields of lists) {
      const [first] = fields;
      if (first === undefined) continue;
      const given = first.glob
        ? oneOf(
            first.text.alternatives.flatMap((pattern) => resolvePattern(pattern)),
            first.text.origins,
          )
        : first.text;
      const argv = [given, ...fields.slice(1).map(({ text }) => text)];
      outputs.push(this.#run(argv, { ...inner, input: wiring.input }, span));
    }
    if (local !== environment) this.#keepChanges(environment, local, assignments);
    const output = outputs.length === 0 ? emptyText : outputs.reduce(either);
    const printed = this.#deliver(output, wiring, frame, span, label);
    this.#feedRest(sinksBefore);
    return printed;
  }

  /** Scripts behind `>(…)` that nothing was sent to run all the same. */
  #feedRest(before: number): void {
    if (this.#sinks.size === before) return;
    for (const sink of [...this.#sinks.values()].slice(before))
      if (!sink.fed) this.#feedSink(sink, unknownText());
  }

  #keepChanges(environment: Environment, local: Environment, assignments: readonly Assignment[]): void {
    const temporary = new Set(assignments.map(({ name }) => name));
    for (const [name, variable] of local.variables.written)
      if (!temporary.has(name)) environment.variables.set(name, variable);
    for (const [name, body] of local.functions.written) environment.functions.set(name, body);
    for (const [name, text] of local.aliases.written) environment.aliases.set(name, text);
    environment.cwd = local.cwd;
    environment.positional = local.positional;
  }

  #assign(assignment: Assignment, target: Environment, expander: Expander, frame: Frame, span: Span): void {
    const { name, value } = assignment;
    const before = target.lookUp(name);
    if (value.type === 'ArrayValue') {
      const items = new Map(assignment.append === true ? (before?.items ?? []) : []);
      let next = Math.max(-1, ...[...items.keys()].map(Number).filter((key) => !Number.isNaN(key))) + 1;
      for (const element of value.elements) {
        const keyed = /^\[([^\]]*)\]=/.exec(element.text);
        for (const { text } of expandWord(element, expander)[0] ?? []) {
          if (keyed === null) {
            items.set(String(next), text);
            next += 1;
          } else {
            const key = (keyed[1] ?? '').replace(/^(["'])(.*)\1$/, '$2');
            items.set(
              key,
              mapWithHoles(text, (whole) => whole.slice(whole.indexOf(']=') + 2)),
            );
            if (/^\d+$/.test(key)) next = Number(key) + 1;
          }
        }
      }
      target.set(name, arrayOf(items));
      if (commandVariables.test(name))
        for (const text of items.values()) this.#noteVariable(name, text, frame, span);
      return;
    }
    const text = expandText(value, expander);
    if (assignment.index !== undefined) {
      const items = new Map(before?.items ?? (before === null ? [] : [['0', before.text] as const]));
      const index = expandText(assignment.index, expander);
      const key = onlyText(index) ?? hole;
      if (!/^\d+$/.test(key)) numberOf(index, expander, 0);
      const old = items.get(key);
      items.set(key, assignment.append === true && old !== undefined ? concat(old, text) : text);
      target.set(name, arrayOf(items));
      return;
    }
    const whole = assignment.append === true && before !== null ? concat(before.text, text) : text;
    if (before?.items === undefined || assignment.append !== true) target.setText(name, whole);
    this.#noteVariable(name, whole, frame, span);
  }

  /** Variables that some program will take for a command or for code. */
  #noteVariable(name: string, text: Text, frame: Frame, span: Span): void {
    const prompt = /^PS[0-4]$/.test(name);
    if (prompt || name === 'BASH_ENV' || name === 'ENV') {
      // The shell expands it before use.
      const expander = this.#expander({ ...frame, environment: frame.environment.child() }, span);
      for (const one of text.alternatives) if (/\$\(|`/.test(one)) expandAgain(one, expander);
    }
    if (commandVariables.test(name)) {
      const commands = text.alternatives.filter(
        (one) => (name === 'PROMPT_COMMAND' || /[\s;|&$`/]/.test(one)) && one !== '' && !isHoleOnly(one),
      );
      if (commands.length > 0) {
        const environment = frame.environment.child();
        this.#walkText(
          oneOf(
            commands.map((one) => one.replace(/^\|/, '')),
            text.origins,
          ),
          { ...frame, environment, through: [...frame.through, name] },
          span,
        );
      }
    } else if (codeVariables.test(name) || loaderVariables.has(name)) {
      const loaded = loaderVariables.get(name);
      const paths =
        loaded === undefined ? text.alternatives : text.alternatives.flatMap((one) => loadedBy(one, loaded));
      for (const path of paths) {
        if (path === '') continue;
        const file = path.includes(hole) ? null : this.#readFile(path, frame);
        if (file !== null && (name === 'BASH_ENV' || name === 'ENV')) {
          const nested: Frame = {
            ...frame,
            environment: frame.environment.child(),
            through: [...frame.through, name],
            nesting: frame.nesting + 1,
          };
          this.#runFile(path, 'shell', undefined, name, nested, frame, span);
          continue;
        }
        const origins = file === null ? [] : mergeOrigins(file.origins, ['written']);
        // What a project loads into its own programs is its own.
        const unseen: readonly Origin[] = loaded === undefined ? ['unknown'] : [];
        this.#runEffect(
          name,
          { kind: 'path', path: toValue(knownText(path)) },
          origins.length > 0 ? origins : unseen,
          frame,
          span,
        );
      }
    }
  }

  #declare(
    builtin: string,
    words: readonly Text[],
    assignments: readonly Assignment[],
    frame: Frame,
    span: Span,
    expander: Expander,
  ): void {
    const flags = words
      .map(singleText)
      .filter((word) => /^[-+]/.test(word))
      .join('');
    const references = /n/.test(flags) && builtin !== 'export' && builtin !== 'readonly';
    for (const assignment of assignments) {
      if (references && assignment.value.type === 'Word') {
        const reference = onlyText(expandText(assignment.value, expander));
        const text = reference === null ? unknownText() : emptyText;
        frame.environment.variables.set(assignment.name, reference === null ? { text } : { text, reference });
        continue;
      }
      this.#assign(assignment, frame.environment, expander, frame, span);
      const variable = frame.environment.lookUp(assignment.name);
      if (variable === null) continue;
      if (/-\w*u/.test(flags))
        frame.environment.setText(
          assignment.name,
          mapWithHoles(variable.text, (text) => text.toUpperCase()),
        );
      else if (/-\w*l/.test(flags))
        frame.environment.setText(
          assignment.name,
          mapWithHoles(variable.text, (text) => text.toLowerCase()),
        );
      else if (/-\w*i/.test(flags)) {
        const number = onlyText(variable.text);
        numberOf(variable.text, expander, 0);
        if (number === null || !/^-?\d+$/.test(number))
          frame.environment.setText(assignment.name, unknownText());
      }
    }
    for (const word of words) {
      // A word that became an assignment only by expansion.
      const made = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(singleText(word));
      if (made !== null) frame.environment.setText(made[1] ?? '', knownText(made[2] ?? '', word.origins));
    }
  }

  // Programs

  /** Starts words as a command; gives what it would print. */
  #run(argv: readonly Text[], frame: Frame, span: Span): Text {
    const [word] = argv;
    if (word === undefined) return emptyText;
    const args = argv.slice(1);
    this.#spend(2 + Math.ceil(args.length / 4) + (args.length > 64 ? args.length >> 1 : 0));
    if (frame.nesting > maxNesting) {
      this.noteUnknown('too many commands inside one another', span);
      return unknownText();
    }
    const outputs = word.alternatives.map((given) => this.#runNamed(given, word, args, frame, span));
    return outputs.reduce(either);
  }

  #runNamed(given: string, word: Text, words: readonly Text[], frame: Frame, span: Span): Text {
    const program = baseName(given);
    const args = program === 'git' ? [...gitSettingsIn(frame.environment), ...words] : words;
    if (given === '' || program === '') return emptyText;
    if (program.includes(hole)) {
      this.#invoke(null, given, valuesOf(args), frame, span, false);
      this.noteUnknown('the name of a program', span);
      const origins = mergeOrigins(word.origins, frame.origins);
      if (origins.length > 0) this.#runEffect('shell', { kind: 'none' }, origins, frame, span);
      this.#runSuffix('shell', args, frame, span);
      return unknownText(origins);
    }
    const { environment } = frame;
    const body = given.includes('/') ? null : environment.functions.get(program);
    if (body !== null) return this.#callFunction(program, args, frame, span);
    const builtin = !given.includes('/') && builtins.has(program);
    const values = valuesOf(args);
    this.#invoke(program, given, values, frame, span, builtin);
    if (builtin) {
      runBuiltin(program, args, {
        environment,
        input: frame.input,
        print: (words) => {
          const printed = this.#printed('printf', words, frame, [], false);
          this.#spend(costOf(printed));
          return printed;
        },
        calculate: (expression) => this.#calculate(expression, frame, span),
        loadCode: () => this.#runEffect(program, { kind: 'none' }, ['unknown'], frame, span),
      });
    }

    const written = this.#writtenProgram(given, frame);
    const other = this.#otherName(given, frame);
    if (written !== null && (other === null || !isHoleOnly(singleText(written))))
      return this.#runFileText(given, written, [knownText(given), ...args], frame, span);
    if (other !== null && frame.nesting < maxNesting) {
      const nested: Frame = { ...frame, through: [...frame.through, program], nesting: frame.nesting + 1 };
      return this.#runNamed(other, knownText(other), args, nested, span);
    }
    if (program === 'env' || program === 'sudo') this.#noteSettings(args, frame, span);

    const { input } = frame;
    const inners = innersOf({
      program,
      args,
      stdin: input.text,
      fed: input.fed,
      readFile: (path) => this.#readFile(path, frame),
    });
    if (inners !== null && args.length === 1 && /^--(?:help|version)$/.test(singleText(args[0])))
      return unknownText();
    const effects = this.#ask(program, args, input.text, frame, span, input.fed, values);
    const givenOrigins = mergeOrigins(originsOf(args), this.#originsOfFiles(args, frame));
    this.#spend(effects?.length ?? 0);
    const followed = inners?.some((inner) => inner.kind !== 'unknown' && !isOfProject(inner)) === true;
    for (const effect of effects ?? []) {
      if (effect.kind === 'run' && followed && effect.detail !== 'git-config') continue;
      this.#emit(effect, frame, givenOrigins);
    }
    const innerOutputs = (inners ?? []).map((inner) => this.#runInner(inner, program, frame, span));
    const known = effects?.every(({ detail }) => detail !== 'verb') === true;
    if (!known && inners === null && !builtin) this.#runSuffix(program, args, frame, span);
    else if (inners === null && !builtin && effects?.every(({ kind }) => kind === 'inert') === true) {
      // Behind two dashes many tools of a project take a command.
      const behind = args.slice(args.findIndex((arg) => singleText(arg) === '--') + 1);
      if (behind.length < args.length) this.#runSuffix(program, behind, frame, span);
    }

    const origins = this.#outputOrigins(program, args, effects ?? [], frame);
    const printed = this.#printed(program, args, frame, innerOutputs, inners !== null);
    this.#spend(costOf(printed));
    const output = reducing.has(program) ? printed : withOrigins(printed, origins);
    const traces = tracesOf(program, args, {
      stdin: input.text,
      origins: mergeOrigins(origins, givenOrigins),
      readFile: (path) => this.#readFile(path, frame),
      secretOrigins: (path) => this.#secretOrigins(path, frame),
    });
    for (const { path, text, appends } of traces) this.#writeFile(path, text, appends, frame);
    for (const { path, source } of linksMadeBy(program, args, environment.cwd)) this.#links.set(path, source);
    for (const { path, source } of namesMadeBy(program, args)) {
      const before = this.#names.get(resolvePath(environment.cwd, source));
      this.#names.set(resolvePath(environment.cwd, path), before ?? source);
    }
    return output;
  }

  /** The program that stands under a name which this script made for it. */
  #otherName(given: string, frame: Frame): string | null {
    if (this.#names.size === 0 || given.includes(hole)) return null;
    if (given.includes('/')) return this.#names.get(resolvePath(frame.environment.cwd, given)) ?? null;
    if (frame.environment.variables.get('PATH') === null || builtins.has(given)) return null;
    for (const [path, source] of this.#names) if (baseName(path) === given) return source;
    return null;
  }

  /** Variables that are set by words of a wrapper. */
  #noteSettings(args: readonly Text[], frame: Frame, span: Span): void {
    for (const arg of args.slice(0, 64)) {
      for (const text of arg.alternatives) {
        const made = /^([A-Z][A-Z_\d]*)=([\s\S]*)$/.exec(text);
        if (made !== null)
          this.#noteVariable(made[1] ?? '', knownText(made[2] ?? '', arg.origins), frame, span);
      }
    }
  }

  #calculate(expression: string, frame: Frame, span: Span): void {
    const source = `((${expression}))`;
    const command = expression.length > 1000 ? undefined : this.#parse(source, span)?.commands[0]?.command;
    if (command?.type !== 'ArithmeticCommand' || command.expression === undefined) {
      if (/\$\(|`/.test(expression)) this.noteUnknown('a calculation that runs something', span);
      return;
    }
    evaluateArithmetic(command.expression, inText(source, this.#expander(frame, span)));
  }

  /** What the table of tools says; the effects have their places still to be worked out. */
  #ask(
    program: string,
    args: readonly Text[],
    stdin: Text,
    frame: Frame,
    span: Span,
    fed = false,
    values = valuesOf(args),
  ): readonly Effect[] | null {
    this.#spend(1);
    const { cwd, home } = frame.environment;
    if (args.length > maxArguments && !builtins.has(program))
      this.noteUnknown(`more than ${maxArguments} arguments`, span);
    return this.#effectsOf(
      program,
      this.#links.size === 0
        ? values
        : valuesOf(args.map((arg) => this.#throughLinks(arg, frame, namesLinks.test(program)))),
      { stdin: toValue(stdin), stdinOrigins: stdin.origins, stdinFed: fed },
      { span, through: frame.through, cwd, home },
    );
  }

  /** A path with the links of this script followed; the last one is kept by what is about the link itself. */
  #throughLinks(path: Text, frame: Frame, keepsLast: boolean): Text {
    if (this.#links.size === 0) return path;
    return mapWithHoles(path, (text) => {
      if (text === '' || text.startsWith('-') || text.length > 1024) return text;
      const absolute = resolvePath(frame.environment.cwd, text);
      for (const [link, source] of this.#links) {
        if (absolute === link && !(keepsLast && !text.endsWith('/'))) return source;
        if (absolute.startsWith(`${link}/`)) return source + absolute.slice(link.length);
      }
      return text;
    });
  }

  /** The content of a file of this script that a command word names. */
  #writtenProgram(given: string, frame: Frame): Text | null {
    if (this.#files.size === 0 || given.includes(hole)) return null;
    if (given.includes('/')) return this.#readFile(given, frame);
    if (frame.environment.variables.get('PATH') === null || builtins.has(given)) return null;
    for (const [path, file] of this.#files)
      if (baseName(path) === given && !file.substitution) return file.text;
    return null;
  }

  #outputOrigins(
    program: string,
    args: readonly Text[],
    effects: readonly Effect[],
    frame: Frame,
  ): readonly Origin[] {
    const origins: Origin[] = [];
    if (effects.some(({ kind }) => kind === 'secret')) origins.push('secret');
    if (effects.some(({ kind }) => kind === 'connect')) origins.push('network');
    if (
      program === 'printenv' ||
      (program === 'env' && args.length === 0) ||
      (program === 'export' && args.length === 0)
    ) {
      const named = args.flatMap((arg) => arg.alternatives).filter((name) => !name.startsWith('-'));
      if (named.length === 0 || named.some((name) => surroundingOrigins(name).length > 0))
        origins.push('secret');
    }
    return mergeOrigins(
      origins,
      this.#originsOfFiles(args, frame),
      frame.input.fed ? frame.input.text.origins : [],
    );
  }

  #printed(
    program: string,
    args: readonly Text[],
    frame: Frame,
    inner: readonly Text[],
    executor: boolean,
  ): Text {
    if (program === 'mktemp') return this.#temporaryPath(args, frame);
    if (program === 'find') return concat(foundBy(args), knownText('\n'));
    if (program === 'git' && args.some((arg) => singleText(arg) === '--show-toplevel'))
      return knownText(`${this.#surroundings.cwd}\n`);
    const listed = pathsListedBy(program, args);
    if (listed !== null) return concat(listed, knownText('\n'));
    if (
      (program === 'command' && /^-[vV]/.test(singleText(args[0]))) ||
      (program === 'type' && /^-[pP]/.test(singleText(args[0])))
    ) {
      return this.#printed('which', args.slice(1), frame, [], false);
    }
    if (printsSettings(program, args)) return emptyText;
    if (program === 'jobs') return knownText('%1\n');
    const printed = outputOf(program, args, {
      stdin: frame.input.text,
      readFile: (path) => this.#readFile(path, frame),
      cwd: frame.environment.cwd,
      spend: this.#spendSteps,
    });
    if (printed !== null) return printed;
    if (executor && inner.length > 0) return concatAll(inner);
    return builtins.has(program) && !telling.has(program) && !printsState(program, args)
      ? emptyText
      : unknownText();
  }

  #temporaryPath(args: readonly Text[], frame: Frame): Text {
    this.#counter += 1;
    const suffix = `sallyport${this.#counter}`;
    const words = args.map(singleText);
    const folderAt = words.findIndex((word) => /^(?:-p|--tmpdir)/.test(word));
    const template = words.find((word, index) => word.includes('XXX') && index !== folderAt);
    const name = (template ?? 'tmp.XXXXXXXXXX').replace(/X{3,}/, suffix);
    const absolute =
      name.startsWith('/') ||
      (template !== undefined && folderAt === -1 && !words.some((word) => /^-\w*t/.test(word)));
    const path = absolute ? resolvePath(frame.environment.cwd, name) : `/tmp/${name}`;
    return knownText(`${path}\n`);
  }

  /** Words behind a program that is not known may be a command that it starts. */
  #runSuffix(program: string, args: readonly Text[], frame: Frame, span: Span): void {
    const inner: Frame = { ...frame, through: [...frame.through, program], nesting: frame.nesting + 1 };
    for (const [index, arg] of args.entries()) {
      if (index > 32) return;
      const rest = args.slice(index);
      if (looksLikeCommand(rest)) {
        this.#run(rest, inner, span);
        return;
      }
      const next = args[index + 1];
      if (
        next !== undefined &&
        /^-(?:c|e|x|-command|-cmd|-exec|-run|-eval)$/.test(singleText(arg)) &&
        looksLikeScript(singleText(next))
      ) {
        this.#walkText(next, { ...inner, environment: frame.environment.child() }, span);
      }
    }
  }

  #callFunction(name: string, args: readonly Text[], frame: Frame, span: Span): Text {
    const { environment } = frame;
    const body = environment.functions.get(name);
    if (body === null) return emptyText;
    this.#invoke(name, name, valuesOf(args), frame, span, true);
    const callers = this.#running.filter((caller) => caller === name).length;
    if (callers > 2 || (callers > 0 && frame.forked)) {
      if (frame.forked) {
        this.#emit(
          {
            kind: 'bomb',
            target: { kind: 'none' },
            detail: 'fork',
            program: name,
            through: frame.through,
            span,
          },
          frame,
        );
      }
      return unknownText();
    }
    const { positional } = environment;
    environment.positional = keptItems(args);
    this.#running.push(name);
    try {
      return this.#walkNode(body.body, {
        ...frame,
        source: body.source,
        span: body.span ?? frame.span,
        forked: false,
        nesting: frame.nesting + 1,
      });
    } finally {
      this.#running.pop();
      environment.positional = positional;
    }
  }

  // Executors

  #runInner(inner: Inner, program: string, frame: Frame, span: Span): Text {
    const same = /^(?:eval|source|\.|builtin|command)$/.test(program);
    const nested: Frame = {
      ...frame,
      environment: same ? frame.environment : frame.environment.child(),
      through: [...frame.through, program],
      nesting: frame.nesting + 1,
    };
    switch (inner.kind) {
      case 'argv': {
        const input = inner.input === undefined ? nested.input : new Input(inner.input, true);
        const { environment } = nested;
        if (inner.folder !== undefined) {
          const folder = onlyText(inner.folder);
          environment.cwd =
            folder === null || folder.includes(hole) ? hole : resolvePath(environment.cwd, folder);
        }
        return this.#run(inner.argv, { ...nested, input }, span);
      }
      case 'code':
        if (program === 'trap') {
          this.#traps.push({ text: inner.text, frame: { ...nested, environment: frame.environment }, span });
          return emptyText;
        }
        return this.#runCode(inner.language, inner.text, inner.positional, program, nested, frame, span);
      case 'input': {
        const text = frame.input.text;
        return this.#runCode(
          inner.language,
          text,
          inner.positional,
          program,
          { ...nested, input: new Input(emptyText, false) },
          frame,
          span,
        );
      }
      case 'file': {
        const outputs = inner.path.alternatives.map((path) =>
          inner.ofProject === true && this.#readFile(path, frame) === null
            ? unknownText()
            : this.#runFile(path, inner.language, inner.positional, program, nested, frame, span),
        );
        return outputs.reduce(either);
      }
      case 'nothing':
        this.#emit({ kind: 'inert', target: { kind: 'none' }, program, through: frame.through, span }, frame);
        return unknownText();
      case 'unknown':
        this.#runEffect(program, { kind: 'none' }, ['unknown'], frame, span);
        return unknownText();
      case 'socket':
        this.#connect(inner.host, [], frame, span, program);
        return unknownText(['network']);
    }
  }

  #runFile(
    path: string,
    language: Language,
    positional: readonly Text[] | undefined,
    program: string,
    nested: Frame,
    frame: Frame,
    span: Span,
  ): Text {
    const text = path.includes(hole) ? null : this.#readFile(path, frame);
    const own = /^(?:-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$/.test(path);
    const target: Target = own ? { kind: 'none' } : { kind: 'path', path: toValue(knownText(path)) };
    if (text === null) {
      // A file that was there before: what it holds is not part of this script, so there are no origins to name.
      this.#runEffect(program, target, [], frame, span);
      return unknownText();
    }
    const marked = own ? text : withOrigins(text, ['written']);
    const inner = own ? nested : runningFile(nested, path, frame);
    return this.#runGuarded(fileKey(path, text), inner, span, () =>
      this.#runCode(language, marked, positional, program, inner, frame, span, target),
    );
  }

  /** A file of this script that is started by its name: its first line says in which language it is. */
  #runFileText(given: string, text: Text, positional: readonly Text[], frame: Frame, span: Span): Text {
    const program = baseName(given);
    const first = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(text.alternatives[0] ?? '');
    const interpreterName =
      first === null
        ? 'sh'
        : baseName(/\benv$/.test(first[1] ?? '') ? (first[2] ?? 'sh') : (first[1] ?? 'sh'));
    const nested: Frame = {
      ...frame,
      environment: frame.environment.child(),
      through: [...frame.through, program],
      nesting: frame.nesting + 1,
    };
    const inners = innersOf({
      program: interpreterName,
      args: [knownText(given)],
      stdin: frame.input.text,
      fed: false,
    });
    const language = inners?.find((inner) => inner.kind === 'file')?.language ?? 'shell';
    const target: Target = { kind: 'path', path: toValue(knownText(given)) };
    const inner = runningFile(nested, given, frame);
    return this.#runGuarded(fileKey(given, text), inner, span, () =>
      this.#runCode(
        language,
        withOrigins(text, ['written']),
        positional,
        program,
        inner,
        frame,
        span,
        target,
      ),
    );
  }

  /** Runs something unless it is running already; if it starts itself beside itself, that has no end. */
  #runGuarded(key: string, frame: Frame, span: Span, run: () => Text): Text {
    if (this.#running.includes(key)) {
      if (frame.forked)
        this.#emit(
          {
            kind: 'bomb',
            target: { kind: 'none' },
            detail: 'fork',
            program: 'shell',
            through: frame.through,
            span,
          },
          frame,
        );
      return unknownText();
    }
    this.#running.push(key);
    try {
      return run();
    } finally {
      this.#running.pop();
    }
  }

  #runCode(
    language: Language,
    text: Text,
    positional: readonly Text[] | undefined,
    program: string,
    nested: Frame,
    frame: Frame,
    span: Span,
    target: Target = { kind: 'none' },
  ): Text {
    const lost = text.alternatives.filter(isHoleOnly);
    if (lost.length > 0) {
      const known = text.origins.filter((origin) => origin !== 'written');
      this.#runEffect(
        program,
        target,
        known.length > 0 ? text.origins : mergeOrigins(text.origins, ['unknown']),
        frame,
        span,
      );
    }
    const rest = text.alternatives.filter((one) => !isHoleOnly(one));
    if (rest.length === 0) return unknownText(text.origins);
    const code = oneOf(rest, text.origins);
    const { environment } = nested;
    if (positional !== undefined) {
      const [name, ...more] = positional;
      environment.scriptName = name ?? knownText(program);
      if (environment !== frame.environment || more.length > 0) environment.positional = keptItems(more);
    }
    if (language === 'shell') return this.#walkText(code, nested, span);
    const outputs = code.alternatives.map((one) =>
      this.#runForeign(language, one, program, nested, frame, span),
    );
    return withOrigins(outputs.reduce(either), text.origins);
  }

  #runForeign(
    language: Language,
    source: string,
    program: string,
    nested: Frame,
    frame: Frame,
    span: Span,
  ): Text {
    const inners = innersOfCode(language, source);
    if (inners !== null) {
      const talks = inners.some(({ kind }) => kind === 'socket');
      const input = talks ? new Input(unknownText(['network']), true) : nested.input;
      const outputs = inners.map((inner) =>
        this.#runInner(inner, program, { ...nested, through: frame.through, input }, span),
      );
      return outputs.length === 0 ? unknownText() : concatAll(outputs);
    }
    const cwd = frame.environment.cwd;
    const surroundings: Surroundings = {
      ...this.#surroundings,
      cwd: cwd.includes(hole) ? this.#surroundings.cwd : cwd,
    };
    const text = source.replaceAll(hole, 'unknown');
    this.#spend(1 + Math.ceil(text.length / 64));
    const facts =
      language === 'python'
        ? this.#languages.python(text, surroundings)
        : this.#languages.javascript(text, surroundings);
    if (facts === null) this.#runEffect(program, { kind: 'none' }, ['unknown'], frame, span);
    else this.#found.adopt(facts, [...frame.through, program], span, frame.environment.cwd);
    const origins: Origin[] = [];
    if (facts?.effects.some(({ kind }) => kind === 'secret') === true) origins.push('secret');
    if (facts?.effects.some(({ kind }) => kind === 'connect') === true) origins.push('network');
    return printedBy(language, source) ?? unknownText(origins);
  }
}

/** Whether it is a file of the project itself, which says nothing of what else a program runs. */
function isOfProject(inner: Inner): boolean {
  return inner.kind === 'file' && inner.ofProject === true;
}

/** Settings that git takes from its environment, as it would take them from its words. */
function gitSettingsIn(environment: Environment): readonly Text[] {
  const settings: Text[] = [];
  for (let index = 0; index < 16; index++) {
    const key = environment.lookUp(`GIT_CONFIG_KEY_${index}`);
    if (key === null) break;
    const value = environment.lookUp(`GIT_CONFIG_VALUE_${index}`);
    settings.push(concatAll([key.text, value?.text ?? emptyText], '='));
  }
  const listed = environment.lookUp('GIT_CONFIG_PARAMETERS');
  if (listed !== null) settings.push(...splitQuoted(singleText(listed.text)).map((word) => knownText(word)));
  return settings.flatMap((setting) => [knownText('-c'), setting]);
}

const mayBeEndless = /^(?:tail|yes|cat|tac|nl)$/;

/** Whether a program fills a file, or the memory, from a source without end. */
function isEndless(program: string, fields: readonly Field[], redirected: boolean, wiring: Wiring): boolean {
  const words = fields.map(({ text }) => singleText(text));
  const source = words.slice(1).some((word) => /^\/dev\/(?:zero|u?random|full)$/.test(word));
  if (program === 'tail') return source && !words.some((word) => /^-[nc]?\+?\d|^-c|^--bytes/.test(word));
  if (!redirected || !(program === 'yes' || source)) return false;
  const target = wiring.descriptors.get(1);
  return target?.kind === 'file' && !/^\/dev\//.test(singleText(target.path));
}

/** Programs that are about a link and not about what it leads to. */
const namesLinks = /^(?:rm|rmdir|unlink|mv|ln|ls|readlink|stat|test|\[|find)$/;

/** Arguments in the vocabulary of the effects, at most so many. */
function valuesOf(args: readonly Text[]): readonly Value[] {
  if (args.length <= maxArguments) return args.map(toValue);
  // Options and places outside the folder are kept wherever they stand.
  const telling = args
    .slice(maxArguments / 2)
    .filter(({ alternatives }) => alternatives.some((text) => /^[-/~]|\.\./.test(text)))
    .slice(0, maxArguments / 2 - 1);
  const kept = [...args.slice(0, maxArguments - 1 - telling.length), ...telling];
  return [...kept.map(toValue), { kind: 'unknown' }];
}

/** Where any of the words came from. */
function originsOf(args: readonly Text[]): readonly Origin[] {
  let origins: readonly Origin[] = none;
  for (const arg of args) origins = mergeOrigins(origins, arg.origins);
  return origins;
}

/** The steps that a text costs by its size. */
function costOf(text: Text): number {
  return text.alternatives.reduce((sum, { length }) => sum + (length >> 8), 0);
}

/** How many rounds of a loop are walked one by one, by how many loops stand around it. */
function passesIn(loops: number): number {
  return loops === 0 ? 16 : loops === 1 ? 4 : 1;
}

/** Items in at most so many groups. */
function grouped(items: readonly Text[], count: number): readonly (readonly Text[])[] {
  if (items.length <= count) return items.map((item) => [item]);
  const size = Math.ceil(items.length / count);
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The programs that a pattern in the place of a command may mean. */
function resolvePattern(pattern: string): readonly string[] {
  if (!/[*?[]|[?*+@!]\(/.test(pattern)) return [pattern];
  // `[` alone is a program.
  if (pattern === '[' || pattern === '[[') return [pattern];
  const found = programsMatching(pattern);
  return found.length === 0 ? [hole] : found;
}

/** What a plain `print` of a constant would print. */
function printedBy(language: Language, source: string): Text | null {
  const printed =
    language === 'python'
      ? /^\s*print\(\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\)\s*;?\s*$/.exec(source)
      : /^\s*console\.log\(\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\)\s*;?\s*$/.exec(source);
  return printed === null ? null : knownText(`${printed[1] ?? printed[2] ?? ''}\n`);
}

/** Whether a part of a script is not known that could be any code; what stands behind a slash is the rest of a path. */
function hasUnknownCode(source: string): boolean {
  return /(?:^|[^/])\uE000/.test(source);
}

/** A file that is written anew while it runs is another one. */
/** A frame in which one more file of code is being run. */
function runningFile(nested: Frame, path: string, frame: Frame): Frame {
  return { ...nested, running: [...nested.running, resolvePath(frame.environment.cwd, path)] };
}

function fileKey(path: string, text: Text): string {
  return `file ${path} ${JSON.stringify(toValue(text))}`;
}
