export { type ApiServer, startApiServer } from './api-server.ts';
export { addKey, FIRST_KEY, KEY_NAME, keyFile, type KeyRights, readKeys, revokeKey } from './keys/key-file.ts';
export { openKeys } from './keys/open-keys.ts';
export { requireBudget, restrictedChoices } from './turns/turn-host.ts';
