import type { Config } from '../config.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import { OperatorError } from '../ports/operator-error.ts';
import { FLASH_DEALS_FILE, loadDealPolicy } from '../supply/flash-deals-file.ts';
import { describeFaults } from '../supply/json-file.ts';

/** The flash deal policy file is invalid. The message names the line and field of each fault. */
export class BadDealPolicy extends OperatorError {
  constructor(faults: string) {
    super(`the policy of flash deals cannot be used:\n${faults}`);
    this.name = 'BadDealPolicy';
  }
}

/** Null if the service makes no flash deals. @throws BadDealPolicy, and if the file cannot be read */
export async function readDealPolicy({
  flashDeals,
  flashDealsFile,
}: Pick<Config, 'flashDeals' | 'flashDealsFile'>): Promise<DealPolicy | null> {
  if (!flashDeals) return null;
  const policy = await loadDealPolicy(flashDealsFile ?? FLASH_DEALS_FILE);
  if (policy.kind === 'faults') throw new BadDealPolicy(describeFaults(policy.faults));
  return policy.value;
}
