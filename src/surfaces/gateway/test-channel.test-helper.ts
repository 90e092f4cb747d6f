import type {
  Channel,
  ChannelEvent,
  ChannelMessage,
  ChatSource,
  ReceiveOptions,
  SendOptions,
} from '../../contracts/index.ts';

const FAST = { count: 1000, perMs: 1000 };

const FACTS: Channel['facts'] = {
  platform: 'test',
  maxText: 100,
  textUnit: 'utf16',
  hasButtons: true,
  streaming: 'edit',
  maxUploadBytes: 1000,
  maxDownloadBytes: 1000,
  repeats: 'none',
  rates: { account: FAST, chat: FAST },
  silenceMs: 60_000,
};

export type SentToChat = ChannelMessage & Pick<SendOptions, 'key' | 'mayHaveArrived'>;

/** A platform in memory, whose connection and answers the test controls. */
export function createTestChannel(account = 'test:1') {
  const connections: ReceiveOptions[] = [];
  const sent: SentToChat[] = [];
  const acknowledged: string[] = [];
  let answer: (message: ChannelMessage) => { id: string } = () => ({ id: `m${sent.length}` });
  let fetch: (id: string, signal: AbortSignal) => Promise<Uint8Array> = async () => new Uint8Array();
  let identify = async () => ({ account, name: '@bot' });
  const started = performance.now();
  let count = 0;
  const channel: Channel = {
    facts: FACTS,
    render: (text) => (text === '' ? [] : [{ text }]),
    identify: () => identify(),
    receive(options) {
      connections.push(options);
      options.onAlive();
      return new Promise((_, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason as Error));
      });
    },
    async send(message, { key, mayHaveArrived }) {
      sent.push({ ...message, key, mayHaveArrived });
      return answer(message);
    },
    edit: async () => undefined,
    fetchFile: async ({ id }, { signal }) => fetch(id, signal),
    acknowledgeAction: async (_, text) => void acknowledged.push(text),
    close: async () => undefined,
  };

  function event(source: Partial<ChatSource>, changes: Partial<ChannelEvent> = {}, text = ''): ChannelEvent {
    count += 1;
    const id = `${started}-${count}`;
    return {
      id,
      kind: 'message',
      source: { platform: 'test', chatType: 'dm', chatId: '7', userId: '7', ...source },
      sentAt: Date.now(),
      content: { messageId: id, text, files: [], isAddressed: true },
      ...changes,
    };
  }

  return {
    channel,
    connections,
    sent,
    acknowledged,
    texts: () => sent.map(({ content }) => content?.text),
    answerWith: (next: typeof answer) => void (answer = next),
    fetchWith: (next: typeof fetch) => void (fetch = next),
    identifyWith: (next: typeof identify) => void (identify = next),
    /** A user writes; resolves when the message is stored. */
    async say(text: string, source: Partial<ChatSource> = {}): Promise<void> {
      await connections.at(-1)?.deliver([event(source, {}, text)], { offset: count });
    },
    /** A user sends a message with more than a text. */
    async send(content: Partial<ChannelEvent['content']>, source: Partial<ChatSource> = {}): Promise<void> {
      const made = event(source);
      await connections.at(-1)?.deliver([{ ...made, content: { ...made.content, ...content } }], { offset: count });
    },
    /** A user forwards a message of somebody else. */
    async forward(text: string, forwardedFrom: string): Promise<void> {
      const made = event({}, {}, text);
      const content = { ...made.content, forwardedFrom };
      await connections.at(-1)?.deliver([{ ...made, content }], { offset: count });
    },
    /** A user presses the button with this label on the newest message that has it. */
    async press(label: string, source: Partial<ChatSource> = {}): Promise<void> {
      const buttons = sent.flatMap((message) => (message.buttons ?? []).flat());
      const data = buttons.findLast((button) => button.label === label)?.data ?? '';
      const made = event(source, { kind: 'action' });
      const content = { ...made.content, action: { id: made.id, data, messageId: '1' } };
      await connections.at(-1)?.deliver([{ ...made, content }], { offset: count });
    },
  };
}
