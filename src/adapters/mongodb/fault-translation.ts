import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoErrorLabel,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import type { ErasureLedger } from '../../ports/erasure-ledger.ts';
import type { ExposureStore } from '../../ports/exposure-store.ts';
import type { Leases } from '../../ports/leases.ts';
import type { MailLimiter } from '../../ports/mail-limiter.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import type { RequestStatisticsStore } from '../../ports/request-statistics.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import { StoreRefused } from '../../ports/store-refused.ts';
import { type Engine, type FailedCall, StoreUnavailable } from '../../ports/store-unavailable.ts';
import { ANSWER_MS, FIND_SERVER_MS } from './database.ts';
import { differingOf } from './differences.ts';
import { isAccessDenied } from './server-faults.ts';

/**
 * Error codes, named as in MongoDB's documentation: the member is not the primary, is shutting down, or got no answer
 * from a majority in time.
 */
const UNAVAILABLE = new Set<unknown>([
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
 * Longer than the driver's own deadlines for server selection and answers. The driver relies on socket events, and Bun
 * may not report the end of a socket whose server was killed.
 */
const UNANSWERED_MS = 16_000;

/** Thrown by calls while the client reconnects, or that were in progress when it was closed. */
const RECONNECTING = [
  MongoClientClosedError,
  MongoExpiredSessionError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
];
/** The driver does not export the class of this one. */
const POOL_CLOSED = 'PoolClosedError';

async function* translatedEach<Item>(
  translated: ReturnType<typeof translateFaults>,
  call: string,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const all = items[Symbol.asyncIterator]();
  const next = () => translated(call, all.next());
  for (let found = await next(); !found.done; found = await next()) yield found.value;
}

/** Wraps the port so that its faults become StoreUnavailable or StoreRefused. */
export function readModelsOf(store: ReadModelStore): ReadModelStore {
  const translated = translateFaults('read models');
  const scan = (collection: string) => translatedEach(translated, `scan of ${collection}`, store.scan(collection));
  return {
    positions: store.positions,
    ensure: (collection, indexes) => translated(`ensure ${collection}`, store.ensure(collection, indexes)),
    load: (collection, ids) => translated(`load from ${collection}`, store.load(collection, ids)),
    commit: (collection, writes, upTo, applied) =>
      translated(`commit to ${collection}`, store.commit(collection, writes, upTo, applied)),
    checkpoint: (collection) => translated(`checkpoint of ${collection}`, store.checkpoint(collection)),
    checkpoints: (collections) => translated('checkpoints', store.checkpoints(collections)),
    lastEvents: (collections) => translated('last events', store.lastEvents(collections)),
    find: (collection, query) => translated(`find in ${collection}`, store.find(collection, query)),
    scan,
    // Not as one call: between two documents that differ lie any number of equal ones, and so any time.
    differing: (left, right) => differingOf(scan(left), scan(right)),
    collections: () => translated('list of collections', store.collections()),
    drop: (collection) => translated(`drop ${collection}`, store.drop(collection)),
    pointer: (name) => translated(`pointer ${name}`, store.pointer(name)),
    pointers: (names) => translated('pointers', store.pointers(names)),
    movePointer: (name, from, to) => translated(`move pointer ${name}`, store.movePointer(name, from, to)),
    close: () => store.close(),
  };
}

/** See `readModelsOf`. */
export function rateLimiterOf(limiter: RateLimiter): RateLimiter {
  const translated = translateFaults('usage counters');
  return {
    take: (key, limits, atMs, counting) =>
      translated(`take quota of ${key}`, limiter.take(key, limits, atMs, counting)),
    peek: (key, limits, atMs) => translated(`read quota of ${key}`, limiter.peek(key, limits, atMs)),
    close: () => limiter.close(),
  };
}

/** See `readModelsOf`. */
export function mailLimiterOf(limiter: MailLimiter): MailLimiter {
  const translated = translateFaults('usage counters');
  return {
    take: (mail, whenFull, atMs) => translated('count mail', limiter.take(mail, whenFull, atMs)),
    close: () => limiter.close(),
  };
}

/** See `readModelsOf`. */
export function exposureStoreOf(store: ExposureStore): ExposureStore {
  const translated = translateFaults('usage counters');
  return {
    read: (counter) => translated(`read exposure of ${counter}`, store.read(counter)),
    replace: (counter, before, entries) =>
      translated(`store exposure of ${counter}`, store.replace(counter, before, entries)),
    close: () => store.close(),
  };
}

/** See `readModelsOf`. */
export function requestStatisticsOf(store: RequestStatisticsStore): RequestStatisticsStore {
  const translated = translateFaults('usage counters');
  return {
    put: (counted) => translated('store request statistics', store.put(counted)),
    of: (keys, day) => translated('read request statistics', store.of(keys, day)),
    lastUses: (keys) => translated('read the last use of keys', store.lastUses(keys)),
    forgetBefore: (day) => translated('delete old request statistics', store.forgetBefore(day)),
    close: () => store.close(),
  };
}

/** See `readModelsOf`. */
export function snapshotsOf(store: SnapshotStore): SnapshotStore {
  const translated = translateFaults('snapshots');
  return {
    load: (stream, version) => translated(`load snapshot of ${stream}`, store.load(stream, version)),
    save: (snapshot, atMs) => translated(`save snapshot of ${snapshot.stream}`, store.save(snapshot, atMs)),
    remove: (snapshot) => translated(`delete snapshot of ${snapshot.stream}`, store.remove(snapshot)),
    removeBefore: (atMs) => translated('delete old snapshots', store.removeBefore(atMs)),
    close: () => store.close(),
  };
}

/** See `readModelsOf`. */
export function erasureLedgerOf(ledger: ErasureLedger): ErasureLedger {
  const translated = translateFaults('erasure ledger');
  return {
    record: (erasure) => translated(`record erasure of ${erasure.booking}`, ledger.record(erasure)),
    of: (booking) => translated(`read erasure of ${booking}`, ledger.of(booking)),
    newestFirst: () => translatedEach(translated, 'read erasures', ledger.newestFirst()),
    close: () => ledger.close(),
  };
}

/** See `readModelsOf`. */
export function leasesOf(leases: Leases): Leases {
  const translated = translateFaults('leases');
  return {
    take: (request) => translated('take lease', leases.take(request)),
    renew: (held, by) => translated('renew leases', leases.renew(held, by)),
    held: (names) => translated('read leases', leases.held(names)),
    list: () => translated('list leases', leases.list()),
    release: (held) => translated('release lease', leases.release(held)),
    close: () => leases.close(),
  };
}

/**
 * Passes an answer on. An unavailable server or a missing answer becomes StoreUnavailable, denied access becomes
 * StoreRefused; other faults pass unchanged.
 */
export function translateFaults(engine: Engine): <T>(call: string, answer: Promise<T>) => Promise<T> {
  return async (call, answer) => {
    const beganMs = performance.now();
    const failed = (deadline: FailedCall['deadline']): FailedCall => ({
      call,
      ...(deadline === undefined ? {} : { deadline }),
      tookMs: Math.round(performance.now() - beganMs),
    });
    const { promise: never, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const message = `MongoDB: no answer within ${UNANSWERED_MS} ms`;
      reject(new StoreUnavailable(engine, message, { failed: failed({ name: 'MongoDB call', ms: UNANSWERED_MS }) }));
    }, UNANSWERED_MS);
    try {
      return await Promise.race([answer, never]);
    } catch (fault) {
      if (isAccessDenied(fault))
        throw new StoreRefused(engine, `MongoDB denies access: ${fault.message}`, { cause: fault });
      if (!isUnavailable(fault)) throw fault;
      const options = { cause: fault, failed: failed(deadlineOf(fault)) };
      throw new StoreUnavailable(engine, `MongoDB: ${fault.message}`, options);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The driver's deadline that a fault reports as passed. */
function deadlineOf(fault: MongoError): FailedCall['deadline'] {
  if (fault instanceof MongoServerSelectionError) return { name: 'MongoDB server selection', ms: FIND_SERVER_MS };
  if (fault instanceof MongoNetworkTimeoutError) return { name: 'MongoDB answer', ms: ANSWER_MS };
  return undefined;
}

function isUnavailable(fault: unknown): fault is MongoError {
  if (fault instanceof MongoNetworkError || fault instanceof MongoServerSelectionError) return true;
  if (fault instanceof MongoOperationTimeoutError) return true;
  if (RECONNECTING.some((kind) => fault instanceof kind)) return true;
  if (fault instanceof MongoError && fault.name === POOL_CLOSED) return true;
  if (fault instanceof MongoServerError && UNAVAILABLE.has(fault.code)) return true;
  // The driver reports every cause of a failed bulk write as a server response.
  if (fault instanceof MongoBulkWriteError && isUnavailable(fault.errorResponse)) return true;
  return fault instanceof MongoError && fault.hasErrorLabel(MongoErrorLabel.RetryableWriteError);
}
