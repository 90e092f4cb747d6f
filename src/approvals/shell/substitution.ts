import type { Redirection, SyntaxNode } from 'unbash';
import { printedBy } from './printed-text.ts';
import { LIMITS, type Place, type Reader } from './reader.ts';
import { executableName, type Source } from './shell-command.ts';
import { unwrap } from './unwrap.ts';
import { commandWords, type Scope, wordText } from './words.ts';

/** What words can be made of at a place. */
export function scopeAt(reader: Reader, place: Place): Scope {
  return {
    variables: place.variables,
    output(part) {
      if (part.script === undefined || place.depth > LIMITS.depth) return undefined;
      const [statement, ...others] = part.script.commands;
      if (statement === undefined || others.length > 0) return undefined;
      return printedText(reader, statement.command, { ...place, depth: place.depth + 1 })?.replace(/\n+$/, '');
    },
  };
}

/** What a command or a pipeline prints, where that is plain to see. */
export function printedText(reader: Reader, node: SyntaxNode, place: Place): string | undefined {
  if (node.type === 'Pipeline') {
    let { text } = place.feed;
    for (const command of node.commands) text = printedText(reader, command, { ...place, feed: { sources: [], text } });
    return text;
  }
  if (node.type !== 'Command' || !node.name) return undefined;
  const words = commandWords(node, scopeAt(reader, place));
  const input = textGiven(reader, node.redirects, place) ?? place.feed.text;
  return printedByWords(words, input);
}

/** Through wrappers: `sudo tee` prints what tee prints. */
function printedByWords(words: readonly string[], input: string | undefined): string | undefined {
  const [name = '', ...args] = words;
  const printed = printedBy(executableName(name), args, input);
  if (printed !== undefined) return printed;
  const [inner] = unwrap(words, input);
  return inner !== undefined && 'words' in inner && inner.words.length < words.length
    ? printedByWords(inner.words, input)
    : undefined;
}

/** Text that stands in the script itself. */
export function textGiven(reader: Reader, redirects: readonly Redirection[], place: Place): string | undefined {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return redirect.body.text;
    if (redirect.type === 'HereString' && redirect.target) return wordText(redirect.target, scopeAt(reader, place));
    if (redirect.type !== 'Redirect' || redirect.operator !== '<') continue;
    const substitution = redirect.target?.parts?.find((part) => part.type === 'ProcessSubstitution');
    if (substitution?.type === 'ProcessSubstitution') return scopeAt(reader, place).output(substitution);
  }
  return undefined;
}

/** All commands below a node, wrappers and what they wrap. */
export function sourcesIn(reader: Reader, node: SyntaxNode, place: Place): Source[] {
  const found: Source[] = [];
  const collect = (child: SyntaxNode): void => {
    if (found.length > LIMITS.pipeline) return;
    if (child.type === 'Command' && child.name)
      found.push(...sourcesOf(commandWords(child, scopeAt(reader, place)), place.directory));
    reader.parser.forEachChild(child, collect);
  };
  collect(node);
  return found;
}

/** The outermost command and those inside, so that `sudo curl` counts as curl. */
function sourcesOf(words: readonly string[], directory: string): Source[] {
  const [name = '', ...args] = words;
  const inner = unwrap(words, undefined).flatMap((found) =>
    'words' in found && found.words.length < words.length ? sourcesOf(found.words, directory) : [],
  );
  return [{ name: executableName(name), args, directory }, ...inner];
}
