import type { Area } from './area.ts';
import { WEBHOOKS } from './webhooks/area.tsx';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [WEBHOOKS];
