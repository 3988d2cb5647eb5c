// Stores of secrets whose commands are services: what they show, and which programs they start with secrets.

import { commandBehind, shellOptions } from '../card.ts';
import { each, service } from '../service.ts';

const op = service({
  names: 'op',
  options:
    'encoding= session= address= email= shorthand= group= file-name= tags= title= role= description= category= template= fields= emails= expiry= vault= language= deauthorize-devices-after= permissions= user= allow-admins-to-manage= icon= travel-mode= file-mode= directory= f n',
  readings: {
    flags: 'f n',
    valued:
      'encoding session address email shorthand group file-name tags title role description category template fields emails expiry vault language deauthorize-devices-after permissions user allow-admins-to-manage icon travel-mode file-mode directory',
  },
  verbs: { run: 'env-file= no-masking' },
  verbReadings: { run: { valued: 'env-file', flags: 'no-masking' } },
  depth: 3,
  deeds: [
    ['secret', 'item get | document get | read | inject | run'],
    ['read', 'signin | signout'],
  ],
  examples: {
    ...each('op *', 'item get a | document get a | read a | inject a | run a', "secret '*' (credentials)"),
    'op signin a': '',
    'op signout a': '',
    op: '',
    'op things list': '',
    'op whoami': '',
    'op account list': '',
    'op account get': '',
    'op vault list': '',
    'op vault get a': '',
    'op item list': '',
    'op user list': '',
    ...each('op *', 'things delete a | item delete a', 'cloud a (delete)'),
    'op things create a': 'cloud a (change)',
    'op things deploy a': 'deploy a (things deploy)',
    'op things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'op $X': 'cloud … (unknown)',
  },
  facts: [
    {
      what: 'starts a program with secrets in its environment',
      verbs: ['run'],
      starts: commandBehind(1),
      examples: {
        hit: {
          'op run -- rm -rf /': 'program: rm -rf /',
          'op run --env-file=a --no-masking -- sh -c id': 'program: sh -c id',
          'op --account a run --env-file b -- id': 'program: id',
        },
        miss: ['op item get a', 'op run', 'op read -- run'],
      },
    },
  ],
});

const bw = service({
  names: 'bw',
  options:
    'session= method= code= passwordenv= passwordfile= length= web-vault= identity= icons= notifications= events= key-connector= organizationid= itemid= maxAccessCount= notes= password=',
  readings: {
    valued:
      'session method code passwordenv passwordfile length web-vault identity icons notifications events key-connector organizationid itemid maxAccessCount notes password',
  },
  depth: 2,
  deeds: [
    ['secret', 'get | export | list items | unlock'],
    ['read', 'sync'],
  ],
  examples: {
    ...each('bw *', 'get a | export a | unlock a', "secret '*' (credentials)"),
    'bw list items a': "secret 'list items' (credentials)",
    'bw sync a': '',
    bw: '',
    'bw things list': '',
    'bw status': '',
    'bw list folders': '',
    'bw things delete a': 'cloud a (delete)',
    'bw things create a': 'cloud a (change)',
    'bw things deploy a': 'deploy a (things deploy)',
    'bw things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'bw $X': 'cloud … (unknown)',
    'bw delete item a': 'cloud item (delete)',
  },
});

const lpass = service({
  names: 'lpass',
  options: 'field= note-type= username= name c',
  readings: { flags: 'name c', valued: 'field note-type username' },
  depth: 1,
  deeds: [['secret', 'show | export']],
  examples: {
    'lpass show a': 'secret show (credentials)',
    'lpass export a': 'secret export (credentials)',
    lpass: '',
    'lpass list': '',
    'lpass ls': '',
    'lpass status': '',
    'lpass delete a': 'cloud a (delete)',
    'lpass create a': 'cloud a (change)',
    'lpass deploy a': 'deploy a (deploy)',
    'lpass frobnicate a': 'cloud frobnicate (unknown)',
    'lpass $X': 'cloud … (unknown)',
    'lpass rm a': 'cloud a (delete)',
  },
});

const doppler = service({
  names: 'doppler',
  options:
    'api-host= configuration= dashboard-host= dns-resolver-address= dns-resolver-proto= dns-resolver-timeout= timeout= passphrase= number= max-age= slug= template= description= scope= token= t= config= project= fallback-passphrase= email= c= p=',
  readings: {
    valued:
      'api-host configuration dashboard-host dns-resolver-address dns-resolver-proto dns-resolver-timeout timeout passphrase number max-age slug template description scope token t config project fallback-passphrase email c p',
  },
  verbs: { run: 'command= name-transformer= mount=' },
  verbReadings: { run: { valued: 'command name-transformer mount' } },
  depth: 3,
  deeds: [
    ['secret', 'secrets get | secrets download | secrets $'],
    ['read', 'run | setup | login'],
  ],
  examples: {
    ...each('doppler *', 'secrets get a | secrets download a', "secret '*' (credentials)"),
    'doppler secrets --json': 'secret secrets (credentials)',
    ...each('doppler *', 'secrets a | things frobnicate a', "cloud '*' (unknown)"),
    'doppler run a': '',
    'doppler setup a': '',
    'doppler login a': '',
    doppler: '',
    'doppler things list': '',
    'doppler projects list': '',
    'doppler things delete a': 'cloud a (delete)',
    'doppler things create a': 'cloud a (change)',
    'doppler things deploy a': 'deploy a (things deploy)',
    'doppler $X': 'cloud … (unknown)',
    'doppler projects delete a --yes': 'cloud a (delete) force',
  },
  facts: [
    {
      what: 'starts a program with secrets in its environment',
      verbs: ['run'],
      starts: commandBehind(1),
      examples: {
        hit: {
          'doppler run -- rm -rf /': 'program: rm -rf /',
          'doppler run -p a -c b -- sh -c id': 'program: sh -c id',
          'doppler --token a run --mount b -- id': 'program: id',
        },
        miss: ['doppler run --command id', 'doppler secrets get a', 'doppler setup -- run'],
      },
    },
    {
      what: 'runs a text for a shell with secrets in its environment',
      verbs: ['run'],
      starts: shellOptions('command'),
      examples: {
        hit: {
          "doppler run --command 'rm -rf /'": 'shell code: rm -rf /',
          'doppler run --command=id': 'shell code: id',
        },
        miss: ['doppler run -- id'],
      },
    },
  ],
});

const infisical = service({
  names: 'infisical',
  verbs: { run: 'command= path= projectId= tags=' },
  verbReadings: { run: { valued: 'command path projectId tags' } },
  depth: 3,
  deeds: [['secret', 'export | secrets']],
  examples: {
    ...each('infisical *', 'export a | secrets a', "secret '*' (credentials)"),
    infisical: '',
    'infisical things list': '',
    'infisical things delete a': 'cloud a (delete)',
    'infisical things create a': 'cloud a (change)',
    'infisical things deploy a': 'deploy a (things deploy)',
    'infisical things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'infisical $X': 'cloud … (unknown)',
  },
  facts: [
    {
      what: 'starts a program with secrets in its environment',
      verbs: ['run'],
      starts: commandBehind(1),
      examples: {
        hit: {
          'infisical run --env=dev --path /a -- rm -rf /': 'program: rm -rf /',
          'infisical run id': 'program: id',
        },
        miss: ['infisical export', 'infisical run --command id'],
      },
    },
    {
      what: 'runs a text for a shell with secrets in its environment',
      verbs: ['run'],
      starts: shellOptions('command'),
      examples: {
        hit: { "infisical run --command 'rm -rf /'": 'shell code: rm -rf /' },
        miss: ['infisical run -- id'],
      },
    },
  ],
});

const chamber = service({
  names: 'chamber',
  verbs: { exec: '' },
  depth: 2,
  deeds: [['secret', 'read | export | env | exec']],
  examples: {
    ...each('chamber *', 'read a | export a | env a | exec a', "secret '*' (credentials)"),
    chamber: '',
    'chamber things list': '',
    'chamber list a': '',
    'chamber things delete a': 'cloud a (delete)',
    'chamber things create a': 'cloud a (change)',
    'chamber things deploy a': 'deploy a (things deploy)',
    'chamber things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'chamber $X': 'cloud … (unknown)',
  },
  facts: [
    {
      what: 'starts a program with secrets in its environment',
      verbs: ['exec'],
      starts: commandBehind(2),
      examples: {
        hit: {
          'chamber exec app -- rm -rf /': 'program: rm -rf /',
        },
        miss: ['chamber exec app', 'chamber list app'],
      },
    },
  ],
});

const awsVault = service({
  names: 'aws-vault',
  options: 'backend= prompt= duration= region= mfa-token= d= t=',
  readings: { valued: 'backend prompt duration region mfa-token d t' },
  verbs: { exec: 'no-session d/duration= mfa-token= ec2-server ecs-server' },
  verbReadings: {
    exec: { valued: 'd duration mfa-token', flags: 'no-session ec2-server ecs-server' },
  },
  depth: 1,
  deeds: [
    ['read', 'list | ls'],
    ['delete', 'remove | clear | rotate'],
  ],
  rest: 'secret',
  examples: {
    'aws-vault list a': '',
    'aws-vault ls a': '',
    'aws-vault': '',
    'aws-vault list': '',
    'aws-vault remove a': 'cloud remove (delete)',
    'aws-vault clear a': 'cloud clear (delete)',
    'aws-vault rotate a': 'cloud rotate (delete)',
    'aws-vault delete a': 'secret delete (credentials)',
    'aws-vault create a': 'secret create (credentials)',
    'aws-vault deploy a': 'secret deploy (credentials)',
    'aws-vault frobnicate a': 'secret frobnicate (credentials)',
    'aws-vault $X': 'cloud … (unknown)',
  },
  facts: [
    {
      what: 'starts a program with credentials in its environment',
      verbs: ['exec'],
      starts: commandBehind(2),
      examples: {
        hit: {
          'aws-vault exec prod -- rm -rf /': 'program: rm -rf /',
          'aws-vault exec -d 1h prod aws s3 ls': 'program: aws s3 ls',
          'aws-vault --debug exec prod --no-session -- id -u': 'program: id -u',
        },
        miss: ['aws-vault exec prod', 'aws-vault list', 'aws-vault login exec a'],
      },
    },
  ],
});

export const cards = [op, bw, lpass, doppler, infisical, chamber, awsVault];
