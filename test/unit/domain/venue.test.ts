import { describe, expect, test } from 'bun:test';
import { type VenueEvent, venueDecider } from '../../../src/domain/venue/venue.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { deviceId, venueId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const VENUE = venueId('siam-ocean-world');
const AT = '2026-11-21T03:00:00.000Z';

const facts = (device: string) => ({
  venueId: VENUE,
  deviceId: deviceId(device),
  name: `Gate ${device}`,
  hash: `hash of ${device}`,
  at: AT,
});

const registered = (device: string): VenueEvent => ({ type: 'DeviceRegistered', data: facts(device) });
const removed = (device: string): VenueEvent => ({
  type: 'DeviceRemoved',
  data: { venueId: VENUE, deviceId: deviceId(device), at: AT },
});

const register = (device: string) => ({ type: 'RegisterDevice', mode: 'live', facts: facts(device) }) as const;
const remove = (device: string) =>
  ({ type: 'RemoveDevice', venueId: VENUE, deviceId: deviceId(device), at: AT }) as const;

describe('registering a device', () => {
  test('allows it to verify at the venue', () => {
    given(venueDecider, [])
      .when(register('dev_1'))
      .then([registered('dev_1')]);
  });

  test('adds it to the other devices', () => {
    given(venueDecider, [registered('dev_1')])
      .when(register('dev_2'))
      .then([registered('dev_2')]);
  });

  test('for test bookings is a separate event', () => {
    const registeredForTests: VenueEvent = { type: 'TestDeviceRegistered', data: facts('dev_1') };
    given(venueDecider, [])
      .when({ ...register('dev_1'), mode: 'test' })
      .then([registeredForTests]);
    expect(fold(venueDecider, [registeredForTests]).devices).toMatchObject({ dev_1: { mode: 'test' } });
  });

  test('again adds no event', () => {
    given(venueDecider, [registered('dev_1')])
      .when(register('dev_1'))
      .thenNothing();
  });
});

describe('removing a device', () => {
  test('revokes it', () => {
    given(venueDecider, [registered('dev_1'), registered('dev_2')])
      .when(remove('dev_1'))
      .then([removed('dev_1')]);
  });

  test('that does not exist is refused', () => {
    given(venueDecider, [registered('dev_1')])
      .when(remove('dev_2'))
      .thenRejected({ code: 'DEVICE_NOT_FOUND' });
  });

  test('that was removed before is refused', () => {
    given(venueDecider, [registered('dev_1'), removed('dev_1')])
      .when(remove('dev_1'))
      .thenRejected({ code: 'DEVICE_NOT_FOUND' });
  });

  test.each(['constructor', 'toString', '__proto__'])('by the name of an object property is refused: %p', (name) => {
    given(venueDecider, []).when(remove(name)).thenRejected({ code: 'DEVICE_NOT_FOUND' });
  });
});

test('the devices of a venue are those registered and not removed', () => {
  const devices = fold(venueDecider, [registered('dev_1'), registered('dev_2'), removed('dev_1')]);
  expect(devices).toStrictEqual({
    devices: { dev_2: { ...facts('dev_2'), mode: 'live', paused: false, pauseReason: null } },
  });
});
