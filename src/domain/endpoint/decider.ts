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

type Decided = Decision<EndpointEvent, never>;
type Command<Type extends EndpointCommand['type']> = Extract<EndpointCommand, { type: Type }>;
type Recording = Command<'RecordSuspensionMailed' | 'RecordSuspensionMailFailed'>;

export const endpointDecider: Decider<EndpointCommand, Endpoint, EndpointEvent, never> = {
  initial: { status: 'working', countedUntil: null, suspensions: 0 },
  decide(command, endpoint) {
    switch (command.type) {
      case 'ReportAttempts':
        // Attempts that ran during the suspension change nothing: only the owner ends it.
        return endpoint.status === 'suspended' ? accept() : reportAttempts(command, endpoint);
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

/** Derives health events from reported attempts. A report repeated after a crash adds nothing. */
function reportAttempts(
  { facts, report, suspendAfterMs, at }: Command<'ReportAttempts'>,
  endpoint: Exclude<Endpoint, SuspendedEndpoint>,
): Decided {
  const { succeededAt, failures } = report;
  const before = endpoint.status === 'failing' ? endpoint.since : null;
  const since = failuresSince(report, endpoint);
  const events: EndpointEvent[] = [];
  if (before !== null && since !== before && succeededAt !== null)
    events.push({ type: 'EndpointRecovered', data: { at: succeededAt } });
  if (since !== null && since !== before) events.push({ type: 'EndpointFailing', data: { ...facts, since } });
  if (since !== null && failures !== null && failingMs(since, failures) >= suspendAfterMs) {
    const issue = endpoint.suspensions + 1;
    const data = { ...facts, failingSince: since, error: failures.error, issue, at };
    events.push({ type: 'EndpointSuspended', data });
  }
  return accept(...events);
}

/** Since when every attempt failed, including the report; null if the last attempt was acknowledged. */
function failuresSince(
  { succeededAt, failures }: AttemptsReport,
  endpoint: Exclude<Endpoint, SuspendedEndpoint>,
): string | null {
  // A success before the first failure was reported already.
  if (endpoint.status === 'failing' && (succeededAt === null || succeededAt < endpoint.since)) return endpoint.since;
  if (failures === null) return null;
  const counted = endpoint.status === 'working' ? endpoint.countedUntil : null;
  return [failures.firstAt, failures.lastAt].find((time) => counted === null || time > counted) ?? null;
}

/**
 * How long the endpoint had failed when a delivery used up its retries; -1 if none did. A single failure long after the
 * previous attempt does not prove a lasting outage.
 */
function failingMs(since: string, { gaveUpAt }: Failures): number {
  return gaveUpAt === null ? -1 : Date.parse(gaveUpAt) - Date.parse(since);
}

/** Ignores mails about earlier suspensions, and attempts that are recorded already. */
function recordMail(command: Recording, { suspensions, mail }: SuspendedEndpoint): Decided {
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
