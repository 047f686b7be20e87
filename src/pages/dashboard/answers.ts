import type { treaty } from '@elysiajs/eden';
import type { App } from '../../http/app.ts';

/** The typed client, as client.ts makes it. */
export type Api = ReturnType<typeof treaty<App>>['api'];

/** The `data` of the answer of an operation of the typed client. */
export type DataFrom<Operation extends (...parameters: never[]) => Promise<{ readonly data: unknown }>> = Extract<
  Awaited<ReturnType<Operation>>['data'],
  { readonly data: unknown }
>['data'];

export type SessionAnswer = DataFrom<Api['sessions']['current']['get']>;
