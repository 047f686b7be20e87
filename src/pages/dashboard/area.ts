import type { ComponentType } from 'preact';

/** One page of the dashboard. */
export type AreaPage = {
  /** Under `/dashboard`, with parameters as `:id`. The component gets them as `params` of `useRoute()`. */
  readonly path: string;
  readonly title: string;
  /** `operationId`: only a session that may call this operation sees and opens the page. */
  readonly needs: string;
  readonly Component: ComponentType;
  /** Whether the navigation lists it: a page with parameters is reached from another page. */
  readonly listed: boolean;
};

/** Pages about one thing, under one heading of the navigation. */
export type Area = {
  readonly title: string;
  /** One sentence for the start page. */
  readonly summary: string;
  readonly pages: readonly AreaPage[];
};
