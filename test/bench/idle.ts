import { pause } from '../chaos/kill/real-time.ts';
import type { Measurement } from './bench-server.ts';
import { caughtUp, cpuSince, type Figures, threadCpu, useBetween } from './watch.ts';

/** Until what follows the start and the look at the projections has ended. */
const QUIET_MS = 5_000;
const MINUTE_S = 60;

/** What a node without requests uses in a minute. */
export async function measureIdle({ install, progress, signal }: Measurement): Promise<Figures> {
  await using installation = await install();
  await using server = await installation.start();
  await caughtUp(server, signal);
  await pause(QUIET_MS);
  const threads = threadCpu(server.pid);
  const before = await server.counters();
  progress('a minute without requests');
  for (let second = 0; second < MINUTE_S; second++) {
    await pause(1_000);
    signal.throwIfAborted();
  }
  const after = await server.counters();
  const { 'CPU ms': cpuMs = 0, ...calls } = useBetween(before, after, 1);
  return {
    'CPU, % of a core': cpuMs / (MINUTE_S * 10),
    'memory MB': after.memoryMb,
    subscriptions: after.subscriptions,
    ...calls,
    ...cpuSince(threads, server.pid, 1),
  };
}
