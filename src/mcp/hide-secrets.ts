import type { McpServerSettings } from '../config/index.ts';
import { isSecretVariable } from '../environments/index.ts';
import { isSecretName, redactSecrets } from '../util/index.ts';
import { REFERENCE, type Variables } from './expand-texts.ts';

/** Takes out of a text what its server was given and nobody else should read. */
export type HideSecrets = (text: string) => string;

/** Shorter ones are words that stand in any text. */
const SHORTEST = 6;

/**
 * Servers complain in their own words, and often quote what they were given: no pattern knows that as a secret, but the
 * settings do. Everything else that looks like one is taken out as well.
 */
export function createHideSecrets(
  settings: Pick<McpServerSettings, 'env' | 'headers' | 'args' | 'url' | 'login'>,
  variables: Variables,
): HideSecrets {
  const { env, headers, args, url = '', login } = settings;
  const named = [...Object.entries(env), ...Object.entries(headers)];
  const texts = [...named.map(([, text]) => text), ...args, url];
  const secrets = [
    ...named.flatMap(([name, text]) => secretsIn(name, fillIn(text, variables))),
    ...texts.flatMap((text) => referencesIn(text).flatMap((name) => secretsIn(name, variables[name] ?? ''))),
    login?.clientSecret ?? '',
  ];
  const known = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
  return (text) => redactSecrets(known.reduce((rest, secret) => rest.replaceAll(secret, '***'), text));
}

/** The value, and the last word of it: `Bearer …` is quoted without its first. */
function secretsIn(name: string, value: string): string[] {
  if (!isSecretName(name) && !isSecretVariable(name, value)) return [];
  return [value, value.split(' ').at(-1) ?? ''];
}

/** As it is filled in for the server; what is not set is told where that is done. */
function fillIn(text: string, variables: Variables): string {
  return text.replace(REFERENCE, (_, name: string, otherwise = '') => variables[name] || otherwise);
}

function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = '']) => name);
}
