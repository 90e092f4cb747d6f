import type { ModelRequest } from '../../contracts/index.ts';
import type { BodyFields } from '../json-text.ts';
import type { EncodeSettings } from '../wire-format.ts';
import { findEffort } from './find-effort.ts';

/** The parameters of a chat completion that say how much to think. */
export function chatEffort(request: ModelRequest, { model, quirks }: EncodeSettings): BodyFields {
  const found = findEffort(request.effort, model, quirks.effort ?? 'openai');
  if (found === undefined) return {};
  const { form, level } = found;
  const type = level === 'none' ? 'disabled' : 'enabled';
  if (form === 'reasoning_object') return { reasoning: { effort: level } };
  if (form === 'thinking_type') return { thinking: { type } };
  if (form === 'thinking_type_and_effort') {
    return { thinking: { type }, reasoning_effort: level === 'none' ? undefined : level };
  }
  // Some of these models think only while they stream, and refuse the word otherwise.
  if (form === 'enable_thinking') return { enable_thinking: level === 'none' ? false : request.stream || undefined };
  return { reasoning_effort: level };
}
