import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import type { Request } from './load.ts';

const DATES = 50;
/** Every ratio is to this case. */
export const BASELINE = 'one durable append';
/** The same route without and with an API key. */
export const OPEN = 'bare validated route, no key';
export const BARE = 'bare validated route';
export const BOOKINGS = 'execute_booking, many allotments';
const TRAVELLER = JSON.stringify({
  user_profile: {
    travel_type: 'couple',
    interests: ['cultural'],
    budget: 'mid',
    age_group: 'adult',
    nationality: 'DE',
  },
  location: { city: 'Bangkok', lat: 13.7563, lon: 100.5018 },
});

/** By name: the next request of a round. */
export type Cases = Readonly<Record<string, (round: number) => () => Request>>;

/**
 * The cases on one server.
 * @param ids activities that can be booked on every date
 * @param rounds in the case of one allotment each round has another date
 */
export function casesFor(key: string, ids: readonly string[], rounds: number): Cases {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const dates = Array.from({ length: DATES + rounds + 2 }, (_, ahead) =>
    new Date(Date.now() + (ahead + 2) * DAY_MS).toISOString().slice(0, 10),
  );
  let sent = 0;
  const posting =
    (path: string, body: () => string, idempotent = false) =>
    (): Request => {
      sent++;
      return {
        method: 'POST',
        path,
        headers: idempotent ? { ...headers, 'idempotency-key': `bench-${sent}` } : headers,
        body: body(),
      };
    };
  const booking = (activity: string | undefined, date: string | undefined): string =>
    `{"activity_id":"${activity}","user_email":"guest${sent}@example.com","user_name":"Guest ${sent}","booking_date":"${date}","num_adults":1}`;
  const anywhere = (): string => booking(ids[sent % ids.length], dates[Math.floor(sent / ids.length) % DATES]);
  const one = (date = dates[0]): string => booking(ids[0], date);
  return {
    [OPEN]: () => posting('/bench/open', () => one()),
    [BARE]: () => posting('/bench/bare', () => one()),
    [BASELINE]: () => posting('/bench/append', () => one()),
    'two appends in a row': () => posting('/bench/append-twice', () => one()),
    'execute_booking, one allotment': (round) => posting('/api/b2a/execute_booking', () => one(dates[DATES + round])),
    [BOOKINGS]: () => posting('/api/b2a/execute_booking', anywhere),
    'the same with an Idempotency-Key': () => posting('/api/b2a/execute_booking', anywhere, true),
    'recommend, ten of twenty': () => posting('/api/b2a/recommend', () => TRAVELLER),
  };
}
