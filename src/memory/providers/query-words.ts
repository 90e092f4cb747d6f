/** Words that say nothing about what a message is about. */
const COMMON = new Set(
  [
    'about after again also another because been before being both could does doing done down each even from have having',
    'here into just like made make many more most much must need only other over please same should some such tell than',
    'that their them then there these they thing things this those through under until very want well were what when where',
    'which while will with would your yours show give know look find help thanks okay hello',
    'aber alle auch dass dein deine dich diese dieser doch eine einen einer eines habe haben hast hier ihre immer kann kannst',
    'mein meine mich muss nach nicht noch oder sein sich sind soll über und unter viel warum wenn werden wird wurde bitte',
  ].flatMap((line) => line.split(' ')),
);
const MOST_WORDS = 10;
const SHORTEST_WORD = 4;
const LOOKED_AT = 2_000;

/** Script without spaces has short words. */
const NO_ALPHABET = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** The words of a message by which earlier ones about the same thing can be found: the longest, each once. */
export function queryWords(text: string): string[] {
  const words = new Set<string>();
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(
    text.slice(0, LOOKED_AT),
  )) {
    const word = segment.toLowerCase();
    if (isWordLike !== true || COMMON.has(word)) continue;
    if (word.length >= (NO_ALPHABET.test(word) ? 2 : SHORTEST_WORD)) words.add(word);
  }
  return [...words].toSorted((one, other) => other.length - one.length).slice(0, MOST_WORDS);
}
