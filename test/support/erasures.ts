import type { ClaimRef } from '../../src/domain/booking/facts.ts';
import type { ReapClaimsCommand } from '../../src/processes/reap-claims/process-manager.ts';
import { bookingId } from './examples.ts';
import { positionAt } from './recorded.ts';

/** Of the guest of an abandoned claim. */
export function erase({ id }: Pick<ClaimRef, 'id'>): ReapClaimsCommand {
  return { type: 'EraseGuest', claimId: id };
}

/** Of the guest of `bk_1`, whose GuestErased has this place in the log. */
export function eraseFor({ id }: Pick<ClaimRef, 'id'>, place: number): ReapClaimsCommand {
  const erasure = { booking: bookingId('bk_1'), position: positionAt(place), at: '' };
  return { type: 'EraseGuest', claimId: id, erasure };
}
