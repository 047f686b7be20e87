import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { foldBatch } from '../../../projections/apply.ts';
import { conversionsProjection } from '../../../projections/conversions/projection.ts';
import {
  CONVERSION_COLUMNS,
  CONVERSION_COUNTS,
  type ConversionColumn,
  type ConversionsQuestion,
  sumConversions,
} from '../../../projections/conversions/query.ts';
import { type Group, type Grouping, type Row, type Sums, sumByGroup } from '../../../projections/grouping.ts';
import { visitsProjection } from '../../../projections/visits/projection.ts';
import { sumVisits, VISIT_COLUMNS, VISIT_COUNTS, type VisitsQuestion } from '../../../projections/visits/query.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import type { ActivityId } from '../../../src/domain/activity/activity.ts';
import { localDate } from '../../../src/domain/activity/schedule.ts';
import type { BookingEvent } from '../../../src/domain/booking/booking.ts';
import { BUDGETS, type LogId } from '../../../src/domain/recommendation/profile.ts';
import type { RecommendationEvent } from '../../../src/domain/recommendation/recommendation.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import type { Page, ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { answerWith } from '../../support/conversions.ts';
import { activityId, aVisit, confirmation, date, keyId, venueId } from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Shown in the names of the tests that draw from it; `SEED=… bun test` draws the same again. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Activities with their city and category. The last one's category is not known. */
const ACTIVITIES = {
  'ocean-world': ['Bangkok', 'aquarium'],
  'river-walk': ['Bangkok', 'cultural'],
  'sea-tunnel': ['Singapore', 'aquarium'],
  gone: ['Singapore', null],
} as const;
const IDS = Object.keys(ACTIVITIES).map(activityId);
const categoryOf = (id: ActivityId) => ACTIVITIES[id as string as keyof typeof ACTIVITIES][1];
const cityOf = (id: ActivityId) => ACTIVITIES[id as string as keyof typeof ACTIVITIES][0];

/** Something that happened, told without an event. */
const HAPPENING = fc.record({
  what: fc.constantFrom('answered', 'booked', 'visited'),
  at: fc.integer({ min: Date.parse('2026-11-29T00:00:00Z'), max: Date.parse('2026-12-03T00:00:00Z') }),
  keyId: fc.constantFrom('key_1', 'key_2').map(keyId),
  activityIds: fc.subarray(IDS, { minLength: 1 }),
  travelType: fc.constantFrom('solo', 'family'),
  budget: fc.option(fc.constantFrom(...BUDGETS)),
  attributed: fc.boolean(),
  method: fc.constantFrom('qr_scan', 'manual'),
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
  });

function eventOf(happening: Happening): RecommendationEvent | BookingEvent {
  const { what, keyId: key, activityIds, travelType, budget, attributed, method, guests } = happening;
  const at = new Date(happening.at).toISOString();
  const [first = activityId('')] = activityIds;
  const segment = { travelType, budget, ageGroup: null };
  const attribution = attributed ? { logId: 'rec_1' as LogId, rank: null, segment } : null;
  const facts = { keyId: key, activityId: first, venueId: venueId(`at-${first}`), city: cityOf(first), attribution };
  switch (what) {
    case 'answered': {
      const profile = { ...segment, nationality: null, interests: [] };
      return {
        type: 'RecommendationServed',
        data: answerWith(activityIds, { at, keyId: key, city: cityOf(first), profile }),
      };
    }
    case 'booked':
      return confirmation({ ...facts, at });
    default: {
      const visit = { ...aVisit({ verifiedAtMs: happening.at, method }), ...facts };
      return { type: 'VisitVerified', data: { ...visit, category: 'cultural', numGuests: guests } };
    }
  }
}

/** A row of the definition: the value of every column, and what it adds. */
type Fact = { readonly values: Readonly<Record<string, string | null>>; readonly counts: readonly number[] };

function valuesOf(happening: Happening, day: string, id: ActivityId | null): Fact['values'] {
  const { keyId: key, activityIds, travelType, budget } = happening;
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
  };
}

/** What conversions are, by definition. @param ofActivities requests are told apart by what they showed */
function conversionFacts(happening: Happening, ofActivities: boolean): readonly Fact[] {
  const { what, at, activityIds, attributed } = happening;
  const day = new Date(at).toISOString().slice(0, 10);
  const fact = (id: ActivityId | null, ...counts: readonly number[]): Fact => ({
    values: valuesOf(happening, day, id),
    counts,
  });
  if (what === 'answered') {
    const shown = activityIds.map((id) => fact(id, ofActivities ? 1 : 0, 1, 0, 0, 0, 0));
    return ofActivities ? shown : [fact(null, 1, 0, 0, 0, 0, 0), ...shown];
  }
  if (!attributed) return [];
  const [first = null] = activityIds;
  return [what === 'booked' ? fact(first, 0, 0, 1, 1, 0, 0) : fact(first, 0, 0, 0, 0, 1, 0)];
}

function visitFacts(happening: Happening): readonly Fact[] {
  const { what, at, activityIds, attributed, method, guests } = happening;
  const [first = activityId('')] = activityIds;
  if (what !== 'visited') return [];
  const values = valuesOf(happening, localDate(cityOf(first), at), first);
  const traveller = attributed ? {} : { travel_type: null, budget: null };
  return [{ values: { ...values, ...traveller, venue_id: `at-${first}`, method }, counts: [1, guests] }];
}

/** Rows by their definition: filter, group, add up, order. */
function rowsByDefinition(
  facts: readonly Fact[],
  question: Pick<ConversionsQuestion, 'from' | 'to' | 'city' | 'activityId'> & { readonly groupBy: readonly string[] },
  counts: number,
): readonly Row[] {
  const { from, to, city, activityId: only, groupBy } = question;
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
  // No text begins with a control character, so nothing comes before every text.
  const key = ({ group }: Row): string => group.map((value) => value ?? '\u0000').join('\u0001');
  return rows.sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

/** Folds events in this order into a new collection. */
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
  const writes = foldBatch(projection, heard, new Map());
  await store.commit(collection, writes, recorded.at(-1)?.position ?? ('0' as never));
  return collection;
}

/** All rows, a page at a time; every page but the last is full. */
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

describe('sums by group', () => {
  async function holds(check: (store: ReadModelStore) => Promise<void>): Promise<void> {
    const directory = temporaryDirectory();
    const store = openReadModelStore(directory.file('read-models.db'));
    try {
      await check(store);
    } finally {
      await store.close();
      directory.remove();
    }
  }

  test(`conversions are as defined, whatever is asked for, and in pages (seed ${SEED})`, () =>
    holds((store) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(HAPPENING, { maxLength: 40 }),
          fc.array(questionOf<ConversionColumn>(CONVERSION_COLUMNS), { minLength: 5, maxLength: 5 }),
          async (happenings, questions) => {
            const collection = await fill(store, conversionsProjection, happenings.map(eventOf));
            for (const question of questions) {
              const { groupBy, activityId: only } = question;
              const ofActivities = only !== null || groupBy.includes('activity_id') || groupBy.includes('category');
              const facts = happenings.flatMap((happening) => conversionFacts(happening, ofActivities));
              const rows = await allRows(question.limit, (after) =>
                sumConversions(store, collection, { ...question, after }),
              );
              expect(rows).toEqual(rowsByDefinition(facts, question, CONVERSION_COUNTS.length));
            }
          },
        ),
        { seed: SEED, numRuns: 60 },
      ),
    ));

  test(`visits are as defined, whatever is asked for, and in pages (seed ${SEED})`, () =>
    holds((store) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(HAPPENING, { maxLength: 40 }),
          fc.array(questionOf(VISIT_COLUMNS), { minLength: 5, maxLength: 5 }),
          async (happenings, questions) => {
            const collection = await fill(store, visitsProjection, happenings.map(eventOf));
            const facts = happenings.flatMap(visitFacts);
            for (const question of questions) {
              const asked: Omit<VisitsQuestion, 'after'> = question;
              const rows = await allRows(question.limit, (after) => sumVisits(store, collection, { ...asked, after }));
              expect(rows).toEqual(rowsByDefinition(facts, question, VISIT_COUNTS.length));
            }
          },
        ),
        { seed: SEED, numRuns: 60 },
      ),
    ));
});

describe('adding up', () => {
  type Doc = { readonly day: string; readonly name: string };
  const BY_NAME: Grouping<Doc> = {
    where: {},
    from: null,
    to: null,
    counted: () => true,
    columns: [(doc) => doc.day, (doc) => doc.name],
    byDay: true,
    counts: [() => 1],
    limit: 2,
    after: null,
  };

  /** A collection without end: a thousand documents a page, every day ten pages, and what was asked of it. */
  function endless() {
    const asked: unknown[] = [];
    const find: ReadModelStore['find'] = async (_collection, { range }): Promise<Page> => {
      asked.push(range);
      const day = `2026-12-${String(Math.floor((asked.length - 1) / 10) % 31).padStart(2, '0')}`;
      const items = Array.from({ length: 1_000 }, (_, index) => ({ id: `${index}`, doc: { day, name: `${index}` } }));
      return { items, next: { value: day, id: '999' } };
    };
    return { find, asked };
  }

  test('stops behind the days of the page, and begins where the page begins', async () => {
    const { find, asked } = endless();
    const after = ['2026-12-00', '5'];
    const sums = await sumByGroup({ find }, 'documents', {
      ...BY_NAME,
      from: date('2026-11-30'),
      to: date('2026-12-31'),
      after,
    });
    const rows = ['50', '500'].map((name) => ({ group: ['2026-12-00', name], counts: [10] }));
    expect(sums).toEqual({ kind: 'rows', rows, next: ['2026-12-00', '500'] });
    expect(asked).toEqual(Array.from({ length: 11 }, () => ({ field: 'day', from: '2026-12-00', to: '2027-01-01' })));
  });

  test('of more than a million documents is refused', async () => {
    const { find, asked } = endless();
    expect(await sumByGroup({ find }, 'documents', { ...BY_NAME, byDay: false })).toEqual({ kind: 'too_many' });
    expect(asked).toHaveLength(1_000);
  });
});
