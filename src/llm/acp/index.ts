export { createAcpModelClient } from './acp-client.ts';
