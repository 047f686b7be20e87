import type { Area } from '../area.ts';
import { OperatorsPage } from './operators.tsx';

export const OPERATORS: Area = {
  title: 'Operators',
  summary: 'Who runs the service, with a token and a role of their own.',
  pages: [{ path: '/operators', title: 'Operators', needs: 'list_operators', Component: OperatorsPage, listed: true }],
};
