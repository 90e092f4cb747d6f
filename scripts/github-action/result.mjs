const MAX_SUMMARY = 200_000;

/** One line for the log, without text of the model, and the summary of the job. */
export function describeResult(result) {
  const { exit_reason: reason, usage, cost, api_calls: steps, model, provider, error } = result;
  const price = cost === undefined || cost.status === 'unknown' ? 'unknown' : `$${Number(cost.usd).toFixed(4)}`;
  const tokens = usage === undefined ? 0 : usage.input + usage.output + usage.cache_read + usage.cache_write;
  const rows = [
    ['result', reason],
    ['model', [provider, model].filter(Boolean).join(' ') || 'none'],
    ['steps', steps ?? 0],
    ['tokens', tokens],
    ['cost', price],
  ];
  const problem = error?.message ? `\n${fenced([error.message, error.hint].filter(Boolean).join('\n'))}` : '';
  const table = rows.map(([name, value]) => `| ${name} | ${String(value).replace(/[|\n`<]/g, ' ')} |`).join('\n');
  const answer = result.final_response ? `\n${fenced(result.final_response)}` : '';
  return {
    line: `Hermes ended with ${reason} after ${steps ?? 0} steps; cost: ${price}.`,
    summary: `### Hermes\n\n| | |\n|---|---|\n${table}\n${problem}${answer}\n`,
  };
}

/** Text of a model in a code block, so that its links, images and HTML have no effect. */
function fenced(text) {
  const shown = text.slice(0, MAX_SUMMARY);
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}\n`;
}
