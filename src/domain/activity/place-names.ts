import type { CityName } from './cities.ts';

/**
 * Other names of the cities: English, Thai, Vietnamese, Indonesian, Malay, Chinese (both scripts), Japanese, Korean, and the
 * IATA codes of their airports. Case, accents, spaces and punctuation do not matter, nor do words like "city".
 */
export const CITY_ALIASES: Readonly<Record<CityName, string>> = {
  Bangkok:
    'Krung Thep, Krung Thep Maha Nakhon, กรุงเทพ, กรุงเทพฯ, กรุงเทพมหานคร, กทม, บางกอก, Băng Cốc, 曼谷, バンコク, バンコック, 방콕, BKK, DMK',
  Phuket: 'ภูเก็ต, 普吉, プーケット, 푸켓, 푸껫, HKT',
  'Chiang Mai': 'Chiengmai, เชียงใหม่, Chiềng Mai, 清迈, 清邁, チェンマイ, 치앙마이, CNX',
  Pattaya: 'Phatthaya, พัทยา, 芭提雅, 芭堤雅, 芭达雅, 芭達雅, パタヤ, パッタヤー, 파타야, UTP',
  Krabi: 'กระบี่, 甲米, クラビ, 끄라비, KBV',
  'Ho Chi Minh':
    'HCMC, HCM, Saigon, โฮจิมินห์, โฮจิมินห์ซิตี้, ไซ่ง่อน, 胡志明, 西贡, 西貢, ホーチミン, ホーチミンシティ, サイゴン, 호치민, 호찌민, 사이공, SGN',
  Hanoi: 'ฮานอย, 河内, 河內, ハノイ, 하노이, HAN',
  'Da Nang': 'ดานัง, 岘港, 峴港, ダナン, 다낭, DAD',
  'Nha Trang': 'ญาจาง, ยาจาง, นาตรัง, 芽庄, 芽莊, ニャチャン, ナトラン, 나트랑, 냐짱, CXR',
  Bali: 'บาหลี, 巴厘, 巴厘岛, 巴釐島, 巴里島, 峇里, バリ, 발리, DPS',
  Jakarta: 'Djakarta, DKI Jakarta, จาการ์ตา, Gia-các-ta, 雅加达, 雅加達, ジャカルタ, 자카르타, CGK, HLP, JKT',
  Yogyakarta:
    'Jogja, Yogya, Jogjakarta, Jogyakarta, Djogdjakarta, DI Yogyakarta, Daerah Istimewa Yogyakarta, ยอกยาการ์ตา, 日惹, ジョグジャカルタ, ジョクジャカルタ, 욕야카르타, 족자카르타, 족자, JOG, YIA',
  'Kuala Lumpur':
    'KL, Kuala Lumpor, WP Kuala Lumpur, กัวลาลัมเปอร์, Cua-la Lăm-pơ, 吉隆坡, クアラルンプール, 쿠알라룸푸르, KUL, SZB',
  Penang: 'Pinang, ปีนัง, 槟城, 檳城, 槟榔屿, 檳榔嶼, 槟岛, 檳島, ペナン, 페낭, 피낭, PEN',
  Langkawi: 'ลังกาวี, 兰卡威, 蘭卡威, 浮罗交怡, 浮羅交怡, ランカウイ, ランカウィ, 랑카위, LGK',
  Singapore:
    "Singapura, S'pore, สิงคโปร์, Xin-ga-po, 新加坡, 星加坡, Xin Jia Po, 狮城, 獅城, シンガポール, 싱가포르, 싱가폴, SG, SGP, SIN",
};

/** Names that several cities share, and names of places between several cities. Each needs a city beside it. */
export const SHARED_NAMES: Readonly<Record<string, readonly CityName[]>> = {
  'Chinatown, China Town, ไชน่าทาวน์, 唐人街, チャイナタウン, 차이나타운': [
    'Bangkok',
    'Ho Chi Minh',
    'Jakarta',
    'Kuala Lumpur',
    'Singapore',
  ],
  'Little India, 小印度, リトルインディア, 리틀 인디아': ['Kuala Lumpur', 'Penang', 'Singapore'],
  'Old Town, Old City, เมืองเก่า, 古城': ['Bangkok', 'Phuket', 'Chiang Mai', 'Jakarta'],
  'Phang Nga, Phangnga, พังงา, 攀牙': ['Phuket', 'Krabi'],
  'Koh Yao Noi, Koh Yao Yai, Koh Yao, เกาะยาว': ['Phuket', 'Krabi'],
  'Andaman, Andaman Coast, Andaman Sea': ['Phuket', 'Krabi'],
  'Java, Jawa, ชวา, 爪哇, ジャワ, 자바': ['Jakarta', 'Yogyakarta'],
};

/** Countries and regions with their cities. Alone they name no city. */
export const REGIONS: Readonly<Record<string, readonly CityName[]>> = {
  'Thailand, TH, THA, ไทย, ประเทศไทย, Thái Lan, Siam, 泰国, 泰國, タイ, 태국': [
    'Bangkok',
    'Phuket',
    'Chiang Mai',
    'Pattaya',
    'Krabi',
  ],
  'Vietnam, VN, VNM, เวียดนาม, ประเทศเวียดนาม, 越南, ベトナム, ヴェトナム, 베트남': [
    'Ho Chi Minh',
    'Hanoi',
    'Da Nang',
    'Nha Trang',
  ],
  'Indonesia, ID, IDN, อินโดนีเซีย, ประเทศอินโดนีเซีย, 印度尼西亚, 印度尼西亞, 印尼, インドネシア, 인도네시아': [
    'Bali',
    'Jakarta',
    'Yogyakarta',
  ],
  'Malaysia, MY, MYS, มาเลเซีย, ประเทศมาเลเซีย, Mã Lai, Ma-lai-xi-a, 马来西亚, 馬來西亞, マレーシア, 말레이시아': [
    'Kuala Lumpur',
    'Penang',
    'Langkawi',
  ],
  'Chonburi, Chon Buri, ชลบุรี': ['Pattaya'],
  'Khanh Hoa': ['Nha Trang'],
  'Quang Nam': ['Da Nang'],
  'Central Java, Jawa Tengah': ['Yogyakarta'],
  'West Java, Jawa Barat, Banten': ['Jakarta'],
  'Kedah, เกดะห์': ['Langkawi'],
  Selangor: ['Kuala Lumpur'],
};

/** Words beside a name that do not change the place. */
export const PLACE_WORDS =
  'the, of, in, at, city, town, province, island, islands, beach, centre, center, downtown, area, region, airport, ' +
  'international airport, thành phố, TP, tỉnh, đảo, biển, trung tâm, kota, pulau, pantai, provinsi, pusat, bandar, bandaraya, ' +
  'ko, koh, จังหวัด, เมือง, ตัวเมือง, เกาะ, หาด, 市, 市区, 市區, 市内, 市中心, 城, 岛, 島, 省, 州, 海滩, 海灘, ビーチ, シティ, ' +
  '시, 시내, 섬, 도심, 해변';
