import { ATTACHMENT_KINDS, type AttachmentKind } from '../base/index.ts';
import type { ModelRoute } from './model-client.ts';

/** Whether a route can be given an attachment of this kind. Where nobody knows, it is tried. */
export function canRead(route: ModelRoute, kind: AttachmentKind): boolean {
  if (!(route.client.carries ?? ATTACHMENT_KINDS).includes(kind)) return false;
  return (kind === 'image' ? route.facts?.vision : route.facts?.documents) !== false;
}
