import type { Category } from '../domain/activity/vocabulary.ts';
import { unreachable } from '../eventsourcing/message.ts';
import { type Canvas, city, fronds, ground, hills, karst, lanterns, palm, volcano, water } from './landscape.ts';
import { hall, type Motif, museum, pagoda, shadows, shophouses, stupa, towers } from './motifs/culture.ts';
import { castle, coaster, frames, slides, wheel } from './motifs/fun.ts';
import {
  bicycle,
  bird,
  butterflies,
  cave,
  elephants,
  giraffes,
  kayak,
  longtail,
  raft,
  trail,
  zipline,
} from './motifs/nature.ts';
import { beachFire, boxing, cocktail, cruise, jazz, stage } from './motifs/shows.ts';
import { bath, bowl, candleTable, cooking, fishPlate, herbs, stones, tea } from './motifs/table.ts';
import { underWater } from './motifs/water-life.ts';
import { at, rect, WIDTH } from './shapes.ts';

/** What lies behind a motif, and whether the motif floats. */
type Place = 'hills' | 'karst' | 'city' | 'volcano' | 'river' | 'sea' | 'room';
type Scene = { readonly motif: Motif | 'underWater' | 'tunnel'; readonly places: readonly Place[] };

const LAND: readonly Place[] = ['hills', 'volcano', 'karst'];
const TOWN: readonly Place[] = ['city', 'hills', 'river'];
const SHORE: readonly Place[] = ['sea', 'karst', 'river'];

/** What an activity's id says about it; the first match counts. */
const BY_WORD: readonly (readonly [RegExp, Scene])[] = [
  [/cooking|cookery/, { motif: cooking, places: ['hills', 'room'] }],
  [/\btea\b|-tea/, { motif: tea, places: ['room', 'hills'] }],
  [/jazz|live-music|live-band|live-night/, { motif: jazz, places: ['room'] }],
  [/muay-thai/, { motif: boxing, places: ['room'] }],
  [/cabaret|ballet|carnival|memories-show|culture-show|opera/, { motif: stage, places: ['room'] }],
  [/puppet|wayang|kecak|ramayana-ballet/, { motif: shadows, places: ['room', 'hills'] }],
  [/cruise|vespa-river/, { motif: cruise, places: ['river', 'city'] }],
  [/rooftop|skybar|cocktail|sky36|horizon|vertigo/, { motif: cocktail, places: ['city'] }],
  [/beach-night|fire-show|last-bar|potato-head/, { motif: beachFire, places: ['sea'] }],
  [/snorkel|dive|wreck/, { motif: 'underWater', places: ['sea'] }],
  [/tunnel$|aquaria|sea-life|underwater-world/, { motif: 'tunnel', places: ['sea'] }],
  [/elephant|safari/, { motif: elephants, places: LAND }],
  [/bird/, { motif: bird, places: LAND }],
  [/entopia|butterfl/, { motif: butterflies, places: LAND }],
  [/kayak|mangrove|canoe/, { motif: kayak, places: ['karst', 'river'] }],
  [/rafting/, { motif: raft, places: ['hills'] }],
  [/longtail|bumboat|boat|fireflies/, { motif: longtail, places: SHORE }],
  [/zipline|canopy|rope-course|skytrex|wire|skybridge|bungy|skywalk|habitat/, { motif: zipline, places: LAND }],
  [/rope-descent|tunnels|cave|climb-half|grotto/, { motif: cave, places: ['hills'] }],
  [/bike|-ride$/, { motif: bicycle, places: ['hills', 'river'] }],
  [/trek|climb|walk$|lava|summit|sunrise/, { motif: trail, places: ['volcano', 'hills'] }],
  [
    /water-park|waterbom|lagoon|ramayana-water|andamanda|jogja-bay|mikazuki|suoi-tien|amazing/,
    { motif: slides, places: ['hills', 'sea'] },
  ],
  [/art-in-paradise|gallery|art-museum|maiiam/, { motif: frames, places: ['room'] }],
  [/ba-na-hills|vinwonders|universal|paradise/, { motif: castle, places: LAND }],
  [/rides/, { motif: wheel, places: ['city'] }],
  [/borobudur|doi-suthep|wat-|temple-of|pagoda|kota/, { motif: stupa, places: LAND }],
  [/prambanan|cham|marble|po-nagar|uluwatu|tirta/, { motif: towers, places: LAND }],
  [/citadel|literature|metropole|heritage|thua|thang-long/, { motif: pagoda, places: TOWN }],
  [/mansion|clan|peranakan|thai-hua|batavia/, { motif: shophouses, places: TOWN }],
  [/museum|palace-audio|gallery|independence/, { motif: museum, places: TOWN }],
  [/seafood|crab|fish|cha-ca/, { motif: fishPlate, places: ['sea', 'river'] }],
  [/bath|mud|hot-stream|springs|onsen|lulur/, { motif: bath, places: ['hills', 'room'] }],
  [/herbal|ginger|oil|tok-sen|aroma/, { motif: herbs, places: ['room', 'hills'] }],
];

const BY_CATEGORY: Readonly<Record<Category, readonly Scene[]>> = {
  cultural: [hall, stupa, pagoda, towers, shophouses].map((motif) => ({ motif, places: LAND })),
  zoo: [elephants, giraffes, bird].map((motif) => ({ motif, places: LAND })),
  aquarium: [
    { motif: 'underWater', places: ['sea'] },
    { motif: 'tunnel', places: ['sea'] },
  ],
  'theme-park': [wheel, coaster, slides, castle].map((motif) => ({ motif, places: ['hills', 'city', 'sea'] })),
  adventure: [trail, zipline, kayak, raft].map((motif) => ({ motif, places: LAND })),
  spa: [stones, bath, herbs].map((motif) => ({ motif, places: ['hills', 'room', 'sea'] })),
  dinner: [bowl, candleTable, fishPlate].map((motif) => ({ motif, places: ['room', 'city', 'sea'] })),
  nightlife: [
    { motif: cocktail, places: ['city'] },
    { motif: stage, places: ['room'] },
    { motif: jazz, places: ['room'] },
  ],
};

/** Motifs that lie on water wherever they are. */
const FLOATING: ReadonlySet<Scene['motif']> = new Set([longtail, kayak, raft, cruise]);

/** Everything below the sky, or the whole picture. `words`: the activity's id; null: of the category alone. */
export function drawScene(canvas: Canvas, category: Category, words: string | null): string {
  const { random } = canvas;
  const named = words === null ? undefined : BY_WORD.find(([word]) => word.test(words))?.[1];
  const { motif, places } =
    named ??
    (words === null
      ? (BY_CATEGORY[category][0] ?? random.pick(BY_CATEGORY[category]))
      : random.pick(BY_CATEGORY[category]));
  if (motif === 'underWater' || motif === 'tunnel') return underWater(canvas, motif === 'tunnel');
  const place = random.pick(places);
  const isAfloat = FLOATING.has(motif);
  const x = random.between(540, 660);
  const scale = random.between(0.98, 1.16);
  const drawn = at(x, isAfloat ? 690 : 700, scale, motif(canvas), !isAfloat && random.between(0, 1) < 0.5);
  if (place === 'room') return room(canvas) + at(600, 716, 1.12, motif(canvas));
  return (
    behind(canvas, place) +
    (isAfloat ? water(canvas, 520) : ground(canvas, 690, floorOf(canvas, place))) +
    drawn +
    before(canvas, place, isAfloat)
  );
}

function behind(canvas: Canvas, place: Exclude<Place, 'room'>): string {
  switch (place) {
    case 'hills':
      return hills(canvas, 540);
    case 'volcano':
      return volcano(canvas, 560);
    case 'karst':
      return karst(canvas, 560) + water(canvas, 560);
    case 'city':
      return city(canvas, 600) + ground(canvas, 640, canvas.palette.near);
    case 'river':
      return city(canvas, 520) + water(canvas, 520);
    case 'sea':
      return hills(canvas, 500) + water(canvas, 500);
    default:
      return unreachable(place);
  }
}

function floorOf({ palette }: Canvas, place: Place): string {
  return place === 'sea' ? palette.second : palette.dark;
}

function before(canvas: Canvas, place: Place, isAfloat: boolean): string {
  const { random, palette } = canvas;
  const side = random.between(0, 1) < 0.5;
  const trees =
    place === 'sea' || place === 'karst'
      ? palm(canvas, side ? 110 : 1090, 740, 1.25) + palm(canvas, side ? 210 : 990, 770, 0.95)
      : '';
  const lamps = palette.isDark && place !== 'sea' ? lanterns(canvas, 40) : '';
  return lamps + trees + (isAfloat ? '' : fronds(canvas, side)) + fronds(canvas, !side);
}

/** A wall with an arched window, and a floor. */
function room(canvas: Canvas): string {
  const { palette } = canvas;
  const view = `<clipPath id="window"><path d="M250 640V330C250 80 950 80 950 330V640Z"/></clipPath>`;
  const outside = `<g clip-path="url(#window)"><rect width="${WIDTH}" height="800" fill="url(#sky)"/>${hills(canvas, 520)}</g>`;
  const border = `<path d="M250 640V330C250 80 950 80 950 330V640Z" fill="none" stroke="${palette.second}" stroke-width="12" opacity=".7"/>`;
  return (
    rect(0, 0, WIDTH, 800, 'url(#wall)') +
    view +
    outside +
    border +
    rect(0, 690, WIDTH, 110, palette.dark) +
    (palette.isDark ? lanterns(canvas, 20) : '') +
    fronds(canvas, true) +
    fronds(canvas, false)
  );
}
