import type { Activity, CancellationPolicy } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import type { Currency } from '../domain/activity/money.ts';
import { amounts } from '../domain/activity/pricing.ts';
import { localTime, operatingHours } from '../domain/activity/schedule.ts';
import type { Language } from '../domain/activity/vocabulary.ts';
import { guestsOf } from '../domain/booking/facts.ts';
import type { ExistingBooking } from '../domain/booking/state.ts';
import { isTestCode } from '../domain/booking/voucher-code.ts';
import type { GuestDetails } from '../domain/guest/guest.ts';
import type { SigningKey } from './signing-key.ts';
import { signToken } from './token.ts';

/** The content of a voucher, for its page and its mail. Texts are plain (no markup) and in the voucher's language. */
export type VoucherDetails = {
  readonly language: Language;
  /** `WM-…-…`, of a test booking `WT-…-…`. */
  readonly code: string;
  /** A voucher of a test booking admits nobody. */
  readonly test: boolean;
  readonly activityTitle: string;
  readonly guestName: string;
  /** Local date of the city, `YYYY-MM-DD`. */
  readonly date: string;
  /** `HH:MM-HH:MM`, local. */
  readonly openingHours: string;
  readonly numAdults: number;
  readonly numChildren: number;
  /** Its time zone is used for all times. */
  readonly city: CityName;
  readonly venueName: string;
  readonly venueAddress: string;
  /** Check-in instructions. Line breaks are kept. */
  readonly checkIn: string;
  /** In ms since the epoch. */
  readonly validUntilMs: number;
};

/** What a booking costs. Amounts in minor units of the currency. */
export type BookedPrice = {
  readonly totalMinor: number;
  /** The discount included in the total; 0 without one. */
  readonly discountMinor: number;
  /** What a cancellation by the guest never refunds; 0 for none. */
  readonly retainedMinor: number;
  readonly currency: Currency;
  readonly cancellation: CancellationPolicy;
};

export function bookedPrice(facts: ExistingBooking['facts']): BookedPrice {
  const { pricing, cancellation } = facts;
  const { totalMinor, discountMinor } = amounts(pricing, guestsOf(facts));
  const retainedMinor = pricing.retainedMinor ?? 0;
  return { totalMinor, discountMinor, retainedMinor, currency: pricing.currency, cancellation };
}

/**
 * The content of a booking's voucher. Without a catalogue entry, ids replace the names.
 *
 * @param language of the texts; by default the booking's
 */
export function voucherDetails(
  booking: Pick<ExistingBooking, 'facts' | 'hours' | 'voucher'>,
  guest: Pick<GuestDetails, 'name'>,
  activity: Activity | undefined,
  language: Language = booking.facts.language,
): VoucherDetails {
  const { facts, voucher } = booking;
  const { activityId, date, numAdults, numChildren, city, venueId } = facts;
  const text = activity?.texts[language];
  return {
    language,
    code: voucher?.code ?? '',
    test: isTestCode(voucher?.code ?? ''),
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
 * The opening hours at the time of booking; the voucher's validity depends on them. A booking stored by a version that did
 * not record them uses the catalogue's current hours; empty without a catalogue entry.
 */
function bookedHours(
  { facts, hours }: Pick<ExistingBooking, 'facts' | 'hours'>,
  activity: Activity | undefined,
): string {
  if (hours !== null && hours.opensAtMs < hours.closesAtMs)
    return `${localTime(facts.city, hours.opensAtMs)}-${localTime(facts.city, hours.closesAtMs)}`;
  return activity === undefined ? '' : operatingHours(activity, facts.date);
}

/** The address of a voucher's page. A masked code is encoded. `publicUrl` has no trailing slash. */
export function voucherUrl(code: string, publicUrl: string): string {
  return `${publicUrl}/api/vouchers/${encodeURIComponent(code)}`;
}

/**
 * The text of the QR code of a booking's voucher: the address of its page, and the token as its fragment, which browsers
 * do not send. Any phone opens the page with it, and a gate reads the token.
 */
export function voucherQrText(
  booking: Pick<ExistingBooking, 'facts' | 'voucher' | 'version'>,
  key: SigningKey,
  publicUrl: string,
): string {
  return `${voucherUrl(booking.voucher?.code ?? '', publicUrl)}#${voucherToken(booking, key)}`;
}

function voucherToken(
  { facts, voucher, version }: Pick<ExistingBooking, 'facts' | 'voucher' | 'version'>,
  key: SigningKey,
): string {
  const { code, validUntilMs } = voucher ?? { code: '', validUntilMs: 0 };
  const { venueId, date, numAdults, numChildren } = facts;
  return signToken({ code, venueId, date, validUntilMs, numAdults, numChildren, revision: version }, key);
}

/** Stands before the title of a test booking's voucher and the subject of its mail, in every language. */
const TEST_MARK = '[TEST] ';

export function markedIfTest(text: string, { test }: Pick<VoucherDetails, 'test'>): string {
  return test ? `${TEST_MARK}${text}` : text;
}
