import type { JsonValue } from '../../base/index.ts';
import { asObjects, asString, asText } from '../json-access.ts';

/** The text of a content field: a string, or a list of parts. */
export function contentOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .filter((part) => part.type !== 'thinking')
    .map((part) => asText(part.text) ?? asText(part.refusal) ?? '')
    .join('');
}

/** Thinking that comes as parts of the content (Mistral's form). */
export function reasoningOfContent(content: JsonValue | undefined): string {
  return asObjects(content)
    .filter((part) => part.type === 'thinking')
    .map((part) => asString(part.thinking) ?? contentOf(part.thinking))
    .join('');
}
