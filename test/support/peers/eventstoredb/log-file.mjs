import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { decodeFrame, encodeFrame } from './log-frame.mjs';

/**
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 *
 * @typedef {object} LogFile
 * @property {readonly StoredEvent[]} recovered what it held when it was opened, in the order of the log
 * @property {(appends: readonly (readonly StoredEvent[])[]) => void} write stores appends, each of them as a whole;
 *   they survive whatever happens after it returns
 * @property {(events: readonly StoredEvent[]) => void} replace what is left after a scavenge
 */

/**
 * An append-only file. A last frame that was torn by the end of its writer is cut off: it was never acknowledged.
 *
 * @param {string} path
 * @param {{ durable: boolean }} options whether a write waits for the disk; the operating system has it in any case
 * @returns {LogFile}
 */
export function openLogFile(path, { durable }) {
  let file = openSync(path, 'a+');
  const { recovered, end } = recover(readFileSync(path));
  ftruncateSync(file, end);
  if (durable) syncDirectory(path);

  return {
    recovered,
    write(appends) {
      writeAll(file, Buffer.concat(appends.map((events) => encodeFrame(events))));
      if (durable) fdatasyncSync(file);
    },
    replace(events) {
      const draft = `${path}.scavenged`;
      const written = openSync(draft, 'w');
      for (const event of events) writeAll(written, encodeFrame([event]));
      fsyncSync(written);
      closeSync(written);
      renameSync(draft, path);
      if (durable) syncDirectory(path);
      closeSync(file);
      file = openSync(path, 'a+');
    },
  };
}

/** @param {Buffer} bytes */
function recover(bytes) {
  /** @type {StoredEvent[]} */
  const recovered = [];
  let end = 0;
  while (end < bytes.length) {
    const frame = decodeFrame(bytes, end);
    if (frame === 'torn') break;
    for (const event of frame.events) recovered.push(event);
    end = frame.end;
  }
  return { recovered, end };
}

/**
 * @param {number} file
 * @param {Buffer} bytes
 */
function writeAll(file, bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** A file that was just made or renamed is only kept once its directory is. @param {string} path */
function syncDirectory(path) {
  const directory = openSync(dirname(path), 'r');
  fsyncSync(directory);
  closeSync(directory);
}
