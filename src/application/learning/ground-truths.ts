import { EVERYBODY, type GroundTruthDocument } from '../../../projections/groundtruth/read-model.ts';
import type { ActivityId } from '../../domain/activity/activity.ts';
import { fadeAt } from '../../domain/learning/fading.ts';
import { perMille } from '../../domain/recommendation/score.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { groundTruthFactor, USUAL } from '../../recommend/factors/ground-truth.ts';

/** The ground truth of activities for all travellers at a time (ms since the epoch), in thousandths, from the read model. */
export async function groundTruthsOf(
  ids: readonly ActivityId[],
  atMs: number,
  collection: string,
  readModels: Pick<ReadModelStore, 'load'>,
): Promise<ReadonlyMap<ActivityId, number>> {
  const documents = await readModels.load(collection, ids);
  const fade = fadeAt(atMs);
  return new Map(
    ids.map((id) => {
      // Only the projection's fold writes documents to this collection.
      const document = (documents.get(id)?.doc ?? null) as GroundTruthDocument | null;
      return [id, perMille(document === null ? USUAL : groundTruthFactor(document, EVERYBODY, fade))];
    }),
  );
}
