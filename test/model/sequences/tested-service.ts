import type { Random } from '../../chaos/kill/random.ts';
import type { Total } from './audit-end.ts';
import type { Choosing } from './choices.ts';
import { freeOn, type World } from './reckoning.ts';

/** An answer of the service; `code` is "" for a success. */
export type ServiceAnswer = {
  readonly code: string;
  readonly error: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly replayed: boolean;
};

export type Request = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly as: 'key' | 'operator' | 'gate';
  readonly body: object | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** The service under test, on one node or several. */
export type TestedService = Pick<Choosing, 'offers'> & {
  readonly world: World;
  /** Percentage of steps that send two commands for one booking at once. */
  readonly rivalPercent: number;
  dates(): Choosing['dates'];
  /** Sends a request to any node; concurrent requests go to different ones. */
  send(request: Request): Promise<ServiceAnswer>;
  /** The model at the current time. */
  now(world: World): World;
  /** Moves the clock, if it can be moved, and waits until the background work for the new time is done. */
  wait(world: World, random: Random): Promise<World>;
  /** Waits until the reaper has released unused claims. @throws Error if it does not */
  settle(world: World): Promise<World>;
  /** What commands wrote to the log, as a text to compare; null if others write to it. */
  length(): Promise<string | null>;
};

/** A GET request with the key. */
export function read(path: string): Request {
  return { method: 'GET', path, as: 'key', body: null, headers: {} };
}

/** Whether the inventory and the rejected requests are as the model says. */
export async function matchesModel(tested: TestedService, world: World): Promise<boolean> {
  const spots = tested.offers.flatMap((offer) => tested.dates().map((date) => ({ offer, date })));
  const free = spots.map(async ({ offer, date }) => {
    return (await freeSlots(tested, offer.activity, date)) === freeOn(world, offer, date);
  });
  const refused = [...world.bookings].filter(([, { status, offer }]) => offer.onRequest && status === 'rejected');
  const rejected = refused.map(async ([id]) => {
    const { data } = await tested.send(read(`/api/b2a/bookings/${id}`));
    return data['status'] === 'rejected';
  });
  return (await Promise.all([...free, ...rejected])).every(Boolean);
}

/** Free slots of an activity on a date; 0 if the inventory does not list it. */
export async function freeSlots(tested: TestedService, activity: string, date: string): Promise<number> {
  const { code, data } = await tested.send(read(`/api/b2a/inventory?activity_id=${activity}&date=${date}`));
  const [item] = code === 'NO_INVENTORY' ? [] : (data['inventory'] as readonly { readonly available_slots: number }[]);
  return item?.available_slots ?? 0;
}

/** Charges and refunds of the key's statement. */
export async function totalsOf(tested: TestedService): Promise<readonly Total[]> {
  const { data } = await tested.send(read('/api/keys/self/statement'));
  return data['totals'] as readonly Total[];
}
