import type { Area } from '../area.ts';
import { ExclusionsPage } from './exclusions.tsx';

export const LEARNING: Area = {
  title: 'Learning',
  summary: 'What the ranking does not learn from, and what that changed.',
  pages: [
    {
      path: '/learning/exclusions',
      title: 'Exclusions from learning',
      needs: 'list_exclusions',
      Component: ExclusionsPage,
      listed: true,
    },
  ],
};
