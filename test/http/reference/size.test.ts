import { afterAll, beforeAll, expect, test } from 'bun:test';
import { heaviest, Reference } from '../../support/reference.ts';
import { openService, type Service } from '../../support/service.ts';

/** The bound of the contract, in bytes as served without compression. */
const MAX_DOCUMENT_BYTES = 300_000;
/**
 * The budget (docs/decisions/0090): what the document had with so many operations, and what one more may add.
 */
const BUDGET = { bytes: 291_500, operations: 99, bytesPerOperation: 1_700 };

let service: Service;
let reference: Reference;
beforeAll(async () => {
  service = await openService();
  reference = new Reference(JSON.parse(await (await service.send('/openapi.json')).text()));
});
afterAll(() => service.stop());

test('the document has at most 300 KB, and no more than the budget of its operations', async () => {
  const { byteLength } = await (await service.send('/openapi.json')).arrayBuffer();
  const { bytes, operations, bytesPerOperation } = BUDGET;
  const budget = bytes + (reference.operations.length - operations) * bytesPerOperation;
  const most = Math.min(budget, MAX_DOCUMENT_BYTES);
  if (byteLength > most) throw new Error(`the document has ${byteLength} bytes of ${most}:\n${heaviest(reference)}`);
});

test('of a document that is too long, the failure names the ten heaviest operations and components', () => {
  const lines = heaviest(reference).split('\n');
  expect(lines).toHaveLength(20);
  expect(lines[0]).toMatch(/^ +\d+ POST \/api\/b2a\/recommend$/);
  const sizes = lines.map((line) => Number.parseInt(line, 10));
  expect(sizes.slice(0, 10)).toEqual(sizes.slice(0, 10).toSorted((a, b) => b - a));
});
