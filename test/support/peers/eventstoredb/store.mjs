import { randomUUID } from 'node:crypto';
import { checkCommit } from './commit-check.mjs';
import { EventIndex } from './event-index.mjs';
import { openLogFile } from './log-file.mjs';
import { positionOf } from './log-position.mjs';
import { scavenged } from './scavenge.mjs';
import { EPOCH_STREAM, endOf, TOMBSTONE_REVISION, TOMBSTONE_TYPE } from './stored-event.mjs';
import {
  DELETED_METADATA,
  METADATA_TYPE,
  metadataStreamOf,
  streamOfMetadata,
  withTruncateBefore,
} from './stream-metadata.mjs';

/**
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('./commit-check.mjs').Expected} Expected
 *
 * @typedef {{ id: string, type: string, json: boolean, data: Buffer, metadata: Buffer }} ProposedEvent
 *
 * @typedef {{ kind: 'append', stream: string, expected: Expected, events: readonly ProposedEvent[] }
 *   | { kind: 'delete', stream: string, expected: Expected }
 *   | { kind: 'tombstone', stream: string, expected: Expected }} Command
 *
 * @typedef {{ kind: 'stored', revision: number, position: number | null }
 *   | { kind: 'wrong-revision', current: number }
 *   | { kind: 'deleted' }} Outcome `revision` is -1 where nothing was appended to no stream; `position` is null where
 *   the first outcome's event is no longer there to be read
 *
 * @typedef {{ command: Command, resolve: (outcome: Outcome) => void, reject: (fault: unknown) => void }} Waiting
 */

const NOTHING = Buffer.alloc(0);

/** The log with its index. Commands that arrive together are stored together, in one write to the disk. */
export class Store {
  index = new EventIndex();
  /** Called after events were stored, or removed. @type {Set<() => void>} */
  onChange = new Set();
  #log;
  #nowMs;
  /** Where the next record begins. */
  #end = 0;
  /** @type {Waiting[]} */
  #waiting = [];

  /**
   * @param {string} path
   * @param {{ durable: boolean, nowMs: () => number }} options
   */
  constructor(path, { durable, nowMs }) {
    this.#log = openLogFile(path, { durable });
    this.#nowMs = nowMs;
    for (const event of this.#log.recovered) this.#add(event);
    if (this.#end === 0) this.#log.write([[this.#store(EPOCH_STREAM, 0, proposed(EPOCH_STREAM, NOTHING))]]);
  }

  /** Behind the last record. */
  get end() {
    return this.#end;
  }

  /** Of the last record. */
  get lastPosition() {
    return positionOf(this.index.all.at(-1) ?? { position: 0 });
  }

  nowMs() {
    return this.#nowMs();
  }

  /**
   * Resolves when the outcome is stored for good.
   *
   * @param {Command} command
   * @returns {Promise<Outcome>}
   */
  execute(command) {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      this.#waiting.push({ command, resolve, reject });
    });
  }

  /** Removes from the log what is no longer there to be read. */
  scavenge() {
    const kept = scavenged(this.index, this.#nowMs());
    this.#log.replace(kept);
    this.index = new EventIndex();
    for (const event of kept) this.index.add(event);
    this.#changed();
  }

  /** Nothing else runs meanwhile, so nobody sees an event before the disk has it. */
  #commit() {
    const waiting = this.#waiting.splice(0);
    /** @type {StoredEvent[][]} */
    const appends = [];
    const decided = waiting.map(({ command }) => {
      const { outcome, events } = this.#decide(command);
      if (events.length > 0) appends.push(events);
      return outcome;
    });
    try {
      if (appends.length > 0) this.#log.write(appends);
    } catch (fault) {
      for (const { reject } of waiting) reject(fault);
      throw fault;
    }
    for (const [at, outcome] of decided.entries()) waiting[at]?.resolve(outcome);
    if (appends.length > 0) this.#changed();
  }

  /**
   * @param {Command} command
   * @returns {{ outcome: Outcome, events: StoredEvent[] }}
   */
  #decide(command) {
    const { stream, expected } = command;
    const ids = command.kind === 'append' ? command.events.map(({ id }) => id) : [randomUUID()];
    const verdict = checkCommit(this.index, stream, expected, ids);
    switch (verdict.kind) {
      case 'idempotent':
        return { outcome: this.#firstOutcome(stream, verdict.revision), events: [] };
      case 'accepted':
        break;
      default:
        return { outcome: verdict, events: [] };
    }
    switch (command.kind) {
      case 'append':
        return this.#append(command.stream, command.events, verdict);
      case 'delete':
        return this.#delete(stream, verdict.current);
      default: {
        const event = this.#store(stream, TOMBSTONE_REVISION, proposed(TOMBSTONE_TYPE, NOTHING));
        return { outcome: { kind: 'stored', revision: event.revision, position: event.position }, events: [event] };
      }
    }
  }

  /**
   * @param {string} stream
   * @param {readonly ProposedEvent[]} proposals
   * @param {{ current: number, softDeleted: boolean }} verdict
   * @returns {{ outcome: Outcome, events: StoredEvent[] }}
   */
  #append(stream, proposals, { current, softDeleted }) {
    const events = proposals.map((proposal, at) => this.#store(stream, current + 1 + at, proposal));
    const revision = current + events.length;
    const outcome = { kind: /** @type {const} */ ('stored'), revision, position: events.at(-1)?.position ?? this.#end };
    const reopened = softDeleted ? this.#reopen(stream, current + 1) : [];
    const described = streamOfMetadata(stream);
    // Setting the metadata of a deleted stream reopens it.
    const undeleted = described !== null && this.index.isSoftDeleted(described);
    const alsoReopened = undeleted ? this.#reopen(described, this.index.lastRevision(described) + 1) : [];
    return { outcome, events: [...events, ...reopened, ...alsoReopened] };
  }

  /**
   * @param {string} stream
   * @param {number} current
   * @returns {{ outcome: Outcome, events: StoredEvent[] }}
   */
  #delete(stream, current) {
    const described = metadataStreamOf(stream);
    const last = this.index.lastRevision(described);
    if (current < 0 && last < 0) return { outcome: { kind: 'wrong-revision', current: -1 }, events: [] };
    const event = this.#store(described, last + 1, proposed(METADATA_TYPE, DELETED_METADATA));
    return { outcome: { kind: 'stored', revision: event.revision, position: event.position }, events: [event] };
  }

  /**
   * Lets a stream that was deleted softly begin at a revision.
   *
   * @param {string} stream
   * @param {number} firstRevision
   */
  #reopen(stream, firstRevision) {
    const data = withTruncateBefore(this.index.rawMetadataOf(stream) ?? NOTHING, firstRevision);
    if (data === null) return [];
    const described = metadataStreamOf(stream);
    return [this.#store(described, this.index.lastRevision(described) + 1, proposed(METADATA_TYPE, data))];
  }

  /**
   * @param {string} stream
   * @param {number} revision
   * @returns {Outcome}
   */
  #firstOutcome(stream, revision) {
    const readable = revision >= this.index.firstReadableRevision(stream, this.#nowMs());
    const position = readable ? (this.index.eventAt(stream, revision)?.position ?? null) : null;
    return { kind: 'stored', revision, position };
  }

  /**
   * @param {string} stream
   * @param {number} revision
   * @param {ProposedEvent} proposal
   */
  #store(stream, revision, proposal) {
    const event = { ...proposal, stream, revision, position: this.#end, createdAtMs: this.#nowMs() };
    this.#add(event);
    return event;
  }

  /** @param {StoredEvent} event */
  #add(event) {
    this.index.add(event);
    this.#end = endOf(event);
  }

  #changed() {
    for (const listener of this.onChange) listener();
  }
}

/**
 * An event of the server's own.
 *
 * @param {string} type
 * @param {Buffer} data
 * @returns {ProposedEvent}
 */
function proposed(type, data) {
  return { id: randomUUID(), type, json: type === METADATA_TYPE, data, metadata: NOTHING };
}
