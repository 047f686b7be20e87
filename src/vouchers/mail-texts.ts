import type { Language } from '../domain/activity/vocabulary.ts';

/** The texts of the voucher mail in one language, in addition to `PageTexts`. */
export type MailTexts = {
  /** One line. `date` has the medium style, without a weekday. */
  readonly subject: (title: string, date: string) => string;
  readonly greeting: (name: string) => string;
  readonly confirmed: string;
  readonly total: string;
  /** The discount included in the total. */
  readonly discount: string;
  readonly cancellation: string;
  /** What no later cancellation refunds. */
  readonly retained: string;
  readonly booking: string;
  readonly open: string;
  readonly noPicture: string;
  readonly keepPrivate: string;
  readonly automatic: string;
  /** Separator between a label and its value. */
  readonly colon: string;
};

export const MAIL_TEXTS: Readonly<Record<Language, MailTexts>> = {
  en: {
    subject: (title, date) => `Your voucher: ${title}, ${date}`,
    greeting: (name) => `Hello ${name},`,
    confirmed: 'Your booking is confirmed. This is your voucher.',
    total: 'Total price',
    discount: 'Discount included',
    cancellation: 'Cancellation',
    retained: 'Not refundable',
    booking: 'Booking number',
    open: 'Open or print the voucher',
    noPicture: 'If you cannot see the QR code, open the attached picture or the link.',
    keepPrivate: 'Keep this email private: anyone with the code can use the voucher.',
    automatic: 'This email was sent automatically. Replies to it are not read.',
    colon: ': ',
  },
  th: {
    subject: (title, date) => `วอเชอร์ของคุณ: ${title} ${date}`,
    greeting: (name) => `เรียน คุณ ${name}`,
    confirmed: 'การจองของคุณได้รับการยืนยันแล้ว และนี่คือวอเชอร์ของคุณ',
    total: 'ราคารวม',
    discount: 'ส่วนลดที่รวมแล้ว',
    cancellation: 'การยกเลิก',
    retained: 'ส่วนที่ขอคืนเงินไม่ได้',
    booking: 'หมายเลขการจอง',
    open: 'เปิดหรือพิมพ์วอเชอร์',
    noPicture: 'หากมองไม่เห็นคิวอาร์โค้ด กรุณาเปิดรูปภาพที่แนบมาหรือเปิดลิงก์นี้',
    keepPrivate: 'โปรดเก็บอีเมลนี้ไว้เป็นส่วนตัว ผู้ที่มีรหัสสามารถใช้วอเชอร์นี้ได้',
    automatic: 'อีเมลนี้ส่งโดยระบบอัตโนมัติ กรุณาอย่าตอบกลับ',
    colon: ': ',
  },
  vi: {
    subject: (title, date) => `Voucher của quý khách: ${title}, ${date}`,
    greeting: (name) => `Kính gửi ${name},`,
    confirmed: 'Đơn đặt chỗ của quý khách đã được xác nhận. Dưới đây là voucher của quý khách.',
    total: 'Tổng tiền',
    discount: 'Đã giảm',
    cancellation: 'Hủy đặt chỗ',
    retained: 'Không được hoàn lại',
    booking: 'Mã đặt chỗ',
    open: 'Mở hoặc in voucher',
    noPicture: 'Nếu không thấy mã QR, vui lòng mở hình ảnh đính kèm hoặc đường dẫn này.',
    keepPrivate: 'Vui lòng giữ kín email này: bất kỳ ai có mã đều có thể sử dụng voucher.',
    automatic: 'Email này được gửi tự động, vui lòng không trả lời.',
    colon: ': ',
  },
  id: {
    subject: (title, date) => `Voucher Anda: ${title}, ${date}`,
    greeting: (name) => `Halo ${name},`,
    confirmed: 'Pemesanan Anda telah dikonfirmasi. Berikut voucher Anda.',
    total: 'Total harga',
    discount: 'Sudah termasuk potongan',
    cancellation: 'Pembatalan',
    retained: 'Tidak dapat dikembalikan',
    booking: 'Nomor pemesanan',
    open: 'Buka atau cetak voucher',
    noPicture: 'Jika kode QR tidak terlihat, buka gambar terlampir atau tautan ini.',
    keepPrivate: 'Jaga kerahasiaan email ini: siapa pun yang memiliki kodenya dapat memakai voucher.',
    automatic: 'Email ini dikirim secara otomatis. Mohon tidak membalas email ini.',
    colon: ': ',
  },
  ms: {
    subject: (title, date) => `Baucar anda: ${title}, ${date}`,
    greeting: (name) => `Salam sejahtera ${name},`,
    confirmed: 'Tempahan anda telah disahkan. Berikut ialah baucar anda.',
    total: 'Jumlah harga',
    discount: 'Termasuk potongan',
    cancellation: 'Pembatalan',
    retained: 'Tidak boleh dikembalikan',
    booking: 'Nombor tempahan',
    open: 'Buka atau cetak baucar',
    noPicture: 'Jika kod QR tidak kelihatan, buka gambar yang dilampirkan atau pautan ini.',
    keepPrivate: 'Rahsiakan e-mel ini: sesiapa yang memiliki kodnya boleh menggunakan baucar.',
    automatic: 'E-mel ini dihantar secara automatik. Sila jangan balas e-mel ini.',
    colon: ': ',
  },
  zh: {
    subject: (title, date) => `您的预订凭证：${title}，${date}`,
    greeting: (name) => `${name}，您好：`,
    confirmed: '您的预订已确认，以下是您的凭证。',
    total: '总价',
    discount: '已含优惠',
    cancellation: '取消政策',
    retained: '不可退款金额',
    booking: '预订编号',
    open: '打开或打印凭证',
    noPicture: '如果看不到二维码，请打开附件中的图片或此链接。',
    keepPrivate: '请妥善保管此邮件：任何持有凭证码的人都可以使用此凭证。',
    automatic: '本邮件由系统自动发送，请勿回复。',
    colon: '：',
  },
  ja: {
    subject: (title, date) => `【バウチャー】${title}（${date}）`,
    greeting: (name) => `${name} 様`,
    confirmed: 'ご予約が確定しました。バウチャーをお送りします。',
    total: '合計金額',
    discount: 'うち割引額',
    cancellation: 'キャンセル',
    retained: '返金されない金額',
    booking: '予約番号',
    open: 'バウチャーを開く・印刷する',
    noPicture: 'QRコードが表示されない場合は、添付の画像またはこちらのリンクを開いてください。',
    keepPrivate: 'このメールは他の方と共有しないでください。コードがあれば誰でもバウチャーを利用できます。',
    automatic: 'このメールは自動で送信しています。ご返信いただいてもお答えできません。',
    colon: '：',
  },
  ko: {
    subject: (title, date) => `[바우처] ${title} (${date})`,
    greeting: (name) => `${name} 님, 안녕하십니까.`,
    confirmed: '예약이 확정되어 바우처를 보내 드립니다.',
    total: '총 금액',
    discount: '할인된 금액',
    cancellation: '취소',
    retained: '환불 불가 금액',
    booking: '예약 번호',
    open: '바우처 열기 또는 인쇄',
    noPicture: 'QR 코드가 보이지 않으면 첨부된 이미지나 이 링크를 열어 주십시오.',
    keepPrivate: '이 메일을 다른 사람과 공유하지 마십시오. 코드가 있으면 누구나 바우처를 사용할 수 있습니다.',
    automatic: '이 메일은 자동으로 발송되었으며 회신하실 수 없습니다.',
    colon: ': ',
  },
};
