import type { Activity } from '../../domain/activity/activity.ts';

export type PictureFormat = 'svg' | 'png';

/** The path of an activity's drawn picture. */
export function picturePath(activityId: string, format: PictureFormat): string {
  return `/pictures/${encodeURIComponent(activityId)}.${format}`;
}

/** The photographs of an activity, else its drawn picture. */
export function imagesOf({ id, images }: Pick<Activity, 'id' | 'images'>, publicUrl: string): readonly string[] {
  return images.length > 0 ? images : [`${publicUrl}${picturePath(id, 'png')}`];
}
