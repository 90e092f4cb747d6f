export { type McpServerOptions, serveMcpOverHttp, serveMcpOverStdio } from './serve.ts';
