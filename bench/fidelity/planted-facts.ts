/** A fact that a later turn may need, and the sentence that states it. */
export type Fact = {
  kind: 'path' | 'value' | 'decision' | 'wish';
  /** Who states it: the user, a tool result, or the assistant. */
  place: 'user' | 'result' | 'answer';
  sentence: string;
  /** The text that must be found literally. */
  answer: readonly string[];
};

function fact(kind: Fact['kind'], place: Fact['place'], sentence: string, ...answer: string[]): Fact {
  return { kind, place, sentence, answer };
}

/** In order of appearance; the first ones go through all compressions. */
export const FACTS: Readonly<Record<string, readonly Fact[]>> = {
  'mending a parser': [
    fact('wish', 'user', 'Never touch anything below vendor/legacy, whatever the tests say.', 'vendor/legacy'),
    fact('wish', 'user', 'Keep every public name as it is, other teams import them.', 'public name'),
    fact(
      'path',
      'result',
      'grammar loaded from packages/parser/grammar/v3/tokens.bnf',
      'packages/parser/grammar/v3/tokens.bnf',
    ),
    fact('value', 'result', 'parser.maxDepth = 4096', 'maxDepth', '4096'),
    fact(
      'decision',
      'answer',
      'I decided on a Pratt parser because the old tables cannot express right-associative operators.',
      'Pratt',
    ),
    fact('value', 'user', 'The nightly job runs at 03:40 UTC, be done before that.', '03:40'),
    fact('path', 'answer', 'The failing fixture is test/fixtures/unicode/astral-17.txt.', 'astral-17.txt'),
    fact('value', 'result', 'baseline: 812 tests, 3 skipped, seed 99173', '99173'),
    fact('decision', 'user', 'We agreed that errors carry a code such as P017, no free text.', 'P017'),
    fact('wish', 'user', 'Write commit messages in the imperative, at most 60 characters.', '60 characters'),
    fact('path', 'result', 'coverage written to build/reports/coverage-2291.json', 'coverage-2291.json'),
    fact(
      'decision',
      'answer',
      'I kept the recursive visitor instead of the iterative one, since profiles show no difference.',
      'recursive visitor',
    ),
    fact('value', 'result', 'LEXER_CACHE_BYTES resolved to 67108864', '67108864'),
    fact('wish', 'user', 'Please answer in short sentences, and show diffs only for files of mine.', 'short sentences'),
    fact('value', 'answer', 'Parsing the large sample takes 184 ms now, it was 431 ms.', '184 ms'),
  ],
  'a service that drops requests': [
    fact('wish', 'user', 'Do not restart anything in the Frankfurt region during office hours.', 'Frankfurt'),
    fact('value', 'user', 'The customer who complains has the id cus_88213.', 'cus_88213'),
    fact('path', 'result', 'config: /etc/relay/relay.d/40-limits.toml', '/etc/relay/relay.d/40-limits.toml'),
    fact('value', 'result', 'upstream_timeout_ms=7350 (override)', '7350'),
    fact(
      'decision',
      'answer',
      'I decided to raise the pool to 48 connections, because 20 of them were always waiting.',
      '48 connections',
    ),
    fact('path', 'result', 'core dump kept at /var/crash/relay.1720.core', '/var/crash/relay.1720.core'),
    fact('value', 'result', 'schema_migrations head: 20260914_1105', '20260914_1105'),
    fact('wish', 'user', 'Ask me before you delete a log, the auditors want them.', 'auditors'),
    fact('decision', 'user', 'We stay on protocol version 2.3 until the partners have moved.', '2.3'),
    fact('value', 'answer', 'The retry storm begins at 14:07:33 and ends eleven minutes later.', '14:07:33'),
    fact('path', 'answer', 'The runbook is docs/runbooks/relay-drain.md, step 6 is wrong.', 'relay-drain.md'),
    fact('value', 'result', 'replica lag p99: 2.81s on db-ro-5', 'db-ro-5'),
    fact(
      'decision',
      'answer',
      'Backpressure goes into the gateway instead of the relay, so that slow clients hurt only themselves.',
      'Backpressure',
    ),
    fact('wish', 'user', 'Give me figures with their unit, always.', 'unit'),
    fact('value', 'user', 'The budget for new machines is 1900 euros a month.', '1900'),
  ],
  整理一份研究报告: [
    fact('wish', 'user', '不要引用二零一九年以前的论文。', '二零一九年以前'),
    fact('value', 'user', '报告的截止日期是十月二十七日。', '十月二十七日'),
    fact('path', 'result', '数据来源：data/survey/2026-q3/responses-v2.csv', 'data/survey/2026-q3/responses-v2.csv'),
    fact('value', 'result', '有效样本数：3417，缺失率：4.2%', '3417'),
    fact('decision', 'answer', '我决定采用分层抽样，因为各地区的回收率差别太大。', '分层抽样'),
    fact('wish', 'user', '请一直用繁体以外的中文，图表标题用英文。', '图表标题'),
    fact('path', 'answer', '图三保存在 figures/fig3-regional.svg。', 'fig3-regional.svg'),
    fact('value', 'result', '回归系数 beta=0.382, p=0.0047', '0.382'),
    fact('decision', 'user', '第二章和第三章必须合并，标题叫“方法与样本”。', '方法与样本'),
    fact('value', 'answer', '与去年相比，满意度上升了六点三个百分点。', '六点三个百分点'),
    fact('path', 'result', '参考文献库：refs/library-0931.bib', 'library-0931.bib'),
    fact('decision', 'answer', '异常值用中位数绝对偏差处理，而不是直接删除。', '中位数绝对偏差'),
    fact('value', 'user', '合作单位的联系人是周敏，分机四一七。', '周敏'),
    fact('wish', 'user', '正文不要超过八千字。', '八千字'),
    fact('value', 'result', '随机种子：60421', '60421'),
  ],
};
