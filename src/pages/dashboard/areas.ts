import type { Area } from './area.ts';
import { DEVICES } from './devices/area.tsx';
import { EXPERIMENTS } from './experiments/area.tsx';
import { LEARNING } from './learning/area.tsx';
import { OPERATORS } from './operators/area.tsx';
import { REPORTS } from './reports/area.tsx';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [REPORTS, DEVICES, LEARNING, EXPERIMENTS, OPERATORS];
