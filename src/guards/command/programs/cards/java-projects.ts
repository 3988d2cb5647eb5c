// Managers of projects of Java, .NET, PHP and mobile apps.

import type { Card } from '../card.ts';
import { fact } from '../phrases.ts';
import {
  installs,
  projectManager,
  publishes,
  removes,
  tries,
  tryFirst,
  updates,
} from '../project-managers.ts';
import { table } from '../tables.ts';

const mvn: Card = projectManager({
  names: 'mvn mvnw',
  manner: { wholeWords: true },
  options:
    'f/file= s/settings= gs/global-settings= t/toolchains= gt= pl/projects= rf/resume-from= P/activate-profiles= T/threads= l/log-file= b/builder= ep/encrypt-password= emp/encrypt-master-password= D/define= Dexec.executable=',
  readings:
    'f file s settings gs global-settings t toolchains gt pl projects rf resume-from P activate-profiles T threads l log-file b builder ep encrypt-password emp encrypt-master-password D define Dexec.executable',
  does: [
    publishes(
      '… deploy | … release:perform | … release:prepare | … site-deploy | … deploy:* | … site:deploy',
    ),
  ],
  examples: {
    'mvn x deploy a': "deploy 'x deploy a' (publish)",
    'mvn x release:perform a': "deploy 'x release:perform a' (publish)",
    'mvn x release:prepare a': "deploy 'x release:prepare a' (publish)",
    'mvn x site-deploy a': "deploy 'x site-deploy a' (publish)",
    'mvn x deploy:x a': "deploy 'x deploy:x a' (publish)",
    'mvn x site:deploy a': "deploy 'x site:deploy a' (publish)",
    'mvn test': 'inert (project)',
    mvn: 'inert (project)',
  },
  facts: [
    fact({
      what: 'starts a program that a property names',
      says: 'run <--Dexec.executable> (helper)',
      examples: {
        hit: { 'mvnw exec:exec -Dexec.executable=sh': 'run sh (helper)' },
        miss: ['mvn exec:java -Dexec.mainClass=a'],
      },
    }),
  ],
});

const gradle: Card = projectManager({
  names: 'gradle gradlew',
  options:
    'b/build-file= c/settings-file= g/gradle-user-home= I/init-script= p/project-dir= P/project-prop= D/system-prop= x/exclude-task= F/dependency-verification= M/write-verification-metadata= t/continuous include-build= console= max-workers= project-cache-dir= priority= warning-mode= configuration= dependency= task= m/dry-run tests=',
  readings:
    'b build-file c settings-file g gradle-user-home I init-script p project-dir P project-prop D system-prop x exclude-task F dependency-verification M write-verification-metadata include-build console max-workers project-cache-dir priority warning-mode configuration dependency task tests; t continuous m dry-run',
  does: [
    tries('--dry-run'),
    publishes(
      // Not those whose names end in `Local`: they copy to a folder of this machine.
      '… publish | … *:publish | … publish*[^l] | … *:publish*[^l] | … publish*[^a]l | … *:publish*[^a]l | … publish*[^c]al | … *:publish*[^c]al | … uploadArchives | … *:uploadArchives | … bintrayUpload | … *:bintrayUpload | … deploy* | … *:deploy*',
    ),
  ],
  examples: {
    'gradle install --dry-run a': 'inert (dry-run)',
    'gradle x <publish | x:publish | publishx | x:publishx | publishToLabel | x:publishToLabel | publishToMavenCentral | x:publishToMavenCentral> a':
      "deploy 'x <> a' (publish)",
    'gradle <publishToMavenLocal :x:publishToMavenLocal publishAPublicationToMavenLocal>': 'inert (project)',
    'gradle publishToMavenLocal publish': "deploy 'publishToMavenLocal publish' (publish)",
    'gradle x uploadArchives a': "deploy 'x uploadArchives a' (publish)",
    'gradle x x:uploadArchives a': "deploy 'x x:uploadArchives a' (publish)",
    'gradle x bintrayUpload a': "deploy 'x bintrayUpload a' (publish)",
    'gradle x x:bintrayUpload a': "deploy 'x x:bintrayUpload a' (publish)",
    'gradle x deployx a': "deploy 'x deployx a' (publish)",
    'gradle x x:deployx a': "deploy 'x x:deployx a' (publish)",
    'gradle test': 'inert (project)',
    gradle: 'inert (project)',
  },
});

const sbt: Card = projectManager({
  names: 'sbt',
  options: '',
  does: [
    publishes('… publish | … publishSigned | … release | … */publish | … */publishSigned | … */release'),
  ],
  examples: {
    'sbt x publish a': "deploy 'x publish a' (publish)",
    'sbt x publishSigned a': "deploy 'x publishSigned a' (publish)",
    'sbt x release a': "deploy 'x release a' (publish)",
    'sbt x x/publish a': "deploy 'x x/publish a' (publish)",
    'sbt x x/publishSigned a': "deploy 'x x/publishSigned a' (publish)",
    'sbt x x/release a': "deploy 'x x/release a' (publish)",
    'sbt test': 'inert (project)',
    sbt: 'inert (project)',
  },
});

const dotnet: Card = projectManager({
  names: 'dotnet',
  options:
    'v/verbosity= additionalprobingpath= additional-deps= runtimeconfig= roll-forward= fx-version= package-directory= api-key= symbol-api-key= symbol-source= configfile= lock-file-path= packages= add-source= tool-manifest= -sk= -ss= c/configuration= f/framework= o/output= r/runtime= project= version= n/name= s/source=',
  readings:
    'v verbosity additionalprobingpath additional-deps runtimeconfig roll-forward fx-version package-directory api-key symbol-api-key symbol-source configfile lock-file-path packages add-source tool-manifest -sk -ss c configuration f framework o output r runtime project version n name s source',
  verbs: {
    'nuget push': 'k= s/source= timeout= n',
    'nuget delete': 'k= s/source=',
    'add package': 'f/framework= n/no-restore s/source= v/version= package-directory=',
    restore: 's/source= r/runtime=',
    run: '+ p/project= c/configuration= f/framework= launch-profile= r/runtime= a/arch= os=',
  },
  verbReadings: {
    'nuget push': 'k s source timeout; n',
    'nuget delete': 'k s source',
    'add package': 'f framework s source v version package-directory; n no-restore',
    restore: 's source r runtime',
    run: 'p project c configuration f framework launch-profile r runtime a arch os',
  },
  does: [
    ['cloud <next> (delete)', 'nuget delete'],
    ['database (drop)', 'ef database drop'],
    ['database (write)', 'ef database update'],
    publishes('… push'),
    removes('remove | tool uninstall'),
    installs('add | restore | tool install | tool update | tool restore | workload'),
  ],
  examples: {
    'dotnet nuget delete a': 'cloud a (delete)',
    'dotnet nuget delete': 'cloud (delete)',
    'dotnet ef database drop a': 'database (drop)',
    'dotnet ef database drop': 'database (drop)',
    'dotnet ef database update a': 'database (write)',
    'dotnet ef database update': 'database (write)',
    'dotnet x push a': "deploy 'x push a' (publish)",
    'dotnet <remove | tool uninstall> a': 'package a (remove) reversible',
    'dotnet <remove | tool uninstall>': 'package (remove) reversible',
    'dotnet <add | restore | tool install | tool update | tool restore | workload> a':
      'package a (install) reversible',
    'dotnet <add | restore | tool install | tool update | tool restore | workload>':
      'package (install) reversible',
    'dotnet test': 'inert (project)',
    dotnet: 'inert (project)',
  },
});

const nuget: Card = projectManager({
  names: 'nuget',
  options: 'Source= Version= OutputDirectory= ConfigFile= ApiKey=',
  readings: 'Source Version OutputDirectory ConfigFile ApiKey',
  manner: { wholeWords: true },
  does: [
    publishes('… push | … delete'),
    installs('install | restore | update'),
    ['package <next..> (sources)', 'sources | Sources | config | Config | setapikey | setApiKey'],
  ],
  examples: {
    'nuget x push a': "deploy 'x push a' (publish)",
    'nuget x delete a': "deploy 'x delete a' (publish)",
    'nuget <install restore update> a': 'package a (install) reversible',
    'nuget <install restore update>': 'package (install) reversible',
    'nuget <sources Sources config Config setapikey setApiKey> a': 'package a (sources)',
    'nuget <sources Sources config Config setapikey setApiKey>': 'package (sources)',
    'nuget test': 'inert (project)',
    nuget: 'inert (project)',
  },
});

const composer: Card = projectManager({
  names: 'composer',
  options: 'd/working-dir= f/format= stability/s= repository= o/optimize-autoloader dry-run',
  readings: 'd working-dir f format stability s repository; o optimize-autoloader dry-run',
  verbs: { exec: '+' },
  does: [
    tries('--dry-run'),
    installs('install | require | create-project | global require | i | r'),
    removes('remove | global remove | rm'),
    updates('update | upgrade | self-update | global update | u | selfupdate'),
    ['package <next..> (sources)', 'config'],
  ],
  examples: {
    'composer install --dry-run a': 'inert (dry-run)',
    'composer <install | require | create-project | global require | i | r> a':
      'package a (install) reversible',
    'composer <install | require | create-project | global require | i | r>': 'package (install) reversible',
    'composer <remove | global remove | rm> a': 'package a (remove) reversible',
    'composer <remove | global remove | rm>': 'package (remove) reversible',
    'composer <update | upgrade | self-update | global update | u | selfupdate> a':
      'package a (update) reversible',
    'composer <update | upgrade | self-update | global update | u | selfupdate>':
      'package (update) reversible',
    'composer config a': 'package a (sources)',
    'composer config': 'package (sources)',
    'composer test': 'inert (project)',
    composer: 'inert (project)',
  },
  facts: [
    fact({
      what: 'runs scripts of the project',
      always: true,
      says: 'package file: composer.json of the project',
      examples: { hit: { 'composer test': 'package file: composer.json of the project' }, miss: [] },
    }),
  ],
});

const pod: Card = projectManager({
  names: 'pod',
  options:
    'project-directory= sources= commit-message= swift-version= in-favor-of= description= exclude-pods= dry-run',
  readings:
    'project-directory sources commit-message swift-version in-favor-of description exclude-pods; dry-run',
  does: [publishes('… push | … trunk'), installs('install | update | repo update'), removes('deintegrate')],
  examples: {
    'pod x push a': "deploy 'x push a' (publish)",
    'pod x trunk a': "deploy 'x trunk a' (publish)",
    'pod <install | update | repo update> a': 'package a (install) reversible',
    'pod <install | update | repo update>': 'package (install) reversible',
    'pod deintegrate a': 'package a (remove) reversible',
    'pod deintegrate': 'package (remove) reversible',
    'pod test': 'inert (project)',
    pod: 'inert (project)',
  },
});

const carthage: Card = projectManager({
  names: 'carthage',
  options: 'project-directory= configuration= toolchain= platform= derived-data= cache-builds log-path=',
  readings: 'project-directory configuration toolchain platform derived-data log-path; cache-builds',
  does: [installs('update | bootstrap | checkout')],
  examples: {
    'carthage <update bootstrap checkout> a': 'package a (install) reversible',
    'carthage <update bootstrap checkout>': 'package (install) reversible',
    'carthage test': 'inert (project)',
    carthage: 'inert (project)',
  },
});

const fastlane: Card = projectManager({
  names: 'fastlane',
  options: 'env=',
  readings: 'env',
  does: [publishes('… deliver | … upload_to_* | … release | … supply | … pilot | … beta | … deploy')],
  examples: {
    'fastlane x deliver a': "deploy 'x deliver a' (publish)",
    'fastlane x upload_to_x a': "deploy 'x upload_to_x a' (publish)",
    'fastlane x release a': "deploy 'x release a' (publish)",
    'fastlane x supply a': "deploy 'x supply a' (publish)",
    'fastlane x pilot a': "deploy 'x pilot a' (publish)",
    'fastlane x beta a': "deploy 'x beta a' (publish)",
    'fastlane x deploy a': "deploy 'x deploy a' (publish)",
    'fastlane test': 'inert (project)',
    fastlane: 'inert (project)',
  },
});

const flutter: Card = projectManager({
  names: 'flutter',
  options: 'd/device-id= t/target= flavor= dart-define= o/output=',
  readings: 'd device-id t target flavor dart-define o output',
  verbs: { upgrade: 'd=' },
  verbReadings: {
    upgrade: 'd',
  },
  does: [installs('pub get | pub add | pub upgrade | upgrade')],
  examples: {
    'flutter <pub get | pub add | pub upgrade | upgrade> a': 'package a (install) reversible',
    'flutter <pub get | pub add | pub upgrade | upgrade>': 'package (install) reversible',
    'flutter test': 'inert (project)',
    flutter: 'inert (project)',
  },
});

const dart: Card = projectManager({
  names: 'dart',
  advice: tryFirst('dart pub publish'),
  options: 'source= C/directory= dry-run n',
  readings: 'source C directory; dry-run n',
  verbs: { 'pub global activate': 's/source= u/hosted-url= x/executable=' },
  verbReadings: {
    'pub global activate': 's source u hosted-url x executable',
  },
  does: [
    tries('--dry-run'),
    publishes('… publish'),
    installs('pub get | pub add | pub upgrade | pub global activate'),
  ],
  examples: {
    'dart install --dry-run a': 'inert (dry-run)',
    'dart x publish a': "deploy 'x publish a' (publish)",
    'dart <pub get | pub add | pub upgrade | pub global activate> a': 'package a (install) reversible',
    'dart <pub get | pub add | pub upgrade | pub global activate>': 'package (install) reversible',
    'dart test': 'inert (project)',
    dart: 'inert (project)',
  },
});

const pub: Card = projectManager({
  names: 'pub',
  options: 'dry-run',
  readings: '; dry-run',
  does: [tries('--dry-run'), publishes('… publish'), installs('get | add | upgrade')],
  examples: {
    'pub install --dry-run a': 'inert (dry-run)',
    'pub x publish a': "deploy 'x publish a' (publish)",
    'pub <get add upgrade> a': 'package a (install) reversible',
    'pub <get add upgrade>': 'package (install) reversible',
    'pub test': 'inert (project)',
    pub: 'inert (project)',
  },
});

const swift: Card = projectManager({
  names: 'swift',
  options: 'package-path= c/configuration= e= I= D= scratch-path= product= target=',
  readings: 'package-path c configuration e I D scratch-path product target',
  examples: {
    'swift test': 'inert (project)',
    swift: 'inert (project)',
  },
  facts: [
    fact({
      what: 'runs code',
      says: 'other code: <-e>',
      examples: { hit: { "swift -e 'a()'": 'other code: a()' }, miss: ['swift build', 'swift run a'] },
    }),
  ],
});

const sdkmanager: Card = table({
  names: 'sdkmanager',
  options: 'sdk_root= channel= package_file= proxy= proxy_host= proxy_port=',
  readings: 'sdk_root channel package_file proxy proxy_host proxy_port',
  rest: 'package <1..> (install) reversible',
  alone: 'package (install) reversible',
  examples: {
    'sdkmanager test': 'package test (install) reversible',
    sdkmanager: 'package (install) reversible',
  },
});

export const cards = [
  mvn,
  gradle,
  sbt,
  dotnet,
  nuget,
  composer,
  pod,
  carthage,
  fastlane,
  flutter,
  dart,
  pub,
  swift,
  sdkmanager,
];
