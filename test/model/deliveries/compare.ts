import type { Arrival } from './failing-receiver.ts';

/** A delivery as the log shows it. */
export type Logged = {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: readonly { readonly response_code: number | null }[];
};

export type Agreement = {
  /** Differences between log and receiver, and violations. */
  readonly faults: readonly string[];
  readonly succeeded: number;
  readonly failed: number;
  /** Number of repeated attempts, by the kill between them. */
  readonly repeated: readonly number[];
};

const ATTEMPTS = 6;

/**
 * Compares the delivery log with the received requests. The log has every recorded attempt, in order; any other request
 * must have been repeated because a kill prevented its record.
 *
 * @param underWay maximum number of pending attempts at a kill
 */
export function compare(
  log: readonly Logged[],
  arrivals: ReadonlyMap<string, readonly Arrival[]>,
  { kills, underWay }: { readonly kills: number; readonly underWay: number },
): Agreement {
  const faults: string[] = [];
  const repeated = Array.from({ length: kills }, () => 0);
  const logged = new Set(log.map(({ delivery_id }) => delivery_id));
  for (const delivery of arrivals.keys()) if (!logged.has(delivery)) faults.push(`${delivery} is not in the log`);
  if (logged.size !== log.length) faults.push('the log shows a delivery twice');
  for (const { delivery_id: delivery, event_id, status, attempts } of log) {
    const came = arrivals.get(delivery) ?? [];
    if (came.length === 0) faults.push(`${delivery} never arrived`);
    if (came.some(({ event }) => event !== event_id)) faults.push(`${delivery} came with the id of another event`);
    const codes = attempts.map(({ response_code }) => response_code);
    const extra = unrecorded(came, codes);
    if (extra === null)
      faults.push(`${delivery} was answered ${came.map(({ code }) => code).join()}, and the log has ${codes.join()}`);
    for (const { life } of extra ?? []) repeated[life] = (repeated[life] ?? 0) + 1;
    const ends = codes.at(-1) === 200 ? 'success' : codes.length === ATTEMPTS ? 'failed' : 'none';
    if (status !== ends || codes.slice(0, -1).includes(200))
      faults.push(`${delivery} is ${status} after ${codes.join()}`);
  }
  for (const [life, count] of repeated.entries())
    if (count > underWay) faults.push(`${count} deliveries were repeated after kill ${life}, of ${underWay} at most`);
  const succeeded = log.filter(({ status }) => status === 'success').length;
  return { faults, succeeded, failed: log.length - succeeded, repeated };
}

/**
 * The received requests that are not in the log; null if that is impossible. Each attempt of a delivery is recorded before
 * the next, so only the last one before a kill can be unrecorded, and it is repeated after the kill.
 */
function unrecorded(came: readonly Arrival[], codes: readonly (number | null)[]): readonly Arrival[] | null {
  const lastOfLives = came.flatMap(({ life }, at) => (life < (came[at + 1]?.life ?? life) ? [at] : []));
  for (const left of subsets(lastOfLives)) {
    const rest = came.filter((_, at) => !left.includes(at)).map(({ code }) => code);
    if (rest.length === codes.length && rest.every((code, at) => code === codes[at]))
      return left.flatMap((at) => came[at] ?? []);
  }
  return null;
}

function subsets(of: readonly number[]): readonly (readonly number[])[] {
  const [first, ...rest] = of;
  if (first === undefined) return [[]];
  return subsets(rest).flatMap((subset) => [subset, [first, ...subset]]);
}
