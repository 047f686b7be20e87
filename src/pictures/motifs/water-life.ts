import { mix } from '../colours.ts';
import type { Canvas } from '../landscape.ts';
import { at, circle, ellipse, HEIGHT, line, path, rect, repeat, turned, WIDTH } from '../shapes.ts';

/** Under water: light from above, a sandy ground with corals, and animals. A whole picture, unlike the other motifs. */
export function underWater(canvas: Canvas, isTunnel: boolean): string {
  const { palette, random } = canvas;
  const deep = mix(palette.water, palette.dark, 0.45);
  const rays = repeat(5, (index) => {
    const x = 80 + index * 250 + random.between(-60, 60);
    return path(`M${x} 0L${x + 90} 0L${x + 10} 640L${x - 200} 640Z`, palette.light, 0.09);
  });
  const bubbles = repeat(18, () =>
    circle(random.between(0, WIDTH), random.between(40, 640), random.between(4, 13), palette.light, 0.35),
  );
  const animals = [ray, turtle, jellyfish, shark];
  const first = random.whole(0, animals.length - 1);
  const large = [animals[first], animals[(first + random.whole(1, 3)) % animals.length]];
  const big = large
    .map((draw, index) =>
      at(
        300 + index * 560 + random.between(-60, 60),
        240 + random.between(-50, 90),
        random.between(0.85, 1.15),
        draw?.(canvas) ?? '',
        random.between(0, 1) < 0.5,
      ),
    )
    .join('');
  const school = repeat(9, () =>
    at(
      random.between(120, 1080),
      random.between(380, 600),
      random.between(0.35, 0.75),
      fish(random.pick([palette.accent, palette.second, palette.light]), palette.dark),
      random.between(0, 1) < 0.4,
    ),
  );
  const sand =
    path(
      `M0 690C200 650 420 700 640 676C860 652 1010 690 1200 664V${HEIGHT}H0Z`,
      mix(palette.second, palette.light, 0.35),
    ) +
    path(
      `M0 740C260 716 520 760 760 734C940 716 1080 744 1200 730V${HEIGHT}H0Z`,
      mix(palette.second, palette.dark, 0.12),
    );
  const arch = isTunnel ? tunnel(canvas) : '';
  return (
    rect(0, 0, WIDTH, HEIGHT, mix(palette.water, palette.light, 0.12)) +
    rect(0, 0, WIDTH, HEIGHT, 'url(#deep)') +
    rays +
    ellipse(600, 620, 900, 160, deep, 0.25) +
    bubbles +
    big +
    sand +
    corals(canvas) +
    school +
    arch
  );
}

function fish(colour: string, dark: string): string {
  return (
    path('M-90 0C-50 -56 40 -56 84 -4L132 -44C124 -14 124 14 132 44L84 6C40 56 -50 56 -90 0Z', colour) +
    path('M-6 -40C14 -16 14 16 -6 40L-30 42C-14 14 -14 -14 -30 -42Z', dark, 0.28) +
    path('M-10 -42C10 -84 50 -76 60 -30Z', mix(colour, dark, 0.25)) +
    circle(-54, -8, 9, '#ffffff') +
    circle(-56, -8, 5, dark)
  );
}

function ray({ palette }: Canvas): string {
  const skin = mix(palette.near, palette.dark, 0.35);
  return (
    path(
      'M0 -90C70 -80 160 -40 260 10C170 10 110 60 40 96C20 106 -20 106 -40 96C-110 60 -170 10 -260 10C-160 -40 -70 -80 0 -90Z',
      skin,
    ) +
    path(
      'M0 -60C40 -50 90 -20 130 4C80 10 50 40 0 60C-50 40 -80 10 -130 4C-90 -20 -40 -50 0 -60Z',
      mix(skin, palette.light, 0.14),
    ) +
    line('M0 96C10 150 -20 190 10 250', skin, 9) +
    circle(-24, -66, 7, palette.light) +
    circle(24, -66, 7, palette.light)
  );
}

function turtle({ palette }: Canvas): string {
  const skin = mix(palette.near, palette.light, 0.3);
  const shell = mix(palette.near, palette.dark, 0.3);
  const fins = path(
    'M80 -40C150 -120 220 -120 250 -70C200 -70 150 -40 110 0ZM80 40C130 90 180 100 200 84C170 60 140 40 110 10ZM-110 -30C-150 -70 -190 -70 -206 -50C-180 -34 -150 -20 -120 -6ZM-110 30C-150 70 -190 76 -200 56C-170 44 -150 26 -120 10Z',
    skin,
  );
  const plates = [-70, 0, 70]
    .map((x) =>
      path(`M${x - 26} 0L${x - 13} -30H${x + 13}L${x + 26} 0L${x + 13} 30H${x - 13}Z`, mix(shell, palette.light, 0.2)),
    )
    .join('');
  return (
    fins + ellipse(172, 0, 48, 34, skin) + circle(190, -10, 6, palette.dark) + ellipse(0, 0, 138, 92, shell) + plates
  );
}

function jellyfish({ palette }: Canvas): string {
  const colour = mix(palette.accent, palette.light, 0.45);
  const arms = repeat(7, (index) =>
    line(
      `M${-84 + index * 28} 10c${index % 2 === 0 ? 26 : -26} 60 ${index % 2 === 0 ? -30 : 30} 110 0 190`,
      colour,
      8,
      0.6,
    ),
  );
  return (
    arms +
    path(
      'M-120 16C-130 -120 130 -120 120 16C96 0 80 34 56 14C36 -2 20 34 0 14C-20 -2 -36 34 -56 14C-80 -2 -96 34 -120 16Z',
      colour,
      0.92,
    ) +
    path('M-84 -16C-84 -80 -30 -92 0 -88C-40 -76 -60 -50 -62 -10Z', palette.light, 0.4)
  );
}

function shark({ palette }: Canvas): string {
  const skin = mix(palette.far, palette.dark, 0.3);
  return (
    path('M-260 0C-180 -70 60 -80 190 -10L290 -84C270 -20 270 30 300 84L190 20C60 60 -160 60 -260 0Z', skin) +
    path('M-230 12C-140 52 60 50 180 18C60 24 -120 30 -230 12Z', palette.light, 0.6) +
    path('M-20 -60C10 -130 60 -140 90 -136C66 -110 66 -80 70 -50Z', skin) +
    path('M-40 30C-20 90 20 110 50 110C34 84 30 60 34 34Z', mix(skin, palette.dark, 0.2)) +
    circle(-190, -14, 8, palette.dark) +
    line('M-130 -20v34M-112 -22v36M-94 -22v36', palette.dark, 4, 0.5)
  );
}

function corals({ palette, random }: Canvas): string {
  const branch = (colour: string): string =>
    repeat(5, (index) =>
      turned(
        -44 + index * 22,
        rect(-12, -150 + Math.abs(index - 2) * 22, 24, 150, colour, 12) +
          at(0, -90, 0.6, turned(34, rect(-11, -90, 22, 90, colour, 11))),
      ),
    );
  const fan = (colour: string): string =>
    path('M0 0C-150 -60 -140 -210 0 -220C140 -210 150 -60 0 0Z', colour, 0.9) +
    line(
      'M0 0V-200M0 -20C-60 -60 -80 -110 -84 -160M0 -20C60 -60 80 -110 84 -160M0 -60C-30 -100 -40 -150 -40 -190M0 -60C30 -100 40 -150 40 -190',
      mix(colour, palette.light, 0.35),
      5,
    );
  const weed = (colour: string): string =>
    repeat(4, (index) => line(`M${index * 26 - 40} 0c-30 -60 30 -120 0 -190s20 -60 6 -${70 + index * 14}`, colour, 16));
  const kinds = [branch, fan, weed];
  const colours = [palette.accent, palette.second, palette.near, mix(palette.accent, palette.light, 0.35)];
  return repeat(7, (index) =>
    at(
      50 + index * 180 + random.between(-40, 40),
      720 + random.between(-20, 30),
      random.between(0.55, 1),
      (kinds[(index + random.whole(0, 1)) % 3] ?? branch)(random.pick(colours)),
    ),
  );
}

/** The glass arch of a tunnel, and two visitors. */
function tunnel({ palette }: Canvas): string {
  const { dark, light } = palette;
  const frame = `<path d="M90 ${HEIGHT}V460C90 60 1110 60 1110 460V${HEIGHT}" fill="none" stroke="${light}" stroke-width="10" opacity=".55"/>`;
  const inner = `<path d="M190 ${HEIGHT}V500C190 170 1010 170 1010 500V${HEIGHT}" fill="none" stroke="${light}" stroke-width="6" opacity=".35"/>`;
  const person = (scale: number, x: number): string =>
    at(x, HEIGHT, scale, circle(0, -206, 34, dark) + path('M-54 0C-62 -90 -50 -160 0 -164S62 -90 54 0Z', dark));
  return frame + inner + person(1, 560) + person(0.66, 650);
}
