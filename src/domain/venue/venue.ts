import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
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
  | { readonly type: 'DeviceRemoved'; readonly data: DeviceRef }
  /** Until it is resumed, the device verifies nothing. Of a paused device: another reason. */
  | { readonly type: 'DevicePaused'; readonly data: PauseChange }
  | { readonly type: 'DeviceResumed'; readonly data: PauseChange };

type DeviceRef = { readonly venueId: VenueId; readonly deviceId: DeviceId; readonly at: string };

/** `reason` is the operator's; null without one, and in events of earlier versions. */
type PauseChange = DeviceRef & { readonly reason: string | null };

type DeviceFacts = {
  readonly venueId: VenueId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly hash: string;
  readonly at: string;
};

type Registered = DeviceFacts & {
  readonly mode: Mode;
  readonly paused: boolean;
  /** Why the device is paused; null without a reason. */
  readonly pauseReason: string | null;
};

export type VenueCommand =
  | { readonly type: 'RegisterDevice'; readonly mode: Mode; readonly facts: DeviceFacts }
  | ({ readonly type: 'RemoveDevice' } & DeviceRef)
  | ({ readonly type: 'PauseDevice' | 'ResumeDevice' } & PauseChange);

export type VenueRejection = { readonly code: 'DEVICE_NOT_FOUND' };

/** The gate devices of a venue that were not removed. */
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
      case 'RemoveDevice':
      case 'PauseDevice':
      case 'ResumeDevice': {
        const { deviceId, venueId, at } = command;
        const device = Object.hasOwn(devices, deviceId) ? devices[deviceId] : undefined;
        if (device === undefined) return reject({ code: 'DEVICE_NOT_FOUND' });
        const data = { venueId, deviceId, at };
        if (command.type === 'RemoveDevice') return accept({ type: 'DeviceRemoved', data });
        const pauses = command.type === 'PauseDevice';
        const { reason } = command;
        if (device.paused === pauses && (!pauses || reason === null || reason === device.pauseReason)) return accept();
        return accept({ type: pauses ? 'DevicePaused' : 'DeviceResumed', data: { ...data, reason } });
      }
      default:
        return unreachable(command);
    }
  },
  evolve({ devices }, event) {
    switch (event.type) {
      case 'DeviceRegistered':
      case 'TestDeviceRegistered': {
        const mode = event.type === 'DeviceRegistered' ? 'live' : 'test';
        const device = { ...event.data, mode, paused: false, pauseReason: null } as const;
        return { devices: { ...devices, [device.deviceId]: device } };
      }
      case 'DevicePaused':
      case 'DeviceResumed': {
        const device = devices[event.data.deviceId];
        if (device === undefined) return { devices };
        const paused = event.type === 'DevicePaused';
        const changed = { ...device, paused, pauseReason: paused ? event.data.reason : null };
        return { devices: { ...devices, [device.deviceId]: changed } };
      }
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
  DevicePaused: [reasonUnknown],
  DeviceResumed: [reasonUnknown],
});

/** Version 1 had no reason. */
function reasonUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, reason: null };
}
