export { type CodeHooks, loginWithCode } from './code-flow.ts';
export { type DevicePrompt, loginWithDevice } from './device-flow.ts';
export { type Exchanged, exchangeToken } from './exchange-token.ts';
export { receiveRedirect } from './redirect-receiver.ts';
export { LoginFailure } from './login-failure.ts';
export { endedLogin, refreshTokens } from './refresh-tokens.ts';
export { claimsOf, textIn, type Tokens } from './token-answer.ts';
