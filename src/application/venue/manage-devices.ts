import type { VenueId } from '../../domain/activity/activity.ts';
import { encodeBase32 } from '../../domain/base32.ts';
import type { DeviceId, Mode } from '../../domain/ids.ts';
import type { VenueDevices } from '../../domain/venue/venue.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import { secretHash } from '../identifiers.ts';
import type { KeysContext } from '../key/manage-keys.ts';
import { noReply, type Refused, refused, serviceUnavailable } from '../refusal.ts';

const DEVICE_KEY_BYTES = 32;
const ID_BYTES = 10;
const DECISION_MS = 10_000;

type RegisteredDevice = {
  readonly kind: 'registered';
  readonly venueId: VenueId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly mode: Mode;
  /** 64 hex characters. Returned only once; only its SHA-256 is stored. */
  readonly deviceKey: string;
  readonly position: Position;
};

/** Registers a gate device of a venue. The caller has checked that the venue exists. */
export async function registerDevice(
  { venueId, name, mode }: { readonly venueId: VenueId; readonly name: string; readonly mode: Mode },
  cause: Cause,
  { streams, clock, ids, digest }: KeysContext,
): Promise<RegisteredDevice | Refused> {
  const deviceKey = Buffer.from(ids.secret(DEVICE_KEY_BYTES)).toString('hex');
  const deviceId = `dev_${encodeBase32(ids.secret(ID_BYTES)).toLowerCase()}` as DeviceId;
  const facts = { venueId, deviceId, name, hash: secretHash(digest, deviceKey), at: cause.at };
  const reply = await streams.venues.handle(
    venueId,
    { type: 'RegisterDevice', mode, facts },
    cause,
    clock.nowMs() + DECISION_MS,
  );
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind !== 'accepted' || reply.position === null)
    return serviceUnavailable('contended', { call: `RegisterDevice to venue-${venueId}: ${reply.kind}` });
  return { kind: 'registered', venueId, deviceId, name, mode, deviceKey, position: reply.position };
}

/** Removes, pauses or resumes a device. A change that is already made has no position, and keeps its first reason. */
export async function changeDevice(
  change:
    | { readonly type: 'RemoveDevice' }
    | { readonly type: 'PauseDevice' | 'ResumeDevice'; readonly reason: string | null },
  { venueId, deviceId }: { readonly venueId: VenueId; readonly deviceId: string },
  cause: Cause,
  { streams, clock }: KeysContext,
): Promise<{ readonly kind: 'changed'; readonly position: Position | null } | Refused> {
  const command = { ...change, venueId, deviceId: deviceId as DeviceId, at: cause.at };
  const reply = await streams.venues.handle(venueId, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'accepted') return { kind: 'changed', position: reply.position };
  return refused('NOT_FOUND', `Venue "${venueId}" has no device with the id "${deviceId}".`);
}

/** The gate devices of a venue, from its stream, in the order of registration. */
export async function listDevices(
  venueId: VenueId,
  { streams, clock }: Pick<KeysContext, 'streams' | 'clock'>,
): Promise<{ readonly kind: 'devices'; readonly devices: VenueDevices['devices'] } | Refused> {
  const reply = await streams.venues.read(venueId, clock.nowMs() + DECISION_MS);
  if (reply.kind !== 'state') return noReply(reply);
  return { kind: 'devices', devices: reply.state.devices };
}
