/** What the user adds to the system prompt of a session. */
export type PromptAdditions = {
  /** Replaces everything that Hermes would write. */
  replacement?: string | undefined;
  /** Comes after everything else. */
  appended?: string | undefined;
};

// The headings identify the two texts in a stored prompt, so that a prompt that is built again keeps them.
const REPLACEMENT = '# System prompt of the user';
const APPENDED = '# Instructions of the user for this session';

export function replacementLayer(text: string): string {
  return `${REPLACEMENT}\n\n${text.trim()}`;
}

export function appendedLayer(text = ''): string {
  return text.trim() === '' ? '' : `${APPENDED}\n\n${withoutHeading(text.trim())}`;
}

/** Text of other layers, such as a context file, must not look like the appended text. */
export function withoutHeading(text: string): string {
  return text.replaceAll(APPENDED, '# Instructions');
}

/** Finds the additions in a stored prompt. */
export function readAdditions(prompt: string): PromptAdditions {
  const at = prompt.lastIndexOf(`\n\n${APPENDED}\n\n`);
  const [rest, appended] = at < 0 ? [prompt, undefined] : [prompt.slice(0, at), prompt.slice(at + APPENDED.length + 4)];
  const isReplaced = rest.startsWith(`${REPLACEMENT}\n\n`);
  return { replacement: isReplaced ? rest.slice(REPLACEMENT.length + 2) : undefined, appended };
}
