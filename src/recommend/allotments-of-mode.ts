import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { LocalDate } from '../domain/activity/activity.ts';
import { type AllotmentId, type Mode, testAllotmentOf } from '../domain/ids.ts';

/** Allotments in memory, by the ids of live ones. */
export type Allotments = { get(id: string): InventoryDocument | undefined };

export type ModesOfAllotments = { readonly allotments: Allotments; readonly testAllotments: Allotments };

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
    get(id) {
      const ofTests = testAllotments.get(testAllotmentOf(id as AllotmentId, day));
      const live = allotments.get(id);
      return live === undefined ? ofTests : { ...live, taken: ofTests?.taken ?? 0 };
    },
  };
}
