// Hosting: what goes out to users, and what is taken away from them.

import { concatAll } from '../../bash/values.ts';
import { commandBehind, shellOptions } from '../card.ts';
import { each, service } from '../service.ts';

const heroku = service({
  names: 'heroku',
  look: 'apps',
  verbs: { 'local:run': 'port=' },
  verbReadings: { 'local:run': { valued: 'port' } },
  depth: 2,
  deeds: [
    [
      'delete',
      'addons:detach | apps:leave | repo:reset | ps:restart | ps:stop | ps:kill | ps:scale | access:update | clients:update | clients:rotate | access:remove | members:remove | container:rm | pg:reset | pg:killall | pg:kill | pg:credentials:rotate | pg:promote | maintenance:on | domains:clear | keys:clear | releases:rollback | rollback | features:disable | git:remote',
    ],
    ['secret', 'config | config:get | pg:credentials | pg:credentials:url | auth:token'],
    ['read', 'apps | ps | releases | addons | domains | pg | local | plugins | stack | access'],
    ['change', 'run | run:detached | ps:exec | pg:psql'],
  ],
  examples: {
    ...each(
      'heroku *',
      'addons:detach a | apps:leave a | repo:reset a | ps:restart a | ps:stop a | ps:kill a | ps:scale a | access:update a | clients:update a | clients:rotate a | access:remove a | members:remove a | container:rm a | pg:reset a | pg:killall a | pg:kill a | pg:credentials:rotate a | pg:promote a | maintenance:on a | domains:clear a | keys:clear a | releases:rollback a | rollback a | features:disable a | git:remote a',
      "cloud '*' (delete)",
    ),
    ...each(
      'heroku *',
      'config a | config:get a | pg:credentials a | pg:credentials:url a | auth:token a',
      "secret '*' (credentials)",
    ),
    'heroku apps a': '',
    'heroku ps a': '',
    'heroku releases a': '',
    'heroku addons a': '',
    'heroku domains a': '',
    'heroku pg a': '',
    'heroku local a': '',
    'heroku plugins a': '',
    'heroku stack a': '',
    'heroku access a': '',
    heroku: '',
    'heroku things list': '',
    'heroku logs': '',
    'heroku apps:info': '',
    'heroku members': '',
    'heroku status': '',
    'heroku ps -a web': '',
    ...each('heroku *', 'run a | run:detached a | ps:exec a | pg:psql a', "cloud '*' (change)"),
    'heroku things delete a': 'cloud a (delete)',
    'heroku things create a': 'cloud a (change)',
    'heroku things deploy a': 'deploy a (things deploy)',
    'heroku things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'heroku $X': 'cloud … (unknown)',
    'heroku config -a web': 'secret config (credentials)',
  },
  facts: [
    {
      what: 'starts a program here with the settings of the app',
      verbs: ['local:run'],
      starts: commandBehind(1),
      examples: {
        hit: {
          'heroku local:run -e a --port 1 rm -rf /': 'program: rm -rf /',
          'heroku local:run id -u': 'program: id -u',
        },
        miss: ['heroku local', 'heroku run id'],
      },
    },
  ],
});

const fly = service({
  names: 'fly flyctl',
  look: 'status',
  options:
    'builtinsfile= network= email= otp= password= build-arg= build-target= dockerfile= image-label= r= strategy= path= cpu-kind= cpus= entrypoint= memory= port= size= volume= signal= time= database-name= database-user= postgres-app= variable-name= database= user= image-ref= initial-cluster-size= snapshot-id= vm-size= volume-size= group= hours= username= heroku-token= image= i= v= u=',
  readings: {
    valued:
      'builtinsfile network email otp password build-arg build-target dockerfile image-label r strategy path cpu-kind cpus entrypoint memory port size volume signal time database-name database-user postgres-app variable-name database user image-ref initial-cluster-size snapshot-id vm-size volume-size group hours username heroku-token image i v u',
  },
  depth: 3,
  deeds: [
    ['read', 'platform | checks | scale show'],
    ['deploy', 'deploy | launch'],
    ['change', 'ssh | console | proxy'],
    [
      'delete',
      'machines stop | machines kill | machines destroy | machines remove | machine stop | machine kill | machine destroy | machine remove | m stop | m kill | m destroy | m remove | suspend | destroy | apps suspend | apps destroy | scale count 0',
    ],
    ['secret', 'auth token | tokens create'],
  ],
  examples: {
    'fly apps list a': '',
    'fly platform a': '',
    'fly checks a': '',
    'fly scale show a': '',
    fly: '',
    'fly things list': '',
    'fly status': '',
    'fly logs': '',
    'fly ips list': '',
    'fly secrets list': '',
    'fly machine status': '',
    'fly regions list': '',
    ...each('fly *', 'deploy a | launch a', "deploy '*' (*)"),
    ...each('fly *', 'ssh a | console a | proxy a', "cloud '*' (change)"),
    ...each(
      'fly *',
      'machines stop a | machines kill a | machines destroy a | machines remove a | machine stop a | machine kill a | machine destroy a | machine remove a | m stop a | m kill a | m destroy a | m remove a | suspend a | destroy a | apps suspend a | apps destroy a',
      "cloud '*' (delete)",
    ),
    'fly scale count 0 a': "cloud 'scale count 0' (delete)",
    ...each('fly *', 'auth token a | tokens create a', "secret '*' (credentials)"),
    'fly things delete a': 'cloud a (delete)',
    'fly things create a': 'cloud a (change)',
    'fly things deploy a': 'deploy a (things deploy)',
    'fly things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'fly $X': 'cloud … (unknown)',
    'fly scale count 1': 'cloud count (change)',
  },
});

const vercel = service({
  names: 'vercel',
  look: 'ls',
  options: 'A= local-config= Q= global-config= S= crt= f p c s',
  readings: { flags: 'f p c s', valued: 'A local-config Q global-config S crt' },
  depth: 3,
  deeds: [
    ['secret', 'env pull'],
    [
      'read',
      'link | login | logout | pull | git | switch | init | bisect | telemetry | env ls | domains ls | teams ls | project ls | projects ls | projects list | project list | alias ls | dns ls | certs ls | secrets ls',
    ],
    ['delete', '… rm | … remove'],
    ['change', 'env add | alias | domains | dns | certs | secrets | project | projects | teams'],
    ['deploy', 'promote | rollback | redeploy'],
  ],
  alone: 'deploy',
  otherwise: 'deploy',
  examples: {
    'vercel env pull a': "secret 'env pull a' (credentials)",
    ...each(
      'vercel *',
      'link a | login a | logout a | pull a | git a | switch a | init a | bisect a | telemetry a | env ls a | domains ls a | teams ls a | project ls a | projects ls | projects list | project list | alias ls | dns ls | certs ls | secrets ls | things list | dev | build | ls | inspect a | whoami',
      '',
    ),
    ...each('vercel *', 'rm a | remove a | group rm a | group remove a', "cloud '*' (delete)"),
    ...each(
      'vercel *',
      'env add a | alias a | domains a | dns a | certs a | secrets a | project a | projects a | teams a',
      "cloud '*' (change)",
    ),
    ...each('vercel *', 'redeploy a | things frobnicate a | promote a', "deploy '*' (*)"),
    vercel: 'deploy ()',
    'vercel $X': 'deploy … ()',
    'vercel --prod': 'deploy ()',
    'vercel things delete a': 'cloud a (delete)',
    'vercel things create a': 'cloud a (change)',
    'vercel things deploy a': 'deploy a (things deploy)',
  },
});

const now = service({
  names: 'now',
  depth: 2,
  otherwise: 'deploy',
  examples: {
    now: '',
    'now things list': '',
    'now things delete a': 'cloud a (delete)',
    'now things create a': 'cloud a (change)',
    'now things deploy a': 'deploy a (things deploy)',
    'now things frobnicate a': "deploy 'things frobnicate' (things frobnicate)",
    'now $X': 'cloud … (unknown)',
  },
});

const netlify = service({
  names: 'netlify ntl',
  look: 'status',
  options:
    'httpProxy= httpProxyCertificateFilename= data= auth= branch= functions= message= alias= timeout= d= b= m= o',
  readings: {
    flags: 'o',
    valued: 'httpProxy httpProxyCertificateFilename data auth branch functions message alias timeout d b m',
  },
  verbs: { dev: 'c/command=', 'dev:exec': '', 'dev:trace': 'H/header= X/request= B/cookie= w/watch=' },
  verbReadings: {
    dev: { valued: 'c command' },
    'dev:trace': { valued: 'H header X request B cookie w watch' },
  },
  depth: 3,
  deeds: [
    ['read', 'link | functions:invoke | functions:create | login | init | unlink'],
    ['delete', 'sites:delete | env:unset | env:clone | env:import | blobs:delete'],
    ['deploy', 'deploy'],
    ['change', 'env:set'],
  ],
  examples: {
    'netlify link a': '',
    'netlify functions:invoke a': '',
    'netlify functions:create a': '',
    'netlify login a': '',
    'netlify init a': '',
    'netlify unlink a': '',
    netlify: '',
    'netlify things list': '',
    'netlify dev': '',
    'netlify build': '',
    'netlify status': '',
    'netlify sites:list': '',
    'netlify open': '',
    'netlify watch': '',
    'netlify functions:list': '',
    'netlify env:get a': '',
    'netlify logs': '',
    ...each(
      'netlify *',
      'sites:delete a | env:unset a | env:clone a | env:import a | blobs:delete a',
      "cloud '*' (delete)",
    ),
    'netlify deploy a': "deploy 'deploy a' (deploy a)",
    'netlify env:set a': "cloud 'env:set a' (change)",
    'netlify things delete a': 'cloud a (delete)',
    'netlify things create a': 'cloud a (change)',
    'netlify things deploy a': 'deploy a (things deploy)',
    'netlify things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'netlify $X': 'cloud … (unknown)',
  },
  facts: [
    {
      what: 'runs a text for a shell as the server of the site',
      verbs: ['dev'],
      starts: shellOptions('command'),
      examples: {
        hit: {
          "netlify dev --command 'rm -rf /'": 'shell code: rm -rf /',
          'netlify dev -c id': 'shell code: id',
        },
        miss: ['netlify dev', 'netlify deploy -c id'],
      },
    },
    {
      what: 'starts a program with the settings of the site',
      verbs: ['dev:exec'],
      starts: commandBehind(1),
      examples: {
        hit: { 'netlify dev:exec rm -rf /': 'program: rm -rf /' },
        miss: ['netlify dev:exec', 'netlify build'],
      },
    },
  ],
});

const wrangler = service({
  names: 'wrangler',
  look: 'whoami',
  options: 'binding= namespace-id= delete-class= new-class= rename-class= transfer-class= b=',
  readings: { valued: 'binding namespace-id delete-class new-class rename-class transfer-class b' },
  depth: 4,
  deeds: [
    ['read', 'init | types | docs | login | logout'],
    ['delete', 'deployments rollback | rollback | delete'],
    [
      'deploy',
      'deploy | publish | pages deploy | pages publish | versions upload | versions deploy | triggers deploy',
    ],
    ['change', 'd1 execute | d1 migrations apply | secret put | secret bulk'],
  ],
  examples: {
    'wrangler init a': '',
    'wrangler types a': '',
    'wrangler docs a': '',
    'wrangler login a': '',
    'wrangler logout a': '',
    'wrangler pages dev a': '',
    'wrangler deployments list a': '',
    'wrangler deployments status a': '',
    'wrangler deployments view a': '',
    wrangler: '',
    'wrangler things list': '',
    'wrangler dev': '',
    'wrangler tail': '',
    'wrangler whoami': '',
    'wrangler d1 info a': '',
    'wrangler check': '',
    'wrangler versions list': '',
    ...each('wrangler *', 'deployments rollback a | rollback a | delete a', "cloud '*' (delete)"),
    ...each(
      'wrangler *',
      'deploy a | publish a | pages deploy a | pages publish a | versions upload a | versions deploy a | triggers deploy a',
      "deploy '*' (*)",
    ),
    ...each(
      'wrangler *',
      'd1 execute a | d1 migrations apply a | secret put a | secret bulk a',
      "cloud '*' (change)",
    ),
    'wrangler things delete a': 'cloud a (delete)',
    'wrangler things create a': 'cloud a (change)',
    'wrangler things deploy a': 'deploy a (things deploy)',
    'wrangler things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'wrangler $X': 'cloud … (unknown)',
  },
});

const railway = service({
  names: 'railway',
  look: 'status',
  verbs: { run: '' },
  depth: 2,
  deeds: [
    ['deploy', 'up | deploy | redeploy'],
    ['delete', 'down | delete | volume delete | environment delete'],
    ['secret', 'variables'],
    ['read', 'run | shell | link | docs | login | init'],
  ],
  examples: {
    ...each('railway *', 'up a | deploy a | redeploy a', "deploy '*' (*)"),
    ...each('railway *', 'down a | delete a', "cloud '*' (delete)"),
    'railway volume delete a': "cloud 'volume delete' (delete)",
    'railway environment delete a': "cloud 'environment delete' (delete)",
    'railway variables a': "secret 'variables a' (credentials)",
    'railway run a': '',
    'railway shell a': '',
    'railway link a': '',
    'railway docs a': '',
    'railway login a': '',
    'railway init a': '',
    railway: '',
    'railway things list': '',
    'railway status': '',
    'railway logs': '',
    'railway list': '',
    'railway whoami': '',
    'railway open': '',
    'railway things delete a': 'cloud a (delete)',
    'railway things create a': 'cloud a (change)',
    'railway things deploy a': 'deploy a (things deploy)',
    'railway things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'railway $X': 'cloud … (unknown)',
  },
  facts: [
    {
      what: 'starts a program with the settings of the service',
      verbs: ['run'],
      starts: commandBehind(1),
      examples: {
        hit: {
          'railway run --service a -e b rm -rf /': 'program: rm -rf /',
          'railway run id -u': 'program: id -u',
        },
        miss: ['railway run', 'railway up'],
      },
    },
  ],
});

const firebase = service({
  names: 'firebase',
  look: 'projects:list',
  options:
    'release-notes-file= testers= testers-file= groups= groups-file= package-name= bundle-id= app-store-id= hash-algo= hash-key= salt-separator= rounds= mem-cost= parallelization= block-size= dk-len= hash-input-order= d= duration= input= instance= data= message= except= port= params= from= expires= display-name= folder= b= l= i= m= only= v= version-number=',
  readings: {
    valued:
      'release-notes-file testers testers-file groups groups-file package-name bundle-id app-store-id hash-algo hash-key salt-separator rounds mem-cost parallelization block-size dk-len hash-input-order d duration input instance data message except port params from expires display-name folder b l i m only v version-number',
  },
  verbs: { 'emulators:exec': 'P/project= only= import= log-verbosity= test-config= test-params=' },
  verbReadings: {
    'emulators:exec': { valued: 'P project only import log-verbosity test-config test-params' },
  },
  depth: 2,
  deeds: [
    [
      'delete',
      'firestore:delete | database:remove | database:set | database:update | functions:delete | hosting:disable | hosting:channel:delete | hosting:sites:delete | projects:delete | apps:delete | auth:import | remoteconfig:rollback',
    ],
    ['read', 'emulators:* | login* | use | init | functions:shell | target* | experiments*'],
    ['deploy', 'deploy | hosting:clone | hosting:channel:deploy'],
  ],
  examples: {
    ...each(
      'firebase *',
      'firestore:delete a | database:remove a | database:set a | database:update a | functions:delete a | hosting:disable a | hosting:channel:delete a | hosting:sites:delete a | projects:delete a | apps:delete a | auth:import a | remoteconfig:rollback a',
      "cloud '*' (delete)",
    ),
    'firebase emulators:x a': '',
    'firebase loginx a': '',
    'firebase use a': '',
    'firebase init a': '',
    'firebase functions:shell a': '',
    'firebase targetx a': '',
    'firebase experimentsx a': '',
    firebase: '',
    'firebase things list': '',
    'firebase serve': '',
    'firebase projects:list': '',
    'firebase apps:list': '',
    'firebase functions:log': '',
    'firebase database:get a': '',
    ...each('firebase *', 'deploy a | hosting:clone a | hosting:channel:deploy a', "deploy '*' (*)"),
    'firebase things delete a': 'cloud a (delete)',
    'firebase things create a': 'cloud a (change)',
    'firebase things deploy a': 'deploy a (things deploy)',
    'firebase things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'firebase $X': 'cloud … (unknown)',
  },
  facts: [
    {
      what: 'runs a text for a shell beside the emulators',
      verbs: ['emulators:exec'],
      starts: (_, given) => {
        const words = given.behind(1);
        return words.length === 0 ? [] : [{ kind: 'code', language: 'shell', text: concatAll(words, ' ') }];
      },
      examples: {
        hit: { "firebase emulators:exec --only a 'rm -rf /'": 'shell code: rm -rf /' },
        miss: ['firebase emulators:exec', 'firebase emulators:start'],
      },
    },
  ],
});

export const cards = [heroku, fly, vercel, now, netlify, wrangler, railway, firebase];
