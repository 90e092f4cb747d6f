import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { MAX_SKEW_SECONDS } from './signature.ts';

/** The signatures with a time that were used, so that each is valid only once. They are stored with the requests. */
export interface UsedSignatures {
  /** Marks a signature as used. Returns false if it was used before. */
  take(signature: string): boolean;
  /** Its request could not be stored, so it can be used again. */
  giveBack(signature: string): void;
  /** What is stored, and read after a restart. */
  toCursor(): JsonObject;
}

/** A signature is valid from this time before until this time after the time that it names. */
const KEPT_MS = 2 * MAX_SKEW_SECONDS * 1000;

export function createUsedSignatures(cursor: JsonObject | undefined, now: () => number): UsedSignatures {
  const stored = cursor?.['signatures'];
  const used = new Map<string, number>();
  for (const [key, time] of Object.entries(isJsonObject(stored) ? stored : {}))
    if (typeof time === 'number') used.set(key, time);
  const forgetOld = () => {
    for (const [key, time] of used) if (Math.abs(now() - time) > KEPT_MS) used.delete(key);
  };
  return {
    take(signature) {
      forgetOld();
      const key = keyOf(signature);
      if (used.has(key)) return false;
      used.set(key, now());
      return true;
    },
    giveBack: (signature) => void used.delete(keyOf(signature)),
    toCursor: (): JsonObject => (used.size === 0 ? {} : { signatures: Object.fromEntries(used) }),
  };
}

function keyOf(signature: string): string {
  return createHash('sha256').update(signature).digest('base64url').slice(0, 22);
}
