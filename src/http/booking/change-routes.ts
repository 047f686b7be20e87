import { Elysia } from 'elysia';
import { type CancelBooking, cancelBooking, quoteCancellation } from '../../application/booking/cancel-booking.ts';
import { awaitVoucherMail } from '../../application/booking/mail-notifier.ts';
import { committedModification, type Modified, modifyBooking } from '../../application/booking/modify-booking.ts';
import { quoteModification } from '../../application/booking/quote-modification.ts';
import type { Refused } from '../../application/refusal.ts';
import { access } from '../access.ts';
import type { Call } from '../call.ts';
import type { HttpContext } from '../context.ts';
import { dateOf } from '../fields.ts';
import { CANCEL_BOOKING_ANSWER, CANCELLATION_BODY, MODIFY_BOOKING_ANSWER, modificationBody } from './change-schema.ts';
import {
  bookingHeaders,
  presentCancellationQuote,
  presentCancelled,
  presentModificationQuote,
  presentModified,
} from './present.ts';
import { BOOKING_PATH } from './schema.ts';

/** Changing and cancelling a booking of the caller's own key. */
export function bookingChangeRoutes(context: HttpContext) {
  return new Elysia({ name: 'booking-change', tags: ['Bookings'] }).use(modifyRoute(context)).use(cancelRoute(context));
}

function modifyRoute(context: HttpContext) {
  const { guestLimits } = context;
  return new Elysia().use(access(context)).post(
    '/api/b2a/bookings/:booking_id/modify',
    async ({ params, body, key, idempotencyKey, ifVersions, call }) => {
      const { cause, overQuota } = call;
      const dryRun = body.dry_run === true;
      const request = {
        id: params.booking_id,
        keyId: key.keyId,
        idempotencyKey,
        ifVersions,
        date: body.booking_date === undefined ? null : dateOf(body.booking_date),
        numAdults: body.num_adults ?? null,
        numChildren: body.num_children ?? null,
        name: body.user_name ?? null,
        email: body.user_email ?? null,
        specialRequests: body.special_requests,
        maxGuests: guestLimits.maxGuests,
      };
      const answer = (outcome: Modified | Refused) =>
        call.reply(outcome, (modified) => presentModified(modified, context), bookingHeaders);
      if (overQuota !== null)
        return answer(await call.pastQuota(dryRun ? null : await committedModification(request, context)));
      if (dryRun)
        return call.reply(await quoteModification(request, cause, context), presentModificationQuote, bookingHeaders);
      return answer(await awaitVoucherMail(await modifyBooking(request, cause, context), cause, context));
    },
    {
      apiKey: { permission: 'execute_booking', repeatsPastQuota: true },
      idempotent: true,
      ifMatch: true,
      params: BOOKING_PATH,
      body: modificationBody(guestLimits),
      response: MODIFY_BOOKING_ANSWER,
      detail: {
        operationId: 'modify_booking',
        summary: 'Change a booking',
        description: [
          'Send the fields to change; the others stay. If nothing differs, `changes` is empty and nothing is written. A ' +
            'booking can be changed until its guests have been verified at the venue, it is cancelled or rejected, or ' +
            'its date is over.',
          'A new date and more guests follow the rules of a new booking. The price per person stays as long as the date ' +
            'stays; another date has its own price. A higher total is charged, a lower one is refunded by the ' +
            'cancellation policy of the old date. `dry_run: true` returns all that, and changes nothing.',
          'If the venue confirms on request, a confirmed booking takes neither another date nor more guests: cancel it ' +
            'and make a new booking.',
          'The voucher keeps its code, and a QR code that was sent before stays valid, for the new date; the voucher is ' +
            'mailed again.',
          'Of two concurrent changes one is refused with `REVISION_CONFLICT`. Send the `ETag` that you know as ' +
            '`If-Match` to change only the version that you have read, and an `Idempotency-Key` so that a repeated ' +
            'request changes nothing twice.',
        ].join('\n\n'),
      },
    },
  );
}

function cancelRoute(context: HttpContext) {
  return new Elysia().use(access(context)).post(
    '/api/b2a/bookings/:booking_id/cancel',
    async ({ params, body, key, idempotencyKey, ifVersions, call }) => {
      const reason = body.reason ?? 'user_requested';
      const request = { id: params.booking_id, asker: key.keyId, reason, idempotencyKey, ifVersions };
      return cancelOrQuote(request, body.dry_run === true, call, context);
    },
    {
      apiKey: 'execute_booking',
      idempotent: true,
      ifMatch: true,
      params: BOOKING_PATH,
      body: CANCELLATION_BODY,
      response: CANCEL_BOOKING_ANSWER,
      detail: {
        operationId: 'cancel_booking',
        summary: 'Cancel a booking',
        description: [
          "The refund follows from the activity's policy: the whole price until a number of hours before opening on the " +
            "booking date, at the city's time; a part of it, or nothing, after that. `dry_run: true` returns what the " +
            'same request would refund now, and writes nothing.',
          'The voucher is void, and the slots are free again. A booking that is already cancelled does not change: the ' +
            'answer is that of the first cancellation, with `Idempotent-Replayed: true`. A `pending` booking can be ' +
            'cancelled too; nothing was charged for it.',
          'The only `reason` of an API key is `user_requested`; the others are the operator’s, and refund in full.',
          'Send the `ETag` of the booking that you have read as `If-Match`: a booking that has changed since is not ' +
            'cancelled.',
        ].join('\n\n'),
      },
    },
  );
}

/** Cancels a booking, or returns what that would refund: the same for an agent and for the operator. */
export async function cancelOrQuote(request: CancelBooking, dryRun: boolean, call: Call, context: HttpContext) {
  return dryRun
    ? call.reply(await quoteCancellation(request, context), presentCancellationQuote, bookingHeaders)
    : call.reply(await cancelBooking(request, call.cause, context), presentCancelled, bookingHeaders);
}
