import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { faulty, refused } from '../../support/service-answers.ts';

const DATE_RULE = 'date must be a date as YYYY-MM-DD, or today, tomorrow or a weekday';
const TODAY_IN_BANGKOK = `today in Bangkok is ${TODAY}, tomorrow ${TOMORROW}`;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

describe('a date', () => {
  test("is the city's today by default", async () => {
    await using own = await openService({ startMs: Date.parse('2026-11-21T16:30:00Z') });
    const dayIn = async (city: string) => (await own.inventory(`city=${city}`)).data.metadata;
    expect(await dayIn('Bangkok')).toMatchObject({ query_date: '2026-11-21', total_results: 1 });
    expect(await dayIn('Singapore')).toMatchObject({ query_date: '2026-11-22', total_results: 3 });
  });

  test('can be from today up to 365 days ahead', async () => {
    for (const day of [TODAY, '2027-11-21']) {
      expect((await service.inventory(`city=Bangkok&date=${day}`)).status).toBe(200);
    }
    for (const [day, fault] of [
      ['2026-11-20', 'in the past'],
      ['2027-11-22', 'too far ahead'],
    ]) {
      const sentence = `date ${day} is ${fault}; send a date from ${TODAY} (today in Bangkok) to 2027-11-21.`;
      expect((await service.inventory(`city=Bangkok&date=${day}`)).refusal).toEqual(faulty('INVALID_DATE', sentence));
    }
  });
});

describe('a date in words', () => {
  test.each([
    ['tomorrow', TOMORROW],
    ['TODAY', TODAY],
    ['พรุ่งนี้', TOMORROW],
    ['saturday', TODAY],
    ['Sunday', TOMORROW],
    ['31/12/2026', '2026-12-31'],
    ['2026-12-24T19:00:00+07:00', '2026-12-24'],
  ])('%p is understood as %s', async (text, day) => {
    const { data } = await service.inventory(`city=Bangkok&date=${encodeURIComponent(text)}`);
    expect(data.metadata.query_date).toBe(day);
    expect(data).toMatchObject({ interpreted: { date: { given: text, taken: day } } });
  });

  test("is that of the city's time zone: before and after midnight there", async () => {
    await using own = await openService({ startMs: Date.parse('2026-11-21T16:30:00Z') });
    const tomorrowIn = async (city: string) =>
      (await own.inventory(`city=${city}&date=tomorrow`)).data.metadata.query_date;
    expect([await tomorrowIn('Bangkok'), await tomorrowIn('Singapore')]).toEqual(['2026-11-22', '2026-11-23']);
    // The activity alone names the city too.
    const { data } = await own.inventory('activity_id=light-show&date=tomorrow');
    expect(data.metadata).toMatchObject({ query_date: '2026-11-23', city: 'Singapore' });
    own.clock.advance(HOUR_MS / 2);
    expect([await tomorrowIn('Bangkok'), await tomorrowIn('Singapore')]).toEqual(['2026-11-23', '2026-11-23']);
  });
});

describe('is refused', () => {
  test.each(['yesterday', '2026-02-30', 'next friday'])('date=%s', async (day) => {
    const sentence = `${DATE_RULE}; it was ${JSON.stringify(day)}; ${TODAY_IN_BANGKOK}.`;
    expect((await service.inventory(`city=Bangkok&date=${day}`)).refusal).toEqual(faulty('INVALID_DATE', sentence));
  });

  test('an empty date', async () => {
    const sentence = `${DATE_RULE}; it was ""; ${TODAY_IN_BANGKOK}.`;
    expect((await service.inventory('city=Bangkok&date=')).refusal).toEqual(faulty('INVALID_DATE', sentence));
  });

  test('a date with two readings, which are the alternatives', async () => {
    const sentence = `${DATE_RULE}; it was "03/04/2027" (did you mean "2027-04-03" or "2027-03-04"?); ${TODAY_IN_BANGKOK}.`;
    expect((await service.inventory('city=Bangkok&date=03/04/2027')).refusal).toEqual(
      refused(400, 'INVALID_DATE', sentence, {
        details: sentence,
        alternatives: [{ date: '2027-04-03' }, { date: '2027-03-04' }],
      }),
    );
  });
});
