import { type Position, type Recorded, unreachable } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import type { DeliveryEvent, DeliveryId } from '../delivery/delivery.ts';
import { PersistentMap } from '../persistent-map.ts';
import type { AttemptsReport, EndpointId } from './endpoint.ts';

/** Attempts are reported together, so that a receiver that fails now and then leaves few traces. */
export const REPORT_AFTER_MS = 60_000;

/** Tell an endpoint what attempts at it came to. */
export type EndpointWatchCommand = {
  readonly endpoint: EndpointId;
  readonly report: AttemptsReport;
  /** The last of the attempts: of which delivery, and made with the URL of which revision of the key's stream. */
  readonly delivery: DeliveryId;
  readonly keyRevision: number;
  readonly causationId: string;
  readonly correlationId: string;
  /** Where the last of the attempts stands in the log. */
  readonly upTo: Position;
};

type Unreported = EndpointWatchCommand & {
  /** Nothing that stands before it is still to be reported. */
  readonly from: Position;
  /** When the first of the attempts had ended, ms since the epoch. */
  readonly fromMs: number;
};

export type EndpointWatchState = PersistentMap<Unreported>;

type AttemptEvent = Recorded<Extract<DeliveryEvent, { type: 'AttemptFailed' | 'DeliverySucceeded' }>>;

/**
 * Gathers what attempts came to, by endpoint, and reports it once a minute. It keeps what is not reported yet, and nothing
 * else: since when an endpoint fails stands in its stream.
 */
export const endpointWatch: ProcessManager<EndpointWatchState, DeliveryEvent, EndpointWatchCommand> = {
  name: 'endpoint-watch',
  categories: ['delivery'],
  initial: new PersistentMap(),
  react(unreported, event) {
    switch (event.type) {
      case 'AttemptFailed':
      case 'DeliverySucceeded':
        return gathered(unreported, event);
      case 'DeliveryScheduled':
      case 'DeliveryOmitted':
      case 'ReplayScheduled':
      case 'DeliveryExhausted':
      case 'ResendRequested':
        return unreported;
      default:
        return unreachable(event);
    }
  },
  due(unreported, nowMs, { limit, busy }) {
    const due: EndpointWatchCommand[] = [];
    for (const [endpoint, { from: _from, fromMs, ...command }] of unreported.entries()) {
      if (due.length >= limit) break;
      if (nowMs >= fromMs + REPORT_AFTER_MS && !busy(endpoint)) due.push(command);
    }
    return due;
  },
  /** What came in while it was reported is reported with it once more, which changes nothing. */
  done(unreported, { endpoint, report, upTo }) {
    const entry = unreported.get(endpoint);
    if (entry === undefined) return unreported;
    if (entry.upTo === upTo) return unreported.without(endpoint);
    return unreported.with(endpoint, { ...entry, from: upTo, fromMs: endedMs(report) });
  },
  oldestOpen(unreported) {
    let oldest: Position | null = null;
    for (const [, { from }] of unreported.entries()) if (oldest === null || from < oldest) oldest = from;
    return oldest;
  },
};

function gathered(unreported: EndpointWatchState, event: AttemptEvent): EndpointWatchState {
  const { endpointId: endpoint, keyRevision, at } = event.data;
  // Of attempts that an earlier release made nobody wrote down where they went.
  if (endpoint === null) return unreported;
  const before = unreported.get(endpoint);
  const { id: causationId, position: upTo, cause } = event;
  return unreported.with(endpoint, {
    endpoint,
    report:
      event.type === 'AttemptFailed' ? withFailure(before?.report, event.data) : { succeededAt: at, failures: null },
    delivery: event.stream.slice('delivery-'.length) as DeliveryId,
    keyRevision,
    causationId,
    correlationId: cause.correlationId,
    upTo,
    from: before?.from ?? upTo,
    fromMs: before?.fromMs ?? Date.parse(at),
  });
}

function withFailure(
  before: AttemptsReport | undefined,
  { at, error, nextAttemptAtMs }: Extract<DeliveryEvent, { type: 'AttemptFailed' }>['data'],
): AttemptsReport {
  const firstAt = before?.failures?.firstAt ?? at;
  const gaveUpAt = nextAttemptAtMs === null ? at : (before?.failures?.gaveUpAt ?? null);
  return { succeededAt: before?.succeededAt ?? null, failures: { firstAt, lastAt: at, gaveUpAt, error } };
}

/** When the last of the attempts had ended. */
function endedMs({ succeededAt, failures }: AttemptsReport): number {
  return Date.parse(failures?.lastAt ?? succeededAt ?? '');
}
