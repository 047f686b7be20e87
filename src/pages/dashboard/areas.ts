import { ACCOUNT } from './account/area.tsx';
import type { Area } from './area.ts';
import { BOOKINGS } from './bookings/area.tsx';
import { CATALOGUE } from './catalogue/area.tsx';
import { DATES } from './dates/area.tsx';
import { DEVICES } from './devices/area.tsx';
import { EXPERIMENTS } from './experiments/area.tsx';
import { KEYS } from './keys/area.tsx';
import { LEARNING } from './learning/area.tsx';
import { OPERATIONS } from './operations/area.tsx';
import { OPERATORS } from './operators/area.tsx';
import { REPORTS } from './reports/area.tsx';
import { WEBHOOKS } from './webhooks/area.tsx';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [
  ACCOUNT,
  BOOKINGS,
  CATALOGUE,
  DATES,
  WEBHOOKS,
  KEYS,
  REPORTS,
  DEVICES,
  LEARNING,
  EXPERIMENTS,
  OPERATIONS,
  OPERATORS,
];
