import { describe, expect, test } from 'bun:test';
import { openService } from '../../support/service.ts';
import { faulty } from '../../support/service-answers.ts';

const DATE = 'must be a real calendar date as YYYY-MM-DD; it was';
const TODAYS = 'today in UTC is 2026-11-21, tomorrow 2026-11-22';
const CITY = 'city "Atlantis" is not in the service area; it must be one of';

describe('a report is refused', () => {
  const COLUMNS = 'day, month, city, category, activity_id, key_id, travel_type, budget, age_group, model';
  const CITIES =
    'Bangkok, Phuket, Chiang Mai, Pattaya, Krabi, Ho Chi Minh, Hanoi, Da Nang, Nha Trang, Bali, Jakarta, Yogyakarta, Kuala Lumpur, Penang, Langkawi, Singapore';
  const grouped = (value: string, columns = COLUMNS) =>
    `group_by must be a list, separated by commas, of ${columns}, each at most once; it was "${value}".`;

  test.each([
    ['conversions?group_by=country', 'INVALID_REQUEST', grouped('country')],
    ['conversions?group_by=day,venue_id', 'INVALID_REQUEST', grouped('day,venue_id')],
    ['conversions?group_by=day,city,day', 'INVALID_REQUEST', grouped('day,city,day')],
    ['conversions?group_by=day,', 'INVALID_REQUEST', grouped('day,')],
    ['visits?group_by=gate', 'INVALID_REQUEST', grouped('gate', `${COLUMNS}, venue_id, method`)],
    ['visits?format=xml', 'INVALID_REQUEST', 'format must be one of json, csv, ndjson; it was "xml".'],
    ['visits?limit=0', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 1000; it was 0.'],
    ['visits?limit=1001', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 1000; it was 1001.'],
    ['visits?from=2026-02-30', 'INVALID_DATE', `from ${DATE} "2026-02-30"; ${TODAYS}.`],
    ['visits?to=soon', 'INVALID_DATE', `to ${DATE} "soon"; ${TODAYS}.`],
    ['visits?city=Atlantis', 'INVALID_CITY', `${CITY} ${CITIES}.`],
  ] as const)('%s', async (path, code, sentence) => {
    await using service = await openService();
    const answer = await service.get(`/api/analytics/${path}`, service.analyst);
    const { alternatives: _, ...refusal } = answer.refusal;
    expect<object>(refusal).toEqual(faulty(code, sentence));
  });
});
