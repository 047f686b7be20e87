import { readdirSync } from 'node:fs';
import type { Mailer, MailOutcome } from '../../src/ports/mailer.ts';

/** A mailer whose mails stay in progress until it is closed. */
export function heldMailer(): Mailer {
  const closed = Promise.withResolvers<MailOutcome>();
  return {
    send: () => closed.promise,
    async close() {
      closed.resolve({ kind: 'failed', reason: 'closed', permanent: false });
    },
  };
}

/** The names of the files in an outbox, without those that are being written. */
export function mailsIn(outbox: string): readonly string[] {
  return readdirSync(outbox).filter((name) => name !== '.unfinished');
}
