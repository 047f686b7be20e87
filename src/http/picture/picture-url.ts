import type { Activity } from '../../domain/activity/activity.ts';
import { picturePath } from '../../vouchers/picture-path.ts';

export { type PictureFormat, picturePath } from '../../vouchers/picture-path.ts';

/** The photographs of an activity, else its drawn picture. */
export function imagesOf({ id, images }: Pick<Activity, 'id' | 'images'>, publicUrl: string): readonly string[] {
  return images.length > 0 ? images : [`${publicUrl}${picturePath(id, 'png')}`];
}
