/** The packages of Discord's protocol. A bundle has them in a file of its own, which only this platform loads. */
export { API } from '@discordjs/core/http-only';
export { DiscordAPIError, HTTPError, RateLimitError, REST } from '@discordjs/rest';
export { WebSocketShard, WebSocketShardEvents } from '@discordjs/ws';
