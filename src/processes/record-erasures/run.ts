import type { ErasureLedger } from '../../ports/erasure-ledger.ts';
import type { RunningProcessManager } from '../../runtime/run-process-manager.ts';
import { runTimedManager, type TimedContext } from '../run-timed.ts';
import { recordErasures, recordErasuresKey } from './process-manager.ts';

export type RecordErasuresContext = TimedContext & { readonly erasures: Pick<ErasureLedger, 'record' | 'newestFirst'> };

/** Runs the process manager that records erasures in the ledger. */
export function runRecordErasures(context: RecordErasuresContext): Promise<RunningProcessManager> {
  return runTimedManager(
    {
      manager: recordErasures,
      keyOf: recordErasuresKey,
      startAtOnce: true,
      // A new, moved or lost ledger: the log has the entries.
      startsOver: () => isEmpty(context.erasures),
      async execute({ erasure }) {
        await context.erasures.record(erasure);
        return { kind: 'done' };
      },
    },
    context,
  );
}

async function isEmpty(erasures: Pick<ErasureLedger, 'newestFirst'>): Promise<boolean> {
  for await (const _ of erasures.newestFirst()) return false;
  return true;
}
