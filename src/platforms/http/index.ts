export { callHttp, toStatusError } from './call.ts';
export { type HttpReply, toNetworkError } from './exchange.ts';
export { faultOfStatus } from './fault-of-status.ts';
export { createHttpClient, type HttpClient, type HttpClientOptions } from './http-client.ts';
export type { HttpStream } from './stream.ts';
