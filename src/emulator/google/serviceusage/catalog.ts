import type { World } from '../world/world.ts';

const SUFFIX = '.googleapis.com';

/** First labels of `*.googleapis.com` names that exist; those marked `$` need a billing account. */
const KNOWN = `
abusiveexperiencereport accessapproval accesscontextmanager admin adsense aiplatform$ alloydb$ analytics analyticsadmin
analyticsdata analyticshub androidmanagement androidpublisher anthos$ apigateway$ apigee apihub apikeys apphub appengine
appengineflex$ appengineflexible$ artifactregistry$ assuredworkloads automl$ autoscaling backupdr$ baremetalsolution
batch$ beyondcorp bigquery bigqueryconnection bigquerydatapolicy bigquerydatatransfer bigquerymigration
bigqueryreservation bigquerystorage bigtable bigtableadmin$ billingbudgets binaryauthorization$ blogger books calendar-json
certificatemanager$ chat classroom cloudaicompanion cloudapis cloudasset cloudbilling cloudbuild$ cloudcommerceprocurement
clouddebugger clouddeploy$ clouderrorreporting cloudfunctions$ cloudidentity cloudkms$ cloudlatencytest cloudprofiler
cloudquotas cloudresourcemanager cloudscheduler$ cloudsearch cloudshell cloudsupport cloudtasks cloudtrace composer$
compute$ config connectgateway connectors$ contactcenterinsights$ container$ containeranalysis containerfilesystem
containerregistry$ containersecurity$ containerthreatdetection customsearch datacatalog dataflow$ dataform datafusion$
datalineage datamigration$ datapipelines$ dataplex$ dataproc$ datastore datastream$ deploymentmanager developerconnect
dialogflow dlp dns$ docs documentai$ domains$ drive driveactivity essentialcontacts eventarc$ factchecktools fcm file$
firebase firebaseappcheck firebasedatabase firebasedynamiclinks firebasehosting firebaseinstallations firebaserules
firebasestorage firestore fitness forms games gameservices$ generativelanguage geocoding-backend gkebackup$ gkehub$
gkemulticloud$ gkeonprem$ gmail groupsmigration healthcare$ iam iamcredentials iap identitytoolkit ids$ indexing
integrations$ jobs keep kgsearch language$ libraryagent licensing lifesciences$ livestream$ localservices logging
looker$ managedidentities$ managedkafka$ maps-backend memcache$ memorystore$ meshconfig metastore$ migrationcenter ml$
monitoring netapp$ networkconnectivity$ networkmanagement networksecurity$ networkservices$ notebooks$ ondemandscanning$
orgpolicy osconfig oslogin pagespeedonline parallelstore$ parametermanager$ people places-backend playintegrity policyanalyzer
policysimulator policytroubleshooter privateca$ publicca pubsub pubsublite$ rapidmigrationassessment realtimebidding
recaptchaenterprise recommender redis$ resourcesettings retail run$ runtimeconfig safebrowsing searchconsole
secretmanager$ securetoken securitycenter securitycentermanagement securityposture servicecontrol servicedirectory$
servicehealth servicemanagement servicenetworking$ serviceusage sheets siteverification slides source sourcerepo
spanner$ speech$ sql-component sqladmin$ sts storage storage-api storage-component storagebatchoperations storageinsights
storagetransfer tagmanager tasks telemetry testing texttospeech$ timeseriesinsights toolresults tpu$ trafficdirector
transcoder$ translate$ vault vectortile videointelligence$ vision$ vmmigration vmwareengine$ vpcaccess$ webmaster
webrisk$ websecurityscanner workflowexecutions$ workflows$ workloadmanager workspaceevents workstations$ youtube
youtubeanalytics youtubereporting
`;

/** A service to those that enabling it also enables. */
const DEPENDENCIES: Readonly<Record<string, readonly string[]>> = named({
  appengineflex: ['compute'],
  bigquerystorage: ['bigquery'],
  cloudapis: [
    'bigquery',
    'bigquerystorage',
    'cloudtrace',
    'datastore',
    'logging',
    'monitoring',
    'servicemanagement',
    'serviceusage',
    'sql-component',
    'storage-api',
    'storage-component',
  ],
  cloudbuild: ['logging', 'storage-api'],
  cloudfunctions: ['cloudbuild', 'pubsub', 'storage-api'],
  composer: ['container', 'storage-api'],
  compute: ['oslogin'],
  container: ['compute', 'iam', 'iamcredentials', 'logging', 'monitoring'],
  containerregistry: ['storage-api'],
  dataflow: ['compute', 'storage-api'],
  dataproc: ['compute', 'storage-api'],
  gkehub: ['cloudresourcemanager'],
  iam: ['iamcredentials'],
  notebooks: ['compute'],
  run: ['artifactregistry', 'pubsub'],
  sqladmin: ['sql-component'],
  workflows: ['workflowexecutions'],
});

const ENTRIES = KNOWN.trim().split(/\s+/);
const NAMES: ReadonlySet<string> = new Set(ENTRIES.map((entry) => entry.replace('$', '') + SUFFIX));
const BILLED: ReadonlySet<string> = new Set(
  ENTRIES.filter((entry) => entry.endsWith('$')).map((entry) => entry.slice(0, -1) + SUFFIX),
);

const TITLES: Readonly<Record<string, string>> = {
  'cloudresourcemanager.googleapis.com': 'Cloud Resource Manager API',
  'cloudbilling.googleapis.com': 'Cloud Billing API',
  'serviceusage.googleapis.com': 'Service Usage API',
  'compute.googleapis.com': 'Compute Engine API',
  'container.googleapis.com': 'Kubernetes Engine API',
  'run.googleapis.com': 'Cloud Run Admin API',
};

function named(short: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(short).map(([service, needs]) => [service + SUFFIX, needs.map((need) => need + SUFFIX)]),
  );
}

export function isKnownService(world: World, service: string): boolean {
  return NAMES.has(service) || world.state.knownServices.includes(service);
}

export function knownServices(world: World): readonly string[] {
  return [...NAMES, ...world.state.knownServices.filter((service) => !NAMES.has(service))];
}

export function needsBilling(service: string): boolean {
  return BILLED.has(service);
}

export function titleOf(service: string): string {
  const label = service.replace(/\..*$/, '').replaceAll('-', ' ');
  return TITLES[service] ?? `${label.charAt(0).toUpperCase()}${label.slice(1)} API`;
}

/** The services and all that they need, each once, what was asked for first. */
export function withDependencies(services: readonly string[]): readonly string[] {
  const all = new Set(services);
  for (const service of all) for (const need of DEPENDENCIES[service] ?? []) all.add(need);
  return [...all];
}

/** Whether `service` needs `other`, directly or not. */
export function dependsOn(service: string, other: string): boolean {
  return service !== other && withDependencies([service]).includes(other);
}
