import { join } from 'node:path';
import type { Activity } from '../domain/activity/activity.ts';
import { CITY_NAMES, type CityName } from '../domain/activity/cities.ts';
import { findCity } from '../domain/activity/find-place.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import type { SupplyFile } from '../ports/supply-source.ts';
import { readActivity, readVenueOf } from './catalogue-entries.ts';
import { readHotel } from './catalogue-hotels.ts';
import { type RegisterName, readVenue } from './catalogue-places.ts';
import { type JsonField, readDate } from './json-field.ts';
import { type FileFault, type FileReading, readFile } from './json-file.ts';

/** The entries of all catalogue files, in file order. */
type CatalogueContents = { readonly activities: readonly Activity[]; readonly hotels: readonly Hotel[] };

/** The catalogue, or all faults in the order of files and lines. */
export type CatalogueReading =
  | ({ readonly kind: 'catalogue' } & CatalogueContents)
  | { readonly kind: 'faults'; readonly faults: readonly FileFault[] };

/** The catalogue shipped with the service: one file per city. */
export const CATALOGUE_DIRECTORY = join(import.meta.dir, 'catalogue');

/** Reads the text of one catalogue file. `fileName` is used in faults only. */
export function parseCatalogue(fileName: string, text: string): CatalogueReading {
  const reading = parse(fileName, text, new Map());
  return reading.kind === 'faults' ? reading : { kind: 'catalogue', ...reading.value };
}

/**
 * Reads the files of a catalogue in the given order. Cities and ids are unique across all files. Yields to the event loop
 * after each file, because reading one takes some milliseconds.
 *
 * @param directory named in the fault if there is no file
 */
export async function parseCatalogueFiles(files: readonly SupplyFile[], directory: string): Promise<CatalogueReading> {
  const names: RegisteredNames = new Map();
  const activities: Activity[] = [];
  const hotels: Hotel[] = [];
  const faults: FileFault[] = [];
  if (files.length === 0) {
    faults.push({
      file: directory,
      line: 1,
      column: null,
      field: '',
      message: 'has no *.json file; add one for each city',
    });
  }
  for (const { name, text } of files) {
    const reading = parse(name, text, names);
    if (reading.kind === 'faults') faults.push(...reading.faults);
    else {
      activities.push(...reading.value.activities);
      hotels.push(...reading.value.hotels);
    }
    await new Promise(setImmediate);
  }
  return faults.length === 0 ? { kind: 'catalogue', activities, hotels } : { kind: 'faults', faults };
}

/** Unique names, each with the location of its first use. */
type RegisteredNames = Map<string, string>;

function parse(file: string, text: string, names: RegisteredNames): FileReading<CatalogueContents> {
  const registerName: RegisterName = (kind, name, field) => {
    const owner = names.get(`${kind} ${name}`);
    if (owner === undefined) names.set(`${kind} ${name}`, `${file} ${field.path}`);
    else field.fault(`"${name}" is already used by ${owner}; remove this ${kind}, or rename it`);
  };
  return readFile(file, text, (root) => readCatalogue(root, registerName));
}

function readCatalogue(field: JsonField, registerName: RegisterName): CatalogueContents {
  const given = field.members(['city', 'estimated_on', 'note', 'venues', 'hotels', 'activities']);
  const city = readCity(given.city, registerName);
  const estimatedOn = readDate(given.estimated_on);
  given.note.text(20, 600);
  const venues = given.venues.list().map((venue) => readVenue(venue, city, registerName));
  const hotels = given.hotels.list().map((hotel) => readHotel(hotel, city, registerName));
  const venuesById = new Map(venues.map((venue) => [venue.id, venue]));
  const context = {
    city,
    estimatedOn,
    venueOf: (venue: JsonField) => readVenueOf(venue, venuesById),
    hotels: new Set(hotels.map((hotel) => hotel.id)),
    within: 'this file',
    registerName,
  };
  const activities = given.activities.list().map((activity) => readActivity(activity, context));
  const byId = new Map(activities.map((activity) => [activity.id, activity]));
  return { activities, hotels: hotels.map((hotel) => hotel.complete(byId)) };
}

function readCity(field: JsonField, registerName: RegisterName): CityName | null {
  const text = field.text(1, 80);
  const city = findCity(text);
  if (city === null) field.fault(`"${text}" is not a supported city; use one of ${CITY_NAMES.join(', ')}`);
  else if (city !== text) field.fault(`must be written "${city}", not "${text}"`);
  else registerName('city', city, field);
  return city;
}
