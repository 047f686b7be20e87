const EARTH_RADIUS_KM = 6_371;

/** Degrees. */
export type GeoPosition = { readonly lat: number; readonly lon: number };

/** Great-circle distance (haversine). */
export function distanceKm(from: GeoPosition, to: GeoPosition): number {
  const rad = Math.PI / 180;
  const halfLat = Math.sin(((to.lat - from.lat) * rad) / 2);
  const halfLon = Math.sin(((to.lon - from.lon) * rad) / 2);
  const chord = halfLat ** 2 + Math.cos(from.lat * rad) * Math.cos(to.lat * rad) * halfLon ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)));
}
