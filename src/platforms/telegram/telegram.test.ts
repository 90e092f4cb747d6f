import { channelRunner } from '../../../test/support/channel-runner.ts';
import { describeChannel } from '../../testing/index.ts';
import { openTelegramBench } from '../../../test/support/telegram-bench.ts';
import { createTelegramChannel } from './telegram-channel.ts';

const openBench = () =>
  openTelegramBench({
    open: (server, callMs) =>
      createTelegramChannel({
        token: server.token,
        baseUrl: `${server.url}/bot`,
        fileBaseUrl: `${server.url}/file/bot`,
        variables: {},
        timeouts: { pollMs: 100, graceMs: callMs, callMs, transferMs: 200 },
      }),
    faults: (server) => ({
      setDelivery: (faults) => server.setDelivery(faults),
      failReceiving: (fault) => server.failNext('getUpdates', fault),
    }),
  });

describeChannel('telegram', openBench, channelRunner);
