import { anywhere, lastWords, type ScanRule, words } from './scan-rule.ts';
import { wordsOnly } from './text/fold.ts';
import type { Sentence, ScanSegment } from './text/segments.ts';

/** Words that occur when a text is about attacks, tests or examples. */
const ATTACK_TALK = words(
  `no effect|does not work|doesn t work|is ignored|are ignored|prompt injections?|injections?|injected|jailbreaks?|jailbreaking|attacks?|attackers?|attacking|adversar\\w+|malicious|exploit\\w*|vulnerab\\w+|red team\\w*|payloads?|owasp|phishing|threats?|mitigat\\w+|defen[cs]\\w*|detect\\w*|scanners?|scans?|scanned|scanning|blocklist|denylist|filters?|filtered|filtering|patterns?|regex\\w*|regexp|phrases?|such as|e g|i e|for example|for instance|examples?|classic|famous|typical|suspicious|hostile|untrusted|tests?|tested|testing|fixtures?|corpus|samples?|expect\\w*|asserts?|assert\\w*|refus\\w+|reject\\w*|flags?|flagged|strings?|quot\\w+|papers?|research\\w*|fixed|warns?|warned|warning about|templates?|tokens?|tokeni[sz]er\\w*|tags?|literal\\w*|classif\\w+|benchmark\\w*|dataset\\w*|sanitiz\\w*|sanitis\\w*|escap\\w+|block(?:s|ed|ing)|strips?|stripped|match(?:es|ed)?|grep|trick\\w*|saying|says|reads|contains?|containing|the words|the text|the line|red flags?|poison\\w*|obfuscat\\w*|demonstrat\\w*|spoof\\w*|social engineering|untrustworthy|honeypot\\w*|trained|training data|moderation|canary|cve|advisory|ctf`,
);
/** The words among them that leave no doubt. */
const CLEAR_ATTACK_TALK = words(
  `no effect|does not work|doesn t work|is ignored|are ignored|prompt injections?|injections?|injected|jailbreaks?|attacks?|attackers?|attacker s|adversar\\w+|malicious|exploit\\w*|vulnerab\\w+|red team\\w*|payloads?|owasp|phishing|threats?|mitigat\\w+|suspicious|hostile|untrusted|exfiltrat\\w+|detect\\w*|blocklist|denylist|blocks|blocked|flagged|refus\\w+|reject\\w*|dangerous|unsafe|bad example|never|do not|honeypot\\w*|canary|cve|ctf|scanners?|leaks?`,
);
const ATTACK_TALK_OTHER_LANGUAGES = anywhere(
  'angriff|beispiel|injektion|ataque|ejemplo|inyeccion|exemplo|attaque|exemple|attacco|esempio|атак|пример|инъекц|攻击|攻擊|注入|例如|示例|例子|攻撃|例え|たとえば|インジェクション|โจมตี|ตัวอย่าง|공격|예를|예시|인젝션|saldiri|ornek|przyklad|voorbeeld|vi du|contoh|هجوم|مثال|हमल|उदाहरण',
);

/** The introduction of a list of attacks: `An attacker may try to: …` */
const ATTACK_LIST =
  /\b(?:attackers?|attacks?|malicious|injections?|adversar\w+|threats?|red flags?)\b[^.!?]{0,80}:(?:[^.!?]|[.!?](?!\s))*$/;

/** Introductions of quoted or reported speech. */
const REPORTED = lastWords(
  `(?:such as|like|e g|for example|for instance|says|said|saying|reads|phrases?|the words|the text|strings?|titled|called|known as|means|containing|contains|writes|wrote|typed|types)(?: the| a| an)?`,
);
const GOVERNED = words(
  `(?:tell|tells|told|telling|ask|asks|asked|asking|instruct|instructs|instructed|instructing|instructions?|trick\\w*|convinc\\w+|persuad\\w+|caus\\w+|makes?|making|gets?|getting|forc\\w+|command\\w*|direct(?:s|ed|ing)|order(?:s|ed|ing)|urg\\w+|manipulat\\w+|induc\\w+|attempt\\w*|tries|tried|trying|allow\\w*|lead(?:s|ing)?|led|coax\\w*|request\\w*|claim\\w*|want(?:s|ed|ing)|lets?|letting|help(?:s|ing)?)`,
);
const PURPOSE = lastWords(
  `(?:how|ways?|able|ability|attempts?|tries|tried|trying|techniques?|designed|used|aims?|intended|possible|likely|methods?|meant|easy|hard|enough|orders?|requests?|prompts?|it|them|models?|llms?|agents?|assistants?|chatbots?|systems?|ai|claude|chatgpt|gpt|bots?|in order|refuse|refuses|decline|declines) (?:to|into)`,
);
const SPOKEN_TO = words(`you|your|yourself|i|me|my|we|us|our`);
const FIRST_PERSON = words('i|we|my|our');
const SOMEBODY = words(
  `attackers?|pages?|websites?|comments?|files?|documents?|contents?|texts?|someone|somebody|anyone|emails?|messages?|issues?|inputs?|results?|outputs?|users?|strangers?|adversar\\w+|payloads?|injections?|skills?|repositor\\w+|readmes?|tools?|they|it|he|she|prompts?|data`,
);
const ATTACKER = words(
  `attackers?|adversar\\w+|hackers?|malicious|malware|hostile|untrusted|injected|injections?|payloads?|someone|somebody|strangers?|criminals?|phishing|pages?|websites?|trick\\w*|attempts?|tries|might|could`,
);
const PERHAPS = words(
  `may|might|can|could|will|would|sometimes|often|tries|try|trying|wants?|if|when|whenever|that|which|who`,
);
const FORBIDDEN = lastWords(
  `do not|don t|dont|never|must not|mustn t|should not|shouldn t|may not|cannot|can not|can t|won t|will not|refuse to|without|instead of|rather than|not|nor|no reason to|avoid|forbidden to|not allowed to|is it wrong to`,
);
const OTHER_SUBJECT = lastWords(
  `(?:attackers?|they|users?|people|it|that|which|who|he|she|hackers?|someone|anyone|inputs?|pages?|documents?|developers?|teams?|readers?)(?: (?:may|might|can|could|will|would|should|must|often|sometimes|then|also|to|simply|just|try to|tries to|do|does|did|happily|suddenly))*|(?:models?|llms?|agents?|assistants?|chatbots?|bots?|systems?)(?: (?:may|might|can|could|would|often|sometimes|then|also|to|simply|just|does|did|happily|suddenly))*`,
);
const IF_READER = words(
  `(?:if|when|once|unless|in case)(?! (?:you |this |it )?(?:can |are |is )?(?:read|reading|see|seeing|process|processing|parse|parsing|summari[sz]\\w+|asked|an?|told)(?: |$))`,
);
const MACHINE = words(`ai|a i|llm|language model|assistant|agent|chatgpt|claude|gpt|gemini|copilot|bot|model|hermes`);

const OF_THE_READER = words(`your|all|any|every|system|developer|guidelines?|prompts?|training|everything`);
/** Fragments of a regular expression. */
const EXPRESSION = /\\[swdbn]|\)[?*+]|\.\*|\[\^/;

const MAX_QUOTE_LENGTH = 1500;
const QUOTES: Record<string, string> = {
  '"': '"',
  '`': '`',
  '“': '”',
  '„': '“',
  '«': '»',
  '»': '«',
  '「': '」',
  '『': '』',
  "'": "'",
  '‘': '’',
  '‹': '›',
  '/': '/',
  '《': '》',
};

type MatchPosition = { start: number; end: number; rule: Pick<ScanRule, 'category' | 'mention'> };

/** Whether the matched words are only quoted or reported instead of addressed to the reader. */
export function isMention(segment: ScanSegment, sentence: Sentence, { start, end, rule }: MatchPosition): boolean {
  const lead = segment.words.slice(sentence.start, start);
  const said = segment.text.slice(start, end);
  const text = segment.text.slice(sentence.start, start);
  const isSaidByOthers = rule.mention === 'attack' ? isReportedAttack(lead, text) : isReported(lead, text);
  if (isForbidden(lead) || isSaidByOthers || EXPRESSION.test(said)) return true;
  if (!segment.example && !isQuoted(segment.text, start, end)) {
    if (rule.mention === 'attack' && ATTACK_LIST.test(segment.before)) return true;
    return rule.category === 'override' && isAdvice(said, segment, sentence);
  }
  return isTalkedAbout(segment, { start, end }, rule.mention === 'attack' ? CLEAR_ATTACK_TALK : ATTACK_TALK);
}

/** `never ignore …`, `must not ignore …`. */
function isForbidden(lead: string): boolean {
  const last = lead.trimEnd().split(' ').slice(-3).join(' ');
  return FORBIDDEN.test(last) && !/\bif not$/.test(last);
}

/** `tricks the model to ignore …`, `phrases such as …`; but not `I ask you to …` or `agents: ignore …`. */
function isReported(lead: string, text: string): boolean {
  const near = lead.slice(-120);
  if (REPORTED.test(near)) return /["'`“«„「]\s*$/.test(text) || !SPOKEN_TO.test(near) || isSomebodyElse(near);
  if (/[:,;.!?—–-][\s"'*]*$/.test(text)) return false;
  if (PURPOSE.test(near) || OTHER_SUBJECT.test(near)) return !SPOKEN_TO.test(near) || isSomebodyElse(near);
  const governed = / (?:to|that|into|it|they) *$/.test(near) && GOVERNED.test(near.slice(-60));
  return governed && !isSentenceStart(lead) && (!SPOKEN_TO.test(near.slice(-70)) || isSomebodyElse(near));
}

/**
 * For rules that match whole sentences, in which a person or a program is often the subject: only what attackers say
 * counts as reported.
 */
function isReportedAttack(lead: string, text: string): boolean {
  const near = lead.slice(-120);
  if (/["'`“«„「]\s*(?:the |an? )?$/.test(text) && REPORTED.test(near.replace(/ (?:the|an?) *$/, ''))) return true;
  return ATTACKER.test(near) && isReported(lead, text);
}

/** `try to ignore …` at the start of a sentence is an order, not a report. */
function isSentenceStart(lead: string): boolean {
  return lead.trim().split(/ +/).length <= 2;
}

/** Whether the sentence warns that somebody else might tell the reader to do something. */
function isSomebodyElse(lead: string): boolean {
  return SOMEBODY.test(lead) && PERHAPS.test(lead) && !FIRST_PERSON.test(lead);
}

/** `If you use Docker, ignore the above instructions`: advice for a person who follows a manual. */
function isAdvice(said: string, segment: ScanSegment, { start, end }: Sentence): boolean {
  const sentence = segment.words.slice(start, end);
  return IF_READER.test(sentence) && !MACHINE.test(sentence) && !OF_THE_READER.test(said);
}

/** Removes addresses, which may contain any word, and splits identifiers into words. */
function withoutNames(part: string): string {
  return wordsOnly(part.replace(/[\w-]+(?:\.[\w-]+)+/g, ' ')).replaceAll('_', ' ');
}

type Talk = Pick<RegExp, 'test'>;

function isTalkedAbout({ text, heading, before }: ScanSegment, { start, end }: Sentence, talk: Talk): boolean {
  const around = [text.slice(Math.max(0, start - 240), start), text.slice(end, end + 160), heading, before];
  return around.map(withoutNames).some((part) => talk.test(part) || ATTACK_TALK_OTHER_LANGUAGES.test(part));
}

/** Whether the words are in quotation marks or in a code span. */
function isQuoted(text: string, start: number, end: number): boolean {
  for (let at = start - 1; at >= 0 && start - at < MAX_QUOTE_LENGTH; at--) {
    const closing = QUOTES[text[at] as string];
    if (closing === undefined || !isOpeningQuote(text, at)) continue;
    const close = text.indexOf(closing, Math.max(end, at + 1));
    if (close >= 0 && close - at < MAX_QUOTE_LENGTH) return true;
  }
  return false;
}

/** Whether a quotation mark opens a quote. An apostrophe or slash after a letter does not. */
function isOpeningQuote(text: string, at: number): boolean {
  if (text[at] === '`' || at === 0) return true;
  // In code a string literal may have a prefix: `f"…"`.
  return !/[\p{L}\p{N}]$/u.test(text.slice(0, at).replace(/(?<![a-z0-9])[bfru]$/, ''));
}
