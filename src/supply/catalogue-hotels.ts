import type { Activity, HotelId } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import type { Hotel, HotelRate } from '../domain/activity/hotel.ts';
import { FALLBACK_CITY, PLACE_FIELDS, type RegisterName, readId, readPlace } from './catalogue-places.ts';

import type { JsonField } from './json-field.ts';

/**
 * A hotel whose rates are not read yet. Rates refer to activities and activities refer to hotels, so one of the two must be
 * read in two steps.
 */
type HotelEntry = {
  readonly id: HotelId;
  complete(activities: ReadonlyMap<string, Activity>): Hotel;
};

export function readHotel(field: JsonField, city: CityName | null, registerName: RegisterName): HotelEntry {
  const given = field.members([...PLACE_FIELDS, 'rates', 'guest_key'], ['guest_key']);
  const id = readId('hotel', given.id, registerName) as HotelId;
  const place = readPlace(given, city);
  const guestKey = given.guest_key.given ? { guestKey: readGuestKey(given.guest_key) } : {};
  return {
    id,
    complete: (activities) => ({
      id,
      ...place,
      city: city ?? FALLBACK_CITY,
      rates: readRates(given.rates, id, activities),
      ...guestKey,
    }),
  };
}

/** 32 bytes are 43 characters; the last one has four bits, so that a key has one form. */
function readGuestKey(field: JsonField): string {
  const isKey = (text: string): boolean => /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text);
  return field.textLike(isKey, 'an Ed25519 public key: 32 bytes in base64url, 43 characters');
}

function readRates(field: JsonField, hotel: HotelId, activities: ReadonlyMap<string, Activity>): HotelRate[] {
  const rated = new Set<string>();
  return field.list().map((element) => {
    const given = element.members(['activity', 'percent_off']);
    const id = given.activity.text(1, 60);
    const activity = activities.get(id);
    if (activity === undefined) {
      given.activity.fault(`"${id}" is not the id of an activity of this file; correct it, or add the activity`);
    } else if (rated.has(id)) {
      given.activity.fault(`"${id}" already has a rate of this hotel; keep one`);
    } else if (activity.exclusiveTo !== null && activity.exclusiveTo !== hotel) {
      given.activity.fault(`"${id}" is exclusive to "${activity.exclusiveTo}"; remove the rate`);
    }
    rated.add(id);
    return { activityId: id as Activity['id'], percentOff: given.percent_off.integer(1, 50) };
  });
}
