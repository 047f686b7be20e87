import { freeDates } from '../../application/activity/free-dates.ts';
import type { CatalogueEntry } from '../../application/booking/booking-context.ts';
import type { Activity, OpeningHours } from '../../domain/activity/activity.ts';
import { type CityName, cityFacts } from '../../domain/activity/cities.ts';
import type { Hotel } from '../../domain/activity/hotel.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import { localDate } from '../../domain/activity/schedule.ts';
import { LANGUAGES, type Language, WEEKDAYS } from '../../domain/activity/vocabulary.ts';
import type { Mode } from '../../domain/ids.ts';
import { membersOf } from '../activity/schema.ts';
import { presentPolicy } from '../cancellation-policy.ts';
import type { HttpContext } from '../context.ts';
import { imagesOf } from '../picture/picture-url.ts';

/** An item of the list of activities. */
export function presentSummary(activity: Activity, language: Language) {
  return {
    activity_id: activity.id,
    title: activity.texts[language].title,
    category: activity.category,
    city: activity.city,
    venue_id: activity.venue.id,
    venue_name: activity.venue.name,
    price: toDecimal(activity.priceMinor, activity.currency),
    currency: activity.currency,
    confirmation: activity.confirmation,
  };
}

/** `mode` of the key: the free dates have the capacity for bookings of this mode. */
export function presentDetails(entry: CatalogueEntry, mode: Mode, language: Language, context: HttpContext) {
  const { activity } = entry;
  const { description, checkIn } = activity.texts[language];
  const { name, address, lat, lon } = activity.venue;
  const today = localDate(activity.city, context.clock.nowMs());
  return {
    ...presentSummary(activity, language),
    description,
    languages: LANGUAGES,
    setting: activity.setting,
    difficulty: activity.difficulty,
    duration_minutes: activity.durationMinutes,
    hours: { ...membersOf(WEEKDAYS, null), ...hoursOf(activity) },
    closed_dates: activity.closedDates.filter((date) => date >= today),
    meeting_point: { name, address, lat, lon, instructions: checkIn },
    cancellation_policy: presentPolicy(activity.cancellation, language),
    images: imagesOf(activity, context.publicUrl()),
    next_free_dates: freeDates(mode, entry, 1, today, context).map(({ date, available_slots }) => ({
      date,
      available_slots,
    })),
  };
}

function hoursOf({ openings }: Activity) {
  const present = ({ open, lastEntry, close }: OpeningHours) => ({ open, last_entry: lastEntry, close });
  return Object.fromEntries(
    WEEKDAYS.flatMap((day) => {
      const opening = openings[day];
      return opening === null ? [] : [[day, present(opening)]];
    }),
  );
}

export function presentCity(city: CityName, { catalogue, clock }: HttpContext) {
  const { country, currency, timeZone, lat, lon } = cityFacts(city);
  const onSale = [...catalogue.inGroup(city)].filter(({ listed, activity }) => listed && activity.exclusiveTo === null);
  return {
    city,
    country,
    currency,
    time_zone: timeZone,
    today: localDate(city, clock.nowMs()),
    lat,
    lon,
    activities: onSale.length,
  };
}

export function presentHotel({ id, name, address, city, lat, lon }: Hotel) {
  return { hotel_id: id, name, address, city, lat, lon };
}
