import { randomUUID } from 'node:crypto';
import { dataOf, outcomeOf, positionOf } from './client.ts';
import { at, listAt, numberAt, textAt } from './reading.ts';
import { type Booked, type Choice, GUEST, type OwnKey, type Scene } from './scene.ts';
import { Broken } from './step.ts';

/** Asks what it would cost, books it, books it again with the same key, and reads it back. */
export async function book(choice: Choice, logId: string, key: OwnKey, scene: Scene): Promise<Booked> {
  const { ask, steps } = scene;
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
  await steps.run('a dry run quotes the price and books nothing', async (seen) => {
    const quote = dataOf('the dry run', await post({ ...order, dry_run: true }, null));
    seen.matches('the quote', quote, {
      dry_run: true,
      available: true,
      booking_id: undefined,
      'pricing.total_guests': GUEST.adults,
      'pricing.total': total,
      'pricing.currency': choice.currency,
    });
    seen.fact(`${total} ${choice.currency} for two`);
  });
  const idempotencyKey = randomUUID();
  const booked = await steps.run('the booking is confirmed', async (seen) => {
    const answer = await post(order, idempotencyKey);
    const booking = dataOf('execute_booking', answer);
    const [id, code] = [textAt(booking, 'booking_id'), textAt(booking, 'voucher.code')];
    if (id === '' || code === '') throw new Broken('execute_booking', 'a booking_id and a voucher', booking);
    seen.matches('the booking', booking, { ...promised(choice, logId), 'pricing.total': total });
    const qrUrl = textAt(booking, 'voucher.qr_url');
    seen.holds('qr_url is absolute and the code’s', qrUrl.endsWith(`/api/vouchers/${code}/qr.png`), qrUrl);
    const validUntil = textAt(booking, 'voucher.valid_until');
    seen.holds('the voucher is valid until the date or later', validUntil >= choice.date, validUntil);
    seen.fact(`${id}, voucher valid until ${validUntil}`);
    return { id, voucherCode: code, qrUrl, total, position: positionOf(answer) };
  });
  await steps.run('the same request again is the same booking', async (seen) => {
    const again = await post(order, idempotencyKey);
    const replayed = again.headers.get('idempotent-replayed');
    seen.holds('Idempotent-Replayed: true', replayed === 'true', replayed);
    seen.matches('the answer', dataOf('the repetition', again), {
      booking_id: booked.id,
      'voucher.code': booked.voucherCode,
      'pricing.total': total,
    });
    const other = outcomeOf(await post({ ...order, num_adults: GUEST.adults + 1 }, idempotencyKey));
    const refusal = '422 IDEMPOTENCY_KEY_REUSED';
    seen.holds(`another request with its key is answered ${refusal}`, other === refusal, other);
  });
  await readBack(booked, choice, { key, logId }, scene);
  return booked;
}

async function readBack(
  booked: Booked,
  choice: Choice,
  { key, logId }: { readonly key: OwnKey; readonly logId: string },
  { ask, steps }: Scene,
): Promise<void> {
  await steps.run('the booking can be read by its id', async (seen) => {
    const path = `/api/b2a/bookings/${booked.id}`;
    const booking = dataOf('the booking', await ask({ path, as: key.credential }));
    seen.matches('the booking', booking, {
      ...promised(choice, logId),
      booking_id: booked.id,
      'voucher.code': booked.voucherCode,
      'pricing.total': booked.total,
    });
  });
  if (!choice.today) {
    steps.leaveOut('the inventory shows fewer slots', 'it was asked for today, and the booking is for a later day');
    return;
  }
  await steps.run('the inventory shows fewer slots', async (seen) => {
    const path = `/api/b2a/inventory?activity_id=${choice.activityId}&date=${choice.date}`;
    const answer = await ask({ path, as: key.credential, headers: booked.position });
    // The last slots are gone: what has none is not listed.
    const sold = outcomeOf(answer) === '404 NO_INVENTORY';
    const [item] = sold ? [] : listAt(dataOf('inventory', answer), 'inventory');
    const free = sold ? 0 : numberAt(item, 'available_slots');
    // Others may book at the same time.
    const most = choice.freeSlots - GUEST.adults;
    seen.holds(`at most ${most} slots are free`, free <= most, at(item, 'available_slots') ?? answer.text);
    seen.fact(`${choice.freeSlots} before, ${free} now`);
  });
}

/** What stands in the booking object, whenever it is read before the visit. */
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
