import { numberAt, textAt } from '../../../../src/cli/journey/json.ts';
import type { Answer } from './lies.ts';

export type Asked = { readonly body: unknown; readonly headers: Headers; readonly query: URLSearchParams };
export type Handler = (asked: Asked) => Answer | Promise<Answer>;

type Tools = {
  readonly data: (of: object) => Answer;
  readonly refused: (status: number, code: string) => Answer;
  readonly deliver: (event: string, sequence: number, told: object) => Promise<void>;
};

const ID = 'bk_2';
const EACH = 1200;
const EXPIRES = '2026-11-21T03:10:00.000Z';
const FREE_UNTIL = '2026-11-30T03:00:00.000Z';

/** The second booking of the script: for one who holds a place on another day, then for two, then for nobody. */
export function scriptedTrip({ data, refused, deliver }: Tools) {
  const state = { date: '', adults: 1, version: 1, used: false, cancelled: false };
  const priceOf = (guests: number) => ({
    unit_price: EACH,
    total_guests: guests,
    total: EACH * guests,
    currency: 'THB',
  });
  const hold = () => ({
    hold_id: 'hd_1',
    activity_id: 'bkk-jazz',
    booking_date: state.date,
    num_adults: 1,
    num_children: 0,
    expires_at: EXPIRES,
    pricing: priceOf(1),
    status: state.used ? 'used' : 'open',
  });
  const booking = () => ({
    booking_id: ID,
    status: state.cancelled ? 'cancelled' : 'confirmed',
    voucher: { code: 'WM-BK2-SECRET' },
    pricing: priceOf(state.adults),
    booking_date: state.date,
    num_adults: state.adults,
  });
  const seen = (): Answer => ({ ...data(booking()), headers: { etag: `"${state.version}"` } });
  const refund = { reason: 'user_requested', refund_amount: 2 * EACH, currency: 'THB' };
  const money = (type: string, amount: number) => ({ type, booking_id: ID, amount, currency: 'THB' });
  const handlers: Readonly<Record<string, Handler>> = {
    'POST /api/b2a/holds': ({ body }) => {
      state.date = textAt(body, 'booking_date');
      return data(hold());
    },
    'GET /api/b2a/holds/hd_1': () => data(hold()),
    [`GET /api/b2a/bookings/${ID}`]: seen,
    [`POST /api/b2a/bookings/${ID}/modify`]: async ({ body, headers }) => {
      if (headers.get('if-match') !== `"${state.version}"`) return refused(409, 'REVISION_CONFLICT');
      const changes = { num_adults: { from: state.adults, to: numberAt(body, 'num_adults') } };
      state.adults = changes.num_adults.to;
      state.version++;
      const new_pricing = priceOf(state.adults);
      await deliver('booking_modified', 5, { booking_id: ID, modified_by: 'user', changes, new_pricing });
      return data({ ...booking(), changes, new_pricing });
    },
    [`POST /api/b2a/bookings/${ID}/cancel`]: async ({ body }) => {
      const quoted = { dry_run: true, booking_id: ID, status: 'confirmed', ...refund, free_until: FREE_UNTIL };
      if (JSON.stringify(body).includes('"dry_run":true')) return data(quoted);
      if (!state.cancelled) {
        const told = { booking_id: ID, ...refund, cancellation_reason: refund.reason };
        await deliver('booking_cancelled', 8, told);
      }
      state.cancelled = true;
      return data({ booking_id: ID, status: 'cancelled', ...refund });
    },
    'GET /api/keys/self/statement': () => {
      const items = [
        { ...money('charge', 2 * EACH), booking_id: 'bk_1' },
        money('charge', EACH),
        money('charge', EACH),
      ];
      return data({ items: [...items, money('refund', 2 * EACH)], next_cursor: null });
    },
  };
  return {
    handlers,
    /** What execute_booking answers to a request that names the hold. */
    book(): Answer {
      state.used = true;
      return data(booking());
    },
  };
}
