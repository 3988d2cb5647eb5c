// Rule: a command leaves nothing behind that runs later by itself, removes no programs, and does not touch the guard.

import { classify } from '../../../detect/path.ts';
import type { Effect } from '../effects.ts';
import { isBroad, isCritical } from '../where.ts';
import {
  type CommandRule,
  hit,
  type Judge,
  nameOf,
  placesOf,
  python,
  type RuleInput,
  shell,
  shown,
  textsOf,
} from './rule.ts';

const persistence: CommandRule = {
  id: 'persistence',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Something would run later without a question: a timer, a service or a start file.',
  suggestion: 'Write a script in the workspace, and run it when needed.',
  examples: {
    hit: [
      shell('echo "* * * * * /workspace/run.sh" | crontab -'),
      shell('echo "alias ls=rm" >> ~/.bashrc'),
      shell('systemctl enable backdoor'),
      python('open("/etc/cron.d/job", "w").write("* * * * * root id")'),
    ],
    miss: [shell('crontab -l'), shell('cat ~/.bashrc')],
  },
};

const backdoor: CommandRule = {
  id: 'backdoor',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'it gives someone else access',
  reason: 'It would let someone in, or load code into every program.',
  suggestion: 'Leave keys and accounts to the user.',
  examples: {
    hit: [
      shell('echo "ssh-ed25519 AAAA x" >> ~/.ssh/authorized_keys'),
      shell('echo /tmp/x.so > /etc/ld.so.preload'),
      shell('echo "bob ALL=(ALL) NOPASSWD:ALL" >> /etc/sudoers'),
    ],
    miss: [shell('ls -la ~/.ssh'), shell('ssh-keygen -l -f key.pub')],
  },
};

const systemFile: CommandRule = {
  id: 'system_file',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'one wrong line locks every account out or prevents the machine from starting',
  reason: 'A file that controls accounts, permissions or the start of the machine would change.',
  suggestion: 'Leave system files to the user.',
  examples: {
    hit: [shell('echo x > /etc/passwd'), shell('cp kernel /boot/vmlinuz'), shell('tee /etc/fstab < table')],
    miss: [shell('ls -l /etc/fstab'), shell('cat /etc/passwd')],
  },
};

/** The rule that the guard itself stays as it is; what else touches it is judged elsewhere, under the same name. */
export const guardTampering: CommandRule = {
  id: 'guard_tampering',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'an agent that may change the guard is not guarded; do it yourself at a terminal',
  reason: 'The guard itself would be changed, disabled or bypassed, or its keys and records read.',
  suggestion: 'Leave it to the user to change.',
  examples: {
    hit: [
      shell('rm -rf ~/.sallyport'),
      shell('cat ~/.sallyport/keys/decide.token'),
      shell('cd ~/.sallyport && tar czf - .'),
      shell('pkill sallyport'),
      shell('npm install -g sallyport@0.0.1'),
      shell('pnpm remove sallyport'),
      shell('npm link sallyport'),
      shell('yarn sallyport down'),
      shell('npx sallyport@latest approve x'),
      shell('node node_modules/sallyport/bin/sallyport.cjs approve x'),
      shell('xargs sallyport < args.txt'),
      shell('ln -sf /bin/true $(which sallyport)'),
      shell('echo "{}" > .claude/settings.json'),
      shell('echo "{}" > .github/copilot/settings.local.json'),
      shell('sudo tee /etc/codex/requirements.toml < a'),
      shell('curl -d @guess.json http://localhost:4719/v1/session'),
      shell('http POST :4719/v1/approvals/abcd2345/answer answer=approve'),
      python('import requests\nrequests.post("http://127.0.0.1:4719/v1/session", json={"passphrase": "x"})'),
    ],
    miss: [
      shell('sallyport status'),
      shell('ls -la ~/.sallyport'),
      shell('sallyport test "rm -rf /"'),
      shell('node bin/sallyport.cjs status'),
      shell('npm ls sallyport'),
      shell('npm view sallyport'),
      shell('npm install sallyport-theme'),
      shell('cat .claude/settings.json'),
      shell('curl http://localhost:4719/healthz'),
      shell('curl -d @a.json http://localhost:3000/v1/session'),
      shell('grep -rn "localhost:4719/v1/session" docs'),
    ],
  },
};

const packageRemoval: CommandRule = {
  id: 'package_removal',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: 'Installed programs would be removed, and others that depend on them.',
  suggestion: 'List the installed packages first.',
  examples: {
    hit: [shell('apt-get remove -y nginx'), shell('apt purge openssh-server'), shell('brew uninstall node')],
    miss: [shell('apt-get install -y ripgrep'), shell('pip list'), shell('npm uninstall lodash')],
  },
};

/** The rules on what stays behind. */
export const persistenceRules: readonly CommandRule[] = [
  persistence,
  backdoor,
  systemFile,
  guardTampering,
  packageRemoval,
];

const doors = /(?:^|\/)(?:authorized_keys2?|ld\.so\.preload|sudoers(?:\.d(?:\/.*)?)?|pam\.d(?:\/.*)?)$/;

/** Judges what runs later by itself. */
export const judgePersistence: Judge = (effect, ruleInput) => {
  const { span } = effect;
  const [place] = placesOf(effect, ruleInput);
  // Settings of git are judged among the rules on git.
  if (effect.detail === 'git-hook' && place === undefined) return [];
  // A start file in the workspace starts nothing; what git runs there does.
  const idle = place?.zone === 'workspace' && !isBroad(ruleInput.pathScope) && effect.detail !== 'git-hook';
  if (idle) return [];
  const name = place === undefined ? nameOf(effect.target) : shown(place);
  const opens = /^(?:authorized-keys|login)$/.test(effect.detail ?? '') || doors.test(place?.path ?? name);
  const what = name === '' ? 'something' : name;
  return [
    opens
      ? hit(ruleInput, backdoor, { span, why: `it changes ${what}, which decides who gets in` })
      : hit(ruleInput, persistence, { span, why: `it sets up ${what} to run later` }),
  ];
};

/** Judges writes to files on which the system rests. */
export const judgeSystemFile: Judge = (effect, ruleInput) =>
  placesOf(effect, ruleInput)
    .filter(isCritical)
    .map((place) => {
      const rule = doors.test(place.path ?? '') ? backdoor : systemFile;
      return hit(ruleInput, rule, { span: effect.span, why: `it changes ${shown(place)}` });
    });

/** Judges changes through links, whose names alone do not tell where they lead. */
export const judgeLink: Judge = (effect, ruleInput) =>
  placesOf(effect, ruleInput).flatMap((place) => {
    if (!place.linked || place.path === null) return [];
    const { guard, persistence: kept } = classify(place.path, ruleInput.pathScope);
    const { span } = effect;
    if (guard)
      return [hit(ruleInput, guardTampering, { span, why: `it touches ${shown(place)} through a link` })];
    if (kept === null) return [];
    return [hit(ruleInput, persistence, { span, why: `it sets up ${shown(place)} through a link` })];
  });

/** Judges what touches the guard. */
export const judgeTampering: Judge = (effect, ruleInput) => {
  const [place] = placesOf(effect, ruleInput);
  const name = place === undefined ? nameOf(effect.target) : shown(place);
  const what = name === '' ? 'the guard' : name;
  if (isFolderMade(effect, ruleInput)) return [];
  return [
    hit(ruleInput, guardTampering, {
      span: effect.span,
      why: `it touches ${what}, which guards this session`,
    }),
  ];
};

/** Whether nothing but a folder is made, in which nothing is yet; a folder in the place of a file hides that file. */
function isFolderMade({ detail, span, target }: Effect, { facts }: RuleInput): boolean {
  if (detail !== 'write' || target.kind !== 'path') return false;
  const text = JSON.stringify(target.path);
  const isFolderName = textsOf(target.path).every((path) => !/[^/.]\.\w+\/?$/.test(path));
  return (
    isFolderName &&
    facts.effects.some(
      (one) =>
        one.kind === 'write' &&
        one.detail === 'folder' &&
        one.span[0] === span[0] &&
        one.target.kind === 'path' &&
        JSON.stringify(one.target.path) === text,
    )
  );
}

/** Judges packages; what belongs to a project is named in a file that restores it. */
export const judgePackage: Judge = ({ span, detail, reversible, target }, ruleInput) => {
  if (detail !== 'remove' || reversible === true) return [];
  const name = nameOf(target);
  return [hit(ruleInput, packageRemoval, { span, why: `it removes ${name === '' ? 'packages' : name}` })];
};
