export type { KeyLimits } from './asks.ts';
export { type McpServerOptions, serveMcpOverHttp, serveMcpOverStdio } from './serve.ts';
export type { UseMessaging } from './tools/messages.ts';
