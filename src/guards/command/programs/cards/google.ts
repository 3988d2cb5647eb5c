// gcloud, gsutil, bq: the services of Google.

import { effect, nameTarget } from '../../tools/tool.ts';
import { type Card, shellOptions } from '../card.ts';
import { each, lookFirst, service } from '../service.ts';
import { copying, fetching } from '../stores.ts';

const storageOptions = 'r/R/recursive f/force n/no-clobber exclude= include=';
const storageReadings = { valued: 'exclude include', flags: 'r R recursive f force n no-clobber' };

const gcloud = service({
  names: 'gcloud',
  options:
    '*= command= log-http continue-on-error user-output-enabled async enable-vpc-accessible-services perimeter-enable-vpc-accessible-services clear-access-levels clear-resources clear-restricted-services clear-vpc-allowed-services selective-authentication clear-labels summarize allow-multiline-logs stream-logs distributed enable-logging set-preferred-auth override all-environments all-proxies internal-access manual-approval private-access public-access all-apis all-resources automatic-approval clear-attributes clear-description clear-oauth-scopes clear-quota launch-browser promote stop-previous-version compress recurse pending migrate split-health-checks hide-no-traffic delete-tags show-all-metadata show-build-details show-deployment show-image-basis show-package-vulnerability include-tags show-occurrences all analyze-service-account-impersonation expand-groups expand-resources expand-roles output-group-edges output-resource-edges show-response output-bigquery-force per-asset-type clear-asset-names clear-asset-types clear-condition-description clear-condition-expression clear-condition-title clear-content-type prompt-for-password add-quota-project disable-quota-project ignore-unknown activate brief enable-gdrive-access update-adc include-email include-license route-any transactional-writes ongoing stream force-key-file-overwrite authorize-session only-local-state show-versions enable-ip-alias enable-private-endpoint enable-private-environment clear-airflow-configs clear-env-variables clear-pypi-packages global enable-cdn failover global-network-endpoint-group cache-key-include-host cache-key-include-protocol cache-key-include-query-string connection-drain-on-failover drop-traffic-if-unhealthy global-health-checks require-specific-reservation remove plain collect-process-traces reverse-traceroute require-csek-key-create guest-flush disabled allow-global-access global-address global-backend-service global-target-http-proxy global-target-https-proxy is-mirroring-collector use-serving-port data-disk guest-environment preview-images show-deprecated standard-images only-managed only-unmanaged update-instance scale-based-on-cpu scale-based-on-load-balancing clear-autohealing clear-scale-in-control stable version-target-reached boot-disk-auto-delete can-ip-forward confidential-compute custom-extensions preemptible restart-on-failure shielded-integrity-monitoring shielded-secure-boot shielded-vtpm container-privileged container-stdin container-tty public-ptr boot force-attach deletion-protection enable-display-device auto-delete clear-min-node-cpu clear-node-affinities shielded-learn-integrity-policy clear-container-args clear-container-command enable-admin admin-enabled app-engine-app auto-create-routes export-custom-routes export-subnet-routes-with-public-ip import-custom-routes import-subnet-routes-with-public-ip enable-flow-logs enable-private-ip-google-access switch-to-custom-subnet-mode apt-dist instance-filter-all yum-minimal yum-security zypper-with-optional zypper-with-update enable clear-filter-cidr-ranges clear-filter-protocols clear-mirrored-instances clear-mirrored-subnets clear-mirrored-tags daily-schedule auto-allocate-nat-external-ips nat-all-subnet-ip-ranges nat-primary-subnet-ip-ranges clear-icmp-idle-timeout clear-min-ports-per-vm clear-nat-external-drain-ip-pool clear-tcp-established-idle-timeout clear-tcp-transitory-idle-timeout clear-udp-idle-timeout internal-ip tunnel-through-iap preview validate validate-for-proxyless global-url-map global-ssl-certificates clear-ssl-policy delete-orphaned-path-matcher force-auth-refresh installation strict-validation disable-default-snat enable-autoprovisioning enable-autoprovisioning-autorepair enable-autoprovisioning-autoupgrade enable-autorepair enable-autoscaling enable-autoupgrade enable-basic-auth enable-binauthz enable-cloud-logging enable-cloud-monitoring enable-cloud-run-alpha enable-intra-node-visibility enable-kubernetes-alpha enable-legacy-authorization enable-master-authorized-networks enable-master-global-access enable-network-egress-metering enable-network-policy enable-private-nodes enable-resource-consumption-metering enable-shielded-nodes enable-stackdriver-kubernetes enable-tpu enable-vertical-pod-autoscaling issue-client-certificate clear-maintenance-window clear-resource-usage-bigquery-dataset complete-credential-rotation complete-ip-rotation disable-database-encryption disable-workload-identity generate-password set-password start-credential-rotation start-ip-rotation master force-delete-tags clear-file-patterns include-gcp-public-datasets required print-only disable-public-ips enable-streaming-engine steps enable-component-gateway enable-kerberos single-node disable-autoscaling continue-on-failure all-users automatic-rollback-on-error simple-list managed-reverse-lookup enable-inbound-forwarding zone-file-format delete-all-existing replace-origin-ns authorize-only validate-only auto-google-login performance-metrics record-video use-orchestrator test-special-entitlements clear-exemption disable-indexes allow-unauthenticated clear-build-env-vars clear-env-vars clear-max-instances clear-vpc-connector retry trigger-http clear-config-overrides clear-default-config default-fhir-config overwrite-table disable-referential-integrity disable-resource-versioning enable-update-create show-deleted clear-display-name anonymize run-diagnostics show-log console-only skip-diagnostics blocked enable-http-config enable-mqtt-config skip-initial-version-creation remove-rotation-schedule primary include-children raw stack-trace hidden update completions flag-values flags argumenterror-outside-argparse core-exception interrupt is-interactive staged-progress-tracker uncaught-exception filter-profanity include-word-time-offsets clear-destination-instance clear-destination-ip-address clear-source-instance clear-source-ip-address enable-cloud-apis set-as-default enable-message-ordering retain-acked-messages auto-ack clear-dead-letter-policy clear-retry-policy recompute-message-storage-policy effective show-unset clear-cloudsql-instances clear-config-maps clear-secrets use-http2 force-override to-latest clear-headers clear-max-backoff clear-max-doublings clear-max-retry-attempts clear-max-retry-duration clear-message-body clear-min-backoff clear-relative-url clear-service clear-time-zone clear-auth-token available enabled disable-pushblock enable-pushblock enable-partitioned-dml diff offload prompt-for-pvk-password assign-ip enable-bin-log enable-point-in-time-recovery insights-config-query-insights-enabled insights-config-record-application-tags insights-config-record-client-address require-ssl storage-auto-increase clear-authorized-networks clear-database-flags clear-gae-apps enable-database-replication maintenance-window-any remove-deny-maintenance-period clear-log-sampling-ratio clear-max-attempts clear-max-concurrent-dispatches clear-max-dispatches-per-second clear-routing-override',
  readings: {
    valued: 'command',
    flags:
      'log-http continue-on-error user-output-enabled async enable-vpc-accessible-services perimeter-enable-vpc-accessible-services clear-access-levels clear-resources clear-restricted-services clear-vpc-allowed-services selective-authentication clear-labels summarize allow-multiline-logs stream-logs distributed enable-logging set-preferred-auth override all-environments all-proxies internal-access manual-approval private-access public-access all-apis all-resources automatic-approval clear-attributes clear-description clear-oauth-scopes clear-quota launch-browser promote stop-previous-version compress recurse pending migrate split-health-checks hide-no-traffic delete-tags show-all-metadata show-build-details show-deployment show-image-basis show-package-vulnerability include-tags show-occurrences all analyze-service-account-impersonation expand-groups expand-resources expand-roles output-group-edges output-resource-edges show-response output-bigquery-force per-asset-type clear-asset-names clear-asset-types clear-condition-description clear-condition-expression clear-condition-title clear-content-type prompt-for-password add-quota-project disable-quota-project ignore-unknown activate brief enable-gdrive-access update-adc include-email include-license route-any transactional-writes ongoing stream force-key-file-overwrite authorize-session only-local-state show-versions enable-ip-alias enable-private-endpoint enable-private-environment clear-airflow-configs clear-env-variables clear-pypi-packages global enable-cdn failover global-network-endpoint-group cache-key-include-host cache-key-include-protocol cache-key-include-query-string connection-drain-on-failover drop-traffic-if-unhealthy global-health-checks require-specific-reservation remove plain collect-process-traces reverse-traceroute require-csek-key-create guest-flush disabled allow-global-access global-address global-backend-service global-target-http-proxy global-target-https-proxy is-mirroring-collector use-serving-port data-disk guest-environment preview-images show-deprecated standard-images only-managed only-unmanaged update-instance scale-based-on-cpu scale-based-on-load-balancing clear-autohealing clear-scale-in-control stable version-target-reached boot-disk-auto-delete can-ip-forward confidential-compute custom-extensions preemptible restart-on-failure shielded-integrity-monitoring shielded-secure-boot shielded-vtpm container-privileged container-stdin container-tty public-ptr boot force-attach deletion-protection enable-display-device auto-delete clear-min-node-cpu clear-node-affinities shielded-learn-integrity-policy clear-container-args clear-container-command enable-admin admin-enabled app-engine-app auto-create-routes export-custom-routes export-subnet-routes-with-public-ip import-custom-routes import-subnet-routes-with-public-ip enable-flow-logs enable-private-ip-google-access switch-to-custom-subnet-mode apt-dist instance-filter-all yum-minimal yum-security zypper-with-optional zypper-with-update enable clear-filter-cidr-ranges clear-filter-protocols clear-mirrored-instances clear-mirrored-subnets clear-mirrored-tags daily-schedule auto-allocate-nat-external-ips nat-all-subnet-ip-ranges nat-primary-subnet-ip-ranges clear-icmp-idle-timeout clear-min-ports-per-vm clear-nat-external-drain-ip-pool clear-tcp-established-idle-timeout clear-tcp-transitory-idle-timeout clear-udp-idle-timeout internal-ip tunnel-through-iap preview validate validate-for-proxyless global-url-map global-ssl-certificates clear-ssl-policy delete-orphaned-path-matcher force-auth-refresh installation strict-validation disable-default-snat enable-autoprovisioning enable-autoprovisioning-autorepair enable-autoprovisioning-autoupgrade enable-autorepair enable-autoscaling enable-autoupgrade enable-basic-auth enable-binauthz enable-cloud-logging enable-cloud-monitoring enable-cloud-run-alpha enable-intra-node-visibility enable-kubernetes-alpha enable-legacy-authorization enable-master-authorized-networks enable-master-global-access enable-network-egress-metering enable-network-policy enable-private-nodes enable-resource-consumption-metering enable-shielded-nodes enable-stackdriver-kubernetes enable-tpu enable-vertical-pod-autoscaling issue-client-certificate clear-maintenance-window clear-resource-usage-bigquery-dataset complete-credential-rotation complete-ip-rotation disable-database-encryption disable-workload-identity generate-password set-password start-credential-rotation start-ip-rotation master force-delete-tags clear-file-patterns include-gcp-public-datasets required print-only disable-public-ips enable-streaming-engine steps enable-component-gateway enable-kerberos single-node disable-autoscaling continue-on-failure all-users automatic-rollback-on-error simple-list managed-reverse-lookup enable-inbound-forwarding zone-file-format delete-all-existing replace-origin-ns authorize-only validate-only auto-google-login performance-metrics record-video use-orchestrator test-special-entitlements clear-exemption disable-indexes allow-unauthenticated clear-build-env-vars clear-env-vars clear-max-instances clear-vpc-connector retry trigger-http clear-config-overrides clear-default-config default-fhir-config overwrite-table disable-referential-integrity disable-resource-versioning enable-update-create show-deleted clear-display-name anonymize run-diagnostics show-log console-only skip-diagnostics blocked enable-http-config enable-mqtt-config skip-initial-version-creation remove-rotation-schedule primary include-children raw stack-trace hidden update completions flag-values flags argumenterror-outside-argparse core-exception interrupt is-interactive staged-progress-tracker uncaught-exception filter-profanity include-word-time-offsets clear-destination-instance clear-destination-ip-address clear-source-instance clear-source-ip-address enable-cloud-apis set-as-default enable-message-ordering retain-acked-messages auto-ack clear-dead-letter-policy clear-retry-policy recompute-message-storage-policy effective show-unset clear-cloudsql-instances clear-config-maps clear-secrets use-http2 force-override to-latest clear-headers clear-max-backoff clear-max-doublings clear-max-retry-attempts clear-max-retry-duration clear-message-body clear-min-backoff clear-relative-url clear-service clear-time-zone clear-auth-token available enabled disable-pushblock enable-pushblock enable-partitioned-dml diff offload prompt-for-pvk-password assign-ip enable-bin-log enable-point-in-time-recovery insights-config-query-insights-enabled insights-config-record-application-tags insights-config-record-client-address require-ssl storage-auto-increase clear-authorized-networks clear-database-flags clear-gae-apps enable-database-replication maintenance-window-any remove-deny-maintenance-period clear-log-sampling-ratio clear-max-attempts clear-max-concurrent-dispatches clear-max-dispatches-per-second clear-routing-override',
  },
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
    'gcloud things delete --new-option x --no-new-option --async a': 'cloud a (delete)',
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
  look: 'ls',
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
