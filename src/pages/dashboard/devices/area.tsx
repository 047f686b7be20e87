import type { Area } from '../area.ts';
import { PatternsPage } from './patterns.tsx';
import { VenuePage } from './venue.tsx';
import { VoidedPage } from './voided.tsx';

export const DEVICES: Area = {
  title: 'Gate devices',
  summary: 'The devices of a venue, days with unusual patterns, and visits that were taken back.',
  pages: [
    {
      path: '/devices/days',
      title: 'Unusual days',
      needs: 'list_device_days',
      Component: PatternsPage,
      listed: true,
    },
    { path: '/devices/venue', title: 'Devices of a venue', needs: 'list_devices', Component: VenuePage, listed: true },
    {
      path: '/devices/voided',
      title: 'Voided visits',
      needs: 'list_voided_visits',
      Component: VoidedPage,
      listed: true,
    },
  ],
};
