import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { groundTruthProjection } from '../../../projections/groundtruth/projection.ts';
import { EVERYBODY, type GroundTruthDocument, SUMS, sumOf } from '../../../projections/groundtruth/read-model.ts';
import { TRAVEL_TYPES } from '../../../src/domain/activity/vocabulary.ts';
import type { EvidenceEvent, VisitEvidence } from '../../../src/domain/learning/evidence.ts';
import { fadeAt, type Span } from '../../../src/domain/learning/fading.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { activityId, bookingId, keyId } from '../../support/examples.ts';
import { answerShowing, aVisitEvidence, credited, foldedEvidence, withdrawn } from '../../support/folded-evidence.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const OCEAN = activityId('bkk-ocean-world');
const ROOFTOP = 'bkk-rooftop';
const NOW = aVisitEvidence().verifiedAtMs;
const FADE = fadeAt(NOW);

/** By a couple, after an answer with the rooftop first and the aquarium second. */
const CHOSEN = aVisitEvidence({ travelType: 'couple', answer: answerShowing([ROOFTOP, OCEAN]) });
const WALK_IN = aVisitEvidence();

function after(...events: readonly EvidenceEvent[]): ReadonlyMap<string, GroundTruthDocument> {
  const { documents, apply } = foldedEvidence();
  for (const event of events) apply(event);
  return documents;
}

/** Visits and expected visits, faded to `NOW`. */
function sums(
  doc: GroundTruthDocument | undefined,
  sum: number,
  span: Span = 'recent',
): readonly [visited: number, expected: number] {
  const faded = (list: readonly number[] = []): number => Number(((list[sum] ?? 0) * FADE[span]).toFixed(6));
  return [faded(doc?.[span].visited), faded(doc?.[span].expected)];
}

describe('the ground truth of an activity', () => {
  test('counts a visit for its traveller and for everybody, and expects it of every shown activity by its place', () => {
    const documents = after(credited(CHOSEN));
    const [first, second] = [0.619, 0.381];
    for (const sum of [EVERYBODY, sumOf('couple')]) {
      expect(sums(documents.get(OCEAN), sum)).toEqual([1, second]);
      expect(sums(documents.get(ROOFTOP), sum)).toEqual([0, first]);
    }
    expect(sums(documents.get(OCEAN), sumOf('solo'))).toEqual([0, 0]);
    expect([...documents.keys()].sort()).toEqual([OCEAN, ROOFTOP]);
  });

  test.each<[string, Partial<VisitEvidence>]>([
    ['without a recommendation', {}],
    ['of which only the traveller is known', { travelType: 'couple' }],
    ['that its answer did not show', { travelType: 'couple', answer: answerShowing([ROOFTOP]) }],
  ])('counts a visit %s for everybody only, with a quarter of an expected visit', (_name, change) => {
    const documents = after(credited({ ...WALK_IN, ...change }));
    expect(sums(documents.get(OCEAN), EVERYBODY)).toEqual([1, 0.25]);
    expect(sums(documents.get(OCEAN), sumOf('couple'))).toEqual([0, 0]);
    expect(documents.has(ROOFTOP)).toBe(false);
  });

  test.each([
    ['recent', 14],
    ['lasting', 180],
  ] as const)('halves its %s sums in %d days', (span, days) => {
    const early = { ...CHOSEN, verifiedAtMs: NOW - days * DAY_MS };
    expect(sums(after(credited(early)).get(OCEAN), EVERYBODY, span)).toEqual([0.5, 0.1905]);
  });

  test('ignores visits that were passed over', () => {
    const visit = { bookingId: bookingId('bk_1'), activityId: OCEAN, deviceId: null, verifiedAtMs: NOW };
    const data = { ...visit, why: 'disputed', at: '' } as const;
    const passedOver = recorder()<EvidenceEvent>('evidence-a', { type: 'VisitPassedOver', data });
    expect(groundTruthProjection.idsOf(passedOver)).toEqual([]);
  });

  test('is exactly as before after a withdrawn visit', () => {
    const log = recorder();
    const another = { ...WALK_IN, keyId: keyId('key-2'), verifiedAtMs: NOW - DAY_MS };
    const before = after(credited(another)).get(OCEAN) ?? null;
    givenEvents(groundTruthProjection, log('evidence-a', credited(CHOSEN)), log('evidence-a', withdrawn(CHOSEN)))
      .thenDocument(OCEAN, null)
      .thenDocument(ROOFTOP, null);
    givenEvents(
      groundTruthProjection,
      log('evidence-b', credited(another)),
      log('evidence-a', credited(WALK_IN)),
      log('evidence-a', withdrawn(WALK_IN)),
    ).thenDocument(OCEAN, before && { ...before, latestMs: NOW });
  });

  test('is the same in every order of the visits', () => {
    const visit = fc.record({
      key: fc.nat(30),
      days: fc.nat(100),
      travelType: fc.constantFrom(...TRAVEL_TYPES),
      shown: fc.boolean(),
    });
    const evidence = ({ key, days, travelType, shown }: Visit): VisitEvidence => ({
      ...(shown ? CHOSEN : WALK_IN),
      keyId: keyId(`key-${key}`),
      verifiedAtMs: NOW - days * DAY_MS,
      travelType,
    });
    type Visit = { key: number; days: number; travelType: (typeof TRAVEL_TYPES)[number]; shown: boolean };
    fc.assert(
      fc.property(fc.array(visit, { maxLength: 60 }), (visits) => {
        const events = visits.map((each) => credited(evidence(each)));
        const [one, other] = [events, events.toReversed()].map((each) => after(...each).get(OCEAN));
        for (let sum = 0; sum < SUMS; sum++) {
          const [visited, expected] = sums(one, sum);
          const [visitedToo, expectedToo] = sums(other, sum);
          expect(visited).toBeCloseTo(visitedToo, 5);
          expect(expected).toBeCloseTo(expectedToo, 5);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('is the same to the last bit, in one batch or event by event', () => {
    const log = recorder();
    const events = Array.from({ length: 40 }, (_, index) => {
      const visit = { keyId: keyId(`key-${39 - index}`), verifiedAtMs: NOW - index * 7_777_777 };
      return log('evidence-a', credited({ ...CHOSEN, ...visit }));
    });
    let doc: GroundTruthDocument | null = null;
    for (const event of events) {
      const read: GroundTruthDocument | null = doc === null ? null : JSON.parse(JSON.stringify(doc));
      doc = groundTruthProjection.evolve(read, event, OCEAN, String);
    }
    expect(JSON.stringify(groundTruthProjection.evolveAll?.(null, events, OCEAN))).toBe(JSON.stringify(doc));
  });

  test('has a bounded size, whatever the number of keys', () => {
    const events = Array.from({ length: 1_000 }, (_, index) =>
      credited({
        ...CHOSEN,
        keyId: keyId(`key-${index}`),
        verifiedAtMs: NOW - index * 7_777_777,
        travelType: TRAVEL_TYPES[index % TRAVEL_TYPES.length] ?? 'solo',
      }),
    );
    const doc = after(...events).get(OCEAN);
    expect(Object.keys(doc?.keys ?? {})).toHaveLength(8);
    expect(JSON.stringify(doc).length).toBeLessThan(5_000);
  });
});

describe('the share of a key', () => {
  const visitsOf = (key: string, count: number): EvidenceEvent[] =>
    Array.from({ length: count }, () => credited({ ...WALK_IN, keyId: keyId(key) }));

  test('counts fully up to forty, visits and expected visits together', () => {
    expect(sums(after(...visitsOf('key-1', 32)).get(OCEAN), EVERYBODY)).toEqual([32, 8]);
    expect(sums(after(...visitsOf('key-1', 1_000)).get(OCEAN), EVERYBODY)).toEqual([32, 8]);
  });

  test('counts at most as much as all others together', () => {
    const others = Array.from({ length: 7 }, (_, key) => visitsOf(`key-${key + 2}`, 16)).flat();
    const all = after(...others, ...visitsOf('key-1', 1_000)).get(OCEAN);
    expect(sums(all, EVERYBODY)).toEqual([112 + 112, 28 + 28]);
  });
});
