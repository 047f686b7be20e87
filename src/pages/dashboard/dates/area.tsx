import type { Area } from '../area.ts';
import { CancelDatePage } from './cancel-date.tsx';
import { ChooseDatePage } from './choose-date.tsx';

export const DATES: Area = {
  title: 'Dates',
  summary: 'Cancel all bookings of an activity on one date, for instance before a storm.',
  pages: [
    { path: '/dates', title: 'Cancel a date', needs: 'get_date_cancellation', Component: ChooseDatePage, listed: true },
    {
      path: '/dates/:activity_id/:date/cancel',
      title: 'Cancel a date',
      needs: 'get_date_cancellation',
      Component: CancelDatePage,
      listed: false,
    },
  ],
};
