import { expect, test } from 'bun:test';
import { html, markup } from '../../../src/vouchers/html.ts';

test('a template escapes text in content and in quoted attributes', () => {
  const text = `<b title="a" class='b'>&amp;`;
  const escaped = '&lt;b title=&quot;a&quot; class=&#39;b&#39;&gt;&amp;amp;';
  expect(html`<p title="${text}">${text}</p>`.toString()).toBe(`<p title="${escaped}">${escaped}</p>`);
});

test('a template does not escape markup or lists of markup', () => {
  const items = ['1 < 2', 'b'].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}</ul>${markup('<hr>')}`.toString()).toBe('<ul><li>1 &lt; 2</li><li>b</li></ul><hr>');
});

test('a template prints numbers, and nothing for an empty list', () => {
  expect(html`${0}${[]}!`.toString()).toBe('0!');
});
