/**
 * Services that are known to bring others along when they are enabled, by what they bring along: those have to be
 * disabled first. Service Usage v1 has no list to ask, and this one is not complete: it orders the disables of one
 * playbook (`depends_on` comes before it), and lets a plan name what is enabled and in the way.
 */
const NEEDED_BY: Readonly<Record<string, readonly string[]>> = {
  'compute.googleapis.com': [
    'container.googleapis.com',
    'dataproc.googleapis.com',
    'dataflow.googleapis.com',
    'composer.googleapis.com',
    'vpcaccess.googleapis.com',
  ],
  'bigquery.googleapis.com': ['bigquerystorage.googleapis.com', 'cloudapis.googleapis.com'],
  'oslogin.googleapis.com': ['compute.googleapis.com', 'container.googleapis.com'],
  'containerregistry.googleapis.com': ['container.googleapis.com'],
  'pubsub.googleapis.com': ['container.googleapis.com'],
  'iam.googleapis.com': ['iamcredentials.googleapis.com', 'container.googleapis.com'],
  'iamcredentials.googleapis.com': ['container.googleapis.com'],
};

/** The services whose disabling has to come before that of this one. */
export function dependantsOf(service: string): readonly string[] {
  return NEEDED_BY[service] ?? [];
}
