import type { Finding, ScanScope } from './finding.ts';
import { TAG_CHARACTERS } from './rules/invisible.ts';

/** All findings in a text, in the order of their lines. */
export function findInjection(text: string, _scope: ScanScope): Finding[] {
  return text.split('\n').flatMap((line, index): Finding[] =>
    TAG_CHARACTERS.test(line)
      ? [
          {
            rule: 'tag-characters',
            category: 'invisible',
            reason: 'has text in characters that nobody sees',
            line: index + 1,
            excerpt: '',
          },
        ]
      : [],
  );
}
