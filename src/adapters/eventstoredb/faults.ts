import { AccessDeniedError } from '@eventstore/db-client';
import { StoreRefused } from '../../ports/store-refused.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';

/** No second attempt would change it: a request that the server cannot read, an event that is not ours. */
export class EventStoreRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventStoreRefusal';
  }
}

/** The event store did not answer in time. Whether an append was stored is unknown: the stream must be read. */
export class EventStoreUnavailable extends StoreUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super('event store', message, options);
    this.name = 'EventStoreUnavailable';
  }
}

/** gRPC's number for a login that the server does not know. */
const UNAUTHENTICATED = 16;

/** What is thrown in place of what the client threw, where trying again is no use; null where it may be. */
export function refusalIn(fault: unknown): Error | null {
  if (fault instanceof EventStoreRefusal || fault instanceof StoreRefused) return fault;
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
