import { Type } from 'typebox';
import { listBookings } from '../../../projections/bookings/query.ts';
import type { KnownKey } from '../../application/authenticate.ts';
import {
  type BookActivity,
  type Booked,
  bookActivity,
  committedBooking,
  quoteBooking,
} from '../../application/book-activity.ts';
import { bookingHistory } from '../../application/booking-history.ts';
import { withItsMail } from '../../application/mail-watch.ts';
import { readBooking } from '../../application/read-booking.ts';
import type { Refused } from '../../application/refusal.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import type { DataOf } from '../declaration.ts';
import { BOOKING_BY_ID, BOOKING_STATUSES, EXECUTE_BOOKING, LIST_BOOKINGS } from '../declarations/bookings.ts';
import { type Answer, type Call, endpoint, type FieldsOf } from '../endpoint.ts';
import { etagOf } from '../etag.ts';
import * as field from '../fields.ts';
import { form, optional } from '../form.ts';
import { freshEnough } from '../freshness.ts';
import { preferredLanguage } from '../language.ts';
import { presentBooking, presentPricing } from '../present-booking.ts';
import { presentHistory } from '../present-history.ts';

const DEFAULT_LIMIT = 20;

/** The fields of a booking request, in the order of the specification. */
export function bookingForm(context: Pick<HttpContext, 'guestLimits' | 'production'>) {
  const known = {
    activity_id: field.activityId,
    user_email: field.userEmail,
    user_name: field.userName,
    booking_date: field.bookingDate,
    num_adults: field.numAdults(context.guestLimits),
    num_children: field.numChildren(context.guestLimits),
    context_log_id: field.contextLogId,
    special_requests: field.specialRequests,
    webhook_url: field.webhookUrl(context.production),
    hold_id: field.holdId,
    dry_run: field.dryRun,
  };
  return form(known, { num_children: field.partyRule(context.guestLimits) });
}

/** POST /api/b2a/execute_booking */
export function executeBooking(context: HttpContext) {
  return endpoint(
    context,
    EXECUTE_BOOKING,
    bookingForm(context),
    async (call) => {
      const read = askedBy(call);
      if (read.kind === 'refused') return read;
      if (call.fields.dry_run === true) {
        const quote = await quoteBooking(read.asked, context);
        if (quote.kind === 'refused') return quote;
        const available = quote.availableSlots >= quote.guests;
        const { freeUntilMs, percentKept } = quote.cancellation;
        return {
          kind: 'data',
          data: {
            dry_run: true as const,
            available,
            available_slots: quote.availableSlots,
            pricing: presentPricing(quote.pricing, quote.guests),
            confirmation: quote.confirmation,
            cancellation_policy: { free_until: new Date(freeUntilMs).toISOString(), percent_kept: percentKept },
          },
        };
      }
      const booked = await bookActivity(read.asked, call.cause, context);
      return answerOf(await withItsMail(booked, call.cause, context), context);
    },
    async (call) => {
      const read = askedBy(call);
      if (read.kind === 'refused' || call.fields.dry_run === true) return null;
      const committed = await committedBooking(read.asked, context);
      return committed === null ? null : answerOf(committed, context);
    },
  );
}

/** GET /api/b2a/bookings/{booking_id} */
export function bookingById(context: HttpContext) {
  return endpoint(context, BOOKING_BY_ID, byIdShape, async ({ caller, fields, params }) => {
    const view = await readBooking(params['booking_id'] ?? '', caller.keyId, context);
    if (view.kind === 'refused') return view;
    const data = presentBooking(view, context);
    const headers = { etag: etagOf(view.booking) };
    if (fields.include === null) return { kind: 'data', data, headers };
    const history = presentHistory(await bookingHistory(view.id, context.webhooks), caller.keyId);
    return { kind: 'data', data: { ...data, history }, headers };
  });
}

const byIdShape = form({ include: field.include });

const listShape = form({
  status: optional(
    Type.Union(BOOKING_STATUSES.map((status) => Type.Literal(status))),
    `one of ${BOOKING_STATUSES.join(', ')}`,
  ),
  from: field.anyDate,
  to: field.anyDate,
  limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
  cursor: field.cursor,
});

/** GET /api/b2a/bookings: the caller's bookings, newest first; `from` and `to` are booking dates, both in the range. */
export function listOwnBookings(context: HttpContext) {
  return endpoint(context, LIST_BOOKINGS, listShape, async ({ caller, fields, headers }) => {
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    await freshEnough('bookings', headers, context);
    const page = await listBookings(context.readModels, await context.collection('bookings'), {
      keyId: caller.keyId,
      city: null,
      activityId: null,
      status: fields.status,
      from: fields.from as LocalDate | null,
      to: fields.to as LocalDate | null,
      limit: fields.limit ?? DEFAULT_LIMIT,
      after: read.cursor,
    });
    // Read models hold no personal data: what the guest is called stands in the streams.
    const views = await Promise.all(page.items.map(({ bookingId }) => readBooking(bookingId, caller.keyId, context)));
    const items = views.flatMap((view) => {
      // The streams may be a moment ahead of the list.
      if (view.kind === 'refused' || (fields.status !== null && view.booking.status !== fields.status)) return [];
      return [presentBooking(view, context)];
    });
    return { kind: 'data', data: { items, next_cursor: writeCursor(page.next) } };
  });
}

type BookingCall = Call<KnownKey, FieldsOf<ReturnType<typeof bookingForm>>>;

function askedBy({
  caller,
  fields,
  headers,
}: BookingCall): { readonly kind: 'asked'; readonly asked: BookActivity } | Refused {
  const idempotency = field.idempotencyKey(headers);
  if (idempotency.kind === 'refused') return idempotency;
  const asked = {
    keyId: caller.keyId,
    idempotencyKey: idempotency.key,
    activityId: fields.activity_id ?? '',
    date: fields.booking_date as LocalDate,
    numAdults: fields.num_adults ?? 0,
    numChildren: fields.num_children ?? 0,
    contextLogId: fields.context_log_id,
    holdId: fields.hold_id,
    guest: { name: fields.user_name ?? '', email: fields.user_email ?? '', specialRequests: fields.special_requests },
    language: preferredLanguage(headers.get('accept-language')),
    webhookUrl: fields.webhook_url,
  };
  return { kind: 'asked', asked };
}

function answerOf(booked: Booked | Refused, context: HttpContext): Answer<DataOf<typeof EXECUTE_BOOKING>> {
  if (booked.kind === 'refused') return booked;
  const headers = { etag: etagOf(booked.booking), ...commandHeaders(booked) };
  return { kind: 'data', data: presentBooking(booked, context), headers };
}
