import { type EntityContext, type EntityKind, type StreamHandler, streamHandler } from '../actors/entity.ts';
import {
  type ActivityCommand,
  type ActivityEvent,
  type ActivityState,
  activityCodec,
  activityDecider,
} from '../domain/activity/decider.ts';
import type { AllotmentCommand, AllotmentRejection } from '../domain/allotment/commands.ts';
import { allotmentDecider } from '../domain/allotment/decider.ts';
import { type AllotmentEvent, allotmentCodec } from '../domain/allotment/events.ts';
import type { Allotment } from '../domain/allotment/state.ts';
import type { ApiKey, ApiKeyCommand, ApiKeyEvent, ApiKeyRejection } from '../domain/apikey/apikey.ts';
import { apiKeyCodec, apiKeyDecider } from '../domain/apikey/decider.ts';
import {
  type AuditCommand,
  type AuditEntry,
  type AuditEvent,
  auditCodec,
  auditDecider,
} from '../domain/audit/audit.ts';
import type { BookingCommand, BookingRejection } from '../domain/booking/commands.ts';
import { bookingDecider } from '../domain/booking/decider.ts';
import { type BookingEvent, bookingCodec } from '../domain/booking/events.ts';
import type { Booking } from '../domain/booking/state.ts';
import { deliveryCodec, deliveryDecider } from '../domain/delivery/decider.ts';
import type { Delivery, DeliveryCommand, DeliveryEvent, DeliveryRejection } from '../domain/delivery/delivery.ts';
import { endpointCodec, endpointDecider } from '../domain/endpoint/decider.ts';
import type { Endpoint, EndpointCommand, EndpointEvent } from '../domain/endpoint/endpoint.ts';
import {
  type ExperimentCommand,
  type ExperimentEvent,
  type ExperimentRejection,
  type Experiments,
  experimentCodec,
  experimentDecider,
} from '../domain/experiment/experiment.ts';
import {
  type Guest,
  type GuestCommand,
  type GuestEvent,
  type GuestRejection,
  guestCodec,
  guestDecider,
} from '../domain/guest/guest.ts';
import {
  type HoldAsk,
  type HoldCommand,
  type HoldEvent,
  type HoldRejection,
  holdCodec,
  holdDecider,
} from '../domain/hold/hold.ts';
import { modeOf } from '../domain/ids.ts';
import {
  type Evidence,
  type EvidenceCommand,
  type EvidenceEvent,
  evidenceCodec,
  evidenceDecider,
} from '../domain/learning/evidence.ts';
import {
  type Exclusions,
  type LearningCommand,
  type LearningEvent,
  type LearningRejection,
  learningCodec,
  learningDecider,
} from '../domain/learning/exclusions.ts';
import {
  type Operator,
  type OperatorCommand,
  type OperatorEvent,
  type OperatorRejection,
  operatorCodec,
  operatorDecider,
} from '../domain/operator/operator.ts';
import {
  type ParkingCommand,
  type ParkingEvent,
  type ParkingRejection,
  parkingCodec,
  parkingDecider,
} from '../domain/parking/parking.ts';
import {
  type RebuildCommand,
  type RebuildEvent,
  type Rebuilds,
  rebuildCodec,
  rebuildDecider,
} from '../domain/rebuild/rebuild.ts';
import {
  type Recommendation,
  type RecommendationCommand,
  type RecommendationEvent,
  recommendationCodec,
  recommendationDecider,
} from '../domain/recommendation/recommendation.ts';
import {
  type Scan,
  type ScanCommand,
  type ScanEvent,
  type ScanRejection,
  scanCodec,
  scanDecider,
} from '../domain/scan/scan.ts';
import {
  type SecretKeyCommand,
  type SecretKeyEvent,
  type SecretKeyRejection,
  type SecretKeyRing,
  secretKeyCodec,
  secretKeyDecider,
} from '../domain/secretkey/secretkey.ts';
import {
  type SessionCommand,
  type SessionEvent,
  type SessionState,
  sessionCodec,
  sessionDecider,
} from '../domain/session/session.ts';
import { spendingCodec, spendingDecider } from '../domain/spending/decider.ts';
import type { Spending, SpendingCommand, SpendingEvent, SpendingRejection } from '../domain/spending/spending.ts';
import { testCodecOf } from '../domain/test-streams.ts';
import {
  type VenueCommand,
  type VenueDevices,
  type VenueEvent,
  type VenueRejection,
  venueCodec,
  venueDecider,
} from '../domain/venue/venue.ts';
import {
  type VoucherKeyCommand,
  type VoucherKeyEvent,
  type VoucherKeyRing,
  voucherKeyCodec,
  voucherKeyDecider,
} from '../domain/voucherkey/voucherkey.ts';
import type { DomainEvent } from '../eventsourcing/message.ts';
import { MAX_PARKED, type ParkedItems } from '../eventsourcing/parked.ts';
import { withLiveTerms } from './allotment/test-allotments.ts';
import { SNAPSHOTS } from './snapshots.ts';

/** Maximum number of commands for one allotment, or one day of a key's spending, that share one durable write. */
const CLAIMS_TOGETHER = 256;
/** A catalogue change sends each activity one command and does not read it again, so few stay in memory: 20 KB each. */
const ACTIVITIES_RESIDENT = 256;

/** The handler of each stream category that takes commands. */
export type Streams = {
  readonly activities: StreamHandler<ActivityCommand, ActivityState, ActivityEvent, never>;
  readonly allotments: StreamHandler<AllotmentCommand, Allotment, AllotmentEvent, AllotmentRejection>;
  readonly apiKeys: StreamHandler<ApiKeyCommand, ApiKey, ApiKeyEvent, ApiKeyRejection>;
  readonly audits: StreamHandler<AuditCommand, AuditEntry, AuditEvent, never>;
  readonly bookings: StreamHandler<BookingCommand, Booking, BookingEvent, BookingRejection>;
  readonly deliveries: StreamHandler<DeliveryCommand, Delivery, DeliveryEvent, DeliveryRejection>;
  readonly endpoints: StreamHandler<EndpointCommand, Endpoint, EndpointEvent, never>;
  readonly evidence: StreamHandler<EvidenceCommand, Evidence, EvidenceEvent, never>;
  readonly exclusions: StreamHandler<LearningCommand, Exclusions, LearningEvent, LearningRejection>;
  readonly experiments: StreamHandler<ExperimentCommand, Experiments, ExperimentEvent, ExperimentRejection>;
  readonly guests: StreamHandler<GuestCommand, Guest, GuestEvent, GuestRejection>;
  readonly holds: StreamHandler<HoldCommand, HoldAsk, HoldEvent, HoldRejection>;
  readonly operators: StreamHandler<OperatorCommand, Operator, OperatorEvent, OperatorRejection>;
  readonly parkings: StreamHandler<ParkingCommand, ParkedItems, ParkingEvent, ParkingRejection>;
  readonly rebuilds: StreamHandler<RebuildCommand, Rebuilds, RebuildEvent, never>;
  readonly recommendations: StreamHandler<RecommendationCommand, Recommendation, RecommendationEvent, never>;
  readonly scans: StreamHandler<ScanCommand, Scan, ScanEvent, ScanRejection>;
  readonly secretKeys: StreamHandler<SecretKeyCommand, SecretKeyRing, SecretKeyEvent, SecretKeyRejection>;
  readonly sessions: StreamHandler<SessionCommand, SessionState, SessionEvent, never>;
  readonly spendings: StreamHandler<SpendingCommand, Spending, SpendingEvent, SpendingRejection>;
  readonly venues: StreamHandler<VenueCommand, VenueDevices, VenueEvent, VenueRejection>;
  readonly voucherKeys: StreamHandler<VoucherKeyCommand, VoucherKeyRing, VoucherKeyEvent, never>;
};

export function openStreams(context: EntityContext): Streams {
  const allotments = {
    decider: allotmentDecider,
    codec: allotmentCodec,
    maxBatch: CLAIMS_TOGETHER,
    form: SNAPSHOTS.allotment,
  };
  const liveAllotments = streamHandler(allotments, context);
  const testAllotments = streamHandler({ ...allotments, codec: testCodecOf(allotmentCodec) }, context);
  return {
    activities: streamHandler(
      {
        decider: activityDecider,
        codec: activityCodec,
        maxBatch: 1,
        resident: ACTIVITIES_RESIDENT,
        form: SNAPSHOTS.activity,
      },
      context,
    ),
    allotments: byMode(liveAllotments, withLiveTerms(testAllotments, liveAllotments)),
    apiKeys: streamHandler({ decider: apiKeyDecider, codec: apiKeyCodec, maxBatch: 1 }, context),
    audits: streamHandler({ decider: auditDecider, codec: auditCodec, maxBatch: 1 }, context),
    bookings: inBothModes({ decider: bookingDecider, codec: bookingCodec, maxBatch: 1 }, context),
    deliveries: streamHandler({ decider: deliveryDecider, codec: deliveryCodec, maxBatch: 1 }, context),
    endpoints: streamHandler(
      { decider: endpointDecider, codec: endpointCodec, maxBatch: 1, form: SNAPSHOTS.endpoint },
      context,
    ),
    evidence: streamHandler({ decider: evidenceDecider, codec: evidenceCodec, maxBatch: 1 }, context),
    exclusions: streamHandler({ decider: learningDecider, codec: learningCodec, maxBatch: 1 }, context),
    experiments: streamHandler({ decider: experimentDecider, codec: experimentCodec, maxBatch: 1 }, context),
    guests: streamHandler({ decider: guestDecider, codec: guestCodec, maxBatch: 1 }, context),
    holds: inBothModes({ decider: holdDecider, codec: holdCodec, maxBatch: 1 }, context),
    operators: streamHandler({ decider: operatorDecider, codec: operatorCodec, maxBatch: 1 }, context),
    parkings: streamHandler({ decider: parkingDecider, codec: parkingCodec, maxBatch: MAX_PARKED }, context),
    rebuilds: streamHandler({ decider: rebuildDecider, codec: rebuildCodec, maxBatch: 1 }, context),
    recommendations: inBothModes({ decider: recommendationDecider, codec: recommendationCodec, maxBatch: 1 }, context),
    scans: streamHandler({ decider: scanDecider, codec: scanCodec, maxBatch: 1 }, context),
    secretKeys: streamHandler({ decider: secretKeyDecider, codec: secretKeyCodec, maxBatch: 1 }, context),
    sessions: streamHandler({ decider: sessionDecider, codec: sessionCodec, maxBatch: 1 }, context),
    spendings: streamHandler(
      { decider: spendingDecider, codec: spendingCodec, maxBatch: CLAIMS_TOGETHER, form: SNAPSHOTS.spending },
      context,
    ),
    venues: streamHandler({ decider: venueDecider, codec: venueCodec, maxBatch: 1 }, context),
    voucherKeys: streamHandler({ decider: voucherKeyDecider, codec: voucherKeyCodec, maxBatch: 1 }, context),
  };
}

/** Handlers of the live and of the test streams of a kind. */
function inBothModes<C, S, E extends DomainEvent, R>(kind: EntityKind<C, S, E, R>, context: EntityContext) {
  const test = { ...kind, codec: testCodecOf(kind.codec) };
  return byMode(streamHandler(kind, context), streamHandler(test, context));
}

/** Chooses the handler by the id. */
function byMode<C, S, E extends DomainEvent, R>(
  live: StreamHandler<C, S, E, R>,
  test: StreamHandler<C, S, E, R>,
): StreamHandler<C, S, E, R> {
  const handlerOf = (id: string): StreamHandler<C, S, E, R> => (modeOf(id) === 'test' ? test : live);
  return {
    categories: [...live.categories, ...test.categories],
    handle: (id, ...command) => handlerOf(id).handle(id, ...command),
    read: (id, deadlineMs) => handlerOf(id).read(id, deadlineMs),
    peek: (id) => handlerOf(id).peek(id),
  };
}
