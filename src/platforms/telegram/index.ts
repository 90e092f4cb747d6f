export { readTelegramOptions } from './settings.ts';
export { createTelegramChannel, type TelegramOptions } from './telegram-channel.ts';
