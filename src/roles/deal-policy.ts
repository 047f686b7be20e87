import type { Config } from '../config.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import { FLASH_DEALS_FILE, loadDealPolicy } from '../supply/flash-deals-file.ts';
import { describeFaults } from '../supply/json-file.ts';

/** The file of the policy of flash deals has faults; the message names line and field of each. */
export class BadDealPolicy extends Error {
  constructor(faults: string) {
    super(`the policy of flash deals cannot be used:\n${faults}`);
    this.name = 'BadDealPolicy';
  }
}

/** Null where the service makes no deals of its own. @throws BadDealPolicy, and where the file cannot be read */
export async function readDealPolicy({
  flashDeals,
  flashDealsFile,
}: Pick<Config, 'flashDeals' | 'flashDealsFile'>): Promise<DealPolicy | null> {
  if (!flashDeals) return null;
  const policy = await loadDealPolicy(flashDealsFile ?? FLASH_DEALS_FILE);
  if (policy.kind === 'faults') throw new BadDealPolicy(describeFaults(policy.faults));
  return policy.value;
}
