import type { Area } from './area.ts';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [];
