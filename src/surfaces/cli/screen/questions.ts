import type { ApprovalRequest, ClarifyRequest, InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import type { Theme } from '../render/index.ts';
import { markedRows, panelRows } from '../terminal/approval-text.ts';
import { APPROVAL_KEYS, clarifyRows, describeAlways, describeApproval, parseAnswer } from '../terminal/question.ts';
import type { Input } from './input.ts';
import { wrapTextWithAnsi } from './pi-tui.ts';

/** The open question, if there is one: an approval is answered with single keys, a clarify question with typed text. */
export interface Questions {
  ask(request: InteractionRequest): void;
  close(): void;
  /** The open approval panel, which receives the keys. */
  panel(): ApprovalPanel | undefined;
  request(): InteractionRequest | undefined;
  render(width: number, rows: number): string[];
}

type QuestionsOptions = {
  input: Input;
  theme(): Theme;
  timeoutMs: number;
  typedAt(): number | undefined;
  onAnswer(answer: InteractionAnswer): void;
};

export function createQuestions({ input, theme, timeoutMs, typedAt, onAnswer }: QuestionsOptions): Questions {
  let open: { request: InteractionRequest; panel: ApprovalPanel | undefined; draft: string } | undefined;

  function close(): void {
    open?.panel?.close();
    // Restores the text that was being typed when the question appeared.
    if (open !== undefined && open.draft !== '') input.setText(open.draft);
    open = undefined;
  }

  return {
    ask(request) {
      close();
      if (request.kind === 'clarify') {
        open = { request, panel: undefined, draft: input.expandedText() };
        return input.setText('');
      }
      const deadline = Date.now() + timeoutMs;
      const panel = createApprovalPanel({ request, theme, deadline, answer: onAnswer, typedAt: typedAt() });
      open = { request, draft: '', panel };
    },
    close,
    panel: () => open?.panel,
    request: () => open?.request,
    render(width, rows) {
      if (open === undefined) return [];
      if (open.panel !== undefined) return open.panel.render(width, rows);
      return open.request.kind === 'clarify' ? renderClarify(open.request, theme(), width) : [];
    },
  };
}

/** An approval request, which is answered with single keys. */
interface ApprovalPanel {
  /** Returns false for a key that belongs to the text that was being typed when the question appeared. */
  handleKey(data: string): boolean;
  render(width: number, rows: number): string[];
  close(): void;
}

type PanelOptions = {
  request: ApprovalRequest;
  theme(): Theme;
  /** When the request is denied automatically. */
  deadline: number;
  answer(answer: InteractionAnswer): void;
  /** When the last key was pressed before the question appeared. */
  typedAt?: number | undefined;
  now?(): number;
};

/** After this long without a key press, the user is no longer in the middle of a word. */
const TYPING_PAUSE_MS = 500;

/**
 * Only a single key counts as an answer: several together were typed or pasted for something else. If the user is
 * typing when the question appears, keys count only after a pause. Only the letters answer, so Enter and the space
 * bar never approve anything.
 */
function createApprovalPanel(options: PanelOptions): ApprovalPanel {
  const { request, theme, deadline, answer, now = Date.now } = options;
  let pressed: string[] = [];
  let waiting: NodeJS.Immediate | undefined;
  let isOpen = true;
  let { typedAt } = options;
  const isTyping = () => {
    if (typedAt !== undefined && now() - typedAt >= TYPING_PAUSE_MS) typedAt = undefined;
    return typedAt !== undefined;
  };
  const decide = () => {
    const [key, ...others] = pressed;
    pressed = [];
    waiting = undefined;
    const chosen = key?.length === 1 && others.length === 0 ? parseAnswer(request, key) : undefined;
    if (chosen?.kind !== 'approval' || !isOpen) return;
    isOpen = false;
    answer(chosen);
  };
  return {
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
    render(width, rows) {
      const seconds = Math.max(0, Math.ceil((deadline - now()) / 1000));
      return layOut(request, { theme: theme(), width, rows, seconds, isTyping: isTyping() });
    },
    close() {
      isOpen = false;
    },
  };
}

type PanelLayout = { theme: Theme; width: number; rows: number; seconds: number; isTyping: boolean };

function layOut(request: ApprovalRequest, { theme, width, rows, seconds, isTyping }: PanelLayout): string[] {
  const wrap = (text: string) => wrapTextWithAnsi(text, Math.max(1, width));
  const { head, reasons } = describeApproval(request, theme.bold);
  const reasonRows = reasons.flatMap((reason) => panelRows(reason, width, wrapTextWithAnsi));
  const parts = {
    head: panelRows(head, width).map(theme.yellow),
    reasons: [...cutMiddle(reasonRows, Math.max(1, Math.floor(rows / 2)), theme)],
    keys: wrap(`  ${isTyping ? 'you are typing: pause for half a second to answer' : APPROVAL_KEYS}`),
    offers: panelRows(`  ${describeAlways(request)}`, width).map(theme.dim),
    countdown: wrap(theme.dim(`  denied automatically in ${seconds} s`)),
  };
  const taken = () => Object.values(parts).reduce((sum, lines) => sum + lines.length, 0);
  // In a small window, the subject and the keys take precedence over the rest.
  for (const name of ['offers', 'countdown', 'head', 'reasons'] as const) if (taken() >= rows) parts[name] = [];
  const subject = cutMiddle(markedRows(request.subject, width), Math.max(1, rows - taken()), theme);
  return [...parts.head, ...subject, ...parts.reasons, ...parts.keys, ...parts.offers, ...parts.countdown];
}

/** Keeps the beginning and the end of what does not fit; the reasons below name the part that matters. */
function cutMiddle(lines: readonly string[], room: number, theme: Theme): readonly string[] {
  if (lines.length <= room) return lines;
  if (room === 1) return [`${lines[0]} ${theme.dim('… Ctrl-O shows all')}`];
  const begin = Math.max(0, Math.ceil((room - 1) / 2));
  const end = Math.max(0, room - 1 - begin);
  const left = theme.dim(`    … ${lines.length - begin - end} more lines; Ctrl-O shows all`);
  return [...lines.slice(0, begin), left, ...lines.slice(lines.length - end)];
}

/** A question of the model; the answer is typed below it. */
function renderClarify(request: ClarifyRequest, theme: Theme, width: number): string[] {
  const [head = '', ...others] = clarifyRows(request, width);
  return [theme.bold(head), ...others];
}
