import type { EventData } from '../../../src/domain/booking/events.ts';
import type { VisitEvidence, VisitRef } from '../../../src/domain/learning/evidence.ts';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import type { History } from './history.ts';

/** Invariants of the evidence at every moment. The load voids and excludes nothing, so each visit is decided once. */
export function auditEvidence(history: History): string[] {
  const faults: string[] = [];
  const decided = new Set<string>();
  const counted = new Set<string>();
  for (const { id, event } of history.evidence) {
    const visit = event.type === 'VisitPassedOver' ? event.data : event.data.evidence;
    const verified = visitIn(visit, history);
    const name = `the evidence of ${visit.bookingId}`;
    if (verified === null) {
      faults.push(`${name} is of no visit in the log`);
      continue;
    }
    if (id !== (verified.attribution?.logId ?? visit.bookingId)) faults.push(`${name} is in the stream of ${id}`);
    if (decided.has(visit.bookingId)) faults.push(`${name} was decided twice`);
    decided.add(visit.bookingId);
    if (event.type === 'VisitCredited') {
      if (counted.has(`${id}/${visit.activityId}`)) faults.push(`${name} is the second one of ${id}`);
      counted.add(`${id}/${visit.activityId}`);
      if (verified.disputed) faults.push(`${name} is of a disputed visit`);
      faults.push(...auditAnswer(name, event.data.evidence, history));
    } else if (event.type === 'VisitWithdrawn') faults.push(`${name} was withdrawn`);
    else if (
      event.data.why !== (verified.disputed ? 'disputed' : 'counted') ||
      !(verified.disputed || counted.has(`${id}/${visit.activityId}`))
    )
      faults.push(`${name} was passed over as ${event.data.why}`);
  }
  return faults;
}

/** Visits from which the ranking did not learn, although nothing is left to do. */
export function auditUndecided({ bookings, evidence }: History): string[] {
  const decided = new Set(
    evidence.map(({ event: { type, data } }) =>
      type === 'VisitPassedOver' ? data.bookingId : data.evidence.bookingId,
    ),
  );
  return [...bookings]
    .filter(([id, { visits }]) => visits.length > 0 && !decided.has(id))
    .map(([id]) => `the visit of ${id} is no evidence`);
}

function visitIn(
  { bookingId, deviceId, verifiedAtMs }: VisitRef,
  { bookings }: History,
): EventData<'VisitVerified'> | null {
  const visits = bookings.get(bookingId)?.visits ?? [];
  return visits.find((visit) => visit.verifiedAtMs === verifiedAtMs && visit.deviceId === deviceId) ?? null;
}

/** The shown activities, of which the expected visits are one at usual strength, and at most four times as many or few. */
function auditAnswer(name: string, { answer, travelType }: VisitEvidence, { recommendations }: History): string[] {
  const served: ServedFacts | undefined = answer === null ? undefined : recommendations.get(answer.logId);
  const shown = served?.ranked.ids.slice(0, served.shown) ?? [];
  const whole = (answer?.expected ?? []).reduce((sum, share) => sum + share, 0);
  const within = answer === null || (whole >= 2_490 && whole <= 40_010);
  const same = Bun.deepEquals([answer?.ids ?? [], travelType], [shown, served?.profile.travelType ?? null]);
  return same && within ? [] : [`${name} has the answer ${JSON.stringify({ answer, travelType })}`];
}
