import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOperator } from '../../support/operators.ts';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Events = AnswerOf<'get /api/ops/events'>;
type LogEvent = Events['items'][number];

let service: Service;
beforeAll(async () => {
  service = await openService();
  await service.book({}, { 'x-request-id': 'first-booking' });
  await service.book({}, { 'x-request-id': 'second-booking' });
});
afterAll(() => service.stop());

async function pages(query: string): Promise<readonly LogEvent[]> {
  const items: LogEvent[] = [];
  for (let cursor = ''; ; ) {
    const { data } = await service.get<Events>(`/api/ops/events?${query}${cursor}`, service.admin);
    items.push(...data.items);
    if (data.next_cursor === null) return items;
    cursor = `&cursor=${data.next_cursor}`;
  }
}

const placesOf = (events: readonly { readonly stream: string; readonly revision: number }[]): readonly string[] =>
  events.map(({ stream, revision }) => `${stream} ${revision}`);

describe('events of the log', () => {
  test('are listed newest first and forwards, in pages of any size', async () => {
    const stored = placesOf((await service.events()).filter(({ stream }) => stream.startsWith('booking-')));
    expect(stored.length).toBeGreaterThan(4);
    for (const limit of [1, 3, 100]) {
      expect(placesOf(await pages(`category=booking&limit=${limit}`))).toEqual(stored.toReversed());
      expect(placesOf(await pages(`category=booking&direction=forwards&limit=${limit}`))).toEqual(stored);
    }
  });

  test('are filtered by type, with and without its version', async () => {
    const confirmed = (await service.events()).filter(({ type }) => type.startsWith('BookingConfirmed.'));
    const version = confirmed[0]?.type ?? '';
    const expected = placesOf(confirmed).toReversed();
    expect(expected.length).toBe(2);
    expect(placesOf(await pages('type=BookingConfirmed'))).toEqual(expected);
    expect(placesOf(await pages(`type=${version}`))).toEqual(expected);
    expect(await pages('type=BookingConfirmed.v0')).toEqual([]);
  });

  test('follow one request through all streams by its correlation id', async () => {
    const caused = (await service.events()).filter(({ cause }) => cause.correlationId === 'first-booking');
    const found = await pages('correlation_id=first-booking&direction=forwards');
    expect(placesOf(found)).toEqual(placesOf(caused));
    expect(new Set(found.map(({ stream }) => stream.replace(/-.*/, '')))).toEqual(
      new Set(['allotment', 'guest', 'booking']),
    );
  });

  test('begin at a position: forwards with its event, backwards before it', async () => {
    const [first, second] = await pages('category=booking&direction=forwards');
    if (first === undefined || second === undefined) throw new Error('there are too few events');
    const at = `category=booking&limit=1&position=${second.position}`;
    const forwards = await service.get<Events>(`/api/ops/events?${at}&direction=forwards`, service.admin);
    const backwards = await service.get<Events>(`/api/ops/events?${at}`, service.admin);
    expect(placesOf([...forwards.data.items, ...backwards.data.items])).toEqual(placesOf([second, first]));
  });

  test('have nothing of the guest, and nothing of streams that the role may not read', async () => {
    const viewer = await createOperator(service, 'viewer');
    for (const [caller, restricted] of [[viewer.headers, false] as const, [service.admin, true] as const]) {
      const answer = await service.get<Events>('/api/ops/events?limit=100', caller);
      const text = JSON.stringify(answer.data);
      expect(text).toContain('[hidden]');
      expect(['Ada Lovelace', 'ada@example.com'].filter((secret) => text.includes(secret))).toEqual([]);
      const own = answer.data.items.some(({ stream }) => /^(operator|apikey|audit)-/.test(stream));
      expect(own).toBe(restricted);
    }
    const { data } = await service.get<AnswerOf<'get /api/ops/streams'>>('/api/ops/streams', viewer.headers);
    expect(data.items).toContain('booking');
    expect(data.items.filter((each) => ['apikey', 'audit', 'operator', 'secretkey', 'session'].includes(each))).toEqual(
      [],
    );
  });

  test.each([
    ['category=nothing', 'category "nothing" is none of'],
    ['position=17a', 'position "17a" is none of this log'],
    ['direction=sideways', 'direction'],
    ['cursor=bm90aGluZw', 'cursor'],
    ['sort=type', 'sort'],
  ])('are refused for %s', async (query, sentence) => {
    const { refusal } = await service.get(`/api/ops/events?${query}`, service.admin);
    expect([refusal.code, refusal.error]).toEqual(['INVALID_REQUEST', expect.stringContaining(sentence)]);
  });

  test('are refused with a cursor of the other direction', async () => {
    const { data } = await service.get<Events>('/api/ops/events?limit=1', service.admin);
    const other = await service.get(`/api/ops/events?direction=forwards&cursor=${data.next_cursor}`, service.admin);
    expect(other.refusal.error).toContain('cursor must be the next_cursor');
  });
});
