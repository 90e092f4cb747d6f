import { type AgentEvent, errorMessage } from '../../../base/index.ts';
import type { ChatTarget, ClaimedChat, GatewayStore, Logger } from '../../../contracts/index.ts';
import type { ConversationTurn } from '../../../conversations/index.ts';
import type { AccountRunner } from '../accounts/account-runner.ts';
import { type OutgoingBody, toBody } from '../accounts/outbox-sender.ts';
import { describeQuestion, questionButtons } from './question-buttons.ts';

export type PresenterOptions = {
  store: Pick<GatewayStore, 'addOutgoing'>;
  accountOf(account: string): AccountRunner;
  logger: Logger;
  now(): number;
};

/** Platforms show for about five seconds that an answer is being written. */
const TYPING_MS = 4000;

/** Shows a running turn in its chat: that it works, and what it asks. */
export function presentTurn(
  options: PresenterOptions,
  turn: ConversationTurn,
  { chat, target }: { chat: ClaimedChat; target: ChatTarget },
): void {
  const { logger } = options;
  const { account, source } = chat.conversation;
  const isGroup = source['chatType'] !== 'dm';
  const runner = options.accountOf(account);
  const { channel, scheduler } = runner;
  const stopped = new AbortController();
  let isAsking = false;

  function showTyping(): void {
    const { showTyping: show } = channel;
    if (show === undefined || isAsking) return;
    const run = () => show.call(channel, target, stopped.signal);
    scheduler.schedule({ chatId: target.chatId, isGroup, priority: 'typing', run }).catch(() => undefined);
  }

  async function ask({ requestId, request }: Extract<AgentEvent, { type: 'request' }>): Promise<void> {
    const [first, ...others] = channel.render(describeQuestion(request));
    const last = others.pop();
    const pieces = [first, ...others, last].filter((piece) => piece !== undefined);
    const messages = pieces.map((content, index) => {
      const body: OutgoingBody = { target, isGroup, content };
      if (index === pieces.length - 1) body.buttons = questionButtons(requestId, request);
      return {
        key: chat.key,
        account,
        id: `${chat.key}/question-${requestId}/${index}`,
        kind: 'question' as const,
        body: toBody(body),
        createdAt: options.now(),
      };
    });
    await options.store.addOutgoing(messages);
    runner.wake();
  }

  async function follow(): Promise<void> {
    for await (const event of turn) {
      if (event.type === 'request') {
        // Some platforms lock the input line of the user while the bot is typing.
        isAsking = true;
        await ask(event);
      } else if (event.type === 'request-closed') isAsking = false;
    }
  }

  const typing = setInterval(showTyping, TYPING_MS);
  showTyping();
  follow()
    .catch((thrown: unknown) => logger.warn('could not show a turn', { key: chat.key, error: errorMessage(thrown) }))
    .finally(() => {
      clearInterval(typing);
      stopped.abort();
    });
}
