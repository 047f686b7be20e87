import type { ErasureLedger } from '../../../src/ports/erasure-ledger.ts';
import type { EventStore } from '../../../src/ports/event-store.ts';

/** After which step the process dies: the fact, the entry in the ledger, the deletion, or the first fact after a restore. */
export const DIES_AFTER = 'DIES_AFTER';
export type Step = 'fact' | 'entry' | 'deletion' | 'first fact after a restore';

function dieAfter(...steps: readonly Step[]): void {
  if (steps.some((step) => step === process.env[DIES_AFTER])) process.kill(process.pid, 'SIGKILL');
}

export function mortalStore<Store extends EventStore>(store: Store): Store {
  const [append, erase] = [store.append.bind(store), store.erase.bind(store)];
  store.append = async (stream, expectedRevision, events) => {
    const outcome = await append(stream, expectedRevision, events);
    if (events.some(({ type }) => type.startsWith('GuestErased')))
      dieAfter(events[0]?.cause.by === 'erasure-ledger' ? 'first fact after a restore' : 'fact');
    return outcome;
  };
  store.erase = async (stream) => {
    await erase(stream);
    dieAfter('deletion');
  };
  return store;
}

export function mortalLedger(ledger: ErasureLedger): ErasureLedger {
  return {
    ...ledger,
    async record(erasure) {
      await ledger.record(erasure);
      dieAfter('entry');
    },
  };
}
