import { expect, test } from 'bun:test';
import { createApp } from '../../../src/http/app.ts';
import { describedRoutes } from '../../../src/http/reference/described-routes.ts';
import { openService } from '../../support/service.ts';

test('handlers get only the members of a body that its schema names, at every level', async () => {
  await using service = await openService();
  let bodies = 0;
  for (const { operationId, request, example } of describedRoutes(createApp(service.node.context).routes)) {
    // The MCP server reads a whole message of `/mcp`.
    if (request?.place !== 'body' || example === undefined || operationId === 'mcp') continue;
    const { validate } = request['~standard'];
    expect(validate(withUnnamed(example)), operationId).toEqual(validate(example));
    bodies += 1;
  }
  expect(bodies).toBeGreaterThan(15);
});

/** A copy whose objects have one more member. */
function withUnnamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnnamed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withUnnamed(member)]);
  return { ...Object.fromEntries(members), unnamed: 1 };
}
