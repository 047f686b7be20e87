import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODECS } from '../../../src/domain/codecs.ts';
import { liveCategoryOf } from '../../../src/domain/test-streams.ts';
import type { Codec, Encoded } from '../../../src/eventsourcing/codec.ts';
import type { DomainEvent } from '../../../src/eventsourcing/message.ts';
import { checkpointCodec } from '../../../src/runtime/low-water-checkpoint.ts';
import { STORED_EVENTS } from './stored-events.ts';
import { STORED_OPTIONAL_MEMBERS } from './stored-optional-members.ts';

const GOLDEN = join(import.meta.dir, 'golden');
const SUMS = 'SHA256SUMS';

/** One version of one event type, as `BookingConfirmed.v1` names it in the store and in `golden/`. */
type Version = {
  readonly codec: Codec<DomainEvent>;
  readonly name: string;
  readonly present: boolean;
};

/** Test streams have the events of live ones. */
const LIVE = CODECS.filter(({ category }) => liveCategoryOf(category) === category);

const VERSIONS: readonly Version[] = [...LIVE, checkpointCodec].flatMap((codec) =>
  Object.entries(codec.versions).flatMap(([type, present]) =>
    Array.from({ length: present }, (_, index) => ({
      codec,
      name: `${type}.v${index + 1}`,
      present: index + 1 === present,
    })),
  ),
);

/** Events with optional members; `name` is that of the golden file. */
const WITH_OPTIONAL_MEMBERS = Object.entries(STORED_OPTIONAL_MEMBERS).flatMap(([category, events]) =>
  Object.entries(events).map(([name, event]) => ({
    name,
    event,
    codec: LIVE.find((each) => each.category === category),
  })),
);

function golden(name: string): Encoded {
  return JSON.parse(readFileSync(join(GOLDEN, `${name}.json`), 'utf8')) as Encoded;
}

/** The event that the golden file of a version decodes to. */
function meaning({ codec, name }: Version): DomainEvent {
  const event = STORED_EVENTS[codec.category]?.[name];
  if (event === undefined) throw new Error(`stored-events.ts has no entry for ${name}`);
  return event;
}

describe('every event ever stored can be read', () => {
  test('there are versions, with unique names', () => {
    expect(VERSIONS.length).toBeGreaterThan(10);
    expect(VERSIONS.map(({ name }) => name)).toEqual([...new Set(VERSIONS.map(({ name }) => name))]);
  });

  test('test streams have the same events and versions as live ones', () => {
    const versionsOf = new Map(CODECS.map(({ category, versions }) => [category, versions]));
    const ofTests = CODECS.filter((codec) => !LIVE.includes(codec)).map(({ category }) => category);
    expect(ofTests).toEqual(['allotmenttest', 'bookingtest', 'holdtest', 'recommendationtest']);
    for (const category of ofTests) expect(versionsOf.get(category)).toEqual(versionsOf.get(liveCategoryOf(category)));
  });

  test('each event type and version has one golden file, and no file lacks a codec', () => {
    const files = readdirSync(GOLDEN).filter((file) => file !== SUMS);
    const names = [...VERSIONS, ...WITH_OPTIONAL_MEMBERS].map(({ name }) => `${name}.json`);
    expect(files.sort()).toEqual(names.sort());
  });

  test('each has a decoded form, and no form lacks a codec', () => {
    const known = Map.groupBy(VERSIONS, ({ codec }) => codec.category);
    const names = Object.entries(STORED_EVENTS).map(([category, events]) => [category, Object.keys(events).sort()]);
    expect(Object.fromEntries(names)).toEqual(
      Object.fromEntries([...known].map(([category, versions]) => [category, versions.map(({ name }) => name).sort()])),
    );
  });

  test.each(VERSIONS.map((version) => [version.name, version] as const))('%s is decoded as before', (name, version) => {
    expect(version.codec.decode(golden(name))).toStrictEqual(meaning(version));
  });

  test.each(VERSIONS.filter(({ present }) => present).map((version) => [version.name, version] as const))(
    '%s is encoded as in its golden file',
    (name, version) => {
      const encoded = version.codec.encode(meaning(version));
      expect(JSON.parse(JSON.stringify(encoded))).toStrictEqual(golden(name));
    },
  );
});

test.each(WITH_OPTIONAL_MEMBERS.map((each) => [each.name, each] as const))(
  '%s keeps its optional member when it is decoded and encoded',
  (name, { event, codec }) => {
    expect(codec?.decode(golden(name))).toStrictEqual(event);
    const encoded: unknown = codec?.encode(event);
    expect(JSON.parse(JSON.stringify(encoded))).toStrictEqual(golden(name));
  },
);

test('no golden file was edited: a changed event gets a new version and a new file', () => {
  const files = readdirSync(GOLDEN).filter((file) => file !== SUMS);
  const sums = files.sort().map((file) => {
    const bytes = readFileSync(join(GOLDEN, file));
    return `${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}  ${file}\n`;
  });
  expect(readFileSync(join(GOLDEN, SUMS), 'utf8')).toBe(sums.join(''));
});
