// Disks, partitions, file systems and volumes.

import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  options,
  orInert,
  pathTarget,
  read,
  remove,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from './tool.ts';

const wide = options('t/type= L= l= b= n= N= m= U= i= s= d= O= E= F q f/force v V c T= I= K w= k r= g= x o');

function format(call: Call, path: Value | undefined, detail: string, force = false): Effect {
  return effect(call, 'format', {
    target: path ? pathTarget(path) : { kind: 'none' },
    detail,
    ...(force ? { force } : {}),
  });
}

/** The operands that are devices, or else the first operand. */
function devices(operands: readonly Value[]): readonly Value[] {
  const found = operands.filter((operand) => /^\/dev\/|^\\\\\.\\/.test(beginningOf(operand)));
  return found.length > 0 ? found : operands.slice(0, 1);
}

const mkfs: Tool = (call) => {
  // Only for ext is it a rehearsal; for others it names the volume.
  if (/ext[234]$|^mke2fs$/.test(call.program) && call.args.some((argument) => textOf(argument) === '-n'))
    return inert(call, 'dry-run');
  const given = wide(call.args);
  const targets = devices(given.operands);
  if (targets.length === 0) return given.has('V') ? inert(call) : [format(call, undefined, 'file-system')];
  return targets.map((path) => format(call, path, 'file-system', given.has('F', 'force')));
};

/** A tool that always changes the storage it is given. */
const destroys =
  (detail: string, readOnly?: RegExp): Tool =>
  (call) => {
    if (readOnly && call.args.some((argument) => readOnly.test(beginningOf(argument))))
      return readsDevices(call);
    const given = wide(call.args);
    const targets = given.operands.length > 0 ? given.operands : [undefined];
    return targets.map((path) => format(call, path, detail, given.has('f', 'force')));
  };

const readsDevices: Tool = (call) =>
  orInert(
    call,
    call.args
      .filter((argument) => /^\/dev\//.test(beginningOf(argument)))
      .flatMap((path) => read(call, path, { detail: 'list' })),
  );

const fdisk: Tool = (call) => {
  const lists = call.args.some((argument) =>
    /^(?:-[a-zA-Z]*l|--list.*|-s|--getsz|-V|--version|-v|-x|--help|-h)$/.test(textOf(argument) ?? ''),
  );
  const target = call.args.find((argument) => /^\/dev\//.test(beginningOf(argument))) ?? call.args.at(-1);
  return lists || !target ? readsDevices(call) : [format(call, target, 'partition')];
};

const gdisk: Tool = (call) => {
  const lists = call.args.some((argument) => textOf(argument) === '-l');
  const target = call.args.find((argument) => /^\/dev\//.test(beginningOf(argument)));
  return lists || !target ? readsDevices(call) : [format(call, target, 'partition')];
};

const sfdisk: Tool = (call) => {
  const lists = call.args.some((argument) =>
    /^(?:-[ldFTJVsgvn]|--(?:list.*|no-act|dump|json|verify|show-.*|version|help))$/.test(
      textOf(argument) ?? '',
    ),
  );
  const target = call.args.find((argument) => /^\/dev\//.test(beginningOf(argument)));
  return lists || !target ? readsDevices(call) : [format(call, target, 'partition')];
};

const sgdisk: Tool = (call) => {
  const lists =
    call.args.every((argument) =>
      /^(?:-p|--print|-v|--verify|-i.*|--info.*|-b.*|--backup.*|-O|-L|--list-types|-V|--version|-[EFfD]|[^-].*)$/.test(
        beginningOf(argument),
      ),
    ) && call.args.some((argument) => beginningOf(argument).startsWith('-'));
  const target = call.args.find((argument) => /^\/dev\//.test(beginningOf(argument))) ?? call.args.at(-1);
  return lists || !target
    ? readsDevices(call)
    : [
        format(
          call,
          target,
          'partition',
          call.args.some((argument) => /^(?:-Z|--zap-all|-z|--zap|-o|--clear)$/.test(textOf(argument) ?? '')),
        ),
      ];
};

const partedOptions = options('s/script a/align= m/machine l/list f/fix j/json h v/version');
const parted: Tool = (call) => {
  const given = partedOptions(call.args);
  const [target, ...commands] = given.operands;
  if (given.has('list', 'version') || !target) return readsDevices(call);
  const texts = commands.map((command) => textOf(command));
  if (
    texts.length > 0 &&
    texts.every(
      (text) =>
        text !== null &&
        /^(?:print|unit|help|version|align-check|free|devices|all|list|s|B|KB|MB|GB|MiB|GiB|%|\d+|opt|min|p|u|quit)$/i.test(
          text,
        ),
    )
  )
    return readsDevices(call);
  return [format(call, target, 'partition')];
};

const wipefsOptions = options(
  'a/all b/backup f/force i/noheadings J/json n/no-act o/offset= O/output= p/parsable q t/types= lock?',
);
const wipefs: Tool = (call) => {
  const given = wipefsOptions(call.args);
  if (!given.has('all', 'offset') || given.has('no-act')) return readsDevices(call);
  return given.operands.map((path) => format(call, path, 'signatures', given.has('force')));
};

/** LVM: `lvremove`, or `lvm lvremove`. */
const lvmOptions = options(
  'f/force y/yes n/name= L/size= l/extents= t/test v/verbose s/snapshot r/resizefs Z/zero= W= i= I= A= a= autobackup= addtag= deltag= type= poolname= S/select= reportformat= config= profile= devices= devicesfile= all',
);
function lvm(action: string): Tool {
  return (call) => {
    const given = lvmOptions(call.args);
    if (given.has('test', 'h', 'help', 'longhelp')) return inert(call, 'dry-run');
    const detail = /remove|reduce/.test(action) ? 'volume-delete' : 'volume';
    if (given.operands.length > 0)
      return given.operands.map((path) => format(call, path, detail, given.has('force', 'yes')));
    // With nothing named, some take all there is; the others only say that they want a name.
    const takesAll = /change$|port$/.test(action) || given.has('select', 'all');
    return takesAll ? [format(call, undefined, detail)] : inert(call);
  };
}
const lvmCommands = [
  'lvremove',
  'vgremove',
  'pvremove',
  'lvreduce',
  'vgreduce',
  'lvresize',
  'lvcreate',
  'vgcreate',
  'pvcreate',
  'lvextend',
  'vgextend',
  'lvconvert',
  'lvrename',
  'vgrename',
  'pvmove',
  'pvresize',
  'vgmerge',
  'vgsplit',
  'lvchange',
  'vgchange',
  'pvchange',
  'vgcfgrestore',
  'vgexport',
  'vgimport',
] as const;

/** zfs, zpool, btrfs, mdadm, cryptsetup, …: by their subcommand. */
function bySubcommand(words: { readonly destroys: RegExp; readonly changes: RegExp }, detail: string): Tool {
  return (call) => {
    const texts = call.args.map(
      (argument) => textOf(argument) ?? (argument.kind === 'prefix' ? argument.text : null),
    );
    const unknown = texts[0] === null;
    const said = texts.filter((text) => text !== null).join(' ');
    const last = call.args.findLast((argument) => !beginningOf(argument).startsWith('-'));
    const forced = texts.some((text) => text !== null && /^-[a-zA-Z]*[fR]|^--force/.test(text));
    if (texts.some((text) => text === '-n' || text === '--dry-run') && /^(?:destroy|create|add)/.test(said))
      return inert(call, 'dry-run');
    if (unknown) return [format(call, last, detail)];
    if (words.destroys.test(said)) return [format(call, last, `${detail}-delete`, forced)];
    if (words.changes.test(said)) return [format(call, last, detail)];
    return inert(call);
  };
}

const mountOptions = options(
  't/types= o/options= O/test-opts= L/label= U/uuid= a/all r/read-only w/rw B/bind R/rbind M/move v/verbose n l f/fake F i s source= target= T/fstab= options-mode= make-shared make-private N/namespace= m/mkdir?',
);
const mount: Tool = (call) => {
  const given = mountOptions(call.args);
  const lists =
    given.operands.length === 0 && !given.has('all', 'label', 'uuid', 'bind', 'move', 'source', 'options');
  if (lists || (given.has('l') && given.operands.length === 0)) return inert(call);
  const target = given.operands.at(-1) ?? given.last('target');
  const how = given.all('options').map(beginningOf).join(',');
  // The same folder under a second name, with all that is in it.
  const binds = given.has('bind', 'rbind', 'move') || /(?:^|,)r?bind(?:,|$)/.test(how);
  const source = given.last('source') ?? given.operands.at(-2);
  return [
    ...(binds && source ? read(call, source, { detail: 'mount', recursive: true }) : []),
    effect(call, 'write', {
      target: target ? pathTarget(target) : pathTarget(unknownValue),
      detail: how.includes('remount') ? 'remount' : 'mount',
    }),
  ];
};

const umount: Tool = (call) => {
  const given = mountOptions(call.args);
  const targets = given.operands.length > 0 ? given.operands : given.has('a', 'all') ? [literal('/')] : [];
  return orInert(
    call,
    targets.map((path) =>
      effect(call, 'write', { target: pathTarget(path), detail: 'unmount', force: given.has('f', 'l') }),
    ),
  );
};

const blockdev: Tool = (call) => {
  const changes = call.args.some((argument) => /^--(?:set|flushbufs|rereadpt)/.test(beginningOf(argument)));
  return changes
    ? call.args
        .filter((argument) => !beginningOf(argument).startsWith('-'))
        .map((path) => effect(call, 'device', { target: pathTarget(path), detail: 'settings' }))
    : readsDevices(call);
};

const hdparm: Tool = (call) => {
  const destroysData = call.args.some((argument) =>
    /^--(?:security-erase|trim-sector|make-bad-sector|write-sector|dco-restore|fwdownload|sanitize|please)/.test(
      beginningOf(argument),
    ),
  );
  return destroysData ? [format(call, call.args.at(-1), 'erase', true)] : readsDevices(call);
};

const checks: Tool = (call) => {
  const looks = call.args.some((argument) =>
    /^-[a-zA-Z]*[nN]|^--(?:dry-run|readonly|check)/.test(beginningOf(argument)),
  );
  const target = call.args.findLast((argument) => !beginningOf(argument).startsWith('-'));
  return looks || !target
    ? readsDevices(call)
    : [effect(call, 'device', { target: pathTarget(target), detail: 'repair' })];
};

const diskutil: Tool = bySubcommand(
  {
    destroys:
      /^(?:quiet )?(?:erase|zero|random|secureErase|partitionDisk|reformat|apfs (?:delete|erase)|cs delete|appleRAID delete|eraseDisk|eraseVolume)/i,
    changes: /^(?:resize|split|merge|add|rename|unmount|eject|enable|disable|apfs|moveVolume|repair)/i,
  },
  'volume',
);

const dump: Tool = (call) => {
  const out = /** the file after -f, also in a bundle such as -0f */ call.args.findIndex((argument) =>
    /^-?[0-9a-zA-Z]*f$/.test(beginningOf(argument)),
  );
  const target = out >= 0 ? call.args[out + 1] : undefined;
  if (call.program === 'restore')
    return [
      effect(call, 'write', { target: pathTarget(literal('.')), detail: 'unpack', recursive: true }),
      ...(target ? read(call, target) : []),
    ];
  return [
    ...call.args
      .filter((argument) => /^\/dev\//.test(beginningOf(argument)))
      .flatMap((path) => read(call, path)),
    ...(target ? write(call, target, { detail: 'pack' }) : []),
  ];
};

const dmsetup = bySubcommand(
  {
    destroys: /^(?:remove|remove_all|wipe_table|clear)/,
    changes: /^(?:create|load|rename|resume|suspend|message)/,
  },
  'volume',
);

export const diskTools: Tools = {
  mkfs,
  ...Object.fromEntries(
    [
      'ext2',
      'ext3',
      'ext4',
      'xfs',
      'btrfs',
      'vfat',
      'fat',
      'msdos',
      'exfat',
      'ntfs',
      'f2fs',
      'minix',
      'bfs',
      'cramfs',
      'jfs',
      'reiserfs',
      'nilfs2',
      'udf',
      'ubifs',
      'jffs2',
      'erofs',
      'ocfs2',
      'gfs2',
    ].map((name) => [`mkfs.${name}`, mkfs]),
  ),
  mke2fs: mkfs,
  mkdosfs: mkfs,
  mkntfs: mkfs,
  mkexfatfs: mkfs,
  mkswap: mkfs,
  mkudffs: mkfs,
  newfs: mkfs,
  newfs_msdos: mkfs,
  newfs_apfs: mkfs,
  newfs_hfs: mkfs,
  makefs: mkfs,
  fdisk,
  cfdisk: fdisk,
  gdisk,
  cgdisk: gdisk,
  sfdisk,
  sgdisk,
  parted,
  gparted: parted,
  partprobe: readsDevices,
  partx: checks,
  kpartx: checks,
  addpart: destroys('partition'),
  delpart: destroys('partition'),
  resizepart: destroys('partition'),
  growpart: destroys('partition', /^--dry-run$/),
  wipefs,
  blkdiscard: destroys('erase'),
  blkzone: destroys('erase', /^report$/),
  badblocks: (call) =>
    call.args.some((argument) => /^-[a-zA-Z]*w/.test(beginningOf(argument)))
      ? call.args
          .filter((argument) => /^\/dev\//.test(beginningOf(argument)))
          .map((path) => format(call, path, 'erase'))
      : readsDevices(call),
  nvme: bySubcommand(
    {
      destroys: /^(?:format|sanitize|write-zeroes|write-uncor|delete-ns|dsm)/,
      changes: /^(?:write|create-ns|attach-ns|detach-ns|fw-|set-feature|reset|security-send)/,
    },
    'device',
  ),
  sg_format: destroys('erase'),
  sg_sanitize: destroys('erase'),
  hdparm,
  blockdev,
  ...Object.fromEntries(lvmCommands.map((name) => [name, lvm(name)])),
  lvm: (call) => {
    const [first, ...rest] = call.args;
    const name = textOf(first ?? unknownValue);
    if (name === null) return [format(call, undefined, 'volume')];
    return lvmCommands.some((command) => command === name) ? lvm(name)({ ...call, args: rest }) : inert(call);
  },
  zfs: bySubcommand(
    {
      destroys: /^(?:destroy|rollback)/,
      changes:
        /^(?:create|set|inherit|rename|promote|receive|recv|load-key|unload-key|change-key|mount|unmount|upgrade|allow|unallow|clone|snapshot)/,
    },
    'volume',
  ),
  zpool: bySubcommand(
    {
      destroys: /^(?:destroy|labelclear)/,
      changes:
        /^(?:create|add|remove|attach|detach|replace|offline|online|export|import|split|set|upgrade|reguid|clear|trim|initialize)/,
    },
    'volume',
  ),
  btrfs: bySubcommand(
    {
      destroys: /^(?:sub\w* del\w*|dev\w* (?:del\w*|rem\w*)|check --(?:repair|init)|rescue|subvolume delete)/,
      changes:
        /^(?:sub\w* (?:create|snapshot|set)|dev\w* (?:add|replace)|fi\w* (?:resize|label|defrag)|balance|receive|quota|qgroup|replace|property set|scrub)/,
    },
    'volume',
  ),
  bcachefs: bySubcommand(
    { destroys: /^(?:format|device remove)/, changes: /^(?:device|fsck|data)/ },
    'volume',
  ),
  mdadm: bySubcommand(
    {
      destroys: /--zero-superblock|--remove|-r\b|--fail|-f\b|--stop|-S\b/,
      changes: /--create|-C\b|--grow|-G\b|--add|-a\b|--assemble|-A\b|--manage/,
    },
    'volume',
  ),
  cryptsetup: bySubcommand(
    {
      destroys:
        /(?:^| )(?:luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt|luksHeaderRestore|tcryptWipe|format)(?: |$)/i,
      changes:
        /(?:^| )(?:open|close|luksOpen|luksClose|luksAddKey|luksChangeKey|resize|convert|config|luksSuspend|luksResume|repair|create|remove|token|luksConvertKey)(?: |$)/i,
    },
    'encryption',
  ),
  dmsetup,
  losetup: (call) =>
    call.args.some((argument) => /^-[a-zA-Z]*[fdDPc]|^--(?:find|detach)/.test(beginningOf(argument)))
      ? [effect(call, 'device', { detail: 'loop' })]
      : inert(call),
  tune2fs: (call) =>
    call.args.every((argument) => /^(?:-l|[^-].*)$/.test(beginningOf(argument)))
      ? readsDevices(call)
      : [
          effect(call, 'device', {
            target: pathTarget(call.args.at(-1) ?? unknownValue),
            detail: 'settings',
          }),
        ],
  resize2fs: destroys('resize', /^-P$/),
  xfs_growfs: destroys('resize', /^-n$/),
  xfs_repair: checks,
  ntfsresize: destroys('resize', /^(?:-i|--info|-n|--no-action)/),
  e2label: checks,
  fatlabel: checks,
  fsck: checks,
  e2fsck: checks,
  'fsck.ext4': checks,
  debugfs: (call) =>
    call.args.some((argument) => /^-[a-zA-Z]*w/.test(beginningOf(argument)))
      ? [effect(call, 'device', { target: pathTarget(call.args.at(-1) ?? unknownValue), detail: 'edit' })]
      : orInert(
          call,
          call.args
            .filter((argument) => !beginningOf(argument).startsWith('-'))
            .flatMap((path) => read(call, path)),
        ),
  fstrim: (call) => inert(call),
  mount,
  umount,
  fusermount: umount,
  udisksctl: bySubcommand(
    { destroys: /^power-off/, changes: /^(?:mount|unmount|unlock|lock|loop)/ },
    'volume',
  ),
  pivot_root: (call) => [effect(call, 'privilege', { detail: 'root-folder' })],
  swapon: (call) =>
    call.args.some((argument) => /^(?:-s|--show|--summary)/.test(beginningOf(argument))) ||
    call.args.length === 0
      ? inert(call)
      : [effect(call, 'setting', { detail: 'swap' })],
  swapoff: (call) => [effect(call, 'setting', { detail: 'swap' })],
  diskutil,
  hdiutil: bySubcommand({ destroys: /^(?:erasekeys)/, changes: /^(?:resize|compact|chpass)/ }, 'volume'),
  asr: destroys('restore'),
  dump,
  restore: dump,
  ddrescue: (call) => {
    const given = options('f/force n r= d b= i= o= s= c= v q a= S t')(call.args);
    const [source, destination, map] = given.operands;
    return [
      ...(source ? read(call, source) : []),
      ...(destination ? write(call, destination, { detail: 'overwrite', force: given.has('force') }) : []),
      ...(map ? write(call, map, { detail: 'overwrite' }) : []),
    ];
  },
  mkisofs: (call) =>
    orInert(
      call,
      call.args.flatMap((argument, at) =>
        /^-o$|^-output$/.test(textOf(argument) ?? '')
          ? write(call, call.args[at + 1] ?? unknownValue, { detail: 'pack' })
          : [],
      ),
    ),
  quotaoff: (call) => [effect(call, 'setting', { detail: 'quota' })],
  'format.com': mkfs,
  diskpart: (call) => [format(call, undefined, 'partition')],
  vgck: (call) => inert(call),
  trimforce: (call) => [effect(call, 'device', { detail: 'settings' })],
  tmpreaper: (call) =>
    call.args
      .filter((argument) => /^[/~.]/.test(beginningOf(argument)))
      .flatMap((path) => remove(call, path, { recursive: true })),
  tmpwatch: (call) =>
    call.args
      .filter((argument) => /^[/~.]/.test(beginningOf(argument)))
      .flatMap((path) => remove(call, path, { recursive: true })),
};
