import { describe, expect, test } from 'bun:test';
import { deviceDaysProjection } from '../../../projections/devicedays/projection.ts';
import type { DeviceDay } from '../../../projections/devicedays/read-model.ts';
import type { VisitFacts } from '../../../src/domain/booking/events.ts';
import {
  EARLY_MS,
  type Figures,
  LEAST_COUNT,
  MOST_PER_MINUTE,
  unusualIn,
} from '../../../src/domain/venue/device-figures.ts';
import { VISIT, VOUCHER, visited, voided } from '../../support/booking-life.ts';
import { date } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const MINUTE = 60_000;
/** Ten in the morning in Bangkok. */
const TEN = VISIT.verifiedAtMs;
const TEN_MINUTE = 180;
const log = recorder();
const scan = (change: Partial<VisitFacts> = {}) => log('booking-bk_1', visited({}, { opensAtMs: TEN, ...change }));
const takenBack = (change: Partial<VisitFacts> = {}) => log('booking-bk_1', voided({ ...VISIT, ...change }));
const id = `${VISIT.deviceId}/2026-12-24`;

const FIGURES: Figures = { visits: 1, disputed: 0, voided: 0, early: 0, mostPerMinute: 1 };
const DAY: DeviceDay = {
  ...FIGURES,
  deviceId: VISIT.deviceId,
  venueId: VISIT.venueId,
  day: date('2026-12-24'),
  unusual: false,
  minutes: { [TEN_MINUTE]: 1 },
};

describe('the day of a device counts', () => {
  test('its visits, and the most in one minute of the clock, in any order', () => {
    const next = { verifiedAtMs: TEN + MINUTE };
    for (const events of [
      [scan(), scan({ verifiedAtMs: TEN + MINUTE - 1 }), scan(next)],
      [scan(next), scan(), scan()],
    ])
      givenEvents(deviceDaysProjection, ...events).thenDocument(id, {
        ...DAY,
        visits: 3,
        mostPerMinute: 2,
        minutes: { [TEN_MINUTE]: 2, [TEN_MINUTE + 1]: 1 },
      });
  });

  test('disputed visits, and scans long before the opening, not at the bound', () => {
    givenEvents(deviceDaysProjection, scan({ disputed: true })).thenDocument(id, { ...DAY, disputed: 1 });
    const opensAtMs = TEN + EARLY_MS;
    givenEvents(deviceDaysProjection, scan({ opensAtMs })).thenDocument(id, DAY);
    givenEvents(deviceDaysProjection, scan({ opensAtMs: opensAtMs + 1 })).thenDocument(id, { ...DAY, early: 1 });
    givenEvents(deviceDaysProjection, scan({ opensAtMs: null })).thenDocument(id, DAY);
  });

  test('voided visits on the day of the visit, beside the visits themselves, in any order', () => {
    for (const events of [
      [scan(), takenBack()],
      [takenBack(), scan()],
    ])
      givenEvents(deviceDaysProjection, ...events).thenDocument(id, { ...DAY, voided: 1 });
  });

  test('separate local days, and whether one is unusual', () => {
    const disputed = { disputed: true };
    const three = [scan(disputed), scan(disputed), scan(disputed)];
    const next = { verifiedAtMs: TEN + 24 * 60 * MINUTE };
    givenEvents(deviceDaysProjection, ...three, scan(next))
      .thenDocument(id, {
        ...DAY,
        visits: 3,
        disputed: 3,
        mostPerMinute: 3,
        unusual: true,
        minutes: { [TEN_MINUTE]: 3 },
      })
      .thenDocument(id.replace('24', '25'), { ...DAY, day: date('2026-12-25') });
  });

  test('nothing but visits and voids', () => {
    expect(deviceDaysProjection.idsOf(log('booking-bk_1', VOUCHER))).toEqual([]);
  });
});

describe('a figure is unusual', () => {
  test.each(['disputed', 'voided', 'early'] as const)('if %s are at least three and a tenth of the visits', (name) => {
    const of = (count: number, visits: number) => unusualIn({ ...FIGURES, visits, [name]: count });
    expect(of(LEAST_COUNT - 1, LEAST_COUNT)).toEqual([]);
    expect(of(LEAST_COUNT, 10 * LEAST_COUNT)).toEqual([name]);
    expect(of(LEAST_COUNT, 10 * LEAST_COUNT + 1)).toEqual([]);
  });

  test('if more scans are in a minute than a person can make', () => {
    const of = (mostPerMinute: number) => unusualIn({ ...FIGURES, visits: 100, mostPerMinute });
    expect([of(MOST_PER_MINUTE), of(MOST_PER_MINUTE + 1)]).toEqual([[], ['per_minute']]);
  });
});
