import type { ApprovalRequest, ClarifyRequest, InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import type { Theme } from '../render/index.ts';
import { showable, showableWhole } from '../style.ts';
import { APPROVAL_KEYS, describeAlways, readAnswer } from '../terminal/question.ts';
import type { Input } from './input.ts';
import { wrapTextWithAnsi } from './pi-tui.ts';

/** The question that is open, if one is: an approval takes keys, anything else is typed. */
export interface Questions {
  ask(request: InteractionRequest): void;
  close(): void;
  /** The panel that takes the keys. */
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
    // What was being typed was not meant for the question; now there is room for it again.
    if (open !== undefined && open.draft !== '') input.setText(open.draft);
    open = undefined;
  }

  return {
    ask(request) {
      close();
      if (request.kind === 'clarify') {
        open = { request, panel: undefined, draft: input.whole() };
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

/** A question about a call, which single keys answer. */
interface ApprovalPanel {
  /** False for a key that belongs to what was being typed when the question came. */
  handleKey(data: string): boolean;
  render(width: number, rows: number): string[];
  close(): void;
}

type PanelOptions = {
  request: ApprovalRequest;
  theme(): Theme;
  /** When nobody answering becomes a no. */
  deadline: number;
  answer(answer: InteractionAnswer): void;
  /** When the last key was pressed before it. */
  typedAt?: number | undefined;
  now?(): number;
};

/** Who does not press a key for so long is not in the middle of a word. */
const PAUSE_MS = 500;

/**
 * Only a key that comes alone counts: several at once were typed, or pasted, for something else; and whoever is typing
 * when the question comes types on before they see it, so that keys count only after a pause. Nothing but the letters
 * answers, so neither Enter nor a space ever allows anything.
 */
function createApprovalPanel(options: PanelOptions): ApprovalPanel {
  const { request, theme, deadline, answer, now = Date.now } = options;
  let pressed: string[] = [];
  let waiting: NodeJS.Immediate | undefined;
  let isOpen = true;
  let { typedAt } = options;
  const isTyping = () => {
    if (typedAt !== undefined && now() - typedAt >= PAUSE_MS) typedAt = undefined;
    return typedAt !== undefined;
  };
  const decide = () => {
    const [key, ...others] = pressed;
    pressed = [];
    waiting = undefined;
    const chosen = key?.length === 1 && others.length === 0 ? readAnswer(request, key) : undefined;
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
      // All keys of one read come in a row; whether there is another one is known right after.
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

type Sheet = { theme: Theme; width: number; rows: number; seconds: number; isTyping: boolean };

function layOut(request: ApprovalRequest, { theme, width, rows, seconds, isTyping }: Sheet): string[] {
  const wrap = (text: string) => wrapTextWithAnsi(text, Math.max(1, width));
  const reasons = request.reasons.flatMap(({ rule, matched }) =>
    wrap(`  because: ${showable(rule)} (${theme.bold(showableWhole(matched))})`),
  );
  const parts = {
    head: wrap(theme.yellow(`! ${showable(request.toolName)} asks before it goes on:`)),
    reasons: [...cutMiddle(reasons, Math.max(1, Math.floor(rows / 2)), theme)],
    keys: wrap(`  ${isTyping ? 'a key was just pressed: keys answer after a pause' : APPROVAL_KEYS}`),
    offers: wrap(theme.dim(`  ${describeAlways(request)}`)),
    countdown: wrap(theme.dim(`  without an answer it is denied in ${seconds} s`)),
  };
  const taken = () => Object.values(parts).reduce((sum, lines) => sum + lines.length, 0);
  // In a small window what is asked and the keys that answer it are worth more than the rest.
  for (const name of ['offers', 'countdown', 'head', 'reasons'] as const) if (taken() >= rows) parts[name] = [];
  const indented = showableWhole(request.subject)
    .split('\n')
    .flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width - 4)).map((part) => `    ${part}`));
  const subject = cutMiddle(indented, Math.max(1, rows - taken()), theme);
  return [...parts.head, ...subject, ...parts.reasons, ...parts.keys, ...parts.offers, ...parts.countdown];
}

/** Beginning and end of what does not fit; the reasons below name the part that matters. */
function cutMiddle(lines: readonly string[], room: number, theme: Theme): readonly string[] {
  if (lines.length <= room) return lines;
  if (room === 1) return [`${lines[0]} ${theme.dim('… Ctrl-O shows all')}`];
  const begin = Math.max(0, Math.ceil((room - 1) / 2));
  const end = Math.max(0, room - 1 - begin);
  const left = theme.dim(`    … ${lines.length - begin - end} more lines; Ctrl-O shows all`);
  return [...lines.slice(0, begin), left, ...lines.slice(lines.length - end)];
}

/** What the model wants to know; the answer is typed below. */
function renderClarify(request: ClarifyRequest, theme: Theme, width: number): string[] {
  const choices = request.choices.map((choice, index) => `  ${index + 1}. ${showable(choice)}`);
  return [theme.bold(showable(request.question)), ...choices].flatMap((text) =>
    text.split('\n').flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width))),
  );
}
