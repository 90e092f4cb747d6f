import type { InteractionAnswer, InteractionRequest } from '../../../base/index.ts';
import type { Theme } from '../render/index.ts';
import { type ApprovalPanel, createApprovalPanel, renderClarify } from './approval-panel.ts';
import type { Input } from './input.ts';

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
