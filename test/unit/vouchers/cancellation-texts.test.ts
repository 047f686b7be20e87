import { expect, test } from 'bun:test';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { cancellationText } from '../../../src/vouchers/cancellation-texts.ts';

test('a policy is one sentence in English', () => {
  const english = (freeUntilHours: number, percentKept: number) =>
    cancellationText({ freeUntilHours, percentKept }, 'en');
  expect(english(24, 0)).toBe('Cancellation is free.');
  expect(english(1, 50)).toBe(
    'Free cancellation until 1 hour before opening on the date; after that 50% of the price is kept.',
  );
  expect(english(0, 100)).toBe('Free cancellation until opening on the date; after that nothing is refunded.');
});

test.each(LANGUAGES.map((language) => [language]))('in %s it names its hours and its percentage', (language) => {
  const text = cancellationText({ freeUntilHours: 36, percentKept: 45 }, language);
  expect([text.match(/36/g)?.length, text.match(/45/g)?.length]).toEqual([1, 1]);
  const nothing = cancellationText({ freeUntilHours: 0, percentKept: 100 }, language);
  expect(nothing).not.toMatch(/\d|  /);
  expect(cancellationText({ freeUntilHours: 36, percentKept: 0 }, language)).not.toMatch(/\d/);
});
