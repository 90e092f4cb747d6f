export { createDiscordChannel } from './discord-channel.ts';
export { toDiscordOptions } from './settings.ts';
