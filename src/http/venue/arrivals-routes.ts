import { Elysia } from 'elysia';
import { type Refused, refused } from '../../application/refusal.ts';
import { type Arrival, listArrivals } from '../../application/venue/list-arrivals.ts';
import { recordArrivals } from '../../application/venue/record-arrivals.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import { addDays } from '../../domain/activity/schedule.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { hashOfCode } from '../../vouchers/revocation-list.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { dateOf } from '../fields.ts';
import * as schema from './arrivals-schema.ts';
import { presentHours } from './present-hours.ts';
import { todayAt, venueOf } from './today.ts';

/** The bookings of a day for the devices of their venue. */
export function arrivalsRoutes(context: HttpContext) {
  return new Elysia({ name: 'arrivals', tags: ['Gate'] })
    .use(access(context))
    .post(
      '/api/venue/arrivals',
      async ({ body, device, call }) => {
        const arrival = { bookingId: body.booking_id, guestsPresent: body.guests_present };
        const recorded = await recordArrivals(arrival, device, call.cause, context);
        return call.reply(
          recorded,
          ({ id, booking }) => {
            const counts = { guests_present: booking.guestsPresent, num_guests: guestsOf(booking.facts) };
            return { booking_id: id, ...counts };
          },
          commandHeaders,
        );
      },
      {
        device: true,
        body: schema.ARRIVAL_BODY,
        response: schema.ARRIVED_ANSWER,
        detail: schema.RECORD_ARRIVALS_DETAIL,
      },
    )
    .get(
      '/api/venue/arrivals',
      async ({ query, device, call }) => {
        const { venueId, mode } = device;
        const today = todayAt(venueId, context);
        const date = query.date === undefined ? today : dateOf(query.date);
        if (date < addDays(today, -1) || date > addDays(today, 1)) return call.refuse(otherDay(date, today));
        const issuedAt = new Date(context.clock.nowMs()).toISOString();
        const limit = query.limit ?? schema.DEFAULT_ARRIVALS;
        const page = await listArrivals({ venueId, date, mode, limit, after: readCursor(query.cursor) }, context);
        return call.reply(page, ({ items, next }) => {
          const arrivals = items.map((arrival) => presentArrival(arrival, context));
          const { venueName, timeZone, admitAtOnce } = venueOf(venueId, context);
          const about = {
            venue_id: venueId,
            venue_name: venueName,
            time_zone: timeZone,
            device_name: device.name,
            mode,
            admit_at_once: admitAtOnce,
          };
          return { ...about, date, issued_at: issuedAt, items: arrivals, next_cursor: writeCursor(next) };
        });
      },
      {
        positioned: ['bookings', 'guests'],
        device: true,
        query: schema.arrivalsQuery(context),
        response: schema.ARRIVALS_ANSWER,
        detail: schema.ARRIVALS_DETAIL,
      },
    );
}

function otherDay(date: LocalDate, today: LocalDate): Refused {
  return refused(
    'INVALID_DATE',
    `date ${date} is more than one day from today at the venue, ${today}; send a date from ${addDays(today, -1)} to ${addDays(today, 1)}, or leave it out for today.`,
  );
}

function presentArrival({ booking, guest }: Arrival, { catalogue }: Pick<HttpContext, 'catalogue'>) {
  const { activityId, language, hours, numAdults, numChildren, visit, voucher } = booking;
  const numGuests = guestsOf(booking);
  return {
    booking_id: booking.bookingId,
    status: booking.status,
    revision: booking.version,
    code_hash: hashOfCode(voucher.code),
    activity_id: activityId,
    activity_title: catalogue.get(activityId)?.activity.texts[language].title ?? activityId,
    ...presentHours(hours),
    valid_until: new Date(voucher.validUntilMs).toISOString(),
    user_name: guest.name,
    special_requests: guest.specialRequests,
    num_adults: numAdults,
    num_children: numChildren,
    num_guests: numGuests,
    guests_present: visit?.guestsPresent ?? 0,
    verified_at: visit?.at ?? null,
  };
}
