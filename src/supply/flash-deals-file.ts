import { join } from 'node:path';
import { DEAL_PERCENT, type DealPolicy, type DealStep } from '../domain/allotment/deal-policy.ts';
import type { JsonField } from './json-field.ts';
import { type FileReading, readFile } from './json-file.ts';

/** The policy shipped with the service. */
export const FLASH_DEALS_FILE = join(import.meta.dir, 'flash-deals.json');

const MAX_STEPS = 50;

/** Reads the text of a flash deal policy file. `fileName` is used in faults only. */
export function parseDealPolicy(fileName: string, text: string): FileReading<DealPolicy> {
  return readFile(fileName, text, readPolicy);
}

/** @throws if the file cannot be read */
export async function loadDealPolicy(path: string): Promise<FileReading<DealPolicy>> {
  return parseDealPolicy(path, await Bun.file(path).text());
}

function readPolicy(field: JsonField): DealPolicy {
  const given = field.members(['note', 'activities_percent', 'lasts_minutes', 'steps']);
  given.note.text(20, 600);
  const steps = given.steps.list();
  if (given.steps.valid && (steps.length === 0 || steps.length > MAX_STEPS))
    given.steps.fault(`must have 1 to ${MAX_STEPS} steps; it has ${steps.length}`);
  return {
    activitiesPercent: given.activities_percent.integer(0, 100),
    lastsMinutes: given.lasts_minutes.integer(15, 1_440),
    steps: steps.map(readStep),
  };
}

function readStep(field: JsonField): DealStep {
  const given = field.members(['hours_left', 'free_percent', 'discount_percent']);
  return {
    hoursLeft: given.hours_left.number(0.25, 24),
    freePercent: given.free_percent.integer(1, 100),
    discountPercent: given.discount_percent.integer(DEAL_PERCENT.from, DEAL_PERCENT.to),
  };
}
