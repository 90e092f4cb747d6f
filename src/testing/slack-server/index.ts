export type { SlackCall } from './exchange.ts';
export { createSlackServer, type SlackServer, type SlackServerOptions } from './slack-server.ts';
export type { SlackCommand, SlackFile, SlackPress, SlackUserMessage } from './user-actions.ts';
export type { SlackChat, SlackMessage, SlackUser, SlackWorkspace } from './world.ts';
