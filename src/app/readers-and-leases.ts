import { PROJECTIONS } from '../../projections/index.ts';
import type { ReaderSource } from '../application/ops/list-readers.ts';
import type { Config } from '../config.ts';
import type { HttpContext } from '../http/context.ts';
import { readerOf } from '../runtime/parking.ts';
import type { Engines } from './engines.ts';
import { PROCESS_MANAGERS } from './process-managers.ts';

const READER_SOURCES: readonly ReaderSource[] = [
  ...PROJECTIONS.map((each) => ({ reader: readerOf(each), projection: each.name, categories: each.categories })),
  ...PROCESS_MANAGERS.map(({ name, categories }) => ({ reader: name, projection: null, categories })),
];

/** What operators see of the work of all nodes. */
export function readersAndLeases(
  engines: Pick<Engines, 'leases'>,
  { roles }: Pick<Config, 'roles'>,
): Pick<HttpContext, 'readerSources' | 'readers' | 'roles' | 'leases'> {
  const readers = READER_SOURCES.map(({ reader }) => reader);
  return { readerSources: READER_SOURCES, readers, roles, leases: () => engines.leases() };
}
