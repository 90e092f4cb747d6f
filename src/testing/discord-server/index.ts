export { createDiscordServer, type DiscordServer, type DiscordServerOptions } from './discord-server.ts';
export type { DiscordCall } from './exchange.ts';
export type { InteractionAnswer } from './routes.ts';
export type { DiscordCommandCall, DiscordPress, DiscordUserMessage } from './user-actions.ts';
export type { DiscordChannel, DiscordMessage, DiscordUser } from './world.ts';
