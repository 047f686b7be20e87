import type { AllotmentId } from '../../../src/domain/ids.ts';
import type { Service } from './account.ts';
import type { History } from './history.ts';
import type { Ledger } from './ledger.ts';
import { type BookingData, type InventoryData, send } from './wire.ts';

/**
 * True if the inventory of every allotment shows its capacity minus the booked guests: then the reaper has released every
 * unnamed claim and every hold.
 *
 * @param history the log at the last kill; what was booked since is in the ledger
 */
export async function settled(service: Service, history: History, ledger: Ledger): Promise<boolean> {
  const booked = guestsBooked(history, ledger);
  for (const [allotment, capacity] of history.capacities) {
    const free = capacity - (booked.get(allotment) ?? 0);
    if ((await availableSlots(service, allotment)) !== free) return false;
  }
  return true;
}

/** True if the current voucher of a booking was mailed, or is not mailed because the booking had too many mails. */
export async function mailed({ url, apiKey }: Service, id: string): Promise<boolean> {
  const answer = await send<BookingData>(`${url()}/api/b2a/bookings/${id}`, { 'x-api-key': apiKey }, null);
  return answer.kind === 'done' && (answer.data.email_sent || answer.data.email_reason === 'MAIL_LIMIT');
}

/** True if the ranking has learnt from every reported visit, or has passed it over. */
export async function learnt({ url, adminToken }: Service, { bookings, visits }: Ledger): Promise<boolean> {
  const headers = { authorization: `Bearer ${adminToken}` };
  for (const id of visits.keys()) {
    const stream = `evidence-${bookings.get(id)?.data.context_log_id ?? id}`;
    const answer = await send<object>(`${url()}/api/ops/streams/${stream}?limit=100`, headers, null);
    if (answer.kind !== 'done' || !JSON.stringify(answer.data).includes(id)) return false;
  }
  return true;
}

/** True if every read model has applied the whole log. */
export async function caughtUp({ url, adminToken }: Service): Promise<boolean> {
  const headers = { authorization: `Bearer ${adminToken}` };
  type Shown = { readonly items: readonly { readonly caught_up: boolean }[] };
  const answer = await send<Shown>(`${url()}/api/ops/projections`, headers, null);
  return answer.kind === 'done' && answer.data.items.every((projection) => projection.caught_up);
}

function guestsBooked({ bookings }: History, ledger: Ledger): ReadonlyMap<AllotmentId, number> {
  const sizes = new Map<string, readonly { readonly allotment: AllotmentId; readonly size: number }[]>();
  for (const [id, { claims }] of bookings) sizes.set(id, claims);
  for (const [id, { data }] of ledger.bookings) {
    const allotment = `${data.activity.id}-${data.booking_date}` as AllotmentId;
    const ended = data.status === 'cancelled' || data.status === 'rejected';
    sizes.set(id, ended ? [] : [{ allotment, size: data.num_adults + data.num_children }]);
  }
  const booked = new Map<AllotmentId, number>();
  for (const { allotment, size } of [...sizes.values()].flat())
    booked.set(allotment, (booked.get(allotment) ?? 0) + size);
  return booked;
}

/** Sold-out activities are not listed. */
async function availableSlots({ url, apiKey }: Service, allotment: AllotmentId): Promise<number | null> {
  const [, activity = '', date = ''] = /^(.+)-(\d{4}-\d{2}-\d{2})$/.exec(allotment) ?? [];
  const query = `${url()}/api/b2a/inventory?activity_id=${activity}&date=${date}`;
  const answer = await send<InventoryData>(query, { 'x-api-key': apiKey }, null);
  if (answer.kind === 'done') return answer.data.inventory[0]?.available_slots ?? null;
  return answer.kind === 'refused' && answer.code === 'NO_INVENTORY' ? 0 : null;
}
