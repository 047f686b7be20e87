import type { Language } from '../domain/activity/vocabulary.ts';

/** How a request stands on the venue's page. */
export type VenueRequestStatus = 'waiting' | 'confirmed' | 'declined' | 'expired' | 'changed' | 'cancelled';

/** The texts of the request to a venue, its mail and its page, in one language. */
export type VenueTexts = {
  /** One line. `date` has the medium style. */
  readonly subject: (title: string, date: string) => string;
  readonly heading: Readonly<Record<VenueRequestStatus, string>>;
  /** What the reader does now; in the mail too. */
  readonly please: string;
  readonly answerBy: string;
  readonly open: string;
  readonly confirm: string;
  readonly decline: string;
  readonly specialRequests: string;
  readonly keepPrivate: string;
  readonly decidedAt: string;
  readonly decidedBy: Readonly<Record<'venue' | 'operator' | 'user' | 'system', string>>;
};

export const VENUE_TEXTS: Readonly<Record<Language, VenueTexts>> = {
  en: {
    subject: (title, date) => `Booking request: ${title}, ${date}`,
    heading: {
      waiting: 'A booking waits for your answer',
      confirmed: 'This booking is confirmed',
      declined: 'This request was declined',
      expired: 'The time to answer is over',
      changed: 'This request was changed; please use the link in the newer email',
      cancelled: 'The guests cancelled this booking',
    },
    please: 'Please confirm or decline the booking. The guests are waiting for your answer.',
    answerBy: 'Answer by',
    open: 'Open the request to answer it',
    confirm: 'Confirm the booking',
    decline: 'Decline the booking',
    specialRequests: 'Special requests',
    keepPrivate: 'Keep this link private: anyone who has it can answer the request.',
    decidedAt: 'Answered at',
    decidedBy: { venue: 'by the venue', operator: 'by the operator', user: 'by the guests', system: 'automatically' },
  },
  th: {
    subject: (title, date) => `คำขอจอง: ${title} ${date}`,
    heading: {
      waiting: 'มีการจองที่รอคำตอบจากคุณ',
      confirmed: 'การจองนี้ได้รับการยืนยันแล้ว',
      declined: 'คำขอนี้ถูกปฏิเสธแล้ว',
      expired: 'หมดเวลาตอบแล้ว',
      changed: 'คำขอนี้มีการเปลี่ยนแปลง กรุณาใช้ลิงก์ในอีเมลฉบับใหม่',
      cancelled: 'ผู้จองได้ยกเลิกการจองนี้แล้ว',
    },
    please: 'กรุณายืนยันหรือปฏิเสธการจอง ผู้จองกำลังรอคำตอบจากคุณ',
    answerBy: 'ตอบภายใน',
    open: 'เปิดคำขอเพื่อตอบ',
    confirm: 'ยืนยันการจอง',
    decline: 'ปฏิเสธการจอง',
    specialRequests: 'คำขอพิเศษ',
    keepPrivate: 'โปรดเก็บลิงก์นี้ไว้เป็นส่วนตัว ผู้ที่มีลิงก์สามารถตอบคำขอได้',
    decidedAt: 'ตอบเมื่อ',
    decidedBy: { venue: 'โดยสถานที่', operator: 'โดยผู้ให้บริการ', user: 'โดยผู้จอง', system: 'โดยอัตโนมัติ' },
  },
  vi: {
    subject: (title, date) => `Yêu cầu đặt chỗ: ${title}, ${date}`,
    heading: {
      waiting: 'Một đơn đặt chỗ đang chờ quý vị trả lời',
      confirmed: 'Đơn đặt chỗ này đã được xác nhận',
      declined: 'Yêu cầu này đã bị từ chối',
      expired: 'Đã hết thời hạn trả lời',
      changed: 'Yêu cầu này đã thay đổi; vui lòng dùng đường dẫn trong email mới hơn',
      cancelled: 'Khách đã hủy đơn đặt chỗ này',
    },
    please: 'Vui lòng xác nhận hoặc từ chối đơn đặt chỗ. Khách đang chờ câu trả lời.',
    answerBy: 'Trả lời trước',
    open: 'Mở yêu cầu để trả lời',
    confirm: 'Xác nhận đơn đặt chỗ',
    decline: 'Từ chối đơn đặt chỗ',
    specialRequests: 'Yêu cầu đặc biệt',
    keepPrivate: 'Vui lòng giữ kín đường dẫn này: bất kỳ ai có nó đều có thể trả lời yêu cầu.',
    decidedAt: 'Trả lời lúc',
    decidedBy: { venue: 'bởi địa điểm', operator: 'bởi nhà điều hành', user: 'bởi khách', system: 'tự động' },
  },
  id: {
    subject: (title, date) => `Permintaan pemesanan: ${title}, ${date}`,
    heading: {
      waiting: 'Sebuah pemesanan menunggu jawaban Anda',
      confirmed: 'Pemesanan ini telah dikonfirmasi',
      declined: 'Permintaan ini telah ditolak',
      expired: 'Waktu untuk menjawab telah habis',
      changed: 'Permintaan ini telah diubah; gunakan tautan di email yang lebih baru',
      cancelled: 'Tamu membatalkan pemesanan ini',
    },
    please: 'Mohon konfirmasi atau tolak pemesanan ini. Tamu menunggu jawaban Anda.',
    answerBy: 'Jawab paling lambat',
    open: 'Buka permintaan untuk menjawab',
    confirm: 'Konfirmasi pemesanan',
    decline: 'Tolak pemesanan',
    specialRequests: 'Permintaan khusus',
    keepPrivate: 'Jaga kerahasiaan tautan ini: siapa pun yang memilikinya dapat menjawab permintaan.',
    decidedAt: 'Dijawab pada',
    decidedBy: { venue: 'oleh tempat', operator: 'oleh operator', user: 'oleh tamu', system: 'secara otomatis' },
  },
  ms: {
    subject: (title, date) => `Permintaan tempahan: ${title}, ${date}`,
    heading: {
      waiting: 'Satu tempahan menunggu jawapan anda',
      confirmed: 'Tempahan ini telah disahkan',
      declined: 'Permintaan ini telah ditolak',
      expired: 'Masa untuk menjawab telah tamat',
      changed: 'Permintaan ini telah diubah; sila gunakan pautan dalam e-mel yang lebih baharu',
      cancelled: 'Tetamu membatalkan tempahan ini',
    },
    please: 'Sila sahkan atau tolak tempahan ini. Tetamu sedang menunggu jawapan anda.',
    answerBy: 'Jawab sebelum',
    open: 'Buka permintaan untuk menjawab',
    confirm: 'Sahkan tempahan',
    decline: 'Tolak tempahan',
    specialRequests: 'Permintaan khas',
    keepPrivate: 'Rahsiakan pautan ini: sesiapa yang memilikinya boleh menjawab permintaan.',
    decidedAt: 'Dijawab pada',
    decidedBy: {
      venue: 'oleh pihak tempat',
      operator: 'oleh pengendali',
      user: 'oleh tetamu',
      system: 'secara automatik',
    },
  },
  zh: {
    subject: (title, date) => `预订申请：${title}，${date}`,
    heading: {
      waiting: '有一份预订等待您的答复',
      confirmed: '此预订已确认',
      declined: '此申请已被拒绝',
      expired: '答复期限已过',
      changed: '此申请已更改，请使用较新邮件中的链接',
      cancelled: '客人已取消此预订',
    },
    please: '请确认或拒绝此预订。客人正在等待您的答复。',
    answerBy: '答复期限',
    open: '打开申请并答复',
    confirm: '确认预订',
    decline: '拒绝预订',
    specialRequests: '特殊要求',
    keepPrivate: '请妥善保管此链接：任何持有链接的人都可以答复申请。',
    decidedAt: '答复时间',
    decidedBy: { venue: '由场馆答复', operator: '由运营方答复', user: '由客人操作', system: '自动处理' },
  },
  ja: {
    subject: (title, date) => `【予約リクエスト】${title}（${date}）`,
    heading: {
      waiting: 'ご回答をお待ちしている予約があります',
      confirmed: 'この予約は確定しています',
      declined: 'このリクエストは辞退されました',
      expired: '回答期限を過ぎています',
      changed: 'このリクエストは変更されました。新しいメールのリンクをご利用ください',
      cancelled: 'お客様がこの予約をキャンセルしました',
    },
    please: '予約の確定または辞退をお選びください。お客様が回答をお待ちです。',
    answerBy: '回答期限',
    open: 'リクエストを開いて回答する',
    confirm: '予約を確定する',
    decline: '予約を辞退する',
    specialRequests: '特別なご要望',
    keepPrivate: 'このリンクは他の方と共有しないでください。リンクがあれば誰でも回答できます。',
    decidedAt: '回答日時',
    decidedBy: { venue: '施設による回答', operator: '運営者による回答', user: 'お客様による操作', system: '自動処理' },
  },
  ko: {
    subject: (title, date) => `[예약 요청] ${title} (${date})`,
    heading: {
      waiting: '답변을 기다리는 예약이 있습니다',
      confirmed: '이 예약은 확정되었습니다',
      declined: '이 요청은 거절되었습니다',
      expired: '답변 기한이 지났습니다',
      changed: '이 요청은 변경되었습니다. 최근 메일의 링크를 이용해 주십시오',
      cancelled: '고객이 이 예약을 취소했습니다',
    },
    please: '예약을 확정하거나 거절해 주십시오. 고객이 답변을 기다리고 있습니다.',
    answerBy: '답변 기한',
    open: '요청을 열어 답변하기',
    confirm: '예약 확정',
    decline: '예약 거절',
    specialRequests: '특별 요청',
    keepPrivate: '이 링크를 다른 사람과 공유하지 마십시오. 링크가 있으면 누구나 답변할 수 있습니다.',
    decidedAt: '답변 시각',
    decidedBy: { venue: '업체 답변', operator: '운영자 답변', user: '고객 처리', system: '자동 처리' },
  },
};
