// The kinds of effects that commands have: one vocabulary for guards, rules of users and policy.

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
