/** The etag of a policy that was never set: bytes 00 20 01. */
const NEVER_SET = Buffer.from([0x00, 0x20, 0x01]);

/** Eight bytes: 07, then the microseconds of the last write in big-endian order. */
export function etagOf(micros: number | undefined): Buffer {
  if (micros === undefined) return NEVER_SET;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(micros));
  bytes[0] = 0x07;
  return bytes;
}

/** Decodes either base64 alphabet: gcloud sends back the URL-safe one. */
export function decodeEtag(text: string): Buffer {
  return Buffer.from(text.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
}

/** Bytes as the conflict message quotes them: C escapes, octal for what is not printable. */
export function quoteEtag(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    if (character === "'" || character === '\\') text += `\\${character}`;
    else if (byte >= 0x20 && byte < 0x7f) text += character;
    else text += `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return text;
}
