export { createNtfyServer, type NtfyCall, type NtfyServer, type NtfyServerOptions } from './ntfy-server.ts';
export type { NtfyMessage } from './topic.ts';
