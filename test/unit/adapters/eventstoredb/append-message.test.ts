import { describe, expect, test } from 'bun:test';
import { AllStreamPosition, UUID } from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { Any } from 'google-protobuf/google/protobuf/any_pb.js';
import { appendAnswer, uuidText } from '../../../../src/adapters/eventstoredb/append-message.ts';
import { EventStoreUnavailable, refusalIn } from '../../../../src/adapters/eventstoredb/faults.ts';
import type { Position } from '../../../../src/eventsourcing/message.ts';
import { AppendTooLarge } from '../../../../src/ports/append-too-large.ts';

function success(position: { readonly commit: string; readonly prepare: string } | null): BatchAppendResp {
  const done = new BatchAppendResp.Success();
  done.setCurrentRevision('4');
  if (position !== null) {
    const place = new AllStreamPosition();
    place.setCommitPosition(position.commit);
    place.setPreparePosition(position.prepare);
    done.setPosition(place);
  }
  const response = new BatchAppendResp();
  response.setSuccess(done);
  return response;
}

describe('the answer to an append', () => {
  test('contains the position of the last event', () => {
    const position = 1400 as Position;
    expect(appendAnswer(success({ commit: '700', prepare: '650' }))).toStrictEqual({
      kind: 'appended',
      revision: 4,
      position,
    });
  });

  test.each([[null], [{ commit: '18446744073709551615', prepare: '18446744073709551615' }]])(
    'may be without its place, which is not made up: %p',
    (position) => {
      expect(appendAnswer(success(position))).toStrictEqual({ kind: 'appended', revision: 4, position: null });
    },
  );

  test('without success or error leaves the outcome unknown', () => {
    const response = new BatchAppendResp();
    const status = new Status();
    status.setMessage('Server Is Not Ready');
    response.setError(status);
    expect(() => appendAnswer(response)).toThrow(EventStoreUnavailable);
    expect(() => appendAnswer(new BatchAppendResp())).toThrow(EventStoreUnavailable);
  });
});

test.each(['MaximumAppendSizeExceeded', 'MaximumAppendEventSizeExceeded'])(
  '%s is no outage: the append is not repeated',
  (name) => {
    const details = new Any();
    details.setTypeUrl(`type.googleapis.com/event_store.client.${name}`);
    const status = new Status();
    status.setDetails(details);
    const response = new BatchAppendResp();
    response.setError(status);
    const refuse = () => appendAnswer(response);
    expect(refuse).toThrow(AppendTooLarge);
    const fault = (() => {
      try {
        return refuse();
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(refusalIn(fault)).toBe(fault as Error);
  },
);

describe('an id', () => {
  test('is the same text in both wire forms', () => {
    const text = '8ad5f0a4-9c3e-4f2b-b1d7-00ff10203040';
    const asText = new UUID();
    asText.setString(text.toUpperCase());
    const structured = new UUID.Structured();
    structured.setMostSignificantBits(BigInt.asIntN(64, 0x8ad5f0a49c3e4f2bn).toString());
    structured.setLeastSignificantBits(BigInt.asIntN(64, 0xb1d700ff10203040n).toString());
    const asBits = new UUID();
    asBits.setStructured(structured);
    expect([uuidText(asText), uuidText(asBits)]).toEqual([text, text]);
  });
});
