import { Buffer } from 'node:buffer';

const RSA_BITS = { min: 2048, max: 16384 };
const MAX_TEXT = 16_384;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A public key of OpenSSH without its comment; null where it is none that is accepted. */
export function bareSshKey(text: string): string | null {
  if (text.length > MAX_TEXT || /[\r\n\0]/.test(text.trim())) return null;
  const [type = '', encoded = ''] = text.trim().split(/[ \t]+/);
  if (!BASE64.test(encoded) || Buffer.from(encoded, 'base64').toString('base64') !== encoded) return null;
  const fields = fieldsOf(Buffer.from(encoded, 'base64'));
  if (fields?.[0]?.toString('latin1') !== type) return null;
  const valid = type === 'ssh-ed25519' ? isEd25519(fields) : type === 'ssh-rsa' && isRsa(fields);
  return valid ? `${type} ${encoded}` : null;
}

export function sshKeyRule(text: string): string | null {
  return bareSshKey(text) === null
    ? 'The SSH key is no public key of OpenSSH: ssh-ed25519, or ssh-rsa with 2048 to 16384 bits.'
    : null;
}

/** The length-prefixed fields of a key, up to its last byte. */
function fieldsOf(bytes: Buffer): readonly Buffer[] | null {
  const fields: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return null;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

function isEd25519(fields: readonly Buffer[]): boolean {
  return fields.length === 2 && fields[1]?.length === 32;
}

function isRsa(fields: readonly Buffer[]): boolean {
  const [, exponent, modulus] = fields;
  if (fields.length !== 3 || exponent === undefined || modulus === undefined) return false;
  const bits = bitsOf(modulus);
  const isOdd = ((exponent.at(-1) ?? 0) & 1) === 1;
  return bits !== null && bits >= RSA_BITS.min && bits <= RSA_BITS.max && isOdd && (bitsOf(exponent) ?? 0) > 1;
}

/** The bits of a positive number as SSH writes it: no needless leading zero, none that would make it negative. */
function bitsOf(bytes: Buffer): number | null {
  const [first, second] = bytes;
  if (first === undefined || first > 127 || (first === 0 && (second ?? 0) < 128)) return null;
  const digits = bytes.toString('hex').replace(/^0+/, '');
  return digits === '' ? null : (digits.length - 1) * 4 + Number.parseInt(digits.charAt(0), 16).toString(2).length;
}
