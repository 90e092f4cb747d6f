/** Who the bot is in a workspace. */
export type SlackBot = { team: string; userId: string; botId: string | undefined; name: string };

/**
 * Converts the text of a message into what its author has written. A mention of the bot at the start is removed, because
 * it only says who is meant.
 */
export function readText(markup: string, bot: SlackBot): { text: string; isMentioned: boolean } {
  const own = `<@${bot.userId}>`;
  const ownNamed = `<@${bot.userId}|`;
  const isMentioned = markup.includes(own) || markup.includes(ownNamed);
  const leading = new RegExp(`^\\s*<@${bot.userId}(?:\\|[^<>]*)?>[,:]?\\s*`);
  return { text: toPlain(markup.replace(leading, ''), bot), isMentioned };
}

function toPlain(markup: string, bot: SlackBot): string {
  return markup
    .replace(/<([^<>]*)>/g, (_, content: string) => describe(content, bot))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** What is between angle brackets: a mention, a channel, a group, a date or a link, with an optional label. */
function describe(content: string, bot: SlackBot): string {
  const bar = content.indexOf('|');
  const target = bar < 0 ? content : content.slice(0, bar);
  const label = bar < 0 ? '' : content.slice(bar + 1);
  if (target.startsWith('@')) return target.slice(1) === bot.userId ? `@${bot.name}` : `@${label || target.slice(1)}`;
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  if (target.startsWith('!')) return label || `@${target.slice(1).split('^')[0]}`;
  const url = target.replace(/^(?:mailto|tel):/, '');
  return label === '' || label === url || url.endsWith(`//${label}`) ? url : `${label} (${url})`;
}

/** Writes text so that Slack shows it as it is and finds no mention in it. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
