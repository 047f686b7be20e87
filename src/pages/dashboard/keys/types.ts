import type { Api, DataFrom } from '../answers.ts';

type ByKey = ReturnType<Api['keys']>;

export type OneKey = DataFrom<ByKey['get']>;
export type ListedKey = DataFrom<Api['keys']['get']>['items'][number];
export type CreatedKey = DataFrom<Api['keys']['post']>;
export type OwnKey = DataFrom<Api['keys']['self']['get']>;
