/** Exactly one JSON document in which no object has a key twice, as parsers differ in which one counts; undefined: none. */
export function oneDocument(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasTwin(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether an object of a text that is JSON has a key twice. */
function hasTwin(text: string): boolean {
  const open: (Set<string> | null)[] = [];
  let last = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      last = text.slice(at, end + 1);
      at = end;
    } else if (char === '{') open.push(new Set());
    else if (char === '[') open.push(null);
    else if (char === '}' || char === ']') open.pop();
    else if (char === ':' && isTwin(open.at(-1) ?? null, last)) return true;
  }
  return false;
}

function isTwin(keys: Set<string> | null, written: string): boolean {
  const key = written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1);
  if (keys?.has(key) === true) return true;
  keys?.add(key);
  return false;
}

/** Where the closing quote of a string stands. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
