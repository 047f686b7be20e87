import { localDate } from '../../src/domain/activity/schedule.ts';
import type { BookingEvent, VisitFacts } from '../../src/domain/booking/events.ts';
import { EARLY_MS, unusualIn } from '../../src/domain/venue/device-figures.ts';
import { DAY_MS, MINUTE_MS } from '../../src/eventsourcing/durations.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { DeviceDay } from './read-model.ts';

const MINUTES_OF_DAY = DAY_MS / MINUTE_MS;

/** One document per device and day, keyed `{device}/{day}`. A void is counted on the day of its visit. */
export const deviceDaysProjection: Projection<DeviceDay, BookingEvent> = {
  name: 'devicedays',
  version: 1,
  categories: ['booking'],
  indexes: [['day'], ['unusual', 'day'], ['venueId', 'day'], ['deviceId', 'day']],
  idsOf(event) {
    if (event.type === 'VisitVoided') return [idOf(event.data.visit)];
    return event.type === 'VisitVerified' ? [idOf(event.data)] : [];
  },
  evolve(doc, event) {
    if (event.type === 'VisitVoided') return voided(doc ?? emptyDay(event.data.visit));
    return event.type === 'VisitVerified' ? visited(doc ?? emptyDay(event.data), event.data) : doc;
  },
};

function visited(day: DeviceDay, { verifiedAtMs, opensAtMs, disputed }: VisitFacts): DeviceDay {
  const minute = Math.floor(verifiedAtMs / MINUTE_MS) % MINUTES_OF_DAY;
  const inMinute = (day.minutes[minute] ?? 0) + 1;
  const isEarly = opensAtMs !== null && verifiedAtMs < opensAtMs - EARLY_MS;
  return judged({
    ...day,
    visits: day.visits + 1,
    disputed: day.disputed + (disputed ? 1 : 0),
    early: day.early + (isEarly ? 1 : 0),
    mostPerMinute: Math.max(day.mostPerMinute, inMinute),
    minutes: { ...day.minutes, [minute]: inMinute },
  });
}

/** The other figures stay: they say how the device was used. */
function voided(day: DeviceDay): DeviceDay {
  return judged({ ...day, voided: day.voided + 1 });
}

function judged(day: DeviceDay): DeviceDay {
  return { ...day, unusual: unusualIn(day).length > 0 };
}

function emptyDay({ deviceId, venueId, city, verifiedAtMs }: VisitFacts): DeviceDay {
  const figures = { visits: 0, disputed: 0, voided: 0, early: 0, mostPerMinute: 0 };
  return { deviceId, venueId, day: localDate(city, verifiedAtMs), ...figures, unusual: false, minutes: {} };
}

function idOf({ deviceId, city, verifiedAtMs }: VisitFacts): string {
  return `${deviceId}/${localDate(city, verifiedAtMs)}`;
}
