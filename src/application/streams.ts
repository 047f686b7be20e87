import { type Entities, type EntityContext, entities } from '../actors/entity.ts';
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
import type { BookingCommand, BookingRejection } from '../domain/booking/commands.ts';
import { bookingDecider } from '../domain/booking/decider.ts';
import { type BookingEvent, bookingCodec } from '../domain/booking/events.ts';
import type { Booking } from '../domain/booking/state.ts';
import { deliveryCodec, deliveryDecider } from '../domain/delivery/decider.ts';
import type { Delivery, DeliveryCommand, DeliveryEvent, DeliveryRejection } from '../domain/delivery/delivery.ts';
import { endpointCodec, endpointDecider } from '../domain/endpoint/decider.ts';
import type { Endpoint, EndpointCommand, EndpointEvent } from '../domain/endpoint/endpoint.ts';
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

/** Maximum number of commands for one allotment that share one durable write. */
const CLAIMS_TOGETHER = 256;
/** A catalogue change sends each activity one command and does not read it again, so few stay in memory: 20 KB each. */
const ACTIVITIES_RESIDENT = 256;

/** The entities of each stream category that takes commands. */
export type Streams = {
  readonly activities: Entities<ActivityCommand, ActivityState, ActivityEvent, never>;
  readonly allotments: Entities<AllotmentCommand, Allotment, AllotmentEvent, AllotmentRejection>;
  readonly apiKeys: Entities<ApiKeyCommand, ApiKey, ApiKeyEvent, ApiKeyRejection>;
  readonly bookings: Entities<BookingCommand, Booking, BookingEvent, BookingRejection>;
  readonly deliveries: Entities<DeliveryCommand, Delivery, DeliveryEvent, DeliveryRejection>;
  readonly endpoints: Entities<EndpointCommand, Endpoint, EndpointEvent, never>;
  readonly guests: Entities<GuestCommand, Guest, GuestEvent, GuestRejection>;
  readonly holds: Entities<HoldCommand, HoldAsk, HoldEvent, HoldRejection>;
  readonly rebuilds: Entities<RebuildCommand, Rebuilds, RebuildEvent, never>;
  readonly recommendations: Entities<RecommendationCommand, Recommendation, RecommendationEvent, never>;
  readonly scans: Entities<ScanCommand, Scan, ScanEvent, ScanRejection>;
  readonly venues: Entities<VenueCommand, VenueDevices, VenueEvent, VenueRejection>;
  readonly voucherKeys: Entities<VoucherKeyCommand, VoucherKeyRing, VoucherKeyEvent, never>;
};

export function openStreams(context: EntityContext): Streams {
  return {
    activities: entities(
      { decider: activityDecider, codec: activityCodec, maxBatch: 1, resident: ACTIVITIES_RESIDENT },
      context,
    ),
    allotments: entities({ decider: allotmentDecider, codec: allotmentCodec, maxBatch: CLAIMS_TOGETHER }, context),
    apiKeys: entities({ decider: apiKeyDecider, codec: apiKeyCodec, maxBatch: 1 }, context),
    bookings: entities({ decider: bookingDecider, codec: bookingCodec, maxBatch: 1 }, context),
    deliveries: entities({ decider: deliveryDecider, codec: deliveryCodec, maxBatch: 1 }, context),
    endpoints: entities({ decider: endpointDecider, codec: endpointCodec, maxBatch: 1 }, context),
    guests: entities({ decider: guestDecider, codec: guestCodec, maxBatch: 1 }, context),
    holds: entities({ decider: holdDecider, codec: holdCodec, maxBatch: 1 }, context),
    rebuilds: entities({ decider: rebuildDecider, codec: rebuildCodec, maxBatch: 1 }, context),
    recommendations: entities({ decider: recommendationDecider, codec: recommendationCodec, maxBatch: 1 }, context),
    scans: entities({ decider: scanDecider, codec: scanCodec, maxBatch: 1 }, context),
    venues: entities({ decider: venueDecider, codec: venueCodec, maxBatch: 1 }, context),
    voucherKeys: entities({ decider: voucherKeyDecider, codec: voucherKeyCodec, maxBatch: 1 }, context),
  };
}
