import type { Area } from '../area.ts';
import { AuditPage } from './audit.tsx';
import { EventsPage } from './events.tsx';
import { NodesPage } from './nodes.tsx';
import { ReadersPage } from './readers.tsx';
import { RecommendationPage } from './recommendation.tsx';
import { StreamPage } from './stream.tsx';

export const OPERATIONS: Area = {
  title: 'Operations',
  summary: 'What the service does with its log, who did what, and why a recommendation has its order.',
  pages: [
    { path: '/readers', title: 'Readers', needs: 'list_readers', Component: ReadersPage, listed: true },
    { path: '/events', title: 'Events', needs: 'browse_events', Component: EventsPage, listed: true },
    { path: '/streams/:stream', title: 'Stream', needs: 'read_stream', Component: StreamPage, listed: false },
    { path: '/nodes', title: 'Nodes', needs: 'list_leases', Component: NodesPage, listed: true },
    { path: '/audit', title: 'Audit', needs: 'list_audit', Component: AuditPage, listed: true },
    {
      path: '/recommendation',
      title: 'Recommendation',
      needs: 'explain_recommendation',
      Component: RecommendationPage,
      listed: true,
    },
  ],
};
