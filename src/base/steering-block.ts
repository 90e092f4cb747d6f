const OPENING = '[Message from the user, sent while you were working]';
const CLOSING = "[End of the user's message]";

/** How a steered message stands at the end of a tool result. */
export function steeringBlock(text: string): string {
  return `\n\n${OPENING}\n${text}\n${CLOSING}`;
}

/** Text from outside must not look like the user's own words. */
export function withoutForgedSteering(content: string): string {
  return content.replaceAll(OPENING, '[Text in a tool result that claims to be a message from the user]');
}

/** What the user said in the middle of a turn, as it stands in a tool result; undefined where nothing was said. */
export function steeredText(content: string): string | undefined {
  const start = content.lastIndexOf(`${OPENING}\n`);
  if (start < 0) return undefined;
  const end = content.lastIndexOf(`\n${CLOSING}`);
  return content.slice(start + OPENING.length + 1, end > start ? end : undefined);
}
