import streamMessages from '@eventstore/db-client/generated/streams_pb.js';
import { invalidArgument } from './errors.mjs';
import { readFilter } from './event-filter.mjs';
import { readStreamName } from './messages.mjs';

const { ReadReq } = streamMessages;

/**
 * @typedef {import('./event-filter.mjs').EventFilter} EventFilter
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').ReadReq.Options} Options
 *
 * @typedef {'start' | 'end' | number} From where to read: a revision or a position
 *
 * @typedef {{ stream: string, from: From }} OfStream
 * @typedef {{ stream: null, from: From, filter: EventFilter | null }} OfAll
 *
 * @typedef {object} ReadOptions
 * @property {OfStream | OfAll} source
 * @property {boolean} backwards
 * @property {number | 'subscription'} count
 * @property {boolean} tellsEnds whether the reader understands frames with the first and the last revision
 */

/** What clients send for "the end" where they send a number: the largest unsigned 64-bit integer. */
const END = 2 ** 64;

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
    const from = ofStream.hasStart() ? 'start' : ofStream.hasEnd() ? 'end' : place(ofStream.getRevision());
    return { stream: readStreamName(ofStream.getStreamIdentifier()), from };
  }
  const ofAll = options.getAll();
  if (ofAll === undefined) throw invalidArgument('neither a stream nor $all');
  const position = ofAll.getPosition();
  const from = ofAll.hasStart() ? 'start' : position === undefined ? 'end' : place(position.getCommitPosition());
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

/**
 * @param {string} number an unsigned 64-bit integer
 * @returns {From}
 */
function place(number) {
  const value = Number(number);
  return value >= END ? 'end' : value;
}
