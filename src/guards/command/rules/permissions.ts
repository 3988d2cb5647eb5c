// Rule: rights are not widened: no file that everybody may write, no setuid, no owner root, no other account.

import type { Finding } from '../../../core/index.ts';
import { isCritical, isProtected } from '../where.ts';
import { type CommandRule, hit, type Judge, nameOf, placesOf, python, shell, shown } from './rule.ts';

const worldWritable: CommandRule = {
  id: 'world_writable',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'every account could then change what others run; name the rights that are needed',
  reason: 'World-writable permissions: every account could change the file.',
  suggestion: 'Give the rights to the owner only.',
  examples: {
    hit: [
      shell('chmod 777 file'),
      shell('chmod -R 0777 .'),
      shell('chmod a+rwx file'),
      shell('chmod o+w file'),
      python('import os\nos.chmod("file", 0o777)'),
    ],
    miss: [shell('chmod 755 scripts/run.sh'), shell('chmod +x run.sh'), shell('chmod o-w file')],
  },
};

const privilegeEscalation: CommandRule = {
  id: 'privilege_escalation',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'it is how an intruder stays root; packages set such rights themselves',
  reason: "Privilege escalation: a file or account would get root's rights.",
  suggestion: 'Keep files with the account that works on them.',
  examples: {
    hit: [
      shell('chown root file'),
      shell('chown -R 0:0 .'),
      shell('chmod u+s /tmp/shell'),
      shell('chmod 4755 ./tool'),
      shell('setcap cap_setuid+ep ./tool'),
    ],
    miss: [shell('chown "$(id -un)" file'), shell('chmod 755 ./tool'), shell('sudo apt-get update')],
  },
};

const systemPermissions: CommandRule = {
  id: 'system_permissions',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'programs may not start afterwards, and the old permissions are lost',
  reason: 'Permissions or owners of the system or of a home would change, and cannot be restored.',
  suggestion: 'Change only the file that you mean.',
  examples: {
    hit: [shell('chmod -R 000 /'), shell('chown -R user /etc'), shell('chmod 644 /etc/shadow')],
    miss: [shell('chmod 644 README.md'), shell('chmod -R u+rw src')],
  },
};

const privilegeChange: CommandRule = {
  id: 'privilege_change',
  guard: 'command',
  layer: 1,
  decision: 'approve',
  reason: "Accounts, groups or the kernel would change, or another account's shell would start.",
  suggestion: 'Work with the rights of this account.',
  contract: 'AG-TOOL-4',
  examples: {
    hit: [
      shell('useradd mallory'),
      shell('userdel -r alice'),
      shell('passwd root'),
      shell('usermod -aG sudo bob'),
    ],
    miss: [shell('id'), shell('whoami'), shell('sudo git status')],
  },
};

/** The rules on permissions. */
export const permissionRules: readonly CommandRule[] = [
  worldWritable,
  privilegeEscalation,
  systemPermissions,
  privilegeChange,
];

const owners = /^l?chown$|\.l?chown$/;

/** Judges changes of mode and owner. */
export const judgeMode: Judge = (effect, ruleInput) => {
  const findings: Finding[] = [];
  const { span, detail = '' } = effect;
  const places = placesOf(effect, ruleInput);
  const [place] = places;
  const what = place === undefined ? 'a file' : shown(place);
  const owner = /^owner (.*)$/s.exec(detail)?.[1] ?? (owners.test(effect.program) ? detail : undefined);
  if (owner !== undefined) {
    if (/^(?:root|0)(?:[:.]|$)/.test(owner)) {
      findings.push(hit(ruleInput, privilegeEscalation, { span, why: `it gives ${what} to root` }));
    }
  } else {
    const { worldWrites, setsUser } = modeOf(detail);
    if (worldWrites)
      findings.push(hit(ruleInput, worldWritable, { span, why: `everybody may then change ${what}` }));
    if (setsUser) {
      findings.push(
        hit(ruleInput, privilegeEscalation, {
          span,
          why: `everyone who runs ${what} gets the rights of its owner`,
        }),
      );
    }
  }
  const broken = places.find(
    (one) =>
      isCritical(one) || (isProtected(one.zone) && (effect.recursive === true || one.zone !== 'system')),
  );
  if (broken !== undefined) {
    const isHome = effect.recursive !== true && /^(?:home_root|above)$/.test(broken.zone);
    const decision = isHome && ruleInput.profile !== 'strict' ? 'approve' : 'block';
    findings.push(
      hit(ruleInput, systemPermissions, { span, why: `it changes who may use ${shown(broken)}`, decision }),
    );
  }
  return findings;
};

/** What a mode gives, in figures or in letters. */
export function modeOf(text: string): { readonly worldWrites: boolean; readonly setsUser: boolean } {
  const figures = /^(?:0o?)?([0-7]{3,5})$/.exec(text)?.[1];
  if (figures !== undefined) {
    const bits = Number.parseInt(figures, 8);
    // With the sticky bit a shared folder is safe: each may delete only what is theirs.
    return { worldWrites: (bits & 0o002) !== 0 && (bits & 0o1000) === 0, setsUser: (bits & 0o4000) !== 0 };
  }
  if (text.startsWith('acl ')) {
    return { worldWrites: /(?:[ ,]|^)o(?:ther)?::?[rx-]*w/.test(text), setsUser: false };
  }
  const clauses = text.split(',').map((clause) => /^([ugoa]*)[+=]([rwxXstugo]*)/.exec(clause));
  return {
    worldWrites: clauses.some((clause) => /[oa]/.test(clause?.[1] ?? '') && /w/.test(clause?.[2] ?? '')),
    setsUser: clauses.some((clause) => /^$|[ua]/.test(clause?.[1] ?? 'g') && /s/.test(clause?.[2] ?? '')),
  };
}

const raisers: ReadonlySet<string> = new Set([
  'sudo',
  'doas',
  'run0',
  'pkexec',
  'su',
  'runuser',
  'sg',
  'newgrp',
]);
const accounts =
  /^(?:user(?:add|del|mod)|group(?:add|del|mod|mems)|add(?:user|group)|del(?:user|group)|passwd|gpasswd|chpasswd|chsh|chfn|vipw|vigr|dscl|dseditgroup|chage|newusers)$/;

/** Judges what raises rights or changes accounts. */
export const judgePrivilege: Judge = (effect, ruleInput) => {
  const { span, program, detail = '' } = effect;
  if (raisers.has(program)) {
    // What runs with the raised rights is judged by what it does; only a shell that waits for input is not seen.
    if (!/shell|login|interactive/.test(detail)) return [];
    return [hit(ruleInput, privilegeChange, { span, why: 'it starts a shell of another account' })];
  }
  if (accounts.test(program)) {
    const name = nameOf(effect.target);
    return [
      hit(ruleInput, privilegeChange, {
        span,
        why: `it changes ${name === '' ? 'accounts' : `the account ${name}`}`,
      }),
    ];
  }
  const raises = /^(?:setuid|capability)$/.test(detail);
  return [
    raises
      ? hit(ruleInput, privilegeEscalation, { span, why: 'it raises the rights of a program' })
      : hit(ruleInput, privilegeChange, { span, why: 'it uses or changes rights of the system' }),
  ];
};
