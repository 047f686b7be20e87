import type { UnpaidShare } from '../../domain/allotment/commands.ts';
import type { CountedLimit } from '../../domain/exposure/exposure.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { type Refused, refused } from '../refusal.ts';

type Over = {
  readonly used: number;
  readonly wanted: number;
  readonly bound: number;
  readonly easesAtMs: number | null;
};

/** The refusal of a hold or booking by a limit that is kept across dates. */
export function overExposure(limit: CountedLimit, over: Over): Refused {
  const { used, wanted, bound } = over;
  switch (limit) {
    case 'openHolds':
      return exposureLimit('open_holds', over, {
        message: `This API key has ${used} open holds and may have ${bound}; book with one of them or release it, then hold again.`,
        otherwise: 'a hold is used or released',
      });
    case 'refundableGuests':
      return exposureLimit('refundable_guests', over, {
        message: `This API key has ${used} guests in bookings that can still be cancelled free, and may have ${bound}; ${wanted} more are too many. Book fewer guests or a later time, or ask the operator.`,
        otherwise: 'a booking is cancelled',
      });
    default:
      return unreachable(limit);
  }
}

/** The refusal of places of one date. */
export function overUnpaidShare(over: UnpaidShare): Refused {
  const { used, wanted, bound } = over;
  return exposureLimit('unpaid_share', over, {
    message: `Holds and bookings on request of this API key take ${used} places of this date and may take ${bound}; ${wanted} more are too many. Book what is held, release it, or choose another date.`,
    otherwise: 'a hold is used or released, or the venue answers a booking',
  });
}

function exposureLimit(
  limit: string,
  { used, bound, easesAtMs }: Over,
  { message, otherwise }: { readonly message: string; readonly otherwise: string },
): Refused {
  const eases = easesAtMs === null ? `when ${otherwise}` : `${new Date(easesAtMs).toISOString()}, or when ${otherwise}`;
  return refused('EXPOSURE_LIMIT', message, {
    details: `limit: ${limit}; use: ${used}; bound: ${bound}; eases: ${eases}`,
  });
}
