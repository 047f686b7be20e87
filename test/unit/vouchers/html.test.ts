import { expect, test } from 'bun:test';
import { html, markup } from '../../../src/vouchers/html.ts';

test('a text in a template is escaped, in content and in a quoted attribute', () => {
  const text = `<b title="a" class='b'>&amp;`;
  const escaped = '&lt;b title=&quot;a&quot; class=&#39;b&#39;&gt;&amp;amp;';
  expect(html`<p title="${text}">${text}</p>`.toString()).toBe(`<p title="${escaped}">${escaped}</p>`);
});

test('markup in a template stays markup, alone or in a row', () => {
  const items = ['1 < 2', 'b'].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}</ul>${markup('<hr>')}`.toString()).toBe('<ul><li>1 &lt; 2</li><li>b</li></ul><hr>');
});

test('a number stands as it is, and nothing for an empty row', () => {
  expect(html`${0}${[]}!`.toString()).toBe('0!');
});
