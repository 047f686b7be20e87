import type { Area } from '../area.ts';
import { FunnelPage } from './funnel.tsx';
import { RevenuePage } from './revenue.tsx';
import { VisitsPage } from './visits.tsx';

export const REPORTS: Area = {
  title: 'Reports',
  summary: 'What travellers were shown, booked, paid and really visited.',
  pages: [
    { path: '/reports/visits', title: 'Visits', needs: 'visits', Component: VisitsPage, listed: true },
    { path: '/reports/funnel', title: 'Funnel', needs: 'conversions', Component: FunnelPage, listed: true },
    { path: '/reports/revenue', title: 'Revenue and refunds', needs: 'revenue', Component: RevenuePage, listed: true },
  ],
};
