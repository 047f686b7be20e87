import type { GroundTruthDocument } from '../../../projections/groundtruth/read-model.ts';
import type { ActivityId } from '../../domain/activity/activity.ts';
import { perMille } from '../../domain/recommendation/score.ts';
import { EVERYBODY } from '../../domain/recommendation/segments.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { groundTruthFactor } from '../../recommend/factors/ground-truth.ts';

/** The ground truth of activities for all travellers, in thousandths, from the read model. */
export async function groundTruthsOf(
  ids: readonly ActivityId[],
  collection: string,
  readModels: Pick<ReadModelStore, 'load'>,
): Promise<ReadonlyMap<ActivityId, number>> {
  const documents = await readModels.load(collection, ids);
  return new Map(
    ids.map((id) => {
      // Only the projection's fold writes documents to this collection.
      const document = (documents.get(id)?.doc ?? undefined) as GroundTruthDocument | undefined;
      return [id, perMille(groundTruthFactor(document, [EVERYBODY]))];
    }),
  );
}
