import { type Hold, holdStatus } from '../../domain/allotment/state.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { type Refused, refused } from '../refusal.ts';

/** The hold where it can be used at a moment (ms since the epoch); else why not, and what to do instead. */
export function usable(
  id: string,
  hold: Hold | undefined,
  nowMs: number,
): { readonly kind: 'usable'; readonly hold: Hold } | Refused {
  if (hold === undefined) return holdUnknown(id);
  const status = holdStatus(hold, nowMs);
  switch (status) {
    case 'open':
      return { kind: 'usable', hold };
    case 'used': {
      const message = `hold_id "${id}" was used already; look at the booking that details names, or make a new hold.`;
      return refused('HOLD_USED', message, { details: `booking_id: ${hold.takenBy?.booking ?? 'unknown'}` });
    }
    case 'released':
    case 'expired': {
      const why = status === 'expired' ? 'is past its end' : 'was let go';
      const message = `hold_id "${id}" ${why}; make a new hold, or leave hold_id out to book what is free now.`;
      return refused('HOLD_EXPIRED', message, { details: `expires_at: ${new Date(hold.expiresAtMs).toISOString()}` });
    }
    default:
      return unreachable(status);
  }
}

/** Unknown, or another key's: which of the two is not told. */
export function holdUnknown(id: string): Refused {
  return refused('HOLD_NOT_FOUND', `hold_id "${id}" is not a hold of this key; check the id, or book without one.`);
}
