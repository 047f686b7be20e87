import { type TSchema, type TSchemaOptions, Type } from 'typebox';
import { CITY_NAMES } from '../domain/activity/cities.ts';
import { MODES } from '../domain/ids.ts';

/**
 * Answer fields that several resources share. A schema with an `$id` becomes a named component of the API reference.
 */
export { CURRENCY, DATE, TIMESTAMP } from '../webhooks/event-contracts.ts';
/** Of a key, and of what is booked and verified with it. */
export const MODE = oneOf(MODES);
export const CITY_NAME = oneOf(CITY_NAMES, { $id: 'CityName' });
export const COUNT = Type.Integer({ minimum: 0 });

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

export function oneOf<const Name extends string>(names: readonly Name[], options: TSchemaOptions = {}) {
  return Type.Enum([...names], options);
}

export function pageOf<S extends TSchema>(item: S) {
  return Type.Object({
    items: Type.Array(item),
    next_cursor: nullable(
      Type.String({
        description: 'Send it back as `cursor`; null on the last page.',
      }),
    ),
  });
}
