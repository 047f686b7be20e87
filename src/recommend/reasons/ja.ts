import type { Phrases } from './phrases.ts';

export const ja: Phrases = {
  sentenceSeparator: '',
  interest: (name) => `${name}にご興味のある方におすすめです。`,
  travelType: {
    family: 'ご家族連れにぴったりです。',
    couple: 'カップルやご夫婦にぴったりです。',
    solo: 'ひとり旅にぴったりです。',
    business: '出張中の方にぴったりです。',
    friends: 'お友達同士にぴったりです。',
  },
  ageGroup: {
    family: 'お子さまも一緒に楽しめます。',
    young_adult: '若い世代に人気です。',
    adult: '大人の方に向いています。',
    senior: 'シニアの方も無理なく楽しめます。',
  },
  visitsBySimilar: (count) => `お客さまと同じタイプの旅行者の来場が現地で${count}件確認されています。`,
  visits: (count) => `来場が現地で${count}件確認されています。`,
  moreOftenBySimilar: (times) => `お客さまと同じタイプの旅行者の来場は、この街の通常の約${times}倍です。`,
  moreOften: (times) => `来場はこの街の通常の約${times}倍です。`,
  shelterFromRain: (percent) => `屋内なので、雨（降水確率${percent}%）でも安心です。`,
  shelterFromHeat: (temperatureC) => `屋内なので、${temperatureC}°Cの暑さを避けられます。`,
  fineWeather: (temperatureC, percent) =>
    `屋外で過ごすのに適した天気です（気温${temperatureC}°C、降水確率${percent}%）。`,
  today: '今日これからでもご利用いただけます。',
  todayAtItsBest: {
    morning: '今日の午前中、いちばん良い時間帯にお出かけいただけます。',
    afternoon: '今日の午後、いちばん良い時間帯にお出かけいただけます。',
    evening: '今晩、いちばん良い時間帯にお出かけいただけます。',
    night: '今夜遅く、いちばん良い時間帯にお出かけいただけます。',
  },
  onDate: (date) => `${date}の予約が可能です。`,
  near: (km) => `現在地からわずか${km}kmです。`,
  budget: {
    budget: 'この街の中ではお手頃な料金です。',
    mid: 'この街の中では中程度の料金です。',
    luxury: 'この街の中でも上質な体験です。',
  },
  flashDeal: (percent) => `タイムセール：本日のご予約で${percent}%割引です。`,
  hotelRate: (percent, hotel) => `${hotel}の宿泊者向け${percent}%割引適用後の料金です。`,
  profile: {
    travelType: {
      family: '家族旅行',
      couple: 'カップル・夫婦',
      solo: 'ひとり旅',
      business: '出張',
      friends: '友達同士',
    },
    interests: (list) => `興味：${list}`,
    category: {
      spa: 'スパ',
      dinner: 'ディナー',
      'theme-park': 'テーマパーク',
      zoo: '動物園',
      aquarium: '水族館',
      adventure: 'アドベンチャー',
      cultural: '文化体験',
      nightlife: 'ナイトライフ',
    },
    budget: { budget: '予算控えめ', mid: '予算は中程度', luxury: '予算はゆったり' },
    ageGroup: { family: '子ども連れ', young_adult: '若い世代', adult: '大人', senior: 'シニア' },
    from: (country) => `${country}から`,
    comma: '、',
  },
  environment: {
    now: (city, time) => `${city}、現地時間${time}。`,
    forecast: (temperatureC, percent, windKmh) =>
      `天気予報（Open-Meteo）：${temperatureC}°C、降水確率${percent}%、風速${windKmh}km/h。`,
    usual: (month, temperatureC, percent, windKmh) =>
      `現在、天気予報を取得できないため${month}の平年値です：${temperatureC}°C、降水確率${percent}%、風速${windKmh}km/h。`,
  },
};
