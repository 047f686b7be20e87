import type { CancellationPolicy } from '../domain/activity/activity.ts';
import type { Language } from '../domain/activity/vocabulary.ts';

type CancellationTexts = {
  /** Nothing is ever kept. */
  readonly free: string;
  /** Free until `hours` before opening, 0 or more; later `percent` of the price are kept, 1 to 100. */
  readonly limited: (hours: number, percent: number) => string;
};

/** A cancellation policy in one sentence. */
export function cancellationText({ freeUntilHours, percentKept }: CancellationPolicy, language: Language): string {
  const texts = TEXTS[language];
  return percentKept === 0 ? texts.free : texts.limited(freeUntilHours, percentKept);
}

const TEXTS: Readonly<Record<Language, CancellationTexts>> = {
  en: {
    free: 'Cancellation is free.',
    limited: (hours, percent) =>
      `Free cancellation until ${hours === 0 ? '' : `${hours} ${hours === 1 ? 'hour' : 'hours'} before `}opening on the date; ` +
      `after that ${percent === 100 ? 'nothing is refunded' : `${percent}% of the price is kept`}.`,
  },
  th: {
    free: 'ยกเลิกได้ฟรี',
    limited: (hours, percent) =>
      `ยกเลิกฟรีจนถึง${hours === 0 ? '' : ` ${hours} ชั่วโมงก่อน`}เวลาเปิดทำการในวันที่จอง ` +
      `หลังจากนั้น${percent === 100 ? 'ไม่คืนเงิน' : `หัก ${percent}% ของราคา`}`,
  },
  vi: {
    free: 'Hủy miễn phí.',
    limited: (hours, percent) =>
      `Hủy miễn phí đến ${hours === 0 ? '' : `${hours} giờ trước `}giờ mở cửa của ngày đã đặt; ` +
      `sau đó ${percent === 100 ? 'không hoàn tiền' : `giữ lại ${percent}% giá tiền`}.`,
  },
  id: {
    free: 'Pembatalan gratis.',
    limited: (hours, percent) =>
      `Pembatalan gratis hingga ${hours === 0 ? '' : `${hours} jam sebelum `}jam buka pada tanggal kunjungan; ` +
      `setelah itu ${percent === 100 ? 'tidak ada pengembalian dana' : `${percent}% dari harga tidak dikembalikan`}.`,
  },
  ms: {
    free: 'Pembatalan percuma.',
    limited: (hours, percent) =>
      `Pembatalan percuma sehingga ${hours === 0 ? '' : `${hours} jam sebelum `}waktu buka pada tarikh lawatan; ` +
      `selepas itu ${percent === 100 ? 'tiada bayaran balik' : `${percent}% daripada harga tidak dipulangkan`}.`,
  },
  zh: {
    free: '可免费取消。',
    limited: (hours, percent) =>
      `预订日期开门${hours === 0 ? '' : ` ${hours} 小时`}前可免费取消；` +
      `此后取消${percent === 100 ? '不退款' : `扣除价格的 ${percent}%`}。`,
  },
  ja: {
    free: 'キャンセルは無料です。',
    limited: (hours, percent) =>
      `ご利用日の営業開始${hours === 0 ? '' : `${hours}時間前`}まで無料でキャンセルできます。` +
      `それ以降は${percent === 100 ? '返金されません' : `料金の${percent}%がかかります`}。`,
  },
  ko: {
    free: '취소는 무료입니다.',
    limited: (hours, percent) =>
      `이용일 영업 시작${hours === 0 ? '' : ` ${hours}시간 전`}까지 무료로 취소할 수 있으며, ` +
      `이후에는 ${percent === 100 ? '환불되지 않습니다' : `요금의 ${percent}%가 공제됩니다`}.`,
  },
};
