/** Waits in real time, because other processes do not use the test's clock. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const POLL_MS = 50;

/** Polls until the condition holds; false at the timeout. */
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

/** Polls until the condition holds; false once the count has not changed for this time. */
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
