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
  | { readonly type: 'DeviceRemoved'; readonly data: DeviceRef }
  /** Until it is resumed, the device verifies nothing. */
  | { readonly type: 'DevicePaused'; readonly data: DeviceRef }
  | { readonly type: 'DeviceResumed'; readonly data: DeviceRef };

type DeviceRef = { readonly venueId: VenueId; readonly deviceId: DeviceId; readonly at: string };

type DeviceFacts = {
  readonly venueId: VenueId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly hash: string;
  readonly at: string;
};

type Registered = DeviceFacts & { readonly mode: Mode; readonly paused: boolean };

export type VenueCommand =
  | { readonly type: 'RegisterDevice'; readonly mode: Mode; readonly facts: DeviceFacts }
  | ({ readonly type: 'RemoveDevice' | 'PauseDevice' | 'ResumeDevice' } & DeviceRef);

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
        const { type, deviceId, venueId, at } = command;
        const device = Object.hasOwn(devices, deviceId) ? devices[deviceId] : undefined;
        if (device === undefined) return reject({ code: 'DEVICE_NOT_FOUND' });
        const data = { venueId, deviceId, at };
        if (type === 'RemoveDevice') return accept({ type: 'DeviceRemoved', data });
        if (device.paused === (type === 'PauseDevice')) return accept();
        return accept({ type: type === 'PauseDevice' ? 'DevicePaused' : 'DeviceResumed', data });
      }
      default:
        return unreachable(command);
    }
  },
  evolve({ devices }, event) {
    switch (event.type) {
      case 'DeviceRegistered':
        return { devices: { ...devices, [event.data.deviceId]: { ...event.data, mode: 'live', paused: false } } };
      case 'TestDeviceRegistered':
        return { devices: { ...devices, [event.data.deviceId]: { ...event.data, mode: 'test', paused: false } } };
      case 'DevicePaused':
      case 'DeviceResumed': {
        const device = devices[event.data.deviceId];
        const paused = event.type === 'DevicePaused';
        return device === undefined
          ? { devices }
          : { devices: { ...devices, [device.deviceId]: { ...device, paused } } };
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
  DevicePaused: [],
  DeviceResumed: [],
});
