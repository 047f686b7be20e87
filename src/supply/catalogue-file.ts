import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Activity } from '../domain/activity/activity.ts';
import { CITY_NAMES, type CityName, findCity } from '../domain/activity/cities.ts';
import { type Claim, readActivity, readDate, readVenue } from './catalogue-entries.ts';
import { Field } from './json-field.ts';
import { type Path, pathText, readJson } from './json-lines.ts';

/** What is wrong in a catalogue file. `line` counts from 1; `field` is a path such as `activities[3].opening.mon.close`. */
export type CatalogueFault = {
  readonly file: string;
  readonly line: number;
  readonly field: string;
  readonly message: string;
};

/** The activities, or everything that keeps the text from being a catalogue, in the order of files and lines. */
export type CatalogueReading =
  | { readonly kind: 'catalogue'; readonly activities: readonly Activity[] }
  | { readonly kind: 'faults'; readonly faults: readonly CatalogueFault[] };

/** The catalogue that comes with the service: one file per city. */
export const CATALOGUE_DIRECTORY = join(import.meta.dir, 'catalogue');

/** Reads the text of one catalogue file. `fileName` is only what faults call it. */
export function parseCatalogue(fileName: string, text: string): CatalogueReading {
  return parse(fileName, text, new Map());
}

/**
 * Reads every `*.json` of a directory, in name order, as one catalogue: cities and ids are unique over all files.
 * @throws where the directory or a file cannot be read
 */
export async function loadCatalogue(directory: string): Promise<CatalogueReading> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
  const taken: Taken = new Map();
  const activities: Activity[] = [];
  const faults: CatalogueFault[] = [];
  if (files.length === 0) {
    faults.push({ file: directory, line: 1, field: '', message: 'has no *.json file; add one for each city' });
  }
  for (const file of files) {
    const reading = parse(file, await Bun.file(join(directory, file)).text(), taken);
    if (reading.kind === 'catalogue') activities.push(...reading.activities);
    else faults.push(...reading.faults);
  }
  return faults.length === 0 ? { kind: 'catalogue', activities } : { kind: 'faults', faults };
}

/** Faults as lines for a person: `bangkok.json:12 activities[0].price: must be …`; without a field, the whole is meant. */
export function describeFaults(faults: readonly CatalogueFault[]): string {
  return faults
    .map(({ file, line, field, message }) => `${file}:${line} ${field === '' ? '' : `${field}: `}${message}`)
    .join('\n');
}

/** Names that may be given once, each with the place where it was. */
type Taken = Map<string, string>;

function parse(file: string, text: string, taken: Taken): CatalogueReading {
  const faults: CatalogueFault[] = [];
  const json = readJson(text);
  if (json.kind === 'malformed') {
    return { kind: 'faults', faults: [{ file, line: json.line, field: '', message: json.message }] };
  }
  const report = (path: Path, message: string): void => {
    faults.push({ file, line: json.lineOf(path), field: pathText(path), message });
  };
  const claim: Claim = (kind, name, field) => {
    const owner = taken.get(`${kind} ${name}`);
    if (owner === undefined) taken.set(`${kind} ${name}`, `${file} ${field.place}`);
    else field.fault(`"${name}" is taken already, by ${owner}; there may be one ${kind} of that name`);
  };
  for (const path of json.repeated) report(path, 'stands twice in its object; keep one');
  const activities = readCatalogue(new Field(json.value, [], report), claim);
  if (faults.length === 0) return { kind: 'catalogue', activities };
  return { kind: 'faults', faults: faults.toSorted((a, b) => a.line - b.line) };
}

function readCatalogue(field: Field, claim: Claim): Activity[] {
  const given = field.members(['city', 'estimated_on', 'note', 'venues', 'activities']);
  const city = readCity(given.city, claim);
  const estimatedOn = readDate(given.estimated_on);
  given.note.text(20, 600);
  const venues = given.venues.list().map((venue) => readVenue(venue, city, claim));
  const surroundings = { city, estimatedOn, venues: new Map(venues.map((venue) => [venue.id, venue])), claim };
  return given.activities.list().map((activity) => readActivity(activity, surroundings));
}

function readCity(field: Field, claim: Claim): CityName | null {
  const text = field.text(1, 80);
  const city = findCity(text);
  if (city === null) field.fault(`"${text}" is not a supported city; those are ${CITY_NAMES.join(', ')}`);
  else if (city !== text) field.fault(`must be written "${city}", not "${text}"`);
  else claim('city', city, field);
  return city;
}
