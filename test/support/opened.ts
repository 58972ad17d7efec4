const opened: { close(): void | Promise<void> }[] = [];

/** Closes it after the test file: files may share a process, and what they leave open would pile up. */
export function closeAfterwards<T extends { close(): void | Promise<void> }>(it: T): T {
  opened.push(it);
  return it;
}

export async function closeOpened(): Promise<void> {
  await Promise.all(opened.splice(0).map((it) => it.close()));
}
