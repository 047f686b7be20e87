import type { Area } from './area.ts';
import { BOOKINGS } from './bookings/area.tsx';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [BOOKINGS];
