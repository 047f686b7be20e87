import type { Area } from './area.ts';
import { CATALOGUE } from './catalogue/area.tsx';
import { DATES } from './dates/area.tsx';
import { operations } from './operations/area.tsx';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [CATALOGUE, DATES, operations];
