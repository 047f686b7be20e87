import type { Phrases } from './phrases.ts';

export const zh: Phrases = {
  sentenceSeparator: '',
  interest: (name) => `符合您的兴趣：${name}。`,
  travelType: {
    family: '非常适合家庭出游。',
    couple: '非常适合情侣或夫妻。',
    solo: '非常适合独自旅行。',
    business: '非常适合商务旅客。',
    friends: '非常适合好友结伴。',
  },
  ageGroup: {
    family: '适合带孩子参加。',
    young_adult: '深受年轻人喜爱。',
    adult: '适合成年人。',
    senior: '年长的旅客也能轻松参加。',
  },
  visitsBySimilar: (count) => `与您相似的旅客已到访${count}次，经现场核实。`,
  visits: (count) => `旅客已到访${count}次，经现场核实。`,
  moreOftenBySimilar: (times) => `与您相似的旅客到访次数约为当地平常水平的${times}倍。`,
  moreOften: (times) => `旅客到访次数约为当地平常水平的${times}倍。`,
  shelterFromRain: (percent) => `在室内进行，不怕下雨（降雨概率${percent}%）。`,
  shelterFromHeat: (temperatureC) => `在室内进行，可避开室外${temperatureC}°C的高温。`,
  fineWeather: (temperatureC, percent) => `天气适合户外活动：气温${temperatureC}°C，降雨概率${percent}%。`,
  today: '今天仍可前往。',
  todayAtItsBest: {
    morning: '今天上午前往，正是最佳时段。',
    afternoon: '今天下午前往，正是最佳时段。',
    evening: '今晚前往，正是最佳时段。',
    night: '今天深夜前往，正是最佳时段。',
  },
  onDate: (date) => `可预订${date}。`,
  near: (km) => `距您仅${km}公里。`,
  budget: {
    budget: '价格在当地属于实惠之选。',
    mid: '价格在当地处于中等水平。',
    luxury: '在当地属于较为高端的体验。',
  },
  flashDeal: (percent) => `限时特惠：今日预订立减${percent}%。`,
  hotelRate: (percent, hotel) => `价格已含 ${hotel} 住客专享的${percent}%优惠。`,
  profile: {
    travelType: {
      family: '家庭出游',
      couple: '情侣或夫妻',
      solo: '独自旅行',
      business: '商务旅行',
      friends: '好友结伴',
    },
    interests: (list) => `兴趣：${list}`,
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
    budget: { budget: '预算有限', mid: '预算中等', luxury: '预算宽裕' },
    ageGroup: { family: '有儿童同行', young_adult: '年轻人', adult: '成年人', senior: '年长者' },
    from: (country) => `来自${country}`,
    comma: '，',
  },
  environment: {
    now: (city, time) => `${city}，当地时间${time}。`,
    forecast: (temperatureC, percent, windKmh) =>
      `天气预报（Open-Meteo）：${temperatureC}°C，降雨概率${percent}%，风速${windKmh}公里/小时。`,
    usual: (month, temperatureC, percent, windKmh) =>
      `暂无天气预报；${month}通常为${temperatureC}°C，降雨概率${percent}%，风速${windKmh}公里/小时。`,
  },
};
