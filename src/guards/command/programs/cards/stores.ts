// s3cmd, s5cmd, mc: stores of objects that speak the protocol of Amazon's.

import { each, service } from '../service.ts';
import { fetching } from '../stores.ts';

const copyOptions = 'r/R/recursive f/force n/no-clobber exclude= include=';
const copyReadings = { valued: 'exclude include', flags: 'r R recursive f force n no-clobber' };

const s3cmd = service({
  names: 's3cmd',
  look: 'ls',
  options: 'delete-removed',
  readings: { flags: 'delete-removed' },
  verbs: { get: copyOptions, sync: copyOptions },
  verbReadings: { get: copyReadings, sync: copyReadings },
  depth: 1,
  deeds: [
    ['delete', 'del | rm | rb | expire | delpolicy | delcors | --delete-removed'],
    ['read', 'la | signurl'],
    ['change', 'put | sync | cp | mv | mb | setacl | modify'],
  ],
  examples: {
    's3cmd del a': 'cloud del (delete)',
    's3cmd rm a': 'cloud rm (delete)',
    's3cmd rb a': 'cloud rb (delete)',
    's3cmd expire a': 'cloud expire (delete)',
    's3cmd delpolicy a': 'cloud delpolicy (delete)',
    's3cmd delcors a': 'cloud delcors (delete)',
    's3cmd a --delete-removed': 'cloud a (delete)',
    's3cmd la a': '',
    's3cmd signurl a': '',
    s3cmd: '',
    's3cmd list': '',
    's3cmd ls': '',
    's3cmd du a': '',
    's3cmd info a': '',
    's3cmd get s3://b/a': '',
    's3cmd put a': 'cloud put (change)',
    's3cmd sync a': 'cloud sync (change)',
    's3cmd cp a': 'cloud cp (change)',
    's3cmd mv a': 'cloud mv (change)',
    's3cmd mb a': 'cloud mb (change)',
    's3cmd setacl a': 'cloud setacl (change)',
    's3cmd modify a': 'cloud modify (change)',
    's3cmd delete a': 'cloud a (delete)',
    's3cmd create a': 'cloud a (change)',
    's3cmd deploy a': 'deploy a (deploy)',
    's3cmd frobnicate a': 'cloud frobnicate (unknown)',
    's3cmd $X': 'cloud … (unknown)',
    's3cmd sync a s3://b --delete-removed': 'cloud sync (delete)',
  },
  facts: [
    fetching({
      verbs: ['get', 'sync'],
      alone: true,
      examples: {
        hit: {
          's3cmd get s3://b/a.sh .': 'write ./a.sh (copy) from network',
          's3cmd get s3://b/a.sh': 'write ./a.sh (copy) from network',
          's3cmd get -f s3://b/a.sh b': 'write b (copy) from network',
          's3cmd sync --recursive s3://b d': 'write d (copy) recursive from network',
          's3cmd get -r --exclude x --include y s3://b d': 'write d (copy) recursive from network',
        },
        miss: ['s3cmd put a s3://b', 's3cmd sync a s3://b', 's3cmd get s3://b/a -', 's3cmd get'],
      },
    }),
  ],
});

const s5cmd = service({
  names: 's5cmd',
  look: 'ls',
  verbs: { cp: copyOptions, mv: copyOptions, sync: copyOptions },
  verbReadings: { cp: copyReadings, mv: copyReadings, sync: copyReadings },
  depth: 1,
  deeds: [
    ['delete', 'rm | rb'],
    ['read', 'ls | du | cat | head'],
  ],
  rest: 'change',
  examples: {
    's5cmd rm a': 'cloud rm (delete)',
    's5cmd rb a': 'cloud rb (delete)',
    's5cmd ls a': '',
    's5cmd du a': '',
    's5cmd cat a': '',
    's5cmd head a': '',
    s5cmd: '',
    's5cmd delete a': 'cloud delete (change)',
    's5cmd create a': 'cloud create (change)',
    's5cmd deploy a': 'cloud deploy (change)',
    's5cmd list': 'cloud list (change)',
    's5cmd frobnicate a': 'cloud frobnicate (change)',
    's5cmd $X': 'cloud … (unknown)',
  },
  facts: [
    fetching({
      verbs: ['cp', 'mv', 'sync'],
      examples: {
        hit: {
          ...each('s5cmd * s3://b/a c', 'cp | mv | sync', 'write c (copy) from network'),
          's5cmd cp -n -R s3://b/a c': 'write c (copy) recursive from network',
        },
        miss: ['s5cmd cp a s3://b', 's5cmd ls s3://b a'],
      },
    }),
  ],
});

const mcOptions = 'r/recursive a/preserve c/continue w/watch attr= older-than= newer-than= exclude= md5';
const mcReadings = {
  valued: 'attr older-than newer-than exclude',
  flags: 'r recursive a preserve c continue w watch md5',
};

const mc = service({
  names: 'mc',
  look: 'ls',
  options: 'remove',
  readings: { flags: 'remove' },
  verbs: { cp: mcOptions, get: mcOptions, mv: mcOptions, mirror: mcOptions },
  verbReadings: { cp: mcReadings, get: mcReadings, mv: mcReadings, mirror: mcReadings },
  depth: 3,
  deeds: [
    [
      'delete',
      'rm | rb | admin bucket delete | admin user remove | admin user disable | admin policy remove | admin policy detach | admin service stop | mirror --remove | replicate --remove | ilm rm | ilm remove | ilm suspend | ilm reset | version rm | version remove | version suspend | version reset | tag rm | tag remove | tag suspend | tag reset | anonymous rm | anonymous remove | anonymous suspend | anonymous reset | event rm | event remove | event suspend | event reset | replicate rm | replicate remove | replicate suspend | replicate reset',
    ],
    [
      'read',
      'admin info | alias ls | alias list | admin user list | admin user info | admin policy list | admin policy info',
    ],
    ['change', 'cp | mv | mb | mirror | pipe | alias | admin | policy | anonymous | ilm | tag | put | get'],
  ],
  examples: {
    ...each(
      'mc *',
      'rm a | rb a | ilm rm a | ilm remove a | ilm suspend a | ilm reset a | version rm a | version remove a | version suspend a | version reset a | tag rm a | tag remove a | tag suspend a | tag reset a | anonymous rm a | anonymous remove a | anonymous suspend a | anonymous reset a | event rm a | event remove a | event suspend a | event reset a | replicate rm a | replicate remove a | replicate suspend a | replicate reset a',
      "cloud '*' (delete)",
    ),
    'mc admin bucket delete a': "cloud 'admin bucket delete' (delete)",
    'mc admin user remove a': "cloud 'admin user remove' (delete)",
    'mc admin user disable a': "cloud 'admin user disable' (delete)",
    'mc admin policy remove a': "cloud 'admin policy remove' (delete)",
    'mc admin policy detach a': "cloud 'admin policy detach' (delete)",
    'mc admin service stop a': "cloud 'admin service stop' (delete)",
    'mc mirror a --remove': "cloud 'mirror a' (delete)",
    'mc replicate a --remove': "cloud 'replicate a' (delete)",
    'mc ls a': '',
    'mc stat a': '',
    'mc cat a': '',
    'mc du a': '',
    'mc find a': '',
    'mc diff a': '',
    'mc tree a': '',
    'mc head a': '',
    'mc admin info a': '',
    'mc ping a': '',
    'mc version a': '',
    'mc alias ls a': '',
    'mc alias list a': '',
    'mc watch a': '',
    'mc admin user list a': '',
    'mc admin user info a': '',
    'mc admin policy list a': '',
    'mc admin policy info a': '',
    mc: '',
    'mc things list': '',
    ...each(
      'mc *',
      'cp a | mv a | mb a | mirror a | pipe a | alias a | admin a | policy a | anonymous a | ilm a | tag a | put a | get a',
      "cloud '*' (change)",
    ),
    'mc things delete a': 'cloud a (delete)',
    'mc things create a': 'cloud a (change)',
    'mc things deploy a': 'deploy a (things deploy)',
    'mc things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'mc $X': 'cloud … (unknown)',
  },
  facts: [
    fetching({
      verbs: ['cp', 'get', 'mv', 'mirror'],
      plainNames: true,
      examples: {
        hit: {
          ...each('mc * play/b/a c', 'cp | get | mv | mirror', 'write c (copy) from network'),
          'mc cp -r -a play/b/d d': 'write d (copy) recursive from network',
        },
        miss: ['mc cp a s3://b', 'mc ls play/b a', 'mc cp play/b/a -'],
      },
    }),
  ],
});

export const cards = [s3cmd, s5cmd, mc];
