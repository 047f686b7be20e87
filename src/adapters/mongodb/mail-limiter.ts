import { ObjectId } from 'mongodb';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { MailLimiter } from '../../ports/mail-limiter.ts';
import { countUntilMs, type MailTurns, takeTurn } from '../../ports/mail-turns.ts';
import { MAILS } from './collection-names.ts';
import type { Database } from './database.ts';
import { isRefusal } from './server-faults.ts';

type Kept = {
  readonly _id: string;
  /** Unique per write: a counter would repeat after a document was deleted and inserted again. */
  readonly version: ObjectId;
  readonly untilMs: number;
  readonly turns: MailTurns;
};

/**
 * A mail limiter that any number of nodes share: one document per address, replaced by compare-and-set before a mail is sent
 * (docs/decisions/0072).
 *
 * @param database stays open when this is closed
 */
export function openMailLimiter({ db, reading }: Database): MailLimiter {
  const documents = db.collection<Kept>(MAILS, reading);
  let open = true;
  let forgetAtMs = 0;

  /** False if another node wrote first. */
  async function replace(address: string, before: Kept | null, turns: MailTurns): Promise<boolean> {
    const document = { version: new ObjectId(), untilMs: countUntilMs(turns), turns };
    if (before !== null) {
      const filter = { _id: address, version: before.version };
      return (await documents.updateOne(filter, { $set: document })).matchedCount > 0;
    }
    try {
      await documents.insertOne({ _id: address, ...document });
      return true;
    } catch (fault) {
      if (!isRefusal(fault, 'DuplicateKey')) throw fault;
      return false;
    }
  }

  /** Once a day: deletes the documents of addresses that nothing counts for any more. If that fails, the next mail does. */
  function forgetExpired(atMs: number): void {
    if (atMs < forgetAtMs) return;
    const before = forgetAtMs;
    forgetAtMs = atMs + DAY_MS;
    documents.deleteMany({ untilMs: { $lte: atMs } }).catch(() => {
      forgetAtMs = before;
    });
  }

  return {
    async take(mail, whenFull, atMs) {
      // A lost race means that another node has counted a mail, so this ends.
      for (;;) {
        if (!open) throw new Error('the mail limiter is closed');
        const before = await documents.findOne({ _id: mail.address });
        const { turns, taking } = takeTurn(before?.turns ?? [], mail, whenFull, atMs);
        if (await replace(mail.address, before, turns)) {
          forgetExpired(atMs);
          return taking;
        }
      }
    },
    async close() {
      open = false;
    },
  };
}
