import { type TSchema, Type } from 'typebox';
import { isAddressRange } from '../application/address-ranges.ts';
import { type ErrorCode, type Refused, refused } from '../application/refusal.ts';
import { CITY_NAMES, findCity } from '../domain/activity/cities.ts';
import { parseLocalDate } from '../domain/activity/schedule.ts';
import { CATEGORIES } from '../domain/activity/vocabulary.ts';
import { destinations } from '../webhooks/destination.ts';
import type { GuestLimits } from './context.ts';
import { type AcrossRule, optional, required } from './form.ts';

/** Fields that several endpoints share. A text of the guest's holds no control characters: it goes into a mail. */
const DATE = Type.Refine(Type.String({ format: 'date' }), (text) => parseLocalDate(text) !== null);
const DATE_RULE = 'a real calendar date as YYYY-MM-DD';
const DAY_MS = 86_400_000;
/** Beyond these years a timestamp in UTC has another form, which is no longer in the order of time. */
const [FIRST_MS, LAST_MS] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];
export const TIMESTAMP = Type.Refine(Type.String({ maxLength: 40 }), (text) => parseTimestamp(text) !== null);
export const TIMESTAMP_RULE = 'an ISO 8601 timestamp with a zone';

export const activityId = required(Type.String({ minLength: 1, maxLength: 80 }), 'an activity_id from inventory');
/** As a filter. */
export const anyActivityId = optional(Type.String({ minLength: 1, maxLength: 80 }), 'an activity id');
export const anyCity = optional(
  Type.Refine(Type.String({ maxLength: 80 }), (text) => findCity(text) !== null),
  `one of ${CITY_NAMES.join(', ')}`,
  'INVALID_CITY',
);
export const bookingDate = required(DATE, DATE_RULE, 'INVALID_DATE');
/** A day in UTC, or an instant. */
export const anyMoment = optional(
  Type.Refine(Type.String({ maxLength: 40 }), (text) => parseMoment(text) !== null),
  'a date as YYYY-MM-DD (UTC) or an ISO 8601 timestamp with a zone',
  'INVALID_DATE',
);
export const anyDate = optional(DATE, DATE_RULE, 'INVALID_DATE');
export const category = optional(
  Type.Union(CATEGORIES.map((name) => Type.Literal(name))),
  `one of ${CATEGORIES.join(', ')}`,
);
export const contextLogId = optional(Type.String({ maxLength: 80 }), 'the log_id of a recommendation');
export const holdId = optional(Type.String({ maxLength: 80 }), 'the id of a hold');
/** Without a range a key could be used from nowhere. */
export const ipAllowlist = optional(
  Type.Array(
    Type.Refine(Type.String({ maxLength: 50 }), (text) => isAddressRange(text)),
    { minItems: 1, maxItems: 100, description: 'From where a key of the plan `enterprise` may be used.' },
  ),
  'a list of 1 to 100 IP addresses and CIDR ranges (203.0.113.0/24, 2001:db8::/32)',
);
export const cursor = optional(Type.String({ maxLength: 500 }), 'the next_cursor of an earlier answer');
export const userEmail = required(
  Type.String({ maxLength: 254, pattern: '^[^\\s@<>"(),;:\\\\]+@[^\\s@<>"(),;:\\\\.]+(\\.[^\\s@<>"(),;:\\\\.]+)+$' }),
  'a valid e-mail address',
  'INVALID_EMAIL',
);
export const userName = required(
  Type.String({
    maxLength: 200,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  }),
  "the guest's name, 1 to 200 characters in one line",
);
export const specialRequests = optional(
  Type.String({ maxLength: 1_000, pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$' }),
  'a text of at most 1000 characters',
);
export const include = optional(Type.Literal('history'), 'history');
export const dryRun = optional(Type.Boolean({ description: 'A quote: nothing is written.' }), 'true or false');

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

/** The same of a booking that is: what is not sent stays as it was. */
export function otherNumChildren({ maxChildren }: GuestLimits) {
  return childrenOf(Type.Integer({ minimum: 0, maximum: maxChildren }), maxChildren);
}

function childrenOf<S extends TSchema>(schema: S, maxChildren: number) {
  return optional(schema, `a whole number from 0 to ${maxChildren}`, tooManyOver(maxChildren));
}

/** A party may be too large although each of its numbers is not: a rule of `num_children`. */
export function partyRule({ maxAdults, maxGuests }: GuestLimits): AcrossRule {
  return ({ num_adults: adults, num_children: children }) => {
    const guests = countOf(adults) + countOf(children);
    // Too many adults by themselves are told as that.
    if (!(guests > maxGuests) || countOf(adults) > maxAdults) return null;
    const sentence = `num_adults and num_children are ${guests} guests together; one booking takes at most ${maxGuests}. Make several bookings.`;
    return { code: 'BOOKING_LIMIT_EXCEEDED', sentence };
  };
}

/** What is no number has a fault of its own, and whatever it is, it must not be converted: an object's `valueOf` can be anything. */
function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** A receiver of webhooks, or null where none was sent. */
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

function tooManyOver(limit: number) {
  return (value: unknown): ErrorCode =>
    typeof value === 'number' && Number.isInteger(value) && value > limit
      ? 'BOOKING_LIMIT_EXCEEDED'
      : 'INVALID_REQUEST';
}

/** The Idempotency-Key header: a refusal where it is malformed, null where it was not sent. */
export function idempotencyKey(headers: Headers): { readonly kind: 'key'; readonly key: string | null } | Refused {
  const key = headers.get('idempotency-key');
  if (key === null || (key.length >= 1 && key.length <= 255)) return { kind: 'key', key };
  return refused('INVALID_REQUEST', `The header Idempotency-Key must be 1 to 255 characters; it was ${key.length}.`);
}

/** A timestamp with a zone in ms since the epoch, null where it is none or its date is on no calendar. */
export function parseTimestamp(text: string): number | null {
  const form = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
  const [, date] = form.exec(text) ?? [];
  const ms = Date.parse(text);
  if (date === undefined || parseLocalDate(date) === null) return null;
  return ms >= FIRST_MS && ms <= LAST_MS ? ms : null;
}

/** The first and the last instant (half-open, ms since the epoch) of a day in UTC, or an instant as both; null where it is neither. */
export function parseMoment(text: string): { readonly fromMs: number; readonly toMs: number } | null {
  if (parseLocalDate(text) !== null) {
    const fromMs = Date.parse(text);
    return { fromMs, toMs: Math.min(fromMs + DAY_MS, LAST_MS) };
  }
  const atMs = parseTimestamp(text);
  return atMs === null ? null : { fromMs: atMs, toMs: atMs };
}
