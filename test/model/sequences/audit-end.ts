import type { StoredEvent } from '../../../src/ports/event-store.ts';
import { auditLog } from '../../chaos/kill/audit.ts';
import { paidMinor } from '../../chaos/kill/booking-in-log.ts';
import { readHistory } from '../../chaos/kill/history.ts';
import { freeOn, type World } from './reckoning.ts';

/** The totals of a statement in one currency, in its major unit. */
export type Total = {
  readonly currency: string;
  readonly charged: number;
  readonly refunded: number;
  readonly balance: number;
};

/** Compares the model, the log and the key's statement; returns the differences. */
export function auditEnd(world: World, log: readonly StoredEvent[], totals: readonly Total[]): readonly string[] {
  const history = readHistory(log);
  const faults = [...auditLog(history)];
  const charged = new Map<string, [charged: number, refunded: number]>();
  for (const [id, { money, facts, status }] of history.bookings) {
    const reckoned = world.bookings.get(id);
    const paid = paidMinor({ money });
    if (reckoned?.price.paidMinor !== paid || reckoned.status !== status)
      faults.push(`${id} is ${status} and has paid ${paid}; the model has ${JSON.stringify(reckoned)}`);
    for (const { type, data } of money) {
      const sums = charged.get(facts.pricing.currency) ?? [0, 0];
      sums[type === 'charge' ? 0 : 1] += data.amountMinor;
      charged.set(facts.pricing.currency, sums);
    }
  }
  if (history.bookings.size !== world.bookings.size)
    faults.push(`there are ${history.bookings.size} bookings; the model has ${world.bookings.size}`);
  const wanted = [...charged]
    .map(([currency, [sum, back]]) => ({
      currency,
      charged: sum / 100,
      refunded: back / 100,
      balance: (sum - back) / 100,
    }))
    .sort((left, right) => (left.currency < right.currency ? -1 : 1));
  if (!Bun.deepEquals(wanted, totals))
    faults.push(`the statement has ${JSON.stringify(totals)}; the streams have ${JSON.stringify(wanted)}`);
  return [...faults, ...auditSlots(world, history)];
}

/** On every date, free, reserved and held slots add up to the capacity. */
function auditSlots(world: World, { capacities, claims, holds }: ReturnType<typeof readHistory>): string[] {
  const faults: string[] = [];
  const offers = new Map(
    [...world.bookings.values(), ...world.holds.values()].map(({ offer }) => [offer.activity, offer]),
  );
  for (const [allotment, capacity] of capacities) {
    const [, activity = '', date = ''] = /^(.+)-(\d{4}-\d{2}-\d{2})$/.exec(allotment) ?? [];
    const offer = offers.get(activity);
    const reserved = [...claims.values()].filter((claim) => claim.allotment === allotment && claim.released === null);
    const held = [...holds.values()].filter(
      (hold) => hold.allotment === allotment && hold.released === null && hold.taken === null,
    );
    const taken = [...reserved, ...held].reduce((sum, { size }) => sum + size, 0);
    const free = offer === undefined ? capacity : freeOn(world, offer, date);
    if (taken + free !== capacity) faults.push(`${allotment}: ${taken} taken and ${free} free are not ${capacity}`);
  }
  return faults;
}
