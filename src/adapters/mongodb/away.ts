import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import type { Leases } from '../../ports/leases.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { type Engine, StoreUnavailable } from '../../ports/store-unavailable.ts';
import type { UsageCounters } from '../../ports/usage-counters.ts';

/**
 * By the names of MongoDB's documentation: the member asked is no primary (any more), or goes down, or did not hear from a
 * majority in time.
 */
const AWAY = new Set<unknown>([
  64, // WriteConcernTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern
  189, // PrimarySteppedDown
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
]);

/** The port, whose faults tell whether the server was away. */
export function readModelsOf(store: ReadModelStore): ReadModelStore {
  const told = telling('read models');
  return {
    ensure: (collection, indexes) => told(store.ensure(collection, indexes)),
    load: (collection, ids) => told(store.load(collection, ids)),
    commit: (collection, writes, upTo) => told(store.commit(collection, writes, upTo)),
    checkpoint: (collection) => told(store.checkpoint(collection)),
    find: (collection, query) => told(store.find(collection, query)),
    async *scan(collection) {
      try {
        yield* store.scan(collection);
      } catch (fault) {
        throw tellingFault('read models', fault);
      }
    },
    collections: () => told(store.collections()),
    drop: (collection) => told(store.drop(collection)),
    pointer: (name) => told(store.pointer(name)),
    movePointer: (name, from, to) => told(store.movePointer(name, from, to)),
    close: () => store.close(),
  };
}

/** The same of the counters. */
export function usageCountersOf(usage: UsageCounters): UsageCounters {
  const told = telling('usage counters');
  return {
    take: (key, limits, atMs, counting) => told(usage.take(key, limits, atMs, counting)),
    peek: (key, limits, atMs) => told(usage.peek(key, limits, atMs)),
    close: () => usage.close(),
  };
}

/** The same of the leases. */
export function leasesOf(leases: Leases): Leases {
  const told = telling('leases');
  return {
    take: (request) => told(leases.take(request)),
    release: (held) => told(leases.release(held)),
    close: () => leases.close(),
  };
}

/** Passes an answer on; a fault of a server that is away as StoreUnavailable. */
export function telling(engine: Engine): <T>(answer: Promise<T>) => Promise<T> {
  return async (answer) => {
    try {
      return await answer;
    } catch (fault) {
      throw tellingFault(engine, fault);
    }
  };
}

function tellingFault(engine: Engine, fault: unknown): unknown {
  return isAway(fault) ? new StoreUnavailable(engine, `MongoDB: ${fault.message}`, { cause: fault }) : fault;
}

function isAway(fault: unknown): fault is MongoError {
  if (fault instanceof MongoNetworkError || fault instanceof MongoServerSelectionError) return true;
  if (fault instanceof MongoOperationTimeoutError) return true;
  if (fault instanceof MongoServerError && AWAY.has(fault.code)) return true;
  // Whatever ends a bulk, the driver calls it the server's answer.
  if (fault instanceof MongoBulkWriteError && isAway(fault.errorResponse)) return true;
  return fault instanceof MongoError && fault.hasErrorLabel(MongoErrorLabel.RetryableWriteError);
}
