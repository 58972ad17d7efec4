/** A promise that a test settles itself. */
export interface Signal {
  readonly reached: Promise<void>;
  fire(): void;
}

export function newSignal(): Signal {
  let fire: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { reached, fire: () => fire() };
}
