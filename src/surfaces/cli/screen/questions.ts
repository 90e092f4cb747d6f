import type { InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import type { Theme } from '../render/index.ts';
import { type ApprovalPanel, type ApprovalText, createApprovalPanel } from './approval-panel.ts';
import { type ChoiceList, createChoiceList } from './choice-list.ts';
import type { Input } from './input.ts';

/** The open question, if there is one: an approval is answered with single keys, a clarify question with a choice. */
export interface Questions {
  ask(request: InteractionRequest): void;
  close(): void;
  /** The open approval panel, as long as it receives the keys. */
  panel(): ApprovalPanel | undefined;
  request(): InteractionRequest | undefined;
  /** The prompt of the text that the question asks for; undefined if there is none. */
  label(): string | undefined;
  /** Returns true for a key that selects a choice. */
  handleKey(data: string): boolean;
  /** Takes a line that was entered; false if it does not belong to the question, or is an answer like any other line. */
  submit(line: string): boolean;
  /** Esc: denies, rejects, or goes back; false if it does not concern the question. */
  escape(): boolean;
  /** Whether `escape` would return true. */
  takesEscape(): boolean;
  render(width: number, rows: number): string[];
}

type QuestionsOptions = {
  input: Input;
  theme(): Theme;
  timeoutMs: number;
  typedAt(): number | undefined;
  onAnswer(answer: InteractionAnswer): void;
  onChange(): void;
};

type Open = { request: InteractionRequest; draft: string } & (
  | { panel: ApprovalPanel; list?: undefined }
  | { list: ChoiceList; panel?: undefined }
);

const TEXT_LABELS: Readonly<Record<ApprovalText, string>> = { reason: 'why › ', entries: 'rule › ' };
const ANSWER_LABEL = 'answer › ';

export function createQuestions({ input, theme, timeoutMs, typedAt, onAnswer, onChange }: QuestionsOptions): Questions {
  let open: Open | undefined;

  /** Puts the text that was being typed when the question appeared back into the input. */
  function restoreDraft(): void {
    if (open === undefined || open.draft === '') return;
    input.setText(open.draft);
    open.draft = '';
  }

  function close(): void {
    if (open?.panel?.typing() !== undefined || open?.list !== undefined) input.setText('');
    open?.panel?.close();
    restoreDraft();
    open = undefined;
  }

  /** Makes room for the text of an approval, or ends it. */
  function type(start: string | undefined): void {
    if (open === undefined) return;
    if (open.draft === '' && input.text() !== '' && start !== undefined) open.draft = input.expandedText();
    input.setText(start ?? '');
    if (start === undefined) restoreDraft();
    onChange();
  }

  return {
    ask(request) {
      close();
      if (request.kind === 'clarify') {
        const draft = input.expandedText();
        input.setText('');
        const list = createChoiceList({ request, input, theme, answer: onAnswer, typedAt: typedAt() });
        open = { request, list, draft };
        return;
      }
      const panel = createApprovalPanel({
        request,
        theme,
        deadline: Date.now() + timeoutMs,
        answer: onAnswer,
        onTyping: type,
        typedAt: typedAt(),
      });
      open = { request, draft: '', panel };
    },
    close,
    panel: () => (open?.panel?.typing() === undefined ? open?.panel : undefined),
    request: () => open?.request,
    label() {
      if (open?.list !== undefined) return ANSWER_LABEL;
      const typing = open?.panel?.typing();
      return typing && TEXT_LABELS[typing];
    },
    handleKey: (data) => open?.list?.handleKey(data) ?? false,
    submit(line) {
      if (open?.list !== undefined) return open.list.submit(line);
      if (open?.panel?.typing() === undefined) return false;
      void open.panel.submit(line).finally(onChange);
      return true;
    },
    escape() {
      if (open?.panel === undefined) return open?.list.escape() ?? false;
      open.panel.escape();
      return true;
    },
    takesEscape: () => open !== undefined && (open.request.kind === 'approval' || open.request.plan !== undefined),
    render: (width, rows) => (open?.panel ?? open?.list)?.render(width, rows) ?? [],
  };
}
