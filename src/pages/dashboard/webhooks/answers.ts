import type { Api, DataFrom } from '../answers.ts';

export type Delivery = DataFrom<Api['webhooks']['deliveries']['get']>['items'][number];
export type Attempt = Delivery['attempts'][number];
export type Receiver = DataFrom<Api['webhooks']['receivers']['get']>['items'][number];
export type TestResult = DataFrom<Api['webhooks']['test']['post']>;
export type EventName = Delivery['event'];
