import type { Language } from '../domain/activity/vocabulary.ts';

/** Nothing at the address; no voucher with the code; throttled; a store that cannot be reached; a fault of the service. */
export type FailureReason = 'address' | 'voucher' | 'tooMany' | 'unavailable' | 'fault';

type FailureText = { readonly heading: string; readonly next: string };

export const FAILURE_TEXTS: Readonly<Record<Language, Readonly<Record<FailureReason, FailureText>>>> = {
  en: {
    address: {
      heading: 'There is no page at this address',
      next: 'Check the address, or open the link in your mail again.',
    },
    voucher: {
      heading: 'No voucher was found',
      next: 'Check the address, or open the link in your voucher mail again. If it still does not open, ask where you booked.',
    },
    tooMany: { heading: 'Too many requests', next: 'Wait a minute, then open the page again.' },
    unavailable: {
      heading: 'The service is not available',
      next: 'Wait a minute, then open the page again. Your voucher is still valid: the mail with its QR code is enough at the entrance.',
    },
    fault: {
      heading: 'Something went wrong',
      next: 'Open the page again. If it fails again, tell the support the number below.',
    },
  },
  th: {
    address: { heading: 'ไม่มีหน้านี้', next: 'กรุณาตรวจสอบที่อยู่ หรือเปิดลิงก์ในอีเมลของคุณอีกครั้ง' },
    voucher: {
      heading: 'ไม่พบวอเชอร์',
      next: 'กรุณาตรวจสอบที่อยู่ หรือเปิดลิงก์ในอีเมลวอเชอร์ของคุณอีกครั้ง หากยังเปิดไม่ได้ กรุณาติดต่อช่องทางที่คุณจอง',
    },
    tooMany: { heading: 'มีคำขอมากเกินไป', next: 'กรุณารอหนึ่งนาที แล้วเปิดหน้านี้อีกครั้ง' },
    unavailable: {
      heading: 'ระบบไม่พร้อมให้บริการ',
      next: 'กรุณารอหนึ่งนาที แล้วเปิดหน้านี้อีกครั้ง วอเชอร์ของคุณยังใช้ได้ สามารถใช้คิวอาร์โค้ดในอีเมลที่ทางเข้าได้',
    },
    fault: { heading: 'เกิดข้อผิดพลาด', next: 'กรุณาเปิดหน้านี้อีกครั้ง หากยังไม่สำเร็จ กรุณาแจ้งหมายเลขด้านล่างแก่ฝ่ายช่วยเหลือ' },
  },
  vi: {
    address: {
      heading: 'Không có trang nào ở địa chỉ này',
      next: 'Vui lòng kiểm tra địa chỉ hoặc mở lại đường dẫn trong email.',
    },
    voucher: {
      heading: 'Không tìm thấy voucher',
      next: 'Vui lòng kiểm tra địa chỉ hoặc mở lại đường dẫn trong email voucher. Nếu vẫn không mở được, vui lòng liên hệ nơi quý khách đã đặt.',
    },
    tooMany: { heading: 'Quá nhiều yêu cầu', next: 'Vui lòng chờ một phút rồi mở lại trang.' },
    unavailable: {
      heading: 'Dịch vụ tạm thời không hoạt động',
      next: 'Vui lòng chờ một phút rồi mở lại trang. Voucher của quý khách vẫn có giá trị: chỉ cần mã QR trong email tại lối vào.',
    },
    fault: {
      heading: 'Đã xảy ra lỗi',
      next: 'Vui lòng mở lại trang. Nếu vẫn bị lỗi, vui lòng báo cho bộ phận hỗ trợ mã số bên dưới.',
    },
  },
  id: {
    address: {
      heading: 'Tidak ada halaman di alamat ini',
      next: 'Periksa alamatnya, atau buka lagi tautan di email Anda.',
    },
    voucher: {
      heading: 'Voucher tidak ditemukan',
      next: 'Periksa alamatnya, atau buka lagi tautan di email voucher Anda. Jika tetap tidak terbuka, hubungi tempat Anda memesan.',
    },
    tooMany: { heading: 'Terlalu banyak permintaan', next: 'Tunggu satu menit, lalu buka lagi halaman ini.' },
    unavailable: {
      heading: 'Layanan sedang tidak tersedia',
      next: 'Tunggu satu menit, lalu buka lagi halaman ini. Voucher Anda tetap berlaku: kode QR di email cukup untuk masuk.',
    },
    fault: {
      heading: 'Terjadi kesalahan',
      next: 'Buka lagi halaman ini. Jika gagal lagi, sampaikan nomor di bawah kepada bantuan.',
    },
  },
  ms: {
    address: {
      heading: 'Tiada halaman di alamat ini',
      next: 'Semak alamat itu, atau buka semula pautan dalam e-mel anda.',
    },
    voucher: {
      heading: 'Baucar tidak dijumpai',
      next: 'Semak alamat itu, atau buka semula pautan dalam e-mel baucar anda. Jika masih tidak dapat dibuka, hubungi tempat anda menempah.',
    },
    tooMany: { heading: 'Terlalu banyak permintaan', next: 'Tunggu seminit, kemudian buka semula halaman ini.' },
    unavailable: {
      heading: 'Perkhidmatan tidak tersedia',
      next: 'Tunggu seminit, kemudian buka semula halaman ini. Baucar anda masih sah: kod QR dalam e-mel memadai di pintu masuk.',
    },
    fault: {
      heading: 'Ralat telah berlaku',
      next: 'Buka semula halaman ini. Jika masih gagal, beritahu pihak sokongan nombor di bawah.',
    },
  },
  zh: {
    address: { heading: '此地址没有页面', next: '请检查地址，或重新打开邮件中的链接。' },
    voucher: {
      heading: '未找到凭证',
      next: '请检查地址，或重新打开凭证邮件中的链接。如仍无法打开，请联系您的预订渠道。',
    },
    tooMany: { heading: '请求过多', next: '请等待一分钟，然后重新打开本页面。' },
    unavailable: {
      heading: '服务暂时不可用',
      next: '请等待一分钟，然后重新打开本页面。您的凭证仍然有效：在入口处出示邮件中的二维码即可。',
    },
    fault: { heading: '出现错误', next: '请重新打开本页面。如再次失败，请将下方编号告知客服。' },
  },
  ja: {
    address: {
      heading: 'このアドレスにページはありません',
      next: 'アドレスをご確認いただくか、メールのリンクをもう一度開いてください。',
    },
    voucher: {
      heading: 'バウチャーが見つかりません',
      next: 'アドレスをご確認いただくか、バウチャーのメールのリンクをもう一度開いてください。それでも開けない場合は、ご予約先にお問い合わせください。',
    },
    tooMany: { heading: 'アクセスが集中しています', next: '1分ほど待ってから、ページをもう一度開いてください。' },
    unavailable: {
      heading: 'サービスを利用できません',
      next: '1分ほど待ってから、ページをもう一度開いてください。バウチャーは有効です。入口ではメールのQRコードをご利用いただけます。',
    },
    fault: {
      heading: 'エラーが発生しました',
      next: 'ページをもう一度開いてください。再び失敗する場合は、下の番号をお問い合わせ先にお伝えください。',
    },
  },
  ko: {
    address: { heading: '이 주소에는 페이지가 없습니다', next: '주소를 확인하거나 메일의 링크를 다시 열어 주십시오.' },
    voucher: {
      heading: '바우처를 찾을 수 없습니다',
      next: '주소를 확인하거나 바우처 메일의 링크를 다시 열어 주십시오. 그래도 열리지 않으면 예약하신 곳에 연락해 주십시오.',
    },
    tooMany: { heading: '요청이 너무 많습니다', next: '1분 후에 페이지를 다시 열어 주십시오.' },
    unavailable: {
      heading: '서비스를 이용할 수 없습니다',
      next: '1분 후에 페이지를 다시 열어 주십시오. 바우처는 여전히 유효하며, 입구에서 메일의 QR 코드를 보여 주시면 됩니다.',
    },
    fault: {
      heading: '오류가 발생했습니다',
      next: '페이지를 다시 열어 주십시오. 다시 실패하면 아래 번호를 고객 지원에 알려 주십시오.',
    },
  },
};
