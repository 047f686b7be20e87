import { describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020.js';
import { composeFile } from './compose-file.ts';
import schema from './specification/compose-spec.json' with { type: 'json' };

describe('docker-compose.yml', () => {
  // Compose's own additions to the schema language are for its editors.
  const valid = new Ajv2020({ strict: false, allErrors: true }).compile(schema);

  test('is valid by the Compose Specification', () => {
    const conforms = valid(composeFile());
    expect(valid.errors ?? []).toEqual([]);
    expect(conforms).toBe(true);
  });

  test.each([
    ['an option that does not exist', { services: { a: { image: 'a:1.0.0', restarts: 'always' } } }],
    ['a condition that does not exist', { services: { a: { depends_on: { b: { condition: 'service_ready' } } } } }],
    ['a service that is none', { services: { a: ['image'] } }],
    ['a top-level name that does not exist', { service: {} }],
  ])('the schema finds %s', (_, file) => {
    expect(valid(file)).toBe(false);
  });
});
