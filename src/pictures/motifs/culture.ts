import { mix } from '../colours.ts';
import type { Canvas } from '../landscape.ts';
import { at, circle, ellipse, line, path, rect, repeat } from '../shapes.ts';

/** Each motif stands on 0,0, is about 400 high, and is drawn in the picture's colours. */
export type Motif = (canvas: Canvas) => string;

/** A temple hall with stacked roofs. */
export const hall: Motif = ({ palette }) => {
  const { accent, second, dark, light } = palette;
  const roof = (y: number, width: number, height: number, colour: string): string =>
    path(
      `M${-width} ${y}C${-width * 0.55} ${y - height * 0.25} ${-width * 0.2} ${y - height * 0.7} 0 ${y - height}C${width * 0.2} ${y - height * 0.7} ${width * 0.55} ${y - height * 0.25} ${width} ${y}L${width * 0.86} ${y + 10}H${-width * 0.86}Z`,
      colour,
    );
  const wall =
    rect(-190, -150, 380, 130, light) +
    rect(-240, -24, 480, 26, mix(light, dark, 0.3), 4) +
    rect(-270, -4, 540, 20, mix(light, dark, 0.45), 4);
  const columns = repeat(6, (index) => rect(-184 + index * 70, -150, 18, 128, mix(light, dark, 0.2)));
  const doors = rect(-36, -118, 72, 96, accent, 4) + line('M0 -116V-24', mix(accent, dark, 0.4), 4);
  const roofs = roof(-142, 290, 130, accent) + roof(-200, 220, 120, second) + roof(-262, 150, 110, accent);
  const finials =
    line('M0 -366V-420', second, 8) +
    circle(0, -372, 9, second) +
    line(
      'M-288 -140q-18 -10 -16 -40M288 -140q18 -10 16 -40M-218 -198q-16 -10 -14 -36M218 -198q16 -10 14 -36',
      second,
      7,
    );
  return wall + columns + doors + roofs + finials;
};

/** A bell-shaped stupa between two small ones. */
export const stupa: Motif = ({ palette }) => {
  const { second, dark, light } = palette;
  const bell = (colour: string): string => {
    const shade = mix(colour, dark, 0.25);
    const steps =
      rect(-150, -24, 300, 26, shade, 3) + rect(-126, -50, 252, 28, colour, 3) + rect(-102, -76, 204, 28, shade, 3);
    const body =
      path('M-92 -74C-92 -130 -78 -196 -34 -222H34C78 -196 92 -130 92 -74Z', colour) +
      path('M20 -74C52 -130 48 -196 30 -222H34C78 -196 92 -130 92 -74Z', shade, 0.6);
    const rings =
      rect(-30, -246, 60, 26, shade, 3) +
      repeat(5, (index) => ellipse(0, -258 - index * 20, 24 - index * 4, 10, index % 2 === 0 ? colour : shade));
    return steps + body + rings + path('M-9 -336L0 -430L9 -336Z', colour) + circle(0, -430, 6, light);
  };
  return at(-260, 0, 0.5, bell(mix(second, dark, 0.2))) + at(260, 0, 0.5, bell(mix(second, dark, 0.2))) + bell(second);
};

/** Stone towers with many small spires. */
export const towers: Motif = ({ palette }) => {
  const { near, dark, light } = palette;
  const stone = mix(mix(light, dark, 0.42), near, 0.25);
  const tower = (): string => {
    const shade = mix(stone, dark, 0.3);
    const levels = repeat(7, (index) => {
      const [width, y] = [96 - index * 13, -96 - index * 42];
      const points = [-1, -0.5, 0.5, 1]
        .map((side) =>
          path(`M${side * width - 9} ${y - 34}L${side * width} ${y - 66}L${side * width + 9} ${y - 34}Z`, stone),
        )
        .join('');
      return points + rect(-width, y - 40, width * 2, 44, index % 2 === 0 ? stone : shade, 4);
    });
    return (
      rect(-130, -30, 260, 32, shade, 4) +
      rect(-106, -98, 212, 72, stone, 4) +
      levels +
      path('M-26 -386Q0 -410 0 -448Q0 -410 26 -386Z', stone) +
      path('M-24 -30V-72A24 24 0 0 1 24 -72V-30Z', dark, 0.75)
    );
  };
  return at(-250, 0, 0.62, tower()) + at(250, 0, 0.62, tower()) + tower();
};

/** A tower of curved eaves. */
export const pagoda: Motif = ({ palette }) => {
  const { accent, second, dark, light } = palette;
  const floors = repeat(5, (index) => {
    const [width, y] = [150 - index * 22, -40 - index * 78];
    const windows = repeat(3, (at3) =>
      rect(-width * 0.45 + at3 * width * 0.36, y - 42, width * 0.18, 30, mix(second, light, 0.3), 3),
    );
    const roof = `M${-width * 1.28} ${y - 66}C${-width * 0.9} ${y - 58} ${-width * 0.6} ${y - 74} ${-width * 0.5} ${y - 88}H${width * 0.5}C${width * 0.6} ${y - 74} ${width * 0.9} ${y - 58} ${width * 1.28} ${y - 66}C${width} ${y - 46} ${width * 0.8} ${y - 44} ${width * 0.7} ${y - 44}H${-width * 0.7}C${-width * 0.8} ${y - 44} ${-width} ${y - 46} ${-width * 1.28} ${y - 66}Z`;
    return (
      rect(-width * 0.62, y - 48, width * 1.24, 52, light) +
      windows +
      path(roof, index % 2 === 0 ? accent : mix(accent, dark, 0.25))
    );
  });
  return (
    rect(-170, -40, 340, 42, mix(light, dark, 0.4), 4) +
    floors +
    line('M0 -440V-500', second, 8) +
    circle(0, -448, 12, second)
  );
};

/** A row of narrow houses with shutters and an arcade. */
export const shophouses: Motif = ({ palette, random }) => {
  const { accent, second, near, light, dark } = palette;
  return repeat(5, (index) => {
    const [x, height] = [-330 + index * 132, random.between(240, 320)];
    const colour = mix(
      [second, near, accent, light, palette.water][(index + random.whole(0, 4)) % 5] ?? light,
      light,
      0.42,
    );
    const shutters = repeat(2, (floor) =>
      repeat(3, (column) => rect(x + 14 + column * 36, -height + 44 + floor * 76, 26, 50, mix(colour, dark, 0.45), 13)),
    );
    const roof = path(
      `M${x - 6} ${-height + 14}L${x + 12} ${-height - 26}H${x + 116}L${x + 138} ${-height + 14}Z`,
      mix(accent, dark, 0.3),
    );
    const arcade =
      path(`M${x + 12} 0V-70A52 44 0 0 1 ${x + 118} -70V0Z`, dark, 0.7) +
      rect(x + 44, -66, 40, 66, mix(second, dark, 0.2), 4);
    return rect(x, -height, 130, height, colour) + shutters + arcade + roof;
  });
};

/** A house with columns and a dome. */
export const museum: Motif = ({ palette }) => {
  const { light, dark, accent, second } = palette;
  const stone = mix(light, dark, 0.1);
  const columns = repeat(
    6,
    (index) =>
      rect(-214 + index * 78, -196, 34, 164, stone, 4) +
      rect(-220 + index * 78, -204, 46, 14, mix(light, dark, 0.25), 3),
  );
  return (
    rect(-250, -204, 500, 180, mix(dark, accent, 0.25)) +
    columns +
    rect(-270, -236, 540, 34, stone, 3) +
    rect(-120, -274, 240, 40, mix(light, dark, 0.16), 3) +
    path('M-112 -272C-116 -372 -40 -400 0 -420C40 -400 116 -372 112 -272Z', second) +
    path('M20 -272C60 -350 40 -390 0 -420C40 -400 116 -372 112 -272Z', dark, 0.14) +
    line('M0 -418V-452', second, 7) +
    repeat(3, (index) =>
      rect(-270 - index * 22, -32 + index * 14, 540 + index * 44, 16, mix(light, dark, 0.2 + index * 0.1), 2),
    )
  );
};

/** A lit screen with the tree of the shadow theatre. */
export const shadows: Motif = ({ palette }) => {
  const { accent, second, dark, light } = palette;
  const screen =
    rect(-400, -420, 800, 410, dark, 16) +
    rect(-372, -396, 744, 350, mix(second, light, 0.55), 8) +
    circle(0, -220, 190, light, 0.6);
  const tree = path(
    'M0 -400C70 -330 118 -250 104 -160C96 -110 58 -86 26 -78V-46H-26V-78C-58 -86 -96 -110 -104 -160C-118 -250 -70 -330 0 -400Z',
    mix(accent, dark, 0.55),
  );
  const cuts =
    repeat(4, (index) => circle(-30 + (index % 2) * 60, -290 + Math.floor(index / 2) * 70, 14, second)) +
    path('M-30 -96V-150L0 -180L30 -150V-96Z', second);
  const puppet = (side: number): string =>
    at(
      side * 240,
      -60,
      1,
      circle(0, -190, 24, dark) +
        path('M0 -236L22 -206H-14ZM-34 -160C-10 -176 16 -172 30 -150L20 -70L46 0H-46L-20 -70Z', dark) +
        line('M20 -150L74 -196M-20 -146L-70 -96M74 -196V-20', dark, 9),
      side < 0,
    );
  return screen + tree + cuts + puppet(-1) + puppet(1);
};
