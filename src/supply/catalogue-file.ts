import { join } from 'node:path';
import type { Activity } from '../domain/activity/activity.ts';
import { CITY_NAMES, type CityName, findCity } from '../domain/activity/cities.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import type { SupplyFile } from '../ports/supply-source.ts';
import { readActivity, readVenueOf } from './catalogue-entries.ts';
import { readHotel } from './catalogue-hotels.ts';
import { type Claim, readVenue } from './catalogue-places.ts';
import { type Field, readDate } from './json-field.ts';
import { type FileFault, type FileReading, readFile } from './json-file.ts';

/** What the files of a catalogue list, in their order. */
export type Catalogue = { readonly activities: readonly Activity[]; readonly hotels: readonly Hotel[] };

/** The catalogue, or everything that keeps the text from being one, in the order of files and lines. */
export type CatalogueReading =
  | ({ readonly kind: 'catalogue' } & Catalogue)
  | { readonly kind: 'faults'; readonly faults: readonly FileFault[] };

/** The catalogue that comes with the service: one file per city. */
export const CATALOGUE_DIRECTORY = join(import.meta.dir, 'catalogue');

/** Reads the text of one catalogue file. `fileName` is only what faults call it. */
export function parseCatalogue(fileName: string, text: string): CatalogueReading {
  const reading = parse(fileName, text, new Map());
  return reading.kind === 'faults' ? reading : { kind: 'catalogue', ...reading.value };
}

/**
 * Reads the files of a catalogue, in the order given, as one: cities and ids are unique over all files. It takes a breath
 * behind each, since one takes some milliseconds, and requests are answered meanwhile.
 *
 * @param place what faults call it where there is no file at all
 */
export async function parseCatalogueFiles(files: readonly SupplyFile[], place: string): Promise<CatalogueReading> {
  const taken: Taken = new Map();
  const activities: Activity[] = [];
  const hotels: Hotel[] = [];
  const faults: FileFault[] = [];
  if (files.length === 0) {
    faults.push({ file: place, line: 1, field: '', message: 'has no *.json file; add one for each city' });
  }
  for (const { name, text } of files) {
    const reading = parse(name, text, taken);
    if (reading.kind === 'faults') faults.push(...reading.faults);
    else {
      activities.push(...reading.value.activities);
      hotels.push(...reading.value.hotels);
    }
    await new Promise(setImmediate);
  }
  return faults.length === 0 ? { kind: 'catalogue', activities, hotels } : { kind: 'faults', faults };
}

/** Names that may be given once, each with the place where it was. */
type Taken = Map<string, string>;

function parse(file: string, text: string, taken: Taken): FileReading<Catalogue> {
  const claim: Claim = (kind, name, field) => {
    const owner = taken.get(`${kind} ${name}`);
    if (owner === undefined) taken.set(`${kind} ${name}`, `${file} ${field.place}`);
    else field.fault(`"${name}" is taken already, by ${owner}; there may be one ${kind} of that name`);
  };
  return readFile(file, text, (root) => readCatalogue(root, claim));
}

function readCatalogue(field: Field, claim: Claim): Catalogue {
  const given = field.members(['city', 'estimated_on', 'note', 'venues', 'hotels', 'activities']);
  const city = readCity(given.city, claim);
  const estimatedOn = readDate(given.estimated_on);
  given.note.text(20, 600);
  const venues = given.venues.list().map((venue) => readVenue(venue, city, claim));
  const hotels = given.hotels.list().map((hotel) => readHotel(hotel, city, claim));
  const venuesById = new Map(venues.map((venue) => [venue.id, venue]));
  const surroundings = {
    city,
    estimatedOn,
    venueOf: (venue: Field) => readVenueOf(venue, venuesById),
    hotels: new Set(hotels.map((hotel) => hotel.id)),
    within: 'this file',
    claim,
  };
  const activities = given.activities.list().map((activity) => readActivity(activity, surroundings));
  const byId = new Map(activities.map((activity) => [activity.id, activity]));
  return { activities, hotels: hotels.map((hotel) => hotel.complete(byId)) };
}

function readCity(field: Field, claim: Claim): CityName | null {
  const text = field.text(1, 80);
  const city = findCity(text);
  if (city === null) field.fault(`"${text}" is not a supported city; those are ${CITY_NAMES.join(', ')}`);
  else if (city !== text) field.fault(`must be written "${city}", not "${text}"`);
  else claim('city', city, field);
  return city;
}
