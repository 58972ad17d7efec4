import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Long, and with characters that base64, URLs and JSON write in another way. */
export const CANARY = 'ya29.c4nary/Secret+Token=0123456789/ABCDEFGHIJ';
/** As a private key or a password would look. */
export const SECOND_CANARY = 'sup3r-s3cret/V4lue+of_someone=else.42';

/** Every way in which a value may be written down; the beginning alone counts too. */
export function formsOf(secret: string): readonly string[] {
  const base64 = [secret, `Bearer ${secret}`, ` ${secret}`, `  ${secret}`].flatMap((text) => {
    const encoded = Buffer.from(text).toString('base64');
    // Without the ends, which depend on what stands beside it.
    return [encoded.slice(4, -4), encoded.slice(4, -4).replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [
    secret,
    secret.slice(0, 16),
    secret.slice(-16),
    encodeURIComponent(secret),
    encodeURI(secret),
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    Buffer.from(secret).toString('hex'),
    ...base64,
  ];
}

/** Where a secret is found in texts and files; empty where it is nowhere. */
export function leaksOf(secrets: readonly string[], texts: Readonly<Record<string, string>>): readonly string[] {
  const forms = secrets.flatMap(formsOf);
  return Object.entries(texts).flatMap(([place, text]) => {
    const found = forms.find((form) => text.includes(form));
    return found === undefined
      ? []
      : [`${place}: ...${text.slice(Math.max(0, text.indexOf(found) - 80), text.indexOf(found) + found.length)}`];
  });
}

/** Every file below a folder, with its name in the text; `except` are left out. */
export function filesBelow(folder: string, except: readonly string[] = []): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    if (except.includes(path)) return;
    const stats = lstatSync(path);
    if (stats.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
    else if (stats.isSymbolicLink()) found[path] = `${path}\n${readlinkSync(path)}`;
    else if (stats.isFile()) found[path] = `${path}\n${readFileSync(path, 'latin1')}\n${readFileSync(path, 'utf8')}`;
  };
  if (existsSync(folder)) walk(folder);
  return found;
}
