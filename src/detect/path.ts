// What a path is, by its name alone: secret, of the system, of the home folder, a device, rebuildable, persistent, the guard's.

type SecretKind =
  | 'key' // private keys and key stores
  | 'environment' // .env files
  | 'credentials' // of tools, clouds and package registries
  | 'accounts' // the password files of the system
  | 'browser' // cookies and logins of browsers
  | 'wallet'
  | 'history' // of shells and database clients
  | 'memory'; // environment and memory of processes

type PersistenceKind =
  | 'shell-start'
  | 'cron'
  | 'authorized-keys'
  | 'service'
  | 'git-hook'
  | 'autostart'
  | 'login' // sudoers, PAM, the preload file and the like
  | 'ssh-config';

type DeviceKind =
  | 'disk' // holds file systems
  | 'memory'
  | 'other'
  | 'terminal' // one of somebody else's
  | 'harmless'; // null, zero, the terminal, standard streams

export interface PathFacts {
  /** Absolute, without `.`, `..` and double slashes. */
  readonly absolute: string;
  readonly secret: SecretKind | null;
  /** Whether it is secret only because a pattern of names in it could mean a secret file. */
  readonly guessed: boolean;
  readonly persistence: PersistenceKind | null;
  readonly device: DeviceKind | null;
  /** Of the system: `root` is `/` itself, `tree` a top folder such as /etc, `inside` something in one. */
  readonly system: 'root' | 'tree' | 'inside' | null;
  /** `itself` is the home folder or the folder of all homes. */
  readonly home: 'itself' | 'inside' | null;
  /** Redone: by a build or an installation. */
  readonly rebuildable: boolean;
  readonly temporary: boolean;
  /** Readable by all, but tells how the machine is defended: accounts, logins, keys in use, logs. */
  readonly sensitive: boolean;
  /** The guard's own files, or the files through which an agent calls it. */
  readonly guard: boolean;
}

/** Where a path is read. */
export interface Standpoint {
  readonly cwd: string;
  readonly home: string | null;
}

/** No system opens a longer one. */
const longestPath = 4096;

/** A part that is empty or made of dots, and what the system makes up. */
const needsWork = /\/\.{0,2}(?:\/|$)|^\/proc\//;

/** The absolute form of a path, by its text alone. */
export function normalise(path: string, place: Standpoint): string {
  let text = path.slice(0, longestPath);
  const tilde = text.startsWith('~') ? /^~([A-Za-z_][\w-]*)?(?=\/|$)/.exec(text) : null;
  if (tilde) {
    const [whole, user] = tilde;
    const home = user ? (user === 'root' ? '/root' : `/home/${user}`) : (place.home ?? '/home/user');
    text = home + text.slice(whole.length);
  }
  if (text.startsWith('file://')) text = text.slice('file://'.length);
  if (!text.startsWith('/')) text = `${place.cwd}/${text}`;
  if (!needsWork.test(text)) return text;
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
    // A process's root is the root.
    if (parts[0] === 'proc' && parts.length === 3 && parts[2] === 'root') parts.length = 0;
    if (parts[0] === 'proc' && parts.length === 3 && parts[2] === 'cwd')
      parts.splice(0, 3, ...place.cwd.split('/').filter((name) => name !== ''));
  }
  return `/${parts.join('/')}`;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Names of files that are secret wherever they stand. */
const secretNamesOf: readonly (readonly [SecretKind, string])[] = [
  [
    'key',
    'id_rsa id_dsa id_ecdsa id_ed25519 id_xmss id_ecdsa_sk id_ed25519_sk identity.key private.key server.key privkey.pem private.pem private_key.pem secring.gpg master.key ssh_host_rsa_key ssh_host_ed25519_key ssh_host_ecdsa_key ssh_host_dsa_key',
  ],
  [
    'environment',
    '.env .envrc .env.local .env.production .env.development .env.staging .env.test .env.secret .flaskenv',
  ],
  [
    'credentials',
    '.netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .git-credentials .dockercfg .htpasswd .s3cfg .boto .vault-token .terraformrc credentials.tfrc.json .rclone.conf rclone.conf application_default_credentials.json service-account.json serviceaccount.json client_secret.json credentials.json secrets.json secrets.yml secrets.yaml secrets.toml .secrets kubeconfig .kubeconfig terraform.tfstate wp-config.php .cargo-credentials auth.json hosts.yml .bw_session .yarnrc.yml',
  ],
  ['accounts', 'shadow gshadow master.passwd sam ntds.dit opasswd'],
  [
    'browser',
    'cookies.sqlite logins.json key4.db key3.db signons.sqlite login.keychain login.keychain-db chat.db',
  ],
  ['wallet', 'wallet.dat keystore.jks'],
  [
    'history',
    '.bash_history .zsh_history .sh_history .history .psql_history .mysql_history .sqlite_history .rediscli_history .python_history .node_repl_history .lesshst .mongorc_history .dbshell fish_history',
  ],
];
const secretNames: ReadonlyMap<string, SecretKind> = new Map(
  secretNamesOf.flatMap(([kind, names]) => [...words(names)].map((name) => [name, kind] as const)),
);

/** Names above that mean something only in a certain folder. */
const namesThatNeedFolder: ReadonlyMap<string, RegExp> = new Map([
  ['shadow', /^\/(?:private\/)?etc\/shadow$/],
  ['gshadow', /^\/etc\/gshadow$/],
  ['sam', /\/system32\/config\/sam$/],
  ['auth.json', /\/\.(?:codex|composer|config\/[^/]+|local\/share\/[^/]+)\/auth\.json$/],
  ['chat.db', /\/library\/messages\/chat\.db$/i],
  ['hosts.yml', /\/\.config\/gh\/hosts\.yml$/],
  ['.history', /^(?:\/root|\/home\/[^/]+|\/Users\/[^/]+)\/\.history$/i],
]);

const secretSuffixes: readonly (readonly [RegExp, SecretKind])[] = [
  [/\.(?:key|p12|pfx|jks|keystore|ppk|kdbx|kdb|agilekeychain|asc\.key|gpg\.key|p8)$/, 'key'],
  // Certificates and public keys are made to be shown.
  [
    /^(?!(?:.*[-_.])?(?:certs?|certificate|ca|cacert|ca-bundle|chain|fullchain|csr|dhparams?|pub|public|pubkey)\d*\.pem$).*\.pem$/,
    'key',
  ],
  [
    /^\.env\.(?!example$|sample$|template$|dist$|defaults?$|schema$|d\.ts$|ts$|js$|md$)[\w.-]+$/,
    'environment',
  ],
  [/^[\w-]+\.env$/, 'environment'],
  [/\.tfstate(?:\.backup)?$|\.tfvars$/, 'credentials'],
  [/^(?:.*[_-])?(?:service[_-]?account|client[_-]secret|gcp[_-]key)[\w-]*\.json$/, 'credentials'],
];

/** Folders whose every file is secret, by their names in a row. */
const secretFolders: readonly (readonly [RegExp, SecretKind])[] = [
  [/\/\.ssh(?:\/|$)(?!(?:known_hosts(?:\.old)?|config|[^/]*\.pub|authorized_keys)$)/, 'key'],
  [/\/\.gnupg(?:\/|$)/, 'key'],
  [
    /^\/etc\/ssl\/private(?:\/|$)|^\/etc\/letsencrypt\/(?:live|archive|keys)(?:\/|$)|^\/etc\/pki\/tls\/private(?:\/|$)/,
    'key',
  ],
  [/^\/etc\/ssh\/ssh_host_[^/]*_key$/, 'key'],
  [/\/\.aws\/(?:credentials|config|sso|cli\/cache)(?:\/|$)|\/\.aws$/, 'credentials'],
  [/\/\.azure(?:\/|$)|\/\.config\/gcloud(?:\/|$)|\/\.oci(?:\/|$)|\/\.aliyun(?:\/|$)/, 'credentials'],
  [
    /\/\.kube(?:\/(?!cache)|$)|^\/etc\/kubernetes\/(?:admin|kubelet|controller-manager|scheduler)\.conf$/,
    'credentials',
  ],
  [/\/\.docker\/config\.json$|\/\.config\/containers\/auth\.json$|\/containers\/auth\.json$/, 'credentials'],
  [
    /\/\.cargo\/credentials(?:\.toml)?$|\/\.gem\/credentials$|\/\.m2\/settings(?:-security)?\.xml$|\/\.gradle\/gradle\.properties$|\/\.nuget\/nuget\.config$/,
    'credentials',
  ],
  [
    /\/\.config\/(?:gh|hub|glab-cli|op|doctl|heroku|netlify|vercel|fly|stripe|rclone|configstore|git\/credentials|sops|age)(?:\/|$)/,
    'credentials',
  ],
  [
    /\/\.claude\/\.credentials\.json$|\/\.codex\/auth\.json$|\/\.gemini\/oauth_creds\.json$|\/\.terraform\.d\/credentials\.tfrc\.json$/,
    'credentials',
  ],
  [
    /\/\.password-store(?:\/|$)|\/\.local\/share\/keyrings(?:\/|$)|\/library\/keychains(?:\/|$)/,
    'credentials',
  ],
  [
    /^\/(?:var\/)?run\/secrets(?:\/|$)|^\/etc\/(?:sssd|ipsec\.secrets|ppp\/chap-secrets|krb5\.keytab|openvpn\/.*\.key|wireguard(?:\/|$)|networkmanager\/system-connections(?:\/|$)|sudoers(?:\.d\/|$))/,
    'credentials',
  ],
  [
    /^\/(?:private\/)?etc\/(?:shadow|gshadow|master\.passwd|security\/(?:passwd|opasswd))-?$|^\/var\/(?:lib\/)?backups\/(?:shadow|gshadow|passwd)/,
    'accounts',
  ],
  [
    /\/(?:google-chrome|chromium|microsoft-edge|bravesoftware|vivaldi|opera|google\/chrome|application support\/(?:google|microsoft edge|brave)[^/]*)\/.*(?:cookies|login data|web data|local state)(?:-journal)?$/,
    'browser',
  ],
  [
    /\/\.mozilla\/firefox(?:\/|$)|\/library\/cookies(?:\/|$)|\/application support\/firefox(?:\/|$)/,
    'browser',
  ],
  [
    /\/\.(?:bitcoin|ethereum|electrum|monero|litecoin|dogecoin)(?:\/|$)|\/\.config\/solana\/id\.json$/,
    'wallet',
  ],
  [/^\/proc\/[^/]+\/(?:environ|mem|auxv)$|^\/proc\/kcore$|^\/dev\/(?:mem|kmem)$/, 'memory'],
];

/**
 * Whether a path fits any of the patterns, which are tried as one: almost every path is looked up, and almost none is
 * meant. The one is made with the first path, since a start that asks about none should not pay for it.
 */
function anyOf(patterns: readonly (readonly [RegExp, unknown])[]): (path: string) => boolean {
  let all: RegExp | undefined;
  return (path) => {
    all ??= new RegExp(
      patterns.map(([{ source, flags }]) => (flags === '' ? source : `(?${flags}:${source})`)).join('|'),
    );
    return all.test(path);
  };
}

const hasSecretSuffix = anyOf(secretSuffixes);
const isInSecretFolder = anyOf(secretFolders);

/** Words that a pattern of names could stand for. */
const secretPaths: readonly (readonly [string, SecretKind])[] = [
  ['/etc/shadow', 'accounts'],
  ['/etc/gshadow', 'accounts'],
];

/** Whether a shell pattern without `/` could match a name; a class of letters may be any letter. */
function patternMatches(pattern: string, name: string): boolean {
  const plain = pattern.replace(/\[[^\]]{1,32}\]/g, '?');
  // Only the last star is ever taken back, so the work is at most the product of both lengths.
  let at = 0;
  let place = 0;
  let star = -1;
  let taken = 0;
  while (place < name.length) {
    const letter = plain.charAt(at);
    if (letter === '*') {
      star = at;
      taken = place;
      at += 1;
    } else if (letter !== '' && (letter === '?' || letter === name.charAt(place))) {
      at += 1;
      place += 1;
    } else if (star >= 0) {
      taken += 1;
      place = taken;
      at = star + 1;
    } else return false;
  }
  return /^\**$/.test(plain.slice(at));
}

/** No name that is looked for is longer, nor is a pattern that means one. */
const longestPattern = 64;

function secretOfPattern(absolute: string, base: string): SecretKind | null {
  if (base.length > longestPattern) return null;
  // A pattern that says almost nothing of the name is no reach for a secret.
  const said = base.replace(/\[[^\]]{0,32}\]|[*?]/g, '').length;
  const wild = /[*?[]/;
  if (wild.test(base) && said >= 2) {
    // Almost every pattern begins or ends as no such name does.
    const start = /^[^*?[]*/.exec(base)?.[0] ?? '';
    const end = /[^*?[\]]*$/.exec(base)?.[0] ?? '';
    for (const [name, kind] of secretNames) {
      if (!name.startsWith(start) || !name.endsWith(end) || namesThatNeedFolder.has(name)) continue;
      if (patternMatches(base, name)) return kind;
    }
  }
  const parts = absolute.split('/');
  for (const [path, kind] of secretPaths) {
    const against = path.split('/');
    if (against.length !== parts.length || parts.some((part) => part.length > longestPattern)) continue;
    const letters = absolute.replace(/\[[^\]]{0,32}\]|[*?/]/g, '').length;
    const fits = parts.every((part, at) => patternMatches(part, against[at] ?? ''));
    if (fits && letters >= 3 && said >= 1) return kind;
  }
  return null;
}

function secretOf(absolute: string): SecretKind | null {
  const lower = absolute.toLowerCase();
  return (
    namedSecretOf(lower) ??
    (/[*?[]/.test(lower) ? secretOfPattern(lower, lower.slice(lower.lastIndexOf('/') + 1)) : null)
  );
}

/** What a path in lower case is by the names in it, a pattern taken by the letter. */
function namedSecretOf(lower: string): SecretKind | null {
  const base = lower.slice(lower.lastIndexOf('/') + 1);
  if (base.endsWith('.pub')) return null;
  const named = secretNames.get(base);
  if (named) {
    const folder = namesThatNeedFolder.get(base);
    if (!folder || folder.test(lower)) return named;
  }
  if (hasSecretSuffix(base))
    for (const [pattern, kind] of secretSuffixes) if (pattern.test(base)) return kind;
  if (isInSecretFolder(lower))
    for (const [pattern, kind] of secretFolders) if (pattern.test(lower)) return kind;
  return null;
}

const persistentPaths: readonly (readonly [RegExp, PersistenceKind])[] = [
  [
    /\/\.ssh\/(?:authorized_keys2?|rc|environment)$|^\/etc\/ssh\/(?:authorized_keys|sshrc)/,
    'authorized-keys',
  ],
  [/\/\.ssh\/config$|^\/etc\/ssh\/sshd?_config(?:\.d\/|$)/, 'ssh-config'],
  [
    /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|xprofile|xinitrc|xsession|xsessionrc|inputrc|pam_environment)$/,
    'shell-start',
  ],
  [
    /^\/etc\/(?:profile(?:\.d\/.*)?|bash\.bashrc|bashrc|bash\.bash_logout|zsh\/.*|zshrc|zshenv|zprofile|environment|csh\..*)$/,
    'shell-start',
  ],
  [/\/\.config\/fish\/(?:config\.fish|conf\.d\/.*|functions\/.*)$|\/\.oh-my-zsh\/custom\//, 'shell-start'],
  [
    /^\/etc\/(?:crontab|anacrontab|at\.allow|cron\.allow)$|^\/etc\/cron\.[^/]+(?:\/|$)|^\/var\/spool\/(?:cron|at)(?:\/|$)/,
    'cron',
  ],
  [
    /^\/(?:etc|lib|usr\/lib|run|usr\/local\/lib)\/systemd\/(?:system|user)(?:\/|$)|\/\.config\/systemd\/user(?:\/|$)|\/\.local\/share\/systemd\/user(?:\/|$)/,
    'service',
  ],
  [/^\/etc\/(?:init\.d|rc\d?\.d|init|inittab|rc\.local|xinetd\.d|supervisor)(?:\/|$)/, 'service'],
  [/\/library\/(?:launchagents|launchdaemons|startupitems)(?:\/|$)/i, 'service'],
  [
    /\/\.config\/autostart(?:\/|$)|^\/etc\/xdg\/autostart(?:\/|$)|\/start menu\/programs\/startup(?:\/|$)/i,
    'autostart',
  ],
  [
    /\/(?:\.git|[^/]+\.git)\/hooks\/(?!.*\.sample$)[^/]+$|\/\.husky\/(?:_\/)?[^/]+$|\/\.git\/config$|\/\.gitconfig$|\/\.config\/git\/config$|^\/etc\/gitconfig$/,
    'git-hook',
  ],
  [
    /^\/etc\/(?:sudoers(?:\.d\/.*)?|ld\.so\.preload|ld\.so\.conf(?:\.d\/.*)?|pam\.d\/.*|passwd|shadow|group|gshadow|doas\.conf|polkit-1\/.*|security\/.*|update-motd\.d\/.*|nsswitch\.conf|modules-load\.d\/.*|udev\/rules\.d\/.*)$/,
    'login',
  ],
];

const isPersistent = anyOf(persistentPaths);

function persistenceOf(absolute: string): PersistenceKind | null {
  if (!isPersistent(absolute)) return null;
  for (const [pattern, kind] of persistentPaths) if (pattern.test(absolute)) return kind;
  return null;
}

const harmlessDevices =
  /^\/dev\/(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd(?:\/\d+)?|ptmx|shm(?:\/.*)?|log)$/;
const disks =
  /^\/dev\/(?:sd[a-z*?[]|hd[a-z*?[]|vd[a-z*?[]|xvd[a-z*?[]|nvme|mmcblk|disk|rdisk|md\d|md\/|dm-|mapper\/|loop|sr\d|nbd|zd\d|bcache|pmem|ram\d|fd\d|block\/|ubi|mtd|dasd|[a-z][\w-]*vg[\w-]*\/|vg)/i;

const terminals = /^\/dev\/(?:pts(?:\/|$)|tty(?:v?\d|s\d{3}$)|vcs|console$)/;

/** Whether a path is a terminal by its own name; `/dev/tty` is the one that a program belongs to, and no other. */
export function isTerminalPath(absolute: string): boolean {
  return terminals.test(absolute);
}

function deviceOf(absolute: string): DeviceKind | null {
  if (absolute === '/proc/sysrq-trigger') return 'memory';
  if (absolute.startsWith('/proc/'))
    // What this shell has open, and in a container the log of its first process.
    return /^\/proc\/(?:(?:self|thread-self|%.)\/fd(?:\/|$)|1\/fd\/[12]$)/.test(absolute) ? 'harmless' : null;
  if (!absolute.startsWith('/dev/')) return null;
  if (harmlessDevices.test(absolute)) return 'harmless';
  if (/^\/dev\/(?:mem|kmem|port|nvram)$/.test(absolute)) return 'memory';
  if (disks.test(absolute)) return 'disk';
  return isTerminalPath(absolute) ? 'terminal' : 'other';
}

const systemTrees = words(
  'bin boot dev etc lib lib32 lib64 libx32 opt proc root run sbin srv sys usr var System Library Applications Network cores private Windows nix snap lost+found mnt media Volumes',
);
/** Folders in system trees that are for the work of users. */
const workFolders =
  /^\/(?:var\/(?:tmp|folders)|private\/(?:tmp|var\/(?:tmp|folders))|run\/user\/\d+|mnt\/[^/]+|media\/[^/]+\/[^/]+|Volumes\/[^/]+|srv\/[^/]+|opt\/[^/]+\/[^/]+|var\/www\/[^/]+|dev\/shm)(?:\/|$)/;

function systemOf(absolute: string): PathFacts['system'] {
  if (absolute === '/' || /^\/(?:\*|\.\*|\{.*)$/.test(absolute)) return 'root';
  const [, top = '', ...rest] = absolute.split('/');
  if (/^[A-Za-z]:$/.test(top)) return rest.length === 0 ? 'root' : null;
  if (!systemTrees.has(top)) return null;
  if (rest.length === 0 || (rest.length === 1 && /^(?:\*|\.\*)$/.test(rest[0] ?? ''))) return 'tree';
  return workFolders.test(absolute) ? null : 'inside';
}

function homeOf(absolute: string, home: string | null): PathFacts['home'] {
  const bare = absolute.replace(/\/(?:\*|\.\*|\.\[[^/]*|\.\?\?\*)$/, '');
  if (/^\/(?:home|Users)$/.test(bare) || /^\/(?:home|Users)\/[^/]+$/.test(bare) || bare === '/root')
    return 'itself';
  if (home !== null && home !== '/') {
    if (bare === home) return 'itself';
    if (absolute.startsWith(`${home}/`)) return 'inside';
  }
  return /^\/(?:home|Users)\/[^/]+\/|^\/root\//.test(absolute) ? 'inside' : null;
}

/** Names that are only ever made by tools. */
const madeByTools = words(
  'node_modules bower_components jspm_packages __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .venv venv virtualenv .eggs .ipynb_checkpoints .next .nuxt .output .svelte-kit .turbo .parcel-cache .cache .vite .angular .astro .docusaurus .expo .gradle .dart_tool .nyc_output .vercel .netlify .serverless .terragrunt-cache .webpack .rollup.cache .rpt2_cache .eslintcache .stylelintcache .prettiercache .nx .yarn-cache .pnpm-store .jest-cache .swc DerivedData Pods .bundle .stack-work dist-newstyle .cargo-cache htmlcov storybook-static .sass-cache .zig-cache zig-out .ccls-cache .clangd .scannerwork .import-cache CMakeFiles .metals .bloop .bsp .deno .bun',
);
/** Names that are made by tools when they stand at the top of a project, or end the path. */
const usuallyMade = words(
  'dist build out target coverage _build _site public/build lib-cov test-results playwright-report reports generated logs-cache release debug cmake-build-debug cmake-build-release tmp .tmp temp site-packages artifacts',
);
const madeFiles =
  /(?:\.(?:pyc|pyo|o|obj|class|tsbuildinfo|gcda|gcno|lcov|egg-info|dist-info|d\.ts\.map|js\.map|css\.map|whl)|^\.DS_Store|^Thumbs\.db|^\.coverage|^(?:cmake-build|bazel)-.+|^npm-debug\.log.*|^yarn-error\.log|^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lockb?|(?:yarn|uv|poetry|composer|Cargo|Gemfile|Pipfile|Podfile|mix|pubspec|flake)\.lock))$/;

function rebuildableOf(absolute: string, place: Standpoint): boolean {
  const system = systemOf(absolute);
  if (system === 'root' || system === 'tree') return false;
  if (system === 'inside' && !absolute.startsWith(`${place.cwd}/`)) return false;
  const inside = absolute.startsWith(`${place.cwd}/`) ? absolute.slice(place.cwd.length + 1) : null;
  const parts = (inside ?? absolute).split('/').filter((part) => part !== '');
  const last = plainName(parts.at(-1) ?? '');
  if (parts.some((part) => madeByTools.has(part))) return true;
  if (madeFiles.test(last)) return true;
  if (usuallyMade.has(last) && parts.length > 0) return inside !== null || parts.length > 2;
  return inside !== null && usuallyMade.has(plainName(parts[0] ?? ''));
}

/** Outputs of several builds stand side by side with a number: `dist2`, `build-1`, `out[0-9]`. */
function plainName(name: string): string {
  return name.replace(/[-_.]?(?:\d|\?|\[[\d-]+\])+$/, '');
}

const temporary = /^\/(?:tmp|var\/tmp|private\/tmp|private\/var\/(?:tmp|folders)|var\/folders|dev\/shm)\/./;

const sensitive =
  /^\/etc\/(?:passwd|group|hosts\.(?:allow|deny)|ssh|ssl|pam\.d|pam\.conf|security|sudo\.conf|apt|crontab|fstab|exports|issue|host\.conf|inputrc|wgetrc|login\.defs|ca-certificates|audit|selinux|apparmor)(?:[/-]|$)|^\/(?:root|sys\/kernel|sys\/firmware|var\/(?:lib\/pam|mail|spool)|usr\/share\/(?:base-passwd|pam|keyrings)|boot)(?:\/|$)|^\/var\/log(?:\/?$|\/\*|\/(?:auth|secure|audit|sudo|faillog|tallylog|lastlog|btmp|wtmp|alternatives|dpkg|apt)(?:[./_-]|$))|^\/proc\/(?:cmdline|key-users|keys|kallsyms|devices|modules|net|sys|1(?!\/(?:sched|cgroup|comm|status)$))(?:\/|$)/;

/** What every path of a guard has in it: for others, which are most, the long pattern is not even compiled. */
const guardSigns = /\/\.|sallyport|^\/etc\//;
const guardPaths =
  /\/\.sallyport(?:\/|$)|\/sallyport\.toml$|\/(?:bin|\.bin)\/sallyport$|\/node_modules\/sallyport(?:\/|$)|\/sallyport\.sock$|\/\.claude\/(?:settings(?:\.local)?\.json|hooks(?:\/|$)|managed-settings\.json)|\/\.claude\.json$|\/\.github\/copilot\/settings(?:\.local)?\.json$|\/\.cursor\/(?:hooks(?:\.json|\/)|mcp\.json|permissions\.json)|\/\.codex\/(?:config\.toml|hooks(?:\.json|\/)|rules(?:\/|$))|\/\.(?:gemini|qwen)\/settings\.json$|\/\.qwen\/\.env$|\/\.config\/(?:sallyport|opencode|kilo)(?:\/|$)|\/\.(?:opencode|kilo|kilocode)\/plugins?(?:\/|$)|\/\.github\/hooks(?:\/|$)|\/\.(?:claude|cursor|codex|gemini|qwen)$|\/\.(?:windsurf|codeium|copilot|kiro|cline|roo)\/(?:hooks(?:\.json|\/|$)|config\.json$|mcp\.json$)|^\/etc\/(?:claude-code|codex|gemini-cli|github-copilot|opencode|qwen-code|sallyport)(?:\/|$)/;

/** Everything that the text of a path tells; each answer is worked out when it is asked for, since few are. */
class Classified implements PathFacts {
  readonly absolute: string;
  readonly #path: string;
  readonly #place: Standpoint;
  #secret: PathFacts['secret'] | undefined;

  constructor(path: string, place: Standpoint) {
    this.absolute = normalise(path, place);
    this.#path = path;
    this.#place = place;
  }

  get secret(): PathFacts['secret'] {
    if (this.#secret === undefined) this.#secret = secretOf(this.absolute);
    return this.#secret;
  }

  get guessed(): boolean {
    return this.secret !== null && namedSecretOf(this.absolute.toLowerCase()) === null;
  }

  get persistence(): PathFacts['persistence'] {
    return persistenceOf(this.absolute);
  }

  get device(): PathFacts['device'] {
    return deviceOf(this.absolute);
  }

  get system(): PathFacts['system'] {
    return systemOf(this.absolute);
  }

  get home(): PathFacts['home'] {
    return homeOf(this.absolute, this.#place.home);
  }

  get rebuildable(): boolean {
    return rebuildableOf(this.absolute, this.#place);
  }

  get temporary(): boolean {
    return temporary.test(this.absolute);
  }

  get sensitive(): boolean {
    return sensitive.test(this.absolute);
  }

  get guard(): boolean {
    if (guardSigns.test(this.absolute) && guardPaths.test(this.absolute)) return true;
    return /\$\{?SALLYPORT_HOME\b/.test(this.#path);
  }
}

/** What was asked for last: who reads a path asks about it several times. */
let last: { readonly path: string; readonly place: Standpoint; readonly facts: PathFacts } | undefined;

/** What the text of a path tells. */
export function classify(path: string, { cwd, home }: Standpoint): PathFacts {
  if (last?.path !== path || last.place.cwd !== cwd || last.place.home !== home) {
    const place = { cwd, home };
    last = { path, place, facts: new Classified(path, place) };
  }
  return last.facts;
}

/** An unknown device in /dev may be a disk. */
class MaybeDisk extends Classified {
  override get device(): PathFacts['device'] {
    return 'disk';
  }
}

/** What the beginning of a path tells, where no more of it is known. */
export function classifyBeginning(text: string, place: Standpoint): PathFacts {
  return /^\/dev\/[a-z]{0,2}$/.test(text) ? new MaybeDisk(text, place) : classify(text, place);
}
