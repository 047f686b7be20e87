import type { Phrases } from './phrases.ts';

export const zh: Phrases = {
  gap: '',
  interest: {
    spa: '符合您对水疗的兴趣。',
    dinner: '符合您对晚餐美食的兴趣。',
    'theme-park': '符合您对主题乐园的兴趣。',
    zoo: '符合您对动物园的兴趣。',
    aquarium: '符合您对水族馆的兴趣。',
    adventure: '符合您对探险活动的兴趣。',
    cultural: '符合您对文化体验的兴趣。',
    nightlife: '符合您对夜生活的兴趣。',
  },
  travelType: {
    family: '非常适合家庭出游。',
    couple: '非常适合情侣或夫妻。',
    solo: '非常适合独自旅行者。',
    business: '非常适合商务旅客。',
    friends: '非常适合好友结伴。',
  },
  ageGroup: {
    family: '适合带孩子参加。',
    young_adult: '深受年轻人喜爱。',
    adult: '适合成年人。',
    senior: '长者也能轻松参加。',
  },
  visitsAlike: (count) => `已有 ${count} 次与您相似的旅客到访，均经现场核实。`,
  visits: (count) => `已有 ${count} 次到访，均经现场核实。`,
  shelterFromRain: (percent) => `在室内进行，不怕下雨（降雨概率 ${percent}%）。`,
  shelterFromHeat: (temperatureC) => `在室内进行，可避开室外 ${temperatureC} °C 的高温。`,
  fineWeather: (temperatureC, percent) => `天气适合户外活动：气温 ${temperatureC} °C，降雨概率 ${percent}%。`,
  today: '今天仍可前往。',
  todayAtItsBest: {
    morning: '今天上午即可前往，正是最佳时段。',
    afternoon: '今天下午即可前往，正是最佳时段。',
    evening: '今晚即可前往，正是最佳时段。',
    night: '今天深夜即可前往，正是最佳时段。',
  },
  onDate: (date) => `可预订${date}。`,
  near: (km) => `距您仅 ${km} 公里。`,
  budget: {
    budget: '价格在本市属于实惠之选。',
    mid: '价格在本市处于中等水平。',
    luxury: '属于本市较高端的体验。',
  },
  hotelRate: (percent, hotel) => `价格已含 ${hotel} 住客专享的 ${percent}% 折扣。`,
  profile: {
    travelType: {
      family: '家庭出游',
      couple: '情侣或夫妻',
      solo: '独自旅行',
      business: '商务旅行',
      friends: '好友结伴',
    },
    interests: (list) => `感兴趣：${list}`,
    category: {
      spa: '水疗',
      dinner: '晚餐美食',
      'theme-park': '主题乐园',
      zoo: '动物园',
      aquarium: '水族馆',
      adventure: '探险活动',
      cultural: '文化体验',
      nightlife: '夜生活',
    },
    budget: { budget: '经济预算', mid: '中等预算', luxury: '高端预算' },
    ageGroup: { family: '有儿童同行', young_adult: '年轻人', adult: '成年人', senior: '长者' },
    from: (country) => `来自${country}`,
    comma: '，',
  },
  environment: {
    now: (city, time) => `${city}，当地时间 ${time}。`,
    forecast: (temperatureC, percent, windKmh) =>
      `天气预报（Open-Meteo）：${temperatureC} °C，降雨概率 ${percent}%，风速 ${windKmh} 公里/小时。`,
    usual: (month, temperatureC, percent, windKmh) =>
      `暂无天气预报；${month}通常为 ${temperatureC} °C，降雨概率 ${percent}%，风速 ${windKmh} 公里/小时。`,
  },
};
