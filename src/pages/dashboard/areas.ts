import type { Area } from './area.ts';
import { operations } from './operations/area.tsx';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [operations];
