import { runProcessManager } from '../application/run-process-manager.ts';
import type { Begun, GiveUp } from '../application/under-lease.ts';
import { endpointWatch } from '../domain/endpoint/watch.ts';
import type { WebhookContext } from '../webhooks/context.ts';
import { reportAttempts } from '../webhooks/report-attempts.ts';

const REPORTS_AT_ONCE = 64;
const INTERVAL_MS = 1_000;
const CHECKPOINT_MS = 30_000;

/** Tells receivers' streams what attempts came to, so that those that only fail are suspended (docs/decisions/0039). */
export function runEndpointWatch(context: WebhookContext, giveUp: GiveUp): Promise<Begun> {
  return runProcessManager({
    ...context,
    giveUp,
    manager: endpointWatch,
    keyOf: ({ endpoint }) => endpoint,
    maxInFlight: REPORTS_AT_ONCE,
    prompt: false,
    intervalMs: INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    carryOut: async (command) => ({ kind: (await reportAttempts(command, context)) ? 'done' : 'later' }),
  });
}
