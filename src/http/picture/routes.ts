import { createHash } from 'node:crypto';
import { Elysia } from 'elysia';
import { type Refused, refused, serviceUnavailable } from '../../application/refusal.ts';
import {
  categoryNamed,
  DRAWING_VERSION,
  drawPicture,
  type PictureSubject,
  pictureTime,
} from '../../pictures/picture.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import { sendKept } from '../kept-answer.ts';
import type { PictureFormat } from './picture-url.ts';
import { PngCache } from './png-cache.ts';
import * as schema from './schema.ts';

const THROTTLED = { throttle: 'pictures' } as const;
const DAY = 'public, max-age=86400';
const TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const;
const EMPTY = new Uint8Array();
const NO_GZIP = new Headers();

/** Pictures drawn by code, for activities without photographs. */
export function pictureRoutes(context: HttpContext) {
  const pngs = new PngCache();
  return new Elysia({ name: 'pictures', tags: ['Catalogue'] })
    .use(access(context))
    .get(
      '/pictures/:file',
      async ({ params, call, request }) => {
        const named = nameAndFormat(params.file);
        const activity = named === null ? undefined : context.catalogue.get(named.name)?.activity;
        if (named === null || activity === undefined) return call.refuse(noPicture("an activity's id"));
        const { id, category, bestTimes } = activity;
        const subject = { activityId: id, category, time: pictureTime(category, bestTimes) };
        const answer = await picture(subject, named.format, request);
        return answer instanceof Response ? answer : call.refuse(answer);
      },
      {
        anybody: THROTTLED,
        ifNoneMatch: true,
        params: schema.ACTIVITY_PICTURE_PATH,
        response: schema.PICTURE_ANSWER,
        detail: schema.ACTIVITY_PICTURE_DETAIL,
      },
    )
    .get(
      '/pictures/category/:file',
      async ({ params, call, request }) => {
        const named = nameAndFormat(params.file);
        const category = named === null ? undefined : categoryNamed(named.name);
        if (named === null || category === undefined) return call.refuse(noPicture('a category'));
        const subject = { activityId: null, category, time: pictureTime(category, []) };
        const answer = await picture(subject, named.format, request);
        return answer instanceof Response ? answer : call.refuse(answer);
      },
      {
        anybody: THROTTLED,
        ifNoneMatch: true,
        params: schema.CATEGORY_PICTURE_PATH,
        response: schema.PICTURE_ANSWER,
        detail: schema.CATEGORY_PICTURE_DETAIL,
      },
    );

  async function picture(
    subject: PictureSubject,
    format: PictureFormat,
    request: Request,
  ): Promise<Response | Refused> {
    const hash = hashOf(subject, format);
    const asked = request.headers;
    const headers = { 'content-type': TYPES[format], 'cache-control': DAY };
    const unchanged = sendKept({ body: EMPTY, gzipped: EMPTY, hash, headers }, asked);
    if (unchanged.status === 304) return unchanged;
    const body = format === 'svg' ? Buffer.from(drawPicture(subject)) : await pngs.get(hash, () => png(subject));
    if (body === null) return serviceUnavailable('too many pictures wait to be drawn', { call: 'picture' });
    // PNG is compressed already.
    if (format === 'png') return sendKept({ body: new Uint8Array(body), gzipped: EMPTY, hash, headers }, NO_GZIP);
    const svg = new Uint8Array(body);
    return sendKept({ body: svg, gzipped: new Uint8Array(Bun.gzipSync(svg)), hash, headers }, asked);
  }

  function png(subject: PictureSubject): Promise<Uint8Array<ArrayBuffer> | null> {
    return context.pngRenderer.render(drawPicture(subject));
  }
}

/** Of the subject instead of the image: a browser that has the picture costs no drawing. */
function hashOf({ activityId, category, time }: PictureSubject, format: PictureFormat): string {
  const subject = [DRAWING_VERSION, activityId ?? '', category, time, format].join('\n');
  return createHash('sha256').update(subject).digest('base64url');
}

function nameAndFormat(file: string): { readonly name: string; readonly format: PictureFormat } | null {
  const [, name, format] = /^([^/]{1,100})\.(svg|png)$/.exec(file) ?? [];
  return name === undefined ? null : { name, format: format === 'svg' ? 'svg' : 'png' };
}

function noPicture(named: string): Refused {
  return refused('NOT_FOUND', `There is no such picture; the file is ${named} with .png or .svg.`);
}
