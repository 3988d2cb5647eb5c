// Appwrite: databases, functions and files of apps.

import { service } from '../service.ts';

const appwrite = service({
  names: 'appwrite',
  options: 'database-id= collection-id= function-id= bucket-id= user-id= project-id=',
  readings: { valued: 'database-id collection-id function-id bucket-id user-id project-id' },
  look: 'projects list',
  depth: 2,
  verbAt: 1,
  alone: 'read',
  deeds: [
    ['deploy', 'push | deploy'],
    ['read', 'login | logout | init | pull | client | types'],
  ],
  examples: {
    'appwrite push functions': "deploy 'push functions' (push functions)",
    'appwrite deploy function': "deploy 'deploy function' (deploy function)",
    'appwrite databases delete --database-id a': "cloud 'databases delete' (delete)",
    'appwrite users create': "cloud 'users create' (change)",
    'appwrite pull functions': '',
    'appwrite projects list': '',
    'appwrite login': '',
    appwrite: '',
  },
});

export const cards = [appwrite];
