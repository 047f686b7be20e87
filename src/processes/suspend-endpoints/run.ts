import type { OnFatal } from '../../runtime/lease.ts';
import type { WithParking } from '../../runtime/parked-commands.ts';
import { runProcessManager } from '../../runtime/run-process-manager.ts';
import type { Running } from '../../runtime/running.ts';
import type { WebhookContext } from '../../webhooks/context.ts';
import { suspendEndpoints } from './process-manager.ts';
import { reportAttempts } from './report-attempts.ts';

const REPORTS_AT_ONCE = 64;
const INTERVAL_MS = 1_000;
const CHECKPOINT_MS = 30_000;

/** Reports attempts to endpoint streams, which suspends receivers that only fail (docs/decisions/0039). */
export function runSuspendEndpoints(context: WebhookContext & WithParking, onFatal: OnFatal): Promise<Running> {
  return runProcessManager({
    ...context,
    onFatal,
    manager: suspendEndpoints,
    keyOf: ({ endpoint }) => endpoint,
    maxInFlight: REPORTS_AT_ONCE,
    startAtOnce: false,
    intervalMs: INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    execute: async (command) => ({ kind: (await reportAttempts(command, context)) ? 'done' : 'later' }),
  });
}
