import { type Codec, UnknownEvent } from '../eventsourcing/codec.ts';
import type { DomainEvent, Recorded } from '../eventsourcing/message.ts';
import { activityCodec } from './activity/decider.ts';
import { allotmentCodec } from './allotment/decider.ts';
import { apiKeyCodec } from './apikey/decider.ts';
import { bookingCodec } from './booking/decider.ts';
import { deliveryCodec } from './delivery/decider.ts';
import { endpointCodec } from './endpoint/decider.ts';
import { guestCodec } from './guest/guest.ts';
import { holdCodec } from './hold/hold.ts';
import { rebuildCodec } from './rebuild/rebuild.ts';
import { recommendationCodec } from './recommendation/recommendation.ts';
import { scanCodec } from './scan/scan.ts';
import { venueCodec } from './venue/venue.ts';
import { voucherKeyCodec } from './voucherkey/voucherkey.ts';

/** The codec of every stream category. */
export const CODECS: readonly Codec<DomainEvent>[] = [
  activityCodec,
  allotmentCodec,
  apiKeyCodec,
  bookingCodec,
  deliveryCodec,
  endpointCodec,
  guestCodec,
  holdCodec,
  rebuildCodec,
  recommendationCodec,
  scanCodec,
  venueCodec,
  voucherKeyCodec,
];

const byCategory = new Map(CODECS.map((codec) => [codec.category, codec]));

/** The fault that reading a stored event would be; null for one that this release knows, or that is none of the domain's. */
export function unknownEvent({
  stream,
  type,
}: {
  readonly stream: string;
  readonly type: string;
}): UnknownEvent | null {
  const category = stream.slice(0, stream.indexOf('-'));
  const codec = byCategory.get(category);
  return codec === undefined || codec.reads(type) ? null : new UnknownEvent(category, type);
}

/** What a store keeps of an event, in the domain's present words. */
export function recorded(
  stored: Omit<Recorded, 'type' | 'data'> & { readonly type: string; readonly data: object },
): Recorded {
  const category = stored.stream.slice(0, stored.stream.indexOf('-'));
  const codec = byCategory.get(category);
  if (codec === undefined) throw new Error(`no codec for the stream ${stored.stream}`);
  const { type, data } = codec.decode(stored);
  const { stream, revision, position, id, cause } = stored;
  return { type, data, stream, revision, position, id, cause };
}
