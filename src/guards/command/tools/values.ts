// Options that take the next word as their value, by the program or the subcommand that has them, where the reader of that
// program says nothing of them. Without this the value would be read as an operand: a file, a subcommand or a name.

import { concat, knownText, singleText, type Text } from '../bash/values.ts';
import type { Value } from '../effects.ts';
import { beginningOf, literal, textOf } from './tool.ts';

/** `*` stands for every long option but those behind a mark and those that begin with `--no-`. */
const valued: Readonly<Record<string, string>> = {
  'ansible-galaxy':
    '--server -s --token --api-key --download-path --requirements-file --init-path --collection-skeleton --output-path --import-timeout --collections-path --format --role-skeleton --type --roles-path --role-path --platforms --galaxy-tags --author --branch --role-name --remove',
  'ansible-galaxy collection download': '-p -r',
  'ansible-galaxy collection list': '-p',
  'ansible-galaxy collection verify': '-p -r',
  'ansible-galaxy role install': '-r',
  aws: '--index-document --error-document --sse --sse-c --sse-c-key --sse-kms-key-id --sse-c-copy-source --sse-c-copy-source-key --storage-class --grants --website-redirect --content-type --cache-control --content-disposition --content-encoding --content-language --expires --source-region --request-payer --metadata --metadata-directive --expected-size',
  'aws-vault': '--duration --region --mfa-token',
  'aws-vault exec': '-d -t',
  brew: '--cc --appdir --colorpickerdir --prefpanedir --qlplugindir --mdimporterdir --dictionarydir --fontdir --servicedir --input-methoddir --internet-plugindir --audio-unit-plugindir --vst-plugindir --vst3-plugindir --screen-saverdir',
  bundle: '--jobs --trust-policy --with --update --lockfile',
  'bundle install': '--gemfile --path --retry --shebang --without',
  'bundle update': '--retry --group -g --source -j',
  bw: '--session --method --code --passwordenv --passwordfile --length --web-vault --identity --icons --notifications --events --key-connector --organizationid --itemid --maxAccessCount --notes --password',
  cargo: '--explain --vcs --name --rename',
  'cargo init': '--edition',
  'cargo new': '--edition',
  'cargo owner': '-a -r',
  conda: '--tempfiles --clone --repodata-fn --revision',
  dart: '--source',
  'dart pub global activate': '-s -u --hosted-url',
  doppler:
    '--api-host --configuration --dashboard-host --dns-resolver-address --dns-resolver-proto --dns-resolver-timeout --timeout --number --max-age --slug --template --description --scope --token -t --config --passphrase --project --fallback-passphrase --email',
  'doppler run': '-c -p',
  dotnet:
    '-v --verbosity --additionalprobingpath --additional-deps --runtimeconfig --roll-forward --fx-version --package-directory --api-key -sk --symbol-api-key -ss --symbol-source --configfile --lock-file-path --packages --add-source --tool-manifest',
  'dotnet add package': '-f --framework',
  'dotnet add reference': '-f --framework',
  'dotnet nuget push': '-k -s --source',
  'dotnet restore': '-s --source -r --runtime',
  'dotnet tool install': '--framework',
  'dotnet tool update': '--framework',
  firebase:
    '--release-notes-file --testers --testers-file --groups --groups-file --package-name --bundle-id --app-store-id --hash-algo --hash-key --salt-separator --rounds --mem-cost --parallelization --block-size --dk-len --hash-input-order -d --duration --input --instance --data --message --except --port --params --from --expires --display-name --folder',
  'firebase apps:create': '-b',
  'firebase database:instances:create': '-l',
  'firebase database:profile': '-i',
  'firebase deploy': '-m',
  'firebase functions:config:clone': '--only',
  'firebase remoteconfig:rollback': '-v --version-number',
  flutter: '-d --device-id',
  'flutter upgrade': '-d',
  fly: '--builtinsfile --network --email --otp --password --build-arg --build-target --dockerfile --image-label -r --strategy --path --cpu-kind --cpus --entrypoint --memory --port --size --volume --signal --time --database-name --database-user --postgres-app --variable-name --database --user --image-ref --initial-cluster-size --snapshot-id --vm-size --volume-size --group --hours --username --heroku-token',
  'fly deploy': '--image -i',
  'fly launch': '--image',
  'fly machines run': '-v',
  'fly ssh issue': '-u',
  flyctl:
    '--builtinsfile --network --email --otp --password --build-arg --build-target --dockerfile --image-label -r --strategy --path --cpu-kind --cpus --entrypoint --memory --port --size --volume --signal --time --database-name --database-user --postgres-app --variable-name --database --user --image-ref --initial-cluster-size --snapshot-id --vm-size --volume-size --group --hours --username --heroku-token',
  'flyctl deploy': '--image -i',
  'flyctl launch': '--image',
  'flyctl machines run': '-v',
  'flyctl ssh issue': '-u',
  fnm: '--arch --fnm-dir --log-level --node-dist-mirror --version-file-strategy',
  gcloud:
    '* !--log-http !--recursive !--force !--continue-on-error !--quiet !--user-output-enabled !--async !--enable-vpc-accessible-services !--perimeter-enable-vpc-accessible-services !--clear-access-levels !--clear-resources !--clear-restricted-services !--clear-vpc-allowed-services !--selective-authentication !--clear-labels !--summarize !--allow-multiline-logs !--stream-logs !--distributed !--enable-logging !--dry-run !--set-preferred-auth !--override !--verbose !--all-environments !--all-proxies !--internal-access !--manual-approval !--private-access !--public-access !--all-apis !--all-resources !--automatic-approval !--clear-attributes !--clear-description !--clear-oauth-scopes !--clear-quota !--launch-browser !--promote !--stop-previous-version !--compress !--recurse !--pending !--migrate !--split-health-checks !--hide-no-traffic !--delete-tags !--show-all-metadata !--show-build-details !--show-deployment !--show-image-basis !--show-package-vulnerability !--include-tags !--show-occurrences !--all !--analyze-service-account-impersonation !--expand-groups !--expand-resources !--expand-roles !--output-group-edges !--output-resource-edges !--show-response !--output-bigquery-force !--per-asset-type !--clear-asset-names !--clear-asset-types !--clear-condition-description !--clear-condition-expression !--clear-condition-title !--clear-content-type !--prompt-for-password !--add-quota-project !--disable-quota-project !--ignore-unknown !--activate !--brief !--enable-gdrive-access !--force !--update-adc !--include-email !--include-license !--route-any !--transactional-writes !--ongoing !--stream !--force-key-file-overwrite !--authorize-session !--only-local-state !--show-versions !--enable-ip-alias !--enable-private-endpoint !--enable-private-environment !--clear-airflow-configs !--clear-env-variables !--clear-pypi-packages !--global !--enable-cdn !--failover !--global-network-endpoint-group !--cache-key-include-host !--cache-key-include-protocol !--cache-key-include-query-string !--connection-drain-on-failover !--drop-traffic-if-unhealthy !--global-health-checks !--require-specific-reservation !--remove !--plain !--collect-process-traces !--reverse-traceroute !--require-csek-key-create !--guest-flush !--disabled !--allow-global-access !--global-address !--global-backend-service !--global-target-http-proxy !--global-target-https-proxy !--is-mirroring-collector !--use-serving-port !--data-disk !--guest-environment !--preview-images !--show-deprecated !--standard-images !--only-managed !--only-unmanaged !--update-instance !--scale-based-on-cpu !--scale-based-on-load-balancing !--clear-autohealing !--clear-scale-in-control !--stable !--version-target-reached !--boot-disk-auto-delete !--can-ip-forward !--confidential-compute !--custom-extensions !--preemptible !--restart-on-failure !--shielded-integrity-monitoring !--shielded-secure-boot !--shielded-vtpm !--container-privileged !--container-stdin !--container-tty !--public-ptr !--boot !--force-attach !--deletion-protection !--enable-display-device !--auto-delete !--clear-min-node-cpu !--clear-node-affinities !--shielded-learn-integrity-policy !--clear-container-args !--clear-container-command !--enable-admin !--admin-enabled !--app-engine-app !--auto-create-routes !--export-custom-routes !--export-subnet-routes-with-public-ip !--import-custom-routes !--import-subnet-routes-with-public-ip !--enable-flow-logs !--enable-private-ip-google-access !--switch-to-custom-subnet-mode !--apt-dist !--instance-filter-all !--yum-minimal !--yum-security !--zypper-with-optional !--zypper-with-update !--enable !--clear-filter-cidr-ranges !--clear-filter-protocols !--clear-mirrored-instances !--clear-mirrored-subnets !--clear-mirrored-tags !--daily-schedule !--auto-allocate-nat-external-ips !--nat-all-subnet-ip-ranges !--nat-primary-subnet-ip-ranges !--clear-icmp-idle-timeout !--clear-min-ports-per-vm !--clear-nat-external-drain-ip-pool !--clear-tcp-established-idle-timeout !--clear-tcp-transitory-idle-timeout !--clear-udp-idle-timeout !--internal-ip !--tunnel-through-iap !--preview !--validate !--validate-for-proxyless !--global-url-map !--global-ssl-certificates !--clear-ssl-policy !--delete-orphaned-path-matcher !--force-auth-refresh !--installation !--strict-validation !--disable-default-snat !--enable-autoprovisioning !--enable-autoprovisioning-autorepair !--enable-autoprovisioning-autoupgrade !--enable-autorepair !--enable-autoscaling !--enable-autoupgrade !--enable-basic-auth !--enable-binauthz !--enable-cloud-logging !--enable-cloud-monitoring !--enable-cloud-run-alpha !--enable-intra-node-visibility !--enable-kubernetes-alpha !--enable-legacy-authorization !--enable-master-authorized-networks !--enable-master-global-access !--enable-network-egress-metering !--enable-network-policy !--enable-private-nodes !--enable-resource-consumption-metering !--enable-shielded-nodes !--enable-stackdriver-kubernetes !--enable-tpu !--enable-vertical-pod-autoscaling !--issue-client-certificate !--clear-maintenance-window !--clear-resource-usage-bigquery-dataset !--complete-credential-rotation !--complete-ip-rotation !--disable-database-encryption !--disable-workload-identity !--generate-password !--set-password !--start-credential-rotation !--start-ip-rotation !--master !--force-delete-tags !--clear-file-patterns !--include-gcp-public-datasets !--required !--print-only !--disable-public-ips !--enable-streaming-engine !--steps !--enable-component-gateway !--enable-kerberos !--single-node !--disable-autoscaling !--continue-on-failure !--all-users !--automatic-rollback-on-error !--simple-list !--managed-reverse-lookup !--enable-inbound-forwarding !--zone-file-format !--delete-all-existing !--replace-origin-ns !--authorize-only !--validate-only !--auto-google-login !--performance-metrics !--record-video !--use-orchestrator !--test-special-entitlements !--clear-exemption !--disable-indexes !--allow-unauthenticated !--clear-build-env-vars !--clear-env-vars !--clear-max-instances !--clear-vpc-connector !--retry !--trigger-http !--clear-config-overrides !--clear-default-config !--default-fhir-config !--overwrite-table !--disable-referential-integrity !--disable-resource-versioning !--enable-update-create !--show-deleted !--clear-display-name !--anonymize !--run-diagnostics !--show-log !--console-only !--skip-diagnostics !--blocked !--enable-http-config !--enable-mqtt-config !--skip-initial-version-creation !--remove-rotation-schedule !--primary !--include-children !--raw !--stack-trace !--hidden !--update !--completions !--flag-values !--flags !--argumenterror-outside-argparse !--core-exception !--interrupt !--is-interactive !--staged-progress-tracker !--uncaught-exception !--filter-profanity !--include-word-time-offsets !--clear-destination-instance !--clear-destination-ip-address !--clear-source-instance !--clear-source-ip-address !--enable-cloud-apis !--set-as-default !--enable-message-ordering !--retain-acked-messages !--auto-ack !--clear-dead-letter-policy !--clear-retry-policy !--recompute-message-storage-policy !--effective !--show-unset !--clear-cloudsql-instances !--clear-config-maps !--clear-secrets !--use-http2 !--force-override !--to-latest !--clear-headers !--clear-max-backoff !--clear-max-doublings !--clear-max-retry-attempts !--clear-max-retry-duration !--clear-message-body !--clear-min-backoff !--clear-relative-url !--clear-service !--clear-time-zone !--clear-auth-token !--available !--enabled !--disable-pushblock !--enable-pushblock !--enable-partitioned-dml !--diff !--offload !--prompt-for-pvk-password !--assign-ip !--enable-bin-log !--enable-point-in-time-recovery !--insights-config-query-insights-enabled !--insights-config-record-application-tags !--insights-config-record-client-address !--require-ssl !--storage-auto-increase !--clear-authorized-networks !--clear-database-flags !--clear-gae-apps !--enable-database-replication !--maintenance-window-any !--remove-deny-maintenance-period !--clear-log-sampling-ratio !--clear-max-attempts !--clear-max-concurrent-dispatches !--clear-max-dispatches-per-second !--clear-routing-override',
  gem: '--platform --add --remove --document --build-root --trust-policy --without',
  'gem owner': '-a -r -k',
  'gem push': '-k',
  'gem sources': '-a -r',
  'gem yank': '-k',
  go: '-tags -p -asmflags -buildmode -compiler -gccgoflags -gcflags -installsuffix -ldflags -mod -modfile -overlay -pkgdir',
  helmfile:
    '--chart -c --environment -e --file -f --helm-binary -b --kube-context --log-level --namespace -n --selector -l --state-values-file --state-values-set',
  lerna: '--loglevel --max-buffer --scope --ignore --profile-location',
  lpass: '--field --note-type',
  'lpass generate': '--username',
  mamba: '--tempfiles --clone --repodata-fn --revision',
  n: '-a --arch --watch-path --env-file',
  'n run': '-e',
  netlify:
    '--httpProxy --httpProxyCertificateFilename --data --auth --branch --functions --message --alias --timeout',
  'netlify api': '-d',
  'netlify deploy': '-d -b -m',
  nvm: '--reinstall-packages-from --alias',
  oci: '--config-file --auth --key-file --wait-for-state --wait-interval-seconds --max-wait-seconds --output-format --key-shape --reset-period',
  op: '--encoding --session --address --email --shorthand --group --file-name --tags --title --role --description --category --template --fields --emails --expiry --vault --language --deauthorize-devices-after --permissions --user --allow-admins-to-manage --icon --travel-mode --file-mode --directory',
  pipenv: '--pypi-mirror --editable --extra-index-url',
  'pipenv install': '--pypi-mirror -e --requirements -i',
  'pipenv run': '--pypi-mirror --python',
  'pipenv sync': '--pypi-mirror',
  'pipenv uninstall': '--pypi-mirror -e',
  'pipenv update': '--pypi-mirror -e -i',
  pipx: '--suffix --pip-args --skip --index-url',
  'pipx inject': '-i',
  'pipx install': '-i',
  'pipx run': '-i',
  'pipx upgrade': '-i',
  pod: '--project-directory --sources --commit-message --swift-version --in-favor-of --description --exclude-pods',
  poetry: '--directory',
  rustup: '--toolchain --target --component --profile',
  'rustup toolchain install': '-t -c',
  stack:
    '--color --colour --compiler --stack-colors --stack-colours --terminal-width --stack-yaml --lock-file --snapshot-location-base --cwd --setup-info-yaml --package',
  stripe: '--device-name --log-level --param -d --data --expand --idempotency --stripe-version',
  'stripe delete': '-i --stripe-account -v',
  'stripe events resend': '-i --stripe-account -v',
  'stripe post': '-i --stripe-account -v',
  twilio:
    '-l --attachment --from --subject --text --auth-token --country-code --account-sid --address-sid --api-version --area-code --bundle-sid --contains --distance --emergency-address-sid --emergency-status --friendly-name --identity-sid --in-lata --in-locality --in-postal-code --in-rate-center --in-region --near-lat-long --near-number --page-size --properties --sms-application-sid --sms-fallback-method --sms-fallback-url --sms-method --sms-url --status-callback --status-callback-method --trunk-sid --voice-application-sid --voice-fallback-method --voice-fallback-url --voice-method --voice-receive-mode --voice-url',
  uv: '--color --allow-insecure-host --directory --project --config-file --extra --no-extra --group --no-group --only-group --with-editable --with-requirements --vcs --build-backend --author-from --cache-dir --requirements --optional --rev --tag --branch --default-index --extra-index-url --find-links --index-strategy --keyring-provider --upgrade-package --resolution --prerelease --exclude-newer --reinstall-package --link-mode --no-build-isolation-package --no-build-package --no-binary-package --refresh-package --no-install-package --python-preference --from --mirror --pypy-mirror --prompt',
  'uv add': '--package --script -C',
  'uv lock': '-C',
  'uv remove': '--package --script -C',
  'uv run': '--package',
  'uv sync': '--package -C',
  vault: '-max-lease-ttl',
  vercel: '-A --local-config -Q --global-config -S --crt',
  volta: '--env',
  wrangler: '--binding --namespace-id --delete-class --new-class --rename-class --transfer-class',
  'wrangler kv:key delete': '-b',
};

/** Options that take no value, although a reader that several programs share, or a longer name, would give them one. */
const flags: Readonly<Record<string, string>> = {
  lpass: '--name -c',
  netlify: '-o',
  op: '-f -n',
  pipenv: '--py --pre -c',
  pipx: '-f',
  poetry: '-n',
  twilio: '-e -f',
  uv: '-n',
  vault: '-accessor',
  vercel: '-f -p -c -s',
};

/** The programs and subcommands that the tables name. */
export function describedOptions(): readonly string[] {
  return [...Object.keys(valued), ...Object.keys(flags)];
}

type Names = ReadonlySet<string>;

/** The names of a table by program or subcommand, split when they are first asked for. */
function reading(table: Readonly<Record<string, string>>): (key: string) => Names | null {
  const split = new Map<string, Names>();
  return (key) => {
    if (!Object.hasOwn(table, key)) return null;
    const names = split.get(key) ?? new Set(table[key]?.split(' '));
    split.set(key, names);
    return names;
  };
}

const valuedOf = reading(valued);
const flagsOf = reading(flags);

/** The programs of which subcommands are in the table. */
const grouped: Names = new Set(
  Object.keys(valued).flatMap((key) => (key.includes(' ') ? [key.slice(0, key.indexOf(' '))] : [])),
);

function takes(names: Names, option: string): boolean {
  if (names.has(option)) return true;
  return names.has('*') && /^--(?!no-)[^=]+$/.test(option) && !names.has(`!${option}`);
}

/** What becomes of each word that the tables name; null where they say nothing of the program. */
function places(program: string, words: readonly string[]): ReadonlyMap<number, 'flag' | 'value'> | null {
  const own = valuedOf(program);
  const plain = flagsOf(program);
  if (own === null && plain === null && !grouped.has(program)) return null;
  const active = own === null ? [] : [own];
  const found = new Map<number, 'flag' | 'value'>();
  let path = program;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') break;
    if (plain?.has(word)) found.set(at, 'flag');
    else if (word.startsWith('-')) {
      const next = words[at + 1];
      if (next === undefined || !active.some((names) => takes(names, word))) continue;
      // Behind an option that is not named, a word with a dash is the next option.
      if (next.startsWith('-') && !active.some((names) => names.has(word))) continue;
      at += 1;
      found.set(at, 'value');
    } else if (grouped.has(program)) {
      path = `${path} ${word}`;
      const more = valuedOf(path);
      if (more !== null) active.push(more);
    }
  }
  return found;
}

/** The arguments as a reader without these tables understands them: a value is joined to its long option, and left out
 * with a short one; a flag is left out. */
function understood<Argument>(
  program: string,
  args: readonly Argument[],
  words: readonly string[],
  join: (option: string, value: Argument) => Argument,
): readonly Argument[] {
  const found = places(program, words);
  if (found === null || found.size === 0) return args;
  return args.flatMap((argument, at) => {
    const value = args[at + 1];
    if (found.has(at)) return [];
    if (found.get(at + 1) !== 'value' || value === undefined) return [argument];
    const option = words[at] ?? '';
    return option.startsWith('--') ? [join(option, value)] : [];
  });
}

/** Arguments for the tool of a program. */
export function understoodValues(program: string, args: readonly Value[]): readonly Value[] {
  return understood(program, args, args.map(beginningOf), (option, value) => {
    const text = textOf(value);
    return text === null
      ? { kind: 'prefix', text: `${option}=${beginningOf(value)}` }
      : literal(`${option}=${text}`);
  });
}

/** Arguments for what says which other programs a program starts. */
export function understoodTexts(program: string, args: readonly Text[]): readonly Text[] {
  return understood(program, args, args.map(singleText), (option, value) =>
    concat(knownText(`${option}=`), value),
  );
}
