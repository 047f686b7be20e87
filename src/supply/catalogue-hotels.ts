import type { Activity, HotelId } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import type { Hotel, HotelRate } from '../domain/activity/hotel.ts';
import { ANY_CITY, type Claim, PLACE_FIELDS, readId, readPlace } from './catalogue-places.ts';
import type { Field } from './json-field.ts';

/**
 * A hotel whose rates wait to be read: they name activities, and activities name hotels, so that one of the two has to be
 * read in two steps.
 */
export type HotelEntry = {
  readonly id: HotelId;
  complete(activities: ReadonlyMap<string, Activity>): Hotel;
};

export function readHotel(field: Field, city: CityName | null, claim: Claim): HotelEntry {
  const given = field.members([...PLACE_FIELDS, 'rates']);
  const id = readId('hotel', given.id, claim) as HotelId;
  const place = readPlace(given, city);
  return {
    id,
    complete: (activities) => ({ id, ...place, city: city ?? ANY_CITY, rates: readRates(given.rates, id, activities) }),
  };
}

function readRates(field: Field, hotel: HotelId, activities: ReadonlyMap<string, Activity>): HotelRate[] {
  const rated = new Set<string>();
  return field.list().map((element) => {
    const given = element.members(['activity', 'percent_off']);
    const id = given.activity.text(1, 60);
    const activity = activities.get(id);
    if (activity === undefined) {
      given.activity.fault(`"${id}" is not the id of an activity of this file; mend it, or add the activity`);
    } else if (rated.has(id)) {
      given.activity.fault(`"${id}" has a rate of this hotel already; keep one`);
    } else if (activity.exclusiveTo !== null && activity.exclusiveTo !== hotel) {
      given.activity.fault(`"${id}" is exclusive to "${activity.exclusiveTo}"; take the rate out`);
    }
    rated.add(id);
    return { activityId: id as Activity['id'], percentOff: given.percent_off.whole(1, 50) };
  });
}
