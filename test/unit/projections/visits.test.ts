import { describe, test } from 'bun:test';
import { visitsProjection } from '../../../projections/visits/projection.ts';
import type { VisitCell } from '../../../projections/visits/read-model.ts';
import type { BookingEvent, VisitFacts } from '../../../src/domain/booking/events.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import { aVisit, bookingFacts, confirmation, date } from '../../support/examples.ts';
import { experimentId } from '../../support/experiments.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const { keyId, activityId, venueId, city, category } = bookingFacts();
const log = recorder();

const CELL: VisitCell = {
  day: date('2026-12-24'),
  keyId,
  city,
  venueId,
  activityId,
  method: 'qr_scan',
  travelType: null,
  budget: null,
  ageGroup: null,
  model: null,
  visits: 1,
  guests: 3,
  disputed: 0,
};

const VISIT: VisitFacts = {
  ...aVisit(),
  keyId,
  activityId,
  venueId,
  city,
  category,
  numGuests: 3,
  attribution: null,
  disputed: false,
  opensAtMs: null,
};
const visited = (change: Partial<VisitFacts> = {}) =>
  log<BookingEvent>('booking-bk_1', { type: 'VisitVerified', data: { ...VISIT, ...change } });
const taken = (change: Partial<VisitFacts> = {}) => {
  const data = { reason: 'a mistake', by: 'operator', at: '2026-12-26T00:00:00.000Z' } as const;
  return log<BookingEvent>('booking-bk_1', {
    type: 'VisitVoided',
    data: { visit: { ...VISIT, ...change }, ...data },
  });
};

const UNKNOWN = '2026-12-24/key_1/Bangkok/siam-ocean-world/bkk-ocean-world/qr_scan////';

describe('visits count', () => {
  test('each verified visit and its guests, not the booking', () => {
    const booking = log<BookingEvent>('booking-bk_1', confirmation());
    givenEvents(visitsProjection, booking, visited(), visited({ numGuests: 2 })).thenDocument(UNKNOWN, {
      ...CELL,
      visits: 2,
      guests: 5,
    });
  });

  test('a disputed visit apart, and not its guests', () => {
    givenEvents(visitsProjection, visited({ disputed: true })).thenDocument(UNKNOWN, {
      ...CELL,
      visits: 0,
      guests: 0,
      disputed: 1,
    });
    givenEvents(visitsProjection, visited(), visited({ disputed: true })).thenDocument(UNKNOWN, {
      ...CELL,
      disputed: 1,
    });
  });

  test('no voided visit: its void subtracts it from its cell, in any order', () => {
    const other = { numGuests: 2 };
    givenEvents(visitsProjection, visited(), visited(other), taken()).thenDocument(UNKNOWN, { ...CELL, guests: 2 });
    givenEvents(visitsProjection, taken(), visited(other), visited()).thenDocument(UNKNOWN, { ...CELL, guests: 2 });
    const disputed = { disputed: true };
    givenEvents(visitsProjection, visited(disputed), visited(), taken(disputed)).thenDocument(UNKNOWN, CELL);
  });

  test("by the city's local date, which begins before the UTC date", () => {
    givenEvents(
      visitsProjection,
      visited({ verifiedAtMs: Date.parse('2026-12-23T17:00:00Z') }),
      visited({ verifiedAtMs: Date.parse('2026-12-23T16:59:59Z') }),
    )
      .thenDocument(UNKNOWN, CELL)
      .thenDocument(UNKNOWN.replace('24', '23'), { ...CELL, day: date('2026-12-23') });
  });

  test('visits after a recommendation under its segment and model', () => {
    const segment = { travelType: 'family', budget: null, ageGroup: 'senior' } as const;
    const attribution = { logId: 'rec_1' as LogId, rank: null, segment };
    const experiment = { id: experimentId('exp_1'), arm: 'power-4' };
    givenEvents(
      visitsProjection,
      visited({ attribution }),
      visited({ attribution: { ...attribution, segment: null } }),
      visited({ attribution: { ...attribution, segment: null, experiment } }),
    )
      .thenDocument('2026-12-24/key_1/Bangkok/siam-ocean-world/bkk-ocean-world/qr_scan/family//senior/default', {
        ...CELL,
        ...segment,
        model: 'default',
      })
      .thenDocument(`${UNKNOWN}default`, { ...CELL, model: 'default' })
      .thenDocument(`${UNKNOWN}power-4`, { ...CELL, model: 'power-4' });
  });

  test('typed codes and keys in separate documents', () => {
    givenEvents(visitsProjection, visited({ method: 'manual' }), visited({ keyId: null }))
      .thenDocument(UNKNOWN.replace('qr_scan', 'manual'), { ...CELL, method: 'manual' })
      .thenDocument(UNKNOWN.replace('key_1', ''), { ...CELL, keyId: null });
  });
});
