import { describe, test } from 'bun:test';
import { deviceVisitsProjection } from '../../../projections/devicevisits/projection.ts';
import type { DeviceVisit } from '../../../projections/devicevisits/read-model.ts';
import { VISIT, VISITED, VOIDED_AT, visited, voided } from '../../support/booking-life.ts';
import { bookingId, commandId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const { command, deviceId, gate, verifiedAtMs, reportedAtMs, uploadedSequence, activityId, venueId, disputed } = VISIT;
const scan = { command, deviceId, gate, verifiedAtMs, reportedAtMs, uploadedSequence };
const DOCUMENT: DeviceVisit = {
  ...scan,
  bookingId: bookingId('bk_1'),
  activityId,
  venueId,
  disputed,
  voidedAt: null,
  reason: null,
};
const VOIDED: DeviceVisit = { ...DOCUMENT, voidedAt: VOIDED_AT, reason: 'a stolen device' };

describe('a recorded visit', () => {
  const log = recorder();
  const [recorded, taken] = [log('booking-bk_1', VISITED), log('booking-bk_1', voided())];
  const again = { command: commandId('SCAN2') };
  const later = log('booking-bk_1', visited(again));
  const before = [log('booking-bk_1', voided()), log('booking-bk_1', VISITED)];

  test('has a document, which its void marks, in any order', () => {
    givenEvents(deviceVisitsProjection, recorded).thenDocument(`bk_1/${command}`, DOCUMENT);
    givenEvents(deviceVisitsProjection, recorded, taken).thenDocument(`bk_1/${command}`, VOIDED);
    givenEvents(deviceVisitsProjection, ...before).thenDocument(`bk_1/${command}`, VOIDED);
  });

  test('after a void has another document', () => {
    givenEvents(deviceVisitsProjection, recorded, taken, later)
      .thenDocument(`bk_1/${command}`, VOIDED)
      .thenDocument('bk_1/SCAN2', { ...DOCUMENT, ...again });
  });
});
