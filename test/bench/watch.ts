import { readdirSync, readFileSync } from 'node:fs';
import { pause } from '../chaos/kill/real-time.ts';
import type { BenchServer } from './bench-server.ts';
import type { Counters } from './counters.ts';

/** Deadline of the effects of a measurement's bookings. */
export const STUCK_MS = 120_000;
/** Between two looks at the projections, each of which costs the service several calls on shared engines. */
const LOOK_MS = 100;

/** Figures by name, which ends with the unit. */
export type Figures = Readonly<Record<string, number>>;

/** By thread, in ms. */
type ThreadCpu = ReadonlyMap<string, ThreadTime>;
type ThreadTime = { readonly name: string; readonly ms: number };

/** Resolves when every projection has caught up, with the number of looks at them. */
export async function caughtUp(server: BenchServer, signal: AbortSignal): Promise<number> {
  for (let looks = 1; ; looks++) {
    if (await lookAtProjections(server, signal)) return looks;
    await pause(LOOK_MS);
  }
}

/** Whether every projection has caught up. */
export async function lookAtProjections({ port, adminToken }: BenchServer, signal: AbortSignal): Promise<boolean> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const answer = await fetch(`http://127.0.0.1:${port}/api/ops/projections`, { headers, signal });
  if (answer.status === 503) return false;
  if (!answer.ok) throw new Error(`the projections cannot be listed: ${answer.status} ${await answer.text()}`);
  // The service's answer.
  const { data } = (await answer.json()) as { data: { items: readonly { caught_up: boolean }[] } };
  return data.items.every((projection) => projection.caught_up);
}

/** Creates a key of the plan with the highest limits for each receiver. */
export async function createKeys(
  { port, adminToken }: BenchServer,
  webhookUrls: readonly string[],
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const webhook_url of webhookUrls) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Bench', plan: 'enterprise', webhook_url }),
    });
    // The service's answer.
    const { data } = (await answer.json()) as { data: { key: string } };
    if (answer.status >= 300) throw new Error(`the key was refused: ${answer.status} ${JSON.stringify(data)}`);
    keys.push(data.key);
  }
  return keys;
}

/** CPU time and calls between two moments, divided by `count`. */
export function useBetween(before: Counters, after: Counters, count: number): Figures {
  const calls = Object.entries(after.calls)
    .map(([kind, made]) => [kind, (made - (before.calls[kind] ?? 0)) / count] as const)
    .filter(([, made]) => made > 0)
    .toSorted(([left], [right]) => left.localeCompare(right));
  return { 'CPU ms': (after.cpuMs - before.cpuMs) / count, ...Object.fromEntries(calls) };
}

/**
 * CPU time in µs since `before`, divided by `count`, by name of thread, with the workers in the order of their start.
 * Less than 1 µs is left out.
 */
export function cpuSince(before: ThreadCpu, pid: number, count: number): Figures {
  const used: Record<string, number> = {};
  let workers = 0;
  for (const [thread, { name, ms }] of threadCpu(pid)) {
    const title = `CPU us, ${name === 'Worker' ? `worker ${++workers}` : name}`;
    used[title] = (used[title] ?? 0) + ((ms - (before.get(thread)?.ms ?? 0)) * 1_000) / count;
  }
  return Object.fromEntries(
    Object.entries(used)
      .filter(([, us]) => us >= 1)
      .sort(([, left], [, right]) => right - left),
  );
}

/** Processor time of each thread; empty without `/proc`. */
export function threadCpu(pid: number): ThreadCpu {
  const threads = new Map<string, ThreadTime>();
  for (const thread of listOf(`/proc/${pid}/task`).toSorted((left, right) => Number(left) - Number(right))) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = thread === String(pid) ? 'main thread' : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    threads.set(thread, { name, ms: (Number(fields[11]) + Number(fields[12])) * 10 });
  }
  return threads;
}

/** The names in a directory; empty if it does not exist. */
export function listOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
