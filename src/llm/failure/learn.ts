import type { ModelFailure } from '../../base/index.ts';

// The order matters: a message may hold several figures, and the surest form is tried first.
const LIMIT_PATTERNS: readonly RegExp[] = [
  /[\d,]+ ?\+ ?[\d,]+ > ([\d,]+)/,
  /maximum (?:context|model) length (?:is|of|=)?:? ?([\d,]+)/i,
  /context (?:length|window|size|limit)(?: of| is|:)? ?(?:only |at most )?\(?([\d,]+)/i,
  /available context size \(([\d,]+)/i,
  /tokens? > ?([\d,]+)/i,
  /maximum number of (?:input )?tokens allowed(?: is)? \(?([\d,]+)/i,
  /max_model_len[^\d]{0,12}([\d,]+)/i,
  /maximum (?:of |prompt length is |input length is |allowed input length is )([\d,]+)/i,
  /token limit(?: of| is|:) ([\d,]+)/i,
  /range of input length should be \[\d+, ?([\d,]+)/i,
  /exceeds the limit of ([\d,]+)/i,
];

/** The context window that an overflow message tells, where it does. */
export function learnContextLimit(message: string): number | undefined {
  for (const pattern of LIMIT_PATTERNS) {
    const found = Number(pattern.exec(message)?.[1]?.replaceAll(',', ''));
    // Anything outside this range is some other figure, such as the number of a message.
    if (found >= 512 && found <= 100_000_000) return found;
  }
  return undefined;
}

// A parameter's name, in whichever quotes.
const NAME = '[\'"`]?([a-z_][\\w.\\[\\]]*)[\'"`]?';
const NAME_PATTERNS: readonly RegExp[] = [
  new RegExp(`(?:unsupported|unknown) (?:parameter|value)s?:? ?\\(?${NAME}`, 'i'),
  new RegExp(`unrecognized request arguments?(?: supplied)?:? ?${NAME}`, 'i'),
  new RegExp(`${NAME}: extra inputs are not permitted`, 'i'),
  new RegExp(`${NAME}:? [\\d,]+ > [\\d,]+, which is the maximum allowed number of output tokens`, 'i'),
  new RegExp(`(max_\\w*tokens)['"\`]? is too large`, 'i'),
  new RegExp(`parameter ${NAME} is not supported`, 'i'),
  new RegExp(`does not support parameter ${NAME}`, 'i'),
  /parameter\.(\w+) must be set to false/i,
  /invalid (reasoning_effort)/i,
  new RegExp(`['"\`]([a-z_]\\w*)['"\`] is (?:not supported|deprecated)`, 'i'),
  new RegExp(`([a-z]+_\\w+|temperature|seed|stop) is (?:not supported|deprecated) (?:with|by|for) this model`, 'i'),
];

/** A request without one of these is none: a complaint about them, or about something inside them, is not met by leaving them out. */
const ESSENTIAL = new Set(['model', 'messages', 'input', 'instructions', 'system', 'tools', 'stream']);

/** The parameter that the provider does not take, and the name it wants instead. */
export function learnParameter(message: string, pointedAt: string | undefined): ModelFailure['parameter'] {
  const found = pointedAt ?? firstMatch(message);
  // Providers may point into a parameter, as in `reasoning.effort`; only whole ones can be left out.
  const name = inOurSpelling(found?.split(/[.[]/)[0]);
  if (!name || ESSENTIAL.has(name)) return undefined;
  const replacement = /use ['"`](\w+)['"`] instead/i.exec(message)?.[1];
  return replacement === undefined ? { name } : { name, replacement };
}

/** Some name a parameter in the spelling of their own code. */
function inOurSpelling(name: string | undefined): string | undefined {
  return name?.replaceAll(/([a-z])([A-Z])/g, (_, small: string, large: string) => `${small}_${large.toLowerCase()}`);
}

function firstMatch(message: string): string | undefined {
  for (const pattern of NAME_PATTERNS) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return name;
  }
  // Ollama names what the model cannot do, not the parameter that asks for it.
  return /does not support thinking/i.test(message) ? 'think' : undefined;
}
