import { hostname } from 'node:os';
import type { Config } from '../config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { ReadFaults } from '../runtime/unknown-events.ts';
import { openEmbeddedEngines } from './embedded-engines.ts';
import type { Engines } from './engines.ts';

/** The engines that the settings name. @throws see `openEmbeddedEngines` and `openSharedEngines` */
export async function openEngines(
  config: Config,
  { clock, log, ids, unknownEvents }: EnginesOpening,
): Promise<Engines> {
  const { eventStore, mongodb } = config;
  if (eventStore === null || mongodb === null) return openEmbeddedEngines(config, { clock, log, unknownEvents });
  // Imported here, so that a node on embedded stores does not load the drivers.
  const { openSharedEngines } = await import('./shared-engines.ts');
  // The host name is for operators; the uuid makes the name unique to this run.
  const holder = `${hostname()}-${ids.uuid()}`;
  return openSharedEngines({ eventStore, mongodb }, config, { clock, log, holder, unknownEvents });
}

type EnginesOpening = {
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: Ids;
  readonly unknownEvents: ReadFaults;
};
