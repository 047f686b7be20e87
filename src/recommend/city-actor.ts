import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { Behavior } from '../actors/actor.ts';
import type { ActorPool, ActorSystem } from '../actors/system.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { localDate } from '../domain/activity/schedule.ts';
import { type CityCandidates, candidatesOf } from './candidates.ts';
import { type Knowledge, type Question, type Ranking, rank } from './rank.ts';

/** A ranking is worked out without waiting for anything, so a few of them are one turn. */
const RANKINGS_TOGETHER = 16;

export type Cities = ActorPool<Question, Ranking>;

/** What the actors of cities look at: read models in memory, kept current by subscriptions of their own. */
export type CityKnowledge = Knowledge & {
  readonly catalogue: {
    /** The entries of a city, retired ones too. */
    inGroup(city: CityName): Iterable<Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>;
    /** Another number whenever an entry has changed. */
    changes(): number;
  };
};

/** The actors that recommend, one for each city: they keep what does not change from request to request. */
export function openCities(system: ActorSystem, knowledge: CityKnowledge): Cities {
  // The pool is only asked for supported cities: a location is read before.
  return system.pool('city', (id) => cityBehavior(id as CityName, knowledge));
}

function cityBehavior(city: CityName, knowledge: CityKnowledge): Behavior<Question, Ranking> {
  let known: { readonly changes: number; readonly candidates: CityCandidates } | null = null;
  const candidatesAt = (nowMs: number): CityCandidates => {
    const today = localDate(city, nowMs);
    const changes = knowledge.catalogue.changes();
    if (known?.changes === changes && known.candidates.today === today) return known.candidates;
    known = { changes, candidates: candidatesOf(city, today, knowledge.catalogue.inGroup(city)) };
    return known.candidates;
  };
  return {
    maxBatch: RANKINGS_TOGETHER,
    async receive(questions) {
      return questions.map((question) => rank(candidatesAt(question.nowMs), question, knowledge));
    },
    restart() {
      known = null;
    },
  };
}
