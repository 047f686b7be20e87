import { type Answer, dataOf, outcomeOf, positionOf } from './client.ts';
import { eventually } from './patience.ts';
import { at, listAt, numberAt, textAt } from './reading.ts';
import { type Choice, CITY, GUEST, type OwnKey, type Scene } from './scene.ts';
import { Broken, type Seen } from './step.ts';

/** Percent of the relevance score, as the specification gives them. */
const WEIGHTS = { profile: 30, ground_truth: 25, weather: 20, time: 15, price: 10 } as const;
/** A score has two decimals. */
const ROUNDING = 0.005 + 1e-9;
const TRAVELLERS = { travel_type: 'couple', interests: ['dinner', 'cultural'], budget: 'mid', age_group: 'adult' };
/** Time enough to book and to be at the gate before it closes. */
const UNHURRIED_MS = 30 * 60_000;
/** As lists do, recommendations follow within two seconds. */
const LEARNT_WITHIN_MS = 2_000;
/** Bangkok's clocks never change. */
const UTC_OFFSET_MS = 7 * 3_600_000;

/** What was recommended, the best first, as it was answered. */
export type Recommended = {
  readonly logId: string;
  readonly recommendations: readonly unknown[];
};

/** Asks for a couple in Bangkok, and checks that the answer is in order and adds up. */
export async function recommend(key: OwnKey, { ask, steps }: Scene): Promise<Recommended> {
  return steps.run('a recommendation for a couple in Bangkok', async (seen) => {
    const answer = await askRecommend(key, {}, ask);
    const data = dataOf('recommend', answer);
    const recommendations = listAt(data, 'recommendations');
    const logId = textAt(data, 'context.log_id');
    const [best] = recommendations;
    if (best === undefined || logId === '') throw new Broken('recommend', 'activities and a log_id', data);
    seen.holds('at most 20 are shown', recommendations.length <= 20, recommendations.length);
    for (const activity of recommendations) checkActivity(activity, seen);
    const scores = recommendations.map((activity) => numberAt(activity, 'relevance_score'));
    seen.holds('the highest score comes first', isDescending(scores), scores);
    for (const summary of ['user_profile_summary', 'environment_summary']) {
      seen.holds(`context.${summary} says something`, textAt(data, `context.${summary}`) !== '', at(data, 'context'));
    }
    seen.fact(
      `${recommendations.length} activities, best ${textAt(best, 'title')} with ${numberAt(best, 'relevance_score')}`,
    );
    seen.fact(logId);
    return { logId, recommendations };
  });
}

/**
 * What to book of what was recommended: an activity that can be entered today, so that the visit can be played too; of
 * those the one whose visits are least known, so that one visit shows. At an hour when nothing opens any more, the best
 * recommended for a later day.
 */
export async function choose({ recommendations }: Recommended, key: OwnKey, scene: Scene): Promise<Choice> {
  const { ask, steps, clock } = scene;
  return steps.run('the inventory says what is free today', async (seen) => {
    const path = `/api/b2a/inventory?city=${CITY}&limit=50&min_slots=${GUEST.adults}`;
    const answer = await ask({ path, as: key.credential });
    const nothing = outcomeOf(answer) === '404 NO_INVENTORY';
    const items = nothing ? [] : listAt(dataOf('inventory', answer), 'inventory');
    const today = textAt(answer.body, 'data.metadata.query_date') || localDate(clock.nowMs());
    const counted = nothing || numberAt(answer.body, 'data.metadata.total_results') >= items.length;
    seen.holds('metadata counts all that is listed', counted, at(answer.body, 'data.metadata'));
    const open = recommendations.flatMap((activity) => {
      const item = items.find((candidate) => textAt(candidate, 'activity_id') === textAt(activity, 'id'));
      if (item === undefined || textAt(activity, 'available_date') !== today || !isInstant(activity)) return [];
      return [{ activity, item, leftMs: closingMs(today, textAt(item, 'operating_hours')) - clock.nowMs() }];
    });
    const unhurried = open.filter(({ leftMs }) => leftMs >= UNHURRIED_MS);
    const [pick] =
      unhurried.length > 0 ? unhurried.toSorted(leastVisited) : open.toSorted((a, b) => b.leftMs - a.leftMs);
    const later = (activity: unknown): boolean => textAt(activity, 'available_date') > today && isInstant(activity);
    const chosen = pick?.activity ?? recommendations.find(later);
    if (chosen === undefined) throw new Broken('the city', `something to book on ${today} or later`, answer.body);
    const choice: Choice = {
      activityId: textAt(chosen, 'id'),
      title: textAt(chosen, 'title'),
      venueId: textAt(chosen, 'venue_id'),
      date: textAt(chosen, 'available_date'),
      price: numberAt(chosen, 'price'),
      currency: textAt(chosen, 'currency'),
      today: pick !== undefined,
      freeSlots: pick === undefined ? Number.NaN : numberAt(pick.item, 'available_slots'),
      groundTruth: groundTruthOf(chosen),
    };
    if (pick !== undefined) seen.matches('its price', pick.item, { price: choice.price, currency: choice.currency });
    seen.fact(`${items.length} bookable on ${today}`);
    seen.fact(`${choice.title} on ${choice.date}${choice.today ? `, ${choice.freeSlots} free` : ''}`);
    return choice;
  });
}

/** After the visit, somebody alike is recommended it more warmly. */
export async function recommendAgain(
  { activityId, title, groundTruth }: Choice,
  key: OwnKey,
  visited: Answer,
  { ask, steps, clock }: Scene,
): Promise<void> {
  await steps.run('the visit counts for travellers alike', async (seen) => {
    const look = async (): Promise<number> => {
      const data = dataOf('recommend', await askRecommend(key, positionOf(visited), ask));
      const again = listAt(data, 'recommendations').find((activity) => textAt(activity, 'id') === activityId);
      if (again === undefined) throw new Broken('recommend', `${activityId} again`, listAt(data, 'recommendations'));
      return groundTruthOf(again);
    };
    // A factor near 1 stands for very many visits: one more does not show in thousandths.
    const rose = (factor: number): boolean => factor > groundTruth || (groundTruth > 0.9 && factor === groundTruth);
    const now = await eventually(look, rose, LEARNT_WITHIN_MS, clock);
    seen.holds(`the ground truth of ${activityId} is above ${groundTruth}`, rose(now), now);
    seen.fact(`ground truth of ${title}: ${groundTruth}, now ${now}`);
  });
}

function askRecommend(key: OwnKey, headers: Readonly<Record<string, string>>, ask: Scene['ask']): Promise<Answer> {
  const body = { user_profile: TRAVELLERS, location: { city: CITY }, limit: 20 };
  return ask({ method: 'POST', path: '/api/b2a/recommend', as: key.credential, headers, body });
}

function checkActivity(activity: unknown, seen: Seen): void {
  const id = textAt(activity, 'id');
  for (const field of ['id', 'title', 'description', 'category', 'currency', 'recommendation_reason', 'venue_id']) {
    seen.holds(`${id || 'an activity'} has a ${field}`, textAt(activity, field) !== '', at(activity, field));
  }
  seen.holds(`${id} has a price above 0`, numberAt(activity, 'price') > 0, at(activity, 'price'));
  const factors = Object.entries(WEIGHTS).map(([name, weight]) => ({
    weight,
    factor: numberAt(activity, `score_breakdown.${name}`),
  }));
  seen.holds(
    `each factor of ${id} is from 0 to 1`,
    factors.every(({ factor }) => factor >= 0 && factor <= 1),
    at(activity, 'score_breakdown'),
  );
  const sum = factors.reduce((score, { weight, factor }) => score + weight * factor, 0);
  const score = numberAt(activity, 'relevance_score');
  seen.holds(
    `the score of ${id} is ${sum.toFixed(2)}, what its factors weigh`,
    Math.abs(score - sum) <= ROUNDING,
    score,
  );
}

function isDescending(scores: readonly number[]): boolean {
  return scores.every((score, place) => place === 0 || score <= (scores[place - 1] ?? score));
}

type Open = { readonly activity: unknown; readonly leftMs: number };

function leastVisited(one: Open, other: Open): number {
  return groundTruthOf(one.activity) - groundTruthOf(other.activity) || other.leftMs - one.leftMs;
}

function groundTruthOf(activity: unknown): number {
  return numberAt(activity, 'score_breakdown.ground_truth');
}

/** What a venue confirms on request has no voucher yet, which the rest is about. */
function isInstant(activity: unknown): boolean {
  return textAt(activity, 'confirmation') === 'instant';
}

function localDate(atMs: number): string {
  return new Date(atMs + UTC_OFFSET_MS).toISOString().slice(0, 10);
}

/** The end of opening hours as the inventory writes them, `17:00-01:00`: past midnight where it is not after the start. */
function closingMs(date: string, hours: string): number {
  const [open = '', close = ''] = hours.split('-');
  const closesMs = Date.parse(`${date}T${close}:00Z`) - UTC_OFFSET_MS;
  return close > open ? closesMs : closesMs + 86_400_000;
}
