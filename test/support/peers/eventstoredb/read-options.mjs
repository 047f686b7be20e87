import streamMessages from '@eventstore/db-client/generated/streams_pb.js';
import { invalidArgument, unhandledException } from './errors.mjs';
import { readFilter } from './event-filter.mjs';
import { readStreamName } from './messages.mjs';

const { ReadReq } = streamMessages;

/**
 * @typedef {import('./event-filter.mjs').EventFilter} EventFilter
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').ReadReq.Options} Options
 *
 * @typedef {import('./log-position.mjs').LogPosition} LogPosition
 *
 * @typedef {{ stream: string, from: 'start' | 'end' | number }} OfStream `from` is a revision
 * @typedef {{ stream: null, from: 'start' | 'end' | LogPosition, filter: EventFilter | null }} OfAll
 *
 * @typedef {object} ReadOptions
 * @property {OfStream | OfAll} source
 * @property {boolean} backwards
 * @property {number | 'subscription'} count
 * @property {boolean} tellsEnds whether the reader understands frames with the first and the last revision
 */

/** What clients send for "the end" where they send a number. */
const LARGEST_UINT64 = 2n ** 64n - 1n;

const LARGEST_INT64 = 2n ** 63n - 1n;

/**
 * @param {Options | undefined} options
 * @returns {ReadOptions}
 * @throws {import('@grpc/grpc-js').ServiceError}
 */
export function readOptions(options) {
  if (options === undefined) throw invalidArgument('options are missing');
  const count = options.hasSubscription() ? 'subscription' : Number(options.getCount());
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
  if (count === 'subscription' && backwards) throw invalidArgument('a subscription reads forwards');
  return {
    source: readSource(options),
    backwards,
    count,
    tellsEnds: (options.getControlOption()?.getCompatibility() ?? 0) >= 1,
  };
}

/**
 * @param {Options} options
 * @returns {OfStream | OfAll}
 */
function readSource(options) {
  const ofStream = options.getStream();
  if (ofStream !== undefined) {
    if (options.hasFilter()) throw invalidArgument('only $all can be filtered');
    const from = ofStream.hasStart() ? 'start' : ofStream.hasEnd() ? 'end' : readRevision(ofStream.getRevision());
    return { stream: readStreamName(ofStream.getStreamIdentifier()), from };
  }
  const ofAll = options.getAll();
  if (ofAll === undefined) throw invalidArgument('neither a stream nor $all');
  const position = ofAll.getPosition();
  const from = ofAll.hasStart() ? 'start' : position === undefined ? 'end' : readPosition(position);
  return { stream: null, from, filter: filterOf(options) };
}

/** @param {Options} options */
function filterOf(options) {
  const filter = options.getFilter();
  if (filter === undefined) return null;
  try {
    return readFilter(filter);
  } catch (error) {
    throw invalidArgument(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} revision an unsigned 64-bit integer */
function readRevision(revision) {
  return BigInt(revision) === LARGEST_UINT64 ? 'end' : Number(revision);
}

/**
 * Positions above 2^53 lose precision as numbers; they are all beyond the end of the log.
 *
 * @param {import('@eventstore/db-client/generated/streams_pb.js').ReadReq.Options.Position} position unsigned 64-bit
 *   integers
 * @returns {'end' | LogPosition}
 * @throws {import('@grpc/grpc-js').ServiceError} where a part has no signed 64-bit value, or prepare is above commit
 */
function readPosition(position) {
  const [commit, prepare] = [BigInt(position.getCommitPosition()), BigInt(position.getPreparePosition())];
  if (commit === LARGEST_UINT64 && prepare === LARGEST_UINT64) return 'end';
  if (commit > LARGEST_INT64 || prepare > commit) throw unhandledException();
  return { commit: Number(commit), prepare: Number(prepare) };
}
