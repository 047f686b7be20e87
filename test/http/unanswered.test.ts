import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { freshVoucher } from '../../src/application/voucher/fresh-voucher.ts';
import { HOUR_MS } from '../../src/eventsourcing/durations.ts';
import { command, factsOf, placeOnRequest } from '../support/booking-commands.ts';
import { bookingId } from '../support/examples.ts';
import { shownFree } from '../support/holds.ts';
import { recordedInTime } from '../support/log-of-service.ts';
import { NOW, openService, type Service } from '../support/service.ts';

const ANSWER_BY_MS = NOW + HOUR_MS;
/** One of the places is taken by another booking. */
const FREE = 9;

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

async function confirm(id: Awaited<ReturnType<typeof placeOnRequest>>): Promise<void> {
  const { hours } = await factsOf(service, id);
  if (hours === null) throw new Error('the hours are known');
  const voucher = freshVoucher(id, hours, service.node.context);
  await command(
    service,
    id,
    { type: 'ConfirmByVenue', voucher, activityRevision: 0, ifVersions: null, nowMs: service.clock.nowMs() },
    'admin',
  );
}

describe('a booking that its venue does not answer', () => {
  test('is pending until an instant before the time to answer, and rejected at it, over a restart', async () => {
    const id = await placeOnRequest(service, ANSWER_BY_MS);
    service.clock.set(ANSWER_BY_MS - 1);
    await service.restart();
    const { data: pending } = await service.booking(id);
    expect(pending).toMatchObject({ status: 'pending', voucher: null, code: null, cancellation: null });
    expect(await shownFree(service)).toBe(FREE - 2);
    service.clock.set(ANSWER_BY_MS);
    const rejected = await recordedInTime(service, 'BookingRejected');
    expect(rejected.cause.by).toBe('booking-deadlines');
    await recordedInTime(service, 'SlotsReleased');
    const { data } = await service.booking(id);
    expect(data).toMatchObject({
      status: 'rejected',
      voucher: null,
      code: 'ACTIVITY_UNAVAILABLE',
      cancellation: { reason: 'system', refund_status: 'none', refund_amount: 0, currency: 'THB' },
    });
    expect(await shownFree(service)).toBe(FREE);
    const events = await service.events();
    expect(events.filter(({ stream }) => stream === `booking-${id}`).map(({ type }) => type)).toEqual([
      'BookingPlacedOnRequest.v1',
      'BookingRejected.v2',
    ]);
  });

  test('stays confirmed where the answer came just before', async () => {
    const id = await placeOnRequest(service, ANSWER_BY_MS);
    service.clock.set(ANSWER_BY_MS - 1);
    await confirm(id);
    // The same deadline for another booking says when it has passed for both.
    const other = bookingId('bk_zyxwvtsrqpnmkjhgfedc');
    const facts = { ...(await factsOf(service, id)), claims: [] };
    await command(service, other, { type: 'PlaceOnRequest', facts, answerByMs: ANSWER_BY_MS }, facts.keyId);
    service.clock.set(ANSWER_BY_MS);
    const rejected = await recordedInTime(service, 'BookingRejected');
    expect(rejected.stream).toBe(`booking-${other}`);
    expect((await service.booking(id)).data.status).toBe('confirmed');
  });
});
