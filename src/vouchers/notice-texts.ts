import type { Language } from '../domain/activity/vocabulary.ts';

/** A subject of one line; `date` has the medium style. No subject contains a text of the caller. */
type Subject = (title: string, date: string) => string;

/** The texts of the notices to the guest in one language, in addition to `PageTexts` and `MailTexts`. */
export type NoticeTexts = {
  readonly pending: { readonly subject: Subject; readonly heading: string };
  /** The guest changed what the venue is asked. */
  readonly pendingChanged: { readonly subject: Subject; readonly heading: string };
  readonly rejected: { readonly subject: Subject; readonly heading: string };
  readonly cancelled: { readonly subject: Subject; readonly heading: string };
  readonly voucherChanged: { readonly subject: Subject; readonly heading: string };
  /** Label of the venue's deadline. */
  readonly answerBy: string;
  readonly notChargedYet: string;
  readonly nothingCharged: string;
  /** Label of a refund, and the sentence without one. */
  readonly refund: string;
  readonly nothingRefunded: string;
  readonly voucherInvalid: string;
};

export const NOTICE_TEXTS: Readonly<Record<Language, NoticeTexts>> = {
  en: {
    pending: {
      subject: (title, date) => `Your booking request: ${title}, ${date}`,
      heading: 'We have asked the venue to confirm your booking. It is not confirmed yet.',
    },
    pendingChanged: {
      subject: (title, date) => `Your changed booking request: ${title}, ${date}`,
      heading: 'Your booking request was changed. We have asked the venue again; it is not confirmed yet.',
    },
    rejected: {
      subject: (title, date) => `Not confirmed: ${title}, ${date}`,
      heading: 'Your booking could not be confirmed.',
    },
    cancelled: { subject: (title, date) => `Cancelled: ${title}, ${date}`, heading: 'Your booking was cancelled.' },
    voucherChanged: {
      subject: (title, date) => `Your changed voucher: ${title}, ${date}`,
      heading: 'Your booking was changed. This is your new voucher. Please use its QR code, not the old one.',
    },
    answerBy: 'The venue answers by',
    notChargedYet: 'Nothing is charged until the venue confirms.',
    nothingCharged: 'Nothing was charged.',
    refund: 'Refund',
    nothingRefunded: 'Nothing is refunded.',
    voucherInvalid: 'A voucher that you received is no longer valid.',
  },
  th: {
    pending: {
      subject: (title, date) => `คำขอจองของคุณ: ${title} ${date}`,
      heading: 'เราได้ขอให้สถานที่ยืนยันการจองของคุณแล้ว การจองยังไม่ได้รับการยืนยัน',
    },
    pendingChanged: {
      subject: (title, date) => `คำขอจองที่เปลี่ยนแปลง: ${title} ${date}`,
      heading: 'คำขอจองของคุณมีการเปลี่ยนแปลง เราได้สอบถามสถานที่อีกครั้งแล้ว การจองยังไม่ได้รับการยืนยัน',
    },
    rejected: {
      subject: (title, date) => `ไม่ได้รับการยืนยัน: ${title} ${date}`,
      heading: 'การจองของคุณไม่สามารถยืนยันได้',
    },
    cancelled: { subject: (title, date) => `ยกเลิกแล้ว: ${title} ${date}`, heading: 'การจองของคุณถูกยกเลิกแล้ว' },
    voucherChanged: {
      subject: (title, date) => `วอเชอร์ที่เปลี่ยนแปลง: ${title} ${date}`,
      heading: 'การจองของคุณมีการเปลี่ยนแปลง นี่คือวอเชอร์ใหม่ของคุณ โปรดใช้คิวอาร์โค้ดใหม่นี้แทนของเดิม',
    },
    answerBy: 'สถานที่จะตอบภายใน',
    notChargedYet: 'จะไม่มีการเรียกเก็บเงินจนกว่าสถานที่จะยืนยัน',
    nothingCharged: 'ไม่มีการเรียกเก็บเงิน',
    refund: 'เงินคืน',
    nothingRefunded: 'ไม่มีการคืนเงิน',
    voucherInvalid: 'วอเชอร์ที่คุณได้รับใช้ไม่ได้แล้ว',
  },
  vi: {
    pending: {
      subject: (title, date) => `Yêu cầu đặt chỗ của quý khách: ${title}, ${date}`,
      heading: 'Chúng tôi đã gửi yêu cầu xác nhận đến địa điểm. Đơn đặt chỗ chưa được xác nhận.',
    },
    pendingChanged: {
      subject: (title, date) => `Yêu cầu đặt chỗ đã thay đổi: ${title}, ${date}`,
      heading: 'Yêu cầu đặt chỗ đã được thay đổi. Chúng tôi đã hỏi lại địa điểm; đơn chưa được xác nhận.',
    },
    rejected: {
      subject: (title, date) => `Không được xác nhận: ${title}, ${date}`,
      heading: 'Đơn đặt chỗ của quý khách không thể được xác nhận.',
    },
    cancelled: {
      subject: (title, date) => `Đã hủy: ${title}, ${date}`,
      heading: 'Đơn đặt chỗ của quý khách đã bị hủy.',
    },
    voucherChanged: {
      subject: (title, date) => `Voucher đã thay đổi: ${title}, ${date}`,
      heading: 'Đơn đặt chỗ đã được thay đổi. Đây là voucher mới. Vui lòng dùng mã QR này thay cho mã cũ.',
    },
    answerBy: 'Địa điểm trả lời trước',
    notChargedYet: 'Quý khách không bị tính tiền trước khi địa điểm xác nhận.',
    nothingCharged: 'Quý khách không bị tính tiền.',
    refund: 'Hoàn tiền',
    nothingRefunded: 'Không có khoản hoàn tiền.',
    voucherInvalid: 'Voucher đã gửi cho quý khách không còn hiệu lực.',
  },
  id: {
    pending: {
      subject: (title, date) => `Permintaan pemesanan Anda: ${title}, ${date}`,
      heading: 'Kami telah meminta konfirmasi dari tempat tersebut. Pemesanan Anda belum dikonfirmasi.',
    },
    pendingChanged: {
      subject: (title, date) => `Permintaan pemesanan diubah: ${title}, ${date}`,
      heading: 'Permintaan pemesanan Anda telah diubah. Kami telah bertanya lagi; pemesanan belum dikonfirmasi.',
    },
    rejected: {
      subject: (title, date) => `Tidak dikonfirmasi: ${title}, ${date}`,
      heading: 'Pemesanan Anda tidak dapat dikonfirmasi.',
    },
    cancelled: {
      subject: (title, date) => `Dibatalkan: ${title}, ${date}`,
      heading: 'Pemesanan Anda telah dibatalkan.',
    },
    voucherChanged: {
      subject: (title, date) => `Voucher Anda yang diubah: ${title}, ${date}`,
      heading: 'Pemesanan Anda telah diubah. Ini voucher baru Anda. Gunakan kode QR ini, bukan yang lama.',
    },
    answerBy: 'Tempat menjawab paling lambat',
    notChargedYet: 'Tidak ada tagihan sebelum tempat tersebut mengonfirmasi.',
    nothingCharged: 'Tidak ada tagihan.',
    refund: 'Pengembalian dana',
    nothingRefunded: 'Tidak ada pengembalian dana.',
    voucherInvalid: 'Voucher yang Anda terima tidak berlaku lagi.',
  },
  ms: {
    pending: {
      subject: (title, date) => `Permintaan tempahan anda: ${title}, ${date}`,
      heading: 'Kami telah meminta pihak tempat mengesahkan tempahan anda. Tempahan belum disahkan.',
    },
    pendingChanged: {
      subject: (title, date) => `Permintaan tempahan diubah: ${title}, ${date}`,
      heading: 'Permintaan tempahan anda telah diubah. Kami telah bertanya semula; tempahan belum disahkan.',
    },
    rejected: {
      subject: (title, date) => `Tidak disahkan: ${title}, ${date}`,
      heading: 'Tempahan anda tidak dapat disahkan.',
    },
    cancelled: {
      subject: (title, date) => `Dibatalkan: ${title}, ${date}`,
      heading: 'Tempahan anda telah dibatalkan.',
    },
    voucherChanged: {
      subject: (title, date) => `Baucar anda yang diubah: ${title}, ${date}`,
      heading: 'Tempahan anda telah diubah. Ini baucar baharu anda. Sila gunakan kod QR ini, bukan yang lama.',
    },
    answerBy: 'Pihak tempat menjawab sebelum',
    notChargedYet: 'Tiada bayaran dikenakan sebelum pihak tempat mengesahkan.',
    nothingCharged: 'Tiada bayaran dikenakan.',
    refund: 'Bayaran balik',
    nothingRefunded: 'Tiada bayaran balik.',
    voucherInvalid: 'Baucar yang anda terima tidak sah lagi.',
  },
  zh: {
    pending: {
      subject: (title, date) => `您的预订申请：${title}，${date}`,
      heading: '我们已请场馆确认您的预订，目前尚未确认。',
    },
    pendingChanged: {
      subject: (title, date) => `您的预订申请已更改：${title}，${date}`,
      heading: '您的预订申请已更改。我们已再次询问场馆，目前尚未确认。',
    },
    rejected: { subject: (title, date) => `预订未获确认：${title}，${date}`, heading: '您的预订未能获得确认。' },
    cancelled: { subject: (title, date) => `预订已取消：${title}，${date}`, heading: '您的预订已取消。' },
    voucherChanged: {
      subject: (title, date) => `您的凭证已更改：${title}，${date}`,
      heading: '您的预订已更改。以下是您的新凭证，请使用新的二维码，不要使用旧的。',
    },
    answerBy: '场馆答复期限',
    notChargedYet: '场馆确认之前不会收费。',
    nothingCharged: '未收取任何费用。',
    refund: '退款',
    nothingRefunded: '不退款。',
    voucherInvalid: '您收到的凭证已失效。',
  },
  ja: {
    pending: {
      subject: (title, date) => `【予約リクエスト】${title}（${date}）`,
      heading: '施設にご予約の確認を依頼しました。ご予約はまだ確定していません。',
    },
    pendingChanged: {
      subject: (title, date) => `【予約リクエスト変更】${title}（${date}）`,
      heading: '予約リクエストが変更されました。施設に再度確認を依頼しました。ご予約はまだ確定していません。',
    },
    rejected: {
      subject: (title, date) => `【予約不成立】${title}（${date}）`,
      heading: 'ご予約は確定できませんでした。',
    },
    cancelled: {
      subject: (title, date) => `【キャンセル】${title}（${date}）`,
      heading: 'ご予約はキャンセルされました。',
    },
    voucherChanged: {
      subject: (title, date) => `【バウチャー変更】${title}（${date}）`,
      heading:
        'ご予約が変更されました。新しいバウチャーをお送りします。以前のQRコードではなく、こちらをお使いください。',
    },
    answerBy: '施設の回答期限',
    notChargedYet: '施設が確認するまで料金は発生しません。',
    nothingCharged: '料金は発生していません。',
    refund: '返金額',
    nothingRefunded: '返金はありません。',
    voucherInvalid: 'お受け取りのバウチャーは無効になりました。',
  },
  ko: {
    pending: {
      subject: (title, date) => `[예약 요청] ${title} (${date})`,
      heading: '업체에 예약 확인을 요청했습니다. 아직 확정되지 않았습니다.',
    },
    pendingChanged: {
      subject: (title, date) => `[예약 요청 변경] ${title} (${date})`,
      heading: '예약 요청이 변경되어 업체에 다시 확인을 요청했습니다. 아직 확정되지 않았습니다.',
    },
    rejected: { subject: (title, date) => `[예약 불가] ${title} (${date})`, heading: '예약이 확정되지 못했습니다.' },
    cancelled: { subject: (title, date) => `[예약 취소] ${title} (${date})`, heading: '예약이 취소되었습니다.' },
    voucherChanged: {
      subject: (title, date) => `[변경된 바우처] ${title} (${date})`,
      heading: '예약이 변경되어 새 바우처를 보내 드립니다. 이전 QR 코드 대신 이 QR 코드를 사용해 주십시오.',
    },
    answerBy: '업체 답변 기한',
    notChargedYet: '업체가 확인하기 전에는 요금이 청구되지 않습니다.',
    nothingCharged: '요금이 청구되지 않았습니다.',
    refund: '환불 금액',
    nothingRefunded: '환불 금액이 없습니다.',
    voucherInvalid: '받으신 바우처는 더 이상 유효하지 않습니다.',
  },
};
