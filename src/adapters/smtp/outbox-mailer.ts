import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Mailer } from '../../ports/mailer.ts';
import { composed } from './compose.ts';

const OWNER_ONLY = 0o700;
const UNFINISHED = '.unfinished';

/**
 * The port Mailer without a mail server: writes each mail to a file `{Message-ID}.eml`, which any mail program opens. A
 * file is written completely or not at all, and the same Message-ID is the same file.
 */
export function outboxMailer(directory: string): Mailer {
  mkdirSync(directory, { recursive: true, mode: OWNER_ONLY });
  chmodSync(directory, OWNER_ONLY);
  // Remove files of a process that stopped during a write.
  for (const name of readdirSync(directory)) if (name.endsWith(UNFINISHED)) rmSync(join(directory, name));
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  let closed = false;
  return {
    async send(mail) {
      if (closed) return { kind: 'failed', reason: 'outbox: closed', permanent: false };
      const name = fileNameOf(mail.messageId);
      const unfinished = join(directory, `${randomUUID()}${UNFINISHED}`);
      try {
        const { message } = await transport.sendMail(composed(mail));
        if (!Buffer.isBuffer(message)) throw new Error('the mail was composed as a stream');
        writeThrough(unfinished, message);
        renameSync(unfinished, join(directory, name));
        syncDirectory(directory);
        return { kind: 'accepted', providerId: name };
      } catch (fault) {
        rmSync(unfinished, { force: true });
        return { kind: 'failed', reason: `outbox: ${codeOf(fault)}`, permanent: false };
      }
    },
    async close() {
      closed = true;
    },
  };
}

/** Encodes characters that some file systems forbid in names as `%` and their code. */
export function fileNameOf(messageId: string): string {
  const name = messageId.replace(/^<|>$/g, '').replace(/[^\w.@+-]/g, (character) => encodeURIComponent(character));
  return `${name}.eml`;
}

/** Synchronous: the calls take a third of the processor time of asynchronous ones, and a thread of their own makes them. */
function writeThrough(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Without this fsync, a rename could be lost in a power failure. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function codeOf(fault: unknown): string {
  if (fault instanceof Error && 'code' in fault && typeof fault.code === 'string') return fault.code;
  return fault instanceof Error ? fault.name : 'unknown';
}
