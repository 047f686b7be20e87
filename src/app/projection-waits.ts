import type { HttpContext } from '../http/context.ts';
import type { EventFeed } from '../ports/event-store.ts';
import type { Engines, Projections } from './engines.ts';

/** How requests wait for the read models. */
export function projectionWaits(
  engines: Pick<Engines, 'passSoon'>,
  projections: Pick<Projections, 'waitFor'>,
  store: Pick<EventFeed, 'head'>,
): Pick<HttpContext, 'waitFor' | 'caughtUp'> {
  const waitFor: HttpContext['waitFor'] = (name, position, timeoutMs) => {
    engines.passSoon(position);
    return projections.waitFor(name, position, timeoutMs);
  };
  return { waitFor, caughtUp: async (name, timeoutMs) => waitFor(name, await store.head(), timeoutMs) };
}
