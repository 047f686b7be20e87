import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import type { KeyUse } from '../../ports/key-use.ts';
import type { Leases } from '../../ports/leases.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { StoreRefused } from '../../ports/store-refused.ts';
import { type Engine, StoreUnavailable } from '../../ports/store-unavailable.ts';
import type { UsageCounters } from '../../ports/usage-counters.ts';
import { keepsUsOut } from './server-faults.ts';

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
  14_031, // OutOfDiskSpace
]);

/**
 * Longer than the driver looks for a server and waits for its answer. It keeps to both by sockets, and under Bun the end of
 * a socket may go unheard where its server is killed.
 */
const UNANSWERED_MS = 16_000;

/** What a call is told whose client is being connected anew. A client that was closed for good is not called any more. */
const CONNECTING_ANEW = [MongoClientClosedError, MongoNotConnectedError, MongoTopologyClosedError];

/** The port, whose faults tell whether the server was away, or keeps us out. */
export function readModelsOf(store: ReadModelStore): ReadModelStore {
  const told = telling('read models');
  return {
    ensure: (collection, indexes) => told(store.ensure(collection, indexes)),
    load: (collection, ids) => told(store.load(collection, ids)),
    commit: (collection, writes, upTo) => told(store.commit(collection, writes, upTo)),
    checkpoint: (collection) => told(store.checkpoint(collection)),
    find: (collection, query) => told(store.find(collection, query)),
    async *scan(collection) {
      const documents = store.scan(collection)[Symbol.asyncIterator]();
      for (let next = await told(documents.next()); !next.done; next = await told(documents.next())) yield next.value;
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

/** The same of the use of keys. */
export function keyUseOf(use: KeyUse): KeyUse {
  const told = telling('usage counters');
  return {
    put: (uses) => told(use.put(uses)),
    of: (key, day) => told(use.of(key, day)),
    forgetBefore: (day) => told(use.forgetBefore(day)),
    close: () => use.close(),
  };
}

/** The same of the leases. */
export function leasesOf(leases: Leases): Leases {
  const told = telling('leases');
  return {
    take: (request) => told(leases.take(request)),
    held: (names) => told(leases.held(names)),
    release: (held) => told(leases.release(held)),
    close: () => leases.close(),
  };
}

/**
 * Passes an answer on; a fault of a server that is away, and an answer that never comes, as StoreUnavailable, of one that
 * keeps us out as StoreRefused.
 */
export function telling(engine: Engine): <T>(answer: Promise<T>) => Promise<T> {
  return async (answer) => {
    const { promise: never, reject } = Promise.withResolvers<never>();
    const patience = setTimeout(() => {
      reject(new StoreUnavailable(engine, `MongoDB: no answer within ${UNANSWERED_MS} ms`));
    }, UNANSWERED_MS);
    try {
      return await Promise.race([answer, never]);
    } catch (fault) {
      throw tellingFault(engine, fault);
    } finally {
      clearTimeout(patience);
    }
  };
}

function tellingFault(engine: Engine, fault: unknown): unknown {
  if (keepsUsOut(fault)) return new StoreRefused(engine, `MongoDB keeps us out: ${fault.message}`, { cause: fault });
  return isAway(fault) ? new StoreUnavailable(engine, `MongoDB: ${fault.message}`, { cause: fault }) : fault;
}

function isAway(fault: unknown): fault is MongoError {
  if (fault instanceof MongoNetworkError || fault instanceof MongoServerSelectionError) return true;
  if (fault instanceof MongoOperationTimeoutError) return true;
  if (CONNECTING_ANEW.some((kind) => fault instanceof kind)) return true;
  if (fault instanceof MongoServerError && AWAY.has(fault.code)) return true;
  // Whatever ends a bulk, the driver calls it the server's answer.
  if (fault instanceof MongoBulkWriteError && isAway(fault.errorResponse)) return true;
  return fault instanceof MongoError && fault.hasErrorLabel(MongoErrorLabel.RetryableWriteError);
}
