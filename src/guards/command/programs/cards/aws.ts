// aws: the services of Amazon.

import { beginningOf, effect, literal, nameTarget, write } from '../../tools/tool.ts';
import { each, lookFirst, service } from '../service.ts';
import { copying } from '../stores.ts';

const copyOptions =
  'storage-class= content-type= content-encoding= content-disposition= content-language= cache-control= expires= metadata= metadata-directive= grants= sse= sse-kms-key-id= sse-c= sse-c-key= source-region= request-payer= expected-size= website-redirect= copy-props= sse-c-copy-source= sse-c-copy-source-key=';
const copyReadings = {
  valued:
    'storage-class content-type content-encoding content-disposition content-language cache-control expires metadata metadata-directive grants sse-kms-key-id sse-c-key source-region expected-size website-redirect copy-props sse sse-c request-payer sse-c-copy-source sse-c-copy-source-key',
};

const aws = service({
  names: 'aws awslocal',
  options:
    'index-document= error-document= parameters= payload= cli-binary-format= no-sign-request no-paginate max-items= page-size= starting-token= delete exclude= include= acl= with-decryption change-batch=',
  readings: {
    valued:
      'index-document error-document parameters payload cli-binary-format max-items page-size starting-token exclude include acl change-batch',
    flags: 'no-sign-request no-paginate delete with-decryption',
  },
  verbs: {
    's3 cp': copyOptions,
    's3 mv': copyOptions,
    's3 sync': copyOptions,
    's3api get-object': '',
    'configure set | configure import | configure sso | configure sso-session | configure add-model': '',
    'ssm start-session | ssm send-command': '',
    'ses send-email | ses send-raw-email | ses send-templated-email | ses send-bulk-templated-email | ses send-bounce | ses send-custom-verification-email | sesv2 send-email | sesv2 send-bulk-email | sesv2 send-custom-verification-email | pinpoint send-messages | pinpoint send-otp-message | pinpoint send-users-messages':
      '',
    'sns publish | sns publish-batch': '',
    'route53 change-resource-record-sets': '',
  },
  verbReadings: { 's3 cp': copyReadings, 's3 mv': copyReadings, 's3 sync': copyReadings },
  depth: 2,
  verbAt: 1,
  otherwise: 'change',
  deeds: [
    [
      'own',
      's3 cp | s3 mv | s3 sync | configure set | ssm start-session | ses send-email | sns publish | route53 change-resource-record-sets',
    ],
    [
      'secret',
      'secretsmanager get-secret-value | secretsmanager batch-get-secret-value | ssm get-parameter --with-decryption | ssm get-parameters --with-decryption | ssm get-parameters-by-path --with-decryption | ssm get-parameter-history --with-decryption | sts get-session-token | sts assume-role | sts assume-role-with-saml | sts assume-role-with-web-identity | sts get-federation-token | iam create-access-key | kms decrypt | configure get | configure export-credentials | ecr get-login | ecr get-login-password | ecr get-authorization-token | eks get-token',
    ],
    ['read', 'help | s3 presign'],
    ['deploy', 'cloudformation create-stack | cloudformation update-stack | cloudformation rollback-stack'],
  ],
  examples: {
    ...each(
      'aws * --query x',
      'secretsmanager get-secret-value | secretsmanager batch-get-secret-value | sts get-session-token | sts assume-role | sts assume-role-with-saml | sts assume-role-with-web-identity | sts get-federation-token | iam create-access-key | kms decrypt | configure get | configure export-credentials | ecr get-login | ecr get-login-password | ecr get-authorization-token | eks get-token',
      "secret '*' (credentials)",
    ),
    ...each(
      'aws * --with-decryption --name a',
      'ssm get-parameter | ssm get-parameters | ssm get-parameters-by-path | ssm get-parameter-history',
      "secret '*' (credentials)",
    ),
    ...each(
      'aws *',
      'help | help topics | s3 | s3 help | s3 ls s3://b | s3 presign s3://b/a | ssm get-parameter --name a | kms describe-key | configure list | configure | sts get-caller-identity | eks list-clusters | ec2 describe-instances | logs tail a | codebuild batch-get-builds',
      '',
    ),
    ...each('aws *', 's3 rm s3://b --dryrun | ec2 run-instances --dry-run', ''),
    ...each(
      'aws *',
      'ec2 terminate-instances | ec2 stop-instances | kms schedule-key-deletion | kms disable-key | iam detach-role-policy | ecr batch-delete-image | cloudformation delete-stack | ec2 release-address',
      "cloud '*' (delete)",
    ),
    'aws s3 rm s3://b --recursive': 'cloud s3://b (delete) recursive',
    'aws s3 rb s3://b --force': 'cloud s3://b (delete) force',
    'aws --profile p s3 rm s3://b': 'cloud s3://b (delete)',
    ...each(
      'aws *',
      'ec2 run-instances | s3api put-bucket-policy | polly synthesize-speech | deploy create-deployment',
      "cloud '*' (change)",
    ),
    'aws ec2 run-instances --new-option x': "cloud 'ec2 run-instances' (change)",
    'aws s3 mb s3://b': 'cloud s3://b (change)',
    ...each(
      'aws *',
      'cloudformation create-stack | cloudformation update-stack | cloudformation rollback-stack | cloudformation deploy',
      "deploy '*' (*)",
    ),
    ...each(
      'aws * a b',
      's3 cp | s3 mv | s3 sync | s3api get-object | configure set | ssm start-session | ses send-email | sns publish | route53 change-resource-record-sets',
      '',
    ),
    'aws $GROUP list': 'cloud … (unknown)',
    'aws s3 $VERB': 'cloud … (unknown)',
  },
  facts: [
    ...copying({
      verbs: ['s3 cp', 's3 mv', 's3 sync'],
      folders: 's3 sync',
      moves: 's3 mv',
      pair: true,
      remote: /^s3:\/\//,
      examples: {
        up: {
          hit: {
            'aws s3 cp .env s3://b':
              'read .env; secret .env (environment); connect s3://b (upload) from secret; cloud s3://b (change)',
            'aws s3 cp --recursive a s3://b':
              'read a recursive; connect s3://b (upload); cloud s3://b (change)',
            '$SECRET | aws s3 cp - s3://b': 'connect s3://b (upload) from secret; cloud s3://b (change)',
            '$NETWORK | aws s3 cp - s3://b': 'connect s3://b (upload); cloud s3://b (change)',
            '$SECRET | aws s3 cp a s3://b': 'read a; connect s3://b (upload); cloud s3://b (change)',
            'aws s3 sync a s3://b --delete --exclude x':
              'read a recursive; connect s3://b (upload); cloud s3://b (delete)',
            'aws s3 mv s3://b/a s3://c/a': 'connect s3://c/a (upload); cloud s3://c/a (change)',
            'aws s3 cp a s3://b --new-option x --storage-class y':
              'read a; connect s3://b (upload); cloud s3://b (change)',
            'aws s3 cp a': 'read a',
          },
          miss: ['aws s3 cp s3://b/a a', 'aws s3 ls s3://b', 'aws s3 sync a s3://b --dryrun', 'aws s3 cp'],
        },
        down: {
          hit: {
            'aws s3 cp s3://b/a.sh .': 'write ./a.sh (copy) from network',
            'aws s3 cp s3://b/d d --recursive': 'write d (copy) recursive from network',
            'aws s3 mv s3://b/a b': 'write b (copy) from network',
            'aws s3 sync s3://b d --delete':
              'write d (copy) recursive from network; delete d (sync) recursive',
          },
          miss: ['aws s3 cp a s3://b', 'aws s3 cp s3://b/a -', 'aws s3 cp s3://b/a', 'aws s3 ls s3://b a'],
        },
        moved: {
          hit: { 'aws s3 mv s3://b/a a': 'cloud s3://b/a (delete)' },
          miss: ['aws s3 mv a s3://b', 'aws s3 cp s3://b/a a'],
        },
      },
    }),
    {
      what: 'saves an object',
      verbs: ['s3api get-object'],
      effects: (call, { operands }) =>
        operands
          .slice(-1)
          .flatMap((file) => write(call, file, { detail: 'overwrite', origins: ['network'] })),
      examples: {
        hit: {
          'aws s3api get-object --bucket b --key k a.sh': 'write a.sh (overwrite) from network',
        },
        miss: ['aws s3api get-object', 'aws s3api head-object a'],
      },
    },
    {
      what: 'changes its own settings',
      verbs: ['configure set'],
      effects: (call) => write(call, literal('~/.aws/config'), { detail: 'edit' }),
      examples: {
        hit: each(
          'aws configure * a b',
          'set | import | sso | sso-session | add-model',
          'write ~/.aws/config (edit)',
        ),
        miss: ['aws configure list', 'aws configure get a', 'aws configure'],
      },
    },
    {
      what: 'runs commands on machines of the cloud',
      verbs: ['ssm start-session'],
      effects: (call) => [
        effect(call, 'run', {
          detail: 'remote-command',
          target: nameTarget(literal('ssm start-session')),
        }),
      ],
      examples: {
        hit: {
          'aws ssm start-session': "run 'ssm start-session' (remote-command)",
          'aws ssm send-command --targets i': "run 'ssm start-session' (remote-command)",
        },
        miss: ['aws ssm list-commands', 'aws ec2 start-instances'],
      },
    },
    {
      what: 'sends e-mail',
      verbs: ['ses send-email'],
      effects: (call) => [effect(call, 'message', { detail: 'e-mail', target: nameTarget(literal('ses')) })],
      examples: {
        hit: {
          ...each(
            'aws *',
            'ses send-email | ses send-raw-email | ses send-templated-email | ses send-bulk-templated-email | ses send-bounce | ses send-custom-verification-email | sesv2 send-email | sesv2 send-bulk-email | sesv2 send-custom-verification-email | pinpoint send-messages | pinpoint send-otp-message | pinpoint send-users-messages',
            'message ses (e-mail)',
          ),
          'aws ses send-email --from a': 'message ses (e-mail)',
        },
        miss: ['aws ses list-identities', 'aws sns publish'],
      },
    },
    {
      what: 'sends notifications',
      verbs: ['sns publish'],
      effects: (call) => [
        effect(call, 'message', {
          detail: 'notification',
          target: nameTarget(literal('sns')),
        }),
      ],
      examples: {
        hit: {
          ...each('aws sns *', 'publish | publish-batch', 'message sns (notification)'),
          'aws sns publish --message a': 'message sns (notification)',
        },
        miss: ['aws sns list-topics', 'aws ses send-email'],
      },
    },
    {
      what: 'changes or deletes names of a domain',
      verbs: ['route53 change-resource-record-sets'],
      effects: (call, given) => {
        const deletes = given
          .all('change-batch', 'cli-input-json')
          .some((text) => /"DELETE"/i.test(beginningOf(text)));
        const target = literal('route53 change-resource-record-sets');
        return [effect(call, 'cloud', { detail: deletes ? 'delete' : 'change', target: nameTarget(target) })];
      },
      examples: {
        hit: {
          'aws route53 change-resource-record-sets --change-batch \'{"Action":"DELETE"}\' z':
            "cloud 'route53 change-resource-record-sets' (delete)",
          'aws route53 change-resource-record-sets --cli-input-json \'{"Action":"delete"}\'':
            "cloud 'route53 change-resource-record-sets' (delete)",
          'aws route53 change-resource-record-sets --change-batch file://a':
            "cloud 'route53 change-resource-record-sets' (change)",
        },
        miss: ['aws route53 list-hosted-zones'],
      },
    },
  ],
  advice: lookFirst('Look first with a command that lists or describes, such as `aws s3 ls`.'),
});

export const cards = [aws];
