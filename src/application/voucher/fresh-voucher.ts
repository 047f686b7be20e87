import { encodeBase32 } from '../../domain/base32.ts';
import type { Hours } from '../../domain/booking/facts.ts';
import type { Voucher } from '../../domain/booking/state.ts';
import { voucherCode } from '../../domain/booking/voucher-code.ts';
import type { BookingId } from '../../domain/ids.ts';
import type { Ids } from '../../ports/ids.ts';

const SECRET_BYTES = 16;

/** A voucher with a new secret code, valid from the start of the date until the venue closes. */
export function freshVoucher(
  id: BookingId,
  { beginsAtMs, closesAtMs }: Pick<Hours, 'beginsAtMs' | 'closesAtMs'>,
  { ids }: { readonly ids: Ids },
): Voucher {
  const code = voucherCode(id, encodeBase32(ids.secret(SECRET_BYTES)));
  return { code, validFromMs: beginsAtMs, validUntilMs: closesAtMs };
}
