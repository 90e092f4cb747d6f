import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, isJsonObject, parseJson } from '../../base/index.ts';
import type { EnvironmentVariables } from '../../config/index.ts';
import { readTokens, type Tokens } from '../oauth/token-answer.ts';

/** The login that the Codex command line keeps for itself. It is only read. */
export function readCodexLogin(variables: EnvironmentVariables): Tokens {
  const folder = variables['CODEX_HOME'] || join(variables['HOME'] || variables['USERPROFILE'] || '', '.codex');
  const file = join(folder, 'auth.json');
  const document = parseJson(readIfThere(file));
  const section = isJsonObject(document) ? document['tokens'] : undefined;
  const tokens = isJsonObject(section) ? readTokens(section, Date.now()) : undefined;
  if (tokens !== undefined) return tokens;
  throw new ConfigurationError(`There is no login in ${file}.`, {
    hint: 'Log in with `codex login` first, or make a login of its own with `hermes auth add openai-codex --login`.',
  });
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
