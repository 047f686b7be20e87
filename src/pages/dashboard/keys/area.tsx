import type { Area } from '../area.ts';
import { KeyPage } from './key.tsx';
import { KeysPage } from './list.tsx';

export const KEYS: Area = {
  title: 'Keys',
  summary: 'The API keys of agents: their plans, limits and use, and their secrets.',
  pages: [
    { path: '/keys', title: 'API keys', needs: 'list_keys', Component: KeysPage, listed: true },
    { path: '/keys/:id', title: 'API key', needs: 'get_key', Component: KeyPage, listed: false },
  ],
};
