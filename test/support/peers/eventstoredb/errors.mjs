import { Metadata, status } from '@grpc/grpc-js';

/**
 * Errors that end a call. Clients tell them apart by the trailers, foremost `exception`.
 *
 * @typedef {import('@grpc/grpc-js').ServiceError} ServiceError
 * @typedef {import('./commit-check.mjs').Expected} Expected
 * @typedef {{ host: string, port: number }} Endpoint
 */

/** @param {string} stream */
export function streamDeleted(stream) {
  return rpcError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

/**
 * @param {string} operation
 * @param {string} stream
 * @param {Expected} expected
 * @param {number} current -1 for no stream
 */
export function wrongExpectedVersion(operation, stream, expected, current) {
  const version = String(versionNumber(expected));
  return rpcError(
    status.FAILED_PRECONDITION,
    `${operation} failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${version}, Actual version: ${current}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': version,
      'actual-version': String(current),
    },
  );
}

/** @param {number} limit bytes */
export function maximumAppendSizeExceeded(limit) {
  return rpcError(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });
}

/** @param {string} property */
export function requiredMetadataMissing(property) {
  return rpcError(status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });
}

/** @param {Endpoint} leader */
export function notLeader({ host, port }) {
  return rpcError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
}

/** What a follower says while nobody leads. */
export function noLeader() {
  return rpcError(status.UNKNOWN, 'No leader info available in response');
}

export function accessDenied() {
  return rpcError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
}

export function unauthenticated() {
  return rpcError(status.UNAUTHENTICATED, 'Unauthenticated');
}

/** A subscription whose start position is not the start of a record. */
export function notRecordBoundary() {
  return rpcError(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');
}

/** A read whose start position is not the start of a record. */
export function invalidReadPosition() {
  return rpcError(status.UNKNOWN, 'Unexpected ReadAllResult: InvalidPosition');
}

/** A request that the real server fails to decode: gRPC hides the exception behind this text. */
export function unhandledException() {
  return rpcError(status.UNKNOWN, 'Exception was thrown by handler.');
}

export function operationTimedOut() {
  return rpcError(status.ABORTED, 'Operation timed out: Commit phase timeout.');
}

export function serverBusy() {
  return rpcError(status.UNAVAILABLE, 'Server Is Too Busy');
}

/** @param {string} message */
export function invalidArgument(message) {
  return rpcError(status.INVALID_ARGUMENT, message);
}

/** @param {string} scavengeId */
export function scavengeNotFound(scavengeId) {
  return rpcError(status.NOT_FOUND, 'Scavenge id was invalid.', {
    exception: 'scavenge-not-found',
    'scavenge-id': scavengeId,
  });
}

/**
 * @param {status} code
 * @param {string} details
 * @param {Record<string, string>} trailers
 * @returns {ServiceError}
 */
export function rpcError(code, details, trailers = {}) {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

/** @param {Expected} expected */
function versionNumber(expected) {
  if (typeof expected === 'number') return expected;
  return { no_stream: -1, any: -2, stream_exists: -4 }[expected];
}
