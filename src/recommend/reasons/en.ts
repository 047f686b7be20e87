import type { Phrases } from './phrases.ts';

export const en: Phrases = {
  sentenceSeparator: ' ',
  interest: (name) => `It matches your interest in ${name}.`,
  travelType: {
    family: 'It is well suited to families.',
    couple: 'It is well suited to couples.',
    solo: 'It is well suited to solo travellers.',
    business: 'It is well suited to business travellers.',
    friends: 'It is well suited to groups of friends.',
  },
  ageGroup: {
    family: 'It is suitable for children.',
    young_adult: 'It is popular with young adults.',
    adult: 'It suits adults.',
    senior: 'It is comfortable for seniors.',
  },
  visitsBySimilar: (count) =>
    count === 1
      ? 'A traveller like you has visited it, confirmed at the venue.'
      : `${count} travellers like you have visited it, confirmed at the venue.`,
  visits: (count) =>
    count === 1 ? 'One visit has been confirmed at the venue.' : `${count} visits have been confirmed at the venue.`,
  moreOftenBySimilar: (times) => `Travellers like you visit it about ${often(times)} as often as usual here.`,
  moreOften: (times) => `It is visited about ${often(times)} as often as usual here.`,
  shelterFromRain: (percent) => `It is indoors, so the rain (${percent}% likely) will not matter.`,
  shelterFromHeat: (temperatureC) => `It is indoors, a good escape from the ${temperatureC} °C outside.`,
  fineWeather: (temperatureC, percent) =>
    `The weather is right for being outdoors: ${temperatureC} °C and a ${percent}% chance of rain.`,
  today: 'You can still go today.',
  todayAtItsBest: {
    morning: 'You can go this morning, when it is at its best.',
    afternoon: 'You can go this afternoon, when it is at its best.',
    evening: 'You can go this evening, when it is at its best.',
    night: 'You can go late tonight, when it is at its best.',
  },
  onDate: (date) => `It can be booked for ${date}.`,
  near: (km) => `It is only ${km} km from you.`,
  budget: {
    budget: 'Its price is among the lower ones in the city.',
    mid: 'Its price is in the middle range of the city.',
    luxury: 'It is one of the more exclusive experiences in the city.',
  },
  flashDeal: (percent) => `A flash deal takes ${percent}% off if it is booked today.`,
  hotelRate: (percent, hotel) => `The price includes ${percent}% off for guests of ${hotel}.`,
  profile: {
    travelType: {
      family: 'Family',
      couple: 'Couple',
      solo: 'Solo traveller',
      business: 'Business traveller',
      friends: 'Group of friends',
    },
    interests: (list) => `interested in ${list}`,
    category: {
      spa: 'spas',
      dinner: 'dining',
      'theme-park': 'theme parks',
      zoo: 'zoos',
      aquarium: 'aquariums',
      adventure: 'adventure',
      cultural: 'culture',
      nightlife: 'nightlife',
    },
    budget: { budget: 'small budget', mid: 'mid-range budget', luxury: 'luxury budget' },
    ageGroup: { family: 'with children', young_adult: 'young adults', adult: 'adults', senior: 'seniors' },
    from: (country) => `from ${country}`,
    comma: ', ',
  },
  environment: {
    now: (city, time) => `${city}, ${time} local time.`,
    forecast: (temperatureC, percent, windKmh) =>
      `Forecast (Open-Meteo): ${temperatureC} °C, ${percent}% chance of rain, wind ${windKmh} km/h.`,
    usual: (month, temperatureC, percent, windKmh) =>
      `No forecast was available; usual for ${month}: ${temperatureC} °C, ${percent}% chance of rain, wind ${windKmh} km/h.`,
  },
};

function often(times: string): string {
  return times === '2' ? 'twice' : `${times} times`;
}
