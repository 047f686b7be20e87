import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { pause } from '../chaos/kill/real-time.ts';
import type { BenchServer, Measurement } from './bench-server.ts';
import { pace, quantilesOf } from './load.ts';
import { caughtUp, type Figures, listOf, STUCK_MS } from './watch.ts';

const OUTBOX_LOOK_MS = 100;
/** Reads per second that wait for a read model. Each costs the service calls of its own. */
const SAMPLES_PER_SECOND = 20;
const LATENCY_S = 10;

/**
 * From the answer to a booking to the answer of a read that waits for the booking's position, and to its mail in the
 * outbox, in ms. The reads ask for the inventory of one activity.
 */
export async function latenciesAt(perSecond: number, server: BenchServer, options: Measurement): Promise<Figures> {
  const { port, key, outbox } = server;
  const { signal } = options;
  const date = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
  const read = async (position: Readonly<Record<string, string>>): Promise<void> => {
    const headers = { 'x-api-key': key, ...position };
    const url = `http://127.0.0.1:${port}/api/b2a/inventory?activity_id=bench-activity-0&date=${date}`;
    const answer = await fetch(url, { headers, signal });
    if (!answer.ok) throw new Error(`refused ${answer.status} ${await answer.text()}`);
    await answer.text();
  };
  const readModelMs: number[] = [];
  const answeredMs = new Map<string, number>();
  const mailedBefore = mailsIn(outbox).length;
  let sampledMs = 0;
  await pace({
    port,
    perSecond,
    requests: Math.ceil(perSecond * LATENCY_S),
    next: options.next(key),
    signal,
    async answered(answer, text) {
      const nowMs = clockMs();
      // The service's answer.
      const { data } = JSON.parse(text) as { data: { booking_id: string } };
      answeredMs.set(data.booking_id, nowMs);
      if (nowMs - sampledMs < 1_000 / SAMPLES_PER_SECOND) return;
      sampledMs = nowMs;
      await read({ 'x-position': answer.headers.get('x-position') ?? '' });
      readModelMs.push(clockMs() - nowMs);
    },
  });
  const stuck = AbortSignal.any([signal, AbortSignal.timeout(STUCK_MS)]);
  await mailed(server, mailedBefore + answeredMs.size, stuck);
  await caughtUp(server, stuck);
  const readMs: number[] = [];
  for (let reads = 0; reads < SAMPLES_PER_SECOND; reads++) {
    const startedMs = clockMs();
    await read({});
    readMs.push(clockMs() - startedMs);
  }
  const mailMs = mailsIn(outbox).flatMap((name) => {
    // The Message-ID begins with the booking.
    const startMs = answeredMs.get(name.slice(0, name.indexOf('.')));
    return startMs === undefined ? [] : [statSync(join(outbox, name)).ctimeMs - startMs];
  });
  const [readModel, plain, mail] = [quantilesOf(readModelMs), quantilesOf(readMs), quantilesOf(mailMs)];
  return {
    'latencies at bookings per s': perSecond,
    'event to read model: p50 ms': readModel.p50,
    'event to read model: p99 ms': readModel.p99,
    'of which the read alone: p50 ms': plain.p50,
    'event to mail: p50 ms': mail.p50,
    'event to mail: p99 ms': mail.p99,
    'mails measured': mail.count,
  };
}

/** Resolves when the outbox has the mails of so many bookings. */
export async function mailed({ outbox }: BenchServer, bookings: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const mails = mailsIn(outbox).length;
    if (mails >= bookings) return;
    if (signal.aborted) throw new Error(`${bookings - mails} of ${bookings} mails are missing`);
    await pause(OUTBOX_LOOK_MS);
  }
}

function mailsIn(outbox: string): readonly string[] {
  return listOf(outbox).filter((name) => name.endsWith('.eml'));
}

/** The clock of files, more exact than `Date.now()`. */
function clockMs(): number {
  return performance.timeOrigin + performance.now();
}
