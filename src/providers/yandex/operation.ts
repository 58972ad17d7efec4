import * as z from 'zod/mini';

const ID = /^[a-z0-9]{20}$/;
/** In an error: the one place where it names the operation that failed. */
const IN_ERROR = /\boperation \(id=([a-z0-9]{20})\)/;

/** An answer that is an operation in place of its result: the request was taken, and goes on by itself. */
const operationSchema = z.object({
  id: z.string().check(z.regex(ID)),
  metadata: z.object({ '@type': z.string().check(z.regex(/^type\.googleapis\.com\/yandex\.cloud\./)) }),
});

export function isOperationId(text: string): boolean {
  return ID.test(text);
}

/** The operation that an error named; null where it names none. */
export function operationInError(text: string): string | null {
  return IN_ERROR.exec(text)?.[1] ?? null;
}

/** The id of an answer that is an operation; null where it is anything else. */
export function operationInAnswer(document: unknown): string | null {
  const parsed = operationSchema.safeParse(document);
  return parsed.success ? parsed.data.id : null;
}
