// Programs and words of the shell that tell, compute or show something and change nothing: a secret file that they are
// handed is read. Those that can do more have a fact for it.

import { beginningOf, effect, literal, nameTarget, pathTarget, textOf, write } from '../../tools/tool.ts';
import { type Card, type Fact, ofOptions } from '../card.ts';

/** Words of the shell that only touch the shell itself, and programs that tell about the machine. */
const machine: Card = {
  names:
    'xhost ispell clip inkscape mplayer mpv vlc uuid qstat sinfo squeue parec aplay paplay arecord fbi eog evince okular ccze geoiplookup dropbox-cli xev xinput setxkbmap nm-applet amixer alsamixer pactl pacmd playerctl brightnessctl light xbacklight clamscan clamdscan chkrootkit rkhunter lynis speedtest speedtest-cli espeak ac aha xauth hddtemp smartctl tlp-stat zabbix_get ghq gita echo printf true false : cd pushd popd dirs pwd exit return break continue shift set unset export readonly declare typeset local let read getopts getopt hash type alias unalias shopt compopt enable help jobs fg bg disown wait suspend times ulimit caller logout lockfile ifne errno sleep usleep yes seq jot expr bc factor numfmt units qalc calc nproc arch uname hostid domainname dnsdomainname whoami who w users id groups logname tty tput reset clear infocmp tic toe tset resize locale localedef getconf uptime free vmstat iostat mpstat sar dstat top htop atop btop glances nmon iotop iftop nethogs bmon powertop pstree pgrep pidof pwdx pmap lsof ss netstat lsns lscpu lsmem lspci lsusb lshw lsmod lsipc ipcs modinfo inxi hwinfo hwloc-ls sensors acpi upower biosdecode cal ncal which whereis whatis apropos info tldr cheat mandb tzselect zdump logger namei pathchk sync mountpoint findmnt dircolors mesg mcookie uuidgen pwgen apg xdpyinfo xrandr xset xprop xwininfo notify-send zenity say open xdg-open start explorer wslpath cygpath ver where autoenv starship zoxide z sk peco lolcat figlet toilet fortune sl cmatrix pinfo banner lsb_release sw_vers system_profiler fastfetch ioreg scutil mdls dscacheutil afplay pmset xcode-select textutil dumpsys getprop screencap setopt unsetopt whence rehash print zstyle bindkey compinit compdef nvidia-smi rocm-smi cpuid lstopo ]] ] login systemd-analyze systemd-detect-virt systemd-cgls systemd-cgtop systemd-escape systemd-id128 systemd-path udevadm bootctl',
  options: '',
  readings: {},
  idle: true,
  facts: [],
};

/** Viewers, counters and filters. */
const viewers: Card = {
  names:
    'vulkaninfo glxinfo glxgears eglinfo vainfo lslocks lslogins lsfd lsscsi lsinitrd fincore filefrag uuidparse pinky gron jless htmlq pup jtbl choose tuc datamash csvgrep csvsort csvformat csvclean csvjson in2csv csv2tsv tidy-viewer envsubst gettext ngettext colcrt isutf8 enca cmark grex duf dfc dysk gdu dua dutree diskonaut procs btm bpytop bottom gtop bandwhich vnstat tuptime uprecords ctop onefetch pfetch screenfetch macchina rfetch tty-clock cava cbonsai glow mdp pdffonts pdfgrep mimetype fc-list fc-match fc-scan fc-pattern zipgrep javap jps monodis dexdump llvm-config llvm-bcanalyzer pg_config cups-config ipcalc sipcalc numbat eva sdcv wn gcal jcal lpq lpinfo diff-so-fancy interdiff diffoscope tqdm hashid checksec rcsdiff rlog ident jxlinfo gdalinfo ogrinfo mp3info wdctl iwlist repquota sacct sreport sdiag rc-status pactree pkgfile paclog expac checkupdates equery portageq namcap debsecan deborphan dpigs apt-show-versions powerstat radeontop nvtop amdgpu_top cpufreq-info on_ac_power decode-dimms xlsclients xdriinfo wev git-sizer typeinc toipe nms pastel pwqgen xkcdpass makepasswd exrex fakedata lorem semver pretty-bytes fselect colorls lsix catimg viu timg chafa imgcat pixterm jp2a img2txt pygmentize chroma',
  options: '',
  readings: {},
  idle: true,
  facts: [],
};

function idle(names: string, fact: Fact, card: Partial<Card> = {}): Card {
  return { names, options: '', readings: {}, idle: true, ...card, facts: [fact] };
}

const first = (args: readonly Parameters<typeof beginningOf>[0][]): string =>
  beginningOf(args[0] ?? literal(''));

const history = idle('history', {
  what: 'deletes what was typed before',
  effects: (call) =>
    call.args.some((argument) => /^-[a-z]*[cdw]/.test(beginningOf(argument)))
      ? [effect(call, 'delete', { detail: 'history', target: nameTarget(literal('history')) })]
      : [],
  examples: {
    hit: { 'history -<c d w>': 'delete history (history)', 'history -ac': 'delete history (history)' },
    miss: ['history', 'history 5', 'history -a'],
  },
});

const settings = idle('gsettings dconf', {
  what: 'changes settings of the desktop',
  effects: (call) =>
    (call.program === 'dconf' ? /^(?:write|reset|load)$/ : /^(?:set|reset|reset-recursively)$/).test(
      first(call.args),
    )
      ? [effect(call, 'write', { detail: 'settings', target: nameTarget(call.args[1]) })]
      : [],
  examples: {
    hit: {
      'gsettings <set reset reset-recursively> org.a x': 'write org.a (settings)',
      'dconf <write reset load> /a x': 'write /a (settings)',
    },
    miss: ['gsettings get org.a x', 'gsettings write a', 'dconf read /a', 'dconf set /a', 'dconf dump /'],
  },
});

const gio = idle('gio', {
  what: 'deletes files, or puts them where they can be taken back from',
  effects: (call) =>
    /^(?:trash|remove)$/.test(first(call.args))
      ? call.args.slice(1).map((path) =>
          effect(call, 'delete', {
            target: pathTarget(path),
            reversible: textOf(call.args[0]) === 'trash',
            recursive: true,
          }),
        )
      : [],
  examples: {
    hit: { 'gio remove a': 'delete a recursive', 'gio trash a': 'delete a recursive reversible' },
    miss: ['gio list a', 'gio cat a'],
  },
});

/** Methods of the bus that only tell. */
const tells = /\.(?:Introspect|Get\w*|List\w*|Ping|NameHasOwner)$/;

const bus = idle('dbus-send', {
  what: 'calls a method of a service',
  effects: (call) => {
    const method = call.args.map(beginningOf).findLast((text) => /^[\w.]+\.\w+$/.test(text));
    return method === undefined || tells.test(method)
      ? []
      : [effect(call, 'service', { detail: 'bus', target: nameTarget(literal(method)) })];
  },
  examples: {
    hit: { 'dbus-send --print-reply /a org.b.Reload': 'service org.b.Reload (bus)' },
    miss: ['dbus-send /a', 'dbus-send /a a.<Introspect GetAll ListNames Ping NameHasOwner>'],
  },
});

const busctl = idle('busctl', {
  what: 'calls a method of a service, or starts a program for the bus',
  effects: (call) => {
    if (call.args.some((argument) => /unixexec:/.test(beginningOf(argument))))
      return [effect(call, 'run', { detail: 'helper' })];
    return /^(?:call|set-property|emit)$/.test(first(call.args))
      ? [effect(call, 'service', { detail: 'bus', target: nameTarget(call.args[1]) })]
      : [];
  },
  examples: {
    hit: {
      'busctl <call set-property emit> org.a': 'service org.a (bus)',
      'busctl --address=unixexec:path=a list': 'run (helper)',
    },
    miss: ['busctl list', 'busctl status org.a'],
  },
});

const hostname = idle('hostname', {
  what: 'sets the name of the machine',
  effects: (call) =>
    /^(?:[^-]|-[Fb]|--file)/.test(first(call.args))
      ? [effect(call, 'setting', { detail: 'hostname', target: nameTarget(call.args.at(-1)) })]
      : [],
  examples: {
    hit: {
      'hostname a': 'setting a (hostname)',
      'hostname -<F b> a': 'setting a (hostname)',
      'hostname --file a': 'setting a (hostname)',
    },
    miss: ['hostname', 'hostname -I'],
  },
});

const libraries = idle('ldconfig', {
  what: 'sets up the libraries of the machine anew',
  effects: (call) =>
    call.args.some((argument) => /^-[pvV]/.test(beginningOf(argument)))
      ? []
      : [effect(call, 'package', { detail: 'libraries' })],
  examples: { hit: { ldconfig: 'package (libraries)' }, miss: ['ldconfig -<p v V>'] },
});

const releases = idle('goreleaser', {
  what: 'publishes a release, or builds one inside the project',
  always: true,
  effects: (call) => {
    const dry = call.args.some((argument) => /^--(?:snapshot|skip)/.test(beginningOf(argument)));
    const publishes = first(call.args) === 'release' && !dry;
    return [
      publishes
        ? effect(call, 'deploy', { detail: 'publish' })
        : effect(call, 'inert', { detail: 'project' }),
    ];
  },
  examples: {
    hit: {
      'goreleaser release': 'deploy (publish)',
      'goreleaser build': 'inert (project)',
      'goreleaser release --<snapshot skip>': 'inert (project)',
    },
    miss: [],
  },
});

const signatures = idle('cosign', {
  what: 'signs what is published',
  effects: (call) =>
    /^(?:verify|tree|triangulate|version)/.test(first(call.args))
      ? []
      : [effect(call, 'deploy', { detail: 'sign' })],
  examples: {
    hit: { 'cosign sign a': 'deploy (sign)' },
    miss: ['cosign <verify tree triangulate version> a'],
  },
});

const tables = idle(
  'dmidecode',
  {
    what: 'writes tables of the machine to a file',
    effects: ofOptions('dump-bin', (call, path) => write(call, path, { detail: 'overwrite' })),
    examples: { hit: { 'dmidecode --dump-bin a': 'write a (overwrite)' }, miss: ['dmidecode -t 1'] },
  },
  { options: 'dump-bin=', readings: { valued: 'dump-bin' } },
);

const cows = idle(
  'cowsay cowthink',
  {
    what: 'runs the file that draws the cow',
    effects: ofOptions('f', (call, path) =>
      /\//.test(beginningOf(path))
        ? [effect(call, 'run', { detail: 'script', target: pathTarget(path) })]
        : [],
    ),
    examples: {
      hit: { '<cowsay cowthink> -f ./a.cow hi': 'run ./a.cow (script)' },
      miss: ['cowsay -f tux hi', 'cowsay ./a'],
    },
  },
  { options: 'f= e= T= W=', readings: { valued: 'f e T W' } },
);

const gimp = idle(
  'gimp',
  {
    what: 'runs code without a window',
    effects: ofOptions('batch', (call, code) => [
      effect(call, 'run', { detail: 'inline', target: nameTarget(code) }),
    ]),
    examples: {
      hit: { 'gimp -i -b x': 'run x (inline)', 'gimp --batch=x': 'run x (inline)' },
      miss: ['gimp a.png'],
    },
  },
  { options: 'b/batch= batch-interpreter=', readings: { valued: 'b batch batch-interpreter' } },
);

const dc = idle('dc', {
  what: 'runs a command of the shell',
  effects: (call) =>
    call.args.some((argument) => /(?:^|\s)!/.test(beginningOf(argument)))
      ? [effect(call, 'run', { detail: 'inline' })]
      : [],
  examples: {
    hit: { "dc -e '1 !ls'": 'run (inline)', 'dc !ls': 'run (inline)' },
    miss: ["dc -e '2 3+p'", "dc 'a!'"],
  },
});

/** Options with which TeX runs commands, or another program in its place. */
const texHelper = /^--?shell-escape|write18|^-(?:pdf)?latex=|^-e$/;

const tex = idle('latex pdflatex xelatex lualatex latexmk tex pdftex', {
  what: 'works inside the project, or runs commands that a document names',
  always: true,
  effects: (call) => {
    const helper = call.args.find((argument) => texHelper.test(beginningOf(argument)));
    return helper === undefined
      ? [effect(call, 'inert', { detail: 'project' })]
      : [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })];
  },
  examples: {
    hit: {
      '<latex pdflatex xelatex lualatex latexmk tex pdftex> a.tex': 'inert (project)',
      'tex <-shell-escape --shell-escape --enable-write18 input-write18> a': 'run <> (helper)',
      'latexmk <-latex=x -pdflatex=x -e> a': 'run <> (helper)',
    },
    miss: [],
  },
});

const memory = idle('ipcrm', {
  what: 'deletes memory that programs share',
  always: true,
  effects: (call) => [effect(call, 'delete', { detail: 'memory' })],
  examples: { hit: { 'ipcrm -a': 'delete (memory)' }, miss: [] },
});

const keys = idle('xdotool', {
  what: 'types and clicks in the place of the person',
  always: true,
  effects: (call) => [effect(call, 'run', { detail: 'input' })],
  examples: { hit: { 'xdotool key a': 'run (input)' }, miss: [] },
});

export const cards = [
  machine,
  viewers,
  history,
  settings,
  gio,
  bus,
  busctl,
  hostname,
  libraries,
  releases,
  signatures,
  tables,
  cows,
  gimp,
  dc,
  tex,
  memory,
  keys,
];
