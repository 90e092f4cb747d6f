export { type ApiServer, startApiServer } from './api-server.ts';
export { addKey, KEY_NAME, keyFile, readKeys, revokeKey } from './keys/key-file.ts';
