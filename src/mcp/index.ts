export { createLogin } from './login.ts';
export { createServer, type ServerParts, type ServerReport } from './server.ts';
export { ServerFailure } from './server-failure.ts';
export type { McpCall, McpTool } from './server-tools.ts';
export { createMcpServers, type McpServers } from './servers.ts';
