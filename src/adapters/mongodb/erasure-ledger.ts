import { type PositionForm, storedPosition } from '../../eventsourcing/message.ts';
import type { Erasure, ErasureLedger } from '../../ports/erasure-ledger.ts';
import { ERASURES } from './collection-names.ts';
import type { Database } from './database.ts';

type Stored = { readonly _id: string; readonly position: string; readonly at: string };

/**
 * The erasure ledger that all nodes share: one document per booking.
 *
 * @param positions the form of the event store
 * @param database stays open when this is closed
 */
export function openErasureLedger({ db, reading }: Database, positions: PositionForm): ErasureLedger {
  const documents = db.collection<Stored>(ERASURES, reading);
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the erasure ledger is closed');
  };
  const erasureOf = ({ _id, position, at }: Stored): Erasure => {
    return { booking: _id, position: storedPosition(position, positions), at };
  };
  return {
    async record({ booking, position, at }) {
      assertOpen();
      const entry = { position: positions.format(position), at };
      await documents.updateOne({ _id: booking }, { $set: entry }, { upsert: true });
    },
    async of(booking) {
      assertOpen();
      const stored = await documents.findOne({ _id: booking });
      return stored === null ? null : erasureOf(stored);
    },
    async *newestFirst() {
      assertOpen();
      for await (const stored of documents.find().sort({ position: -1 })) yield erasureOf(stored);
    },
    async close() {
      open = false;
    },
  };
}
