import { expect, test } from 'bun:test';
import { signedHeaders } from '../../../src/webhooks/signature.ts';
import { publicEventId } from '../../support/examples.ts';
import { WebhookPeer } from './webhook-peer.ts';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;

type Sent = { readonly delivery?: string; readonly event?: string; readonly secret?: string; readonly name?: string };

/** The faults that the receiver finds in a first arrival and a second one. */
async function faultsOf(second: Sent): Promise<readonly string[]> {
  await using peer = new WebhookPeer(1);
  peer.expect(SECRET);
  peer.calm();
  for (const { delivery = 'dlv_1', event = 'evt_1', secret = SECRET, name = 'A' } of [{}, second]) {
    const data = { booking_id: 'bk_1', user_name: name };
    const body = JSON.stringify({ id: event, event: 'booking_confirmed', sequence: 1, data });
    const eventId = publicEventId(event);
    const signing = { body, eventId, event: 'booking_confirmed', deliveryId: delivery, atMs: Date.now() } as const;
    const headers = signedHeaders({ ...signing, secrets: { present: secret, previous: null }, version: '1' });
    await fetch(peer.url, { method: 'POST', headers, body });
  }
  return peer.faults;
}

test('the same delivery may come again', async () => {
  expect(await faultsOf({})).toEqual([]);
});

test.each([
  ['another body', { name: 'B' }, 'dlv_1 came as {'],
  ['another event id', { delivery: 'dlv_2', event: 'evt_2' }, 'booking_confirmed of bk_1 came as evt_1, then as evt_2'],
  ['another signature', { secret: SECRET.replace('whsec_', 'whsec_AAAA') }, 'dlv_1 came with a signature that'],
] as const)('it does not come with %s', async (_what, second, fault) => {
  const [found = '', ...more] = await faultsOf(second);
  expect(found).toStartWith(fault);
  expect(more).toEqual([]);
});
