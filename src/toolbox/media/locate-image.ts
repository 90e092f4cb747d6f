/** The location of an image. Models write paths, URLs and sometimes `file:` URLs. */
type ImageLocation = { kind: 'file'; path: string } | { kind: 'address'; url: string };

export function locateImage(given: string): ImageLocation {
  const text = given.trim();
  if (/^(?:https?|ftp|data|blob):/i.test(text)) return { kind: 'address', url: text };
  return { kind: 'file', path: /^file:\/\//i.test(text) ? pathOf(text) : given };
}

/**
 * Converts a `file:` URL to a path. `fileURLToPath` would reject hosts and escapes that models write; an invalid
 * escape is left unchanged.
 */
function pathOf(address: string): string {
  const path = address.replace(/^file:\/\/(?:localhost)?/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
