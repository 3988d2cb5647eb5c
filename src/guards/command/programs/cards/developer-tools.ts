// Tools on the machine of a developer: backups, keys, disks of virtual machines, links, tables and tests of load.

import type { Card } from '../card.ts';
import { table as fileTable } from '../files.ts';
import { fact } from '../phrases.ts';
import { publishes } from '../project-managers.ts';
import { table } from '../tables.ts';
import { wraps } from '../wrappers.ts';

const backups: readonly Card[] = [
  table({
    names: 'tmutil',
    options: 'd= t= p=',
    readings: 'd t p',
    does: [
      ['delete <words> (backup)', 'delete | deletelocalsnapshots | deleteinprogress | thinlocalsnapshots'],
      [
        'setting backup (backup)',
        'disable | addexclusion | removedestination | setdestination | enable | removeexclusion',
      ],
    ],
    examples: {
      'tmutil <delete deletelocalsnapshots deleteinprogress thinlocalsnapshots>': 'delete <> (backup)',
      'tmutil <disable addexclusion removedestination setdestination enable removeexclusion> a':
        'setting backup (backup)',
      'tmutil status': '',
      'tmutil listbackups': '',
    },
  }),
  table({
    names: 'pgbackrest',
    options: 'stanza= config= set= type= target= repo=',
    readings: 'stanza config set type target repo',
    does: [
      ['delete <words> (backup)', 'expire | stanza-delete | repo-rm'],
      ['database <words> (write)', 'restore'],
    ],
    examples: {
      'pgbackrest --stanza a <expire stanza-delete repo-rm>': 'delete <> (backup)',
      'pgbackrest restore --set a': 'database restore (write)',
      'pgbackrest --stanza=a backup --type full': '',
      'pgbackrest info': '',
    },
  }),
  table({
    names: 'barman',
    does: [['delete <words> (backup)', 'delete']],
    examples: {
      'barman delete a oldest': "delete 'delete a oldest' (backup)",
      'barman list-backups a': '',
      'barman backup a': '',
    },
  }),
  table({
    names: 'wal-g',
    options: 'config=',
    readings: 'config',
    does: [['delete <words> (backup)', 'delete | st rm']],
    examples: {
      'wal-g delete everything': "delete 'delete everything' (backup)",
      'wal-g st rm a': "delete 'st rm a' (backup)",
      'wal-g --config a backup-list': '',
    },
  }),
  table({
    names: 'patronictl',
    options: 'c/config-file= d/dcs-url=',
    readings: 'c config-file d dcs-url',
    does: [
      [
        'database <words> (admin)',
        'failover | switchover | restart | reinit | pause | resume | edit-config | remove | reload | flush',
      ],
    ],
    examples: {
      'patronictl -c a <failover switchover restart reinit pause resume edit-config remove reload flush>':
        'database <> (admin)',
      'patronictl list': '',
      'patronictl show-config': '',
    },
  }),
];

const keytool: Card = {
  names: 'keytool',
  options:
    'keystore= storepass= keypass= alias= file= keyalg= keysize= dname= validity= storetype= ext= srckeystore= destkeystore= list printcert printcertreq delete genkeypair genkey importcert import importpass importkeystore storepasswd keypasswd changealias exportcert export certreq',
  manner: { wholeWords: true },
  readings:
    'keystore storepass keypass alias file keyalg keysize dname validity storetype ext srckeystore destkeystore; list printcert printcertreq delete genkeypair genkey importcert import importpass importkeystore storepasswd keypasswd changealias exportcert export certreq',
  facts: [
    fact({
      what: 'deletes a key',
      with: 'delete',
      says: 'delete <--alias> (key)',
      examples: {
        hit: { 'keytool -delete -alias a -keystore b': 'delete a (key)' },
        miss: ['keytool -list -alias a'],
      },
    }),
    fact({
      what: 'changes a store of keys',
      with: 'genkeypair genkey importcert import importpass storepasswd keypasswd changealias',
      says: 'write <--keystore> (edit)',
      examples: {
        hit: {
          'keytool -<genkeypair genkey importcert import importpass storepasswd keypasswd changealias> -keystore b':
            'write b (edit)',
        },
        miss: ['keytool -list -keystore b', 'keytool -delete -alias a -keystore b'],
      },
    }),
    fact({
      what: 'copies a store of keys',
      with: 'importkeystore',
      says: 'write <--destkeystore> (edit); read <--srckeystore>',
      examples: {
        hit: { 'keytool -importkeystore -srckeystore a -destkeystore b': 'write b (edit); read a' },
        miss: ['keytool -list'],
      },
    }),
    fact({
      what: 'writes a certificate',
      with: 'exportcert export certreq',
      says: 'write <--file> (overwrite)',
      examples: {
        hit: { 'keytool -<exportcert export certreq> -alias a -file b': 'write b (overwrite)' },
        miss: ['keytool -printcert -file b'],
      },
    }),
  ],
};

const disks = table({
  names: 'qemu-img',
  options: 'f= O= o= b= F= p q s= l= c a= d= snapshot=',
  readings: 'f O o b F s l a d snapshot; p q c',
  does: [
    ['write <2> (create)', 'create'],
    ['write <last> (overwrite)', 'convert | dd'],
    ['write <2> (edit)', 'resize | rebase | amend | commit'],
    ['write <2> (edit)', 'snapshot --a | snapshot --d | snapshot -c'],
  ],
  examples: {
    'qemu-img create -f qcow2 a 10G': 'write a (create)',
    'qemu-img convert -O qcow2 a b': 'write b (overwrite)',
    'qemu-img <resize rebase amend commit> a': 'write a (edit)',
    'qemu-img snapshot <-a -d> b a': 'write a (edit)',
    'qemu-img snapshot -c a': 'write a (edit)',
    'qemu-img info a': '',
    'qemu-img check a': '',
    'qemu-img snapshot -l a': '',
  },
});

const files = fileTable(`
sd | p/preview F/fixed-strings n/max-replacements= f/flags= A/across s | n max-replacements f flags
  replaces text in files: skip skip !preview?edit*
    sd a b c → write c (edit)
    sd -n 2 -f g a b c d → write c (edit); write d (edit)
    sd -p a b c → nothing
    sd --preview a b c → nothing
    sd a b → nothing
qsv xan | o/output= d/delimiter= s/select= n/no-headers j/jobs= l/limit= | o output d delimiter s select j jobs l limit
  reads tables, and writes one that is named: skip read* o=write
    qsv stats a → read a
    xan sort -o b a → read a; write b (overwrite)
    qsv --version → nothing
redis-benchmark | h= p= a= s= c= n= u= d= t= | h p a s c n u d t
  writes keys in a database: h=ask
    redis-benchmark -h h.example → connect h.example (lookup)
    redis-benchmark → nothing
`);

const stow = table({
  names: 'stow',
  options:
    't/target= d/dir= n/no/simulate D/delete R/restow S/stow v/verbose? ignore= defer= override= adopt',
  readings: 't target d dir ignore defer override; n no simulate D delete R restow S stow adopt; v verbose',
  does: [
    ['', '… --no *'],
    ['write <--target> (link)', '… --target'],
  ],
  rest: 'write .. (link)',
  alone: '',
  examples: {
    'stow -t a b': 'write a (link)',
    'stow b': 'write .. (link)',
    'stow -n b': '',
    stow: '',
  },
});

const mas = table({
  names: 'mas',
  does: [
    ['package <next..> (install)', 'install | purchase | lucky | get'],
    ['package <next..> (remove)', 'uninstall'],
    ['package <next..> (update)', 'upgrade | update'],
  ],
  examples: {
    'mas <install purchase lucky get> 1': 'package 1 (install)',
    'mas uninstall 1': 'package 1 (remove)',
    'mas <upgrade update>': 'package (update)',
    'mas list': '',
    'mas search a': '',
  },
});

const network: readonly Card[] = [
  table({
    names: 'iperf3 iperf',
    options: 'c/client= s/server p/port= t/time= B/bind= P/parallel= b/bitrate= i/interval= R u J',
    readings: 'c client p port t time B bind P parallel b bitrate i interval; s server R u J',
    always: 'connect <--client> (measure)',
    examples: {
      'iperf3 -c h.example -t 5': 'connect h.example (measure)',
      'iperf3 --client a': 'connect a (measure)',
    },
    facts: [
      fact({
        what: 'waits for others',
        with: 'server',
        says: 'listen iperf',
        examples: { hit: { 'iperf3 -s': 'listen iperf' }, miss: ['iperf3 -c a'] },
      }),
    ],
  }),
  table({
    names: 'mosquitto_pub mosquitto_sub mosquitto_rr',
    options:
      'h/host= p/port= t/topic= m/message= f/file= u/username= P/pw= i/id= q/qos= C= W= L/url= cafile= cert= key=',
    readings: 'h host p port t topic m message f file u username P pw i id q qos C W L url cafile cert key',
    alone: 'connect <--host/url> (mqtt)',
    rest: 'connect <--host/url> (mqtt)',
    examples: {
      'mosquitto_pub -h h.example -t a -m b': 'connect h.example (mqtt)',
      'mosquitto_sub -L mqtt://h.example/a': 'connect h.example (mqtt)',
    },
    facts: [
      fact({
        what: 'sends a file',
        says: 'read <--file>',
        examples: { hit: { 'mosquitto_pub -t a -f b': 'read b' }, miss: ['mosquitto_pub -t a -m b'] },
      }),
    ],
  }),
  table({
    names: 'sshfs',
    options: 'p= o= F= C',
    readings: 'p o F; C',
    always: 'connect <1> (ssh); write <2> (mount)',
    examples: { 'sshfs -o ro me@h.example:/a b': 'connect h.example (ssh); write b (mount)' },
  }),
];

const migrations: readonly Card[] = [
  table({
    names: 'sqitch',
    options: 'f/plan-file= target/t= to-change/to= m/note= r/requires= chdir/C=',
    readings: 'f plan-file target t to-change to m note r requires chdir C',
    does: [
      ['database <words> (drop)', 'revert | rebase'],
      ['database <words> (write)', 'deploy | checkout'],
    ],
    examples: {
      'sqitch <revert rebase>': 'database <> (drop)',
      'sqitch <deploy checkout>': 'database <> (write)',
      'sqitch status': '',
      'sqitch add a -m b': '',
    },
  }),
  table({
    names: 'drush',
    options: 'r/root= l/uri= y/yes',
    readings: 'r root l uri; y yes',
    does: [
      [
        'database <words> (drop)',
        'sql-drop | sql:drop | site-install | site:install | si | sql-sync | sql:sync',
      ],
      [
        'database <words> (write)',
        'sql-query | sql:query | sqlq | sql-cli | sql:cli | updatedb | updb | updatedb:* | entity:delete | config:import | config-import | cim | deploy | user:* | uinf',
      ],
      ['package <next..> (remove) reversible', 'pm:uninstall | pmu | pm-uninstall'],
      ['secret user (credentials)', 'uli | user-login'],
    ],
    examples: {
      'drush -y <sql-drop sql:drop site-install site:install si sql-sync sql:sync>': 'database <> (drop)',
      'drush <sql-query sql:query sqlq sql-cli sql:cli updatedb updb updatedb:x entity:delete config:import config-import cim deploy user:x uinf>':
        'database <> (write)',
      'drush <pm:uninstall pmu pm-uninstall> a': 'package a (remove) reversible',
      'drush <uli user-login>': 'secret user (credentials)',
      'drush status': '',
      'drush cr': '',
    },
  }),
];

const packagers: readonly Card[] = [
  table({
    names: 'electron-builder',
    options: 'p/publish= c/config= projectDir/project=',
    readings: 'p publish c config projectDir project',
    does: [['', '… --publish=never'], publishes('… --publish')],
    examples: {
      'electron-builder -p always build': 'deploy build (publish)',
      'electron-builder --publish never': '',
      'electron-builder --dir': '',
    },
  }),
  wraps({
    names: 'lima',
    hit: { 'lima rm -rf /': 'program: rm -rf /' },
  }),
];

export const cards = [
  ...backups,
  keytool,
  disks,
  ...files,
  stow,
  mas,
  ...network,
  ...migrations,
  ...packagers,
];
