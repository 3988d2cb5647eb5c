// Volumes, arrays and encrypted devices, and where file systems are mounted.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  pathTarget,
  read,
  textOf,
  unknownValue,
} from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';

function formats(call: Call, path: Value | undefined, detail: string, force = false): Effect {
  return effect(call, 'format', { target: path ? pathTarget(path) : { kind: 'none' }, detail, force });
}

// ── LVM: `lvremove`, or `lvm lvremove`.

const lvmNames =
  'lvremove vgremove pvremove lvreduce vgreduce lvresize lvcreate vgcreate pvcreate lvextend vgextend lvconvert lvrename vgrename pvmove pvresize vgmerge vgsplit lvchange vgchange pvchange vgcfgrestore vgexport vgimport';

const lvmOptions =
  'f/force y/yes n/name= L/size= l/extents= t/test Z/zero= W= i= I= A= a= autobackup= addtag= deltag= type= poolname= S/select= reportformat= config= profile= devices= devicesfile= all h/longhelp';

const lvm: Card = {
  names: `lvm ${lvmNames}`,
  options: lvmOptions,
  readings: {
    valued:
      'n name L size l extents Z zero W i I A a autobackup addtag deltag type poolname S select reportformat config profile devices devicesfile',
    flags: 'f force y yes t test all h longhelp',
  },
  facts: [
    {
      what: 'makes, changes or deletes volumes',
      effects: (call, given) => {
        const [first, ...rest] = given.operands;
        const action = call.program === 'lvm' ? textOf(first) : call.program;
        if (action === null) return [formats(call, undefined, 'volume')];
        if (!lvmNames.split(' ').includes(action)) return [];
        if (given.has('test', 'h')) return inert(call, 'dry-run');
        const detail = /remove|reduce/.test(action) ? 'volume-delete' : 'volume';
        const volumes = call.program === 'lvm' ? rest : given.operands;
        if (volumes.length > 0)
          return volumes.map((path) => formats(call, path, detail, given.has('force', 'yes')));
        // With nothing named, some take all there is; the others only say that they want a name.
        const takesAll = /change$|port$/.test(action) || given.has('select', 'all');
        return takesAll ? [formats(call, undefined, detail)] : [];
      },
      examples: {
        hit: {
          '<lvremove vgremove pvremove lvreduce vgreduce> a b':
            'format a (volume-delete); format b (volume-delete)',
          '<lvresize lvcreate vgcreate pvcreate lvextend vgextend lvconvert lvrename vgrename pvmove pvresize vgmerge vgsplit lvchange vgchange pvchange vgcfgrestore vgexport vgimport> a':
            'format a (volume)',
          'lvm <lvremove vgremove pvremove lvreduce vgreduce> a': 'format a (volume-delete)',
          'lvm <lvresize lvcreate vgcreate pvcreate lvextend vgextend lvconvert lvrename vgrename pvmove pvresize vgmerge vgsplit lvchange vgchange pvchange vgcfgrestore vgexport vgimport> a':
            'format a (volume)',
          'lvm $VERB a': 'format (volume)',
          lvm: 'format (volume)',
          'lvremove -<f y> a': 'format a (volume-delete) force',
          'lvremove --<force yes> a': 'format a (volume-delete) force',
          'lvremove -<t h> a': 'inert (dry-run)',
          'lvremove --<test longhelp> a': 'inert (dry-run)',
          'lvremove -S x': 'format (volume-delete)',
          'lvremove --<select=x all>': 'format (volume-delete)',
          '<lvchange vgexport vgimport> -a y': 'format (volume)',
        },
        miss: ['lvm lvs a', 'lvremove', 'lvcreate -L 1G'],
      },
    },
  ],
};

// ── Programs that say by a subcommand what they do.

interface Words {
  readonly names: string;
  /** What the words begin with that delete, and that change something. */
  readonly destroys: RegExp;
  readonly changes: RegExp;
  /** What is changed, as the detail of the effect. */
  readonly detail: string;
  readonly examples: Fact['examples'];
}

function byWords({ names, destroys, changes, detail, examples }: Words): Card {
  const effects: Fact['effects'] = (call) => {
    const texts = call.args.map((word) => (word.kind === 'unknown' ? null : beginningOf(word)));
    const said = texts.filter((text) => text !== null).join(' ');
    const target = call.args.findLast((word) => !beginningOf(word).startsWith('-'));
    const dry = texts.some((text) => text === '-n' || text === '--dry-run');
    if (dry && /^(?:destroy|create|add)/.test(said)) return inert(call, 'dry-run');
    if (texts[0] === null) return [formats(call, target, detail)];
    const force = texts.some((text) => text !== null && /^-[a-zA-Z]*[fR]|^--force/.test(text));
    if (destroys.test(said)) return [formats(call, target, `${detail}-delete`, force)];
    return changes.test(said) ? [formats(call, target, detail)] : [];
  };
  return {
    names,
    options: '',
    readings: {},
    facts: [{ what: 'makes, changes or deletes what it manages', effects, examples }],
  };
}

const managers: readonly Card[] = [
  byWords({
    names: 'zfs',
    destroys: /^(?:destroy|rollback)/,
    changes:
      /^(?:create|set|inherit|rename|promote|receive|recv|load-key|unload-key|change-key|mount|unmount|upgrade|allow|unallow|clone|snapshot)/,
    detail: 'volume',
    examples: {
      hit: {
        'zfs <destroy rollback> a': 'format a (volume-delete)',
        'zfs destroy -<R f rf> a': 'format a (volume-delete) force',
        'zfs destroy --force a': 'format a (volume-delete) force',
        'zfs <create set inherit rename promote receive recv load-key unload-key change-key mount unmount upgrade allow unallow clone snapshot> a':
          'format a (volume)',
        'zfs $VERB a': 'format a (volume)',
        'zfs <destroy create> -n a': 'inert (dry-run)',
        'zfs destroy --dry-run a': 'inert (dry-run)',
      },
      miss: ['zfs list', 'zfs get all a', 'zfs'],
    },
  }),
  byWords({
    names: 'zpool',
    destroys: /^(?:destroy|labelclear)/,
    changes:
      /^(?:create|add|remove|attach|detach|replace|offline|online|export|import|split|set|upgrade|reguid|clear|trim|initialize)/,
    detail: 'volume',
    examples: {
      hit: {
        'zpool <destroy labelclear> a': 'format a (volume-delete)',
        'zpool <create add remove attach detach replace offline online export import split set upgrade reguid clear trim initialize> a':
          'format a (volume)',
        'zpool add -n a b': 'inert (dry-run)',
      },
      miss: ['zpool list', 'zpool status'],
    },
  }),
  byWords({
    names: 'btrfs',
    destroys: /^(?:sub\w* del\w*|dev\w* (?:del\w*|rem\w*)|check --(?:repair|init)|rescue)/,
    changes:
      /^(?:sub\w* (?:create|snapshot|set)|dev\w* (?:add|replace)|fi\w* (?:resize|label|defrag)|balance|receive|quota|qgroup|replace|property set|scrub)/,
    detail: 'volume',
    examples: {
      hit: {
        'btrfs <subvolume sub> delete a': 'format a (volume-delete)',
        'btrfs device <delete remove> a': 'format a (volume-delete)',
        'btrfs check --<repair init-csum-tree> a': 'format a (volume-delete)',
        'btrfs rescue zero-log a': 'format a (volume-delete)',
        'btrfs subvolume <create snapshot set-default> a': 'format a (volume)',
        'btrfs device <add replace> a': 'format a (volume)',
        'btrfs filesystem <resize label defragment> a': 'format a (volume)',
        'btrfs <balance receive quota qgroup replace scrub> a': 'format a (volume)',
        'btrfs property set a': 'format a (volume)',
      },
      miss: ['btrfs subvolume list a', 'btrfs check a', 'btrfs filesystem df a'],
    },
  }),
  byWords({
    names: 'bcachefs',
    destroys: /^(?:format|device remove)/,
    changes: /^(?:device|fsck|data)/,
    detail: 'volume',
    examples: {
      hit: {
        'bcachefs format a': 'format a (volume-delete)',
        'bcachefs device remove a': 'format a (volume-delete)',
        'bcachefs <device fsck data> a': 'format a (volume)',
      },
      miss: ['bcachefs show-super a'],
    },
  }),
  byWords({
    names: 'mdadm',
    destroys: /--zero-superblock|--remove|-r\b|--fail|-f\b|--stop|-S\b/,
    changes: /--create|-C\b|--grow|-G\b|--add|-a\b|--assemble|-A\b|--manage/,
    detail: 'volume',
    examples: {
      hit: {
        'mdadm --<zero-superblock remove stop> a': 'format a (volume-delete)',
        'mdadm -<r S> a': 'format a (volume-delete)',
        'mdadm --fail a': 'format a (volume-delete)',
        'mdadm -f a': 'format a (volume-delete) force',
        'mdadm --<create grow add assemble manage> a': 'format a (volume)',
        'mdadm -<C G a A> a': 'format a (volume)',
      },
      miss: ['mdadm --detail a', 'mdadm --examine a'],
    },
  }),
  byWords({
    names: 'cryptsetup',
    destroys:
      /(?:^| )(?:luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt|luksHeaderRestore|tcryptWipe|format)(?: |$)/i,
    changes:
      /(?:^| )(?:open|close|luksOpen|luksClose|luksAddKey|luksChangeKey|resize|convert|config|luksSuspend|luksResume|repair|create|remove|token|luksConvertKey)(?: |$)/i,
    detail: 'encryption',
    examples: {
      hit: {
        'cryptsetup <luksFormat erase luksErase luksKillSlot luksRemoveKey reencrypt luksHeaderRestore tcryptWipe format> a':
          'format a (encryption-delete)',
        'cryptsetup -q luksformat a': 'format a (encryption-delete)',
        'cryptsetup <open close luksOpen luksClose luksAddKey luksChangeKey resize convert config luksSuspend luksResume repair create remove token luksConvertKey> a':
          'format a (encryption)',
        'cryptsetup -v OPEN a': 'format a (encryption)',
        'cryptsetup luksErase': 'format luksErase (encryption-delete)',
        'cryptsetup luksOpen': 'format luksOpen (encryption)',
      },
      miss: ['cryptsetup status a', 'cryptsetup luksDump a', 'cryptsetup reopen a', 'cryptsetup formats a'],
    },
  }),
  byWords({
    names: 'nvme',
    destroys: /^(?:format|sanitize|write-zeroes|write-uncor|delete-ns|dsm)/,
    changes: /^(?:write|create-ns|attach-ns|detach-ns|fw-|set-feature|reset|security-send)/,
    detail: 'device',
    examples: {
      hit: {
        'nvme <format sanitize write-zeroes write-uncor delete-ns dsm> a': 'format a (device-delete)',
        'nvme <write create-ns attach-ns detach-ns fw-commit set-feature reset security-send> a':
          'format a (device)',
      },
      miss: ['nvme list', 'nvme smart-log a'],
    },
  }),
  byWords({
    names: 'blkzone',
    destroys: /^(?:reset|finish)/,
    changes: /^(?:open|close)/,
    detail: 'device',
    examples: {
      hit: {
        'blkzone <reset finish> a': 'format a (device-delete)',
        'blkzone <open close> a': 'format a (device)',
      },
      miss: ['blkzone report a', 'blkzone capacity a'],
    },
  }),
  byWords({
    names: 'udisksctl',
    destroys: /^power-off/,
    changes: /^(?:mount|unmount|unlock|lock|loop)/,
    detail: 'volume',
    examples: {
      hit: {
        'udisksctl power-off a': 'format a (volume-delete)',
        'udisksctl <mount unmount unlock lock loop-setup> a': 'format a (volume)',
      },
      miss: ['udisksctl status', 'udisksctl info -b a'],
    },
  }),
  byWords({
    names: 'diskutil',
    destroys:
      /^(?:quiet )?(?:erase|zero|random|secureErase|partitionDisk|reformat|apfs (?:delete|erase)|cs delete|appleRAID delete)/i,
    changes: /^(?:resize|split|merge|add|rename|unmount|eject|enable|disable|apfs|moveVolume|repair)/i,
    detail: 'volume',
    examples: {
      hit: {
        'diskutil <eraseDisk zeroDisk randomDisk secureErase partitionDisk reformat> a':
          'format a (volume-delete)',
        'diskutil quiet eraseVolume a': 'format a (volume-delete)',
        'diskutil apfs <deleteVolume eraseVolume> a': 'format a (volume-delete)',
        'diskutil <cs appleRAID> delete a': 'format a (volume-delete)',
        'diskutil <resizeVolume splitPartition mergePartitions addPartition rename unmount eject enableOwnership disableJournal apfs moveVolume repairDisk> a':
          'format a (volume)',
      },
      miss: ['diskutil list', 'diskutil info a', 'diskutil verifyDisk a'],
    },
  }),
  byWords({
    names: 'hdiutil',
    destroys: /^erasekeys/,
    changes: /^(?:resize|compact|chpass)/,
    detail: 'volume',
    examples: {
      hit: {
        'hdiutil erasekeys a': 'format a (volume-delete)',
        'hdiutil <resize compact chpass> a': 'format a (volume)',
      },
      miss: ['hdiutil info', 'hdiutil attach a'],
    },
  }),
  byWords({
    names: 'asr',
    destroys: /(?:^| )-{0,2}(?:restore|source)/,
    changes: /^server/,
    detail: 'volume',
    examples: {
      hit: {
        'asr <restore --restore --source> a': 'format a (volume-delete)',
        'asr server a': 'format a (volume)',
      },
      miss: ['asr imagescan a', 'asr info a'],
    },
  }),
];

// ── Mounts.

const mountOptions =
  't/types= o/options= O/test-opts= L/label= U/uuid= a/all B/bind R/rbind M/move f/fake l source= target= T/fstab= options-mode= N/namespace=';
const mountReadings = {
  valued: 't types o options O test-opts L label U uuid source target T fstab options-mode N namespace',
  flags: 'a all B bind R rbind M move f fake l',
};

const mount: Card = {
  names: 'mount',
  options: mountOptions,
  readings: mountReadings,
  facts: [
    {
      what: 'puts a file system in the place of a folder',
      effects: (call, given) => {
        const says = given.has('all', 'label', 'uuid', 'bind', 'move', 'source', 'options');
        if (given.operands.length === 0 && (!says || given.has('l'))) return [];
        const target = given.operands.at(-1) ?? given.last('target') ?? unknownValue;
        const remounts = given.all('options').map(beginningOf).join(',').includes('remount');
        const detail = remounts ? 'remount' : 'mount';
        return [effect(call, 'write', { target: pathTarget(target), detail })];
      },
      examples: {
        hit: {
          'mount /dev/sda1 a': 'write a (mount)',
          'mount -o ro,remount a': 'write a (remount)',
          'mount --source x --target a': 'write a (mount)',
          'mount -<a B M>': 'write … (mount)',
          'mount --<all bind move>': 'write … (mount)',
          'mount -<L U o> x': 'write … (mount)',
          'mount --<label uuid options source> x': 'write … (mount)',
        },
        miss: ['mount', 'mount -l', 'mount -t ext4', 'mount -l -a'],
      },
    },
    {
      what: 'gives a folder, with all that is in it, a second name',
      effects: (call, given) => {
        const how = given.all('options').map(beginningOf).join(',');
        const binds = given.has('bind', 'rbind', 'move') || /(?:^|,)r?bind(?:,|$)/.test(how);
        const source = given.last('source') ?? given.operands.at(-2);
        return binds && source ? read(call, source, { detail: 'mount', recursive: true }) : [];
      },
      examples: {
        hit: {
          'mount -<B R M> a b': 'read a (mount) recursive',
          'mount --<bind rbind move> a b': 'read a (mount) recursive',
          'mount -o <bind ro,bind rbind,ro> a b': 'read a (mount) recursive',
          'mount --bind --source a b': 'read a (mount) recursive',
        },
        miss: ['mount a b', 'mount --bind a', 'mount -o nobind a b'],
      },
    },
  ],
};

const umount: Card = {
  names: 'umount fusermount',
  options: mountOptions,
  readings: mountReadings,
  facts: [
    {
      what: 'takes file systems away',
      effects: (call, given) => {
        const all = given.has('all') ? [literal('/')] : [];
        const force = given.has('f', 'l');
        return (given.operands.length > 0 ? given.operands : all).map((path) =>
          effect(call, 'write', { target: pathTarget(path), detail: 'unmount', force }),
        );
      },
      examples: {
        hit: {
          'umount a b': 'write a (unmount); write b (unmount)',
          'umount -<f l> a': 'write a (unmount) force',
          'umount --fake a': 'write a (unmount) force',
          'umount -t nfs -a': 'write / (unmount)',
          'umount --all': 'write / (unmount)',
        },
        miss: ['umount', 'umount -V'],
      },
    },
  ],
};

const loops: Card = {
  names: 'losetup',
  options: 'f/find d/detach D/detach-all P/partscan c/set-capacity',
  readings: { flags: 'f find d detach D detach-all P partscan c set-capacity' },
  facts: [
    {
      what: 'makes a file a device, or ends that',
      effects: (call, given) =>
        given.has('f', 'd', 'D', 'P', 'c') ? [effect(call, 'device', { detail: 'loop' })] : [],
      examples: {
        hit: {
          'losetup -<f d D P c> a': 'device (loop)',
          'losetup --<find detach detach-all partscan set-capacity> a': 'device (loop)',
        },
        miss: ['losetup -a', 'losetup'],
      },
    },
  ],
};

export const cards: readonly Card[] = [lvm, ...managers, mount, umount, loops];
