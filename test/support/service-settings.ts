/** Without threads, other servers and chance: the order of an answer that explores depends on its random log id. */
export const SERVICE_SETTINGS = {
  PROJECTOR_THREAD: 'off',
  OPEN_METEO_URL: 'off',
  FLASH_DEALS: 'off',
  RECOMMEND_EXPLORATION_PERCENT: '0',
  MAIL_THREAD: 'off',
};
