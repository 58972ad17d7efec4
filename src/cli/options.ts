import type { Options } from './command.ts';

/** A flag with a value, as given; undefined where it was not. */
export function text(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** A flag that takes no value. */
export function isSet(options: Options, name: string): boolean {
  return options[name] === true;
}

/** A flag with a value that commander has already turned into a number. */
export function number(options: Options, name: string): number | undefined {
  const value = options[name];
  return typeof value === 'number' ? value : undefined;
}

/** A flag that may be given several times. */
export function list(options: Options, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
