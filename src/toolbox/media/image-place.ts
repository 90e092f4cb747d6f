/** Where an image is: models write paths, addresses, and now and then a path as an address. */
export type ImagePlace = { kind: 'file'; path: string } | { kind: 'address'; url: string };

export function imagePlace(given: string): ImagePlace {
  const text = given.trim();
  if (/^(?:https?|ftp|data|blob):/i.test(text)) return { kind: 'address', url: text };
  return { kind: 'file', path: /^file:\/\//i.test(text) ? pathOf(text) : given };
}

/** The parser of Node would refuse hosts and escapes that no file of ours has; what cannot be read stays as it is. */
function pathOf(address: string): string {
  const path = address.replace(/^file:\/\/(?:localhost)?/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
