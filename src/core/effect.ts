// The effects of commands, in one vocabulary for guards, user-defined rules and display: effects with their targets,
// data flows, and a command as parsed.

export const effectKinds = [
  'read', // of a file or folder
  'write', // create, change, append, move to, link
  'delete',
  'mode', // permissions or owner; `detail` has the mode or owner
  'device', // a write to a raw device
  'format', // a file system made, a partition table changed, storage destroyed
  'connect', // a request to a host; `detail` has the method where known; `origins` of what is sent
  'listen',
  'run', // code that could not be followed is executed; `origins` gives its sources
  'signal', // to other processes; `detail` has the signal
  'attach', // to a process that runs: traced, debugged, its environment or limits; `detail`: how, and `all` of them
  'privilege', // sudo, su, setuid, capabilities, users and groups
  'package', // installed or removed; `detail`: install | remove | update
  'service', // shutdown, reboot, services stopped or changed; `detail` has which
  'setting', // of the machine itself: `detail` has which, as clock, swap, kernel-setting, network-change, hostname
  'firewall',
  'git', // `detail`: discard | rewrite | push | force-push | clean | config | branch-delete | fetch | commit …
  'database', // by a client; `detail`: read | write | drop | truncate | admin
  'cloud', // `detail`: delete | change | read
  'container', // `detail`: delete | prune | run | exec | privileged
  'message', // e-mail, chat
  'deploy', // a release is published: npm publish, terraform apply, kubectl apply
  'persist', // cron, rc files, authorized_keys, services installed
  'secret', // secret material is read or shown
  'tamper', // the guard's own home, hooks, socket or process
  'bomb', // unbounded processes, memory or disk
  'inert', // looks at the system or computes; no change
] as const;

export type EffectKind = (typeof effectKinds)[number];

/** A text as far as it can be known without running anything. */
export type Value =
  | { readonly kind: 'literal'; readonly text: string }
  /** One of a few (at most 16). */
  | { readonly kind: 'choice'; readonly texts: readonly string[] }
  /** Begins with this; the rest is not known. */
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'unknown' };

/** The origin of data, as far as it matters to a judgement. */
export type Origin =
  /** A file or variable that holds secrets. */
  | 'secret'
  /** A host elsewhere. */
  | 'network'
  /** A file that this same script wrote; its content is part of the script. */
  | 'written'
  /** Something that could not be followed. */
  | 'unknown';

export type Target =
  | {
      readonly kind: 'path';
      /** Absolute, or relative to the folder that the command runs in; `~` expanded where HOME is known. */
      readonly path: Value;
      /** It contains a pattern, so it may match many. */
      readonly glob?: boolean;
    }
  | { readonly kind: 'host'; readonly host: Value }
  | { readonly kind: 'name'; readonly name: Value }
  | { readonly kind: 'none' };

/** The content of a write to a file: that of another file (`-`: standard input), or a text. */
export type Content =
  | { readonly kind: 'file'; readonly path: Value }
  | { readonly kind: 'text'; readonly text: Value };

/** One thing that a command would do. */
export interface Effect {
  readonly kind: EffectKind;
  readonly target: Target;
  readonly detail?: string;
  readonly recursive?: boolean;
  readonly force?: boolean;
  /** A rebuild or the tool itself (trash, stash) can restore it. */
  readonly reversible?: boolean;
  /** The origins of the data that is sent, written or run. */
  readonly origins?: readonly Origin[];
  /** The destination of a script's request that could be to the guard's own daemon; a star is an unknown part. */
  readonly addresses?: readonly string[];
  /** The written text, as given to the program; absent if the program produces it. */
  readonly content?: Content;
  /** The program that has the effect, by its base name, and the wrappers around it, outermost first. */
  readonly program: string;
  readonly through: readonly string[];
  /** UTF-16 offsets in the source of the action: the segment that has the effect. */
  readonly span: readonly [number, number];
}

/** One program that would be started: for the rules about which commands and flags there may be. */
export interface Invocation {
  /** Base name; null if it could not be known. */
  readonly program: string | null;
  /** As written, with its path. */
  readonly given: Value;
  readonly args: readonly Value[];
  readonly through: readonly string[];
  readonly span: readonly [number, number];
  /** A shell builtin, or a function or alias of the script itself. */
  readonly builtin: boolean;
  /** `given`: the script itself specifies its input. */
  readonly input?: 'given';
  /** `piped`: another program of the script reads what it prints. */
  readonly output?: 'piped';
  /** `changed`: variables, functions or aliases that the script set may make another program of it. */
  readonly environment?: 'changed';
}

/** The facts about a piece of code. */
export interface CommandFacts {
  /** True where a shell starts something in the background. */
  readonly background?: true;
  readonly effects: readonly Effect[];
  readonly invocations: readonly Invocation[];
  /** The parts that could not be followed, each with its position: asks, never passes. */
  readonly unknowns: readonly { readonly what: string; readonly span: readonly [number, number] }[];
  /** Errors of the parser. */
  readonly errors: readonly string[];
  /** Files that the code wrote, with their resulting content; null if that is unknown. */
  readonly files?: ReadonlyMap<string, string | null>;
}

/** The position in the command, as UTF-16 offsets, and its text. */
interface Placed {
  readonly span: readonly [number, number];
  readonly text: string;
}

/** The guard's reading of a command, with all arguments: for a user who watches, never for records. `…` is unknown. */
export interface CommandView {
  /** The programs that would start, as resolved, wrappers before what they start. */
  readonly parsed: readonly (Placed & {
    readonly program: string | null;
    readonly arguments: readonly string[];
    /** The programs around it, outermost first. */
    readonly through: readonly string[];
    readonly builtin: boolean;
  })[];
  readonly effects: readonly (Placed & {
    readonly kind: EffectKind;
    readonly target: string | null;
    /** The target's absolute path, links followed, and what kind of place it is. */
    readonly path?: string;
    readonly zone?: string;
    readonly detail?: string;
    readonly recursive: boolean;
    readonly force: boolean;
    readonly reversible: boolean;
    readonly program: string;
    readonly through: readonly string[];
  })[];
  /** Data that is carried from its source to its destination. */
  readonly flows: readonly (Placed & {
    readonly from: string;
    readonly sources: readonly string[];
    readonly to: string;
    readonly target: string | null;
    readonly program: string;
  })[];
  readonly unknowns: readonly (Placed & { readonly what: string })[];
  readonly errors: readonly string[];
}
