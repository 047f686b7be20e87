import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { LocalDate } from '../domain/activity/activity.ts';
import { type AllotmentId, type Mode, testAllotmentOf, testDayOf } from '../domain/ids.ts';

/** Allotments in memory, by the ids of live ones. */
export type Allotments = { get(id: string): InventoryDocument | undefined };

/** Allotments in memory, also by city and date (`groupOfAllotment`). */
export type GroupedAllotments = Allotments & {
  inGroup(group: string): Iterable<InventoryDocument>;
  /** A number that changes with every change of an allotment of the group. */
  changesIn(group: string): number;
};

/** Allotments of both modes in memory; the test ones by test day, city and date (`groupOfTestAllotment`). */
export type GroupedModes = { readonly allotments: GroupedAllotments; readonly testAllotments: GroupedAllotments };

export type ModesOfAllotments = { readonly allotments: Allotments; readonly testAllotments: Allotments };

export function groupOfAllotment({ city, date }: Pick<InventoryDocument, 'city' | 'date'>): string {
  return `${city} ${date}`;
}

export function groupOfTestAllotment(document: Pick<InventoryDocument, 'city' | 'date'>, id: string): string {
  return testGroup(groupOfAllotment(document), testDayOf(id));
}

/** @param group of the live allotments of the same city and date */
export function testGroup(group: string, testDay: string): string {
  return `${testDay} ${group}`;
}

/**
 * What a key of this mode can book. A test allotment has the terms of the live one, and the slots that test bookings of
 * `day`, a local day of the city, have taken.
 */
export function allotmentsOf(
  mode: Mode,
  day: LocalDate,
  { allotments, testAllotments }: ModesOfAllotments,
): Allotments {
  if (mode === 'live') return allotments;
  return {
    get: (id) => withTestSlots(allotments.get(id), testAllotments.get(testAllotmentOf(id as AllotmentId, day))),
  };
}

/** The live allotment with the slots that test bookings have taken. */
export function withTestSlots(
  live: InventoryDocument | undefined,
  ofTests: InventoryDocument | undefined,
): InventoryDocument | undefined {
  return live === undefined ? ofTests : { ...live, taken: ofTests?.taken ?? 0, held: ofTests?.held ?? 0 };
}
