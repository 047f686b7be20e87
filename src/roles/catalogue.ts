import { listCatalogue } from '../application/list-catalogue.ts';
import type { Activity } from '../domain/activity/activity.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { LiveViews } from './live-views.ts';

/** Lists what the catalogue's files name, retires what they name no more, and waits until this node knows of it. */
export async function bringCatalogueUpToDate(
  activities: readonly Activity[],
  catalogue: LiveViews['catalogue'],
  context: Parameters<typeof listCatalogue>[3] & { readonly ids: Ids; readonly log: Log },
): Promise<void> {
  const known = [...catalogue.values()].filter((entry) => entry.listed).map((entry) => entry.activity.id);
  const at = new Date(context.clock.nowMs()).toISOString();
  const cause = { correlationId: context.ids.uuid(), causationId: null, by: 'catalogue', at };
  const { listed, retired, position } = await listCatalogue(activities, known, cause, context);
  if (position !== null) await catalogue.passed(position);
  context.log.info('catalogue loaded', { activities: activities.length, listed, retired });
}
