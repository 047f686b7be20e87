import { expect, test } from 'bun:test';
import { suspendReceiver } from '../../support/deliveries.ts';
import { openReceiver } from '../../support/receiver.ts';
import { openService, withKey } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Receivers = AnswerOf<'get /api/webhooks/receivers'>;

test('a suspended receiver is listed for its owner and for operators, and an operator enables it', async () => {
  await using receiver = openReceiver();
  receiver.answer(() => new Response('', { status: 503 }));
  await using service = await openService();
  const created = await service.createKey({
    webhook_url: `${receiver.url}/hooks`,
    webhook_events: ['booking_confirmed'],
  });
  const [caller, keyId] = [withKey(created.key), created.id];
  const suspended = await suspendReceiver(service, caller);
  const shown = {
    receiver_id: suspended.stream.slice('endpoint-'.length),
    key_id: keyId,
    urls_of: 'key',
    origin: receiver.url,
    in_use: true,
    status: 'suspended',
    failing_since: '2026-11-21T03:00:00.000Z',
    suspended_since: suspended.data.at,
    error: 'answered 503',
  } as const;
  const other = await service.createKey();
  const listed = async (query = '', headers = service.admin) => {
    await service.documents('endpoints');
    return (await service.get<Receivers>(`/api/webhooks/receivers${query}`, headers)).data.items;
  };
  expect(await listed('', caller)).toEqual([shown]);
  expect(await listed('', withKey(other.key))).toEqual([]);
  expect(await listed()).toEqual([shown]);
  expect(await listed(`?key=${keyId}&status=suspended`)).toEqual([shown]);
  expect(await listed(`?key=${other.id}`)).toEqual([]);
  expect(await listed('?status=failing')).toEqual([]);
  expect(await service.rebuild('endpoints')).toMatchObject({ differences: 0 });
  await service.patch('/api/keys/self', { webhook_url: `${receiver.url}/moved` }, caller);
  expect(await listed()).toEqual([{ ...shown, in_use: false }]);
  await service.patch('/api/keys/self', { webhook_url: `${receiver.url}/hooks` }, caller);
  const enabled = await service.post('/api/webhooks/enable', { key: keyId }, service.admin);
  expect<object>(enabled.data).toEqual({ failing_since: null, suspended_since: null });
  expect(await listed()).toEqual([]);
});
