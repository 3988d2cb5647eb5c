// Infrastructure as code, what keeps machines as a file says, and what runs jobs for a forge.

import { singleText } from '../../bash/values.ts';
import type { Effect } from '../../effects.ts';
import { beginningOf, effect, literal, nameTarget, read, textOf, write } from '../../tools/tool.ts';
import { namesSecret } from '../../variables.ts';
import { agent } from '../agents.ts';
import { type Card, type Fact, shellBehind, shellOptions } from '../card.ts';
import { service } from '../service.ts';
import { quiet, table } from '../tables.ts';

const planFirst = (programs: readonly string[]) =>
  programs.flatMap((program) =>
    ['cloud_deletion', 'cloud_change', 'deployment'].map((rule) => ({
      rule,
      programs: [program],
      text: `Look at the changes first: \`${program} plan\`.`,
    })),
  );

const terraform: Card = {
  names: 'terraform tofu terragrunt',
  options:
    'chdir= target= var= var-file= state= lock= lock-timeout= out= auto-approve destroy force backend-config= input= refresh= parallelism= no-color json upgrade reconfigure migrate-state check recursive diff refresh-only replace= plugin-dir= backend= force-copy dry-run terragrunt-non-interactive terragrunt-config= terragrunt-tfpath= terragrunt-working-dir= terragrunt-download-dir= terragrunt-source= terragrunt-iam-role= terragrunt-iam-assume-role-duration= terragrunt-iam-assume-role-session-name= terragrunt-exclude-dir= terragrunt-include-dir= terragrunt-parallelism= terragrunt-hclfmt-file= terragrunt-override-attr= terragrunt-json-out= terragrunt-modules-that-include=',
  manner: { wholeWords: true },
  readings: {
    valued:
      'chdir target var var-file state lock lock-timeout out backend-config input refresh parallelism replace plugin-dir backend terragrunt-config terragrunt-tfpath terragrunt-working-dir terragrunt-download-dir terragrunt-source terragrunt-iam-role terragrunt-iam-assume-role-duration terragrunt-iam-assume-role-session-name terragrunt-exclude-dir terragrunt-include-dir terragrunt-parallelism terragrunt-hclfmt-file terragrunt-override-attr terragrunt-json-out terragrunt-modules-that-include',
    flags:
      'auto-approve destroy force no-color json upgrade reconfigure migrate-state check recursive diff refresh-only force-copy dry-run terragrunt-non-interactive',
  },
  facts: [
    {
      what: 'makes, changes or destroys what the files describe',
      effects: (call, given): readonly Effect[] => {
        if (given.has('dry-run')) return [];
        const all = textOf(given.operands[0]) === 'run-all';
        const [verb, second, third] = all ? given.operands.slice(1) : given.operands;
        const text = textOf(verb ?? literal('help'));
        const force = given.has('auto-approve', 'force');
        const target = nameTarget(given.last('target') ?? second);
        if (text === null) return [effect(call, 'deploy', { detail: 'unknown' })];
        if (text === 'destroy' || (text === 'apply' && given.has('destroy')))
          return [
            effect(call, 'cloud', { detail: 'delete', target, recursive: !given.has('target'), force }),
          ];
        if (text === 'apply' || text === 'up')
          return [effect(call, 'deploy', { detail: 'apply', target, force })];
        if (/^(?:import|taint|untaint|force-unlock|refresh)$/.test(text))
          return [effect(call, 'cloud', { detail: 'change', target })];
        const words = `${text} ${beginningOf(second ?? literal(''))}`;
        const named = nameTarget(third ?? literal('state'));
        if (words === 'state rm') return [effect(call, 'cloud', { detail: 'delete', target: named })];
        if (words === 'workspace delete')
          return [effect(call, 'cloud', { detail: 'delete', target: named, force })];
        if (/^state (?:mv|push|replace-provider)$/.test(words))
          return [effect(call, 'cloud', { detail: 'change', target: named })];
        return words === 'state pull' ? [effect(call, 'secret', { detail: 'credentials' })] : [];
      },
      examples: {
        hit: {
          'terraform destroy': 'cloud (delete) recursive',
          'terraform destroy -auto-approve -target a': 'cloud a (delete) force',
          'terraform apply -destroy': 'cloud (delete) recursive',
          'terragrunt run-all destroy': 'cloud (delete) recursive',
          'terraform -chdir=a apply': 'deploy (apply)',
          'tofu apply -auto-approve': 'deploy (apply) force',
          'terragrunt run-all apply': 'deploy (apply)',
          'terraform up': 'deploy (apply)',
          'terraform <import taint untaint force-unlock refresh> a': 'cloud a (change)',
          'terraform state rm a': 'cloud a (delete)',
          'terraform state <mv push replace-provider> a': 'cloud a (change)',
          'terraform state pull': 'secret (credentials)',
          'terraform workspace delete -force a': 'cloud a (delete) force',
          'terraform $X': 'deploy (unknown)',
        },
        miss: [
          'terraform <plan init validate fmt show output version>',
          'terraform state list',
          'terraform workspace new a',
          'terraform apply -dry-run',
          'terraform',
        ],
      },
    },
    {
      what: 'shows outputs that are kept secret',
      effects: (call, given) => {
        const [verb, ...names] = given.operands.map(beginningOf);
        const secret = given.has('json') || names.some((name) => namesSecret(name));
        return verb === 'output' && secret ? [effect(call, 'secret', { detail: 'environment' })] : [];
      },
      examples: {
        hit: {
          'terraform output -json': 'secret (environment)',
          'tofu output -raw db_password': 'secret (environment)',
        },
        miss: ['terraform output', 'terraform output -raw vpc_id', 'terraform show -json'],
      },
    },
    {
      what: 'reads settings, and saves a plan',
      effects: (call, given) => [
        ...given.all('var-file').flatMap((file) => read(call, file).filter(({ kind }) => kind === 'read')),
        ...given.all('out').flatMap((file) => write(call, file, { detail: 'create' })),
      ],
      examples: {
        hit: { 'terraform plan -out=a': 'write a (create)', 'terraform apply -var-file a': 'read a' },
        miss: ['terraform plan', 'terraform apply'],
      },
    },
  ],
  advice: planFirst(['terraform', 'tofu', 'terragrunt']),
};

const ansible: Card = {
  names: 'ansible ansible-playbook salt salt-call chef-client',
  options:
    'i/inventory= l/limit= e/extra-vars= m/module-name= a/args= u/user= b/become K k t/tags= skip-tags= C/check D/diff vault-password-file= syntax-check list-hosts list-tasks list-tags v private-key/key-file= f/forks= c/connection= become-user= playbook-dir= vault-id= B/background= M/module-path= P/poll= tree= become-method= scp-extra-args= sftp-extra-args= ssh-common-args= T/timeout= start-at-task=',
  readings: {
    valued:
      'i inventory l limit e extra-vars m module-name a args u user t tags skip-tags vault-password-file private-key key-file f forks c connection become-user playbook-dir vault-id B background M module-path P poll tree become-method scp-extra-args sftp-extra-args ssh-common-args T timeout start-at-task',
    flags: 'b become K k C check D diff syntax-check list-hosts list-tasks list-tags v',
  },
  facts: [
    {
      what: 'changes machines as files say',
      effects: (call, given) =>
        given.has('check', 'syntax-check', 'list-hosts', 'list-tasks', 'list-tags')
          ? []
          : [
              effect(call, 'deploy', { detail: 'ansible', target: nameTarget(given.operands[0]) }),
              effect(call, 'run', {
                detail: 'remote-command',
                target: nameTarget(given.last('args') ?? given.operands[0]),
              }),
            ],
      examples: {
        hit: {
          "ansible all -m shell -a 'rm -rf /'": "deploy all (ansible); run 'rm -rf /' (remote-command)",
          'ansible-playbook -i a site.yml': 'deploy site.yml (ansible); run site.yml (remote-command)',
        },
        miss: ['ansible-playbook <-C --check --syntax-check --list-hosts --list-tasks --list-tags> site.yml'],
      },
    },
    {
      what: 'hands a text to a shell there',
      starts: (call, given) => (call.program === 'ansible' ? shellOptions('args')(call, given) : []),
      examples: {
        hit: {
          "ansible all -m shell -a 'rm -rf /'": 'shell code: rm -rf /',
          'ansible all --args=id': 'shell code: id',
        },
        miss: ['ansible all -m ping', 'salt-call -a id'],
      },
    },
  ],
};

const copilotWords = /^(?:app|env|svc|job|task|run|pipeline|storage|secret|init|deploy|docs|completion)$/;

/** Two programs have this name: one deploys to a cloud, the other is an agent. */
function copilotCard(): Card {
  const cloud = service({
    names: 'copilot',
    look: 'app ls',
    depth: 2,
    options:
      'dockerfile= d= image= port= retries= schedule= tag= timeout= type= domain= resource-tags= aws-access-key-id= aws-secret-access-key= aws-session-token= import-private-subnets= import-public-subnets= import-vpc-id= override-az-names= override-private-cidrs= override-public-cidrs= override-vpc-cidr= subscribe-topics= svc-type= command= container= task-id= job-type= build-context= count= cpu= entrypoint= env-vars= execution-role= generate-cmd= memory= platform-arch= platform-os= secrets= security-groups= subnets= task-group-name= task-role= engine= initial-db= lsi= parameter-group= partition-key= sort-key= storage-type= workload= cli-input-yaml= values= environments= git-branch= github-access-token= github-url= i= w= b= u=',
    readings: {
      valued:
        'dockerfile d image port retries schedule tag timeout type domain resource-tags aws-access-key-id aws-secret-access-key aws-session-token import-private-subnets import-public-subnets import-vpc-id override-az-names override-private-cidrs override-public-cidrs override-vpc-cidr subscribe-topics svc-type command container task-id job-type build-context count cpu entrypoint env-vars execution-role generate-cmd memory platform-arch platform-os secrets security-groups subnets task-group-name task-role engine initial-db lsi parameter-group partition-key sort-key storage-type workload cli-input-yaml values environments git-branch github-access-token github-url i w b u',
    },
    deeds: [
      ['delete', '* delete'],
      ['deploy', '* deploy'],
      ['own', '$'],
    ],
    examples: {
      'copilot <app svc env> delete': "cloud '<> delete' (delete)",
      'copilot <svc job> deploy': "deploy '<> deploy' (<> deploy)",
      'copilot <app svc> ls': '?',
      'copilot svc init --dockerfile a': '?',
    },
  });
  const [deeds] = cloud.facts;
  return {
    ...cloud,
    facts: [
      {
        what: 'is also the name of an agent',
        effects: (call, given) => {
          const [first] = call.args;
          return copilotWords.test(beginningOf(first ?? literal('')))
            ? (deeds?.effects?.(call, given) ?? [])
            : agent(call);
        },
        examples: {
          hit: {
            'copilot <app svc env> delete': "cloud '<> delete' (delete)",
            'copilot <svc job> deploy': "deploy '<> deploy' (<> deploy)",
            'copilot -p a': 'run (agent)',
            'copilot --allow-all-tools -p a': 'run (agent) force',
            copilot: 'run (agent)',
            'copilot <app env svc job task pipeline storage secret> init': "cloud '<> init' (change)",
            'copilot run init': 'cloud init (change)',
            'copilot init a': 'cloud a (change)',
            'copilot deploy a': 'deploy a (deploy)',
          },
          miss: ['copilot <app svc> ls', 'copilot docs show', 'copilot completion show'],
        },
      },
    ],
  };
}

const pulumiAdvice = [
  ...['cloud_deletion', 'cloud_change'].map((rule) => ({ rule, text: 'Look first: `pulumi stack`.' })),
  { rule: 'deployment', text: 'Look at the changes first: `pulumi preview`.' },
];

const pulumiRuns: Fact = {
  what: 'starts a program with the settings of an environment',
  starts: (_, given) => {
    const [env, run] = given.operands.map(singleText);
    const argv = given.behind(3);
    return env === 'env' && run === 'run' && argv.length > 0 ? [{ kind: 'argv', argv }] : [];
  },
  examples: {
    hit: { 'pulumi env run a -- rm -rf /': 'program: rm -rf /', 'pulumi env run a id': 'program: id' },
    miss: ['pulumi env run a', 'pulumi up a b c', 'pulumi env open a b'],
  },
};

const sstRuns: Fact = {
  what: 'runs a text with the settings of a stage',
  starts: (call, given) =>
    /^(?:shell|bind)$/.test(singleText(given.operands[0])) ? shellBehind(1)(call, given) : [],
  examples: {
    hit: { 'sst shell rm -rf /': 'shell code: rm -rf /', 'sst bind --stage a id': 'shell code: id' },
    miss: ['sst shell', 'sst deploy a'],
  },
};

export const cards: readonly Card[] = [
  terraform,
  ansible,
  copilotCard(),
  { names: 'tflint tfsec ansible-inventory ansible-doc ansible-lint act', ...quiet },
  table({
    names: 'ansible-vault',
    does: [['secret <last> (credentials)', 'view | decrypt | edit']],
    examples: {
      'ansible-vault <view decrypt edit> a': 'secret a (credentials)',
      'ansible-vault <create encrypt> a': '',
    },
  }),
  table({
    names: 'puppet',
    options: 'noop',
    readings: { flags: 'noop' },
    looks: 'noop',
    does: [['deploy (apply)', 'apply | agent']],
    examples: {
      'puppet apply a': 'deploy (apply)',
      'puppet agent a': 'deploy (apply)',
      'puppet apply --noop a': '',
      'puppet module list': '',
    },
  }),
  table({
    names: 'gitlab-rake',
    does: [['cloud (delete)', '… *restore* | … *drop* | … *reset* | … *remove*']],
    rest: 'cloud (change)',
    alone: 'cloud (change)',
    examples: {
      'gitlab-rake gitlab:backup:<restore drop reset remove>': 'cloud (delete)',
      'gitlab-rake gitlab:check': 'cloud (change)',
      'gitlab-rake x db:reset': 'cloud (delete)',
      'gitlab-rake': 'cloud (change)',
    },
  }),
  service({
    names: 'pulumi',
    depth: 2,
    options:
      'C= tracing= stack= config-file= parallel= m= v/verbose= message= target= parent= provider= cloud-url= default-org= secrets-provider= policy-pack= policy-pack-config= replace= target-replace= show-secrets',
    readings: {
      valued:
        'C tracing stack config-file parallel m v verbose message target parent provider cloud-url default-org secrets-provider policy-pack policy-pack-config replace target-replace',
      flags: 'show-secrets',
    },
    deeds: [
      ['secret', '… --show-secrets'],
      ['delete', 'destroy | state delete | cancel | state unprotect'],
      ['deploy', 'up | update | refresh | import | deployment'],
      [
        'change',
        'config set | config rm | login | logout | stack init | stack select | stack import | stack tag | stack rename | stack change*',
      ],
      ['read', 'stack | config | about | new | install | policy'],
    ],
    advice: pulumiAdvice,
    facts: [pulumiRuns],
    examples: {
      'pulumi config --show-secrets': 'secret config (credentials)',
      'pulumi <destroy | cancel> a': "cloud '<> a' (delete)",
      'pulumi <stack rm | state delete | state unprotect> a': "cloud '<>' (delete)",
      'pulumi destroy --yes': 'cloud destroy (delete) force',
      'pulumi <up | update | refresh | import | deployment> a': "deploy '<> a' (<> a)",
      'pulumi <config set | config rm | stack init | stack select | stack import | stack tag | stack rename | stack change-secrets-provider> a':
        "cloud '<>' (change)",
      'pulumi <login | logout> a': "cloud '<> a' (change)",
      'pulumi <preview | stack | config | about | whoami | logs | version | plugin ls | new | install | console | policy> a':
        '',
      'pulumi policy rm a': "cloud 'policy rm' (delete)",
      'pulumi env run a -- id': 'cloud a (change)',
      'pulumi things delete a': 'cloud a (delete)',
      'pulumi things list': '',
      'pulumi things create a': 'cloud a (change)',
      'pulumi things deploy a': 'deploy a (things deploy)',
      'pulumi things frobnicate a': "cloud 'things frobnicate' (unknown)",
      'pulumi $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'cdk',
    look: 'diff',
    depth: 1,
    deeds: [
      ['delete', 'destroy'],
      ['deploy', 'deploy | bootstrap | import | rollback | watch'],
      ['read', 'synth | synthesize | docs | init | context | metadata | notices | gc'],
    ],
    examples: {
      'cdk destroy a': 'cloud destroy (delete)',
      'cdk deploy a': 'deploy deploy (deploy)',
      'cdk <bootstrap import rollback watch> a': 'deploy <> (<>)',
      'cdk <ls list synth synthesize diff doctor docs init context metadata notices gc>': '',
      'cdk frobnicate a': 'cloud frobnicate (unknown)',
      'cdk $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'cdktf',
    depth: 1,
    deeds: [
      ['delete', 'destroy'],
      ['deploy', 'deploy'],
    ],
    rest: 'read',
    examples: {
      'cdktf destroy a': 'cloud destroy (delete)',
      'cdktf deploy a': 'deploy deploy (deploy)',
      'cdktf <synth diff get>': '',
      'cdktf $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'sam',
    look: 'list resources',
    depth: 1,
    deeds: [
      ['delete', 'delete'],
      ['deploy', 'deploy | sync | publish'],
    ],
    rest: 'read',
    examples: {
      'sam delete a': 'cloud delete (delete)',
      'sam deploy a': 'deploy deploy (deploy)',
      'sam <sync publish> a': 'deploy <> (<>)',
      'sam <build local validate>': '',
      'sam $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'serverless sls',
    look: 'info',
    depth: 2,
    options: 'package= function= aws-profile= stage= r=',
    readings: { valued: 'package function aws-profile stage r' },
    deeds: [
      ['delete', 'remove | rollback'],
      ['deploy', 'deploy'],
    ],
    rest: 'read',
    examples: {
      'serverless <remove rollback> a': "cloud '<> a' (delete)",
      'serverless deploy a': "deploy 'deploy a' (deploy a)",
      'serverless <invoke info logs> a': '',
      'serverless $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'sst',
    depth: 1,
    options: 'stage=',
    readings: { valued: 'stage' },
    deeds: [
      ['delete', 'remove'],
      ['deploy', 'deploy'],
    ],
    rest: 'read',
    facts: [sstRuns],
    examples: {
      'sst remove a': 'cloud remove (delete)',
      'sst deploy a': 'deploy deploy (deploy)',
      'sst <dev shell bind> a': '',
      'sst $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'packer',
    depth: 1,
    deeds: [['deploy', 'build']],
    rest: 'read',
    examples: {
      'packer build a': 'deploy build (build)',
      'packer <validate init fmt> a': '',
      'packer $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'nomad',
    look: 'status',
    depth: 2,
    deeds: [
      ['delete', 'stop | purge | job stop | job purge | system gc | namespace delete | node drain'],
      ['deploy', 'run | job run'],
    ],
    examples: {
      'nomad <stop | purge> a': "cloud '<> a' (delete)",
      'nomad <job stop | job purge | system gc | namespace delete | node drain> a': "cloud '<>' (delete)",
      'nomad run a': "deploy 'run a' (run a)",
      'nomad job run a': "deploy 'job run' (job run)",
      'nomad job status a': '',
      'nomad things delete a': 'cloud a (delete)',
      'nomad things list': '',
      'nomad things create a': 'cloud a (change)',
      'nomad things deploy a': 'deploy a (things deploy)',
      'nomad things frobnicate a': "cloud 'things frobnicate' (unknown)",
      'nomad $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'consul',
    look: 'members',
    depth: 2,
    deeds: [
      ['delete', 'kv delete | leave | force-leave | snapshot restore'],
      ['read', 'catalog | monitor'],
    ],
    examples: {
      'consul <kv delete | snapshot restore> a': "cloud '<>' (delete)",
      'consul <leave | force-leave> a': "cloud '<> a' (delete)",
      'consul acl token delete a': "cloud 'acl token' (unknown)",
      'consul <members | info | kv get | catalog nodes | monitor | validate | version> a': '',
      'consul kv put a b': 'cloud a (change)',
      'consul things delete a': 'cloud a (delete)',
      'consul things list': '',
      'consul things create a': 'cloud a (change)',
      'consul things deploy a': 'deploy a (things deploy)',
      'consul things frobnicate a': "cloud 'things frobnicate' (unknown)",
      'consul $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'gitlab-runner',
    depth: 1,
    options: 'delete',
    readings: { valued: '', flags: 'delete' },
    deeds: [
      ['delete', 'unregister | uninstall | stop | reset-token | verify --delete'],
      ['read', 'verify'],
    ],
    examples: {
      'gitlab-runner <unregister uninstall stop reset-token> a': 'cloud <> (delete)',
      'gitlab-runner verify --delete': 'cloud verify (delete)',
      'gitlab-runner <list status verify>': '',
      'gitlab-runner register a': 'cloud a (change)',
      'gitlab-runner frobnicate a': 'cloud frobnicate (unknown)',
      'gitlab-runner $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'gitlab-ctl',
    depth: 1,
    deeds: [
      ['delete', 'cleanse | uninstall | stop | pg-upgrade'],
      ['read', 'service-list'],
    ],
    examples: {
      'gitlab-ctl <cleanse uninstall stop pg-upgrade> a': 'cloud <> (delete)',
      'gitlab-ctl <status tail show-config service-list help check-config>': '',
      'gitlab-ctl restart a': 'cloud a (change)',
      'gitlab-ctl frobnicate a': 'cloud frobnicate (unknown)',
      'gitlab-ctl $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'circleci',
    depth: 3,
    options: 'input= metafile= owner-id=',
    readings: { valued: 'input metafile owner-id' },
    deeds: [
      [
        'read',
        'config validate | config process | config pack | local | diagnostic | orb process | orb source',
      ],
    ],
    examples: {
      'circleci <config validate | config process | config pack | local | version | diagnostic | orb validate | orb list | orb info | orb process | orb source> a':
        '',
      'circleci orb publish a': 'deploy a (orb publish)',
      'circleci things delete a': 'cloud a (delete)',
      'circleci things list': '',
      'circleci things create a': 'cloud a (change)',
      'circleci things deploy a': 'deploy a (things deploy)',
      'circleci things frobnicate a': "cloud 'things frobnicate a' (unknown)",
      'circleci $X': 'cloud … (unknown)',
    },
  }),
];
