import type { Phrases } from './phrases.ts';

export const th: Phrases = {
  sentenceSeparator: ' ',
  interest: (name) => `ตรงกับความสนใจด้าน${name}ของคุณ`,
  travelType: {
    family: 'เหมาะสำหรับครอบครัว',
    couple: 'เหมาะสำหรับคู่รัก',
    solo: 'เหมาะสำหรับผู้ที่เดินทางคนเดียว',
    business: 'เหมาะสำหรับนักเดินทางเพื่อธุรกิจ',
    friends: 'เหมาะสำหรับกลุ่มเพื่อน',
  },
  ageGroup: {
    family: 'เด็ก ๆ ร่วมกิจกรรมได้',
    young_adult: 'เป็นที่นิยมในหมู่คนหนุ่มสาว',
    adult: 'เหมาะสำหรับผู้ใหญ่',
    senior: 'ผู้สูงอายุเที่ยวได้สบาย',
  },
  visitsBySimilar: (count) => `มีนักเดินทางแบบเดียวกับคุณไปเยือนแล้ว ${count} ครั้ง โดยยืนยัน ณ สถานที่จริง`,
  visits: (count) => `มีผู้ไปเยือนแล้ว ${count} ครั้ง โดยยืนยัน ณ สถานที่จริง`,
  moreOftenBySimilar: (times) => `นักเดินทางแบบเดียวกับคุณไปเยือนบ่อยเป็นประมาณ ${times} เท่าของปกติในเมืองนี้`,
  moreOften: (times) => `มีผู้ไปเยือนบ่อยเป็นประมาณ ${times} เท่าของปกติในเมืองนี้`,
  shelterFromRain: (percent) => `อยู่ในร่ม จึงไม่ต้องกังวลเรื่องฝน (โอกาสฝนตก ${percent}%)`,
  shelterFromHeat: (temperatureC) => `อยู่ในร่ม เหมาะสำหรับหลบอากาศร้อน ${temperatureC} °C ด้านนอก`,
  fineWeather: (temperatureC, percent) => `อากาศเหมาะกับกิจกรรมกลางแจ้ง อุณหภูมิ ${temperatureC} °C โอกาสฝนตก ${percent}%`,
  today: 'วันนี้ยังไปได้ทัน',
  todayAtItsBest: {
    morning: 'เช้านี้ไปได้เลย เป็นช่วงเวลาที่ดีที่สุด',
    afternoon: 'บ่ายนี้ไปได้เลย เป็นช่วงเวลาที่ดีที่สุด',
    evening: 'ค่ำนี้ไปได้เลย เป็นช่วงเวลาที่ดีที่สุด',
    night: 'ดึกคืนนี้ไปได้เลย เป็นช่วงเวลาที่ดีที่สุด',
  },
  onDate: (date) => `จองได้สำหรับ ${date}`,
  near: (km) => `อยู่ห่างจากคุณเพียง ${km} กม.`,
  budget: {
    budget: 'ราคาจัดอยู่ในกลุ่มประหยัดของเมืองนี้',
    mid: 'ราคาอยู่ในระดับกลางของเมืองนี้',
    luxury: 'อยู่ในกลุ่มกิจกรรมระดับหรูของเมืองนี้',
  },
  flashDeal: (percent) => `ดีลด่วน ลด ${percent}% เมื่อจองภายในวันนี้`,
  hotelRate: (percent, hotel) => `ราคานี้ลดแล้ว ${percent}% สำหรับแขกของ ${hotel}`,
  profile: {
    travelType: {
      family: 'ครอบครัว',
      couple: 'คู่รัก',
      solo: 'เดินทางคนเดียว',
      business: 'เดินทางเพื่อธุรกิจ',
      friends: 'กลุ่มเพื่อน',
    },
    interests: (list) => `สนใจ${list}`,
    category: {
      spa: 'สปา',
      dinner: 'อาหาร',
      'theme-park': 'สวนสนุก',
      zoo: 'สวนสัตว์',
      aquarium: 'พิพิธภัณฑ์สัตว์น้ำ',
      adventure: 'การผจญภัย',
      cultural: 'วัฒนธรรม',
      nightlife: 'สถานบันเทิงยามค่ำคืน',
    },
    budget: { budget: 'งบประหยัด', mid: 'งบปานกลาง', luxury: 'งบระดับหรู' },
    ageGroup: { family: 'มีเด็กร่วมเดินทาง', young_adult: 'วัยหนุ่มสาว', adult: 'ผู้ใหญ่', senior: 'ผู้สูงอายุ' },
    from: (country) => `จาก${country}`,
    comma: ' · ',
  },
  environment: {
    now: (city, time) => `${city} ${time} ตามเวลาท้องถิ่น`,
    forecast: (temperatureC, percent, windKmh) =>
      `พยากรณ์อากาศ (Open-Meteo): ${temperatureC} °C โอกาสฝนตก ${percent}% ลม ${windKmh} กม./ชม.`,
    usual: (month, temperatureC, percent, windKmh) =>
      `ขณะนี้ไม่มีพยากรณ์อากาศ ค่าปกติของเดือน${month}: ${temperatureC} °C โอกาสฝนตก ${percent}% ลม ${windKmh} กม./ชม.`,
  },
};
