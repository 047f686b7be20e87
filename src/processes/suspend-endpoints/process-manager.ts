import { OrderedMap } from '../../collections/ordered-map.ts';
import type { DeliveryEvent, DeliveryId } from '../../domain/delivery/delivery.ts';
import type { AttemptsReport, EndpointId } from '../../domain/endpoint/endpoint.ts';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';
import { type Position, type Recorded, streamId, unreachable } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';

/** Failures are reported in batches, to keep endpoint streams short. */
export const REPORT_AFTER_MS = MINUTE_MS;
/**
 * A report that ends with a success adds an event only to the stream of a failing endpoint, which took a minute to become
 * one. It waits this long, so that a busy endpoint's stream is read seldom.
 */
export const REPORT_SUCCESS_AFTER_MS = 2_000;

/** Report the outcomes of attempts to an endpoint's stream. */
export type ReportAttempts = {
  readonly endpoint: EndpointId;
  readonly report: AttemptsReport;
  /** Of the last attempt: its delivery, and the revision of the key's stream whose URL it used. */
  readonly delivery: DeliveryId;
  readonly keyRevision: number;
  readonly causationId: string;
  readonly correlationId: string;
  /** Position of the last attempt's event. */
  readonly lastPosition: Position;
};

type Unreported = ReportAttempts & {
  /** Position of the first unreported attempt. */
  readonly position: Position;
  /** End of the first unreported attempt, ms since the epoch. */
  readonly endedMs: number;
};

export type SuspendEndpointsState = OrderedMap<string, Unreported>;

type AttemptEvent = Recorded<Extract<DeliveryEvent, { type: 'AttemptFailed' | 'DeliverySucceeded' }>>;

/**
 * Collects the outcomes of attempts by endpoint and reports them: a minute after the first one if the last has failed, else
 * after two seconds. Holds only unreported outcomes: the endpoint's stream knows since when it fails.
 */
export const suspendEndpoints: ProcessManager<SuspendEndpointsState, DeliveryEvent, ReportAttempts> = {
  // Names the checkpoint stream; never renamed.
  name: 'endpoint-watch',
  categories: ['delivery'],
  initial: new OrderedMap(),
  react(unreported, event) {
    switch (event.type) {
      case 'AttemptFailed':
      case 'DeliverySucceeded':
        return collectAttempt(unreported, event);
      case 'DeliveryScheduled':
      case 'DeliveryOmitted':
      case 'ReplayScheduled':
      case 'DeliveryExhausted':
      case 'ResendRequested':
      case 'TestAttempted':
        return unreported;
      default:
        return unreachable(event);
    }
  },
  due(unreported, nowMs, { limit, busy }) {
    const due: ReportAttempts[] = [];
    for (const [endpoint, { position: _position, endedMs, ...command }] of unreported.entries()) {
      if (due.length >= limit) break;
      const afterMs = command.report.failures === null ? REPORT_SUCCESS_AFTER_MS : REPORT_AFTER_MS;
      if (nowMs >= endedMs + afterMs && !busy(endpoint)) due.push(command);
    }
    return due;
  },
  /** Attempts that ended during the report stay; the next report repeats the earlier ones, which changes nothing. */
  done(unreported, { endpoint, report, lastPosition }) {
    const entry = unreported.get(endpoint);
    if (entry === undefined) return unreported;
    if (entry.lastPosition === lastPosition) return unreported.without(endpoint);
    return unreported.with(endpoint, { ...entry, position: lastPosition, endedMs: endOf(report) });
  },
  drop: (unreported, endpoint) => unreported.without(endpoint),
  oldestOpen: (unreported) => oldestPosition(unreported.values()),
};

function collectAttempt(unreported: SuspendEndpointsState, event: AttemptEvent): SuspendEndpointsState {
  const { endpointId: endpoint, keyRevision, at } = event.data;
  // Events of early releases have no endpoint id.
  if (endpoint === null) return unreported;
  const before = unreported.get(endpoint);
  const { id: causationId, position: lastPosition, cause } = event;
  return unreported.with(endpoint, {
    endpoint,
    report:
      event.type === 'AttemptFailed' ? withFailure(before?.report, event.data) : { succeededAt: at, failures: null },
    delivery: streamId(event.stream) as DeliveryId,
    keyRevision,
    causationId,
    correlationId: cause.correlationId,
    lastPosition,
    position: before?.position ?? lastPosition,
    endedMs: before?.endedMs ?? Date.parse(at),
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

/** End of the last attempt, ms since the epoch. */
function endOf({ succeededAt, failures }: AttemptsReport): number {
  return Date.parse(failures?.lastAt ?? succeededAt ?? '');
}
