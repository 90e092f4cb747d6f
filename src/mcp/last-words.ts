const LONGEST = 300;
/** How Node and npm end what they say of a failure: with lines that say nothing of it. */
const AFTER_AN_ERROR = /^Node\.js v\d/;
const AFTER_NPM = /^npm (?:error|ERR!) A complete log/;
const ERROR = /^(?:Uncaught )?[\w.]*(?:Error|Exception)\b/;
const NPM_REASON = /^npm (?:error|ERR!) (?!code |errno |syscall )\S/;

/** Of what a server wrote before it ended, the line that is likely to say why; without trailing blanks. */
export function lastWords(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const last = lines.at(-1) ?? '';
  return (reasonBefore(last, lines) ?? last).slice(0, LONGEST);
}

function reasonBefore(last: string, lines: readonly string[]): string | undefined {
  if (AFTER_AN_ERROR.test(last)) return lines.findLast((line) => ERROR.test(line));
  if (AFTER_NPM.test(last)) return lines.find((line) => NPM_REASON.test(line));
  return undefined;
}
