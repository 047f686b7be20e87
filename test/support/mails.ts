import type { Mailer, MailOutcome } from '../../src/ports/mailer.ts';

/** A mailer that takes every mail and says nothing of it until it is closed. */
export function heldMailer(): Mailer {
  const closed = Promise.withResolvers<MailOutcome>();
  return {
    send: () => closed.promise,
    async close() {
      closed.resolve({ kind: 'failed', reason: 'closed', permanent: false });
    },
  };
}
