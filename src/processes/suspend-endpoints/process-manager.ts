import { OrderedMap } from '../../collections/ordered-map.ts';
import type { DeliveryEvent, DeliveryId } from '../../domain/delivery/delivery.ts';
import type { AttemptsReport, EndpointId } from '../../domain/endpoint/endpoint.ts';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';
import { type Position, type Recorded, streamId, unreachable } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';

/** Attempts are reported in batches, to keep endpoint streams short and to read them seldom. */
export const REPORT_AFTER_MS = MINUTE_MS;
/** A success after a report of failures does not wait for a batch: the developer who repaired the receiver looks whether it works. */
export const REPORT_RECOVERY_AFTER_MS = 2_000;

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

export type SuspendEndpointsState = {
  readonly unreported: OrderedMap<string, Unreported>;
  /** Endpoints whose last report ended with failures, since the start of the process manager. */
  readonly failing: OrderedMap<string, EndpointId>;
};

type AttemptEvent = Recorded<Extract<DeliveryEvent, { type: 'AttemptFailed' | 'DeliverySucceeded' }>>;

/**
 * Collects the outcomes of attempts by endpoint and reports them once a minute, a recovery after two seconds. The endpoint's
 * stream knows since when it fails.
 */
export const suspendEndpoints: ProcessManager<SuspendEndpointsState, DeliveryEvent, ReportAttempts> = {
  // Names the checkpoint stream; never renamed.
  name: 'endpoint-watch',
  categories: ['delivery'],
  initial: { unreported: new OrderedMap(), failing: new OrderedMap() },
  react(state, event) {
    switch (event.type) {
      case 'AttemptFailed':
      case 'DeliverySucceeded':
        return { ...state, unreported: collectAttempt(state.unreported, event) };
      case 'DeliveryScheduled':
      case 'DeliveryOmitted':
      case 'ReplayScheduled':
      case 'DeliveryExhausted':
      case 'ResendRequested':
      case 'TestAttempted':
        return state;
      default:
        return unreachable(event);
    }
  },
  due({ unreported, failing }, nowMs, { limit, busy }) {
    const due: ReportAttempts[] = [];
    for (const [endpoint, { position: _position, endedMs, ...command }] of unreported.entries()) {
      if (due.length >= limit) break;
      const isRecovery = command.report.failures === null && failing.get(endpoint) !== undefined;
      const afterMs = isRecovery ? REPORT_RECOVERY_AFTER_MS : REPORT_AFTER_MS;
      if (nowMs >= endedMs + afterMs && !busy(endpoint)) due.push(command);
    }
    return due;
  },
  /** Attempts that ended during the report stay; the next report repeats the earlier ones, which changes nothing. */
  done(state, { endpoint, report, lastPosition }) {
    const entry = state.unreported.get(endpoint);
    const failing = report.failures === null ? state.failing.without(endpoint) : state.failing.with(endpoint, endpoint);
    if (entry === undefined) return { ...state, failing };
    if (entry.lastPosition === lastPosition) return { unreported: state.unreported.without(endpoint), failing };
    const rest = { ...entry, position: lastPosition, endedMs: endOf(report) };
    return { unreported: state.unreported.with(endpoint, rest), failing };
  },
  drop: (state, endpoint) => ({ ...state, unreported: state.unreported.without(endpoint) }),
  oldestOpen: ({ unreported }) => oldestPosition(unreported.values()),
};

type AllUnreported = SuspendEndpointsState['unreported'];

function collectAttempt(unreported: AllUnreported, event: AttemptEvent): AllUnreported {
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
