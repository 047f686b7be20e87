import type { Language } from '../domain/activity/vocabulary.ts';

/** The texts of the voucher page for its actions and its saved copy in one language, in addition to `PageTexts`. */
export type GuestTexts = {
  /** The name of the language in itself. */
  readonly name: string;
  readonly map: string;
  readonly calendar: string;
  readonly language: string;
  readonly support: string;
  readonly shortCode: string;
  readonly refund: string;
  /** On a copy that the phone kept. `time` has its zone. */
  readonly savedCopy: (time: string) => string;
  /** What the guest can do about a voucher that is no longer valid. */
  readonly next: { readonly used: string; readonly cancelled: string; readonly expired: string };
};

export const GUEST_TEXTS: Readonly<Record<Language, GuestTexts>> = {
  en: {
    name: 'English',
    map: 'Open the map',
    calendar: 'Add to calendar',
    language: 'Language',
    support: 'Support',
    shortCode: 'Short code',
    refund: 'Refund',
    savedCopy: (time) => `Saved copy of ${time}. The booking may have changed since then.`,
    next: {
      used: 'If you have not used it, ask the staff at the entrance.',
      cancelled: 'For a new booking or a question about the refund, ask where you booked.',
      expired: 'If you could not come, ask where you booked.',
    },
  },
  th: {
    name: 'ไทย',
    map: 'เปิดแผนที่',
    calendar: 'เพิ่มลงในปฏิทิน',
    language: 'ภาษา',
    support: 'ติดต่อฝ่ายช่วยเหลือ',
    shortCode: 'รหัสสั้น',
    refund: 'เงินที่คืน',
    savedCopy: (time) => `สำเนาที่บันทึกไว้เมื่อ ${time} การจองอาจมีการเปลี่ยนแปลงหลังจากนั้น`,
    next: {
      used: 'หากคุณยังไม่ได้ใช้ กรุณาสอบถามเจ้าหน้าที่ที่ทางเข้า',
      cancelled: 'หากต้องการจองใหม่หรือสอบถามเรื่องการคืนเงิน กรุณาติดต่อช่องทางที่คุณจอง',
      expired: 'หากคุณไม่สามารถมาได้ กรุณาติดต่อช่องทางที่คุณจอง',
    },
  },
  vi: {
    name: 'Tiếng Việt',
    map: 'Mở bản đồ',
    calendar: 'Thêm vào lịch',
    language: 'Ngôn ngữ',
    support: 'Hỗ trợ',
    shortCode: 'Mã ngắn',
    refund: 'Số tiền hoàn lại',
    savedCopy: (time) => `Bản lưu lúc ${time}. Đơn đặt chỗ có thể đã thay đổi sau thời điểm này.`,
    next: {
      used: 'Nếu quý khách chưa sử dụng, vui lòng hỏi nhân viên tại lối vào.',
      cancelled: 'Để đặt lại hoặc hỏi về hoàn tiền, vui lòng liên hệ nơi quý khách đã đặt.',
      expired: 'Nếu quý khách đã không thể đến, vui lòng liên hệ nơi quý khách đã đặt.',
    },
  },
  id: {
    name: 'Bahasa Indonesia',
    map: 'Buka peta',
    calendar: 'Tambahkan ke kalender',
    language: 'Bahasa',
    support: 'Bantuan',
    shortCode: 'Kode singkat',
    refund: 'Pengembalian dana',
    savedCopy: (time) => `Salinan tersimpan dari ${time}. Pemesanan mungkin telah berubah sejak saat itu.`,
    next: {
      used: 'Jika Anda belum menggunakannya, tanyakan kepada petugas di pintu masuk.',
      cancelled: 'Untuk memesan lagi atau bertanya soal pengembalian dana, hubungi tempat Anda memesan.',
      expired: 'Jika Anda tidak dapat datang, hubungi tempat Anda memesan.',
    },
  },
  ms: {
    name: 'Bahasa Melayu',
    map: 'Buka peta',
    calendar: 'Tambah ke kalendar',
    language: 'Bahasa',
    support: 'Sokongan',
    shortCode: 'Kod ringkas',
    refund: 'Bayaran balik',
    savedCopy: (time) => `Salinan disimpan pada ${time}. Tempahan mungkin telah berubah selepas itu.`,
    next: {
      used: 'Jika anda belum menggunakannya, sila tanya kakitangan di pintu masuk.',
      cancelled: 'Untuk tempahan baharu atau pertanyaan tentang bayaran balik, hubungi tempat anda menempah.',
      expired: 'Jika anda tidak dapat hadir, hubungi tempat anda menempah.',
    },
  },
  zh: {
    name: '中文',
    map: '打开地图',
    calendar: '添加到日历',
    language: '语言',
    support: '联系客服',
    shortCode: '短码',
    refund: '退款金额',
    savedCopy: (time) => `已保存的副本：${time}。此后预订可能已有变更。`,
    next: {
      used: '如果您尚未使用，请询问入口处的工作人员。',
      cancelled: '如需重新预订或查询退款，请联系您的预订渠道。',
      expired: '如果您未能前往，请联系您的预订渠道。',
    },
  },
  ja: {
    name: '日本語',
    map: '地図を開く',
    calendar: 'カレンダーに追加',
    language: '言語',
    support: 'お問い合わせ',
    shortCode: '短縮コード',
    refund: '返金額',
    savedCopy: (time) => `${time}に保存したページです。その後、予約が変更されている場合があります。`,
    next: {
      used: 'まだご利用でない場合は、入口の係員にお尋ねください。',
      cancelled: '再度のご予約や返金については、ご予約先にお問い合わせください。',
      expired: 'ご来場になれなかった場合は、ご予約先にお問い合わせください。',
    },
  },
  ko: {
    name: '한국어',
    map: '지도 열기',
    calendar: '캘린더에 추가',
    language: '언어',
    support: '고객 지원',
    shortCode: '짧은 코드',
    refund: '환불 금액',
    savedCopy: (time) => `${time}에 저장된 사본입니다. 그 후 예약이 변경되었을 수 있습니다.`,
    next: {
      used: '아직 이용하지 않으셨다면 입구 직원에게 문의해 주십시오.',
      cancelled: '다시 예약하거나 환불에 대해 문의하려면 예약하신 곳에 연락해 주십시오.',
      expired: '방문하지 못하셨다면 예약하신 곳에 연락해 주십시오.',
    },
  },
};
