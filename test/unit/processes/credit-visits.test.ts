import { describe, test } from 'bun:test';
import { seenVisit } from '../../../src/application/learning/credit-visit.ts';
import type { BookingEvent, VisitFacts } from '../../../src/domain/booking/events.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import type { ExclusionId, LearningEvent } from '../../../src/domain/learning/exclusions.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import { type CreditVisitsCommand, creditVisits } from '../../../src/processes/credit-visits/process-manager.ts';
import { VISIT, voided } from '../../support/booking-life.ts';
import { bookingId, fingerprint, keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { excluding, LOG_ID } from '../../support/visits.ts';

const AT = '2026-11-21T03:00:00.000Z';
const NOW_MS = Date.parse(AT);
const EXCLUSION = 'exc_1' as ExclusionId;
const EXCLUDED: LearningEvent = {
  type: 'LearningExcluded',
  data: {
    exclusion: EXCLUSION,
    ...excluding({ keyId: keyId('key_1') }),
    reason: 'Scripted bookings.',
    fingerprint: fingerprint('FP1'),
    at: AT,
  },
};
const ofAnswer = (logId: LogId): VisitFacts => ({ ...VISIT, attribution: { logId, rank: 1, segment: null } });

/** The log of one test, in which each line is one event. */
function happenings() {
  const record = recorder();
  return {
    verified: (id: string, visit: VisitFacts = VISIT) =>
      record<BookingEvent>(`booking-${id}`, { type: 'VisitVerified', data: visit }),
    voided: (id: string, visit: VisitFacts = VISIT) => record<BookingEvent>(`booking-${id}`, voided(visit)),
    excluded: () => record<LearningEvent>('learning-exclusions', EXCLUDED),
  };
}

function command(
  type: 'CreditVisit' | 'WithdrawVisit',
  id: string,
  { position }: Recorded,
  visit: VisitFacts = VISIT,
): CreditVisitsCommand {
  return { type, visit: seenVisit(bookingId(id), visit), position };
}

describe('visits become evidence', () => {
  test('at once, and their voids; a command that is done leaves nothing', () => {
    const log = happenings();
    const [first, second] = [log.verified('bk_1'), log.voided('bk_2')];
    const [credit, withdraw] = [command('CreditVisit', 'bk_1', first), command('WithdrawVisit', 'bk_2', second)];
    givenEvents(creditVisits, first, second)
      .thenDue(NOW_MS, [credit, withdraw])
      .thenDue(NOW_MS, [credit], 1)
      .thenOldestOpen(positionAt(1))
      .whenDone(credit)
      .thenDue(NOW_MS, [withdraw])
      .thenOldestOpen(positionAt(2))
      .whenDone(withdraw)
      .thenOldestOpen(null);
  });

  test('one after the other where they are of one booking or of one answer', () => {
    const log = happenings();
    const visit = ofAnswer(LOG_ID);
    const events = [log.verified('bk_1'), log.voided('bk_1'), log.verified('bk_2', visit), log.verified('bk_3', visit)];
    const [first, second, third, fourth] = events as [Recorded, Recorded, Recorded, Recorded];
    const credit = command('CreditVisit', 'bk_1', first);
    const ofSecond = command('CreditVisit', 'bk_2', third, visit);
    givenEvents(creditVisits, ...events)
      .thenDue(NOW_MS, [credit, ofSecond])
      .whenDone(credit, ofSecond)
      .thenDue(NOW_MS, [command('WithdrawVisit', 'bk_1', second), command('CreditVisit', 'bk_3', fourth, visit)]);
  });

  test('before a later exclusion begins, and after an earlier one has ended', () => {
    const log = happenings();
    const [before, exclusion, after] = [log.verified('bk_1'), log.excluded(), log.verified('bk_2')];
    const credit = command('CreditVisit', 'bk_1', before);
    const apply = { type: 'ApplyExclusion', exclusion: EXCLUSION, position: exclusion.position } as const;
    givenEvents(creditVisits, before, exclusion, after)
      .thenDue(NOW_MS, [credit])
      .whenDone(credit)
      .thenDue(NOW_MS, [apply])
      .whenDone(apply)
      .thenDue(NOW_MS, [command('CreditVisit', 'bk_2', after)]);
  });

  test('and other events are nothing to do', () => {
    const record = recorder();
    const booked = record<BookingEvent>('booking-bk_1', {
      type: 'GuestErased',
      data: { records: [], by: 'user', at: AT },
    });
    givenEvents(creditVisits, booked).thenDue(NOW_MS, []).thenOldestOpen(null);
  });
});
