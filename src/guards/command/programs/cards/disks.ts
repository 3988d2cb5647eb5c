// Partitions, file systems and devices: what makes, checks, changes and erases them.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  list,
  pathTarget,
  read,
  textOf,
  write,
} from '../../tools/tool.ts';
import type { Card, Fact, Given } from '../card.ts';
import { family, table } from '../files.ts';

function formats(call: Call, path: Value | undefined, detail: string, force = false): Effect {
  return effect(call, 'format', { target: path ? pathTarget(path) : { kind: 'none' }, detail, force });
}

const isDevice = (word: Value): boolean => /^\/dev\/|^\\\\\.\\/.test(beginningOf(word));

const mkfs: Card = {
  names:
    'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.msdos mkfs.exfat mkfs.ntfs mkfs.f2fs mkfs.minix mkfs.bfs mkfs.cramfs mkfs.jfs mkfs.reiserfs mkfs.nilfs2 mkfs.udf mkfs.ubifs mkfs.jffs2 mkfs.erofs mkfs.ocfs2 mkfs.gfs2 mke2fs mkdosfs mkntfs mkexfatfs mkswap mkudffs newfs newfs_msdos newfs_apfs newfs_hfs makefs format.com',
  options: 't/type= L= l= b= n= N= m= U= i= s= d= O= E= F f/force V T= I= w= k= r= g=',
  readings: {
    valued: 't type L l b n N m U i s d O E T I w k r g',
    flags: 'F f force V',
  },
  facts: [
    {
      what: 'makes a file system, so that what was there is lost',
      effects: (call, given) => {
        // Only for ext is it a rehearsal; for others it names the volume.
        const dry =
          /ext[234]$|^mke2fs$/.test(call.program) && call.args.some((word) => textOf(word) === '-n');
        if (dry) return inert(call, 'dry-run');
        const devices = given.operands.filter(isDevice);
        const paths = devices.length > 0 ? devices : given.operands.slice(0, 1);
        if (paths.length > 0)
          return paths.map((path) => formats(call, path, 'file-system', given.has('F', 'force')));
        return given.has('V') ? [] : [formats(call, undefined, 'file-system')];
      },
      examples: {
        hit: {
          'mkfs -t ext4 /dev/sda1': 'format /dev/sda1 (file-system)',
          'mkfs.ext4 -F a b': 'format a (file-system) force',
          'mkfs.xfs -f /dev/sda1': 'format /dev/sda1 (file-system) force',
          'mkfs.vfat --force -n NAME /dev/sda1': 'format /dev/sda1 (file-system) force',
          'mkswap x /dev/sda1 /dev/sdb1': 'format /dev/sda1 (file-system); format /dev/sdb1 (file-system)',
          'mke2fs -n /dev/sda1': 'inert (dry-run)',
          'mkfs.<ext2 ext3 ext4> -n /dev/sda1': 'inert (dry-run)',
          'newfs \\\\\\\\.\\\\x': 'format \\\\.\\x (file-system)',
          mkfs: 'format (file-system)',
        },
        miss: ['mkfs -V'],
      },
    },
  ],
};

const erasers = table(`
addpart delpart resizepart | f/force
  changes the table of partitions: format(partition)[force]
    addpart /dev/sda 1 -f → format /dev/sda (partition) force
    delpart /dev/sda 1 --force → format /dev/sda (partition) force
    resizepart → nothing
growpart | f/force dry-run
  changes the table of partitions: !dry-run?format(partition)[force]
    growpart -f /dev/sda 1 → format /dev/sda (partition) force
    growpart --force /dev/sda 1 → format /dev/sda (partition) force
    growpart --dry-run /dev/sda 1 → nothing
blkdiscard sg_format sg_sanitize | f/force o/offset= l/length= p/step= | o offset l length p step
  erases a device: format(erase)[force]…
    blkdiscard -f /dev/sda → format /dev/sda (erase) force
    blkdiscard --force -o 1 /dev/sda → format /dev/sda (erase) force
    sg_format /dev/sda /dev/sdb → format /dev/sda (erase); format /dev/sdb (erase)
    blkdiscard → nothing
resize2fs | f/force P
  makes a file system larger or smaller: !P?format(resize)[force]
    resize2fs /dev/sda1 5G → format /dev/sda1 (resize)
    resize2fs -f /dev/sda1 → format /dev/sda1 (resize) force
    resize2fs --force /dev/sda1 → format /dev/sda1 (resize) force
    resize2fs -P /dev/sda1 → nothing
xfs_growfs | n D= L= R= m= t= | D L R m t
  makes a file system larger: !n?format(resize)
    xfs_growfs /mnt → format /mnt (resize)
    xfs_growfs -n /mnt → nothing
ntfsresize | f/force i/info n/no-action s/size= | s size
  makes a file system larger or smaller: !i,n?format(resize)[force]
    ntfsresize -f -s 5G /dev/sda1 → format /dev/sda1 (resize) force
    ntfsresize --force /dev/sda1 → format /dev/sda1 (resize) force
    ntfsresize -i /dev/sda1 → nothing
    ntfsresize --info /dev/sda1 → nothing
    ntfsresize -n /dev/sda1 → nothing
    ntfsresize --no-action /dev/sda1 → nothing
wipefs | a/all f/force n/no-act o/offset= t/types= b/backup O/output= | o offset t types O output
  erases the signatures of a device: a,o&!n?format(signatures)[force]…
    wipefs -af /dev/sda /dev/sdb → format /dev/sda (signatures) force; format /dev/sdb (signatures) force
    wipefs --all --force /dev/sda → format /dev/sda (signatures) force
    wipefs -o 0x1 /dev/sda → format /dev/sda (signatures)
    wipefs --offset=0x1 /dev/sda → format /dev/sda (signatures)
    wipefs -an /dev/sda → nothing
    wipefs -a --no-act /dev/sda → nothing
    wipefs /dev/sda → nothing
  looks at the signatures of a device: !a,o?list…
    wipefs /dev/sda /dev/sdb → read /dev/sda (list); read /dev/sdb (list)
    wipefs -a /dev/sda → nothing
    wipefs -o 1 /dev/sda → nothing
fdisk cfdisk | l/list/list-details/s/getsz/V/v/x/h b= C= H= o= S= t= sector-size= output= type= cylinders= heads= wipe= w= wipe-partitions= W= | b C H o S t sector-size output type cylinders heads wipe w wipe-partitions W
  changes the table of partitions: !list?format(partition)
    fdisk -w always /dev/sda → format /dev/sda (partition)
    cfdisk -b 512 /dev/sda → format /dev/sda (partition)
    fdisk -l /dev/sda → nothing
    fdisk --list /dev/sda → nothing
  looks at the table of partitions: list?list…
    fdisk -<l x s v V h> /dev/sda /dev/sdb → read /dev/sda (list); read /dev/sdb (list)
    fdisk --<list list-details getsz> /dev/sda → read /dev/sda (list)
    fdisk /dev/sda → nothing
gdisk cgdisk | l
  changes the table of partitions: !l?repartition
    gdisk /dev/sda → format /dev/sda (partition)
    gdisk $DISK → format … (partition)
    gdisk disk.img → nothing
    gdisk -l /dev/sda → nothing
  looks at the table of partitions: l?list…
    gdisk -l /dev/sda /dev/sdb → read /dev/sda (list); read /dev/sdb (list)
    gdisk /dev/sda → nothing
sfdisk | l/list/list-free/list-types/F/T/d/dump/J/json/V/verify/v/s/show-size/show-geometry/show-pt-geometry/g/n/no-act
  changes the table of partitions: !list?repartition
    sfdisk /dev/sda → format /dev/sda (partition)
    sfdisk --delete /dev/sda → format /dev/sda (partition)
    sfdisk disk.img → nothing
    sfdisk -l /dev/sda → nothing
  looks at the table of partitions: list?list…
    sfdisk -<l F T d J V v s g n> /dev/sda /dev/sdb → read /dev/sda (list); read /dev/sdb (list)
    sfdisk --<list list-free list-types dump json verify show-size show-geometry show-pt-geometry no-act> /dev/sda → read /dev/sda (list)
    sfdisk /dev/sda → nothing
sgdisk | p/print/v/verify/O/print-mbr/L/list-types/V/E/end-of-largest/F/first-aligned-in-largest/f/first-in-largest/D/display-alignment i/info= b/backup= a/set-alignment= A/attributes= c/change-name= d/delete= e/move-second-header g/mbrtogpt G/randomize-guids h/hybrid= j/move-main-table= l/load-backup= m/gpttombr= n/new= N/largest-new= o/clear/z/zap/Z/zap-all r/transpose= R/replicate= s/sort S/resize-table= t/typecode= T/transform-bsd= u/partition-guid= U/disk-guid= | i info b backup a set-alignment A attributes c change-name d delete h hybrid j move-main-table l load-backup m gpttombr n new N largest-new r transpose R replicate S resize-table t typecode T transform-bsd u partition-guid U disk-guid
  changes the table of partitions: a,A,c,d,e,g,G,h,j,l,m,n,N,o,r,R,s,S,t,T,u,U,z?format(partition)[force=clear] !a,A,c,d,e,g,G,h,j,l,m,n,N,o,r,R,s,S,t,T,u,U,z,p,i,b?format(partition)
    sgdisk -<a A c d h j l m n N r R S t T u U> 1 /dev/sda → format /dev/sda (partition)
    sgdisk -p -<e g G s> /dev/sda → format /dev/sda (partition)
    sgdisk --<move-second-header mbrtogpt randomize-guids sort> /dev/sda → format /dev/sda (partition)
    sgdisk -<Z z o> /dev/sda → format /dev/sda (partition) force
    sgdisk --<zap-all zap clear> /dev/sda → format /dev/sda (partition) force
    sgdisk /dev/sda → format /dev/sda (partition)
    sgdisk -<p v O L V E F f D> /dev/sda → nothing
    sgdisk --<print verify print-mbr list-types end-of-largest first-aligned-in-largest first-in-largest display-alignment> /dev/sda → nothing
    sgdisk -i 1 /dev/sda → nothing
    sgdisk --info=1 /dev/sda → nothing
    sgdisk -b a /dev/sda → nothing
tmpreaper tmpwatch
  deletes files that are old: skip delete[+recursive]…
    tmpreaper 7d /tmp a → delete /tmp recursive; delete a recursive
    tmpreaper 7d → nothing
ddrescue | f/force r= d b= i= o= s= c= a= | r b i o s c a
  copies a device as far as it can be read: read write[force] write
    ddrescue -f a b c → read a; write b (overwrite) force; write c (overwrite)
    ddrescue --force a b → read a; write b (overwrite) force
    ddrescue → nothing
mkisofs | o/-output= | o -output
  writes an image: o=write(pack)
    mkisofs -o a b → write a (pack)
    mkisofs -output a b → write a (pack)
    mkisofs b → nothing
`);

/** What is looked at, where nothing is changed. */
function looks(call: Call): readonly Effect[] {
  return call.args.filter((word) => /^\/dev\//.test(beginningOf(word))).flatMap((path) => list(call, path));
}

const partedReads =
  /^(?:print|unit|help|version|align-check|free|devices|all|list|s|B|KB|MB|GB|MiB|GiB|%|\d+|opt|min|p|u|quit)$/i;

const parted: Card = {
  names: 'parted gparted',
  options: 'l/list v a/align=',
  readings: { valued: 'a align', flags: 'l list v' },
  facts: [
    {
      what: 'changes the table of partitions, or looks at it',
      effects: (call, given) => {
        const [target, ...words] = given.operands;
        if (target === undefined || given.has('list', 'v')) return looks(call);
        const reads = words.length > 0 && words.every((word) => partedReads.test(textOf(word) ?? ''));
        return reads ? looks(call) : [formats(call, target, 'partition')];
      },
      examples: {
        hit: {
          'parted -s -a opt /dev/sda mklabel gpt': 'format /dev/sda (partition)',
          'parted /dev/sda': 'format /dev/sda (partition)',
          'parted /dev/sda $WORDS': 'format /dev/sda (partition)',
          'parted /dev/sda <print help version free devices all list p quit>': 'read /dev/sda (list)',
          'parted /dev/sda unit <s B KB MB GB MiB GiB %> u s': 'read /dev/sda (list)',
          'parted /dev/sda align-check <opt min> 1': 'read /dev/sda (list)',
          'parted -<l v> /dev/sda': 'read /dev/sda (list)',
          'parted --list /dev/sda': 'read /dev/sda (list)',
        },
        miss: ['parted -l', 'parted'],
      },
    },
  ],
};

const checking: Fact = {
  what: 'repairs a file system, or only looks at it',
  effects: (call, given) => {
    const target = given.operands.at(-1);
    const dry = given.has('n', 'N', 'dry-run', 'readonly', 'check');
    return dry || target === undefined
      ? looks(call)
      : [effect(call, 'device', { target: pathTarget(target), detail: 'repair' })];
  },
  examples: {
    hit: {
      'fsck -y /dev/sda1': 'device /dev/sda1 (repair)',
      'fsck -<n N> /dev/sda1': 'read /dev/sda1 (list)',
      'fsck --<dry-run readonly check> /dev/sda1': 'read /dev/sda1 (list)',
      'fsck disk.img': 'device disk.img (repair)',
    },
    miss: ['fsck', 'fsck -n disk.img'],
  },
};

const checks: Card = {
  names: 'fsck partx kpartx xfs_repair e2label fatlabel e2fsck fsck.ext4',
  options: 'n N dry-run readonly check',
  readings: { flags: 'n N dry-run readonly check' },
  facts: [checking],
};

/** Programs that only look, unless an option says otherwise: what they then do to the devices. */
function unless(
  names: string,
  changes: RegExp,
  done: (call: Call, given: Given<Value>) => readonly Effect[],
  examples: Fact['examples'],
): Card {
  const fact: Fact = {
    what: 'changes or erases a device where an option says so, else looks at it',
    effects: (call, given) =>
      call.args.some((word) => changes.test(beginningOf(word))) ? done(call, given) : looks(call),
    examples,
  };
  return { names, options: '', readings: {}, facts: [fact] };
}

const devices: readonly Card[] = [
  unless(
    'badblocks',
    /^-[a-zA-Z]*w/,
    (call, { operands }) => operands.filter(isDevice).map((path) => formats(call, path, 'erase')),
    {
      hit: {
        'badblocks -sw /dev/sda': 'format /dev/sda (erase)',
        'badblocks -s /dev/sda': 'read /dev/sda (list)',
      },
      miss: ['badblocks', 'badblocks -w a'],
    },
  ),
  unless(
    'hdparm',
    /^--(?:security-erase|trim-sector|make-bad-sector|write-sector|dco-restore|fwdownload|sanitize|please)/,
    (call) => [formats(call, call.args.at(-1), 'erase', true)],
    {
      hit: {
        'hdparm --<security-erase trim-sector-ranges make-bad-sector write-sector dco-restore fwdownload sanitize-block-erase please-destroy-my-drive> x /dev/sda':
          'format /dev/sda (erase) force',
        'hdparm -I /dev/sda': 'read /dev/sda (list)',
      },
      miss: ['hdparm'],
    },
  ),
  unless(
    'blockdev',
    /^--(?:set|flushbufs|rereadpt)/,
    (call, { operands }) =>
      operands.map((path) => effect(call, 'device', { target: pathTarget(path), detail: 'settings' })),
    {
      hit: {
        'blockdev --<setro flushbufs rereadpt> /dev/sda': 'device /dev/sda (settings)',
        'blockdev --getsize64 /dev/sda': 'read /dev/sda (list)',
      },
      miss: ['blockdev --report', 'blockdev --setro'],
    },
  ),
  unless(
    'tune2fs',
    /^$|^-(?!l$)/,
    (call) => [
      effect(call, 'device', {
        target: pathTarget(call.args.at(-1) ?? { kind: 'unknown' }),
        detail: 'settings',
      }),
    ],
    {
      hit: {
        'tune2fs -c 1 /dev/sda1': 'device /dev/sda1 (settings)',
        'tune2fs $WORDS': 'device … (settings)',
        'tune2fs -l /dev/sda1': 'read /dev/sda1 (list)',
      },
      miss: ['tune2fs', 'tune2fs -l a'],
    },
  ),
  unless('partprobe', /(?!)/, () => [], {
    hit: { 'partprobe /dev/sda': 'read /dev/sda (list)' },
    miss: ['partprobe'],
  }),
];

/** A program that always does the same to the machine. */
function always(
  names: string,
  what: string,
  hit: Fact['examples']['hit'],
  kind: Effect['kind'],
  detail: string,
): Card {
  const effects: Fact['effects'] = (call) => [effect(call, kind, { detail })];
  return {
    names,
    options: '',
    readings: {},
    facts: [{ what, always: true, effects, examples: { hit, miss: [] } }],
  };
}

const swap: Card = {
  names: 'swapon',
  options: 's/summary show?',
  readings: { flags: 's summary', attached: 'show' },
  facts: [
    {
      what: 'gives the machine more room for memory on a disk',
      effects: (call, given) =>
        call.args.length === 0 || given.has('summary', 'show')
          ? []
          : [effect(call, 'setting', { detail: 'swap' })],
      examples: {
        hit: { 'swapon -a': 'setting (swap)', 'swapon /dev/sda2': 'setting (swap)' },
        miss: ['swapon', 'swapon -s', 'swapon --<show summary show=NAME>'],
      },
    },
  ],
};

/** The file behind `-f`, also in a bundle such as `0uf`. */
function dumpFile({ args }: Call): Value | undefined {
  const at = args.findIndex((word) => /^-?[0-9a-zA-Z]*f$/.test(beginningOf(word)));
  return at < 0 ? undefined : args[at + 1];
}

const dump: Card = {
  names: 'dump restore',
  options: '',
  readings: {},
  facts: [
    {
      what: 'packs a file system, or unpacks one here',
      effects: (call) => {
        const file = dumpFile(call);
        if (call.program === 'restore') {
          const here = {
            target: pathTarget({ kind: 'literal', text: '.' }),
            detail: 'unpack',
            recursive: true,
          };
          return [effect(call, 'write', here), ...(file ? read(call, file) : [])];
        }
        const sources = call.args.filter((word) => /^\/dev\//.test(beginningOf(word)));
        return [
          ...sources.flatMap((path) => read(call, path)),
          ...(file ? write(call, file, { detail: 'pack' }) : []),
        ];
      },
      examples: {
        hit: {
          'dump -0uf a /dev/sda1': 'read /dev/sda1; write a (pack)',
          'dump 0f a /home': 'write a (pack)',
          'restore -rf a': 'write . (unpack) recursive; read a',
          'restore -i': 'write . (unpack) recursive',
        },
        miss: ['dump -W'],
      },
    },
  ],
};

const quiet = family('', `\nfstrim vgck\n`);

export const cards: readonly Card[] = [
  mkfs,
  ...erasers,
  parted,
  checks,
  ...devices,
  always('swapoff', 'takes room for memory away', { 'swapoff -a': 'setting (swap)' }, 'setting', 'swap'),
  swap,
  always('quotaoff', 'lets all fill the disk', { 'quotaoff -a': 'setting (quota)' }, 'setting', 'quota'),
  always(
    'pivot_root',
    'gives the machine another root folder',
    { 'pivot_root a b': 'privilege (root-folder)' },
    'privilege',
    'root-folder',
  ),
  always('diskpart', 'changes partitions', { 'diskpart /s a': 'format (partition)' }, 'format', 'partition'),
  always(
    'trimforce',
    'changes how disks erase',
    { 'trimforce enable': 'device (settings)' },
    'device',
    'settings',
  ),
  dump,
  ...quiet,
];
