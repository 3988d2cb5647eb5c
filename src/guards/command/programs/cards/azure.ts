// az, azcopy, azd: the services of Microsoft.

import { each, lookFirst, service } from '../service.ts';
import { fetchedFile, fetchedFiles, fetching } from '../stores.ts';

const fileOptions = 'f/file/dest/destination= c/container-name= n/name= p/path= s/share-name= account-name=';
const fileReadings = {
  valued: 'f file dest destination c container-name n name p path s share-name account-name',
};
const batchOptions = 'd/destination= s/source= pattern= account-name=';
const batchReadings = { valued: 'd destination s source pattern account-name' };

const az = service({
  names: 'az',
  verbs: {
    'storage blob download': fileOptions,
    'storage file download': fileOptions,
    'storage fs download': fileOptions,
    'storage blob download-batch': batchOptions,
    'storage file download-batch': batchOptions,
  },
  verbReadings: {
    'storage blob download': fileReadings,
    'storage file download': fileReadings,
    'storage fs download': fileReadings,
    'storage blob download-batch': batchReadings,
    'storage file download-batch': batchReadings,
  },
  depth: 6,
  deeds: [
    [
      'secret',
      'account get-access-token | keyvault secret show | keyvault secret download | … keys list | … list-keys | … connection-string | … show-connection-string | … credential list | … credential show | … get-credentials',
    ],
    ['change', 'login | logout | account set | configure'],
    [
      'deploy',
      'webapp … deploy | webapp … up | webapp … create | webapp … publish | functionapp … deploy | functionapp … up | functionapp … create | functionapp … publish | containerapp … deploy | containerapp … up | containerapp … create | containerapp … publish | deployment … deploy | deployment … up | deployment … create | deployment … publish | spring … deploy | spring … up | spring … create | spring … publish',
    ],
  ],
  examples: {
    ...each(
      'az *',
      'account get-access-token a | keyvault secret show a | keyvault secret download a | group keys list a | group list-keys a | group connection-string a | group show-connection-string a | group credential list a | group credential show a | group get-credentials a',
      "secret '*' (credentials)",
    ),
    ...each('az *', 'login a | logout a | account set a | configure a', "cloud '*' (change)"),
    ...each(
      'az *',
      'webapp group deploy a | webapp group up a | webapp group create a | webapp group publish a | functionapp group deploy a | functionapp group up a | functionapp group create a | functionapp group publish a | containerapp group deploy a | containerapp group up a | containerapp group create a | containerapp group publish a | deployment group deploy a | deployment group up a | deployment group create a | deployment group publish a | spring group deploy a | spring group up a | spring group create a | spring group publish a',
      "deploy '*' (*)",
    ),
    az: '',
    'az things list': '',
    'az group list': '',
    'az storage blob download -n a -f b': '',
    'az things delete a': 'cloud a (delete)',
    'az things create a': 'cloud a (change)',
    'az things deploy a': 'deploy a (things deploy)',
    'az things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'az $X': 'cloud … (unknown)',
    'az group delete -n a --yes': "cloud 'group delete' (delete) force",
    'az vm create -n a': "cloud 'vm create' (change)",
    'az storage blob upload -f a': "cloud 'storage blob upload' (change)",
    'az aks get-credentials -n a': "secret 'aks get-credentials' (credentials)",
  },
  facts: [
    fetchedFile({
      verbs: ['storage blob download', 'storage file download', 'storage fs download'],
      option: 'file',
      examples: {
        hit: {
          'az storage blob download -c x -n y -f a.sh': 'write a.sh (overwrite) from network',
          'az storage file download --path y --dest a.sh': 'write a.sh (overwrite) from network',
          'az storage fs download -p y --destination a.sh': 'write a.sh (overwrite) from network',
          'az storage blob download --file=a.sh': 'write a.sh (overwrite) from network',
        },
        miss: [
          'az storage blob download -c x -n y',
          'az storage blob upload -f a.sh',
          'az storage blob download-batch -d d',
        ],
      },
    }),
    fetchedFiles({
      verbs: ['storage blob download-batch', 'storage file download-batch'],
      folder: 'destination',
      examples: {
        hit: {
          'az storage blob download-batch -d d -s x': 'write d (create) recursive from network',
          'az storage file download-batch --destination d --source x --pattern y':
            'write d (create) recursive from network',
          'az storage blob download-batch -s x': 'write . (create) recursive from network',
        },
        miss: ['az storage blob download -f a', 'az storage blob upload-batch -d d'],
      },
    }),
  ],
  advice: lookFirst('Look first: `az group list`.'),
});

const copyOptions = 'r/R/recursive exclude= include= delete-destination?';
const copyReadings = { valued: 'exclude include', flags: 'r R recursive', attached: 'delete-destination' };

const azcopy = service({
  names: 'azcopy',

  verbs: { copy: copyOptions, cp: copyOptions, c: copyOptions, sync: copyOptions },
  verbReadings: { copy: copyReadings, cp: copyReadings, c: copyReadings, sync: copyReadings },
  depth: 2,
  deeds: [
    ['delete', 'remove | rm | sync --delete-destination'],
    ['change', 'copy | cp | c | sync | login | make'],
    ['read', 'jobs | env'],
  ],
  examples: {
    ...each('azcopy *', 'remove a | rm a', "cloud '*' (delete)"),
    'azcopy jobs remove a': "cloud 'jobs remove' (delete)",
    'azcopy jobs clean a': "cloud 'jobs clean' (delete)",
    'azcopy sync a --delete-destination': "cloud 'sync a' (delete)",
    ...each('azcopy *', 'copy a | cp a | c a | sync a | login a | make a', "cloud '*' (change)"),
    'azcopy jobs a': '',
    'azcopy env a': '',
    azcopy: '',
    'azcopy things list': '',
    'azcopy list a': '',
    'azcopy ls a': '',
    'azcopy things delete a': 'cloud a (delete)',
    'azcopy things create a': 'cloud a (change)',
    'azcopy things deploy a': 'deploy a (things deploy)',
    'azcopy things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'azcopy $X': 'cloud … (unknown)',
  },
  facts: [
    fetching({
      verbs: ['copy', 'cp', 'c', 'sync'],
      folders: true,
      examples: {
        hit: {
          ...each(
            'azcopy * https://h.example/a b',
            'copy | cp | c | sync',
            'write b (copy) recursive from network',
          ),
          'azcopy cp https://h.example/a.sh . --exclude x': 'write ./a.sh (copy) recursive from network',
        },
        miss: ['azcopy cp a https://h.example/b', 'azcopy ls https://h.example/a b'],
      },
    }),
  ],
});

const azd = service({
  names: 'azd',
  depth: 2,
  deeds: [
    ['delete', 'down'],
    ['deploy', 'up | deploy | provision'],
  ],
  examples: {
    'azd down a': "cloud 'down a' (delete)",
    ...each('azd *', 'up a | deploy a | provision a', "deploy '*' (*)"),
    azd: '',
    'azd things list': '',
    'azd env list': '',
    'azd things delete a': 'cloud a (delete)',
    'azd things create a': 'cloud a (change)',
    'azd things deploy a': 'deploy a (things deploy)',
    'azd things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'azd $X': 'cloud … (unknown)',
    'azd down --force': 'cloud down (delete) force',
  },
});

export const cards = [az, azcopy, azd];
