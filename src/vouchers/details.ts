import type { Activity } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { localTime, operatingHours } from '../domain/activity/schedule.ts';
import type { Language } from '../domain/activity/vocabulary.ts';
import type { ExistingBooking } from '../domain/booking/booking.ts';
import type { GuestDetails } from '../domain/guest/guest.ts';
import type { SigningKey } from './signing-key.ts';
import { signToken } from './token.ts';

/** What a voucher says, on its page and in its mail. All texts are plain and in its language where they have one. */
export type VoucherDetails = {
  readonly language: Language;
  /** `WM-…-…`. */
  readonly code: string;
  readonly activityTitle: string;
  readonly guestName: string;
  /** At the city, `YYYY-MM-DD`. */
  readonly date: string;
  /** `HH:MM-HH:MM`, local. */
  readonly openingHours: string;
  readonly numAdults: number;
  readonly numChildren: number;
  /** Times are shown in its zone. */
  readonly city: CityName;
  readonly venueName: string;
  readonly venueAddress: string;
  /** What to do on arrival. Line breaks are kept. */
  readonly checkIn: string;
  /** In ms since the epoch. */
  readonly validUntilMs: number;
};

/** What the voucher of a booking says; with the catalogue's entry, where that is still known. */
export function detailsOf(
  booking: Pick<ExistingBooking, 'facts' | 'hours' | 'voucher'>,
  guest: Pick<GuestDetails, 'name'>,
  activity: Activity | undefined,
): VoucherDetails {
  const { facts, voucher } = booking;
  const { language, activityId, date, numAdults, numChildren, city, venueId } = facts;
  const text = activity?.texts[language];
  return {
    language,
    code: voucher?.code ?? '',
    activityTitle: text?.title ?? activityId,
    guestName: guest.name,
    date,
    openingHours: bookedHours(booking, activity),
    numAdults,
    numChildren,
    city,
    venueName: activity?.venue.name ?? venueId,
    venueAddress: activity?.venue.address ?? '',
    checkIn: text?.checkIn ?? '',
    validUntilMs: voucher?.validUntilMs ?? 0,
  };
}

/**
 * The hours that were booked, whatever the catalogue says by now: those that the voucher is valid by. Of a booking of a
 * version that did not note when its venue opens, the catalogue's; empty where that is not known either.
 */
function bookedHours(
  { facts, hours }: Pick<ExistingBooking, 'facts' | 'hours'>,
  activity: Activity | undefined,
): string {
  if (hours !== null && hours.opensAtMs < hours.closesAtMs)
    return `${localTime(facts.city, hours.opensAtMs)}-${localTime(facts.city, hours.closesAtMs)}`;
  return activity === undefined ? '' : operatingHours(activity, facts.date);
}

/** The token in the QR code of a booking's voucher. */
export function tokenOf({ facts, voucher }: Pick<ExistingBooking, 'facts' | 'voucher'>, key: SigningKey): string {
  const { code, validUntilMs } = voucher ?? { code: '', validUntilMs: 0 };
  const { venueId, date, numAdults, numChildren } = facts;
  return signToken({ code, venueId, date, validUntilMs, numAdults, numChildren }, key);
}
