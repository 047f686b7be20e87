import type { Area } from '../area.ts';
import { ExperimentPage } from './experiment.tsx';
import { ExperimentsPage } from './experiments.tsx';

export const EXPERIMENTS: Area = {
  title: 'Experiments',
  summary: 'Two ranking models side by side, with a stop rule.',
  pages: [
    {
      path: '/experiments',
      title: 'Experiments',
      needs: 'list_experiments',
      Component: ExperimentsPage,
      listed: true,
    },
    {
      path: '/experiments/:id',
      title: 'Experiment',
      needs: 'get_experiment',
      Component: ExperimentPage,
      listed: false,
    },
  ],
};
