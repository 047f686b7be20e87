import { allotmentDecider } from '../../src/domain/allotment/decider.ts';
import { allotmentCodec } from '../../src/domain/allotment/events.ts';
import { headOf } from './log-of-service.ts';
import { type Credentials, type Service, TOMORROW } from './service.ts';
import type { Answer, AnswerOf, Quote } from './service-answers.ts';

/** A hold, as the API returns it. */
export type ShownHold = AnswerOf<'get /api/b2a/holds/:hold_id'>;

/** Two adults on the river walk, tomorrow, like `A_WISH`. */
export const A_HOLD = { activity_id: 'river-walk', booking_date: TOMORROW, num_adults: 2 };

/** `A_HOLD` with a change, held with `key` and further headers. */
export function hold(service: Service, change: object = {}, headers: Credentials = {}): Promise<Answer<ShownHold>> {
  return service.post('/api/b2a/holds', { ...A_HOLD, ...change }, { ...service.key, ...headers });
}

export function readHold(service: Service, id: string, headers: Credentials = {}): Promise<Answer<ShownHold>> {
  return service.get(`/api/b2a/holds/${id}`, { ...service.key, ...headers });
}

export function releaseHold(service: Service, id: string, headers: Credentials = {}): Promise<Answer> {
  return service.delete(`/api/b2a/holds/${id}`, { ...service.key, ...headers });
}

/** Books after a dry run of the same request, and checks that both are refused alike. */
export async function quotedAndBooked(service: Service, change: Readonly<Record<string, unknown>>) {
  const quote = await service.post<Quote>(
    '/api/b2a/execute_booking',
    { activity_id: 'river-walk', user_email: 'ada@example.com', user_name: 'Ada Lovelace', ...change, dry_run: true },
    service.key,
  );
  return { quote, booked: await service.book(change) };
}

/** Free slots of the river walk in the inventory after all events; 0 if it is not listed. */
export async function shownFree(service: Service, date: string = TOMORROW): Promise<number> {
  const headers = { 'x-position': await headOf(service) };
  const answer = await service.inventory(`activity_id=river-walk&date=${date}`, headers);
  return answer.status === 404 ? 0 : (answer.data.inventory[0]?.available_slots ?? 0);
}

/** The events of the river walk's allotment, and how many slots were taken and held after each. */
export async function allotmentOf(service: Service, date: string = TOMORROW) {
  let state = allotmentDecider.initial;
  const steps: { readonly type: string; readonly by: string; readonly taken: number; readonly held: number }[] = [];
  for (const stored of await service.events()) {
    if (stored.stream !== `allotment-river-walk-${date}`) continue;
    const event = allotmentCodec.decode(stored);
    state = allotmentDecider.evolve(state, event);
    if (state.status === 'open')
      steps.push({ type: event.type, by: stored.cause.by, taken: state.taken, held: state.held });
  }
  return steps;
}

/** Advances the time by seconds until the reaper has released the slots of `count` holds of the river walk. */
export async function reaped(service: Service, count: number, date: string = TOMORROW): Promise<void> {
  const releases = async () =>
    (await allotmentOf(service, date)).filter(({ type, by }) => type === 'SlotsReleased' && by === 'claim-reaper');
  while ((await releases()).length < count) {
    service.clock.advance(1_000);
    // Lets pending callbacks run.
    await new Promise(setImmediate);
  }
}
