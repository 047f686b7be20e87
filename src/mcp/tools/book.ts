import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { type Arguments, sent, tool } from '../tool.ts';
import * as field from './fields.ts';

/** The arguments that identify a booking request: a different value means a different booking. */
const BOOKING_FIELDS = [
  'activity_id',
  'user_email',
  'user_name',
  'booking_date',
  'num_adults',
  'num_children',
  'context_log_id',
] as const;

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const PRICING = Type.Object({
  unit_price: Type.Number({ description: 'Per person, before discounts.' }),
  total_guests: Type.Number(),
  subtotal: Type.Number(),
  discount: Type.Number(),
  total: Type.Number({ description: 'What is charged.' }),
  currency: Type.String(),
  lines: Type.Optional(
    Type.Array(Type.Object({ guests: Type.Number(), unit_price: Type.Number(), price: Type.Number() }), {
      description: 'Guests by price, if prices differ: guests added later pay the price of that time.',
    }),
  ),
  retained: Type.Optional(
    Type.Number({ description: 'Part of what was paid that a cancellation by the user no longer refunds.' }),
  ),
});

const BOOKING = Type.Object({
  booking_id: Type.String(),
  status: Type.String({
    description:
      'confirmed; pending: the venue answers first; processing: call again with the same arguments to see the result; rejected, cancelled or completed for a booking that an earlier call made.',
  }),
  idempotent_replayed: Type.Boolean({
    description: 'true: an earlier call had made this booking; nothing was booked or charged now.',
  }),
  voucher: nullable(
    Type.Object(
      {
        code: Type.String({ description: 'The guest shows it at the venue. Whoever has it can use it.' }),
        short_code: Type.String({ description: 'For staff of the venue who type; nobody else can use it.' }),
        url: Type.String({ description: 'The page for the guest, with the QR code.' }),
        qr_url: Type.String({ description: 'The QR code as an image.' }),
        valid_until: Type.String({ description: 'ISO 8601, UTC.' }),
      },
      { description: 'null until the booking is confirmed.' },
    ),
  ),
  activity: Type.Object({
    id: Type.String(),
    title: Type.String(),
    location: Type.String({ description: "The venue's address." }),
    check_in_instructions: Type.String(),
    venue_id: Type.Optional(Type.String()),
  }),
  pricing: PRICING,
  email_sent: Type.Boolean({ description: 'Whether the voucher was mailed to the guest already.' }),
  email_sent_at: nullable(Type.String({ description: 'ISO 8601, UTC.' })),
  booking_date: Type.String(),
  num_adults: Type.Number(),
  num_children: Type.Number(),
  user_name: Type.String(),
  user_email: Type.String(),
  cancellation_policy: Type.Optional(field.policy),
});

const QUOTE = Type.Object({
  dry_run: Type.Literal(true, { description: 'true: this is a quote. Nothing was booked or charged.' }),
  available: Type.Boolean({ description: 'Whether enough places for all guests are free now.' }),
  available_slots: Type.Number(),
  pricing: PRICING,
});

type Booking = Static<typeof BOOKING>;
type Quote = Static<typeof QUOTE>;

/** A tool's output schema is one object: either form has all of its required members. */
const OUTPUT = Type.Unsafe<Booking | Quote>(
  Type.Object(
    { ...Type.Partial(BOOKING).properties, ...Type.Partial(QUOTE).properties },
    { anyOf: [BOOKING, QUOTE].map(({ required }) => ({ required })) },
  ),
);

/** Books, and charges: `POST /api/b2a/execute_booking`. */
export const bookTool = tool({
  name: 'book',
  title: 'Book an activity',
  purpose:
    'Makes a real booking that is charged, and mails the voucher to the guest. Ask the user to agree to activity, date, guests and price before you call it, and send the agreed total as expected_total: another price is then refused, and nothing is booked. The same arguments sent again never book twice: they answer the booking that was made, as it is now.',
  input: Type.Object({
    activity_id: Type.String({ description: 'The id from recommend, or the activity_id from inventory.' }),
    user_email: Type.String({ format: 'email', description: 'Where the voucher is mailed.' }),
    user_name: Type.String({ description: "The guest's name on the voucher." }),
    booking_date: field.date('The date of the visit at the city, as YYYY-MM-DD.'),
    num_adults: Type.Integer({
      minimum: 1,
      description: 'Adults, at least 1. The service sets the maximum party size.',
    }),
    num_children: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Children; each takes a place too. Default 0.' }),
    ),
    context_log_id: Type.Optional(
      Type.String({ description: 'The log_id of the recommend answer this came from. Leave it out otherwise.' }),
    ),
    expected_total: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'The total for all guests that the user agreed to. If the present total differs, nothing is booked.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        description: 'true: books and charges nothing; the answer is a quote with price and free places.',
      }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'Names this one booking: calls with the same key book once. Only needed for a second, separate booking with otherwise the same arguments, and to book again what was cancelled. Default: made from the other arguments.',
      }),
    ),
  }),
  output: OUTPUT,
  // `destructiveHint`: the call overwrites nothing, but it charges money and no tool can undo it, so a person must agree.
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  request: (args) => ({
    method: 'POST',
    path: '/api/b2a/execute_booking',
    headers: { 'idempotency-key': idempotencyKey(args) },
    body: sent(args, [...BOOKING_FIELDS, 'expected_total', 'dry_run']),
  }),
  structured: (data, replayed) => ('dry_run' in data ? data : { ...data, idempotent_replayed: replayed }),
  summary: (answer) => {
    if (isQuote(answer)) return quotedText(answer);
    return answer.idempotent_replayed ? replayedText(answer) : bookedText(answer);
  },
  repeatAdvice: 'It is safe to repeat: the same arguments never book or charge twice.',
});

/**
 * The caller's key, else a digest of the arguments: an agent repeats a call that was cut off, and must get the booking it
 * made (docs/decisions/0024). As every Idempotency-Key, it is scoped to the API key.
 */
function idempotencyKey(args: Arguments): string {
  const own = args['idempotency_key'] ?? '';
  if (own === '') return digestOf(BOOKING_FIELDS.map((name) => identifying(name, args[name])));
  // A header cannot hold other characters. The service refuses keys that are too long.
  return typeof own === 'string' && /^[\x21-\x7e][\x20-\x7e]*$/.test(own) ? own : digestOf(own);
}

/** The same for every spelling of a number that the REST API understands: `"2"` and 2 are one booking. */
function identifying(name: (typeof BOOKING_FIELDS)[number], value: unknown): unknown {
  if (name !== 'num_adults' && name !== 'num_children') return value ?? null;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  return value ?? (name === 'num_children' ? 0 : null);
}

function digestOf(value: unknown): string {
  return `mcp:${createHash('sha256').update(JSON.stringify(value)).digest('base64url')}`;
}

function isQuote(answer: Booking | Quote): answer is Quote {
  return 'dry_run' in answer;
}

function quotedText({ available, available_slots: free, pricing }: Quote): string {
  const price = `${pricing.total} ${pricing.currency} for ${pricing.total_guests} ${pricing.total_guests === 1 ? 'guest' : 'guests'}`;
  const next = available
    ? `To book it at this price, call book again without dry_run and with expected_total ${pricing.total}.`
    : `Only ${free} ${free === 1 ? 'place is' : 'places are'} free: choose another date or fewer guests.`;
  return `A quote: nothing was booked or charged. ${price}. ${next}`;
}

function bookedText(booking: Booking): string {
  const { status, activity, voucher, pricing, user_email: email } = booking;
  const what = `${activity.title} on ${booking.booking_date} for ${pricing.total_guests} ${pricing.total_guests === 1 ? 'guest' : 'guests'}, ${pricing.total} ${pricing.currency}`;
  if (voucher !== null) {
    const mailed = booking.email_sent ? `The voucher was mailed to ${email}.` : `The mail to ${email} is not sent yet.`;
    return `Booked (${status}): ${what}. Booking ${booking.booking_id}, voucher ${voucher.code}. ${mailed}`;
  }
  const next =
    status === 'processing'
      ? 'Call book again with the same arguments in a few seconds to see the result.'
      : 'Nothing is charged yet; the voucher comes once it is confirmed.';
  return `Taken (${status}): ${what}. Booking ${booking.booking_id}. ${next}`;
}

function replayedText(booking: Booking): string {
  const { booking_id: id, status } = booking;
  const another = 'call book with an idempotency_key of your own that is new';
  if (status === 'cancelled' || status === 'rejected') {
    return `Nothing was booked now: an earlier call with these arguments made booking ${id}, which is ${status}. To book it again, ${another}.`;
  }
  return `Nothing was booked or charged now: an earlier call with these arguments made booking ${id} (${status}), shown here as it is now. For a second, separate booking, ${another}.`;
}
