import { type Static, Type } from 'typebox';
import type { CancellationPolicy } from '../domain/activity/activity.ts';
import type { Language } from '../domain/activity/vocabulary.ts';
import { cancellationText } from '../vouchers/cancellation-texts.ts';

export const CANCELLATION_POLICY = Type.Object(
  {
    free_until_hours: Type.Integer({
      minimum: 0,
      description: 'Cancellation is free until this many hours before opening on the date.',
    }),
    percent_kept: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percentage of the price that is kept after that.',
    }),
    text: Type.String({ description: 'The policy in one sentence.' }),
  },
  { $id: 'CancellationPolicy' },
);

export const POLICY_EXAMPLE = {
  free_until_hours: 24,
  percent_kept: 50,
  text: 'Free cancellation until 24 hours before opening on the date; after that 50% of the price is kept.',
};

type PresentedPolicy = Static<typeof CANCELLATION_POLICY>;

/** Policies are objects of the catalogue, and each recommendation shows several. */
const presented = new WeakMap<CancellationPolicy, Map<Language, PresentedPolicy>>();

/** The cancellation policy of the public contract. */
export function presentPolicy(policy: CancellationPolicy, language: Language): PresentedPolicy {
  const known = presented.get(policy) ?? new Map<Language, PresentedPolicy>();
  const policyIn = known.get(language) ?? {
    free_until_hours: policy.freeUntilHours,
    percent_kept: policy.percentKept,
    text: cancellationText(policy, language),
  };
  presented.set(policy, known.set(language, policyIn));
  return policyIn;
}
