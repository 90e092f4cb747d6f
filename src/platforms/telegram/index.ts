export { toTelegramOptions } from './settings.ts';
export { createTelegramChannel } from './telegram-channel.ts';
