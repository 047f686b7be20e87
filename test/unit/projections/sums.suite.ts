import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { conversionsProjection } from '../../../projections/conversions/projection.ts';
import { CONVERSION_COUNTS, sumConversions } from '../../../projections/conversions/query.ts';
import type { Group, Row, Sums } from '../../../projections/grouping.ts';
import { REPORT_COLUMNS, type ReportColumn, type ReportQuery } from '../../../projections/report.ts';
import { visitsProjection } from '../../../projections/visits/projection.ts';
import { sumVisits, VISIT_COLUMNS, VISIT_COUNTS, type VisitColumn } from '../../../projections/visits/query.ts';
import type { ActivityId } from '../../../src/domain/activity/activity.ts';
import { localDate } from '../../../src/domain/activity/schedule.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { KeyId, LogId } from '../../../src/domain/ids.ts';
import { BUDGETS } from '../../../src/domain/recommendation/profile.ts';
import type { RecommendationEvent } from '../../../src/domain/recommendation/recommendation.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { foldBatch } from '../../../src/runtime/apply-events.ts';
import { answerWith } from '../../support/conversions.ts';
import { activityId, aVisit, confirmation, date, keyId, venueId } from '../../support/examples.ts';
import { experimentId } from '../../support/experiments.ts';
import { recorder } from '../../support/recorded.ts';

/** Printed in the names of the property tests; `SEED=… bun test` reproduces a run. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Activities with their city and category. The last one's category is unknown. */
const ACTIVITIES = {
  'ocean-world': ['Bangkok', 'aquarium'],
  'river-walk': ['Bangkok', 'cultural'],
  'sea-tunnel': ['Singapore', 'aquarium'],
  gone: ['Singapore', null],
} as const;
const IDS = Object.keys(ACTIVITIES).map(activityId);
const categoryOf = (id: ActivityId) => ACTIVITIES[id as string as keyof typeof ACTIVITIES][1];
const cityOf = (id: ActivityId) => ACTIVITIES[id as string as keyof typeof ACTIVITIES][0];

/** A fact in the model, independent of the stored events. */
const HAPPENING = fc.record({
  what: fc.constantFrom('answered', 'booked', 'visited'),
  at: fc.integer({ min: Date.parse('2026-11-29T00:00:00Z'), max: Date.parse('2026-12-03T00:00:00Z') }),
  keyId: fc.constantFrom('key_1', 'key_2').map(keyId),
  activityIds: fc.subarray(IDS, { minLength: 1 }),
  travelType: fc.constantFrom('solo', 'family'),
  budget: fc.option(fc.constantFrom(...BUDGETS)),
  attributed: fc.boolean(),
  model: fc.constantFrom('default', 'power-4'),
  method: fc.constantFrom('qr_scan', 'manual'),
  disputed: fc.boolean(),
  voided: fc.boolean(),
  guests: fc.integer({ min: 1, max: 5 }),
});
type Happening = typeof HAPPENING extends fc.Arbitrary<infer T> ? T : never;

const DAYS = ['2026-11-28', '2026-11-30', '2026-12-01', '2026-12-05'].map(date);
const questionOf = <Column extends string>(columns: readonly Column[]) =>
  fc.record({
    from: fc.option(fc.constantFrom(...DAYS)),
    to: fc.option(fc.constantFrom(...DAYS)),
    city: fc.option(fc.constantFrom('Bangkok', 'Singapore'), { freq: 2 }),
    activityId: fc.option(fc.constantFrom(...IDS), { freq: 2 }),
    groupBy: fc.shuffledSubarray([...columns], { maxLength: 4 }),
    limit: fc.constantFrom(1, 2, 3, 1_000),
    categoryOf: fc.constant(categoryOf),
    keyNameOf: fc.constant((id: KeyId) => id),
  });

function eventsOf(happening: Happening): readonly (RecommendationEvent | BookingEvent)[] {
  const { what, voided, keyId: key, activityIds, travelType, budget, attributed, method, disputed, guests } = happening;
  const arm = happening.model === 'default' ? null : { id: experimentId('exp_1'), arm: happening.model };
  const at = new Date(happening.at).toISOString();
  const [first = activityId('')] = activityIds;
  const segment = { travelType, budget, ageGroup: null };
  const shown = { logId: 'rec_1' as LogId, rank: null, segment, ...(arm && { experiment: arm }) };
  const attribution = attributed ? shown : null;
  const facts = { keyId: key, activityId: first, venueId: venueId(`at-${first}`), city: cityOf(first), attribution };
  switch (what) {
    case 'answered': {
      const profile = { ...segment, nationality: null, interests: [] };
      const experiment = arm && { experiment: { ...arm, groundTruthPower: 4 } };
      const data = answerWith(activityIds, { at, keyId: key, city: cityOf(first), profile, ...experiment });
      return [{ type: 'RecommendationServed', data }];
    }
    case 'booked':
      return [confirmation({ ...facts, at })];
    default: {
      const scan = { ...aVisit({ verifiedAtMs: happening.at, method }), ...facts };
      const visit = { ...scan, category: 'cultural', numGuests: guests, disputed, opensAtMs: null } as const;
      const verified = { type: 'VisitVerified', data: visit } as const;
      const taken = { type: 'VisitVoided', data: { visit, reason: 'a mistake', by: 'operator', at } } as const;
      return voided ? [verified, taken] : [verified];
    }
  }
}

/** A row of the reference model: the value of every column, and its counts. */
type Fact = { readonly values: Readonly<Record<string, string | null>>; readonly counts: readonly number[] };

function valuesOf(happening: Happening, day: string, id: ActivityId | null): Fact['values'] {
  const { keyId: key, activityIds, travelType, budget, model } = happening;
  return {
    day,
    month: day.slice(0, 7),
    city: cityOf(activityIds[0] ?? activityId('')),
    category: id === null ? null : categoryOf(id),
    activity_id: id,
    key_id: key,
    travel_type: travelType,
    budget,
    age_group: null,
    model,
  };
}

/** The reference definition of conversions. @param ofActivities requests are counted per shown activity */
function conversionFacts(happening: Happening, ofActivities: boolean): readonly Fact[] {
  const { what, at, activityIds, attributed, disputed, voided } = happening;
  const day = new Date(at).toISOString().slice(0, 10);
  const fact = (id: ActivityId | null, ...counts: readonly number[]): Fact => ({
    values: valuesOf(happening, day, id),
    counts,
  });
  if (what === 'answered') {
    const shown = activityIds.map((id) => fact(id, ofActivities ? 1 : 0, 1, 0, 0, 0, 0));
    return ofActivities ? shown : [fact(null, 1, 0, 0, 0, 0, 0), ...shown];
  }
  if (!attributed || (what === 'visited' && disputed)) return [];
  const [first = null] = activityIds;
  return [what === 'booked' ? fact(first, 0, 0, 1, 1, 0, 0) : fact(first, 0, 0, 0, 0, voided ? 0 : 1, 0)];
}

function visitFacts(happening: Happening): readonly Fact[] {
  const { what, at, activityIds, attributed, method, disputed, voided, guests } = happening;
  const [first = activityId('')] = activityIds;
  if (what !== 'visited') return [];
  const values = valuesOf(happening, localDate(cityOf(first), at), first);
  const traveller = attributed ? {} : { travel_type: null, budget: null, model: null };
  return [
    {
      values: { ...values, ...traveller, venue_id: `at-${first}`, method },
      counts: voided ? [0, 0, 0] : disputed ? [0, 0, 1] : [1, guests, 0],
    },
  ];
}

/** Reference implementation: filter, group, sum, sort. */
function rowsByDefinition(
  facts: readonly Fact[],
  query: Pick<ReportQuery, 'from' | 'to' | 'city' | 'activityId'> & { readonly groupBy: readonly string[] },
  counts: number,
): readonly Row[] {
  const { from, to, city, activityId: only, groupBy } = query;
  const asked = facts.filter(
    ({ values }) =>
      (values['day'] ?? '') >= (from ?? '') &&
      (values['day'] ?? '') <= (to ?? '9') &&
      (city === null || values['city'] === city) &&
      (only === null || values['activity_id'] === only),
  );
  const groups = Map.groupBy(asked, ({ values }) => JSON.stringify(groupBy.map((name) => values[name])));
  if (groupBy.length === 0 && groups.size === 0) return [{ group: [], counts: Array<number>(counts).fill(0) }];
  const rows = [...groups].map(([key, members]) => ({
    group: JSON.parse(key) as Group,
    counts: Array.from({ length: counts }, (_, index) =>
      members.reduce((sum, member) => sum + (member.counts[index] ?? 0), 0),
    ),
  }));
  // No text begins with a control character, so null sorts before every text.
  const key = ({ group }: Row): string => group.map((value) => value ?? '\u0000').join('\u0001');
  return rows.sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

/** Folds the events, in this order, into a new collection. */
async function fill(
  store: ReadModelStore,
  projection: Projection<object, never>,
  events: readonly (RecommendationEvent | BookingEvent)[],
): Promise<string> {
  const collection = `${projection.name}.v1.b1`;
  await store.drop(collection);
  await store.ensure(collection, projection.indexes);
  const log = recorder();
  const recorded = events.map((event) =>
    log(event.type === 'RecommendationServed' ? 'recommendation-1' : 'booking-1', event),
  );
  const heard = recorded.filter(({ stream }) => projection.categories.includes(stream.slice(0, -2)));
  const writes = foldBatch(projection, heard, new Map(), store.positions);
  await store.commit(collection, writes, recorded.at(-1)?.position ?? START);
  return collection;
}

/** Reads all rows page by page and checks that every page but the last is full. */
async function allRows(limit: number, page: (after: Group | null) => Promise<Sums>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: Group | null = null;
  do {
    const sums: Sums = await page(after);
    if (sums.kind === 'too_many') throw new Error('there is too much to add up');
    rows.push(...sums.rows);
    after = sums.next;
    expect(sums.rows.length).toBeLessThanOrEqual(limit);
    if (after !== null) expect([sums.rows.length, sums.rows.at(-1)?.group]).toEqual([limit, after]);
  } while (after !== null);
  return rows;
}

/** Opens a store for one test. */
export type Opened = AsyncDisposable & { readonly store: ReadModelStore };

/** Compares sums with a reference implementation, on any read model store. */
export function sumsAreAsDefined(on: string, open: () => Promise<Opened>, numRuns: number): void {
  describe(`sums by group: ${on}`, () => {
    async function holds(check: (store: ReadModelStore) => Promise<void>): Promise<void> {
      await using opened = await open();
      await check(opened.store);
    }

    test(`conversions match the reference implementation for any query and page size (seed ${SEED})`, () =>
      holds((store) =>
        fc.assert(
          fc.asyncProperty(
            fc.array(HAPPENING, { maxLength: 40 }),
            fc.array(questionOf<ReportColumn>(REPORT_COLUMNS), { minLength: 5, maxLength: 5 }),
            async (happenings, queries) => {
              const collection = await fill(store, conversionsProjection, happenings.flatMap(eventsOf));
              for (const query of queries) {
                const { groupBy, activityId: only } = query;
                const ofActivities = only !== null || groupBy.includes('activity_id') || groupBy.includes('category');
                const facts = happenings.flatMap((happening) => conversionFacts(happening, ofActivities));
                const rows = await allRows(query.limit, (after) =>
                  sumConversions(store, collection, { ...query, after }),
                );
                expect(rows).toEqual(rowsByDefinition(facts, query, CONVERSION_COUNTS.length));
              }
            },
          ),
          { seed: SEED, numRuns },
        ),
      ));

    test(`visits match the reference implementation for any query and page size (seed ${SEED})`, () =>
      holds((store) =>
        fc.assert(
          fc.asyncProperty(
            fc.array(HAPPENING, { maxLength: 40 }),
            fc.array(questionOf(VISIT_COLUMNS), { minLength: 5, maxLength: 5 }),
            async (happenings, queries) => {
              const collection = await fill(store, visitsProjection, happenings.flatMap(eventsOf));
              const facts = happenings.flatMap(visitFacts);
              for (const query of queries) {
                const asked: Omit<ReportQuery<VisitColumn>, 'after'> = query;
                const rows = await allRows(query.limit, (after) => sumVisits(store, collection, { ...asked, after }));
                expect(rows).toEqual(rowsByDefinition(facts, query, VISIT_COUNTS.length));
              }
            },
          ),
          { seed: SEED, numRuns },
        ),
      ));
  });
}
