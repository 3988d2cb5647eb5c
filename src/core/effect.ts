// What commands do, in one vocabulary for guards, rules of users and people: kinds of effects, and a command as read.

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
  /** Data that is carried from where it came to where it goes. */
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
