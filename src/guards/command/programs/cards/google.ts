// gcloud, gsutil, bq: the services of Google.

import { effect, nameTarget } from '../../tools/tool.ts';
import { type Card, shellOptions } from '../card.ts';
import { each, lookFirst, service } from '../service.ts';
import { copying, fetching } from '../stores.ts';

const storageOptions = 'r/R/recursive f/force n/no-clobber exclude= include=';
const storageReadings = { valued: 'exclude include', flags: 'r R recursive f force n no-clobber' };

const gcloud = service({
  names: 'gcloud',
  options: 'command=',
  readings: { valued: 'command' },
  verbs: { 'storage cp': storageOptions, 'storage mv': storageOptions, 'storage rsync': storageOptions },
  verbReadings: {
    'storage cp': storageReadings,
    'storage mv': storageReadings,
    'storage rsync': storageReadings,
  },
  depth: 6,
  deeds: [
    ['secret', 'auth print-* | auth application-default print-* | secrets versions access'],
    ['read', 'auth list | config list | config get* | components list | run * list | run * describe'],
    ['change', 'compute ssh | compute scp | compute start-iap-tunnel | config set | auth | components'],
    ['deploy', 'app deploy | run deploy | functions deploy | builds submit | deploy'],
    ['delete', '… remove-iam-policy-binding | … set-iam-policy | … undeploy'],
  ],
  examples: {
    ...each(
      'gcloud *',
      'auth print-x a | auth application-default print-x a | secrets versions access a',
      "secret '*' (credentials)",
    ),
    'gcloud auth list a': '',
    'gcloud config list a': '',
    'gcloud config getx a': '',
    'gcloud components list a': '',
    'gcloud run x list a': '',
    'gcloud run x describe a': '',
    gcloud: '',
    'gcloud things list': '',
    'gcloud gcloud auth list a': '',
    'gcloud gcloud components list a': '',
    'gcloud gcloud things list': '',
    'gcloud gcloud info': '',
    'gcloud gcloud logging read a': '',
    'gcloud gcloud projects get-iam-policy a': '',
    ...each(
      'gcloud *',
      'compute ssh a | compute scp a | compute start-iap-tunnel a | config set a | auth a | components a',
      "cloud '*' (change)",
    ),
    ...each(
      'gcloud *',
      'app deploy a | run deploy a | functions deploy a | builds submit a | deploy a',
      "deploy '*' (*)",
    ),
    ...each(
      'gcloud *',
      'group remove-iam-policy-binding a | group set-iam-policy a | group undeploy a | gcloud group remove-iam-policy-binding a | gcloud group set-iam-policy a | gcloud group undeploy a',
      "cloud '*' (delete)",
    ),
    ...each('gcloud *', 'things delete a | gcloud things delete a', 'cloud a (delete)'),
    ...each(
      'gcloud *',
      'things create a | gcloud compute ssh a | gcloud compute start-iap-tunnel a | gcloud things create a',
      'cloud a (change)',
    ),
    'gcloud things deploy a': 'deploy a (things deploy)',
    ...each(
      'gcloud *',
      'things frobnicate a | gcloud auth print-x a | gcloud auth application-default print-x a | gcloud secrets versions access a | gcloud compute scp a | gcloud auth a | gcloud components a | gcloud things frobnicate a',
      "cloud '*' (unknown)",
    ),
    ...each('gcloud *', '$X | gcloud $X', 'cloud … (unknown)'),
    'gcloud gcloud config list a': 'cloud list (change)',
    'gcloud gcloud config getx a': 'cloud getx (change)',
    ...each('gcloud *', 'gcloud run x list a | gcloud run x describe a', 'cloud x (change)'),
    'gcloud gcloud config set a': 'cloud set (change)',
    'gcloud gcloud app deploy a': 'deploy a (gcloud app deploy)',
    'gcloud gcloud run deploy a': 'cloud deploy (change)',
    'gcloud gcloud functions deploy a': 'deploy a (gcloud functions deploy)',
    'gcloud gcloud builds submit a': 'deploy a (gcloud builds submit)',
    'gcloud gcloud deploy a': 'deploy a (gcloud deploy)',
    'gcloud gcloud things deploy a': 'deploy a (gcloud things deploy)',
    'gcloud gcloud projects delete shop --quiet': 'cloud shop (delete)',
    'gcloud gcloud compute instances create web --zone a': 'cloud web (change)',
    'gcloud gcloud storage cp gs://b/a a': 'cloud gs://b/a (change)',
    'gcloud gcloud storage rm gs://b --recursive': 'cloud gs://b (delete) recursive',
    'gcloud gcloud compute instances delete a --force': 'cloud a (delete) force',
  },
  facts: [
    fetching({
      verbs: ['storage cp', 'storage mv', 'storage rsync'],
      examples: {
        hit: {
          'gcloud storage cp gs://b/a.sh .': 'write ./a.sh (copy) from network',
          'gcloud storage mv gs://b/a b': 'write b (copy) from network',
          'gcloud storage cp -r gs://b/d d': 'write d (copy) recursive from network',
          'gcloud storage cp gs://b/a gs://b/c --exclude x d':
            'write d/a (copy) from network; write d/c (copy) from network',
          'gcloud storage rsync --recursive gs://b d': 'write d (copy) recursive from network',
        },
        miss: [
          'gcloud storage cp a gs://b',
          'gcloud storage cp gs://b/a -',
          'gcloud storage cp a b',
          'gcloud storage cp',
          'gcloud storage ls gs://b a',
        ],
      },
    }),
    {
      what: 'runs a text for a shell on another machine',
      starts: shellOptions('command'),
      examples: {
        hit: {
          "gcloud compute ssh a --command 'rm -rf /'": 'shell code: rm -rf /',
          'gcloud compute ssh a --command=id': 'shell code: id',
        },
        miss: ['gcloud compute ssh a'],
      },
    },
  ],
  advice: lookFirst('Look first with a command that lists, such as `gcloud projects list`.'),
});

const copyOptions = 'r/R/recursive a f n c z= e p P d/delete x= I v';
const copyReadings = { valued: 'z x', flags: 'r R recursive a f n c e p P d delete I v' };
const deletes = ['rm', 'rb'];
const reads = 'ls | stat | cat | du | hash | version | help | test | perfdiag | signurl | logging | getacl';

const gsutil: Card = {
  names: 'gsutil',
  options: 'm D q o= h= i= u=',
  readings: { valued: 'o h i u', flags: 'm D q' },
  verbs: {
    cp: copyOptions,
    mv: copyOptions,
    rsync: copyOptions,
    rm: 'r/R/recursive a f',
    rb: 'f',
    [reads]: '',
  },
  verbReadings: {
    cp: copyReadings,
    mv: copyReadings,
    rsync: copyReadings,
    rm: { flags: 'r R recursive a f' },
    rb: { flags: 'f' },
  },
  facts: [
    {
      what: 'deletes what the store holds',
      verbs: deletes,
      effects: (call, given) =>
        given.operands.map((target) =>
          effect(call, 'cloud', {
            detail: 'delete',
            target: nameTarget(target),
            recursive: given.has('recursive') || given.verb === 'rb',
            force: given.has('f'),
          }),
        ),
      examples: {
        hit: {
          'gsutil rm gs://b/a gs://b/c': 'cloud gs://b/a (delete); cloud gs://b/c (delete)',
          'gsutil -m rm -rf gs://b': 'cloud gs://b (delete) recursive force',
          'gsutil rb gs://b': 'cloud gs://b (delete) recursive',
        },
        miss: ['gsutil ls gs://b', 'gsutil cp a gs://b', 'gsutil acl set private gs://b'],
      },
    },
    ...copying({
      verbs: ['cp', 'mv', 'rsync'],
      folders: 'rsync',
      moves: 'mv',
      remote: /^gs:\/\//,
      examples: {
        up: {
          hit: {
            'gsutil -h a:b cp .env gs://b':
              'read .env; secret .env (environment); connect gs://b (upload) from secret; cloud gs://b (change)',
            'gsutil cp -r -z js a gs://b': 'read a recursive; connect gs://b (upload); cloud gs://b (change)',
            'gsutil mv a gs://b': 'read a; connect gs://b (upload); cloud gs://b (change)',
            'gsutil rsync -d -x y a gs://b':
              'read a recursive; connect gs://b (upload); cloud gs://b (delete)',
            '$SECRET | gsutil cp - gs://b/a':
              'connect gs://b/a (upload) from secret; cloud gs://b/a (change)',
          },
          miss: ['gsutil cp gs://b/a a', 'gsutil ls gs://b'],
        },
        down: {
          hit: {
            'gsutil cp gs://b/a.sh .': 'write ./a.sh (copy) from network',
            'gsutil mv gs://b/a b': 'write b (copy) from network',
            'gsutil -m cp -r gs://b/d .': 'write ./d (copy) recursive from network',
            'gsutil rsync -d gs://b d': 'write d (copy) recursive from network; delete d (sync) recursive',
          },
          miss: ['gsutil cp a gs://b', 'gsutil cp gs://b/a -', 'gsutil cat gs://b/a'],
        },
        moved: {
          hit: { 'gsutil mv gs://b/a gs://c/a': 'cloud gs://b/a (delete)' },
          miss: ['gsutil mv a gs://b', 'gsutil cp gs://b/a a'],
        },
      },
    }),
    {
      what: 'changes what the store holds',
      effects: (call, given) =>
        given.verb === null
          ? [effect(call, 'cloud', { detail: 'change', target: nameTarget(given.operands.at(-1)) })]
          : [],
      examples: {
        hit: {
          'gsutil mb gs://b': 'cloud gs://b (change)',
          'gsutil -o a=b acl set private gs://b': 'cloud gs://b (change)',
          'gsutil $VERB gs://b': 'cloud gs://b (change)',
        },
        miss: [
          'gsutil rm gs://b',
          'gsutil -D -i a -u b -q ls gs://b',
          ...Object.keys(
            each(
              'gsutil * gs://b',
              'ls | stat | cat | du | hash | version | help | test | perfdiag | signurl | logging | getacl',
              '',
            ),
          ),
        ],
      },
    },
  ],
};

const bq = service({
  names: 'bq',
  depth: 2,
  deeds: [
    ['delete', 'rm | truncate'],
    ['change', 'query | load | cp | mk | update | insert | extract'],
  ],
  examples: {
    ...each('bq *', 'rm a | truncate a', "cloud '*' (delete)"),
    'bq wait a': '',
    bq: '',
    'bq things list': '',
    'bq ls': '',
    'bq show a': '',
    'bq head a': '',
    ...each('bq *', 'query a | load a | cp a | mk a | update a | insert a | extract a', "cloud '*' (change)"),
    'bq things delete a': 'cloud a (delete)',
    'bq things create a': 'cloud a (change)',
    'bq things deploy a': 'deploy a (things deploy)',
    'bq things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'bq $X': 'cloud … (unknown)',
    'bq rm -f a.b': 'cloud rm (delete)',
  },
});

export const cards = [gcloud, gsutil, bq];
