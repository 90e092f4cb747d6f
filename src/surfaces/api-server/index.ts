export { type ApiServer, startApiServer } from './api-server.ts';
export type { ProfileOptions } from './profiles/profile-routes.ts';
export { addKey, KEY_NAME, keyFile, readKeys, revokeKey } from './keys/key-file.ts';
export { openKeys } from './keys/open-keys.ts';
export { checkBudget, limitOf, priceHint, unpricedRoute } from './keys/key-budget.ts';
export { restrictedChoices } from './turns/turn-host.ts';
