import { type Refusal, type Refused, refusal, serviceUnavailable, tooLarge } from '../application/refusal.ts';
import { UnknownEvent } from '../eventsourcing/codec.ts';
import { AppendTooLarge } from '../ports/append-too-large.ts';
import type { Log } from '../ports/log.ts';
import { StoreRefused } from '../ports/store-refused.ts';
import { causeOf, StoreUnavailable } from '../ports/store-unavailable.ts';

/**
 * The 503 for a fault after which the same request can succeed: an engine is unreachable or denies access, or only a
 * node of a newer release can read the event. Null for every other fault, which is a bug.
 */
export function unavailableFor(fault: unknown, call: string): Refused | null {
  const cause = causeOf(fault, call);
  if (fault instanceof StoreUnavailable) return serviceUnavailable(`the ${fault.engine} cannot be reached`, cause);
  if (fault instanceof StoreRefused) return serviceUnavailable(`the ${fault.engine} cannot be used`, cause);
  if (fault instanceof UnknownEvent)
    return serviceUnavailable('a newer version of the service has to answer it', cause);
  if (fault instanceof AppendTooLarge) return tooLarge();
  return null;
}

/** Logs why a request was answered 503, unless the cause is logged already. */
export function logUnavailable(
  { error, cause }: Refusal,
  asked: Readonly<Record<string, unknown>> & { readonly requestId: string; readonly path: string },
  log: Log,
): void {
  if (cause === 'logged') return;
  const { deadline, ...failed } = cause ?? { call: error };
  const late = deadline === undefined ? {} : { deadline: deadline.name, deadlineMs: deadline.ms };
  log.warn('request answered 503', { ...asked, ...failed, ...late });
}

export function internalError(requestId: string): Refusal {
  return refusal(
    'INTERNAL_ERROR',
    'The service failed on this request; send it again, and tell the operator the request id if it fails again.',
    {
      details: `request id: ${requestId}`,
    },
  );
}
