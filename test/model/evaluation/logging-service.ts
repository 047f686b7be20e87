import { SeededRandom } from '../../../src/cli/generate/seeded-random.ts';
import type { ActivityId } from '../../../src/domain/activity/activity.ts';
import { TRAVEL_TYPES } from '../../../src/domain/activity/vocabulary.ts';
import { toColumns } from '../../../src/domain/recommendation/ranked.ts';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { type Factors, MODEL, perMille } from '../../../src/domain/recommendation/score.ts';
import {
  bestFirst,
  firstPlaces,
  type Ranked,
  rankedBy,
  type TargetModel,
  takesFirst,
} from '../../../src/recommend/evaluation/ranked-by.ts';
import { activityId, date, served } from '../../support/examples.ts';

/** Attention to a place, from 1. */
const attention = (place: number): number => place ** -0.7;

/**
 * In one context of so many, travellers visit more, and the profile does not know their favourite. So a model differs where
 * most visits are, and the answers that agree with it have fewer.
 */
const EAGER_EVERY = 3;
const TODAY = date('2026-11-21');
const MILLION = 1_000_000;

export type World = {
  readonly activities: number;
  readonly contexts: number;
  readonly limit: number;
  /** The share of answers that explore. */
  readonly exploration: number;
};

/** One answer that the service can give in a context, and what can come of it. */
type Answer = {
  readonly facts: ServedFacts;
  readonly shown: readonly ActivityId[];
  /** In millionths of the answers of the context. */
  readonly share: number;
  /** The probability of a visit to each shown activity. */
  readonly chances: readonly number[];
};

type Context = {
  readonly ranked: readonly Ranked[];
  readonly answers: readonly Answer[];
  /** Visits per answer that shows an activity first which no answer of the service does. */
  readonly forced: (first: ActivityId) => number;
};

/**
 * A service with a known truth: it ranks a few activities in a few contexts, lifts one candidate in some answers, and its
 * travellers choose one of the shown activities, or none, by tastes that the ranking knows only partly.
 */
export class LoggingService {
  readonly #contexts: readonly Context[];

  constructor(seed: string, { activities, contexts, limit, exploration }: World) {
    const random = SeededRandom.of(seed);
    const tastes = TRAVEL_TYPES.map(() => Array.from({ length: activities }, () => Math.exp(0.8 * normal(random))));
    this.#contexts = Array.from({ length: contexts }, (_, number) => {
      const type = number % TRAVEL_TYPES.length;
      const taste = (id: ActivityId): number => tastes[type]?.[Number(id.slice(1))] ?? 0;
      const isEager = number % EAGER_EVERY === 0;
      const favourite = Math.max(...(tastes[type] ?? []));
      const ranked = bestFirst(
        Array.from({ length: activities }, (__, at) => {
          const id = activityId(`a${at}`);
          return { activityId: id, factors: factorsOf(taste(id), isEager ? null : taste(id) === favourite, random) };
        }),
      );
      const profile = { ...served().profile, travelType: TRAVEL_TYPES[type] ?? 'solo' };
      const travellers = { taste, stayHome: isEager ? 1 : 8 };
      const forced = (first: ActivityId): number => {
        const others = ranked.map((each) => each.activityId).filter((id) => id !== first);
        return chancesOf([first, ...others].slice(0, limit), travellers).reduce((all, one) => all + one, 0);
      };
      return { ranked, answers: answersOf(ranked, { exploration, limit, travellers, profile }), forced };
    });
  }

  /** An answer to a traveller in any of the contexts, and the activity that they visit. */
  next(random: SeededRandom): { readonly facts: ServedFacts; readonly visited: ActivityId | null } {
    const context = this.#contexts[random.below(this.#contexts.length)] as Context;
    let draw = random.below(MILLION);
    const answer = context.answers.find(({ share }) => (draw -= share) < 0) as Answer;
    let fraction = random.fraction();
    const at = answer.chances.findIndex((chance) => (fraction -= chance) < 0);
    return { facts: answer.facts, visited: answer.shown[at] ?? null };
  }

  /** Visits per answer if the target decides who is first, and the rest of the answer is as the service shows it then. */
  visitsPerAnswer(target: TargetModel, groundTruthPower: number): number {
    const values = this.#contexts.map((context) =>
      firstPlaces(rankedBy(target, { ranked: context.ranked, groundTruthPower }), target.exploration).reduce(
        (sum, { activityId: first, probability }) => sum + probability * valueOf(context, first),
        0,
      ),
    );
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  }
}

/** The mean number of visits of the answers that show an activity first. */
function valueOf({ answers, forced }: Context, first: ActivityId): number {
  const possible = answers.filter(({ shown }) => shown[0] === first);
  const share = possible.reduce((sum, each) => sum + each.share, 0);
  const visits = possible.reduce((sum, each) => sum + each.share * each.chances.reduce((all, one) => all + one, 0), 0);
  return share === 0 ? forced(first) : visits / share;
}

type Travellers = {
  readonly taste: (id: ActivityId) => number;
  /** The weight of visiting nothing beside the activities shown. */
  readonly stayHome: number;
};

function chancesOf(shown: readonly ActivityId[], { taste, stayHome }: Travellers): readonly number[] {
  const weights = shown.map((id, at) => attention(at + 1) * taste(id));
  const total = stayHome + weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

type Answering = {
  readonly exploration: number;
  readonly limit: number;
  readonly travellers: Travellers;
  readonly profile: ServedFacts['profile'];
};

function answersOf(
  ranked: readonly Ranked[],
  { exploration, limit, travellers, profile }: Answering,
): readonly Answer[] {
  const share = Math.floor((exploration * MILLION) / ranked.length);
  const best = ranked[0] as Ranked;
  const rivals = share === 0 ? 0 : ranked.filter((each) => each !== best && takesFirst(each, best)).length;
  const answer = (lifted: Ranked | null): Answer => {
    const order = bestFirst(
      ranked.map((each) => (each === lifted ? { ...each, factors: { ...each.factors, groundTruth: 1_000 } } : each)),
    );
    const shown = order.slice(0, limit).map(({ activityId: id }) => id);
    const place = order.findIndex(({ activityId: id }) => id === lifted?.activityId) + 1;
    const isRival = lifted !== null && lifted !== best && place === 1;
    const logged = {
      propensity: isRival ? share : MILLION - rivals * share,
      ...(lifted === null ? {} : { lifted: { place, groundTruth: lifted.factors.groundTruth } }),
    };
    const columns = toColumns(
      TODAY,
      order.map((each) => ({ ...each, date: TODAY })),
    );
    return {
      facts: Object.assign(served({ model: MODEL, profile, ranked: columns, shown: shown.length }), logged),
      shown,
      share: lifted === null ? MILLION - ranked.length * share : share,
      chances: chancesOf(shown, travellers),
    };
  };
  return share === 0 ? [answer(null)] : [answer(null), ...ranked.map(answer)];
}

/**
 * The service knows the taste with an error.
 *
 * @param isFavourite what the profile says; null if it says nothing
 */
function factorsOf(taste: number, isFavourite: boolean | null, random: SeededRandom): Factors {
  const learnt = taste * Math.exp(0.3 * normal(random));
  return {
    profile: isFavourite === null ? 500 + 250 * random.below(2) : isFavourite ? 1_000 : 500,
    groundTruth: perMille(learnt / (learnt + 1)),
    weather: 400 + random.below(401),
    time: 400 + random.below(401),
    price: 400 + random.below(401),
  };
}

/** Normally distributed (Box and Muller 1958). */
function normal(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
}
