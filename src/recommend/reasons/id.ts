import type { Phrases } from './phrases.ts';

export const id: Phrases = {
  sentenceSeparator: ' ',
  interest: (name) => `Sesuai dengan minat Anda pada ${name}.`,
  travelType: {
    family: 'Cocok untuk keluarga.',
    couple: 'Cocok untuk pasangan.',
    solo: 'Cocok untuk yang bepergian sendiri.',
    business: 'Cocok untuk pelancong bisnis.',
    friends: 'Cocok untuk rombongan teman.',
  },
  ageGroup: {
    family: 'Ramah anak.',
    young_adult: 'Digemari anak muda.',
    adult: 'Cocok untuk orang dewasa.',
    senior: 'Nyaman bagi lansia.',
  },
  visitsBySimilar: (count) => `Sudah ada ${count} kunjungan dari wisatawan seperti Anda, terkonfirmasi di lokasi.`,
  visits: (count) => `Sudah ada ${count} kunjungan yang terkonfirmasi di lokasi.`,
  moreOftenBySimilar: (times) =>
    `Wisatawan seperti Anda mengunjunginya sekitar ${times} kali lipat dari biasanya di sini.`,
  moreOften: (times) => `Dikunjungi sekitar ${times} kali lipat dari biasanya di sini.`,
  shelterFromRain: (percent) => `Berlangsung di dalam ruangan, jadi hujan (peluang ${percent}%) tidak masalah.`,
  shelterFromHeat: (temperatureC) => `Berlangsung di dalam ruangan, terhindar dari panas ${temperatureC} °C di luar.`,
  fineWeather: (temperatureC, percent) =>
    `Cuacanya mendukung untuk kegiatan di luar ruangan: ${temperatureC} °C, peluang hujan ${percent}%.`,
  today: 'Anda masih bisa pergi hari ini.',
  todayAtItsBest: {
    morning: 'Anda bisa pergi pagi ini, waktu yang paling pas.',
    afternoon: 'Anda bisa pergi siang atau sore ini, waktu yang paling pas.',
    evening: 'Anda bisa pergi malam ini, waktu yang paling pas.',
    night: 'Anda bisa pergi larut malam ini, waktu yang paling pas.',
  },
  onDate: (date) => `Dapat dipesan untuk ${date}.`,
  near: (km) => `Hanya ${km} km dari Anda.`,
  budget: {
    budget: 'Harganya termasuk hemat di kota ini.',
    mid: 'Harganya termasuk kelas menengah di kota ini.',
    luxury: 'Salah satu pengalaman paling eksklusif di kota ini.',
  },
  flashDeal: (percent) => `Promo kilat: potongan ${percent}% jika dipesan hari ini.`,
  hotelRate: (percent, hotel) => `Harga sudah termasuk potongan ${percent}% untuk tamu ${hotel}.`,
  profile: {
    travelType: {
      family: 'Keluarga',
      couple: 'Pasangan',
      solo: 'Bepergian sendiri',
      business: 'Perjalanan bisnis',
      friends: 'Rombongan teman',
    },
    interests: (list) => `berminat pada ${list}`,
    category: {
      spa: 'spa',
      dinner: 'santap malam',
      'theme-park': 'taman hiburan',
      zoo: 'kebun binatang',
      aquarium: 'akuarium',
      adventure: 'petualangan',
      cultural: 'budaya',
      nightlife: 'hiburan malam',
    },
    budget: { budget: 'anggaran hemat', mid: 'anggaran menengah', luxury: 'anggaran mewah' },
    ageGroup: { family: 'bersama anak', young_adult: 'anak muda', adult: 'dewasa', senior: 'lansia' },
    from: (country) => `dari ${country}`,
    comma: ', ',
  },
  environment: {
    now: (city, time) => `${city}, ${time} (waktu setempat).`,
    forecast: (temperatureC, percent, windKmh) =>
      `Prakiraan (Open-Meteo): ${temperatureC} °C, peluang hujan ${percent}%, angin ${windKmh} km/jam.`,
    usual: (month, temperatureC, percent, windKmh) =>
      `Prakiraan tidak tersedia; biasanya pada bulan ${month}: ${temperatureC} °C, peluang hujan ${percent}%, angin ${windKmh} km/jam.`,
  },
};
