import { allotmentDecider } from '../../src/domain/allotment/decider.ts';
import { allotmentCodec } from '../../src/domain/allotment/events.ts';
import { type Credentials, type Service, TOMORROW } from './service.ts';
import type { Answer, AnswerOf, Quote } from './service-answers.ts';

/** A hold of the public contract. */
export type ShownHold = AnswerOf<'get /api/b2a/holds/:hold_id'>;

/** Two adults on the river walk, tomorrow: what `A_WISH` is a booking of. */
export const A_HOLD = { activity_id: 'river-walk', booking_date: TOMORROW, num_adults: 2 };

/** `A_HOLD` with a change, held with `key` and further headers. */
export function hold(service: Service, change: object = {}, headers: Credentials = {}): Promise<Answer<ShownHold>> {
  return service.post('/api/b2a/holds', { ...A_HOLD, ...change }, { ...service.key, ...headers });
}

export function readHold(service: Service, id: string, headers: Credentials = {}): Promise<Answer<ShownHold>> {
  return service.get(`/api/b2a/holds/${id}`, { ...service.key, ...headers });
}

export function letGo(service: Service, id: string, headers: Credentials = {}): Promise<Answer> {
  return service.delete(`/api/b2a/holds/${id}`, { ...service.key, ...headers });
}

/** A booking with a quote of the very same asked for first: a refusal of one is the refusal of the other. */
export async function quotedAndBooked(service: Service, change: Readonly<Record<string, unknown>>) {
  const quote = await service.post<Quote>(
    '/api/b2a/execute_booking',
    { activity_id: 'river-walk', user_email: 'ada@example.com', user_name: 'Ada Lovelace', ...change, dry_run: true },
    service.key,
  );
  return { quote, booked: await service.book(change) };
}

/** What the inventory shows free of the river walk once it knows of everything; 0 where it shows nothing. */
export async function shownFree(service: Service, date: string = TOMORROW): Promise<number> {
  const headers = { 'x-position': await service.node.stores.store.head() };
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

/** Moves the time on, a second at a time, until the reaper has given back the slots of so many holds of the river walk. */
export async function reaped(service: Service, count: number, date: string = TOMORROW): Promise<void> {
  const releases = async () =>
    (await allotmentOf(service, date)).filter(({ type, by }) => type === 'SlotsReleased' && by === 'claim-reaper');
  while ((await releases()).length < count) {
    service.clock.advance(1_000);
    // What waits for a turn of the event loop gets one.
    await new Promise(setImmediate);
  }
}
