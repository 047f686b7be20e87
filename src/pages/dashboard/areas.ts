import type { Area } from './area.ts';
import { BOOKINGS } from './bookings/area.tsx';
import { CATALOGUE } from './catalogue/area.tsx';
import { DATES } from './dates/area.tsx';
import { OPERATIONS } from './operations/area.tsx';
import { WEBHOOKS } from './webhooks/area.tsx';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [BOOKINGS, CATALOGUE, DATES, WEBHOOKS, OPERATIONS];
