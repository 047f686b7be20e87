import { mix } from '../colours.ts';
import { at, circle, ellipse, line, path, rect, repeat, turned } from '../shapes.ts';
import type { Motif } from './culture.ts';

/** Rides. Each motif stands on 0,0 and is about 400 high. */

export const wheel: Motif = ({ palette }) => {
  const { accent, second, light, dark, water } = palette;
  const ring = (radius: number, width: number): string =>
    `<circle cx="0" cy="-250" r="${radius}" fill="none" stroke="${light}" stroke-width="${width}"/>`;
  const point = (index: number, radius: number): readonly [number, number] => [
    Math.cos((index * Math.PI) / 6) * radius,
    -250 + Math.sin((index * Math.PI) / 6) * radius,
  ];
  const spokes = repeat(12, (index) => {
    const [x, y] = point(index, 205);
    return line(`M0 -250L${Math.round(x)} ${Math.round(y)}`, light, 4, 0.8);
  });
  const cabins = repeat(12, (index) => {
    const [x, y] = point(index, 215);
    const colour = [accent, second, water][index % 3] ?? accent;
    return rect(x - 24, y + 4, 48, 38, colour, 12) + rect(x - 15, y + 10, 30, 14, light, 5, 0.8);
  });
  const legs =
    line('M0 -250L-130 0M0 -250L130 0', mix(dark, light, 0.3), 17) + rect(-180, -10, 360, 22, mix(dark, light, 0.2), 6);
  const booth = at(
    290,
    0,
    1,
    rect(-60, -100, 120, 100, light, 4) +
      path('M-80 -100L-56 -150H56L80 -100Z', accent) +
      repeat(2, (index) =>
        path(`M${-40 + index * 40} -100L${-30 + index * 38} -150H${-10 + index * 38}L${-14 + index * 40} -100Z`, light),
      ) +
      rect(-36, -74, 72, 40, dark, 4, 0.6),
  );
  return legs + ring(205, 10) + ring(170, 4) + spokes + cabins + circle(0, -250, 26, second) + booth;
};

export const coaster: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const track =
    'M-620 -60C-520 -80 -470 -430 -370 -430S-240 -90 -150 -90S-60 -330 20 -330S130 -130 200 -130S330 -400 420 -400S540 -140 640 -120';
  const posts = [
    [-490, 250],
    [-430, 380],
    [-370, 430],
    [-310, 320],
    [-250, 160],
    [-60, 230],
    [20, 330],
    [90, 230],
    [310, 260],
    [370, 380],
    [430, 400],
    [500, 250],
  ]
    .map(([x = 0, height = 0]) => line(`M${x} 0V${-height + 10}`, mix(dark, light, 0.35), 7, 0.7))
    .join('');
  const car = (colour: string): string =>
    path('M-44 0V-34C-44 -56 36 -58 46 -30V0Z', colour) +
    circle(-14, -52, 15, light) +
    circle(18, -52, 15, light) +
    circle(-26, 2, 9, dark) +
    circle(26, 2, 9, dark);
  const train =
    at(-322, -368, 0.95, turned(62, car(accent))) +
    at(-362, -432, 0.95, turned(12, car(second))) +
    at(-436, -398, 0.95, turned(-52, car(accent)));
  return posts + line(track, dark, 16) + line(track, accent, 8) + train;
};

/** Slides into a pool. */
export const slides: Motif = ({ palette }) => {
  const { accent, second, light, dark, water } = palette;
  const tower =
    [-330, -210].map((x) => rect(x, -420, 16, 420, mix(dark, light, 0.4))).join('') +
    line('M-322 -60L-202 -140M-322 -140L-202 -60M-322 -240L-202 -320M-322 -320L-202 -240', mix(dark, light, 0.4), 6) +
    rect(-360, -426, 196, 18, mix(second, dark, 0.3), 4) +
    path('M-370 -500L-262 -560L-154 -500Z', accent) +
    line('M-350 -500V-426M-174 -500V-426', mix(dark, light, 0.4), 8);
  const slide = (d: string, colour: string): string =>
    line(d, mix(colour, dark, 0.25), 50) + line(d, colour, 36) + line(d, light, 7, 0.5);
  const pool =
    ellipse(130, 6, 470, 70, mix(water, light, 0.2)) +
    ellipse(130, 0, 440, 56, mix(water, light, 0.45)) +
    repeat(5, (index) => ellipse(-60 + index * 90, 4 + (index % 2) * 22, 44, 7, light, 0.6));
  const ring = at(
    300,
    -6,
    1,
    ellipse(0, 0, 70, 30, accent) +
      ellipse(0, -2, 34, 12, mix(water, light, 0.4)) +
      line('M-50 -14l20 10M50 -14l-20 10', light, 11),
  );
  return (
    tower +
    slide('M-190 -410C40 -420 -20 -300 -110 -270S-60 -150 60 -170S120 -40 130 -16', accent) +
    pool +
    slide('M-190 -400C160 -400 330 -330 300 -250S60 -240 110 -170S330 -130 340 -20', second) +
    ring +
    at(110, -10, 1, path('M-50 0C-60 -50 -30 -60 -20 -84C0 -50 20 -70 30 -90C44 -50 64 -40 56 0Z', light, 0.85))
  );
};

export const castle: Motif = ({ palette }) => {
  const { accent, second, light, dark } = palette;
  const wall = mix(light, second, 0.12);
  const tower = (x: number, width: number, height: number, roof: string): string =>
    rect(x - width / 2, -height, width, height, mix(wall, dark, 0.08)) +
    path(`M${x - width * 0.68} ${-height}L${x} ${-height - width * 1.7}L${x + width * 0.68} ${-height}Z`, roof) +
    rect(x - 9, -height + 30, 18, 36, dark, 9, 0.6) +
    line(`M${x} ${-height - width * 1.7}v-36`, dark, 4) +
    path(`M${x + 2} ${-height - width * 1.7 - 36}l44 12l-44 12Z`, second);
  return (
    tower(-200, 84, 220, accent) +
    tower(200, 84, 220, accent) +
    tower(-90, 74, 300, mix(accent, dark, 0.25)) +
    tower(90, 74, 300, mix(accent, dark, 0.25)) +
    tower(0, 92, 350, accent) +
    rect(-170, -180, 340, 180, wall) +
    repeat(8, (index) => rect(-170 + index * 44, -202, 26, 26, wall)) +
    path('M-46 0V-80A46 46 0 0 1 46 -80V0Z', mix(accent, dark, 0.5)) +
    rect(-120, -120, 26, 50, dark, 13, 0.5) +
    rect(94, -120, 26, 50, dark, 13, 0.5)
  );
};

/** Framed pictures on a wall, one of which leaves its frame. */
export const frames: Motif = ({ palette }) => {
  const { accent, second, light, dark, water, near } = palette;
  const frame = (width: number, height: number, inside: string): string =>
    rect(-width / 2, -height, width, height, mix(second, dark, 0.2), 4) +
    rect(-width / 2 + 18, -height + 18, width - 36, height - 36, inside, 2);
  const wave =
    path(
      'M-150 -150C-110 -230 -30 -230 0 -170C40 -240 130 -220 170 -120C220 -60 260 -60 300 -20C180 30 60 20 -150 -30Z',
      water,
    ) + line('M-130 -150C-100 -200 -40 -200 -10 -150C30 -210 110 -190 150 -110', light, 11, 0.7);
  return (
    at(
      -330,
      -70,
      1,
      frame(240, 300, mix(near, light, 0.3)) +
        circle(0, -190, 56, second) +
        path('M-102 -20V-90L-30 -150L30 -100L102 -160V-20Z', near),
    ) +
    at(0, -40, 1, frame(330, 380, mix(water, light, 0.5)) + circle(80, -290, 40, second)) +
    at(0, -30, 1, wave) +
    at(
      340,
      -90,
      1,
      frame(220, 280, mix(accent, light, 0.3)) +
        ellipse(0, -140, 60, 84, accent) +
        circle(-20, -160, 9, dark) +
        circle(22, -160, 9, dark),
    )
  );
};
