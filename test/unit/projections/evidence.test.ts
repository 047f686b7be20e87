import { test } from 'bun:test';
import { evidenceProjection } from '../../../projections/evidence/projection.ts';
import type { EvidenceEvent } from '../../../src/domain/learning/evidence.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';
import { LOG_ID, someEvidence } from '../../support/visits.ts';

const AT = '2026-12-24T03:00:01.000Z';
const STREAM = `evidence-${LOG_ID}`;
const { bookingId, activityId, keyId, deviceId, verifiedAtMs } = someEvidence();
const DOCUMENT = { bookingId, activityId, keyId, deviceId, verifiedAtMs, evidenceId: LOG_ID };
const credited = (evidence = someEvidence()): EvidenceEvent => ({ type: 'VisitCredited', data: { evidence, at: AT } });
const withdrawn: EvidenceEvent = { type: 'VisitWithdrawn', data: { evidence: someEvidence(), why: 'voided', at: AT } };
const passedOver: EvidenceEvent = {
  type: 'VisitPassedOver',
  data: { bookingId, activityId, deviceId, verifiedAtMs, why: 'counted', at: AT },
};

test('a credited visit has a document until it is withdrawn; a later one has one again', () => {
  const log = recorder();
  const first = log(STREAM, credited());
  givenEvents(evidenceProjection, first).thenDocument(bookingId, DOCUMENT);
  const second = log(STREAM, withdrawn);
  givenEvents(evidenceProjection, first, second).thenDocument(bookingId, null);
  const later = { ...someEvidence(), verifiedAtMs: verifiedAtMs + 1 };
  givenEvents(evidenceProjection, first, second, log(STREAM, credited(later))).thenDocument(bookingId, {
    ...DOCUMENT,
    verifiedAtMs: verifiedAtMs + 1,
  });
});

test('a visit that is passed over has none', () => {
  givenEvents(evidenceProjection, recorder()(STREAM, passedOver)).thenDocument(bookingId, null);
});
