import { isSecretName, redactSecrets } from '../util/index.ts';

const MAX_SHOWN = 60;

/**
 * `, not VALUE` for the end of a message about a rejected value. Lists, mappings and values that may contain a secret
 * are omitted.
 */
export function showRejected(path: readonly PropertyKey[], value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return '';
  const text = String(value).trim();
  const name = String(path.at(-1) ?? '');
  const mayBeSecret = isSecretName(name) || /key|url|headers|env/i.test(path.join('.')) || redactSecrets(text) !== text;
  return text === '' || text.length > MAX_SHOWN || text.includes('\n') || mayBeSecret ? '' : `, not \`${text}\``;
}
