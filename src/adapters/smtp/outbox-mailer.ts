import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Mailer } from '../../ports/mailer.ts';
import { composed } from './compose.ts';

const OWNER_ONLY = 0o700;
/** Directory of files that are being written. It is emptied at the start, without a look at the mails. */
const UNFINISHED = '.unfinished';

/**
 * The port Mailer without a mail server: writes each mail to a file `{Message-ID}.eml`, which any mail program opens. A
 * file is written completely or not at all, and the same Message-ID is the same file.
 */
export function outboxMailer(directory: string): Mailer {
  const unfinishedDirectory = join(directory, UNFINISHED);
  mkdirSync(directory, { recursive: true, mode: OWNER_ONLY });
  chmodSync(directory, OWNER_ONLY);
  if (!existsSync(unfinishedDirectory)) removeUnfinishedOfEarlierRelease(directory);
  rmSync(unfinishedDirectory, { recursive: true, force: true });
  mkdirSync(unfinishedDirectory, { mode: OWNER_ONLY });
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  let closed = false;
  return {
    async send(mail) {
      if (closed) return { kind: 'failed', reason: 'outbox: closed', permanent: false };
      const name = fileNameOf(mail.messageId);
      const unfinished = join(unfinishedDirectory, randomUUID());
      try {
        const { message } = await transport.sendMail(composed(mail));
        if (!Buffer.isBuffer(message)) throw new Error('the mail was composed as a stream');
        await writeThrough(unfinished, message);
        await rename(unfinished, join(directory, name));
        await syncDirectory(directory);
        return { kind: 'accepted', providerId: name };
      } catch (fault) {
        await rm(unfinished, { force: true });
        return { kind: 'failed', reason: `outbox: ${codeOf(fault)}`, permanent: false };
      }
    },
    async close() {
      closed = true;
    },
  };
}

/** Earlier releases wrote `{uuid}.unfinished` beside the mails. */
function removeUnfinishedOfEarlierRelease(directory: string): void {
  for (const name of readdirSync(directory)) if (name.endsWith(UNFINISHED)) rmSync(join(directory, name));
}

/** Encodes characters that some file systems forbid in names as `%` and their code. */
export function fileNameOf(messageId: string): string {
  const name = messageId.replace(/^<|>$/g, '').replace(/[^\w.@+-]/g, (character) => encodeURIComponent(character));
  return `${name}.eml`;
}

async function writeThrough(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Without this fsync, a rename could be lost in a power failure. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function codeOf(fault: unknown): string {
  if (fault instanceof Error && 'code' in fault && typeof fault.code === 'string') return fault.code;
  return fault instanceof Error ? fault.name : 'unknown';
}
