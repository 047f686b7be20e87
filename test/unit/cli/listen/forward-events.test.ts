import { expect, test } from 'bun:test';
import { forwardEvents } from '../../../../src/cli/listen/forward-events.ts';
import type { RestOutcome } from '../../../../src/mcp/rest.ts';
import type { Exchange } from '../../../../src/ports/sender.ts';
import { movedClock } from '../../../support/clock.ts';

const OK: Exchange = { kind: 'answered', status: 200, retryAfter: null, timeMs: 3 };
const WAITING = 'waiting for events; Ctrl-C ends';

function page(ids: readonly string[], next: string | null = null): RestOutcome {
  const items = ids.map((id) => ({ id, event: 'booking_confirmed', sequence: 1 }));
  return { kind: 'data', replayed: false, data: { items, next_cursor: next } };
}

function refusal(code: string, retryable: boolean, retryAfterSeconds: number | null = null): RestOutcome {
  const failure = { code, error: 'No.', details: '', resolution: '', retryable, alternatives: [], retryAfterSeconds };
  return { kind: 'failure', failure };
}

/** Answers the reads of the feed in turn, and stops the forwarding at the read after the last. */
async function forwarded(outcomes: readonly RestOutcome[], change: object = {}) {
  const clock = movedClock();
  const stop = new AbortController();
  const reads: string[] = [];
  const pausesMs: number[] = [];
  const bodies: unknown[] = [];
  const lines: string[] = [];
  const ended = await forwardEvents({
    from: 'beginning',
    signal: stop.signal,
    clock: {
      nowMs: () => clock.nowMs(),
      async until(atMs) {
        pausesMs.push(atMs - clock.nowMs());
        clock.set(atMs);
      },
    },
    async feed({ path }) {
      reads.push(path.replace('/api/b2a/events?limit=100', ''));
      const outcome = outcomes[reads.length - 1];
      if (outcome !== undefined) return outcome;
      stop.abort();
      return { kind: 'no-answer', reason: 'stopped' };
    },
    async forward(event) {
      bodies.push(event);
      return OK;
    },
    report: (line) => void lines.push(line),
    ...change,
  });
  return { ended, reads, pausesMs, bodies, lines };
}

test('from the beginning, each event is forwarded once, whole and in order, page after page', async () => {
  const { ended, reads, bodies, lines } = await forwarded([
    page(['evt_1', 'evt_2'], 'evt_2'),
    page(['evt_3']),
    page([]),
  ]);
  expect(ended).toEqual({ kind: 'stopped' });
  expect(reads).toEqual(['', '&after=evt_2', '&after=evt_3', '&after=evt_3']);
  expect(bodies).toEqual(['evt_1', 'evt_2', 'evt_3'].map((id) => ({ id, event: 'booking_confirmed', sequence: 1 })));
  expect(lines).toEqual([
    '2026-11-21T03:00:00.000Z booking_confirmed evt_1 status 200 (3 ms)',
    '2026-11-21T03:00:00.000Z booking_confirmed evt_2 status 200 (3 ms)',
    '2026-11-21T03:00:00.000Z booking_confirmed evt_3 status 200 (3 ms)',
    WAITING,
  ]);
});

test('from now, events that were there before are not forwarded', async () => {
  const outcomes = [page(['evt_1'], 'evt_1'), page(['evt_2']), page(['evt_3'])];
  const { bodies } = await forwarded(outcomes, { from: 'now' });
  expect(bodies).toEqual([{ id: 'evt_3', event: 'booking_confirmed', sequence: 1 }]);
});

test('the pause doubles while there are no events, and is short again after one', async () => {
  const { pausesMs } = await forwarded([...Array.from({ length: 5 }, () => page([])), page(['evt_1']), page([])]);
  expect(pausesMs).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 1_000, 2_000]);
});

test('an event that the receiver does not accept is reported, and the next one is forwarded', async () => {
  const answers: Exchange[] = [
    { kind: 'failed', error: 'connection refused', timeMs: 1 },
    { kind: 'answered', status: 500, retryAfter: null, timeMs: 2 },
    OK,
  ];
  const { lines } = await forwarded([page(['evt_1', 'evt_2', 'evt_3'])], { forward: async () => answers.shift() });
  expect(lines.map((line) => line.split(' ').slice(2).join(' ')).slice(0, 3)).toEqual([
    'evt_1 failed: connection refused (1 ms)',
    'evt_2 status 500 (2 ms)',
    'evt_3 status 200 (3 ms)',
  ]);
});

test('a service that does not answer is asked again, and reported once', async () => {
  const away: RestOutcome = { kind: 'no-answer', reason: 'connection refused' };
  const { lines, bodies } = await forwarded([away, away, page(['evt_1'])]);
  expect(lines[0]).toBe('the service does not answer (connection refused); trying again');
  expect([lines.length, bodies.length]).toEqual([3, 1]);
});

test('a limit of the key is waited for as Retry-After says', async () => {
  const { pausesMs, bodies } = await forwarded([refusal('RATE_LIMITED', true, 23), page(['evt_1'])]);
  expect([pausesMs[0], bodies.length]).toEqual([23_000, 1]);
});

test.each<[string, RestOutcome, string]>([
  ['a refused key', refusal('INVALID_API_KEY', false), 'the service refuses: INVALID_API_KEY: No.'],
  ['another service', { kind: 'not-waymark', status: 404 }, 'the URL is not that of a Waymark service'],
  ['another kind of data', { kind: 'data', replayed: false, data: {} }, 'the URL is not that of a Waymark service'],
])('%s ends it', async (_what, outcome, reason) => {
  const { ended, reads } = await forwarded([outcome]);
  expect(ended).toEqual({ kind: 'refused', reason: expect.stringContaining(reason) });
  expect(reads).toHaveLength(1);
});
