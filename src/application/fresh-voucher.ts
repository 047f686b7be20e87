import type { BookingId } from '../domain/allotment/allotment.ts';
import { encodeBase32 } from '../domain/base32.ts';
import type { Hours, Voucher } from '../domain/booking/booking.ts';
import { voucherCode } from '../domain/booking/voucher-code.ts';
import type { Ids } from '../ports/ids.ts';

const VOUCHER_SECRET_BYTES = 16;

/** A voucher that nobody can guess, valid from the first instant of the booked date until the venue closes on it. */
export function freshVoucher(id: BookingId, { beginsAtMs, closesAtMs }: Hours, ids: Pick<Ids, 'secret'>): Voucher {
  return {
    code: voucherCode(id, encodeBase32(ids.secret(VOUCHER_SECRET_BYTES))),
    validFromMs: beginsAtMs,
    validUntilMs: closesAtMs,
  };
}
