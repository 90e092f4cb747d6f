export { type CodeHooks, loginWithCode } from './code-flow.ts';
export { type DevicePrompt, loginWithDevice } from './device-flow.ts';
export { endedLogin, type ExchangedToken, exchangeToken, refreshTokens } from './refresh-tokens.ts';
export { receiveRedirect } from './redirect-receiver.ts';
export { LoginFailure } from './login-failure.ts';
export { claimsOf, textIn, type Tokens } from './token-response.ts';
