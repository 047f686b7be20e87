import type { ActivityId } from '../../domain/activity/activity.ts';
import { TRAVEL_TYPES, type TravelType } from '../../domain/activity/vocabulary.ts';
import type { ServedFacts } from '../../domain/recommendation/recommendation.ts';
import { couldBeFirst, type LoggedAnswer, loggedAnswer, strengthOf } from '../logged-answer.ts';
import { firstPlaces, rankedBy, type TargetModel } from './ranked-by.ts';

/** Ends after other work of the event loop was done. */
export type Turn = () => Promise<unknown>;

/** Samples that are handled between two turns. */
export const SAMPLES_PER_TURN = 1_000;

/** What an evaluation keeps of an answer, one to two kilobytes. Activities are numbered (`Samples.ids`). */
export type Sample = {
  readonly travelType: number;
  /** The activity that was shown first; -1 for an answer that shows none. */
  readonly first: number;
  /** The probability with which the service showed it first. */
  readonly propensity: number;
  readonly explores: boolean;
  /** The target model's best activity is another one than the logged model's. */
  readonly differs: boolean;
  /** The activities that the target shows first, with their probabilities. */
  readonly target: readonly { readonly first: number; readonly probability: number }[];
  /** The probability that the target's first activity could have been first in the log. */
  readonly supported: number;
  readonly shown: readonly number[];
  /** Of the shown activities, in the same order. */
  readonly strengths: readonly number[];
  /** Their places in the target's ranking, from 1. */
  readonly targetPlaces: readonly number[];
  /** The place of the activity that exploration lifted, from 1; null if none was lifted, or it was not shown. */
  readonly liftedPlace: number | null;
};

/** How far an activity moves in the answers that have it as a candidate. Places count from 1. */
export type Move = { readonly activityId: ActivityId; readonly answers: number; readonly meanPlaceChange: number };

/** The answers and visits of an evaluation. */
export class Samples {
  readonly target: TargetModel;
  readonly ids: ActivityId[] = [];
  readonly all: Sample[] = [];
  /** Answers of scoring models that this release does not know. */
  otherModels = 0;
  readonly #numbers = new Map<ActivityId, number>();
  /** By the id of the context log. */
  readonly #answers = new Map<string, number>();
  /** By the index of the sample: the visits of each shown activity. */
  readonly #visits = new Map<number, Map<number, number>>();
  /** By the number of the activity. */
  readonly #moved: { answers: number; places: number }[] = [];

  constructor(target: TargetModel) {
    this.target = target;
  }

  answered(logId: string, facts: ServedFacts): void {
    const logged = loggedAnswer(facts);
    if (logged === null) {
      this.otherModels++;
      return;
    }
    this.#answers.set(logId, this.all.length);
    this.all.push(this.#sampleOf(logged, facts.profile.travelType));
  }

  /**
   * A verified visit, or with -1 one that was taken back. A visit of another answer, or to an activity that the answer
   * did not show, does not count.
   */
  visited(logId: string, activityId: ActivityId, step: 1 | -1): void {
    const [index, activity] = [this.#answers.get(logId), this.#numbers.get(activityId)];
    if (index === undefined || activity === undefined || this.all[index]?.shown.includes(activity) !== true) return;
    const visits = this.#visits.get(index) ?? new Map<number, number>();
    visits.set(activity, (visits.get(activity) ?? 0) + step);
    this.#visits.set(index, visits);
  }

  /** The visited activities of a sample, each once. */
  visitsOf(index: number): readonly number[] {
    const visits = this.#visits.get(index);
    return visits === undefined ? [] : [...visits].filter(([, count]) => count > 0).map(([activity]) => activity);
  }

  /** The activities whose place changes most, at most `most`. */
  moves(most: number): readonly Move[] {
    return this.#moved
      .map(({ answers, places }, index) => ({
        activityId: this.#idOf(index),
        answers,
        meanPlaceChange: places / answers,
      }))
      .filter(({ meanPlaceChange }) => meanPlaceChange !== 0)
      .sort(
        (left, right) =>
          Math.abs(right.meanPlaceChange) - Math.abs(left.meanPlaceChange) ||
          (left.activityId < right.activityId ? -1 : 1),
      )
      .slice(0, most);
  }

  #sampleOf(logged: LoggedAnswer, travelType: TravelType): Sample {
    const target = rankedBy(this.target, logged);
    const places = new Map(target.map(({ activityId }, index) => [activityId, index + 1]));
    logged.ranked.forEach(({ activityId }, index) => {
      this.#move(this.#numberOf(activityId), (places.get(activityId) ?? 0) - index - 1);
    });
    const firsts = firstPlaces(target, this.target.exploration);
    const factors = new Map(logged.ranked.map((each) => [each.activityId, each.factors]));
    const { shown, lifted } = logged;
    const liftedPlace = lifted === null ? 0 : shown.indexOf(lifted) + 1;
    return {
      travelType: TRAVEL_TYPES.indexOf(travelType),
      first: shown[0] === undefined ? -1 : this.#numberOf(shown[0]),
      propensity: logged.propensity,
      explores: logged.explores,
      differs: target[0]?.activityId !== logged.ranked[0]?.activityId,
      target: firsts.map(({ activityId, probability }) => ({ first: this.#numberOf(activityId), probability })),
      supported: firsts.reduce((sum, { activityId, probability }) => {
        return couldBeFirst(logged, activityId) ? sum + probability : sum;
      }, 0),
      shown: shown.map((activityId) => this.#numberOf(activityId)),
      strengths: shown.map((activityId) => {
        const known = factors.get(activityId);
        return known === undefined ? 1 : strengthOf(known, logged.groundTruthPower);
      }),
      targetPlaces: shown.map((activityId) => places.get(activityId) ?? target.length),
      liftedPlace: liftedPlace === 0 ? null : liftedPlace,
    };
  }

  #move(activity: number, places: number): void {
    const moved = this.#moved[activity] ?? { answers: 0, places: 0 };
    this.#moved[activity] = { answers: moved.answers + 1, places: moved.places + places };
  }

  #numberOf(activityId: ActivityId): number {
    const known = this.#numbers.get(activityId);
    if (known !== undefined) return known;
    this.#numbers.set(activityId, this.ids.length);
    return this.ids.push(activityId) - 1;
  }

  #idOf(index: number): ActivityId {
    const id = this.ids[index];
    if (id === undefined) throw new RangeError(`there is no activity with the number ${index}`);
    return id;
  }
}
