import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { VenueId } from '../activity/activity.ts';
import type { DeviceId, Mode } from '../ids.ts';

/** These types are the storage format. The device key is not stored, only its SHA-256. */
export type VenueEvent =
  | { readonly type: 'DeviceRegistered'; readonly data: DeviceFacts }
  /**
   * A device that verifies vouchers of test bookings only. A separate event type, so that a release without test mode
   * stops at it and does not treat the device as live.
   */
  | { readonly type: 'TestDeviceRegistered'; readonly data: DeviceFacts }
  | {
      readonly type: 'DeviceRemoved';
      readonly data: { readonly venueId: VenueId; readonly deviceId: DeviceId; readonly at: string };
    };

type DeviceFacts = {
  readonly venueId: VenueId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly hash: string;
  readonly at: string;
};

type Registered = DeviceFacts & { readonly mode: Mode };

export type VenueCommand =
  | { readonly type: 'RegisterDevice'; readonly mode: Mode; readonly facts: DeviceFacts }
  | { readonly type: 'RemoveDevice'; readonly deviceId: DeviceId; readonly venueId: VenueId; readonly at: string };

export type VenueRejection = { readonly code: 'DEVICE_NOT_FOUND' };

/** The gate devices of a venue that may verify vouchers. */
export type VenueDevices = { readonly devices: Readonly<Record<string, Registered>> };

export const venueDecider: Decider<VenueCommand, VenueDevices, VenueEvent, VenueRejection> = {
  initial: { devices: {} },
  decide(command, { devices }) {
    switch (command.type) {
      case 'RegisterDevice':
        return Object.hasOwn(devices, command.facts.deviceId)
          ? accept()
          : accept({
              type: command.mode === 'live' ? 'DeviceRegistered' : 'TestDeviceRegistered',
              data: command.facts,
            });
      case 'RemoveDevice': {
        const { deviceId, venueId, at } = command;
        if (!Object.hasOwn(devices, deviceId)) return reject({ code: 'DEVICE_NOT_FOUND' });
        return accept({ type: 'DeviceRemoved', data: { venueId, deviceId, at } });
      }
      default:
        return unreachable(command);
    }
  },
  evolve({ devices }, event) {
    switch (event.type) {
      case 'DeviceRegistered':
        return { devices: { ...devices, [event.data.deviceId]: { ...event.data, mode: 'live' } } };
      case 'TestDeviceRegistered':
        return { devices: { ...devices, [event.data.deviceId]: { ...event.data, mode: 'test' } } };
      case 'DeviceRemoved': {
        const { [event.data.deviceId]: _removed, ...rest } = devices;
        return { devices: rest };
      }
      default:
        return unreachable(event);
    }
  },
};

export const venueCodec = codec<VenueEvent>('venue', {
  DeviceRegistered: [],
  TestDeviceRegistered: [],
  DeviceRemoved: [],
});
