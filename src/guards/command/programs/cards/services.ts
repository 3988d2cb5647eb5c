// Services by subscription.

import { effect, nameTarget } from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { each, service } from '../service.ts';

const stripe = service({
  names: 'stripe',
  look: 'products list',
  options:
    'filter-account= filter-http-method= filter-ip-address= filter-request-path= filter-request-status= filter-source= filter-status-code= filter-status-code-type= device-name= log-level= param= d= data= expand= idempotency= stripe-version= i= stripe-account= v=',
  readings: {
    valued:
      'filter-account filter-http-method filter-ip-address filter-request-path filter-request-status filter-source filter-status-code filter-status-code-type device-name log-level param d data expand idempotency stripe-version i stripe-account v',
  },
  depth: 2,
  deeds: [
    ['delete', 'api_keys roll* | … delete* | … cancel* | … void* | … refund*'],
    ['read', 'listen | login | samples | fixtures | config'],
    ['change', 'post | trigger | payouts | charges | transfers'],
  ],
  examples: {
    'stripe api_keys rollx a': "cloud 'api_keys rollx' (delete)",
    'stripe group deletex a': "cloud 'group deletex' (delete)",
    'stripe group cancelx a': "cloud 'group cancelx' (delete)",
    'stripe group voidx a': "cloud 'group voidx' (delete)",
    'stripe group refundx a': "cloud 'group refundx' (delete)",
    'stripe listen a': '',
    'stripe login a': '',
    'stripe samples a': '',
    'stripe fixtures a': '',
    'stripe config a': '',
    stripe: '',
    'stripe things list': '',
    'stripe logs tail': '',
    'stripe status': '',
    'stripe version': '',
    'stripe open a': '',
    'stripe get a': '',
    ...each('stripe *', 'post a | trigger a | payouts a | charges a | transfers a', "cloud '*' (change)"),
    'stripe things delete a': "cloud 'things delete' (delete)",
    'stripe things create a': 'cloud a (change)',
    'stripe things deploy a': 'deploy a (things deploy)',
    'stripe things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'stripe $X': 'cloud … (unknown)',
  },
});

const plain = service({
  names: 'ldcli flipt unleash launchdarkly splunk travis',
  depth: 2,
  examples: {
    ldcli: '',
    'ldcli things list': '',
    'ldcli things delete a': 'cloud a (delete)',
    'ldcli things create a': 'cloud a (change)',
    'ldcli things deploy a': 'deploy a (things deploy)',
    'ldcli things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'ldcli $X': 'cloud … (unknown)',
    'ldcli a b delete': "cloud 'a b' (unknown)",
  },
});

const deeper = service({
  names: 'square datadog pd apigeecli jira linear render knife',
  depth: 3,
  examples: {
    square: '',
    'square things list': '',
    'square things delete a': 'cloud a (delete)',
    'square things create a': 'cloud a (change)',
    'square things deploy a': 'deploy a (things deploy)',
    'square things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'square $X': 'cloud … (unknown)',
    'square a b c delete': "cloud 'a b c' (unknown)",
  },
});

const deepest = service({
  names: 'newrelic confluent',
  depth: 4,
  examples: {
    newrelic: '',
    'newrelic things list': '',
    'newrelic things delete a': 'cloud a (delete)',
    'newrelic things create a': 'cloud a (change)',
    'newrelic things deploy a': 'deploy a (things deploy)',
    'newrelic things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'newrelic $X': 'cloud … (unknown)',
    'newrelic a b c d delete': "cloud 'a b c d' (unknown)",
  },
});

const algolia = service({
  names: 'algolia',
  options: 'replace',
  readings: { flags: 'replace' },
  depth: 2,
  deeds: [['delete', '… clear* | … delete* | … copy --replace']],
  examples: {
    'algolia group clearx a': "cloud 'group clearx' (delete)",
    'algolia group deletex a': "cloud 'group deletex' (delete)",
    'algolia group copy a --replace': "cloud 'group copy' (delete)",
    algolia: '',
    'algolia things list': '',
    'algolia things delete a': "cloud 'things delete' (delete)",
    'algolia things create a': 'cloud a (change)',
    'algolia things deploy a': 'deploy a (things deploy)',
    'algolia things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'algolia $X': 'cloud … (unknown)',
  },
});

const datadogCi = service({
  names: 'datadog-ci',
  depth: 2,
  otherwise: 'change',
  examples: {
    'datadog-ci': '',
    'datadog-ci things list': '',
    'datadog-ci things delete a': 'cloud a (delete)',
    'datadog-ci things create a': 'cloud a (change)',
    'datadog-ci things deploy a': 'deploy a (things deploy)',
    'datadog-ci things frobnicate a': "cloud 'things frobnicate' (change)",
    'datadog-ci $X': 'cloud … (unknown)',
  },
});

const sentry = service({
  names: 'sentry-cli',
  look: 'releases list',
  depth: 3,
  deeds: [
    ['read', 'login | releases list | send-event'],
    ['deploy', 'sourcemaps | releases | upload* | debug-files | deploys'],
  ],
  examples: {
    'sentry-cli login a': '',
    'sentry-cli releases list a': '',
    'sentry-cli send-event a': '',
    'sentry-cli': '',
    'sentry-cli things list': '',
    'sentry-cli info': '',
    ...each(
      'sentry-cli *',
      'sourcemaps a | releases a | uploadx a | debug-files a | deploys a',
      "deploy '*' (*)",
    ),
    'sentry-cli things delete a': 'cloud a (delete)',
    'sentry-cli things create a': 'cloud a (change)',
    'sentry-cli things deploy a': 'deploy a (things deploy)',
    'sentry-cli things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'sentry-cli $X': 'cloud … (unknown)',
  },
});

const deck = service({
  names: 'deck',
  depth: 2,
  deeds: [
    ['delete', 'reset | sync | gateway reset | gateway sync'],
    ['read', 'file | gateway file'],
  ],
  examples: {
    ...each('deck *', 'reset a | sync a', "cloud '*' (delete)"),
    'deck gateway reset a': "cloud 'gateway reset' (delete)",
    'deck gateway sync a': "cloud 'gateway sync' (delete)",
    'deck file a': '',
    'deck gateway file a': '',
    deck: '',
    'deck things list': '',
    'deck diff': '',
    'deck dump': '',
    'deck gateway ping': '',
    'deck validate': '',
    'deck version': '',
    'deck things delete a': 'cloud a (delete)',
    'deck things create a': 'cloud a (change)',
    'deck things deploy a': 'deploy a (things deploy)',
    'deck things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'deck $X': 'cloud … (unknown)',
  },
});

const kong = service({
  names: 'kong',
  depth: 2,
  deeds: [
    ['delete', 'stop | quit | migrations reset | migrations down'],
    ['read', 'health | config'],
  ],
  examples: {
    ...each('kong *', 'stop a | quit a', "cloud '*' (delete)"),
    'kong migrations reset a': "cloud 'migrations reset' (delete)",
    'kong migrations down a': "cloud 'migrations down' (delete)",
    'kong health a': '',
    'kong config a': '',
    kong: '',
    'kong things list': '',
    'kong version': '',
    'kong check': '',
    'kong things delete a': 'cloud a (delete)',
    'kong things create a': 'cloud a (change)',
    'kong things deploy a': 'deploy a (things deploy)',
    'kong things frobnicate a': "cloud 'things frobnicate' (unknown)",
    'kong $X': 'cloud … (unknown)',
  },
});

const twilio = service({
  names: 'twilio',
  options:
    'l= attachment= from= subject= text= auth-token= country-code= account-sid= address-sid= api-version= area-code= bundle-sid= contains= distance= emergency-address-sid= emergency-status= friendly-name= identity-sid= in-lata= in-locality= in-postal-code= in-rate-center= in-region= near-lat-long= near-number= page-size= properties= sms-application-sid= sms-fallback-method= sms-fallback-url= sms-method= sms-url= status-callback= status-callback-method= trunk-sid= voice-application-sid= voice-fallback-method= voice-fallback-url= voice-method= voice-receive-mode= voice-url= e f',
  readings: {
    flags: 'e f',
    valued:
      'l attachment from subject text auth-token country-code account-sid address-sid api-version area-code bundle-sid contains distance emergency-address-sid emergency-status friendly-name identity-sid in-lata in-locality in-postal-code in-rate-center in-region near-lat-long near-number page-size properties sms-application-sid sms-fallback-method sms-fallback-url sms-method sms-url status-callback status-callback-method trunk-sid voice-application-sid voice-fallback-method voice-fallback-url voice-method voice-receive-mode voice-url',
  },
  depth: 4,
  deeds: [['change', '… *messages:create | … *calls:create | … *email:send']],
  examples: {
    ...each(
      'twilio *',
      'group xmessages:create a | group xcalls:create a | group xemail:send a',
      "cloud '*' (change)",
    ),
    twilio: '',
    'twilio things list': '',
    'twilio api:core:messages:list': '',
    'twilio things delete a': 'cloud a (delete)',
    'twilio things create a': 'cloud a (change)',
    'twilio things deploy a': 'deploy a (things deploy)',
    'twilio things frobnicate a': "cloud 'things frobnicate a' (unknown)",
    'twilio $X': 'cloud … (unknown)',
    'twilio api:core:messages:create --to a': 'cloud api:core:messages:create (change)',
  },
});

const snowsql: Card = {
  names: 'snowsql',
  options:
    'a/accountname= u/username= d/dbname= s/schemaname= w/warehouse= r/rolename= q/query= f/filename= c/connection= o/option= v/version h/help',
  readings: {
    valued:
      'a accountname u username d dbname s schemaname w warehouse r rolename q query f filename c connection o option',
    flags: 'v version h help',
  },
  facts: [
    {
      what: 'runs statements that are not looked at',
      effects: (call, given) =>
        given.has('version', 'help')
          ? []
          : [
              effect(call, 'database', {
                detail: 'unknown',
                target: nameTarget(given.last('query', 'filename') ?? given.operands.at(-1)),
              }),
            ],
      examples: {
        hit: {
          "snowsql -q 'select 1'": "database 'select 1' (unknown)",
          'snowsql -f a.sql': 'database a.sql (unknown)',
          'snowsql -c a': 'database (unknown)',
        },
        miss: ['snowsql --version', 'snowsql -h'],
      },
    },
  ],
};

export const cards = [
  stripe,
  plain,
  deeper,
  deepest,
  algolia,
  datadogCi,
  sentry,
  deck,
  kong,
  twilio,
  snowsql,
];
