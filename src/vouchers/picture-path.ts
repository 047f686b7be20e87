import { html, type Markup } from './html.ts';

export type PictureFormat = 'svg' | 'png';

/** The path of an activity's drawn picture. */
export function picturePath(activityId: string, format: PictureFormat): string {
  return `/pictures/${encodeURIComponent(activityId)}.${format}`;
}

/** The picture in a mail. Most mail programs ask before they load it, so it says nothing that the text does not. */
export function mailPicture(url: string): Markup {
  return html`<p><img src="${url}" width="600" alt="" style="display:block;width:100%;max-width:600px;height:auto;border-radius:8px"></p>
`;
}
