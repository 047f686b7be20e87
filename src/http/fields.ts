import { type TInteger, type TOptional, type TSchema, Type } from 'typebox';
import { isAddressRange } from '../application/key/address-ranges.ts';
import type { ErrorCode } from '../application/refusal.ts';
import type { LocalDate } from '../domain/activity/activity.ts';
import { CITY_NAMES, isCityName } from '../domain/activity/cities.ts';
import { findCity } from '../domain/activity/find-place.ts';
import { unknownPlace } from '../domain/activity/nearest-places.ts';
import { parseLocalDate } from '../domain/activity/schedule.ts';
import { CATEGORIES } from '../domain/activity/vocabulary.ts';
import { DAY_MS } from '../eventsourcing/durations.ts';
import { mailAddressOf } from '../ports/mail-address.ts';
import { destinations } from '../webhooks/destination.ts';
import { BOOKING_STATUS, BOOKING_STATUSES, CATEGORY, oneOf } from './answer-fields.ts';
import type { GuestLimits } from './context.ts';
import { parseCursor } from './cursor.ts';
import { optional, type Rule, required, understood } from './schema.ts';

/** Outside these years, ISO 8601 needs a signed six-digit year. Such texts no longer sort by time. */
const [FIRST_MS, LAST_MS] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];
export const TIMESTAMP = Type.Refine(Type.String({ maxLength: 40 }), (text) => parseTimestamp(text) !== null);
const MOMENT = Type.Refine(Type.String({ maxLength: 40 }), (text) => parseMoment(text) !== null);
const MOMENT_RULE = 'a date as YYYY-MM-DD (UTC) or an ISO 8601 timestamp with a zone';
/** Typed clients can send any text, so the type is no enumeration. */
const CITY = Type.Refine(Type.String({ minLength: 1, maxLength: 80 }), isCityName);
export const TIMESTAMP_RULE = 'an ISO 8601 timestamp with a zone';

export const activityId = required(Type.String({ minLength: 1, maxLength: 80 }), 'an activity_id from inventory');
/** For a filter of a list. */
export const anyActivityId = optional(Type.String({ minLength: 1, maxLength: 80 }), 'an activity id');
export const cityName = cityField('city', 'INVALID_CITY');
export const anyMoment = optional(MOMENT, MOMENT_RULE, 'INVALID_DATE');
export const moment = required(MOMENT, MOMENT_RULE, 'INVALID_DATE');
/** The rule of a range: `from` is not after `to`. Both are days, which the range includes, or timestamps. */
export const rangeRules = {
  to({ from, to }) {
    const [first, last] = [momentIn(from), momentIn(to)];
    if (first === null || last === null || first.fromMs <= last.lastMs) return null;
    const sentence = `from ${String(from)} is after to ${String(to)}; send a from that is not after to.`;
    return { code: 'INVALID_REQUEST', sentence };
  },
} as const satisfies Readonly<Record<string, Rule>>;
export const category = optional(CATEGORY, `one of ${CATEGORIES.join(', ')}`);
export const bookingStatus = optional(BOOKING_STATUS, `one of ${BOOKING_STATUSES.join(', ')}`);
export const contextLogId = optional(Type.String({ maxLength: 80 }), 'the log_id of a recommendation');
export const holdId = optional(Type.String({ maxLength: 80 }), 'the id of a hold');
/** An empty list would refuse the key from every address. */
export const ipAllowlist = optional(
  Type.Array(
    Type.Refine(Type.String({ maxLength: 50 }), (text) => isAddressRange(text)),
    { minItems: 1, maxItems: 100, description: 'The addresses from which a key of the plan `enterprise` may be used.' },
  ),
  'a list of 1 to 100 IP addresses and CIDR ranges (203.0.113.0/24, 2001:db8::/32)',
);
export const cursor = optional(
  Type.Refine(Type.String({ maxLength: 500 }), (text) => parseCursor(text) !== null),
  'the next_cursor of an earlier answer',
);
const EMAIL = Type.Refine(
  Type.String({
    maxLength: 254,
    pattern: '^[^\\s@<>"(),;:\\\\]+@[^\\s@<>"(),;:\\\\.]+(\\.[^\\s@<>"(),;:\\\\.]+)+$',
  }),
  (text) => mailAddressOf(text) === text,
);
export const userEmail = understood(required(EMAIL, 'a valid e-mail address', 'INVALID_EMAIL'), takeMailAddress);
export const contactEmail = understood(optional(EMAIL, 'a valid e-mail address'), takeMailAddress);
export const userName = required(
  Type.String({ maxLength: 200, pattern: '\\S' }),
  "the guest's name, 1 to 200 characters in one line",
);
export const specialRequests = optional(
  Type.String({ maxLength: 1_000 }),
  'a text of at most 1000 characters in one line',
);
export const expectedTotal = optional(
  Type.Number({
    minimum: 0,
    maximum: 1_000_000_000_000,
    description: 'The total that the user agreed to: `pricing.total`. Another one is refused with `PRICE_CHANGED`.',
  }),
  "a total in the activity's currency, as a number",
);
const REFERENCE = Type.String({ minLength: 1, maxLength: 100 });
export const reference = optional(REFERENCE, 'your own name for the booking: 1 to 100 characters in one line');
export const anyReference = optional(REFERENCE, 'the reference of a booking, 1 to 100 characters');
export const include = optional(Type.Literal('history'), 'history');
/** From 1 to the booked guests, which the booking knows. */
export function guestsPresent(presence: 'required'): TInteger;
export function guestsPresent(presence: 'optional'): TOptional<TInteger>;
export function guestsPresent(presence: 'required' | 'optional'): TInteger | TOptional<TInteger> {
  const count = Type.Integer({ minimum: 1, maximum: 1_000, description: 'From 1 to the booked guests.' });
  const rule = 'a whole number from 1 to the booked guests';
  return presence === 'required' ? required(count, rule) : optional(count, rule);
}
export const dryRun = optional(Type.Boolean({ description: 'Returns a quote and changes nothing.' }), 'true or false');

/** One of several names. */
export function choice<const Name extends string>(
  names: readonly Name[],
  { code, ...options }: { readonly code?: ErrorCode; readonly default?: Name } = {},
) {
  return optional(oneOf(names, options), `one of ${names.join(', ')}`, code);
}

/** The maximum number of items in an answer. */
export function limit(maximum: number, byDefault: number) {
  return optional(Type.Integer({ minimum: 1, maximum, default: byDefault }), `a whole number from 1 to ${maximum}`);
}

export function numAdults({ maxAdults }: GuestLimits) {
  return required(
    Type.Integer({ minimum: 1, maximum: maxAdults }),
    `a whole number from 1 to ${maxAdults}`,
    tooManyOver(maxAdults),
  );
}

export function numChildren({ maxChildren }: GuestLimits) {
  return childrenOf(Type.Integer({ minimum: 0, maximum: maxChildren, default: 0 }), maxChildren);
}

/** For a change of a booking. There is no default: a number that is left out does not change. */
export function otherNumChildren({ maxChildren }: GuestLimits) {
  return childrenOf(Type.Integer({ minimum: 0, maximum: maxChildren }), maxChildren);
}

/** All guests of a visit, children included. */
export function numGuests({ maxGuests }: GuestLimits) {
  return optional(
    Type.Integer({ minimum: 1, maximum: maxGuests, default: 1, description: 'Children included.' }),
    `a whole number from 1 to ${maxGuests}`,
    tooManyOver(maxGuests),
  );
}

function childrenOf<S extends TSchema>(schema: S, maxChildren: number) {
  return optional(schema, `a whole number from 0 to ${maxChildren}`, tooManyOver(maxChildren));
}

/** Checks adults and children together. The rule belongs to `num_children`. */
export function partyRule({ maxAdults, maxGuests }: GuestLimits): Rule {
  return ({ num_adults: adults, num_children: children }) => {
    const guests = countOf(adults) + countOf(children);
    // The schema of num_adults already reports too many adults.
    if (!(guests > maxGuests) || countOf(adults) > maxAdults) return null;
    const sentence = `num_adults and num_children are ${guests} guests together; one booking takes at most ${maxGuests}. Make several bookings.`;
    return { code: 'BOOKING_LIMIT_EXCEEDED', sentence };
  };
}

/** Returns 0 for a non-number: its own field reports it. Never converts it: a sent object may override `valueOf`. */
function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** The URL of a webhook receiver. */
export function webhookUrl(production: boolean) {
  const place = production
    ? 'an https:// URL of a public host'
    : 'an http:// or https:// URL of a public host or this machine';
  const { faultOf } = destinations(production);
  return optional(
    Type.Refine(Type.String({ maxLength: 2_000 }), (text) => faultOf(text) === null),
    `${place}, without user name and password, at most 2000 characters`,
  );
}

function tooManyOver(maximum: number) {
  return (value: unknown): ErrorCode =>
    typeof value === 'number' && Number.isInteger(value) && value > maximum
      ? 'BOOKING_LIMIT_EXCEEDED'
      : 'INVALID_REQUEST';
}

/** A city. Other names, other languages and districts are understood; a misspelt one is refused with the nearest. */
export function cityField(name: string, code: ErrorCode) {
  return understood(
    optional(CITY, `one of ${CITY_NAMES.join(', ')}`, code),
    (value) => (isPlaceText(value) ? (findCity(value) ?? undefined) : undefined),
    (value) => {
      if (!isPlaceText(value)) return null;
      const { sentence, cities } = unknownPlace(name, value);
      return { code, sentence, alternatives: cities.map((city) => ({ city })) };
    },
  );
}

/** Other spellings of a domain: upper case, Unicode. */
function takeMailAddress(value: unknown): string | undefined {
  return typeof value === 'string' ? (mailAddressOf(value) ?? undefined) : undefined;
}

function isPlaceText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 80;
}

/** @throws if the text is not a date, which the field's schema refuses */
export function dateOf(text: string): LocalDate {
  const date = parseLocalDate(text);
  if (date === null) throw new Error('a text that is no date has passed its schema');
  return date;
}

/** Parses a timestamp with a zone into ms since the epoch. Returns null for any other text or an impossible date. */
export function parseTimestamp(text: string): number | null {
  const form = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
  const [, date] = form.exec(text) ?? [];
  const ms = Date.parse(text);
  if (date === undefined || parseLocalDate(date) === null) return null;
  return ms >= FIRST_MS && ms <= LAST_MS ? ms : null;
}

/** The first and the last millisecond of a day or timestamp; null for any other value, which its own field reports. */
function momentIn(value: unknown): { readonly fromMs: number; readonly lastMs: number } | null {
  const parsed = typeof value === 'string' ? parseMoment(value) : null;
  return parsed && { fromMs: parsed.fromMs, lastMs: Math.max(parsed.fromMs, parsed.toMs - 1) };
}

/**
 * Parses a day in UTC into its start and end (half-open), or a timestamp into that instant twice; ms since the epoch.
 * Returns null for any other text.
 */
export function parseMoment(text: string): { readonly fromMs: number; readonly toMs: number } | null {
  if (parseLocalDate(text) !== null) {
    const fromMs = Date.parse(text);
    return { fromMs, toMs: Math.min(fromMs + DAY_MS, LAST_MS) };
  }
  const atMs = parseTimestamp(text);
  return atMs === null ? null : { fromMs: atMs, toMs: atMs };
}
