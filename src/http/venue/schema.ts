import { Type } from 'typebox';
import { MODES } from '../../domain/ids.ts';
import { MODE, nullable, pageOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body, optional, path, required } from '../schema.ts';

const VENUE_ID = 'The `venue_id` of an activity, as inventory returns it.';

export const VENUE_PATH = path({ venue_id: VENUE_ID });

export const DEVICE_PATH = path({
  venue_id: VENUE_ID,
  device_id: 'The `device_id` of a device of this venue.',
});

export const DEVICE_BODY = body(
  Type.Object(
    {
      name: required(Type.String({ minLength: 1, maxLength: 80 }), 'a name of 1 to 80 characters'),
      mode: field.choice(MODES, { default: 'live' }),
    },
    { examples: [{ name: 'Door' }] },
  ),
);

export const REASON_BODY = body(
  Type.Object(
    {
      reason: optional(
        Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
        'a text of 1 to 200 characters in one line',
      ),
    },
    { examples: [{ reason: '48 scans before the opening.' }] },
  ),
);

export const REGISTERED_DEVICE_ANSWER = answers(
  Type.Object({
    device_id: Type.String(),
    venue_id: Type.String(),
    name: Type.String(),
    mode: MODE,
    device_key: Type.String({ description: 'Returned in this answer only.' }),
  }),
  { device_id: 'dev_5b0c', venue_id: 'bkk-bamboo-bar', name: 'Door', mode: 'live', device_key: '<DEVICE_KEY>' },
  ['NOT_FOUND'],
  ['x-position'],
);

export const DEVICES_ANSWER = answers(
  pageOf(
    Type.Object({
      device_id: Type.String(),
      venue_id: Type.String(),
      name: Type.String(),
      mode: MODE,
      paused: Type.Boolean(),
      pause_reason: nullable(Type.String()),
      created_at: TIMESTAMP,
    }),
  ),
  {
    items: [
      {
        device_id: 'dev_5b0c',
        venue_id: 'bkk-bamboo-bar',
        name: 'Door',
        mode: 'live',
        paused: false,
        pause_reason: null,
        created_at: '2026-11-21T06:49:20.976Z',
      },
    ],
    next_cursor: null,
  },
  ['NOT_FOUND'],
);

export const REMOVED_DEVICE_ANSWER = answers(
  Type.Object({ device_id: Type.String(), venue_id: Type.String(), removed: Type.Boolean() }),
  { device_id: 'dev_5b0c', venue_id: 'bkk-bamboo-bar', removed: true },
  ['NOT_FOUND'],
  ['x-position'],
);

const PAUSABLE = Type.Object(
  { device_id: Type.String(), venue_id: Type.String(), paused: Type.Boolean() },
  { $id: 'PausableDevice' },
);

export const PAUSED_DEVICE_ANSWER = answers(
  PAUSABLE,
  { device_id: 'dev_5b0c', venue_id: 'bkk-bamboo-bar', paused: true },
  ['NOT_FOUND'],
  ['x-position'],
);

export const RESUMED_DEVICE_ANSWER = answers(
  PAUSABLE,
  { device_id: 'dev_5b0c', venue_id: 'bkk-bamboo-bar', paused: false },
  ['NOT_FOUND'],
  ['x-position'],
);

export const LIST_DEVICES_DETAIL = {
  operationId: 'list_devices',
  summary: 'The gate devices of a venue',
  description: 'All devices on one page, in the order of their registration. Remove a lost device by its `device_id`.',
};

export const CREATE_DEVICE_DETAIL = {
  operationId: 'create_device',
  summary: 'Register a gate device',
  description:
    "This answer is the only one that returns the device's key. The device verifies vouchers of this venue only, " +
    'with `mode: test` only those of test bookings.',
};

export const DELETE_DEVICE_DETAIL = {
  operationId: 'delete_device',
  summary: 'Remove a gate device',
  description: "The device's key is invalid from this answer on.",
};

export const PAUSE_DEVICE_DETAIL = {
  operationId: 'pause_device',
  summary: 'Pause a gate device',
  description: 'It gets `KEY_INACTIVE` until it is resumed.',
};

export const RESUME_DEVICE_DETAIL = {
  operationId: 'resume_device',
  summary: 'Resume a paused gate device',
  description: 'It verifies vouchers again.',
};
