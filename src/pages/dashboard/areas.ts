import { ACCOUNT } from './account/area.tsx';
import type { Area } from './area.ts';
import { KEYS } from './keys/area.tsx';

/** In the order of the navigation. */
export const AREAS: readonly Area[] = [ACCOUNT, KEYS];
