import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';
import { type Client, dataOf, type Headers, outcomeOf } from './client.ts';
import { type AgentContext, type Choice, CITY, GUEST } from './context.ts';
import { listAt, numberAt, textAt } from './json.ts';
import { pollUntil, StepFailed } from './step.ts';

const TRAVELLERS = { travel_type: 'couple', interests: ['dinner', 'cultural'], budget: 'mid', age_group: 'adult' };
/** Preferred time left until the activity closes. */
const PREFERRED_LEFT_MS = 30 * MINUTE_MS;
/** Recommendations follow a visit within two seconds, as lists do. */
const LEARNT_WITHIN_MS = 2_000;
/** Bangkok has no daylight saving time. */
const UTC_OFFSET_MS = 7 * HOUR_MS;

/** The recommended activities, the best first, as in the response. */
export type Recommended = { readonly logId: string; readonly recommendations: readonly unknown[] };

/** Requests recommendations for a couple. */
export async function recommend({ agent, step }: AgentContext): Promise<Recommended> {
  return step('recommendation', async (check) => {
    const data = await requestRecommendations(agent);
    const recommendations = listAt(data, 'recommendations');
    const logId = textAt(data, 'context.log_id');
    const [best] = recommendations;
    if (best === undefined || logId === '') throw new StepFailed('recommend', 'activities and a log_id', data);
    const score = numberAt(best, 'relevance_score');
    check.fact(`${recommendations.length} activities, best ${textAt(best, 'title')} with ${score}`);
    check.fact(logId);
    return { logId, recommendations };
  });
}

/**
 * Chooses the activity to book: one that is open today, so that the check-in can be tested, and of these the one with the
 * lowest ground truth, so that one visit changes it. If nothing is open any more today, the best one of a later date.
 */
export async function choose({ recommendations }: Recommended, { agent, step, clock }: AgentContext): Promise<Choice> {
  return step('inventory of today', async (check) => {
    const answer = await agent.get(`/api/b2a/inventory?city=${CITY}&limit=50&min_slots=${GUEST.adults}`);
    const nothing = outcomeOf(answer) === '404 NO_INVENTORY';
    const items = nothing ? [] : listAt(dataOf(answer), 'inventory');
    const today = textAt(answer.body, 'data.metadata.query_date') || localDate(clock.nowMs());
    const instant = recommendations.filter(isInstant);
    const open = instant.flatMap((activity) => {
      const item = items.find((candidate) => textAt(candidate, 'activity_id') === textAt(activity, 'id'));
      if (item === undefined || textAt(activity, 'available_date') !== today) return [];
      return [{ activity, item, leftMs: closingMs(today, textAt(item, 'operating_hours')) - clock.nowMs() }];
    });
    const preferred = open.filter(({ leftMs }) => leftMs >= PREFERRED_LEFT_MS);
    const [pick] =
      preferred.length > 0 ? preferred.toSorted(leastVisited) : open.toSorted((a, b) => b.leftMs - a.leftMs);
    const chosen = pick?.activity ?? instant.find((activity) => textAt(activity, 'available_date') > today);
    if (chosen === undefined) throw new StepFailed('the city', `something to book on ${today} or later`, answer.body);
    const choice: Choice = {
      activityId: textAt(chosen, 'id'),
      title: textAt(chosen, 'title'),
      venueId: textAt(chosen, 'venue_id'),
      date: textAt(chosen, 'available_date'),
      today: pick !== undefined,
      freeSlots: numberAt(pick?.item, 'available_slots'),
      groundTruth: groundTruthOf(chosen),
    };
    check.fact(`${items.length} bookable on ${today}`);
    check.fact(`${choice.title} on ${choice.date}${choice.today ? `, ${choice.freeSlots} free` : ''}`);
    return choice;
  });
}

/** Checks that the visit raised the activity's ground truth for the same profile. */
export async function recommendAgain(
  { activityId, title, groundTruth }: Choice,
  position: Headers,
  { agent, step, clock }: AgentContext,
): Promise<void> {
  await step('recommendation after the visit', async (check) => {
    const read = async (): Promise<number> => {
      const recommendations = listAt(await requestRecommendations(agent, position), 'recommendations');
      const again = recommendations.find((activity) => textAt(activity, 'id') === activityId);
      if (again === undefined) throw new StepFailed('recommend', `${activityId} again`, recommendations);
      return groundTruthOf(again);
    };
    // A factor near 1 comes from very many visits: one more does not change its three decimals.
    const rose = (factor: number): boolean => factor > groundTruth || (groundTruth > 0.9 && factor === groundTruth);
    const now = await pollUntil(read, rose, LEARNT_WITHIN_MS, clock);
    check.holds(`the ground truth of ${activityId} is above ${groundTruth}`, rose(now), now);
    check.fact(`ground truth of ${title}: ${groundTruth}, now ${now}`);
  });
}

async function requestRecommendations(agent: Client, position: Headers = {}): Promise<unknown> {
  const request = { user_profile: TRAVELLERS, location: { city: CITY }, limit: 20 };
  return dataOf(await agent.post('/api/b2a/recommend', request, position));
}

type Open = { readonly activity: unknown; readonly leftMs: number };

function leastVisited(one: Open, other: Open): number {
  return groundTruthOf(one.activity) - groundTruthOf(other.activity) || other.leftMs - one.leftMs;
}

function groundTruthOf(activity: unknown): number {
  return numberAt(activity, 'score_breakdown.ground_truth');
}

/** A booking on request has no voucher until the venue confirms it, so later steps could not run. */
function isInstant(activity: unknown): boolean {
  return textAt(activity, 'confirmation') === 'instant';
}

function localDate(atMs: number): string {
  return new Date(atMs + UTC_OFFSET_MS).toISOString().slice(0, 10);
}

/** The end of opening hours such as `17:00-01:00`; if it is not after the start, it is on the next day. */
function closingMs(date: string, hours: string): number {
  const [open = '', close = ''] = hours.split('-');
  const closesMs = Date.parse(`${date}T${close}:00Z`) - UTC_OFFSET_MS;
  return close > open ? closesMs : closesMs + DAY_MS;
}
