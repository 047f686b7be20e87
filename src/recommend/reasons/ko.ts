import type { Phrases } from './phrases.ts';

export const ko: Phrases = {
  sentenceSeparator: ' ',
  interest: (name) => `${name}에 관심 있는 분께 추천합니다.`,
  travelType: {
    family: '가족 여행에 잘 어울립니다.',
    couple: '커플이나 부부에게 잘 어울립니다.',
    solo: '혼자 여행하는 분께 잘 어울립니다.',
    business: '출장 중인 분께 잘 어울립니다.',
    friends: '친구들과 함께하기에 좋습니다.',
  },
  ageGroup: {
    family: '아이와 함께 즐길 수 있습니다.',
    young_adult: '젊은 층에게 인기가 있습니다.',
    adult: '성인에게 적합합니다.',
    senior: '어르신도 편안하게 즐길 수 있습니다.',
  },
  visitsBySimilar: (count) => `비슷한 여행자의 방문이 현장에서 ${count}건 확인되었습니다.`,
  visits: (count) => `방문이 현장에서 ${count}건 확인되었습니다.`,
  moreOftenBySimilar: (times) => `비슷한 여행자의 방문이 이 도시 평소 수준의 약 ${times}배입니다.`,
  moreOften: (times) => `방문이 이 도시 평소 수준의 약 ${times}배입니다.`,
  shelterFromRain: (percent) => `실내 활동이라 비(강수 확률 ${percent}%) 걱정이 없습니다.`,
  shelterFromHeat: (temperatureC) => `실내 활동이라 바깥의 ${temperatureC}°C 더위를 피할 수 있습니다.`,
  fineWeather: (temperatureC, percent) =>
    `야외 활동에 알맞은 날씨입니다(기온 ${temperatureC}°C, 강수 확률 ${percent}%).`,
  today: '오늘도 아직 이용할 수 있습니다.',
  todayAtItsBest: {
    morning: '가장 좋은 시간대인 오늘 오전에 갈 수 있습니다.',
    afternoon: '가장 좋은 시간대인 오늘 오후에 갈 수 있습니다.',
    evening: '가장 좋은 시간대인 오늘 저녁에 갈 수 있습니다.',
    night: '가장 좋은 시간대인 오늘 밤늦게 갈 수 있습니다.',
  },
  onDate: (date) => `${date} 일정으로 예약할 수 있습니다.`,
  near: (km) => `현재 위치에서 ${km}km밖에 떨어져 있지 않습니다.`,
  budget: {
    budget: '이 도시에서는 저렴한 편입니다.',
    mid: '이 도시에서는 중간 가격대입니다.',
    luxury: '이 도시에서 손꼽히는 고급 체험입니다.',
  },
  flashDeal: (percent) => `오늘 예약하면 ${percent}% 할인되는 깜짝 특가입니다.`,
  hotelRate: (percent, hotel) => `${hotel} 투숙객 ${percent}% 할인이 적용된 가격입니다.`,
  profile: {
    travelType: {
      family: '가족 여행',
      couple: '커플·부부',
      solo: '나 홀로 여행',
      business: '출장',
      friends: '친구와 함께',
    },
    interests: (list) => `관심사: ${list}`,
    category: {
      spa: '스파',
      dinner: '저녁 식사',
      'theme-park': '테마파크',
      zoo: '동물원',
      aquarium: '아쿠아리움',
      adventure: '어드벤처',
      cultural: '문화 체험',
      nightlife: '나이트라이프',
    },
    budget: { budget: '알뜰한 예산', mid: '중간 예산', luxury: '넉넉한 예산' },
    ageGroup: { family: '아이 동반', young_adult: '젊은 층', adult: '성인', senior: '어르신' },
    from: (country) => `${country} 출신`,
    comma: ', ',
  },
  environment: {
    now: (city, time) => `${city}, 현지 시각 ${time}.`,
    forecast: (temperatureC, percent, windKmh) =>
      `예보(Open-Meteo): ${temperatureC}°C, 강수 확률 ${percent}%, 풍속 ${windKmh}km/h.`,
    usual: (month, temperatureC, percent, windKmh) =>
      `현재 예보를 받을 수 없어 ${month} 평년값으로 안내합니다: ${temperatureC}°C, 강수 확률 ${percent}%, 풍속 ${windKmh}km/h.`,
  },
};
