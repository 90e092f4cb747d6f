import { createHash } from 'node:crypto';
import { showable } from '../../style.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as text, inside an element or an attribute in quotes. Everything that is not ours goes through here. */
export function escaped(text: string): string {
  return showable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The name of a session inside a page. An id may be anything, and a name in a page may not. */
export function anchorOf(sessionId: string): string {
  return `s-${createHash('sha256').update(sessionId).digest('hex').slice(0, 16)}`;
}

/** How a policy names the one style sheet that may apply. */
export function styleHash(style: string): string {
  return `sha256-${createHash('sha256').update(style).digest('base64')}`;
}
