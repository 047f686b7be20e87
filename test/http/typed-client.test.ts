import { afterAll, beforeAll, expect, test } from 'bun:test';
import { treaty } from '@elysiajs/eden';
import type { LoggedStatus } from '../../projections/deliveries/query.ts';
import type { TravelType } from '../../src/domain/activity/vocabulary.ts';
import type { Plan } from '../../src/domain/apikey/apikey.ts';
import type { WebhookEvent } from '../../src/domain/delivery/delivery.ts';
import { type App, createApp } from '../../src/http/app.ts';
import { A_HOLD } from '../support/holds.ts';
import { AN_ASKER, openService, type Service, TODAY, TOMORROW } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** The type of the hold routes as a client of the API sees them. */
type Holds = ReturnType<typeof treaty<App>>['api']['b2a']['holds'];
type HoldRequest = Parameters<Holds['post']>[0];
type Held = NonNullable<Awaited<ReturnType<Holds['post']>>['data']>['data'];
type Released = NonNullable<Awaited<ReturnType<ReturnType<Holds>['delete']>>['data']>['data'];

/** The types of key and webhook routes. */
type Keys = ReturnType<typeof treaty<App>>['api']['keys'];
type KeyRequest = Parameters<Keys['post']>[0];
type KeyChange = NonNullable<Parameters<ReturnType<Keys>['patch']>[0]>;
type Deliveries = ReturnType<typeof treaty<App>>['api']['webhooks']['deliveries'];
type DeliveriesQuery = NonNullable<NonNullable<Parameters<Deliveries['get']>[0]>['query']>;

type Same<A, B> = [A, B] extends [B, A] ? true : false;

test('a client made of the type of the app has typed requests and answers of the hold routes', async () => {
  const types: {
    readonly requiredField: Same<HoldRequest['num_adults'], number>;
    readonly withoutIt: { activity_id: string; booking_date: string } extends HoldRequest ? true : false;
    readonly optionalField: Same<HoldRequest['num_children'], number | undefined>;
    readonly status: Same<Held['status'], 'open' | 'used' | 'released' | 'expired'>;
    readonly total: Same<Held['pricing']['total'], number>;
    readonly released: Same<Released['status'], 'released'>;
  } = { requiredField: true, withoutIt: false, optionalField: true, status: true, total: true, released: true };
  // The compiler decides: a wrong type does not assign.
  expect(Object.values(types)).toHaveLength(6);

  const { holds } = treaty<App>(createApp(service.node.context)).api.b2a;
  const options = { headers: service.key };
  const made = await holds.post(A_HOLD, options);
  const id = made.data?.data.hold_id ?? '';
  expect((await holds({ hold_id: id }).get(options)).data?.data).toMatchObject({ hold_id: id, status: 'open' });
  expect((await holds({ hold_id: id }).delete({}, options)).data?.data).toEqual({ hold_id: id, status: 'released' });

  const refused = await holds.post({ ...A_HOLD, num_adults: 0 }, options);
  const { status, value } = refused.error ?? {};
  expect<readonly unknown[]>([status, value?.code]).toEqual([400, 'INVALID_REQUEST']);
});

test('fields with a choice of values have these values as their type, and clearable fields also null', () => {
  const types: {
    readonly plan: Same<KeyRequest['plan'], Plan | undefined>;
    readonly events: Same<KeyRequest['webhook_events'], WebhookEvent[] | undefined>;
    readonly cleared: Same<KeyChange['webhook_events'], WebhookEvent[] | null | undefined>;
    readonly status: Same<DeliveriesQuery['status'], LoggedStatus | undefined>;
  } = { plan: true, events: true, cleared: true, status: true };
  // The compiler decides: a wrong type does not assign.
  expect(Object.values(types)).toHaveLength(4);
});

type Agents = ReturnType<typeof treaty<App>>['api']['b2a'];
type RecommendBody = Parameters<Agents['recommend']['post']>[0];
type Recommendation = NonNullable<
  Awaited<ReturnType<Agents['recommend']['post']>>['data']
>['data']['recommendations'][number];
type InventoryQuery = NonNullable<NonNullable<Parameters<Agents['inventory']['get']>[0]>['query']>;
type Item = NonNullable<Awaited<ReturnType<Agents['inventory']['get']>>['data']>['data']['inventory'][number];

test('a client made of the type of the app has typed requests and answers of recommend and inventory', async () => {
  const types: {
    readonly nested: Same<RecommendBody['user_profile']['travel_type'], TravelType>;
    readonly withoutLocation: { user_profile: { travel_type: 'solo' } } extends RecommendBody ? true : false;
    readonly optionalNested: Same<RecommendBody['location']['lat'], number | undefined>;
    readonly score: Same<Recommendation['score_breakdown']['weather'], number>;
    readonly parameter: Same<InventoryQuery['flash_deals_only'], boolean | undefined>;
    readonly answered: Same<Item['original_price'], number | undefined>;
  } = { nested: true, withoutLocation: false, optionalNested: true, score: true, parameter: true, answered: true };
  expect(Object.values(types)).toHaveLength(6);

  const { recommend, inventory } = treaty<App>(createApp(service.node.context), { parseDate: false }).api.b2a;
  const asked = { ...AN_ASKER, user_profile: { travel_type: 'couple' as const } };
  const found = await recommend.post(asked, { headers: service.key });
  expect(found.data?.data.recommendations[0]?.available_date).toBe(TODAY);
  const query = { city: 'Bangkok', date: TOMORROW, limit: 1, flash_deals_only: false };
  const listed = await inventory.get({ query, headers: service.key });
  expect(listed.data?.data.metadata.query_date).toBe(TOMORROW);
});

type Agent = ReturnType<typeof treaty<App>>['api']['b2a'];
type BookingRequest = Parameters<Agent['execute_booking']['post']>[0];
type Modification = NonNullable<Parameters<ReturnType<Agent['bookings']>['modify']['post']>[0]>;
type Answered = NonNullable<Awaited<ReturnType<ReturnType<Agent['bookings']>['get']>>['data']>['data'];

test('a client made of the type of the app has typed requests and answers of the booking routes', async () => {
  const types: {
    readonly requiredField: Same<BookingRequest['user_email'], string>;
    readonly optionalField: Same<BookingRequest['dry_run'], boolean | undefined>;
    readonly clearableField: Same<Modification['special_requests'], string | null | undefined>;
    readonly unchangedField: Same<Modification['num_adults'], number | undefined>;
    readonly answeredField: Same<Answered['special_requests'], string | null>;
  } = { requiredField: true, optionalField: true, clearableField: true, unchangedField: true, answeredField: true };
  // The compiler decides: a wrong type does not assign.
  expect(Object.values(types)).toHaveLength(5);

  const { execute_booking: book, bookings } = treaty<App>(createApp(service.node.context)).api.b2a;
  const options = { headers: service.key };
  const guest = { user_name: 'Ada Lovelace', user_email: 'ada@example.com' };
  const made = (await book.post({ ...A_HOLD, ...guest }, options)).data?.data;
  const id = made !== undefined && 'booking_id' in made ? made.booking_id : '';
  const booking = bookings({ booking_id: id });
  expect((await booking.get({ ...options, query: {} })).data?.data).toMatchObject({
    booking_id: id,
    status: 'confirmed',
  });
  const modified = await booking.modify.post({ num_adults: 3 }, options);
  expect(modified.data?.data).toMatchObject({ changes: { num_adults: { to: 3 } } });
});
