export { toSlackOptions } from './settings.ts';
export { createSlackChannels } from './slack-channel.ts';
