export type { TelegramGroup, TelegramMessage, TelegramUser } from './chats.ts';
export type { TelegramCall } from './exchange.ts';
export { createTelegramServer, type TelegramServer, type TelegramServerOptions } from './telegram-server.ts';
export type { SentFile, UserEdit, UserMessage, UserPress } from './user-actions.ts';
