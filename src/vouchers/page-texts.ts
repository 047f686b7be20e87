import type { Language } from '../domain/activity/vocabulary.ts';

/** The texts of the voucher page in one language. */
export type PageTexts = {
  /** For dates and time zone names. All locales use the Gregorian calendar, because gates in other countries read vouchers. */
  readonly locale: string;
  readonly voucher: string;
  readonly qrCode: string;
  readonly show: string;
  readonly guest: string;
  readonly date: string;
  readonly openingHours: string;
  readonly guests: string;
  readonly adults: (count: number) => string;
  readonly children: (count: number) => string;
  readonly listSeparator: string;
  readonly venue: string;
  readonly checkIn: string;
  readonly code: string;
  readonly typeCode: string;
  readonly validUntil: string;
  readonly keepPrivate: string;
  /** The heading and explanation for a voucher that is no longer valid. */
  readonly used: { readonly heading: string; readonly text: string };
  readonly cancelled: { readonly heading: string; readonly text: string };
  readonly expired: { readonly heading: string; readonly text: string };
};

/** Contains word joiners, because browsers break this loan word before its last letter, which is wrong in Thai. */
const THAI_VOUCHER = 'วอ\u2060เชอ\u2060ร์';

export const PAGE_TEXTS: Readonly<Record<Language, PageTexts>> = {
  en: {
    locale: 'en-SG',
    voucher: 'Voucher',
    qrCode: 'QR code of this voucher',
    show: 'Show this code at the entrance',
    guest: 'Guest',
    date: 'Date',
    openingHours: 'Opening hours',
    guests: 'Guests',
    adults: (count) => (count === 1 ? '1 adult' : `${count} adults`),
    children: (count) => (count === 1 ? '1 child' : `${count} children`),
    listSeparator: ', ',
    venue: 'Venue',
    checkIn: 'Check-in',
    code: 'Voucher code',
    typeCode: 'If the QR code cannot be scanned, the staff can type this code.',
    validUntil: 'Valid until',
    keepPrivate: 'Keep this page private: anyone with the code can use the voucher.',
    used: { heading: 'Used', text: 'This voucher has been used. It cannot be used again.' },
    cancelled: { heading: 'Cancelled', text: 'This booking was cancelled. The voucher is not valid for entry.' },
    expired: { heading: 'Expired', text: 'This voucher is past its date. It is no longer valid for entry.' },
  },
  th: {
    locale: 'th-TH-u-ca-gregory-nu-latn',
    voucher: THAI_VOUCHER,
    qrCode: `คิวอาร์โค้ดของ${THAI_VOUCHER}นี้`,
    show: 'แสดงคิวอาร์โค้ดนี้ที่ทางเข้า',
    guest: 'ชื่อผู้ใช้บริการ',
    date: 'วันที่ใช้บริการ',
    openingHours: 'เวลาเปิดทำการ',
    guests: 'จำนวนผู้ใช้บริการ',
    adults: (count) => `ผู้ใหญ่ ${count} คน`,
    children: (count) => `เด็ก ${count} คน`,
    listSeparator: ' ',
    venue: 'สถานที่',
    checkIn: 'วิธีเช็กอิน',
    code: `รหัส${THAI_VOUCHER}`,
    typeCode: 'หากสแกนไม่ได้ เจ้าหน้าที่สามารถพิมพ์รหัสนี้แทนได้',
    validUntil: 'ใช้ได้ถึง',
    keepPrivate: `โปรดเก็บหน้านี้ไว้เป็นส่วนตัว ผู้ที่มีรหัสสามารถใช้${THAI_VOUCHER}นี้ได้`,
    used: { heading: 'ใช้แล้ว', text: `${THAI_VOUCHER}นี้ถูกใช้ไปแล้ว ไม่สามารถใช้ซ้ำได้` },
    cancelled: { heading: 'ยกเลิกแล้ว', text: `การจองนี้ถูกยกเลิกแล้ว ไม่สามารถใช้${THAI_VOUCHER}นี้ได้` },
    expired: { heading: 'หมดอายุ', text: `${THAI_VOUCHER}นี้หมดอายุแล้ว ไม่สามารถใช้ได้อีก` },
  },
  vi: {
    locale: 'vi-VN',
    voucher: 'Voucher',
    qrCode: 'Mã QR của voucher này',
    show: 'Vui lòng xuất trình mã này tại lối vào',
    guest: 'Tên khách',
    date: 'Ngày sử dụng',
    openingHours: 'Giờ mở cửa',
    guests: 'Số khách',
    adults: (count) => `${count} người lớn`,
    children: (count) => `${count} trẻ em`,
    listSeparator: ', ',
    venue: 'Địa điểm',
    checkIn: 'Hướng dẫn check-in',
    code: 'Mã voucher',
    typeCode: 'Nếu không quét được mã QR, nhân viên có thể nhập mã này.',
    validUntil: 'Có giá trị đến',
    keepPrivate: 'Vui lòng giữ kín trang này: bất kỳ ai có mã đều có thể sử dụng voucher.',
    used: { heading: 'Đã sử dụng', text: 'Voucher này đã được sử dụng và không thể dùng lại.' },
    cancelled: { heading: 'Đã hủy', text: 'Đơn đặt chỗ này đã bị hủy. Voucher không còn giá trị vào cửa.' },
    expired: { heading: 'Đã hết hạn', text: 'Voucher này đã quá hạn và không còn giá trị vào cửa.' },
  },
  id: {
    locale: 'id-ID',
    voucher: 'Voucher',
    qrCode: 'Kode QR voucher ini',
    show: 'Tunjukkan kode ini di pintu masuk',
    guest: 'Nama tamu',
    date: 'Tanggal kunjungan',
    openingHours: 'Jam buka',
    guests: 'Jumlah tamu',
    adults: (count) => `${count} dewasa`,
    children: (count) => `${count} anak`,
    listSeparator: ', ',
    venue: 'Lokasi',
    checkIn: 'Cara check-in',
    code: 'Kode voucher',
    typeCode: 'Jika kode QR tidak dapat dipindai, petugas dapat mengetikkan kode ini.',
    validUntil: 'Berlaku hingga',
    keepPrivate: 'Jaga kerahasiaan halaman ini: siapa pun yang memiliki kodenya dapat memakai voucher.',
    used: { heading: 'Sudah digunakan', text: 'Voucher ini sudah digunakan dan tidak dapat dipakai lagi.' },
    cancelled: { heading: 'Dibatalkan', text: 'Pemesanan ini telah dibatalkan. Voucher tidak berlaku untuk masuk.' },
    expired: { heading: 'Kedaluwarsa', text: 'Masa berlaku voucher ini telah berakhir.' },
  },
  ms: {
    locale: 'ms-MY',
    voucher: 'Baucar',
    qrCode: 'Kod QR baucar ini',
    show: 'Tunjukkan kod ini di pintu masuk',
    guest: 'Nama tetamu',
    date: 'Tarikh lawatan',
    openingHours: 'Waktu operasi',
    guests: 'Bilangan tetamu',
    adults: (count) => `${count} dewasa`,
    children: (count) => `${count} kanak-kanak`,
    listSeparator: ', ',
    venue: 'Lokasi',
    checkIn: 'Cara daftar masuk',
    code: 'Kod baucar',
    typeCode: 'Jika kod QR tidak dapat diimbas, kakitangan boleh menaip kod ini.',
    validUntil: 'Sah sehingga',
    keepPrivate: 'Rahsiakan halaman ini: sesiapa yang memiliki kodnya boleh menggunakan baucar.',
    used: { heading: 'Telah digunakan', text: 'Baucar ini telah digunakan dan tidak boleh digunakan lagi.' },
    cancelled: { heading: 'Dibatalkan', text: 'Tempahan ini telah dibatalkan. Baucar tidak sah untuk masuk.' },
    expired: { heading: 'Tamat tempoh', text: 'Tempoh sah baucar ini telah tamat.' },
  },
  zh: {
    locale: 'zh-CN',
    voucher: '预订凭证',
    qrCode: '本凭证的二维码',
    show: '请在入口处出示此二维码',
    guest: '客人姓名',
    date: '使用日期',
    openingHours: '营业时间',
    guests: '人数',
    adults: (count) => `${count}位成人`,
    children: (count) => `${count}位儿童`,
    listSeparator: '、',
    venue: '地点',
    checkIn: '入场说明',
    code: '凭证码',
    typeCode: '如无法扫码，工作人员可手动输入此凭证码。',
    validUntil: '有效期至',
    keepPrivate: '请妥善保管本页面：任何持有凭证码的人都可以使用此凭证。',
    used: { heading: '已使用', text: '此凭证已使用，不可再次使用。' },
    cancelled: { heading: '已取消', text: '此预订已取消，凭证不可用于入场。' },
    expired: { heading: '已过期', text: '此凭证已过有效期，不可再用于入场。' },
  },
  ja: {
    locale: 'ja-JP',
    voucher: 'バウチャー',
    qrCode: 'このバウチャーのQRコード',
    show: '入口でこのQRコードをご提示ください',
    guest: 'お名前',
    date: 'ご利用日',
    openingHours: '営業時間',
    guests: '人数',
    adults: (count) => `大人${count}名`,
    children: (count) => `子ども${count}名`,
    listSeparator: '、',
    venue: '施設',
    checkIn: 'チェックイン方法',
    code: 'バウチャーコード',
    typeCode: 'QRコードを読み取れない場合は、係員がこのコードを入力できます。',
    validUntil: '有効期限',
    keepPrivate: 'このページは他の方と共有しないでください。コードがあれば誰でもバウチャーを利用できます。',
    used: { heading: '使用済み', text: 'このバウチャーは使用済みです。再度ご利用いただくことはできません。' },
    cancelled: {
      heading: 'キャンセル済み',
      text: 'この予約はキャンセルされました。このバウチャーではご入場いただけません。',
    },
    expired: { heading: '期限切れ', text: 'このバウチャーは有効期限を過ぎているため、ご利用いただけません。' },
  },
  ko: {
    locale: 'ko-KR',
    voucher: '바우처',
    qrCode: '이 바우처의 QR 코드',
    show: '입구에서 이 QR 코드를 보여 주십시오',
    guest: '이용자',
    date: '이용일',
    openingHours: '운영 시간',
    guests: '인원',
    adults: (count) => `성인 ${count}명`,
    children: (count) => `어린이 ${count}명`,
    listSeparator: ', ',
    venue: '장소',
    checkIn: '체크인 안내',
    code: '바우처 코드',
    typeCode: 'QR 코드가 스캔되지 않으면 직원이 이 코드를 직접 입력할 수 있습니다.',
    validUntil: '유효 기한',
    keepPrivate: '이 페이지를 다른 사람과 공유하지 마십시오. 코드가 있으면 누구나 바우처를 사용할 수 있습니다.',
    used: { heading: '사용 완료', text: '이미 사용된 바우처이므로 다시 사용할 수 없습니다.' },
    cancelled: { heading: '취소됨', text: '취소된 예약입니다. 이 바우처로는 입장할 수 없습니다.' },
    expired: { heading: '기간 만료', text: '유효 기한이 지나 이 바우처로는 입장할 수 없습니다.' },
  },
};
