export { looksLikeKey } from './find-keys.ts';
export * from './redact-for-model.ts';
export { isSecretName, isSecretVariableName, maskSecret, redactSecrets } from './redact-secrets.ts';
export * from './remember-secrets.ts';
export { endsInKnownSecret, hasKnownSecret, rememberSecrets } from './redact-text.ts';
