import type { Hindrance, KindName } from './define-kind.ts';

const NOUNS: Readonly<Record<KindName, string>> = {
  instance: 'machine',
  disk: 'disk',
  network: 'network',
  subnet: 'subnet',
  address: 'address',
  security_group: 'security group',
};

/** As the end of a sentence that begins with the field. */
export function hindranceText(kind: KindName, hindrance: Hindrance): string {
  switch (hindrance) {
    case 'stop':
      return 'can only be changed while the machine is stopped, and infra stops none: change it by hand, or keep the live value';
    case 'replacement':
      return `would take another ${NOUNS[kind]}, and infra replaces nothing as a side effect: keep the live value, or delete this one explicitly and create it anew`;
    case 'interface':
      return "is a change of the machine's network interface, which infra does not make: change it by hand (yc compute instance update-network-interface), or keep the live value";
    case 'shrink':
      return `can grow in place, but not shrink: keep the live value, or make another ${NOUNS[kind]}`;
  }
}
