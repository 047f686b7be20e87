import { Type } from 'typebox';
import type { HotelId } from '../../domain/activity/activity.ts';
import type { HttpContext } from '../context.ts';
import { optional, type Rule } from '../schema.ts';

const MAX_HOTELS = 500;

/** The hotels whose rates the key gets (docs/decisions/0076). */
export const hotelsField = optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: MAX_HOTELS }),
  `a list of at most ${MAX_HOTELS} hotel ids`,
);

export const HOTEL_IDS = Type.Array(Type.String(), {
  description: 'Hotels whose rates the key gets without a `location.hotel_token`.',
});

/** Refuses a hotel that the catalogue does not have. */
export function hotelsRule({ hotels }: Pick<HttpContext, 'hotels'>): Rule {
  return ({ hotel_ids: sent }) => {
    const ids = Array.isArray(sent) ? sent.filter((id) => typeof id === 'string') : [];
    const unknown = ids.find((id) => !hotels().has(id as HotelId));
    if (unknown === undefined) return null;
    const sentence = `hotel_ids has "${unknown}", which is no hotel; GET /api/b2a/hotels lists them.`;
    return { code: 'INVALID_REQUEST', sentence };
  };
}

/** The hotels that were sent. `hotelsRule` checked them. */
export function hotelsIn(sent: readonly string[]): readonly HotelId[] {
  return [...new Set(sent)].map((id) => id as HotelId);
}
