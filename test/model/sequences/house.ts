import type { Random } from '../../chaos/kill/random.ts';
import type { Choosing } from './choices.ts';
import type { Total } from './ending.ts';
import { freeOn, type World } from './reckoning.ts';

/** An answer of the service, wherever it runs: `code` is "" where it was carried out. */
export type Told = {
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

/** A service to play with, on whatever it stands. */
export type House = Pick<Choosing, 'offers'> & {
  readonly world: World;
  /** Percentage of steps that send two commands for one booking at once. */
  readonly rivalPercent: number;
  dates(): Choosing['dates'];
  /** Which request goes to which node is the house's own affair; two at once go to different ones. */
  tell(request: Request): Promise<Told>;
  /** The world as it is by now: time may have passed. */
  now(world: World): World;
  /** Lets some time pass, where time can be moved, until everything has come about that waits for it. */
  wait(world: World, random: Random): Promise<World>;
  /** Until slots that were claimed for nothing are given back, at their deadline. @throws where they are not */
  settle(world: World): Promise<World>;
  /** How long the log is; null where others write to it, too. */
  length(): Promise<string | null>;
};

/** A look at something, by the key. */
export function read(path: string): Request {
  return { method: 'GET', path, as: 'key', body: null, headers: {} };
}

/** Whether the inventory and the requests that nobody answered in time are by now as they were reckoned. */
export async function isAsReckoned(house: House, world: World): Promise<boolean> {
  const spots = house.offers.flatMap((offer) => house.dates().map((date) => ({ offer, date })));
  const free = spots.map(async ({ offer, date }) => {
    return (await freeSlots(house, offer.activity, date)) === freeOn(world, offer, date);
  });
  const refused = [...world.bookings].filter(([, { status, offer }]) => offer.onRequest && status === 'rejected');
  const told = refused.map(async ([id]) => {
    const { data } = await house.tell(read(`/api/b2a/bookings/${id}`));
    return data['status'] === 'rejected';
  });
  return (await Promise.all([...free, ...told])).every(Boolean);
}

/** Of an activity on a date; 0 where it is not listed. */
export async function freeSlots(house: House, activity: string, date: string): Promise<number> {
  const { code, data } = await house.tell(read(`/api/b2a/inventory?activity_id=${activity}&date=${date}`));
  const [item] = code === 'NO_INVENTORY' ? [] : (data['inventory'] as readonly { readonly available_slots: number }[]);
  return item?.available_slots ?? 0;
}

/** What the key's statement says it has been charged and given back. */
export async function totalsOf(house: House): Promise<readonly Total[]> {
  const { data } = await house.tell(read('/api/keys/self/statement'));
  return data['totals'] as readonly Total[];
}
