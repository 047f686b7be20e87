import type { Phrases } from './phrases.ts';

export const ms: Phrases = {
  sentenceSeparator: ' ',
  interest: (name) => `Sepadan dengan minat anda terhadap ${name}.`,
  travelType: {
    family: 'Sesuai untuk keluarga.',
    couple: 'Sesuai untuk pasangan.',
    solo: 'Sesuai untuk pelancong solo.',
    business: 'Sesuai untuk pelancong perniagaan.',
    friends: 'Sesuai untuk kumpulan rakan.',
  },
  ageGroup: {
    family: 'Mesra kanak-kanak.',
    young_adult: 'Digemari golongan muda.',
    adult: 'Sesuai untuk orang dewasa.',
    senior: 'Selesa untuk warga emas.',
  },
  visitsBySimilar: (count) => `Terdapat ${count} lawatan oleh pelancong seperti anda yang disahkan di lokasi.`,
  visits: (count) => `Terdapat ${count} lawatan yang disahkan di lokasi.`,
  moreOftenBySimilar: (times) =>
    `Pelancong seperti anda mengunjunginya kira-kira ${times} kali ganda daripada kebiasaan di sini.`,
  moreOften: (times) => `Dikunjungi kira-kira ${times} kali ganda daripada kebiasaan di sini.`,
  shelterFromRain: (percent) =>
    `Aktiviti ini di dalam bangunan, jadi hujan (kebarangkalian ${percent}%) tidak menjadi masalah.`,
  shelterFromHeat: (temperatureC) => `Aktiviti ini di dalam bangunan, jauh daripada bahang ${temperatureC} °C di luar.`,
  fineWeather: (temperatureC, percent) =>
    `Cuaca sesuai untuk aktiviti luar: ${temperatureC} °C, kebarangkalian hujan ${percent}%.`,
  today: 'Anda masih sempat pergi hari ini.',
  todayAtItsBest: {
    morning: 'Anda boleh pergi pagi ini, waktu yang paling sesuai.',
    afternoon: 'Anda boleh pergi petang ini, waktu yang paling sesuai.',
    evening: 'Anda boleh pergi malam ini, waktu yang paling sesuai.',
    night: 'Anda boleh pergi lewat malam ini, waktu yang paling sesuai.',
  },
  onDate: (date) => `Boleh ditempah untuk ${date}.`,
  near: (km) => `Hanya ${km} km dari anda.`,
  budget: {
    budget: 'Harganya antara yang lebih jimat di bandar ini.',
    mid: 'Harganya dalam julat pertengahan di bandar ini.',
    luxury: 'Antara pengalaman paling eksklusif di bandar ini.',
  },
  flashDeal: (percent) => `Tawaran kilat: potongan ${percent}% jika ditempah hari ini.`,
  hotelRate: (percent, hotel) => `Harga ini termasuk potongan ${percent}% untuk tetamu ${hotel}.`,
  profile: {
    travelType: {
      family: 'Keluarga',
      couple: 'Pasangan',
      solo: 'Pelancong solo',
      business: 'Pelancong perniagaan',
      friends: 'Kumpulan rakan',
    },
    interests: (list) => `berminat dengan ${list}`,
    category: {
      spa: 'spa',
      dinner: 'santapan malam',
      'theme-park': 'taman tema',
      zoo: 'zoo',
      aquarium: 'akuarium',
      adventure: 'pengembaraan',
      cultural: 'budaya',
      nightlife: 'hiburan malam',
    },
    budget: { budget: 'bajet jimat', mid: 'bajet sederhana', luxury: 'bajet mewah' },
    ageGroup: { family: 'bersama kanak-kanak', young_adult: 'golongan muda', adult: 'dewasa', senior: 'warga emas' },
    from: (country) => `dari ${country}`,
    comma: ', ',
  },
  environment: {
    now: (city, time) => `${city}, ${time} (waktu tempatan).`,
    forecast: (temperatureC, percent, windKmh) =>
      `Ramalan (Open-Meteo): ${temperatureC} °C, kebarangkalian hujan ${percent}%, angin ${windKmh} km/j.`,
    usual: (month, temperatureC, percent, windKmh) =>
      `Tiada ramalan buat masa ini; lazimnya pada bulan ${month}: ${temperatureC} °C, kebarangkalian hujan ${percent}%, angin ${windKmh} km/j.`,
  },
};
