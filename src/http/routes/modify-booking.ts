import type { KnownKey } from '../../application/authenticate.ts';
import { withItsMail } from '../../application/mail-watch.ts';
import { committedModification, type Modified, modifyBooking, type Outcome } from '../../application/modify-booking.ts';
import type { ModifyBooking } from '../../application/plan-modification.ts';
import { type ModificationQuote, quoteModification } from '../../application/quote-modification.ts';
import type { Refused } from '../../application/refusal.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import { publicChanges } from '../../webhooks/public-event.ts';
import { commandHeaders } from '../command-headers.ts';
import type { GuestLimits, HttpContext } from '../context.ts';
import type { DataOf } from '../declaration.ts';
import { MODIFY_BOOKING } from '../declarations/modify-booking.ts';
import { type Answer, type Call, endpoint, type FieldsOf } from '../endpoint.ts';
import { etagOf, ifMatch } from '../etag.ts';
import * as field from '../fields.ts';
import { clearable, form } from '../form.ts';
import { presentBooking, presentPricing } from '../present-booking.ts';

/** In the order of a booking request; what is not sent stays as it is. */
function modificationForm({ guestLimits }: Pick<HttpContext, 'guestLimits'>) {
  const known = {
    user_email: { ...field.userEmail, required: false },
    user_name: { ...field.userName, required: false },
    booking_date: field.anyDate,
    num_adults: { ...field.numAdults(guestLimits), required: false },
    num_children: field.otherNumChildren(guestLimits),
    special_requests: clearable({ ...field.specialRequests, rule: `${field.specialRequests.rule}, or null for none` }),
    dry_run: field.dryRun,
  };
  return form(known, { num_children: field.partyRule(guestLimits) });
}

/** POST /api/b2a/bookings/{booking_id}/modify */
export function modify(context: HttpContext) {
  return endpoint(
    context,
    MODIFY_BOOKING,
    modificationForm(context),
    async (call) => {
      const read = askedBy(call, context.guestLimits);
      if (read.kind === 'refused') return read;
      if (call.fields.dry_run === true) {
        const quote = await quoteModification(read.asked, call.cause, context);
        return quote.kind === 'refused' ? quote : presentQuote(quote);
      }
      const modified = await modifyBooking(read.asked, call.cause, context);
      return answerOf(await withItsMail(modified, call.cause, context), context);
    },
    async (call) => {
      const read = askedBy(call, context.guestLimits);
      if (read.kind === 'refused' || call.fields.dry_run === true) return null;
      const committed = await committedModification(read.asked, context);
      return committed === null ? null : answerOf(committed, context);
    },
  );
}

type ModificationCall = Call<KnownKey, FieldsOf<ReturnType<typeof modificationForm>>>;
type Answered = Answer<DataOf<typeof MODIFY_BOOKING>>;

function askedBy(
  { caller, fields, params, headers }: ModificationCall,
  { maxGuests }: GuestLimits,
): { readonly kind: 'asked'; readonly asked: ModifyBooking } | Refused {
  const idempotency = field.idempotencyKey(headers);
  if (idempotency.kind === 'refused') return idempotency;
  const match = ifMatch(headers);
  if (match.kind === 'refused') return match;
  const asked = {
    id: params['booking_id'] ?? '',
    keyId: caller.keyId,
    idempotencyKey: idempotency.key,
    ifVersion: match.versions,
    date: fields.booking_date as LocalDate | null,
    numAdults: fields.num_adults,
    numChildren: fields.num_children,
    name: fields.user_name,
    email: fields.user_email,
    specialRequests: fields.special_requests,
    maxGuests,
  };
  return { kind: 'asked', asked };
}

function answerOf(modified: Modified | Refused, context: HttpContext): Answered {
  if (modified.kind === 'refused') return modified;
  return {
    kind: 'data',
    data: { ...presentBooking(modified, context), ...presentOutcome(modified) },
    headers: { etag: etagOf(modified.booking), ...commandHeaders(modified) },
  };
}

function presentQuote(quote: ModificationQuote): Answered {
  const { id, booking, pricing, chargeMinor, refundMinor, available } = quote;
  const { currency } = pricing;
  return {
    kind: 'data',
    data: {
      dry_run: true as const,
      booking_id: id,
      ...presentOutcome(quote),
      charge: toDecimal(chargeMinor, currency),
      refund: toDecimal(refundMinor, currency),
      available,
    },
    headers: { etag: etagOf(booking) },
  };
}

function presentOutcome({ changes, guestBefore, guestAfter, pricing, guests }: Outcome) {
  return { changes: publicChanges(changes, guestBefore, guestAfter), new_pricing: presentPricing(pricing, guests) };
}
