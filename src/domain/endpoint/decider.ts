import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type {
  AttemptsReport,
  Endpoint,
  EndpointCommand,
  EndpointEvent,
  Failures,
  SuspendedEndpoint,
} from './endpoint.ts';

type Answer = Decision<EndpointEvent, never>;
type Command<Type extends EndpointCommand['type']> = Extract<EndpointCommand, { type: Type }>;
type Recording = Command<'RecordSuspensionMailed' | 'RecordSuspensionMailFailed'>;

export const endpointDecider: Decider<EndpointCommand, Endpoint, EndpointEvent, never> = {
  initial: { status: 'working', countedUntil: null, suspensions: 0 },
  decide(command, endpoint) {
    switch (command.type) {
      case 'ReportAttempts':
        // Attempts that were under way when it was suspended change nothing: only its owner ends that.
        return endpoint.status === 'suspended' ? accept() : heed(command, endpoint);
      case 'EnableEndpoint':
        if (endpoint.status !== 'suspended') return accept();
        return accept({ type: 'EndpointEnabled', data: { at: command.at } });
      case 'RecordSuspensionMailed':
      case 'RecordSuspensionMailFailed':
        return endpoint.status === 'suspended' ? recordMail(command, endpoint) : accept();
      default:
        return unreachable(command);
    }
  },
  evolve(endpoint, event) {
    const { suspensions } = endpoint;
    switch (event.type) {
      case 'EndpointFailing': {
        const { since, ...facts } = event.data;
        return { status: 'failing', facts, since, suspensions };
      }
      case 'EndpointSuspended': {
        const { failingSince, error, issue, at, ...facts } = event.data;
        return {
          status: 'suspended',
          facts,
          failingSince,
          error,
          since: at,
          suspensions: issue,
          mail: { status: 'unsent' },
        };
      }
      case 'EndpointRecovered':
      case 'EndpointEnabled':
        return { status: 'working', countedUntil: event.data.at, suspensions };
      case 'SuspensionMailed':
        return endpoint.status === 'suspended' ? { ...endpoint, mail: { status: 'ended' } } : endpoint;
      case 'SuspensionMailFailed': {
        if (endpoint.status !== 'suspended') return endpoint;
        const { attempt, messageId, retryAtMs } = event.data;
        const retried = { status: 'failing', attempts: attempt, messageId } as const;
        return { ...endpoint, mail: retryAtMs === null ? { status: 'ended' } : retried };
      }
      default:
        return unreachable(event);
    }
  },
};

export const endpointCodec = codec<EndpointEvent>('endpoint', {
  EndpointFailing: [],
  EndpointRecovered: [],
  EndpointSuspended: [],
  EndpointEnabled: [],
  SuspensionMailed: [],
  SuspensionMailFailed: [],
});

/** What attempts say of an endpoint. Told again, after a crash, they say nothing new. */
function heed(
  { facts, report, suspendAfterMs, at }: Command<'ReportAttempts'>,
  endpoint: Exclude<Endpoint, SuspendedEndpoint>,
): Answer {
  const { succeededAt, failures } = report;
  const before = endpoint.status === 'failing' ? endpoint.since : null;
  const since = onlyFailuresSince(report, endpoint);
  const events: EndpointEvent[] = [];
  if (before !== null && since !== before && succeededAt !== null)
    events.push({ type: 'EndpointRecovered', data: { at: succeededAt } });
  if (since !== null && since !== before) events.push({ type: 'EndpointFailing', data: { ...facts, since } });
  if (since !== null && failures !== null && lastedMs(since, failures) >= suspendAfterMs) {
    const issue = endpoint.suspensions + 1;
    const data = { ...facts, failingSince: since, error: failures.error, issue, at };
    events.push({ type: 'EndpointSuspended', data });
  }
  return accept(...events);
}

/** Since when there were only failures, the report's included; null where the last attempt was acknowledged. */
function onlyFailuresSince(
  { succeededAt, failures }: AttemptsReport,
  endpoint: Exclude<Endpoint, SuspendedEndpoint>,
): string | null {
  // A success from before the failures began was reported already.
  if (endpoint.status === 'failing' && (succeededAt === null || succeededAt < endpoint.since)) return endpoint.since;
  if (failures === null) return null;
  const counted = endpoint.status === 'working' ? endpoint.countedUntil : null;
  return [failures.firstAt, failures.lastAt].find((time) => counted === null || time > counted) ?? null;
}

/**
 * How long it had failed when a delivery had used up its retries. That it fails at a single moment, long after the last
 * one, proves nothing.
 */
function lastedMs(since: string, { gaveUpAt }: Failures): number {
  return gaveUpAt === null ? -1 : Date.parse(gaveUpAt) - Date.parse(since);
}

/** Of a mail about an earlier suspension, or an attempt that was recorded, there is nothing to say. */
function recordMail(command: Recording, { suspensions, mail }: SuspendedEndpoint): Answer {
  const { issue, messageId, at } = command;
  if (issue !== suspensions || mail.status === 'ended') return accept();
  if (command.type === 'RecordSuspensionMailed') {
    const { providerId } = command;
    return accept({ type: 'SuspensionMailed', data: { issue, messageId, providerId, at } });
  }
  const { attempt, reason, retryAtMs } = command;
  if (mail.status === 'failing' && attempt <= mail.attempts) return accept();
  return accept({ type: 'SuspensionMailFailed', data: { issue, messageId, attempt, reason, retryAtMs, at } });
}
