import { timingSafeEqual } from 'node:crypto';
import { bookingOfCode } from '../../domain/booking/voucher-code.ts';
import { type BookingView, type ReadContext, viewOf } from '../booking/read-booking.ts';
import { type Refused, refused } from '../refusal.ts';

/** The booking whose voucher has this code. The code is the credential. */
export async function findVoucher(code: string, context: ReadContext): Promise<BookingView | Refused> {
  const id = bookingOfCode(code);
  if (id === null) return voucherNotFound();
  const view = await viewOf(id, context);
  if (view === null || (view.kind === 'booking' && !sameText(view.booking.voucher?.code ?? '', code)))
    return voucherNotFound();
  return view;
}

export function voucherNotFound(): Refused {
  return refused('VOUCHER_NOT_FOUND', 'No voucher has this code; scan the QR code again or check each character.');
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
