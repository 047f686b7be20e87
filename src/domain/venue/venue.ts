import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { VenueId } from '../activity/activity.ts';
import type { DeviceId } from '../ids.ts';

/** These types are the storage format. The device key is not stored, only its SHA-256. */
export type VenueEvent =
  | {
      readonly type: 'DeviceRegistered';
      readonly data: {
        readonly venueId: VenueId;
        readonly deviceId: DeviceId;
        readonly name: string;
        readonly hash: string;
        readonly at: string;
      };
    }
  | {
      readonly type: 'DeviceRemoved';
      readonly data: { readonly venueId: VenueId; readonly deviceId: DeviceId; readonly at: string };
    };

type Registered = Extract<VenueEvent, { type: 'DeviceRegistered' }>['data'];

export type VenueCommand =
  | { readonly type: 'RegisterDevice'; readonly facts: Registered }
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
          : accept({ type: 'DeviceRegistered', data: command.facts });
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
        return { devices: { ...devices, [event.data.deviceId]: event.data } };
      case 'DeviceRemoved': {
        const { [event.data.deviceId]: _removed, ...rest } = devices;
        return { devices: rest };
      }
      default:
        return unreachable(event);
    }
  },
};

export const venueCodec = codec<VenueEvent>('venue', { DeviceRegistered: [], DeviceRemoved: [] });
