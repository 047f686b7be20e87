import { timingSafeEqual } from 'node:crypto';
import { bookingsByShortCode } from '../../../projections/bookings/query.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import { bookingOfCode, shortCodeOf } from '../../domain/booking/voucher-code.ts';
import type { DeviceId } from '../../domain/ids.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { type BookingView, type ReadContext, viewOf } from '../booking/read-booking.ts';
import { type Throttles, tooMany } from '../key/address-throttle.ts';
import { type Refused, refused } from '../refusal.ts';

/** How long a short code that is not found waits for the read model. */
const CATCH_UP_MS = 2_000;

type ShortCode = { readonly venueId: VenueId; readonly shortCode: string };

type ShortCodeContext = ReadContext & {
  readonly throttles: Pick<Throttles, 'shortCodes'>;
  readonly readModels: Pick<ReadModelStore, 'find'>;
  readonly collection: (projection: 'bookings') => Promise<string>;
  readonly caughtUp: (projection: 'bookings', timeoutMs: number) => Promise<boolean>;
};

/** The booking whose voucher has this code. The code is the credential. */
export async function findVoucher(code: string, context: ReadContext): Promise<BookingView | Refused> {
  const id = bookingOfCode(code);
  if (id === null) return voucherNotFound();
  const view = await viewOf(id, context);
  if (view === null || (view.kind === 'booking' && !sameText(view.booking.voucher?.code ?? '', code)))
    return voucherNotFound();
  return view;
}

/**
 * The code of the voucher with this short code, of a booking at the venue. The read model finds the booking; if it finds none,
 * once more after it has what the log holds now. A device that sends many must wait.
 */
export async function codeOfShortCode(
  typed: ShortCode,
  deviceId: DeviceId,
  context: ShortCodeContext,
): Promise<{ readonly kind: 'code'; readonly code: string } | Refused> {
  const { throttles, clock } = context;
  const waitMs = throttles.shortCodes.take(deviceId, clock.nowMs());
  if (waitMs > 0) return tooMany('short codes', deviceId, waitMs);
  const first = await lookUp(typed, context);
  if (first !== null) return first;
  await context.caughtUp('bookings', CATCH_UP_MS);
  const second = await lookUp(typed, context);
  if (second !== null) return second;
  return voucherNotFound();
}

async function lookUp(typed: ShortCode, context: ShortCodeContext) {
  for (const id of await bookingsByShortCode(context.readModels, await context.collection('bookings'), typed)) {
    const view = await viewOf(id, context);
    if (view?.kind === 'refused') return view;
    const code = view?.booking.voucher?.code ?? '';
    if (sameText(shortCodeOf(code) ?? '', typed.shortCode)) return { kind: 'code', code } as const;
  }
  return null;
}

export function voucherNotFound(): Refused {
  return refused('VOUCHER_NOT_FOUND', 'No voucher has this code; scan the QR code again or check each character.');
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
