import { randomUUID } from 'node:crypto';
import { dataOf, outcomeOf, positionOf } from './client.ts';
import { type Booked, type Choice, GUEST, type JourneyContext, type OwnKey } from './context.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { StepFailed } from './step.ts';

/** Requests a quote, books, repeats the booking with the same Idempotency-Key, and reads it back. */
export async function book(choice: Choice, logId: string, key: OwnKey, context: JourneyContext): Promise<Booked> {
  const { ask, steps } = context;
  const order = {
    activity_id: choice.activityId,
    user_email: GUEST.email,
    user_name: GUEST.name,
    booking_date: choice.date,
    num_adults: GUEST.adults,
    context_log_id: logId,
    special_requests: GUEST.wish,
  };
  const total = Math.round(choice.price * GUEST.adults * 100) / 100;
  const post = (body: object, idempotencyKey: string | null) =>
    ask({
      method: 'POST',
      path: '/api/b2a/execute_booking',
      as: key.credential,
      headers: idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey },
      body,
    });
  await steps.run('price quote by a dry run', async (check) => {
    const quote = dataOf('the dry run', await post({ ...order, dry_run: true }, null));
    check.matches('the quote', quote, {
      dry_run: true,
      available: true,
      booking_id: undefined,
      'pricing.total_guests': GUEST.adults,
      'pricing.total': total,
      'pricing.currency': choice.currency,
    });
    check.fact(`${total} ${choice.currency} for two`);
  });
  const idempotencyKey = randomUUID();
  const booked = await steps.run('booking', async (check) => {
    const answer = await post(order, idempotencyKey);
    const booking = dataOf('execute_booking', answer);
    const [id, code] = [textAt(booking, 'booking_id'), textAt(booking, 'voucher.code')];
    if (id === '' || code === '') throw new StepFailed('execute_booking', 'a booking_id and a voucher', booking);
    check.matches('the booking', booking, { ...promised(choice, logId), 'pricing.total': total });
    const qrUrl = textAt(booking, 'voucher.qr_url');
    check.holds('qr_url is absolute and the code’s', qrUrl.endsWith(`/api/vouchers/${code}/qr.png`), qrUrl);
    const validUntil = textAt(booking, 'voucher.valid_until');
    check.holds('the voucher is valid until the date or later', validUntil >= choice.date, validUntil);
    check.fact(`${id}, voucher valid until ${validUntil}`);
    return { id, voucherCode: code, qrUrl, total, position: positionOf(answer) };
  });
  await steps.run('idempotent repetition', async (check) => {
    const again = await post(order, idempotencyKey);
    const replayed = again.headers.get('idempotent-replayed');
    check.holds('Idempotent-Replayed: true', replayed === 'true', replayed);
    check.matches('the answer', dataOf('the repetition', again), {
      booking_id: booked.id,
      'voucher.code': booked.voucherCode,
      'pricing.total': total,
    });
    const other = outcomeOf(await post({ ...order, num_adults: GUEST.adults + 1 }, idempotencyKey));
    const refusal = '422 IDEMPOTENCY_KEY_REUSED';
    check.holds(`another request with its key is answered ${refusal}`, other === refusal, other);
  });
  await readBack(booked, choice, { key, logId }, context);
  return booked;
}

async function readBack(
  booked: Booked,
  choice: Choice,
  { key, logId }: { readonly key: OwnKey; readonly logId: string },
  { ask, steps }: JourneyContext,
): Promise<void> {
  await steps.run('booking by its id', async (check) => {
    const path = `/api/b2a/bookings/${booked.id}`;
    const booking = dataOf('the booking', await ask({ path, as: key.credential }));
    check.matches('the booking', booking, {
      ...promised(choice, logId),
      booking_id: booked.id,
      'voucher.code': booked.voucherCode,
      'pricing.total': booked.total,
    });
  });
  if (!choice.today) {
    steps.skip('inventory after the booking', 'it was asked for today, and the booking is for a later day');
    return;
  }
  await steps.run('inventory after the booking', async (check) => {
    const path = `/api/b2a/inventory?activity_id=${choice.activityId}&date=${choice.date}`;
    const answer = await ask({ path, as: key.credential, headers: booked.position });
    // An activity without free slots is not listed.
    const sold = outcomeOf(answer) === '404 NO_INVENTORY';
    const [item] = sold ? [] : listAt(dataOf('inventory', answer), 'inventory');
    const free = sold ? 0 : numberAt(item, 'available_slots');
    // Other clients may book at the same time.
    const most = choice.freeSlots - GUEST.adults;
    check.holds(`at most ${most} slots are free`, free <= most, at(item, 'available_slots') ?? answer.text);
    check.fact(`${choice.freeSlots} before, ${free} now`);
  });
}

/** The fields of the booking until the check-in. */
function promised(choice: Choice, logId: string): Readonly<Record<string, unknown>> {
  return {
    status: 'confirmed',
    'activity.id': choice.activityId,
    'activity.title': choice.title,
    'activity.venue_id': choice.venueId,
    'pricing.total_guests': GUEST.adults,
    'pricing.currency': choice.currency,
    booking_date: choice.date,
    num_adults: GUEST.adults,
    num_children: 0,
    user_name: GUEST.name,
    user_email: GUEST.email,
    special_requests: GUEST.wish,
    context_log_id: logId,
  };
}
