import { readFileSync, statSync } from 'node:fs';
import { type JsonValue, parseJson } from '../base/index.ts';
import { homePaths, readEnvFile } from '../config/index.ts';
import type { Hooks } from '../contracts/index.ts';
import { rememberFields } from '../util/index.ts';

/**
 * Keeps the known secrets up to date. The user or another process can change `.env` and `auth.json` at any time, so
 * both are checked before each tool call and again before its result is redacted.
 */
export function createSecretsWatch(home: string): Hooks {
  const { envFile, authFile } = homePaths(home);
  const files = [
    { path: envFile, state: '', read: () => readEnvFile(home) },
    { path: authFile, state: '', read: async () => rememberFields(parseFile(authFile)) },
  ];
  const refresh = async (): Promise<undefined> => {
    for (const file of files) {
      const state = stateOf(file.path);
      if (state === file.state) continue;
      file.state = state;
      await file.read();
    }
  };
  return { name: 'secrets-watch', preToolCall: refresh, postToolCall: refresh };
}

function stateOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : '';
}

function parseFile(path: string): JsonValue | undefined {
  return parseJson(readFileSync(path, 'utf8'));
}
