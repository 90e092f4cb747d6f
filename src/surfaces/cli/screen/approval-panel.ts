import type { ApprovalRequest, InteractionAnswer } from '../../../base/index.ts';
import type { Theme } from '../render/index.ts';
import { markedRows, panelRows } from '../terminal/approval-text.ts';
import { APPROVAL_KEYS, describeAlways, describeApproval, offeredEntries, parseAnswer } from '../terminal/question.ts';
import { wrapTextWithAnsi } from './pi-tui.ts';

/** What the user types below an approval request after the keys `w` and `a`: a reason, or allow-list entries. */
export type ApprovalText = 'reason' | 'entries';

/** An approval request, which is answered with single keys. Some keys ask for a text first. */
export interface ApprovalPanel {
  /** The text that is being typed; undefined while single keys answer. */
  typing(): ApprovalText | undefined;
  /** Returns false for a key that belongs to the text that was being typed when the question appeared. */
  handleKey(data: string): boolean;
  /** Takes the typed text as part of the answer. */
  submit(text: string): Promise<void>;
  /** Esc: leaves the text, or denies. */
  escape(): void;
  render(width: number, rows: number): string[];
  close(): void;
}

type PanelOptions = {
  request: ApprovalRequest;
  theme(): Theme;
  /** When the request is denied automatically. */
  deadline: number;
  answer(answer: InteractionAnswer): void;
  /** A text is typed from now on, starting from this one. Undefined: single keys answer again. */
  onTyping(start: string | undefined): void;
  /** When the last key was pressed before the question appeared. */
  typedAt?: number | undefined;
  now?(): number;
};

/** After this long without a key press, the user is no longer in the middle of a word. */
export const TYPING_PAUSE_MS = 500;
const SAY_WHY = 'w';

/**
 * Only a single key counts as an answer: several together were typed or pasted for something else. If the user is
 * typing when the question appears, keys count only after a pause. Only the letters answer, so Enter and the space
 * bar never approve anything. Esc denies immediately.
 */
export function createApprovalPanel(options: PanelOptions): ApprovalPanel {
  const { request, theme, deadline, onTyping, now = Date.now } = options;
  let pressed: string[] = [];
  let waiting: NodeJS.Immediate | undefined;
  let isOpen = true;
  let typing: ApprovalText | undefined;
  let problem: string | undefined;
  let { typedAt } = options;
  const isTyping = () => {
    if (typedAt !== undefined && now() - typedAt >= TYPING_PAUSE_MS) typedAt = undefined;
    return typedAt !== undefined;
  };
  const answer = (given: InteractionAnswer) => {
    if (!isOpen) return;
    isOpen = false;
    options.answer(given);
  };
  const type = (what: ApprovalText | undefined, start?: string) => {
    [typing, problem] = [what, undefined];
    onTyping(start);
  };
  const decide = () => {
    const [key = '', ...others] = pressed;
    pressed = [];
    waiting = undefined;
    if (key.length !== 1 || others.length > 0 || !isOpen) return;
    if (key.toLowerCase() === SAY_WHY) return type('reason', '');
    const chosen = parseAnswer(request, key);
    if (chosen?.kind !== 'approval') return;
    const entries = offeredEntries(request);
    if (chosen.answer === 'always' && mayNarrow(entries)) return type('entries', entries.join('\n'));
    answer(chosen);
  };
  return {
    typing: () => typing,
    handleKey(data) {
      if (isTyping()) {
        typedAt = now();
        return false;
      }
      pressed.push(data);
      // All keys of one read arrive in the same tick, so the decision is made right after it.
      waiting ??= setImmediate(decide);
      return true;
    },
    async submit(text) {
      const typed = text.trim();
      if (typing === 'reason')
        return answer({ kind: 'approval', answer: 'deny', ...(typed !== '' && { reason: typed }) });
      const entries = typed.split('\n').flatMap((line) => line.trim() || []);
      const wider = await findWider(entries, offeredEntries(request));
      // Esc may have ended the editing meanwhile.
      if (typing !== 'entries') return;
      problem = wider;
      if (problem === undefined) answer({ kind: 'approval', answer: 'always', entries });
      else onTyping(text);
    },
    escape() {
      if (typing === undefined) answer({ kind: 'approval', answer: 'deny' });
      else type(undefined);
    },
    render(width, rows) {
      const seconds = Math.max(0, Math.ceil((deadline - now()) / 1000));
      return layOut(request, { theme: theme(), width, rows, seconds, isTyping: isTyping(), typing, problem });
    },
    close() {
      isOpen = false;
    },
  };
}

/** An exact command is the narrowest entry there is. */
function mayNarrow(entries: readonly string[]): boolean {
  return entries.length > 1 || entries.some((entry) => entry.includes('*'));
}

/** Why the entries cannot be saved as part of this answer; undefined if they can. */
async function findWider(entries: readonly string[], offered: readonly string[]): Promise<string | undefined> {
  if (entries.length === 0) return 'There is no rule to save. Press Esc to go back.';
  const { isNarrowerEntry } = await import('../../../approvals/index.ts');
  const wider = entries.find((entry) => !offered.some((than) => isNarrowerEntry(entry, than)));
  if (wider === undefined) return undefined;
  return `"${wider}" allows more than the proposed rule (${offered.join(', ')}). Only a narrower rule can be saved here.`;
}

type PanelLayout = {
  theme: Theme;
  width: number;
  rows: number;
  seconds: number;
  isTyping: boolean;
  typing: ApprovalText | undefined;
  problem: string | undefined;
};

const TEXT_KEYS: Readonly<Record<ApprovalText, string>> = {
  reason: 'Say why: Enter denies with this reason · Esc goes back',
  entries: 'Enter always allows these rules · edit them to allow less (* stands for any text) · Esc goes back',
};

function layOut(request: ApprovalRequest, layout: PanelLayout): string[] {
  const { theme, width, rows, seconds, isTyping, typing, problem } = layout;
  const wrap = (text: string) => wrapTextWithAnsi(text, Math.max(1, width));
  const { head, reasons } = describeApproval(request, theme.bold);
  const reasonRows = reasons.flatMap((reason) => panelRows(reason, width, wrapTextWithAnsi));
  const keys = isTyping ? 'you are typing: pause for half a second to answer' : APPROVAL_KEYS;
  const parts = {
    head: panelRows(head, width).map(theme.yellow),
    reasons: [...cutMiddle(reasonRows, Math.max(1, Math.floor(rows / 2)), theme)],
    keys: wrap(`  ${typing === undefined ? keys : TEXT_KEYS[typing]}`),
    offers: typing === undefined ? panelRows(`  ${describeAlways(request)}`, width).map(theme.dim) : [],
    countdown: wrap(theme.dim(`  denied automatically in ${seconds} s`)),
    problem: problem === undefined ? [] : panelRows(`  ${problem}`, width).map(theme.yellow),
  };
  const taken = () => Object.values(parts).reduce((sum, lines) => sum + lines.length, 0);
  // In a small window, the subject and the keys take precedence over the rest.
  for (const name of ['offers', 'countdown', 'head', 'reasons'] as const) if (taken() >= rows) parts[name] = [];
  const subject = cutMiddle(markedRows(request.subject, width), Math.max(1, rows - taken()), theme);
  const { head: first, reasons: why, keys: how, offers, countdown, problem: wrong } = parts;
  return [...first, ...subject, ...why, ...how, ...offers, ...countdown, ...wrong];
}

/** Keeps the beginning and the end of what does not fit; the reasons below name the part that matters. */
export function cutMiddle(lines: readonly string[], room: number, theme: Theme): readonly string[] {
  if (lines.length <= room) return lines;
  if (room === 1) return [`${lines[0]} ${theme.dim('… Ctrl-O shows all')}`];
  const begin = Math.max(0, Math.ceil((room - 1) / 2));
  const end = Math.max(0, room - 1 - begin);
  const left = theme.dim(`    … ${lines.length - begin - end} more lines; Ctrl-O shows all`);
  return [...lines.slice(0, begin), left, ...lines.slice(lines.length - end)];
}
