import { describe, expect, test } from 'bun:test';
import { collectSamples } from '../../../../src/application/ops/collect-samples.ts';
import { type BookingEvent, bookingCodec } from '../../../../src/domain/booking/events.ts';
import type { LogId } from '../../../../src/domain/ids.ts';
import { type RecommendationEvent, recommendationCodec } from '../../../../src/domain/recommendation/recommendation.ts';
import type { EventStore, LogBatch } from '../../../../src/ports/event-store.ts';
import { visited, visitIn, voided } from '../../../support/booking-life.ts';
import { activityId } from '../../../support/examples.ts';
import { recorder } from '../../../support/recorded.ts';
import { logged, PRESENT } from '../../recommend/evaluation/scene.ts';

const SPA = activityId('spa');
const ATTRIBUTION = { logId: 'rec_1' as LogId, rank: 1, segment: null };
const ANSWERED: RecommendationEvent = { type: 'RecommendationServed', data: logged([['spa', 500, 500]]) };
const VISITED = visited({}, { activityId: SPA, attribution: ATTRIBUTION });

/** The visited activities of one answer, from a log of these events. */
async function visitsAfter(...events: readonly BookingEvent[]): Promise<number> {
  const record = recorder();
  const answered = record('recommendation-rec_1', ANSWERED);
  const stored = [
    { ...answered, ...recommendationCodec.encode(ANSWERED) },
    ...events.map((event) => ({ ...record('booking-bk_1', event), ...bookingCodec.encode(event) })),
  ];
  const upTo = stored.at(-1)?.position ?? answered.position;
  const store: Pick<EventStore, 'head' | 'subscribe'> = {
    head: async () => upTo,
    async *subscribe({ categories }): AsyncGenerator<LogBatch> {
      // Without those of test bookings.
      expect(categories).toEqual(['recommendation', 'booking']);
      yield { events: stored, upTo, caughtUp: true };
    },
  };
  const reading = { maxAnswers: 10, store, signal: new AbortController().signal, report: () => {} };
  const samples = await collectSamples(PRESENT, { from: null, to: null, city: null }, reading);
  return samples?.visitsOf(0).length ?? -1;
}

describe('a visit that the answer led to', () => {
  test('counts once', async () => {
    expect(await visitsAfter()).toBe(0);
    expect(await visitsAfter(VISITED)).toBe(1);
    expect(await visitsAfter(VISITED, VISITED)).toBe(1);
  });

  test('does not count if it is disputed, and its void takes nothing', async () => {
    const disputed = visited({}, { activityId: SPA, attribution: ATTRIBUTION, disputed: true });
    expect(await visitsAfter(disputed)).toBe(0);
    expect(await visitsAfter(VISITED, disputed, voided(visitIn(disputed)))).toBe(1);
  });

  test('does not count once it is voided', async () => {
    expect(await visitsAfter(VISITED, voided(visitIn(VISITED)))).toBe(0);
  });

  test('needs the log id', async () => {
    expect(await visitsAfter(visited({}, { activityId: SPA, attribution: null }))).toBe(0);
  });
});
