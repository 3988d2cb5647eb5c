// Rule: nothing writes past the file system to a disk, makes a file system anew or takes storage apart.

import type { Finding } from '../../../core/index.ts';
import { isTerminalPath } from '../../../detect/path.ts';
import {
  type CommandRule,
  forUnknown,
  hit,
  type Judge,
  placesOf,
  python,
  type RuleInput,
  shell,
  shown,
  strictly,
  textsOf,
} from './rule.ts';

const contract = 'AG-TOOL-4';
const suggestion = 'Write to a file of the workspace instead of a device.';

const rawDiskWrite: CommandRule = {
  id: 'raw_disk_write',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: "the first block already destroys the disk's files",
  reason: 'Raw disk writing: a copy onto a device destroys its files, and an endless one fills the disk.',
  suggestion,
  contract,
  examples: {
    hit: [
      shell('dd if=/dev/zero of=/dev/sda'),
      shell('sudo dd if=image.iso of=/dev/nvme0n1 bs=4M'),
      shell('dd if=/dev/zero'),
      shell('dd if=/dev/urandom of=out.img bs=1M'),
      strictly('dd if=a.img of=b.img'),
    ],
    miss: [
      shell('dd if=/dev/zero of=swap.img bs=1M count=8'),
      shell('dd if=/dev/urandom bs=64 | head -c 16'),
      shell('dd if=a.img of=b.img'),
      shell('lsblk'),
    ],
  },
};

const directDiskWrite: CommandRule = {
  id: 'direct_disk_write',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: "the first block already destroys the disk's files",
  reason: 'Direct disk writing: writing to a device destroys its files.',
  suggestion,
  contract,
  examples: {
    hit: [
      shell('echo x > /dev/sda'),
      shell('cat image.iso | tee /dev/nvme0n1'),
      python('open("/dev/sda", "wb").write(b"x")'),
    ],
    miss: [shell('echo x > /dev/null'), shell('make 2> /dev/stderr'), shell('echo x > out.txt')],
  },
};

const filesystemFormat: CommandRule = {
  id: 'filesystem_format',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'all files of the device are lost; an image file is allowed',
  reason: 'Filesystem formatting: all its files are lost.',
  suggestion: 'Leave formatting to the user.',
  contract,
  examples: {
    hit: [shell('mkfs.ext4 /dev/sda1'), shell('mkfs -t xfs /dev/sdb'), shell('mkswap /dev/sdb2')],
    miss: [shell('lsblk -f'), shell('man mkfs'), shell('df -h')],
  },
};

const storageDestruction: CommandRule = {
  id: 'storage_destruction',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'lost data cannot be recovered',
  reason: 'Partitions, volumes, pools or keys of encrypted disks would be changed or destroyed.',
  suggestion: 'Leave storage to the user.',
  contract,
  examples: {
    hit: [
      shell('wipefs -a /dev/sda'),
      shell('zpool destroy tank'),
      shell('lvremove -f vg/data'),
      shell('parted /dev/sda mklabel gpt'),
      shell('lvremove "$VOLUME"'),
    ],
    miss: [shell('zpool status tank'), shell('lsblk'), shell('fdisk -l'), shell('lvremove --yes')],
  },
};

/** The rules on storage. */
export const storageRules: readonly CommandRule[] = [
  rawDiskWrite,
  directDiskWrite,
  filesystemFormat,
  storageDestruction,
];

/** Judges writes to a device, by whatever kind of effect they come. */
export const judgeDevice: Judge = (effect, ruleInput) => {
  const places = placesOf(effect, ruleInput);
  const devices = places.filter(
    ({ zone, path }) =>
      zone !== 'stream' &&
      (effect.kind === 'device' || zone === 'device') &&
      !(path !== null && isTerminalPath(path)),
  );
  if (effect.detail === 'keys') return [];
  if (devices.length === 0 && (effect.kind !== 'device' || places.length > 0)) return [];
  const rule = effect.program === 'dd' ? rawDiskWrite : directDiskWrite;
  const [first] = devices;
  const what = first === undefined ? 'a device' : shown(first);
  return [hit(ruleInput, rule, { span: effect.span, why: `it writes to ${what} past its file system` })];
};

/** Judges copies that have no end: only a full disk stops them. What another program reads of them ends with it. */
export const judgeEndlessCopy: Judge = (effect, ruleInput) => {
  const { detail, program, span, target } = effect;
  if (detail !== 'disk' || program !== 'dd') return [];
  const piped = ruleInput.facts.invocations.some(
    (started) => started.program === 'dd' && started.output === 'piped' && started.span[0] === span[0],
  );
  if (target.kind === 'none' && piped) return [];
  const [place] = placesOf(effect, ruleInput);
  const where = place === undefined ? 'its output' : shown(place);
  return [hit(ruleInput, rawDiskWrite, { span, why: `it writes to ${where} without an end` })];
};

/** What strict refuses of these commands, whatever they would do: it takes the patterns to the letter. */
export function patternFindings(ruleInput: RuleInput): readonly Finding[] {
  return ruleInput.facts.invocations.flatMap(({ program, args, span }) =>
    program === 'dd' && args.some((argument) => textsOf(argument).some((text) => text.startsWith('if=')))
      ? [hit(ruleInput, rawDiskWrite, { span, why: 'it copies bytes past the file system' })]
      : [],
  );
}

const formats = /^(?:mkfs|mke2fs|mkswap|mkdosfs|mkntfs|newfs|format$|mformat)/;

/** Judges what makes file systems and takes storage apart. */
export const judgeFormat: Judge = (effect, ruleInput) => {
  const makes = formats.test(effect.program) || effect.detail === 'mkfs';
  const rule = makes ? filesystemFormat : storageDestruction;
  const [place] = placesOf(effect, ruleInput);
  // An image in a file is a file like another.
  if (makes && (place?.zone === 'workspace' || place?.zone === 'temporary')) return [];
  const what = place === undefined ? 'storage' : shown(place);
  const why = makes ? `it makes a new file system on ${what}` : `it changes or destroys ${what}`;
  const decision = !makes && place?.zone === 'unknown' ? forUnknown(ruleInput) : rule.decision;
  return [hit(ruleInput, rule, { span: effect.span, why, decision })];
};
