import { AccessDeniedError } from '@eventstore/db-client';
import { AppendTooLarge } from '../../ports/append-too-large.ts';
import { CheckpointNotInLog } from '../../ports/event-store.ts';
import { StoreRefused } from '../../ports/store-refused.ts';
import { type FailedCall, StoreUnavailable } from '../../ports/store-unavailable.ts';

/** A permanent fault: the server cannot read the request, or its answer lacks required data. */
export class EventStoreRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventStoreRefusal';
  }
}

/** The event store did not answer in time. Whether an append was stored is unknown: the stream must be read. */
export class EventStoreUnavailable extends StoreUnavailable {
  constructor(message: string, options?: ErrorOptions & { readonly failed?: FailedCall }) {
    super('event store', message, options);
    this.name = 'EventStoreUnavailable';
  }
}

/**
 * The server returned with another log, for example restored from an older backup. This process's memory was built from
 * events that are not in that log, so it neither reads nor appends any more.
 */
export class LogReplaced extends EventStoreUnavailable {
  constructor(reason: string) {
    super(`the event store came back with another log than before: ${reason}`);
    this.name = 'LogReplaced';
  }
}

/** gRPC status UNAUTHENTICATED. */
const UNAUTHENTICATED = 16;

/** Translates a permanent fault of the client; null if the call may be repeated. */
export function refusalIn(fault: unknown): Error | null {
  if (fault instanceof EventStoreRefusal || fault instanceof StoreRefused || fault instanceof AppendTooLarge)
    return fault;
  if (fault instanceof CheckpointNotInLog || fault instanceof LogReplaced) return fault;
  if (fault instanceof RangeError || fault instanceof TypeError) return fault;
  if (fault instanceof AccessDeniedError || codeOf(fault) === UNAUTHENTICATED)
    return new StoreRefused(
      'event store',
      'the event store refused the user or password of EVENTSTORE_URL, or this user may not',
      {
        cause: fault,
      },
    );
  return null;
}

function codeOf(fault: unknown): unknown {
  return typeof fault === 'object' && fault !== null && 'code' in fault ? fault.code : undefined;
}
