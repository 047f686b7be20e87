/** Lets real time pass: what another process does meanwhile cannot be moved by a clock of ours. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const POLL_MS = 50;

/** Asks again and again until the answer is yes; false when it was not within the time. */
export async function eventually(
  ask: () => Promise<boolean>,
  withinMs: number,
  pollMs: number = POLL_MS,
): Promise<boolean> {
  const untilMs = performance.now() + withinMs;
  while (!(await ask())) {
    if (performance.now() >= untilMs) return false;
    await pause(pollMs);
  }
  return true;
}

/** Asks again and again until the answer is yes; false when what is counted has stood still for so long. */
export async function beforeStandstill(
  ask: () => Promise<boolean>,
  count: () => number,
  stillMs: number,
): Promise<boolean> {
  for (let before = -1; before !== count(); ) {
    before = count();
    if (await eventually(ask, stillMs)) return true;
  }
  return false;
}
