import { mix } from '../colours.ts';
import { at, circle, ellipse, line, path, rect, repeat, turned } from '../shapes.ts';
import type { Motif } from './culture.ts';

/** Stages and nights out. Each motif stands on 0,0 and is about 400 high. */

/** A stage with curtains and beams of light. */
export const stage: Motif = ({ palette, random }) => {
  const { accent, second, light, dark } = palette;
  const beams = repeat(4, (index) =>
    path(
      `M${-300 + index * 200} -520L${-420 + index * 240 + random.between(-30, 30)} -20H${-260 + index * 240}Z`,
      second,
      0.2,
    ),
  );
  const curtain = (side: number): string =>
    at(
      0,
      0,
      1,
      path('M-560 -540H-250C-270 -360 -340 -220 -430 -180C-410 -120 -420 -60 -400 0H-560Z', accent) +
        line(
          'M-500 -540C-490 -360 -500 -180 -500 0M-430 -540C-420 -400 -440 -280 -460 -190M-350 -540C-350 -440 -380 -330 -420 -260',
          mix(accent, dark, 0.35),
          9,
        ),
      side > 0,
    );
  const valance = path(
    'M-560 -560H560V-490C500 -440 440 -440 400 -490C340 -430 260 -430 220 -490C160 -430 60 -430 0 -490C-60 -430 -160 -430 -220 -490C-260 -430 -340 -430 -400 -490C-440 -440 -500 -440 -560 -490Z',
    mix(accent, dark, 0.2),
  );
  const fan = repeat(9, (index) =>
    turned(
      -80 + index * 20,
      path(
        'M0 -30C-34 -120 -24 -220 0 -250C24 -220 34 -120 0 -30Z',
        index % 2 === 0 ? second : mix(accent, light, 0.4),
      ),
    ),
  );
  const dancer =
    fan +
    circle(0, -190, 30, mix(light, second, 0.3)) +
    path('M-30 -150C-10 -160 10 -160 30 -150L22 -90C70 -60 90 -20 96 0H-96C-90 -20 -70 -60 -22 -90Z', accent) +
    line('M-26 -142L-96 -190M26 -142L96 -190', mix(light, second, 0.3), 13) +
    path('M-30 -206C-24 -250 24 -250 30 -206C10 -222 -10 -222 -30 -206Z', second);
  return (
    beams +
    rect(-560, -16, 1120, 40, mix(dark, accent, 0.2), 4) +
    ellipse(0, -6, 220, 26, light, 0.5) +
    at(0, -6, 1.15, dancer) +
    curtain(-1) +
    curtain(1) +
    valance
  );
};

/** A glass with ice and fruit on a bar. */
export const cocktail: Motif = ({ palette }) => {
  const { accent, second, light, dark, near } = palette;
  const tall =
    rect(-54, -270, 108, 250, light, 10, 0.35) +
    rect(-46, -216, 92, 190, mix(second, accent, 0.45), 8, 0.95) +
    rect(-46, -216, 92, 70, second, 8, 0.8) +
    rect(-30, -200, 36, 36, light, 6, 0.5) +
    rect(2, -150, 36, 36, light, 6, 0.4) +
    line('M20 -200L60 -340', accent, 9) +
    circle(-52, -268, 36, near) +
    circle(-52, -268, 28, mix(near, light, 0.6));
  const coupe =
    path('M-130 -330H130C120 -230 60 -200 0 -196C-60 -200 -120 -230 -130 -330Z', light, 0.35) +
    path('M-122 -296H122C108 -230 56 -206 0 -202C-56 -206 -108 -230 -122 -296Z', accent) +
    line('M0 -200V-40', light, 11, 0.75) +
    ellipse(0, -34, 80, 14, light, 0.7) +
    circle(84, -330, 30, second) +
    line('M-90 -390L40 -250', mix(second, dark, 0.3), 6) +
    circle(-90, -390, 13, accent);
  return (
    rect(-700, -24, 1400, 60, mix(dark, second, 0.18), 6) +
    rect(-700, -24, 1400, 10, second, 4, 0.5) +
    at(-130, -20, 1.15, coupe) +
    at(160, -24, 1.15, tall)
  );
};

/** A double bass and a trumpet in the light of a lamp. */
export const jazz: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const wood = mix(accent, dark, 0.3);
  const lamp =
    path('M-60 -560L-330 0H330L60 -560Z', second, 0.16) + path('M-30 -560L-190 0H190L30 -560Z', second, 0.16);
  const bass =
    path(
      'M0 -300C60 -300 84 -262 70 -226C58 -196 62 -180 88 -150C130 -100 100 0 0 0S-130 -100 -88 -150C-62 -180 -58 -196 -70 -226C-84 -262 -60 -300 0 -300Z',
      wood,
    ) +
    path(
      'M0 -300C60 -300 84 -262 70 -226C58 -196 62 -180 88 -150C130 -100 100 0 0 0C60 -60 60 -120 30 -160C20 -200 30 -260 0 -300Z',
      mix(wood, dark, 0.3),
    ) +
    rect(-11, -470, 22, 300, dark, 6) +
    circle(0, -484, 20, dark) +
    line('M-46 -190q-12 40 6 70M46 -190q12 40 -6 70', dark, 7) +
    rect(-34, -96, 68, 12, light, 4) +
    line('M-5 -470V-90M5 -470V-90', light, 2.5, 0.8);
  const trumpet =
    line('M-150 0H60', second, 15) +
    path('M50 -9C110 -12 140 -40 160 -64V64C140 40 110 12 50 9Z', second) +
    line('M-90 0c-60 70 100 70 60 0', second, 13) +
    repeat(3, (index) => rect(-64 + index * 34, -56, 13, 60, mix(second, dark, 0.2), 5));
  return (
    lamp +
    rect(-700, -10, 1400, 50, mix(dark, accent, 0.15)) +
    at(-110, 0, 1, turned(-7, bass)) +
    at(210, -230, 1.1, turned(-24, trumpet)) +
    [
      [-330, -330],
      [60, -440],
      [330, -400],
      [-260, -180],
    ]
      .map(([x = 0, y = 0], index) =>
        at(x, y, 0.8 + (index % 2) * 0.3, ellipse(0, 0, 18, 13, light) + line('M16 0V-70q30 10 34 36', light, 6)),
      )
      .join('')
  );
};

/** A fire on the beach. */
export const beachFire: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const flame = (width: number, height: number, colour: string): string =>
    path(
      `M0 0C${-width} 0 ${-width * 1.1} ${-height * 0.4} ${-width * 0.35} ${-height * 0.62}C${-width * 0.4} ${-height * 0.4} 0 ${-height * 0.5} 0 ${-height}C${width * 0.5} ${-height * 0.7} ${width * 1.2} ${-height * 0.4} ${width * 0.8} ${-height * 0.12}C${width * 0.6} 0 ${width * 0.3} 0 0 0Z`,
      colour,
    );
  const logs =
    turned(14, rect(-150, -22, 300, 30, mix(dark, accent, 0.3), 14)) +
    turned(-14, rect(-150, -22, 300, 30, mix(dark, accent, 0.2), 14));
  const sparks = repeat(9, (index) => circle(-120 + index * 31, -260 - ((index * 67) % 150), 5, second, 0.9));
  const mat = (x: number): string =>
    ellipse(x, 30, 120, 22, mix(accent, dark, 0.25)) + rect(x - 44, -6, 88, 30, mix(second, light, 0.2), 12);
  return (
    circle(0, -120, 300, second, 0.12) +
    circle(0, -110, 190, accent, 0.16) +
    mat(-330) +
    mat(330) +
    flame(120, 300, accent) +
    flame(80, 210, second) +
    flame(42, 120, light) +
    logs +
    sparks
  );
};

/** A ring with ropes and lights. */
export const boxing: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const lamps = repeat(
    4,
    (index) =>
      path(`M${-330 + index * 220} -520l-110 340h220Z`, light, 0.1) +
      rect(-366 + index * 220, -540, 72, 26, dark, 8) +
      rect(-352 + index * 220, -516, 44, 9, light, 4),
  );
  const ring =
    path('M-430 -90H430L520 -10H-520Z', mix(light, second, 0.25)) +
    rect(-520, -10, 1040, 60, accent, 4) +
    rect(-520, -10, 1040, 12, mix(accent, dark, 0.3));
  const ropes = [-270, -210, -150]
    .map((y) => line(`M-430 ${y}H430`, light, 8) + line(`M-430 ${y}L-520 ${y + 70}M430 ${y}L520 ${y + 70}`, light, 8))
    .join('');
  const posts =
    [-430, 430].map((x) => rect(x - 14, -300, 28, 220, second, 6)).join('') +
    [-520, 520].map((x) => rect(x - 16, -230, 32, 230, accent, 6)).join('');
  const bag =
    line('M0 -540V-420', dark, 7) +
    rect(-52, -420, 104, 250, accent, 40) +
    rect(-52, -350, 104, 26, light) +
    rect(-52, -240, 104, 26, light);
  const glove = (x: number): string =>
    at(
      x,
      -60,
      1,
      path(
        'M-50 -10C-64 -80 -30 -110 10 -106C60 -104 74 -60 60 -10C70 0 60 20 44 20H-36C-54 20 -56 0 -50 -10Z',
        accent,
      ) +
        rect(-40, 12, 84, 36, light, 8) +
        path('M-48 -40C-84 -50 -84 -6 -46 -6Z', mix(accent, dark, 0.2)),
    );
  return lamps + ring + bag + glove(-170) + glove(190) + posts + ropes;
};

/** A lit boat for an evening on the river. */
export const cruise: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const lamps = repeat(
    15,
    (index) =>
      circle(-330 + index * 47, -262 + Math.abs(index - 7) * 3, 8, second) +
      circle(-330 + index * 47, -262 + Math.abs(index - 7) * 3, 18, second, 0.22),
  );
  const windows = repeat(9, (index) => rect(-300 + index * 66, -132, 46, 44, mix(second, light, 0.3), 6));
  const hull =
    path('M-450 -70H430C420 -10 380 26 320 30H-340C-400 26 -440 -20 -450 -70Z', mix(dark, accent, 0.28)) +
    rect(-446, -74, 874, 13, accent, 4);
  const decks =
    rect(-330, -150, 660, 80, mix(light, dark, 0.16), 8) +
    windows +
    rect(-350, -160, 700, 14, mix(accent, dark, 0.1), 6) +
    [-320, -160, 0, 160, 312].map((x) => rect(x, -250, 8, 94, mix(light, dark, 0.3))).join('') +
    path('M-380 -246C-240 -292 240 -292 380 -246L360 -234H-360Z', accent);
  const gleam = repeat(7, (index) => rect(-300 + index * 92, 50 + (index % 3) * 22, 56, 7, second, 3, 0.45));
  return gleam + decks + lamps + hull;
};
