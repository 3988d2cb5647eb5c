// Hosting beside the large ones: what goes out to users, and what is taken away from them.

import type { Card } from '../card.ts';
import { service } from '../service.ts';
import { table } from '../tables.ts';

export const cards: readonly Card[] = [
  service({
    names: 'supabase',
    look: 'projects list',
    depth: 3,
    options:
      'password= project-ref= status= db-url= db-password= org-id= plan= env-file= no-backup include-all',
    readings: {
      valued: 'password project-ref status db-url db-password org-id plan env-file',
      flags: 'no-backup include-all',
    },
    deeds: [
      [
        'delete',
        'db reset | projects delete | branches delete | functions delete | secrets unset | stop --no-backup | db push --include-all',
      ],
      [
        'read',
        'start | stop | login | init | link | gen | db pull | migration new | functions new | services',
      ],
      ['deploy', 'db push | functions deploy | migration up | config push'],
    ],
    examples: {
      'supabase <db reset | projects delete | branches delete | functions delete | secrets unset> a':
        "cloud '<> a' (delete)",
      'supabase stop --no-backup': 'cloud stop (delete)',
      'supabase db push --include-all': "cloud 'db push' (delete)",
      'supabase <start | stop | status | login | init | link | gen | db diff | db lint | db dump | db pull | migration new | migration list | test | functions serve | functions new | functions list | services> a':
        '',
      'supabase <db push | functions deploy | migration up | config push> a': "deploy '<> a' (<> a)",
      'supabase things delete a': 'cloud a (delete)',
      'supabase things list': '',
      'supabase things create a': 'cloud a (change)',
      'supabase things deploy a': 'deploy a (things deploy)',
      'supabase things frobnicate a': "cloud 'things frobnicate a' (unknown)",
      'supabase $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'kamal',
    depth: 2,
    deeds: [
      ['delete', 'remove | app remove | accessory remove | rollback'],
      ['deploy', 'deploy | redeploy | setup | app boot'],
      ['read', 'details | audit | config | app details'],
    ],
    examples: {
      'kamal <remove | rollback> a': "cloud '<> a' (delete)",
      'kamal <app remove | accessory remove> a': "cloud '<>' (delete)",
      'kamal deploy a': "deploy 'deploy a' (deploy a)",
      'kamal <redeploy | setup> a': "deploy '<> a' (<> a)",
      'kamal app boot a': "deploy 'app boot' (app boot)",
      'kamal <details | audit | config | version | app logs | app details | app version> a': '',
      'kamal things delete a': 'cloud a (delete)',
      'kamal things list': '',
      'kamal things create a': 'cloud a (change)',
      'kamal things deploy a': 'deploy a (things deploy)',
      'kamal things frobnicate a': "cloud 'things frobnicate' (unknown)",
      'kamal $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'cap',
    depth: 2,
    options: 'target=',
    readings: { valued: 'target' },
    deeds: [
      ['deploy', '… *:deploy*'],
      // Another program of this name puts a project into the folders of its mobile apps.
      ['read', 'sync | copy | open | add | update | doctor'],
    ],
    otherwise: 'read',
    examples: {
      'cap production deploy': "deploy 'production deploy' (production deploy)",
      'cap deploy': 'deploy deploy (deploy)',
      'cap production x:deploy': "deploy 'production x:deploy' (production x:deploy)",
      'cap production status': '',
      'cap <sync | copy | open | add | update | doctor> ios': '',
      'cap $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'wp',
    depth: 2,
    options: 'path= url= user= ssh= http= color',
    readings: { valued: 'path url user ssh http', flags: 'color' },
    deeds: [
      ['secret', 'config get | config list'],
      ['delete', 'db drop | db reset | site empty | … delete | … uninstall'],
      ['read', 'help | cli | server | core version | core is-installed | db size | db tables | db check'],
    ],
    otherwise: 'change',
    examples: {
      'wp <config get | config list>': "secret '<>' (credentials)",
      'wp <db drop | db reset | site empty>': "cloud '<>' (delete)",
      'wp plugin list': '',
      'wp <help | cli | server | core version | core is-installed | db size | db tables | db check> a': '',
    },
  }),
  service({
    names: 'fastly',
    depth: 4,
    options:
      'service-id= service-name= new-name= acl-id= ip= comment= subnet= password= expires= services= address= port= override-host= connect-timeout= max-conn= first-byte-timeout= between-bytes-timeout= weight= request-condition= healthcheck= shield= ssl-ca-cert= ssl-client-cert= ssl-client-key= ssl-cert-hostname= ssl-sni-hostname= min-tls-version= max-tls-version= ssl-ciphers= domain= package= wasm-binary= language= timeout= write-only= dictionary-id= value= method= path= http-version= check-interval= expected-response= window= threshold= initial= from= sort-buffer= search-padding= stream= container= sas-token= period= gzip-level= message-type= format-version= response-condition= timestamp-format= placement= public-key= file-max-bytes= compression-codec= project-id= dataset= table= user= secret-key= template-suffix= access-key= bucket= auth-token= index= pipeline= tls-ca-cert= tls-client-cert= tls-client-key= tls-hostname= request-max-entries= request-max-bytes= username= topic= content-type= header-name= header-value= json-format= brokers= required-acks= max-batch-size= auth-method= stream-name= iam-role= redundancy= server-side-encryption= server-side-encryption-kms-key-id= ssh-known-hosts= type= by= login= role= content= priority= snippet-id= to=',
    readings: {
      valued:
        'service-id service-name new-name acl-id ip comment subnet password expires services address port override-host connect-timeout max-conn first-byte-timeout between-bytes-timeout weight request-condition healthcheck shield ssl-ca-cert ssl-client-cert ssl-client-key ssl-cert-hostname ssl-sni-hostname min-tls-version max-tls-version ssl-ciphers domain package wasm-binary language timeout write-only dictionary-id value method path http-version check-interval expected-response window threshold initial from sort-buffer search-padding stream container sas-token period gzip-level message-type format-version response-condition timestamp-format placement public-key file-max-bytes compression-codec project-id dataset table user secret-key template-suffix access-key bucket auth-token index pipeline tls-ca-cert tls-client-cert tls-client-key tls-hostname request-max-entries request-max-bytes username topic content-type header-name header-value json-format brokers required-acks max-batch-size auth-method stream-name iam-role redundancy server-side-encryption server-side-encryption-kms-key-id ssh-known-hosts type by login role content priority snippet-id to',
    },
    deeds: [
      ['delete', '… activate | … purge | … deactivate'],
      ['read', 'compute init'],
      ['deploy', 'compute deploy | compute publish'],
    ],
    examples: {
      'fastly service-version <activate deactivate> a': "cloud 'service-version <> a' (delete)",
      'fastly a purge b': "cloud 'a purge b' (delete)",
      'fastly purge --all': 'cloud purge (delete)',
      'fastly <compute build | compute serve | compute init | compute validate> a': '',
      'fastly <compute deploy | compute publish> a': "deploy '<> a' (<> a)",
      'fastly things delete a': 'cloud a (delete)',
      'fastly things list': '',
      'fastly things create a': 'cloud a (change)',
      'fastly things deploy a': 'deploy a (things deploy)',
      'fastly things frobnicate a': "cloud 'things frobnicate a' (unknown)",
      'fastly $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'cf',
    look: 'apps',
    depth: 1,
    options: 'hostname= path= port= origin= reserved-route-ports= u= i= k= m= l= r=',
    readings: { valued: 'hostname path port origin reserved-route-ports u i k m l r' },
    deeds: [
      ['delete', 'delete* | d | purge* | unbind* | unmap* | unset* | disable* | remove*'],
      ['deploy', 'push | p | restage | start | restart*'],
      ['read', 'apps | a | app | services | s | target | t | orgs | spaces | routes | marketplace | m'],
      ['secret', 'env | e'],
    ],
    examples: {
      'cf delete a': 'cloud delete (delete)',
      'cf <delete-service purge-service unbind-service unmap-route unset-env disable-feature-flag remove-network-policy> a':
        'cloud <> (delete)',
      'cf d a': 'cloud d (delete)',
      'cf <push restage start restart restart-app-instance> a': 'deploy <> (<>)',
      'cf p a': 'deploy p (p)',
      'cf <apps a app logs services s target t orgs spaces routes events marketplace m> a': '',
      'cf env a': 'secret env (credentials)',
      'cf e a': 'secret e (credentials)',
      'cf create-space a': 'cloud a (change)',
      'cf frobnicate a': 'cloud frobnicate (unknown)',
      'cf $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'shopify',
    depth: 2,
    deeds: [
      [
        'read',
        'app generate | app init | app pull | app package | theme generate | theme init | theme pull | theme package',
      ],
      ['deploy', 'app release | theme release'],
    ],
    examples: {
      'shopify app <dev build check info list generate init pull package>': '',
      'shopify theme <dev build check info list generate init pull package>': '',
      'shopify app deploy': "deploy 'app deploy' (app deploy)",
      'shopify app <push publish release>': "deploy 'app <>' (app <>)",
      'shopify theme deploy': "deploy 'theme deploy' (theme deploy)",
      'shopify theme <push publish release>': "deploy 'theme <>' (theme <>)",
      'shopify things delete a': 'cloud a (delete)',
      'shopify things list': '',
      'shopify things create a': 'cloud a (change)',
      'shopify things deploy a': 'deploy a (things deploy)',
      'shopify things frobnicate a': "cloud 'things frobnicate' (unknown)",
      'shopify $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'eas',
    look: 'build:list',
    depth: 2,
    options:
      'from= branch= platform= apple-team-id= udid= type= value= group= input-dir= message= private-key-path= event= secret= path=',
    readings: {
      valued:
        'from branch platform apple-team-id udid type value group input-dir message private-key-path event secret path',
    },
    deeds: [
      ['deploy', 'submit* | update | deploy*'],
      ['read', 'login | init | config | diagnostics'],
    ],
    examples: {
      'eas <submit submit:ios update deploy:alias> a': "deploy '<> a' (<> a)",
      'eas deploy a': "deploy 'deploy a' (deploy a)",
      'eas <build build:list login whoami init config diagnostics>': '',
      'eas build:cancel a': 'cloud a (delete)',
      'eas update:delete a': 'cloud a (delete)',
      'eas things delete a': 'cloud a (delete)',
      'eas things list': '',
      'eas things create a': 'cloud a (change)',
      'eas things deploy a': 'deploy a (things deploy)',
      'eas things frobnicate a': "cloud 'things frobnicate' (unknown)",
      'eas $X': 'cloud … (unknown)',
    },
  }),
  service({
    names: 'expo',
    depth: 1,
    deeds: [['deploy', 'publish | upload* | export:deploy']],
    rest: 'read',
    examples: {
      'expo <publish upload upload:ios export:deploy>': 'deploy <> (<>)',
      'expo <start build install>': '',
      'expo $X': 'cloud … (unknown)',
    },
  }),
  table({
    names: 'surge',
    does: [
      ['cloud (delete)', 'teardown'],
      ['', 'list | whoami | login'],
    ],
    options: 'v/version',
    readings: { flags: 'v version' },
    looks: 'version',
    rest: 'deploy (publish)',
    alone: 'deploy (publish)',
    examples: {
      'surge teardown a': 'cloud (delete)',
      'surge <list whoami login>': '',
      'surge --version': '',
      'surge ./a b.example': 'deploy (publish)',
      surge: 'deploy (publish)',
    },
  }),
  table({
    names: 'gh-pages',
    always: 'deploy (publish)',
    examples: { 'gh-pages -d a': 'deploy (publish)', 'gh-pages a': 'deploy (publish)' },
  }),
];
