import { ConfigurationError } from '../../base/index.ts';
import type { KeyPath } from './schema-keys.ts';

/** A part in quotes, a number in brackets, or a plain part up to the next dot or bracket. */
const PART = /\.?"([^"]+)"|\[(\d+)\]|\.?([^.[\]"]+)/y;

/** `fallback_providers[0].model`, `model_overrides."gpt-4.1".context_length`: a key as people write it. */
export function readKeyText(text: string): KeyPath {
  const path: (string | number)[] = [];
  if (/^["[.]/.test(text)) throw notAKey(text);
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const [, quoted, index, plain] = PART.exec(text) ?? [];
    const part = quoted ?? plain;
    if (index !== undefined) path.push(Number(index));
    else if (part !== undefined) path.push(part);
    else throw notAKey(text);
  }
  if (path.length === 0) throw notAKey(text);
  return path;
}

/** The same the other way round. */
export function writeKeyText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = String(part);
      return /^[^.[\]"]+$/.test(name) ? `.${name}` : `."${name}"`;
    })
    .join('')
    .replace(/^\./, '');
}

function notAKey(text: string): ConfigurationError {
  return new ConfigurationError(`"${text}" is not a key.`, {
    hint: 'Write it like agent.max_turns, fallback_providers[0].model or model_overrides."gpt-4.1".context_length.',
  });
}
