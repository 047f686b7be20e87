import type { BookingView } from '../../application/booking/read-booking.ts';
import { dayOf } from '../../domain/activity/schedule.ts';
import { LANGUAGES, type Language } from '../../domain/activity/vocabulary.ts';
import { shortCodeOf } from '../../domain/booking/voucher-code.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { calendarFile } from '../../vouchers/calendar.ts';
import { bookedPrice, markedIfTest, voucherDetails, voucherQrText, voucherUrl } from '../../vouchers/details.ts';
import { MAIL_TEXTS } from '../../vouchers/mail-texts.ts';
import { voucherPage } from '../../vouchers/page.ts';
import type { VoucherState } from '../../vouchers/page-view.ts';
import type { HttpContext } from '../context.ts';
import { picturePath } from '../picture/picture-url.ts';

/** How long after the visit the page names the guest. */
const NAMED_MS = 30 * DAY_MS;

/** The voucher as an HTML page. */
export function presentPage(view: BookingView, language: Language, context: HttpContext): string {
  const { booking, guest, id } = view;
  const { facts } = booking;
  const nowMs = context.clock.nowMs();
  const activity = context.catalogue.get(facts.activityId)?.activity;
  const details = voucherDetails(booking, guest, activity, language);
  const visitedAtMs = booking.status === 'completed' ? booking.visit.verifiedAtMs : details.validUntilMs;
  return voucherPage({
    ...details,
    ...bookedPrice(facts),
    guestName: nowMs < visitedAtMs + NAMED_MS ? details.guestName : null,
    state: stateOf(view, context),
    bookingId: id,
    position: activity === undefined ? null : { lat: activity.venue.lat, lon: activity.venue.lon },
    shortCode: shortCodeOf(details.code),
    url: voucherUrl(details.code, context.publicUrl()),
    picture: activity === undefined ? null : picturePath(activity.id, 'svg'),
    support: context.supportContact,
    writtenAtMs: nowMs,
  });
}

/** The booking as a file for a calendar. */
export function presentCalendar(view: BookingView, language: Language, context: HttpContext): string {
  const { booking, guest, id } = view;
  const { facts, hours } = booking;
  const activity = context.catalogue.get(facts.activityId)?.activity;
  const details = voucherDetails(booking, guest, activity, language);
  const { booking: bookingLabel, colon } = MAIL_TEXTS[language];
  const description = [details.checkIn, `${bookingLabel}${colon}${id}`].filter((text) => text !== '');
  const isBooked = hours !== null && hours.opensAtMs < hours.closesAtMs;
  return calendarFile({
    bookingId: id,
    version: booking.version,
    cancelled: booking.status === 'cancelled',
    title: markedIfTest(details.activityTitle, details),
    description: description.join('\n\n'),
    location: [details.venueName, details.venueAddress].filter((text) => text !== '').join(', '),
    position: activity === undefined ? null : { lat: activity.venue.lat, lon: activity.venue.lon },
    hours: isBooked ? hours : activity === undefined ? null : dayOf(activity, facts.date),
    date: facts.date,
    writtenAtMs: context.clock.nowMs(),
  });
}

export function stateOf({ booking }: BookingView, { clock, signingKeys, publicUrl }: HttpContext): VoucherState {
  if (booking.status === 'cancelled') {
    const { at, refundMinor } = booking.cancellation;
    return { kind: 'cancelled', atMs: Date.parse(at), refundMinor };
  }
  if (booking.status === 'completed') return { kind: 'used', atMs: booking.visit.verifiedAtMs };
  if (clock.nowMs() >= (booking.voucher?.validUntilMs ?? 0)) return { kind: 'expired' };
  return { kind: 'valid', qrText: voucherQrText(booking, signingKeys.current, publicUrl()) };
}

/** The language that `?lang=` names, else the booking's. */
export function languageOf(request: Request, { booking }: BookingView): Language {
  const named = new URL(request.url).searchParams.get('lang')?.toLowerCase();
  return LANGUAGES.find((language) => language === named) ?? booking.facts.language;
}
