import type { Area } from '../area.ts';
import { ActivityPage } from './activity.tsx';
import { CalendarPage } from './calendar.tsx';
import { SupplyPage } from './supply.tsx';

export const CATALOGUE: Area = {
  title: 'Catalogue and dates',
  summary: 'What is sold on which date: places, prices and deals, and the entries of the catalogue.',
  pages: [
    { path: '/calendar', title: 'Calendar', needs: 'calendar', Component: CalendarPage, listed: true },
    { path: '/supply', title: 'Supply', needs: 'supply_status', Component: SupplyPage, listed: true },
    {
      path: '/activities/:activity_id',
      title: 'Activity',
      needs: 'get_activity',
      Component: ActivityPage,
      listed: false,
    },
  ],
};
