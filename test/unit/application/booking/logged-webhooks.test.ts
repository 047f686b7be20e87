import { expect, test } from 'bun:test';
import type { EventDelivery } from '../../../../projections/deliveries/read-model.ts';
import { loggedWebhooks, MAX_LOGGED } from '../../../../src/application/booking/sent-webhooks.ts';
import { DAY_MS } from '../../../../src/eventsourcing/durations.ts';
import type { Find } from '../../../../src/ports/read-model-store.ts';
import { movedClock } from '../../../support/clock.ts';
import { bookingId, deliveryFacts, deliveryId, keyId } from '../../../support/examples.ts';

test('the webhooks of a timeline are the newest in the delivery log, and no more than a bound', async () => {
  const clock = movedClock();
  const finds: Find[] = [];
  const logged = await loggedWebhooks(
    { id: bookingId('bk_1'), booking: { facts: { keyId: keyId('key_1') } } },
    {
      readModels: {
        async find(_, find) {
          finds.push(find);
          const items = Array.from({ length: find.limit }, (_each, n) => ({ id: `dlv_${n}`, doc: delivery(n) }));
          return { items, next: { value: '', id: '' } };
        },
      },
      collection: async (projection) => projection,
      webhooks: {
        store: { read: () => Promise.reject(new Error('not read')) },
        clock,
        webhookLimits: { timeoutMs: 1, logDays: 90, suspendDays: 1 },
      },
    },
  );
  expect([logged.length, logged[0]?.deliveryId]).toEqual([MAX_LOGGED, deliveryId(`dlv_${MAX_LOGGED - 1}`)]);
  expect(finds).toMatchObject([
    {
      limit: MAX_LOGGED,
      range: { field: 'scheduledAt', from: new Date(clock.nowMs() - 90 * DAY_MS).toISOString() },
      sort: { field: 'scheduledAt', direction: 'desc' },
    },
  ]);
});

/** The n-th newest. */
function delivery(n: number): EventDelivery {
  const { at, ...facts } = deliveryFacts({ endpoint: { kind: 'booking', origin: 'https://agent.example' } });
  return {
    ...facts,
    deliveryId: deliveryId(`dlv_${n}`),
    keyId: keyId('key_1'),
    bookingRevision: 1_000 - n,
    status: 'success',
    attempts: [],
    keyRevision: null,
    nextAttemptAtMs: null,
    exhaustion: null,
    scheduledAt: at,
  };
}
