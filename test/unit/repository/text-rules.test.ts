import { expect, test } from 'bun:test';
import { PRIVATE_WORDS } from '../../private-words.ts';
import { checkText } from '../../text-rules.ts';

// The name is put together here, so that this file itself breaks no rule.
const DISABLE = ['oxlint', 'disable-next-line no-console'].join('-');
const CLOCK = ':1 reads the clock: the time comes in with the command';
const IMPORT = ':1 imports a module in a form that the table of imports does not cover';
const LINES = 'export const line = 1;\n';

type Text = readonly [path: string, text: string];

test.each<[fault: string, found: Text, near: Text]>([
  [
    ':1 suppresses a rule without a reason: add " -- " and the reason',
    ['test/a.ts', `// ${DISABLE}`],
    ['test/a.ts', `// ${DISABLE} -- a program reports to its terminal`],
  ],
  [CLOCK, ['src/domain/a.ts', 'const at = new Date();'], ['src/domain/a.ts', 'const at = new Date(nowMs);']],
  [CLOCK, ['src/domain/a.ts', 'const at = new Date;'], ['src/domain/a.ts', 'const at = newDate;']],
  [CLOCK, ['projections/a/projection.ts', 'new Date( )'], ['projections/a/query.ts', 'new Date( )']],
  [IMPORT, ['src/a.ts', 'import(`./b.ts`)'], ['src/a.ts', "import('./b.ts')"]],
  [IMPORT, ['src/a.ts', "import.meta.resolve('./b.ts')"], ['src/a.ts', 'import.meta.main']],
  [IMPORT, ['src/a.ts', "import.meta.require('./b.ts')"], ['test/a.ts', "import.meta.require('./b.ts')"]],
  [
    IMPORT,
    ['src/a.ts', "new URL('../b.ts', import.meta.url)"],
    ['src/a.ts', "new URL('./b.ts', import.meta.url); new URL('../b', origin)"],
  ],
  [': the name says nothing', ['src/string-utils.ts', ''], ['src/utilisation.ts', '']],
  [': the name says nothing', ['docs/common/a.png', ''], ['docs/uncommon/a.png', '']],
  [' has no test', ['test/a.test.ts', "import './a.ts';"], ['test/a.test.ts', "import './a.suite.ts';"]],
  [' has 10001 bytes, of at most 10000', ['README.md', 'a'.repeat(10_001)], ['README.md', 'a'.repeat(10_000)]],
  [' has 301 lines, of at most 300', ['.ci/a.sh', LINES.repeat(301)], ['.ci/a.sh', LINES.repeat(300)]],
])('the fault "%s" is found, and a near text is not', (fault, found, near) => {
  expect(faultsIn(...found)).toEqual([`${found[0]}${fault}`]);
  expect(faultsIn(...near)).toEqual([]);
});

const NAME = wordOf(/^[A-Z]\w+$/);
const PHRASE = wordOf(/ /);

test.each<[word: string, text: string, found: boolean]>([
  [NAME, `(${NAME})`, true],
  [NAME, `${NAME}s`, false],
  [NAME, NAME.toLowerCase(), false],
  [PHRASE, PHRASE.toUpperCase(), true],
  [PHRASE, PHRASE.replace(' ', '\n * '), true],
  [PHRASE, PHRASE.replace(' ', ', '), false],
])('the private word "%s" in %j: %p', (word, text, found) => {
  const faults = faultsIn('docs/a.md', text);
  expect(faults.some((fault) => fault.startsWith(`"${word}" is used 1 times, at most 0`))).toBe(found);
});

/** A word that is forbidden: written here, it would be one use too many. */
function wordOf(pattern: RegExp): string {
  const [word] = PRIVATE_WORDS.find(([each, , allowed]) => allowed === 0 && pattern.test(each)) ?? [];
  if (word === undefined) throw new Error(`no forbidden word matches ${pattern}`);
  return word;
}

function faultsIn(path: string, text: string): readonly string[] {
  return checkText([path], () => text).faults;
}
