import { readdirSync, readFileSync } from 'node:fs';
import type { BenchServer } from './bench-server.ts';

/** Deadline of the effects of a measurement's bookings. */
export const STUCK_MS = 120_000;

/** Processor time of a thread for each unit of work, in µs. */
export type ThreadUse = { readonly name: string; readonly cpuUs: number };

/** By thread, in ms. */
type ThreadCpu = ReadonlyMap<string, ThreadTime>;
type ThreadTime = { readonly name: string; readonly ms: number };

/** Resolves when every projection has caught up. */
export async function caughtUp({ port, adminToken }: BenchServer, signal: AbortSignal): Promise<void> {
  for (;;) {
    const headers = { authorization: `Bearer ${adminToken}` };
    const answer = await fetch(`http://127.0.0.1:${port}/api/ops/projections`, { headers, signal });
    // The service's answer.
    const { data } = (await answer.json()) as { data: { items: readonly { caught_up: boolean }[] } };
    if (data.items.every((projection) => projection.caught_up)) return;
  }
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

/** Processor time since `before`, divided by `count`, of each thread with at least 1 µs; the busiest first. */
export function cpuSince(before: ThreadCpu, pid: number, count: number): readonly ThreadUse[] {
  return [...threadCpu(pid)]
    .map(([thread, { name, ms }]) => ({ name, cpuUs: ((ms - (before.get(thread)?.ms ?? 0)) * 1_000) / count }))
    .filter(({ cpuUs }) => cpuUs >= 1)
    .sort((left, right) => right.cpuUs - left.cpuUs)
    .map(({ name, cpuUs }) => ({ name, cpuUs: Math.round(cpuUs) }));
}

/** Processor time of each thread; empty without `/proc`. */
export function threadCpu(pid: number): ThreadCpu {
  const threads = new Map<string, ThreadTime>();
  for (const thread of listOf(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = thread === String(pid) ? 'main thread' : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    threads.set(thread, { name, ms: (Number(fields[11]) + Number(fields[12])) * 10 });
  }
  return threads;
}

function listOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
