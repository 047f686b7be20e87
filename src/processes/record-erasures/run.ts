import type { ErasureLedger } from '../../ports/erasure-ledger.ts';
import type { RunningProcessManager } from '../../runtime/run-process-manager.ts';
import { runTimedManager, type TimedContext } from '../run-timed.ts';
import { recordErasures, recordErasuresKey } from './process-manager.ts';

export type RecordErasuresContext = TimedContext & { readonly erasures: Pick<ErasureLedger, 'record'> };

/** Runs the process manager that records erasures in the ledger. */
export function runRecordErasures(context: RecordErasuresContext): Promise<RunningProcessManager> {
  return runTimedManager(
    {
      manager: recordErasures,
      keyOf: recordErasuresKey,
      startAtOnce: true,
      async execute({ erasure }) {
        await context.erasures.record(erasure);
        return { kind: 'done' };
      },
    },
    context,
  );
}
