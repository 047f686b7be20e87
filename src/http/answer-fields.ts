import { type TObject, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox';
import { CITY_NAMES } from '../domain/activity/cities.ts';
import { TRAVEL_TYPES } from '../domain/activity/vocabulary.ts';
import { PERMISSIONS } from '../domain/apikey/apikey.ts';
import { WEBHOOK_EVENTS } from '../domain/delivery/delivery.ts';
import { MODES } from '../domain/ids.ts';

/**
 * Answer fields that several resources share. A schema with an `$id` becomes a named component of the API reference.
 */
export { CANCELLATION_REASON, CATEGORY, CURRENCY, DATE, TIMESTAMP } from '../webhooks/event-contracts.ts';
/** Of a key, and of what is booked and verified with it. */
export const MODE = oneOf(MODES);
export const PERMISSION = oneOf(PERMISSIONS, { $id: 'Permission' });
export const WEBHOOK_EVENT = oneOf(WEBHOOK_EVENTS, { $id: 'WebhookEvent' });
export const CITY_NAME = oneOf(CITY_NAMES, { $id: 'CityName' });
export const BOOKING_STATUSES = ['processing', 'pending', 'confirmed', 'rejected', 'cancelled', 'completed'] as const;
export const BOOKING_STATUS = oneOf(BOOKING_STATUSES, { $id: 'BookingStatus' });
export const TRAVEL_TYPE = oneOf(TRAVEL_TYPES, { $id: 'TravelType' });
export const COUNT = Type.Integer({ minimum: 0 });

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

export function oneOf<const Name extends string>(names: readonly Name[], options: TSchemaOptions = {}) {
  return Type.Enum([...names], options);
}

const NEXT_CURSOR = Type.Union([Type.String(), Type.Null()], {
  $id: 'NextCursor',
  description:
    'Send it back as `cursor` for the next page; null on the last. A page may be shorter than `limit` before that.',
});

/** An object with further members. The API reference refers to the base instead of repeating its members. */
export function extended<Base extends TProperties, More extends TProperties>(
  base: TObject<Base>,
  more: More,
  options: { readonly $id: string; readonly description?: string },
) {
  return Type.Object({ ...base.properties, ...more }, { ...options, base });
}

export function pageOf<S extends TSchema>(item: S) {
  return Type.Object({ items: Type.Array(item), next_cursor: NEXT_CURSOR });
}
