import { dateAhead, type OnSale } from '../kill/catalogue.ts';
import type { BookingData, HoldData } from '../kill/wire.ts';

/** A request that can be repeated. */
export type Sent = {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly as: 'key' | 'operator' | 'gate';
  readonly body: object;
};
/** Sends a request with its own Idempotency-Key. @returns the answer */
export type Ask = <Data>(sent: Sent) => Promise<Data>;

/** The activity and dates of one case. */
export type Place = { readonly sale: OnSale; readonly days: number; readonly guest: string };

export type Way = {
  readonly name: string;
  /** Appends of its request, each to another stream; the two of an audited act go to one. */
  readonly appends: number;
  /** Prepares the state. @returns the request */
  readonly begin: (place: Place, ask: Ask) => Promise<Sent>;
};

const BOOK = '/api/b2a/execute_booking';

export const WAYS: readonly Way[] = [
  { name: 'a hold', appends: 2, begin: async (place) => byKey('/api/b2a/holds', spotOf(place)) },
  { name: 'a booking', appends: 3, begin: async (place) => byKey(BOOK, wishOf(place)) },
  {
    name: 'a booking on request',
    appends: 3,
    begin: async (place) => byKey(BOOK, { ...wishOf(place), activity_id: place.sale.onRequest }),
  },
  {
    name: 'a booking with a hold',
    appends: 3,
    begin: async (place, ask) => byKey(BOOK, { ...wishOf(place), hold_id: await held(place, ask) }),
  },
  {
    name: 'the end of a hold',
    appends: 1,
    begin: async (place, ask) => {
      const path = `/api/b2a/holds/${await held(place, ask)}`;
      return { method: 'DELETE', path, as: 'key', body: {} };
    },
  },
  { name: 'more guests', appends: 2, begin: modifying(() => ({ num_adults: 5 })) },
  { name: 'fewer guests', appends: 2, begin: modifying(() => ({ num_adults: 1 })) },
  { name: 'another date', appends: 3, begin: modifying((place) => ({ booking_date: later(place) })) },
  { name: 'another guest', appends: 3, begin: modifying(({ guest }) => ({ user_name: `${guest} the other` })) },
  {
    name: 'another date, another guest and more guests',
    appends: 4,
    begin: modifying((place) => ({ booking_date: later(place), user_name: `${place.guest} the other`, num_adults: 5 })),
  },
  {
    name: 'a cancellation',
    appends: 2,
    begin: async (place, ask) => byKey(`/api/b2a/bookings/${await booked(place, ask)}/cancel`, {}),
  },
  {
    name: 'a cancellation by the operator',
    appends: 4,
    begin: async (place, ask) => byOperator(await booked(place, ask), 'cancel', { reason: 'weather' }),
  },
  { name: 'the venue’s yes', appends: 4, begin: async (place, ask) => byOperator(await asked(place, ask), 'confirm') },
  { name: 'the venue’s no', appends: 4, begin: async (place, ask) => byOperator(await asked(place, ask), 'reject') },
  { name: 'an erasure', appends: 3, begin: async (place, ask) => byOperator(await booked(place, ask), 'erase') },
  {
    name: 'a visit',
    appends: 2,
    begin: async (place, ask) => {
      const wish = { ...wishOf(place), booking_date: place.sale.today };
      const { voucher } = await ask<BookingData>(byKey(BOOK, wish));
      return { method: 'POST', path: '/api/venue/verify', as: 'gate', body: { code: voucher?.code, gate: 'north' } };
    },
  },
];

function spotOf({ sale, days }: Place) {
  return { activity_id: sale.large[0], booking_date: dateAhead(sale, days), num_adults: 3 };
}

function wishOf(place: Place) {
  return { ...spotOf(place), user_name: place.guest, user_email: `${place.guest}@example.com` };
}

function later({ sale, days }: Place): string {
  return dateAhead(sale, days + 1);
}

function byKey(path: string, body: object): Sent {
  return { method: 'POST', path, as: 'key', body };
}

function byOperator(booking: string, verb: string, body: object = {}): Sent {
  return { method: 'POST', path: `/api/bookings/${booking}/${verb}`, as: 'operator', body };
}

function modifying(change: (place: Place) => object): Way['begin'] {
  return async (place, ask) => byKey(`/api/b2a/bookings/${await booked(place, ask)}/modify`, change(place));
}

async function held(place: Place, ask: Ask): Promise<string> {
  return (await ask<HoldData>(byKey('/api/b2a/holds', spotOf(place)))).hold_id;
}

async function booked(place: Place, ask: Ask): Promise<string> {
  return (await ask<BookingData>(byKey(BOOK, wishOf(place)))).booking_id;
}

async function asked(place: Place, ask: Ask): Promise<string> {
  const wish = { ...wishOf(place), activity_id: place.sale.onRequest };
  return (await ask<BookingData>(byKey(BOOK, wish))).booking_id;
}
