import { evenHash } from '../fnv1a.ts';
import type { KeyId } from '../ids.ts';
import type { TravelProfile } from '../recommendation/profile.ts';
import type { Arm, Experiment } from './experiment.ts';

/** Parts of a percent that shares are compared in. */
const PARTS = 10_000;

/**
 * The arm of a traveller: the same for the same key and profile, on every node and in every answer. The order of the
 * interests is of no account.
 */
export function armOf(
  { experimentId, arms }: Pick<Experiment, 'experimentId' | 'arms'>,
  keyId: KeyId,
  { travelType, nationality, interests, budget, ageGroup }: TravelProfile,
): Arm {
  const traveller = [travelType, nationality, [...new Set(interests)].sort(), budget, ageGroup];
  const place = evenHash(JSON.stringify([experimentId, keyId, ...traveller])) % PARTS;
  return place < (arms[0].sharePercent * PARTS) / 100 ? arms[0] : arms[1];
}
