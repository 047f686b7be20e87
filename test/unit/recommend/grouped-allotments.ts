import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import {
  type GroupedAllotments,
  groupOfAllotment,
  groupOfTestAllotment,
} from '../../../src/recommend/allotments-of-mode.ts';

let made = 0;

/** Test allotments, found by group only. */
export function groupedTestAllotments(documents: ReadonlyMap<string, InventoryDocument>): GroupedAllotments {
  return {
    ...groupedAllotments(documents),
    inGroup: (group) =>
      [...documents].filter(([id, doc]) => groupOfTestAllotment(doc, id) === group).map(([, doc]) => doc),
  };
}

/** Allotments that do not change, but differ from all others made before. */
export function groupedAllotments(documents: ReadonlyMap<string, InventoryDocument>): GroupedAllotments {
  const changes = ++made;
  return {
    get: (id) => documents.get(id),
    inGroup: (group) => [...documents.values()].filter((document) => groupOfAllotment(document) === group),
    changesIn: () => changes,
  };
}
