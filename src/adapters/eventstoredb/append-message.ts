import { Empty, StreamIdentifier, UUID, WrongExpectedVersion } from '@eventstore/db-client/generated/shared_pb';
import { BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import type { Position } from '../../eventsourcing/message.ts';
import { AppendTooLarge } from '../../ports/append-too-large.ts';
import { NO_STREAM } from '../../ports/event-store.ts';
import { StoreRefused } from '../../ports/store-refused.ts';
import { EventStoreRefusal, EventStoreUnavailable } from './faults.ts';
import { knownPosition } from './positions.ts';
import type { EncodedEvent } from './stored-events.ts';

export type EncodedAppend = {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly EncodedEvent[];
};

export type AppendAnswer =
  /** `position` may be null for events that were stored earlier, if the server no longer knows it. */
  | { readonly kind: 'appended'; readonly revision: number; readonly position: Position | null }
  | { readonly kind: 'wrong-revision'; readonly actual: number }
  | { readonly kind: 'erased' };

/**
 * Encodes an append as one message of the append stream. Sets no deadline: the server has its own, and a deadline by
 * this machine's clock would fail if the clocks differ.
 */
export function appendRequest(
  correlationId: string,
  { stream, expectedRevision, events }: EncodedAppend,
): BatchAppendReq {
  const options = new BatchAppendReq.Options();
  const identifier = new StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream, 'utf8'));
  options.setStreamIdentifier(identifier);
  if (expectedRevision === NO_STREAM) options.setNoStream(new Empty());
  else options.setStreamPosition(String(expectedRevision));
  const request = new BatchAppendReq();
  request.setCorrelationId(uuid(correlationId));
  request.setOptions(options);
  request.setProposedMessagesList(events.map(proposed));
  request.setIsFinal(true);
  return request;
}

/** @throws AppendTooLarge; EventStoreRefusal if the server rejects it permanently; EventStoreUnavailable if it may accept it later */
export function appendAnswer(response: BatchAppendResp): AppendAnswer {
  const success = response.getSuccess();
  if (success !== undefined) {
    const position = success.getPosition();
    return {
      kind: 'appended',
      revision: Number(success.getCurrentRevision()),
      position:
        position === undefined
          ? null
          : knownPosition({
              commit: BigInt(position.getCommitPosition()),
              prepare: BigInt(position.getPreparePosition()),
            }),
    };
  }
  const status = response.getError();
  const details = status?.getDetails();
  const message = status?.getMessage() ?? '';
  switch (details?.getTypeName()) {
    case 'event_store.client.WrongExpectedVersion': {
      const wrong = details.unpack((bytes) => WrongExpectedVersion.deserializeBinary(bytes), details.getTypeName());
      return {
        kind: 'wrong-revision',
        actual: wrong?.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) : NO_STREAM,
      };
    }
    case 'event_store.client.StreamDeleted':
      return { kind: 'erased' };
    case 'event_store.client.AccessDenied':
      throw new StoreRefused('event store', 'the user of EVENTSTORE_URL may not append');
    case 'event_store.client.MaximumAppendSizeExceeded':
      throw new AppendTooLarge("the append is over the server's limit: raise its MaxAppendSize to 1 MiB or more");
    case 'event_store.client.MaximumAppendEventSizeExceeded':
      throw new AppendTooLarge("an event is over the server's limit: raise its MaxAppendEventSize to 1 MiB or more");
    case 'event_store.client.BadRequest':
      throw new EventStoreRefusal(`the event store could not read the append: ${message}`);
    default:
      throw new EventStoreUnavailable(
        `the event store could not append now: ${message} (${details?.getTypeName() ?? 'no details'})`,
      );
  }
}

/** Formats either wire form of a UUID in lower case with hyphens. */
export function uuidText(id: UUID | undefined): string {
  if (id?.hasString()) return id.getString().toLowerCase();
  const structured = id?.getStructured();
  const hex = [structured?.getMostSignificantBits() ?? '0', structured?.getLeastSignificantBits() ?? '0']
    .map((bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function uuid(text: string): UUID {
  const id = new UUID();
  id.setString(text);
  return id;
}

function proposed({ id, type, data, metadata }: EncodedEvent): BatchAppendReq.ProposedMessage {
  const message = new BatchAppendReq.ProposedMessage();
  message.setId(uuid(id));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  message.setData(data);
  message.setCustomMetadata(metadata);
  return message;
}
