import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { BadConfiguration } from '../../../src/config.ts';
import { openStores } from '../../../src/roles/stores.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('stores of a data directory are not opened where read models are meant to be in MongoDB', () => {
  using directory = temporaryDirectory();
  const mongodb = { url: 'mongodb://a/b', database: 'b', shown: 'a/b' };
  expect(() => openStores({ dataDirectory: directory.path, mongodb })).toThrow(BadConfiguration);
  expect(readdirSync(directory.path)).toEqual([]);
});
