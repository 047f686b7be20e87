import { type Codec, type DecodeEvent, UnknownEvent } from '../eventsourcing/codec.ts';
import type { DomainEvent } from '../eventsourcing/message.ts';
import { CHECKPOINT_CATEGORY } from '../eventsourcing/process-manager.ts';
import { activityCodec } from './activity/decider.ts';
import { allotmentCodec } from './allotment/events.ts';
import { apiKeyCodec } from './apikey/decider.ts';
import { auditCodec } from './audit/audit.ts';
import { bookingCodec } from './booking/events.ts';
import { deliveryCodec } from './delivery/decider.ts';
import { endpointCodec } from './endpoint/decider.ts';
import { experimentCodec } from './experiment/experiment.ts';
import { guestCodec } from './guest/guest.ts';
import { holdCodec } from './hold/hold.ts';
import { evidenceCodec } from './learning/evidence.ts';
import { learningCodec } from './learning/exclusions.ts';
import { operatorCodec } from './operator/operator.ts';
import { parkingCodec } from './parking/parking.ts';
import { rebuildCodec } from './rebuild/rebuild.ts';
import { recommendationCodec } from './recommendation/recommendation.ts';
import { scanCodec } from './scan/scan.ts';
import { secretKeyCodec } from './secretkey/secretkey.ts';
import { sessionCodec } from './session/session.ts';
import { spendingCodec } from './spending/decider.ts';
import { testCodecOf } from './test-streams.ts';
import { venueCodec } from './venue/venue.ts';
import { voucherKeyCodec } from './voucherkey/voucherkey.ts';

/** The codec of every stream category. */
export const CODECS: readonly Codec<DomainEvent>[] = [
  activityCodec,
  allotmentCodec,
  apiKeyCodec,
  auditCodec,
  bookingCodec,
  deliveryCodec,
  endpointCodec,
  evidenceCodec,
  experimentCodec,
  guestCodec,
  holdCodec,
  learningCodec,
  operatorCodec,
  parkingCodec,
  rebuildCodec,
  recommendationCodec,
  scanCodec,
  secretKeyCodec,
  sessionCodec,
  spendingCodec,
  venueCodec,
  voucherKeyCodec,
  testCodecOf(allotmentCodec),
  testCodecOf(bookingCodec),
  testCodecOf(holdCodec),
  testCodecOf(recommendationCodec),
];

/** All stream categories, that of checkpoints included. */
export const STREAM_CATEGORIES: readonly string[] = [...CODECS.map(({ category }) => category), CHECKPOINT_CATEGORY];

const byCategory = new Map(CODECS.map((codec) => [codec.category, codec]));

/**
 * Decodes a stored event; null if its stream is not of the domain.
 * @throws UnknownEvent if this release does not know its type and version, or cannot read its data
 */
export const decodeEvent: DecodeEvent = (stored) => {
  const { stream, revision, position, id, cause } = stored;
  const category = stream.slice(0, stream.indexOf('-'));
  const codec = byCategory.get(category);
  if (codec === undefined) return null;
  try {
    const { type, data } = codec.decode(stored);
    return { type, data, stream, revision, position, id, cause };
  } catch (fault) {
    if (fault instanceof UnknownEvent) throw fault;
    const reason = `event ${id} (${stored.type}) of ${stream} cannot be decoded: ${String(fault)}`;
    throw new UnknownEvent(category, stored.type, reason);
  }
};
