// Programs that start the command behind their own options, and change only how it runs.

import { singleText } from '../../bash/values.ts';
import type { Card } from '../card.ts';
import { fact } from '../phrases.ts';
import { wraps } from '../wrappers.ts';

const plain = [
  wraps({
    names:
      'nohup setsid unbuffer chronic catchsegv i386 x86_64 eatmydata torsocks torify noglob nocorrect coproc ddrescue-run dbus-launch flatpak-spawn valgrind builtin',
    hit: {
      'nohup rm -rf a': 'program: rm -rf a',
      'setsid -w a -b': 'program: a -b',
      'valgrind --tool=memcheck -- a b': 'program: a b',
      'nohup $SHELL -c b': 'program: … -c b',
    },
  }),
  wraps({
    names: 'nice',
    options: 'n/adjustment=',
    readings: 'n adjustment',
    hit: { 'nice -n 5 a b': 'program: a b', 'nice -19 a': 'program: a' },
  }),
  wraps({
    names: 'numactl',
    options: 'i/interleave= C/physcpubind= N/cpunodebind= m/membind= p/preferred= P/preferred-many=',
    readings: 'i interleave C physcpubind N cpunodebind m membind p preferred P preferred-many',
    hit: { 'numactl -C 1 --membind 0 a b': 'program: a b', 'numactl -l a': 'program: a' },
  }),
  wraps({
    names: 'timeout gtimeout',
    options: 'k/kill-after= s/signal=',
    readings: 'k kill-after s signal',
    words: 1,
    hit: { 'timeout -k 5 --signal=9 10s a -b': 'program: a -b', 'gtimeout 5 -- a': 'program: a' },
    miss: ['timeout', 'timeout 5'],
  }),
  wraps({
    names: 'time gtime',
    options: 'f/format= o/output= a/append',
    readings: 'f format o output; a append',
    hit: { 'time -p a b': 'program: a b', 'gtime -f %e -o t.txt a': 'program: a' },
    facts: [
      fact({
        what: 'writes how long it took',
        says: 'write <-o> (overwrite)',
        without: 'append',
        examples: {
          hit: { 'gtime -o t.txt a': 'write t.txt (overwrite)' },
          miss: ['gtime a -o b', 'gtime -ao t.txt a'],
        },
      }),
      fact({
        what: 'adds how long it took',
        says: 'write <-o> (append)',
        with: 'append',
        examples: { hit: { 'gtime -ao t.txt a': 'write t.txt (append)' }, miss: ['gtime -o t.txt a'] },
      }),
    ],
  }),
  wraps({ names: 'ts', hit: { 'ts -s rm a': 'program: rm a' } }),
  wraps({
    names: 'logsave',
    words: 1,
    hit: { 'logsave -a a.log rm b': 'program: rm b' },
    miss: ['logsave a.log'],
    facts: [
      fact({
        what: 'writes what the program prints',
        says: 'write <1> (overwrite)',
        examples: { hit: { 'logsave -a a.log rm b': 'write a.log (overwrite)' }, miss: ['logsave'] },
      }),
    ],
  }),
  wraps({
    names: 'stdbuf',
    options: 'i/input= o/output= e/error=',
    readings: 'i input o output e error',
    hit: { 'stdbuf -oL -e 0 a b': 'program: a b' },
  }),
  wraps({
    names: 'flock',
    options: 'w/wait/timeout= E/conflict-exit-code= c/command=',
    readings: 'w wait timeout E conflict-exit-code c command',
    words: 1,
    shell: 'command',
    hit: {
      'flock -w 5 a.lock b c': 'program: b c',
      'flock a.lock -c "a | b"': 'shell code: a | b',
      'flock --command "a | b" a.lock': 'shell code: a | b',
      'flock -n a.lock -- b': 'program: b',
    },
    miss: ['flock', 'flock 200', 'flock -u 200'],
  }),
  wraps({
    names: 'lckdo',
    options: 'W= E=',
    readings: 'W E',
    words: 1,
    hit: { 'lckdo -W 5 a.lock b': 'program: b' },
    miss: ['lckdo a.lock'],
  }),
  wraps({
    names: 'linux32 linux64',
    alone: 'shell',
    hit: { 'linux32 a b': 'program: a b', linux64: 'program: sh' },
  }),
  wraps({
    names: 'fakeroot',
    options: 'l/lib= s= i= b= faked=',
    readings: 'l lib s i b faked',
    alone: 'shell',
    hit: { 'fakeroot -i a b c': 'program: b c', fakeroot: 'program: sh' },
  }),
  wraps({
    names: 'fakechroot',
    options: 'l= c= e=',
    readings: 'l c e',
    alone: 'shell',
    hit: { 'fakechroot -e a b c': 'program: b c', fakechroot: 'program: sh' },
  }),
  wraps({
    names: 'proot',
    options: 'r/rootfs= b/bind/m/mount= w/pwd/cwd= k= q=',
    readings: 'r rootfs b bind m mount w pwd cwd k q',
    alone: 'shell',
    hit: { 'proot -r a -b b c': 'program: c', proot: 'program: sh' },
  }),
  wraps({
    names: 'chroot',
    options: 'groups= userspec=',
    readings: 'groups userspec',
    words: 1,
    alone: 'shell',
    hit: { 'chroot --userspec a b c d': 'program: c d', 'chroot b': 'program: sh' },
  }),
  wraps({
    names: 'unshare',
    options:
      'S/setuid= G/setgid= R/root= w/wd= l/load-interp= T= map-user= map-group= map-users= map-groups= propagation=',
    readings:
      'S setuid G setgid R root w wd l load-interp T map-user map-group map-users map-groups propagation',
    alone: 'shell',
    hit: { 'unshare -r --wd a b c': 'program: b c', 'unshare -r': 'program: sh' },
  }),
  wraps({
    names: 'systemd-run run0',
    options:
      'u/unit= p/property= H/host= M/machine= G/gid= E/setenv= d/working-directory/chdir= D= g/group= user= uid= slice= description= nice= on-active= on-boot= on-calendar= timer-property= path-property= service-type=',
    readings:
      'u unit p property H host M machine G gid E setenv d working-directory chdir D g group user uid slice description nice on-active on-boot on-calendar timer-property path-property service-type',
    hit: {
      'systemd-run -u a --on-active=5 b c': 'program: b c',
      'run0 -u root rm -rf a': 'program: rm -rf a',
    },
  }),
  wraps({
    names: 'systemd-inhibit',
    options: 'what= who= why= mode=',
    readings: 'what who why mode',
    hit: { 'systemd-inhibit --what sleep a b': 'program: a b' },
  }),
  wraps({
    names: 'systemd-cat',
    options: 't/identifier= p/priority= stderr-priority= level-prefix= namespace=',
    readings: 't identifier p priority stderr-priority level-prefix namespace',
    hit: { 'systemd-cat -t a b c': 'program: b c' },
  }),
  wraps({
    names: 'dbus-run-session',
    options: 'config-file= dbus-daemon=',
    readings: 'config-file dbus-daemon',
    hit: { 'dbus-run-session --config-file a -- b c': 'program: b c' },
  }),
  wraps({
    names: 'xvfb-run',
    options: 'n/server-num= e/error-file= s/server-args= f/auth-file= p/xauth-protocol= w/wait=',
    readings: 'n server-num e error-file s server-args f auth-file p xauth-protocol w wait',
    hit: { 'xvfb-run -a -s "-screen 0" a b': 'program: a b' },
  }),
  wraps({
    names: 'daemonize',
    options: 'c= e= o= p= l= u= E=',
    readings: 'c e o p l u E',
    hit: { 'daemonize -a -c / a b': 'program: a b' },
  }),
  wraps({
    names: 'daemon',
    options: 'n/name= u/user= F/pidfile= D/chdir= o/output= e/stdout= l/stderr= r= O=',
    readings: 'n name u user F pidfile D chdir o output e stdout l stderr r O',
    hit: { 'daemon -n a -- b c': 'program: b c' },
  }),
  wraps({
    names: 'aa-exec',
    options: 'p/profile= n/namespace= f/file=',
    readings: 'p profile n namespace f file',
    hit: { 'aa-exec -p a -- b c': 'program: b c' },
  }),
  wraps({
    names: 'multitime',
    options: 'b= c= f= i= I= l= m= n= o= r=',
    readings: 'b c f i I l m n o r',
    hit: { 'multitime -n 5 a b': 'program: a b' },
  }),
  wraps({
    names: 'caffeinate',
    options: 't= w=',
    readings: 't w',
    hit: { 'caffeinate -i -t 5 a b': 'program: a b' },
  }),
  wraps({ names: 'cgexec', options: 'g=', readings: 'g', hit: { 'cgexec -g cpu:a b c': 'program: b c' } }),
  wraps({
    names: 'proxychains proxychains4',
    options: 'f=',
    readings: 'f',
    hit: { 'proxychains4 -q -f a.conf b c': 'program: b c' },
  }),
  wraps({
    names: 'faketime',
    words: 1,
    hit: { 'faketime -f @0 a b': 'program: a b', 'faketime 2020-01-01 a': 'program: a' },
    miss: ['faketime a'],
  }),
  wraps({ names: 'exec', options: 'a=', readings: 'a', hit: { 'exec -a name a b': 'program: a b' } }),
  wraps({
    names: 'rlwrap',
    options: 'a? b= C= D= e= f= g= H= l= m? M= O= p? P= q= s= S= t= w= z=',
    readings: 'b C D e f g H l M O P q s S t w z;; a m p',
    hit: { 'rlwrap -f a -pred b c': 'program: b c', 'rlwrap -c -w 5 b': 'program: b' },
    facts: [
      fact({
        what: 'starts a filter',
        says: 'shell code: <-z>',
        examples: { hit: { 'rlwrap -z ./f b': 'shell code: ./f' }, miss: ['rlwrap b -z c'] },
      }),
    ],
  }),
  wraps({
    names: 'watch viddy',
    options: 'n/interval= q/equexit=',
    readings: 'n interval q equexit',
    joined: true,
    hit: { 'watch -n 5 a b "|" c': 'shell code: a b | c' },
  }),
  wraps({
    names: 'sshpass',
    options: 'p= f= d= P=',
    readings: 'p f d P',
    hit: { 'sshpass -p a ssh b': 'program: ssh b' },
  }),
  wraps({
    names: 'dtach abduco',
    words: 1,
    hit: { 'dtach -c a.sock b c': 'program: b c' },
    miss: ['abduco -l', 'dtach a.sock'],
  }),
  wraps({
    names: 'distrobox',
    subcommands: 'enter',
    words: 1,
    dashed: true,
    hit: {
      'distrobox enter -T a -- b c': 'program: b c',
      'distrobox enter a b': 'program: b',
      'distrobox enter a b -- c': 'program: c',
    },
    miss: ['distrobox list', 'distrobox enter a'],
  }),
  wraps({
    names: 'toolbox',
    options: 'c/container= d/distro= r/release=',
    readings: 'c container d distro r release',
    subcommands: 'run',
    hit: { 'toolbox run -c a b c': 'program: b c' },
    miss: ['toolbox list a', 'toolbox'],
  }),
  wraps({
    names: 'wsl',
    options: 'd/distribution= u/user= cd=',
    readings: 'd distribution u user cd',
    hit: { 'wsl -d a --cd b -- c d': 'program: c d' },
  }),
  wraps({
    names: 'gum',
    options:
      's/spinner= title= align= a= spinner.background= spinner.foreground= spinner.border= spinner.border-background= spinner.border-foreground= spinner.align= spinner.height= spinner.width= spinner.margin= spinner.padding= title.background= title.foreground= title.border= title.border-background= title.border-foreground= title.align= title.height= title.width= title.margin= title.padding=',
    readings:
      's spinner title align a spinner.background spinner.foreground spinner.border spinner.border-background spinner.border-foreground spinner.align spinner.height spinner.width spinner.margin spinner.padding title.background title.foreground title.border title.border-background title.border-foreground title.align title.height title.width title.margin title.padding',
    subcommands: 'spin',
    dashed: true,
    hit: { 'gum spin -s dot --title a b -- c': 'program: c', 'gum spin a': 'program: a' },
    miss: ['gum choose a', 'gum'],
  }),
  wraps({
    names: 'srun',
    options:
      'A/account= C= D= G= J/job-name= L= M= N/nodes= S= T= b= c/cpus-per-task= d= e/error= i= m= n/ntasks= o/output= p/partition= q= t/time= w= x= mem= gres=',
    readings:
      'A account C D G J job-name L M N nodes S T b c cpus-per-task d e error i m n ntasks o output p partition q t time w x mem gres',
    hit: { 'srun -n 4 --mem 1G a b': 'program: a b' },
  }),
];

/** The architecture stands before the command, where it is given. */
const setarch: Card = {
  names: 'setarch',
  options: '',
  manner: { stopAtOperand: true, stopAtUnknown: true },
  readings: '',
  facts: [
    {
      what: 'starts the command behind its options',
      starts: (_, given) => {
        const named = /^(?:linux|i\d86$|x86_64$|aarch64$|arm|ppc|s390|uname)/.test(
          singleText(given.operands[0]),
        );
        const argv = given.behind(named ? 1 : 0);
        return argv.length === 0 ? [] : [{ kind: 'argv', argv }];
      },
      examples: {
        hit: {
          'setarch <linux32 i686 x86_64 aarch64 armv7l ppc64 s390x uname26> -R a b': 'program: a b',
          'setarch -R a': 'program: a',
          'setarch $NAME -b': 'program: … -b',
        },
        miss: ['setarch', 'setarch x86_64'],
      },
    },
  ],
};

const startStopDaemon: Card = {
  names: 'start-stop-daemon',
  options:
    'x/exec= a/startas= n/name= u/user= p/pidfile= c/chuid= g/group= d/chdir= s/signal= R/retry= N/nicelevel=',
  readings: 'x exec a startas n name u user p pidfile c chuid g group d chdir s signal R retry N nicelevel',
  facts: [
    {
      what: 'starts a daemon',
      starts: (_, given) => {
        const program = given.last('startas', 'exec');
        return program === undefined
          ? []
          : [{ kind: 'argv', argv: [program, ...(given.behindDashes ?? [])] }];
      },
      examples: {
        hit: {
          'start-stop-daemon -S -x a -- b c': 'program: a b c',
          'start-stop-daemon --startas=a': 'program: a',
        },
        miss: ['start-stop-daemon -n a', 'start-stop-daemon a -- b'],
      },
    },
  ],
};

const pidstat: Card = {
  names: 'pidstat',
  options: 'e= C= G= p= U= T= w',
  readings: 'e C G p U T; w',
  facts: [
    {
      what: 'watches a command that it starts',
      starts: ({ args }, given) => {
        const program = given.last('e');
        const at = program === undefined ? -1 : args.indexOf(program);
        return at === -1 ? [] : [{ kind: 'argv', argv: args.slice(at) }];
      },
      examples: { hit: { 'pidstat 1 -e a b -c': 'program: a b -c' }, miss: ['pidstat 1 5', 'pidstat -p 1'] },
    },
  ],
};

export const cards = [...plain, setarch, startStopDaemon, pidstat];
