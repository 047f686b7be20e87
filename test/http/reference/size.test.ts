import { afterAll, beforeAll, expect, test } from 'bun:test';
import { heaviest } from '../../support/heaviest.ts';
import { Reference } from '../../support/reference.ts';
import { openService, type Service } from '../../support/service.ts';

/** The bound of the contract for each document, in bytes as served without compression. */
const MAX_DOCUMENT_BYTES = 300_000;
/** The budget (docs/decisions/0098): what a document had with so many operations, and what one more may add. */
const BUDGETS = [
  { path: '/openapi.json', bytes: 175_500, operations: 50 },
  { path: '/openapi-operators.json', bytes: 206_800, operations: 71 },
];
const BYTES_PER_OPERATION = 2_600;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

async function referenceAt(path: string): Promise<Reference> {
  return new Reference(JSON.parse(await (await service.send(path)).text()));
}

test.each(BUDGETS)(
  '$path has at most 300 KB, and no more than the budget of its operations',
  async ({ path, bytes, operations }) => {
    const { byteLength } = await (await service.send(path)).arrayBuffer();
    const reference = await referenceAt(path);
    const budget = bytes + (reference.operations.length - operations) * BYTES_PER_OPERATION;
    const most = Math.min(budget, MAX_DOCUMENT_BYTES);
    if (byteLength > most) throw new Error(`the document has ${byteLength} bytes of ${most}:\n${heaviest(reference)}`);
  },
);

test('of a document that is too long, the failure names the ten heaviest operations and components', async () => {
  const lines = heaviest(await referenceAt('/openapi.json')).split('\n');
  expect(lines).toHaveLength(20);
  expect(lines[0]).toMatch(/^ +\d+ POST \/api\/b2a\/recommend$/);
  const sizes = lines.map((line) => Number.parseInt(line, 10));
  expect(sizes.slice(0, 10)).toEqual(sizes.slice(0, 10).toSorted((a, b) => b - a));
});
