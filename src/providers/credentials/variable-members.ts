import { createHash } from 'node:crypto';
import type { EnvironmentVariables } from '../../config/index.ts';
import type { PoolMember } from './credential-plan.ts';

/** The keys that variables hold, each once. */
export function variableMembers(variables: EnvironmentVariables, names: readonly string[]): PoolMember[] {
  const found = new Map<string, PoolMember>();
  for (const name of names) {
    const secret = variables[name];
    if (secret && !found.has(secret)) found.set(secret, variableMember(name, secret));
  }
  return [...found.values()];
}

/** Its id changes with the key, so that a new key does not inherit what was remembered of the old one. */
export function variableMember(name: string, secret: string): PoolMember {
  const mark = createHash('sha256').update(secret).digest('hex').slice(0, 8);
  return { id: `${name}-${mark}`, label: name, kind: 'api_key', secret, source: `env:${name}` };
}
