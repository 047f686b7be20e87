import type { Api, DataFrom } from '../answers.ts';

export type DeviceDay = DataFrom<Api['devices']['get']>['items'][number];
export type Device = DataFrom<ReturnType<Api['venues']>['devices']['get']>['items'][number];
export type CreatedDevice = DataFrom<ReturnType<Api['venues']>['devices']['post']>;
export type VoidedVisit = DataFrom<Api['visits']['void']['get']>['items'][number];
