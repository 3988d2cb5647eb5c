// What commands do, in one vocabulary for guards, rules of users and people: effects with their targets, how data flows,
// and a command as read.

export const effectKinds = [
  'read', // of a file or folder
  'write', // create, change, append, move to, link
  'delete',
  'mode', // permissions or owner; `detail` has the mode or owner
  'device', // a write to a raw device
  'format', // a file system made, a partition table changed, storage destroyed
  'connect', // a request to a host; `detail` has the method where known; `origins` of what is sent
  'listen',
  'run', // code that could not be followed is executed; `origins` says where it came from
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
  'deploy', // a release goes somewhere: npm publish, terraform apply, kubectl apply
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

/** Where data came from, as far as that matters to a judgement. */
export type Origin =
  /** A file or variable that holds secrets. */
  | 'secret'
  /** A host elsewhere. */
  | 'network'
  /** A file that this same script wrote; what it wrote is part of the script. */
  | 'written'
  /** Something that could not be followed. */
  | 'unknown';

export type Target =
  | {
      readonly kind: 'path';
      /** Absolute, or relative to the folder that the command runs in; `~` expanded where HOME is known. */
      readonly path: Value;
      /** A pattern of names stands in it, so it may be many. */
      readonly glob?: boolean;
    }
  | { readonly kind: 'host'; readonly host: Value }
  | { readonly kind: 'name'; readonly name: Value }
  | { readonly kind: 'none' };

/** What a write puts into its file: what another file holds (`-`: what comes in), or a text. */
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
  /** Where the data that is sent, written or run came from. */
  readonly origins?: readonly Origin[];
  /** Where a request of a script goes that could be to the guard's own daemon; a star is a part that is not known. */
  readonly addresses?: readonly string[];
  /** What is written, as the program was given it; absent where the program makes it. */
  readonly content?: Content;
  /** The program that has the effect, by its base name, and the wrappers around it, outermost first. */
  readonly program: string;
  readonly through: readonly string[];
  /** UTF-16 offsets in the source of the action: the segment that has the effect. */
  readonly span: readonly [number, number];
}

/** One program that would be started: for the rules about which commands and flags there may be. */
export interface Invocation {
  /** Base name; null where it could not be known. */
  readonly program: string | null;
  /** As written, with its path. */
  readonly given: Value;
  readonly args: readonly Value[];
  readonly through: readonly string[];
  readonly span: readonly [number, number];
  /** A shell builtin, or a function or alias of the script itself. */
  readonly builtin: boolean;
  /** `given`: the script itself says what it reads. */
  readonly input?: 'given';
  /** `piped`: another program of the script reads what it prints. */
  readonly output?: 'piped';
  /** `changed`: variables, functions or aliases that the script set may make another program of it. */
  readonly environment?: 'changed';
}

/** What is known about a piece of code. */
export interface CommandFacts {
  /** True where a shell starts something in the background. */
  readonly background?: true;
  readonly effects: readonly Effect[];
  readonly invocations: readonly Invocation[];
  /** What could not be followed, each with its place: asks, never passes. */
  readonly unknowns: readonly { readonly what: string; readonly span: readonly [number, number] }[];
  /** Errors of the parser. */
  readonly errors: readonly string[];
  /** Files that the code wrote, with what then stands in them; null where that is not known. */
  readonly files?: ReadonlyMap<string, string | null>;
}

/** Where in the command, as UTF-16 offsets, and what stands there. */
interface Placed {
  readonly span: readonly [number, number];
  readonly text: string;
}

/** What a guard read in a command, arguments and all: for a person who looks on, never for records. `…` is not known. */
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
