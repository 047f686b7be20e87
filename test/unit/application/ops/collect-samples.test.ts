import { describe, expect, test } from 'bun:test';
import { collectSamples } from '../../../../src/application/ops/collect-samples.ts';
import type { LogId } from '../../../../src/domain/ids.ts';
import { type EvidenceEvent, evidenceCodec } from '../../../../src/domain/learning/evidence.ts';
import { type RecommendationEvent, recommendationCodec } from '../../../../src/domain/recommendation/recommendation.ts';
import type { EventStore, LogBatch } from '../../../../src/ports/event-store.ts';
import { activityId, bookingId } from '../../../support/examples.ts';
import { aVisitEvidence, credited, withdrawn } from '../../../support/folded-evidence.ts';
import { recorder } from '../../../support/recorded.ts';
import { logged, PRESENT } from '../../recommend/evaluation/scene.ts';

const SPA = activityId('spa');
const ANSWER = { logId: 'rec_1' as LogId, ids: [SPA], expected: [10_000], places: 'places-1' };
const ANSWERED: RecommendationEvent = { type: 'RecommendationServed', data: logged([['spa', 500, 500]]) };
const VISIT = aVisitEvidence({ activityId: SPA, travelType: 'couple', answer: ANSWER });

/** The visited activities of one answer, from a log of these events. */
async function visitsAfter(...events: readonly EvidenceEvent[]): Promise<number> {
  const record = recorder();
  const answered = record('recommendation-rec_1', ANSWERED);
  const stored = [
    { ...answered, ...recommendationCodec.encode(ANSWERED) },
    ...events.map((event) => ({ ...record('evidence-rec_1', event), ...evidenceCodec.encode(event) })),
  ];
  const upTo = stored.at(-1)?.position ?? answered.position;
  const store: Pick<EventStore, 'head' | 'subscribe'> = {
    head: async () => upTo,
    async *subscribe({ categories }): AsyncGenerator<LogBatch> {
      expect(categories).toEqual(['recommendation', 'evidence']);
      yield { events: stored, upTo, caughtUp: true };
    },
  };
  const reading = { maxAnswers: 10, store, signal: new AbortController().signal, report: () => {} };
  const samples = await collectSamples(PRESENT, { from: null, to: null, city: null }, reading);
  return samples?.visitsOf(0).length ?? -1;
}

describe('a visit that the answer led to', () => {
  test('counts once it is credited', async () => {
    expect(await visitsAfter()).toBe(0);
    expect(await visitsAfter(credited(VISIT))).toBe(1);
  });

  test('does not count if it was passed over', async () => {
    const visit = { bookingId: bookingId('bk_1'), activityId: SPA, deviceId: null, verifiedAtMs: 0 };
    expect(await visitsAfter({ type: 'VisitPassedOver', data: { ...visit, why: 'disputed', at: '' } })).toBe(0);
  });

  test('does not count once it is withdrawn, and counts if another one takes its place', async () => {
    expect(await visitsAfter(credited(VISIT), withdrawn(VISIT))).toBe(0);
    expect(
      await visitsAfter(credited(VISIT), withdrawn(VISIT), credited({ ...VISIT, bookingId: bookingId('bk_2') })),
    ).toBe(1);
  });

  test('needs an answer', async () => {
    expect(await visitsAfter(credited({ ...VISIT, answer: null }))).toBe(0);
  });
});
