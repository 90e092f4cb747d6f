import * as z from 'zod/mini';
import { isJsonObject } from '../base/index.ts';
import { HOOK_EVENTS } from '../contracts/index.ts';
import { amount, text } from './schema-parts.ts';

/** `hooks`: commands by hook event. */
export function hooksSection() {
  const hook = z.looseObject(
    {
      command: text,
      matcher: z.optional(text.check(z.refine(isExpression, 'a regular expression'))),
      timeout: z.optional(amount()),
    },
    'a mapping with command',
  );
  const list = z.array(hook, 'a list of mappings with command');
  return z.pipe(z.transform(withoutUnknownEvents), z.record(z.string(), list, 'a mapping of hook events to commands'));
}

/**
 * Hook events of other programs, in any format, are reported in a warning and must not prevent commands from
 * starting.
 */
function withoutUnknownEvents(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([event, entries]) => [event, Object.hasOwn(HOOK_EVENTS, event) ? entries : []]),
  );
}

function isExpression(value: string): boolean {
  try {
    return new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}
