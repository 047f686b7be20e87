import type { Projection } from '../src/eventsourcing/projection.ts';
import { activitiesProjection } from './activities/projection.ts';
import { auditProjection } from './audit/projection.ts';
import { bookingsProjection } from './bookings/projection.ts';
import { conversionsProjection } from './conversions/projection.ts';
import { deliveriesProjection } from './deliveries/projection.ts';
import { deviceDaysProjection } from './devicedays/projection.ts';
import { devicesProjection } from './devices/projection.ts';
import { deviceVisitsProjection } from './devicevisits/projection.ts';
import { endedSessionsProjection } from './endedsessions/projection.ts';
import { endpointsProjection } from './endpoints/projection.ts';
import { evidenceProjection } from './evidence/projection.ts';
import { experimentAnswersProjection } from './experimentanswers/projection.ts';
import { experimentsProjection } from './experiments/projection.ts';
import { feedProjection } from './feed/projection.ts';
import { groundTruthProjection } from './groundtruth/projection.ts';
import { guestsProjection } from './guests/projection.ts';
import { holdsProjection } from './holds/projection.ts';
import { inventoryProjection, testInventoryProjection } from './inventory/projection.ts';
import { keysProjection } from './keys/projection.ts';
import { operatorsProjection } from './operators/projection.ts';
import { retentionProjection } from './retention/projection.ts';
import { revocationsProjection } from './revocations/projection.ts';
import { statementsProjection } from './statements/projection.ts';
import { visitsProjection } from './visits/projection.ts';

/** All projections. */
export const PROJECTIONS: readonly Projection<object>[] = [
  activitiesProjection,
  auditProjection,
  bookingsProjection,
  conversionsProjection,
  deliveriesProjection,
  deviceDaysProjection,
  devicesProjection,
  deviceVisitsProjection,
  endedSessionsProjection,
  endpointsProjection,
  evidenceProjection,
  experimentAnswersProjection,
  experimentsProjection,
  feedProjection,
  groundTruthProjection,
  guestsProjection,
  holdsProjection,
  inventoryProjection,
  keysProjection,
  operatorsProjection,
  retentionProjection,
  revocationsProjection,
  statementsProjection,
  testInventoryProjection,
  visitsProjection,
];
