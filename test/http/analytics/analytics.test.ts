import { describe, expect, test } from 'bun:test';
import type { ReportedVisit } from '../../../src/domain/booking/events.ts';
import type { Attribution, BookingFacts } from '../../../src/domain/booking/facts.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { verify } from '../../support/booking-life.ts';
import { answerWith } from '../../support/conversions.ts';
import { activityId, bookingFacts, bookingId, ISSUED, venueId } from '../../support/examples.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';

type Report = AnswerOf<'get /api/analytics/conversions'>;
type Row = Report['items'][number];

const DEADLINE_MS = Number.MAX_SAFE_INTEGER;
const PLACE = { activityId: activityId('river-walk'), venueId: venueId('old-pier') };
const COUPLE = { travelType: 'couple', budget: 'mid', ageGroup: 'adult' } as const;
const attribution: Attribution = { logId: 'rec_1' as LogId, rank: 1, segment: COUPLE };

/** A report that includes all events so far. */
async function report(service: Service, name: 'conversions' | 'visits', query = ''): Promise<Report> {
  await service.documents(name);
  return (await service.get<Report>(`/api/analytics/${name}${query}`, service.analyst)).data;
}

/** A stored recommendation. */
async function answered(service: Service, id: string, shown: readonly string[], change: Partial<ServedFacts> = {}) {
  const facts = answerWith(shown, change);
  const { recommendations } = service.node.context.streams;
  const command = { type: 'RecordRecommendation', facts } as const;
  expect((await recommendations.handle(id, command, SOME_CAUSE, DEADLINE_MS)).kind).toBe('accepted');
}

/** A booking of the river walk after a recommendation. */
async function booked(service: Service, id: string, change: Partial<BookingFacts> = {}) {
  const facts = bookingFacts({ attribution, ...PLACE, ...change });
  const { bookings } = service.node.context.streams;
  const command = { type: 'ConfirmWithoutVenue', facts, ...ISSUED } as const;
  expect((await bookings.handle(bookingId(id), command, SOME_CAUSE, DEADLINE_MS)).kind).toBe('accepted');
}

async function visited(service: Service, id: string, change: Partial<ReportedVisit> = {}) {
  const command = verify(change, PLACE.venueId);
  expect(
    (await service.node.context.streams.bookings.handle(bookingId(id), command, SOME_CAUSE, DEADLINE_MS)).kind,
  ).toBe('accepted');
}

/** Three answers on two days, two bookings, one visit on Christmas Eve. */
async function aSeason(service: Service): Promise<void> {
  await answered(service, 'rec_1', ['river-walk', 'paper-museum', 'night-market']);
  await answered(service, 'rec_2', ['paper-museum'], { at: '2026-12-01T10:00:00.000Z' });
  await answered(service, 'rec_3', ['sea-tunnel', 'light-show'], { city: 'Singapore' });
  await booked(service, 'bk_1');
  await booked(service, 'bk_2', { at: '2026-12-01T11:00:00.000Z' });
  await booked(service, 'bk_3', { attribution: null });
  await visited(service, 'bk_1');
  await visited(service, 'bk_3');
}

const row = (...counts: readonly number[]): Row => {
  const names = ['requests', 'recommended', 'booked', 'confirmed', 'visited', 'cancelled'];
  return Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0]));
};

describe('conversions', () => {
  test('without group_by are one row with the totals, zeros without data', async () => {
    await using service = await openService();
    expect(await report(service, 'conversions')).toEqual({ items: [row()], next_cursor: null });
    await aSeason(service);
    expect(await report(service, 'conversions')).toEqual({ items: [row(3, 6, 2, 2, 1)], next_cursor: null });
  });

  test.each<[string, readonly Row[]]>([
    [
      '?group_by=day',
      [
        { day: '2026-11-21', ...row(2, 5, 1, 1) },
        { day: '2026-12-01', ...row(1, 1, 1, 1) },
        { day: '2026-12-24', ...row(0, 0, 0, 0, 1) },
      ],
    ],
    [
      '?group_by=month,city',
      [
        { month: '2026-11', city: 'Bangkok', ...row(1, 3, 1, 1) },
        { month: '2026-11', city: 'Singapore', ...row(1, 2) },
        { month: '2026-12', city: 'Bangkok', ...row(1, 1, 1, 1, 1) },
      ],
    ],
    [
      '?group_by=activity_id',
      [
        { activity_id: 'light-show', title: 'Light Show (en)', ...row(1, 1) },
        { activity_id: 'night-market', title: 'Night Market (en)', ...row(1, 1) },
        { activity_id: 'paper-museum', title: 'Paper Museum (en)', ...row(2, 2) },
        { activity_id: 'river-walk', title: 'River Walk (en)', ...row(1, 1, 2, 2, 1) },
        { activity_id: 'sea-tunnel', title: 'Sea Tunnel (en)', ...row(1, 1) },
      ],
    ],
    [
      '?group_by=category',
      [
        { category: 'cultural', ...row(5, 5, 2, 2, 1) },
        { category: 'nightlife', ...row(1, 1) },
      ],
    ],
    [
      '?group_by=travel_type,%20budget,age_group',
      [{ travel_type: 'couple', budget: 'mid', age_group: 'adult', ...row(3, 6, 2, 2, 1) }],
    ],
    ['?activity_id=paper-museum', [row(2, 2)]],
    ['?city=Bangkok', [row(2, 4, 2, 2, 1)]],
    ['?city=Singapore&activity_id=river-walk', [row()]],
    ['?from=2026-12-01&to=2026-12-01', [row(1, 1, 1, 1)]],
    ['?from=2026-12-02', [row(0, 0, 0, 0, 1)]],
    ['?to=2026-11-30&group_by=', [row(2, 5, 1, 1)]],
    ['?from=2026-12-02&to=2026-12-02', [row()]],
    ['?from=2026-12-25&group_by=day', []],
  ])('%s', async (query, items) => {
    await using service = await openService();
    await aSeason(service);
    expect(await report(service, 'conversions', query)).toEqual({ items, next_cursor: null });
  });

  test('are the same after a rebuild, document by document', async () => {
    await using service = await openService();
    await aSeason(service);
    const before = await service.documents('conversions');
    expect(before).toHaveLength(11);
    await service.rebuild('conversions');
    const { projections } = service.node;
    expect(await projections.collection('conversions')).toBe('conversions.v5.b2');
    expect(await service.documents('conversions')).toEqual(before);
  });
});

const WALK = { venue_id: 'old-pier', activity_id: 'river-walk', category: 'cultural', city: 'Bangkok' };

describe('visits', () => {
  /** Two guests and a child, and one guest half an hour into the city's next day. */
  async function twoVisits(service: Service): Promise<void> {
    const first = await service.book({ booking_date: TODAY, num_children: 1 });
    await service.verify({ code: first.data.voucher.code });
    const second = await service.book({ num_adults: 1 });
    service.clock.set(Date.parse('2026-11-21T17:30:00Z'));
    await service.verify({ code: second.data.voucher.code.toLowerCase() });
  }

  test.each<[string, readonly Row[]]>([
    ['', [{ visits: 2, guests: 4 }]],
    ['?group_by=day', [TODAY, TOMORROW].map((day, index) => ({ day, visits: 1, guests: index === 0 ? 3 : 1 }))],
    [
      '?group_by=venue_id,activity_id,category,city,travel_type',
      [{ ...WALK, title: 'River Walk (en)', travel_type: null, visits: 2, guests: 4 }],
    ],
    ['?city=Bangkok&from=2026-11-22', [{ visits: 1, guests: 1 }]],
    ['?activity_id=sea-tunnel', [{ visits: 0, guests: 0 }]],
  ])('%s', async (query, rows) => {
    await using service = await openService();
    await twoVisits(service);
    const items = rows.map((expected) => ({ ...expected, disputed: 0 }));
    expect(await report(service, 'visits', query)).toEqual({ items, next_cursor: null });
  });

  test('are counted by the verification method', async () => {
    await using service = await openService();
    await twoVisits(service);
    const { items } = await report(service, 'visits', '?group_by=method');
    expect(items).toEqual([{ method: 'manual', visits: 2, guests: 4, disputed: 0 }]);
  });

  test('are visible at once to a caller who sends X-Position', async () => {
    await using service = await openService();
    const { voucher } = (await service.book({ booking_date: TODAY })).data;
    const { headers } = await service.verify({ code: voucher.code });
    const seen = { ...service.analyst, 'x-position': headers.get('x-position') ?? '' };
    const { items } = (await service.get<Report>('/api/analytics/visits', seen)).data;
    expect(items).toEqual([{ visits: 1, guests: 2, disputed: 0 }]);
  });
});

describe('a report in pages', () => {
  const QUERY = '?group_by=day,activity_id&limit=2';

  test('has every row once, in order, despite concurrent events', async () => {
    await using service = await openService();
    await aSeason(service);
    const whole = (await report(service, 'conversions', QUERY.replace('2', '1000'))).items;
    const found: Row[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await report(service, 'conversions', QUERY + after);
      found.push(...page.items);
      cursor = page.next_cursor;
      await answered(service, `rec_late_${found.length}`, ['clay-workshop']);
    } while (cursor !== null);
    expect(found).toEqual([...whole]);
    expect(found).toHaveLength(8);
  });

  test.each(['csv', 'ndjson'])('of %s links to the next', async (format) => {
    await using service = await openService();
    await aSeason(service);
    await service.documents('conversions');
    const texts: string[] = [];
    let path: string | null = `/api/analytics/conversions${QUERY}&city=bkk&format=${format}`;
    while (path !== null) {
      const answer: Response = await service.send(path, { headers: service.admin });
      texts.push(await answer.text());
      const link: string | null = answer.headers.get('link');
      path = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1] ?? null;
      expect(path === null).toBe(link === null);
    }
    const lines = texts.map((text) => text.trimEnd().split('\n').length - (format === 'csv' ? 1 : 0));
    expect(lines).toEqual([2, 2, 2]);
  });
});

describe('a report as a table', () => {
  async function table(service: Service, query: string): Promise<Response> {
    await service.documents('conversions');
    return service.send(`/api/analytics/conversions?${query}`, { headers: service.analyst });
  }

  test('in CSV has a header row, CRLF, and empty fields for null', async () => {
    await using service = await openService();
    await aSeason(service);
    await booked(service, 'bk_4', { attribution: { ...attribution, segment: null } });
    const answer = await table(service, 'format=csv&group_by=budget,city');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    expect(await answer.text()).toBe(
      'budget,city,requests,recommended,booked,confirmed,visited,cancelled\r\n' +
        ',Bangkok,0,0,1,1,0,0\r\n' +
        'mid,Bangkok,2,4,2,2,1,0\r\n' +
        'mid,Singapore,1,2,0,0,0,0\r\n',
    );
  });

  test('in NDJSON has one object per line', async () => {
    await using service = await openService();
    await aSeason(service);
    const answer = await table(service, 'format=ndjson&group_by=city');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(await answer.text()).toBe(
      '{"city":"Bangkok","requests":2,"recommended":4,"booked":2,"confirmed":2,"visited":1,"cancelled":0}\n' +
        '{"city":"Singapore","requests":1,"recommended":2,"booked":0,"confirmed":0,"visited":0,"cancelled":0}\n',
    );
  });

  test('without rows is a header row in CSV, and empty in NDJSON', async () => {
    await using service = await openService();
    const header = 'day,requests,recommended,booked,confirmed,visited,cancelled\r\n';
    expect(await (await table(service, 'format=csv&group_by=day')).text()).toBe(header);
    expect(await (await table(service, 'format=ndjson&group_by=day')).text()).toBe('');
  });

  test('is compressed on request', async () => {
    await using service = await openService();
    const days = Array.from({ length: 60 }, (_, index) => `2026-${10 + Math.floor(index / 20)}-${(index % 20) + 10}`);
    for (const [index, day] of days.entries()) await answered(service, `rec_${index}`, [], { at: `${day}T00:00:00Z` });
    const plain = await (await table(service, 'format=csv&group_by=day')).text();
    const path = '/api/analytics/conversions?format=csv&group_by=day';
    const answer = await service.send(path, { headers: { ...service.analyst, 'accept-encoding': 'gzip' } });
    expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual(['gzip', 'accept-encoding']);
    expect(Buffer.from(Bun.gunzipSync(await answer.arrayBuffer())).toString()).toBe(plain);
  });
});

describe('a report is refused', () => {
  test('for an activity that does not exist', async () => {
    await using service = await openService();
    const answer = await service.get('/api/analytics/visits?activity_id=moon-walk', service.analyst);
    const sentence = 'activity_id "moon-walk" does not exist; take one from inventory or from group_by=activity_id.';
    expect(answer.refusal).toEqual(refused(404, 'ACTIVITY_NOT_FOUND', sentence, { resolution: 'choose_other' }));
  });

  test('with the cursor of another list', async () => {
    await using service = await openService();
    await aSeason(service);
    const { next_cursor } = await report(service, 'conversions', '?group_by=day,city&limit=1');
    const forged = Buffer.from(JSON.stringify(['city,day', '["Bangkok"]'])).toString('base64url');
    const sentence = 'cursor must be the next_cursor of an earlier answer; leave it out to begin at the first page.';
    for (const cursor of [next_cursor ?? '', forged, 'MTIz']) {
      const answer = await service.get(
        `/api/analytics/conversions?group_by=city,day&cursor=${cursor}`,
        service.analyst,
      );
      expect(answer.refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
    }
  });

  test('to API keys and to callers without credentials', async () => {
    await using service = await openService();
    for (const path of ['/api/analytics/conversions', '/api/analytics/visits']) {
      expect((await service.get(path, service.key)).refusal.code).toBe('MISSING_TOKEN');
      expect((await service.get(path, { authorization: 'Bearer nonsense' })).refusal.code).toBe('INVALID_TOKEN');
      expect((await service.get(path, service.admin)).status).toBe(200);
    }
  });
});
