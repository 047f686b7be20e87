import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { writeEntry } from '../../supply/activity-entry.ts';

/** The activity of the public contract: its entry and its owner. */
export function presentActivity({ activity, listed, revision, updatedAt, override }: ActivityDocument) {
  return {
    ...writeEntry(activity),
    listed,
    revision,
    updated_at: updatedAt,
    override: override && {
      by: override.by,
      since: override.at,
      catalogue: override.catalogue && writeEntry(override.catalogue),
    },
  };
}
