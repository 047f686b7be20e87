import { randomUUID } from 'node:crypto';
import { dataOf, outcomeOf, positionOf } from './client.ts';
import { type AgentContext, type Booked, type Choice, GUEST, guestEmail } from './context.ts';
import { listAt, numberAt, textAt } from './json.ts';
import { StepFailed } from './step.ts';

const PATH = '/api/b2a/execute_booking';

/** Requests a quote, books, repeats the booking with the same Idempotency-Key, and reads it back. */
export async function book(choice: Choice, logId: string, context: AgentContext): Promise<Booked> {
  const { keyId, agent, step } = context;
  const order = {
    activity_id: choice.activityId,
    user_email: guestEmail(keyId),
    user_name: GUEST.name,
    booking_date: choice.date,
    num_adults: GUEST.adults,
    context_log_id: logId,
    special_requests: 'A quiet table, please',
  };
  const total = await step('price quote by a dry run', async (check) => {
    const quote = dataOf(await agent.post(PATH, { ...order, dry_run: true }));
    check.matches('the quote', quote, { available: true });
    const quoted = numberAt(quote, 'pricing.total');
    check.fact(`${quoted} ${textAt(quote, 'pricing.currency')} for two`);
    return quoted;
  });
  const idempotencyKey = { 'idempotency-key': randomUUID() };
  const booked = await step('booking', async (check) => {
    const answer = await agent.post(PATH, order, idempotencyKey);
    const booking = dataOf(answer);
    const [id, voucherCode] = [textAt(booking, 'booking_id'), textAt(booking, 'voucher.code')];
    if (id === '' || voucherCode === '') throw new StepFailed(answer.request, 'a booking_id and a voucher', booking);
    check.matches('the booking', booking, { status: 'confirmed', 'pricing.total': total });
    check.fact(`${id}, voucher valid until ${textAt(booking, 'voucher.valid_until')}`);
    return { id, voucherCode, qrUrl: textAt(booking, 'voucher.qr_url'), position: positionOf(answer) };
  });
  await step('idempotent repetition', async (check) => {
    const again = dataOf(await agent.post(PATH, order, idempotencyKey));
    check.matches('the answer', again, { booking_id: booked.id, 'voucher.code': booked.voucherCode });
    const other = outcomeOf(await agent.post(PATH, { ...order, num_adults: GUEST.adults + 1 }, idempotencyKey));
    const refusal = '422 IDEMPOTENCY_KEY_REUSED';
    check.holds(`another request with its key is answered ${refusal}`, other === refusal, other);
  });
  await step('booking by its id', async (check) => {
    const found = dataOf(await agent.get(`/api/b2a/bookings/${booked.id}`));
    check.matches('the booking', found, { status: 'confirmed', user_name: GUEST.name, 'pricing.total': total });
  });
  await readInventory(booked, choice, context);
  return booked;
}

async function readInventory(booked: Booked, choice: Choice, { agent, step, leaveOut }: AgentContext): Promise<void> {
  const name = 'inventory after the booking';
  if (!choice.today) return leaveOut(name, 'it was asked for today, and the booking is for a later day');
  await step(name, async (check) => {
    const path = `/api/b2a/inventory?activity_id=${choice.activityId}&date=${choice.date}`;
    const answer = await agent.get(path, booked.position);
    // An activity without free slots is not listed.
    const sold = outcomeOf(answer) === '404 NO_INVENTORY';
    const free = sold ? 0 : numberAt(listAt(dataOf(answer), 'inventory')[0], 'available_slots');
    // Other clients may book at the same time.
    const most = choice.freeSlots - GUEST.adults;
    check.holds(`at most ${most} slots are free`, free <= most, answer.text);
    check.fact(`${choice.freeSlots} before, ${free} now`);
  });
}
