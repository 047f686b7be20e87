import { expect, test } from 'bun:test';
import { AppendTooLarge } from '../../../src/ports/append-too-large.ts';
import { openService } from '../../support/service.ts';

test('a booking whose events the event store refuses as too large is refused at once, and books nothing', async () => {
  await using service = await openService();
  const { store } = service.node.stores;
  const append = store.append.bind(store);
  let refused = 0;
  store.append = (stream, revision, events) => {
    if (!stream.startsWith('booking-')) return append(stream, revision, events);
    refused++;
    return Promise.reject(new AppendTooLarge("the append is over the server's limit"));
  };
  const answer = await service.book();
  expect(answer.refusal).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE', retryable: false });
  // Once without the actor, once by the actor that has read the stream.
  expect(refused).toBe(2);
  expect((await service.events()).filter(({ stream }) => stream.startsWith('booking-'))).toEqual([]);
});
