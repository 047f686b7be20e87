import type { Phrases } from './phrases.ts';

export const vi: Phrases = {
  sentenceSeparator: ' ',
  interest: (name, category) =>
    `Phù hợp với sở thích ${category === 'zoo' || category === 'aquarium' ? 'tham quan ' : ''}${name} của bạn.`,
  travelType: {
    family: 'Rất thích hợp cho gia đình.',
    couple: 'Rất thích hợp cho các cặp đôi.',
    solo: 'Rất thích hợp cho người đi một mình.',
    business: 'Rất thích hợp cho khách đi công tác.',
    friends: 'Rất thích hợp cho nhóm bạn.',
  },
  ageGroup: {
    family: 'Trẻ em có thể tham gia.',
    young_adult: 'Được người trẻ ưa chuộng.',
    adult: 'Thích hợp cho người lớn.',
    senior: 'Thoải mái cho người cao tuổi.',
  },
  visitsBySimilar: (count) => `Đã có ${count} lượt ghé thăm của khách giống bạn, được xác nhận tại địa điểm.`,
  visits: (count) => `Đã có ${count} lượt ghé thăm được xác nhận tại địa điểm.`,
  moreOftenBySimilar: (times) => `Khách giống bạn ghé thăm nhiều gấp khoảng ${times} lần mức thông thường ở đây.`,
  moreOften: (times) => `Được ghé thăm nhiều gấp khoảng ${times} lần mức thông thường ở đây.`,
  shelterFromRain: (percent) => `Hoạt động trong nhà nên không lo mưa (khả năng mưa ${percent}%).`,
  shelterFromHeat: (temperatureC) => `Hoạt động trong nhà, tránh được cái nóng ${temperatureC} °C bên ngoài.`,
  fineWeather: (temperatureC, percent) =>
    `Thời tiết thuận lợi cho hoạt động ngoài trời: ${temperatureC} °C, khả năng mưa ${percent}%.`,
  today: 'Bạn vẫn có thể đi ngay hôm nay.',
  todayAtItsBest: {
    morning: 'Bạn có thể đi sáng nay, đúng thời điểm đẹp nhất.',
    afternoon: 'Bạn có thể đi chiều nay, đúng thời điểm đẹp nhất.',
    evening: 'Bạn có thể đi tối nay, đúng thời điểm đẹp nhất.',
    night: 'Bạn có thể đi đêm nay, đúng thời điểm đẹp nhất.',
  },
  onDate: (date) => `Có thể đặt cho ${date}.`,
  near: (km) => `Chỉ cách bạn ${km} km.`,
  budget: {
    budget: 'Giá thuộc nhóm tiết kiệm trong thành phố.',
    mid: 'Giá ở mức trung bình trong thành phố.',
    luxury: 'Thuộc nhóm hoạt động cao cấp của thành phố.',
  },
  flashDeal: (percent) => `Ưu đãi chớp nhoáng: giảm ${percent}% nếu đặt trong hôm nay.`,
  hotelRate: (percent, hotel) => `Giá đã giảm ${percent}% dành cho khách của ${hotel}.`,
  profile: {
    travelType: {
      family: 'Gia đình',
      couple: 'Cặp đôi',
      solo: 'Đi một mình',
      business: 'Đi công tác',
      friends: 'Nhóm bạn',
    },
    interests: (list) => `quan tâm đến ${list}`,
    category: {
      spa: 'spa',
      dinner: 'ẩm thực',
      'theme-park': 'công viên giải trí',
      zoo: 'vườn thú',
      aquarium: 'thủy cung',
      adventure: 'phiêu lưu',
      cultural: 'văn hóa',
      nightlife: 'giải trí về đêm',
    },
    budget: { budget: 'ngân sách tiết kiệm', mid: 'ngân sách trung bình', luxury: 'ngân sách cao cấp' },
    ageGroup: { family: 'có trẻ em', young_adult: 'người trẻ', adult: 'người lớn', senior: 'người cao tuổi' },
    from: (country) => `đến từ ${country}`,
    comma: ', ',
  },
  environment: {
    now: (city, time) => `${city}, ${time} (giờ địa phương).`,
    forecast: (temperatureC, percent, windKmh) =>
      `Dự báo (Open-Meteo): ${temperatureC} °C, khả năng mưa ${percent}%, gió ${windKmh} km/h.`,
    usual: (month, temperatureC, percent, windKmh) =>
      `Chưa có dự báo; thời tiết thường gặp trong ${month}: ${temperatureC} °C, khả năng mưa ${percent}%, gió ${windKmh} km/h.`,
  },
};
